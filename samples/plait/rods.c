// See rods.h.
#include "rods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static plait_groom_desc describe_groom(const rods *r, const uint32_t *bones, const uint16_t *group_indices,
                                       const plait_group_desc *groups);
static bool make_groom(const rods *r, plait_groom *groom);
static bool make_plane(const rods *r, plait_body *body);

bool rods_make(rods *r, uint32_t count, const uint32_t *edge_counts) {
    memset(r, 0, sizeof *r);
    r->count = count;
    r->vertex_counts = calloc(count, sizeof *r->vertex_counts);
    r->first = calloc(count + 1, sizeof *r->first);
    r->bones = calloc(count + 1, sizeof *r->bones);
    r->frictions = calloc(count, sizeof *r->frictions);
    if (!r->vertex_counts || !r->first || !r->bones || !r->frictions) goto failed;
    for (uint32_t i = 0; i <= count; i++) r->bones[i][0] = r->bones[i][5] = r->bones[i][10] = 1;
    for (uint32_t i = 0; i < count; i++) {
        r->vertex_counts[i] = edge_counts[i] + 1;
        r->first[i + 1] = r->first[i] + r->vertex_counts[i];
        r->frictions[i] = 1;
    }
    r->vertex_count = r->first[count];
    r->positions = calloc(r->vertex_count, sizeof *r->positions);
    r->radii = calloc(r->vertex_count, sizeof *r->radii);
    if (!r->positions || !r->radii) goto failed;
    for (uint32_t v = 0; v < r->vertex_count; v++) r->radii[v] = (float)RODS_RADIUS;
    r->params = (plait_hybrid_params)PLAIT_HYBRID_PARAMS_INIT;
    r->params.stretch_modulus = 1e8f;
    r->params.bend_modulus = (float)RODS_BEND_MODULUS;
    r->params.twist_modulus = (float)RODS_TWIST_MODULUS;
    r->params.density = (float)RODS_DENSITY;
    r->params.clamp_extension = 1;
    r->params.held_blend = 1;
    return true;
failed:
    fprintf(stderr, "plait: out of memory\n");
    rods_close(r);
    return false;
}

void rods_draw_arc(rods *r, uint32_t rod, double length, double curvature, const double along[3],
                   const double towards[3]) {
    uint32_t edges = r->vertex_counts[rod] - 1;
    double turn = curvature * length / edges, edge = length / edges, x = 0, y = 0;
    for (uint32_t v = 0; v <= edges; v++) {
        for (int c = 0; c < 3; c++) r->positions[r->first[rod] + v][c] = (float)(x * along[c] + y * towards[c]);
        x += edge * cos(turn * v); // edges are chords; the first one is the tangent that is clamped
        y += edge * sin(turn * v);
    }
}

// Keeps a joint's bending stiffness, E I over its length, times the step squared at or below 2e4 times a vertex's mass
// times the length squared.
float rods_step_rate(double edge_length) {
    double step = sqrt(2e4 * RODS_MASS / RODS_BENDING) * edge_length * edge_length;
    return (float)fmin(fmax(1 / step, 60), 10000);
}

bool rods_open(rods *r, const host_options *where) {
    plait_groom groom = {0};
    plait_body body = {0};
    bool opened = host_open(where, &r->host) && make_groom(r, &groom) && (!r->has_plane || make_plane(r, &body));
    if (opened) {
        plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
        desc.groom = groom;
        desc.device = r->host.device;
        desc.body = body;
        desc.solver = PLAIT_SOLVER_HYBRID;
        desc.params_count = 1;
        desc.params = &r->params;
        desc.bones = &r->bones[0][0];
        desc.step_rate_hz = r->step_rate_hz;
        desc.substeps = r->substeps;
        opened = host_check(plait_hair_create(r->host.context, &desc, &r->host.hair), "plait_hair_create");
    }
    // The hair keeps what it needs of both.
    if (body.id) plait_body_destroy(body);
    if (groom.id) plait_groom_destroy(groom);
    return opened;
}

void rods_close(rods *r) {
    host_close(&r->host);
    free(r->vertex_counts);
    free(r->first);
    free(r->positions);
    free(r->radii);
    free(r->bones);
    free(r->frictions);
    memset(r, 0, sizeof *r);
}

bool rods_step(rods *r, double dt, const double gravity[3]) {
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = (float)dt;
    frame.bone_count = r->count + 1;
    frame.bones = &r->bones[0][0];
    for (int c = 0; c < 3; c++) frame.gravity[c] = (float)gravity[c];
    return host_check(plait_hair_step(r->host.hair, &frame), "plait_hair_step");
}

bool rods_settle(rods *r, const double gravity[3], double rest, uint32_t max_steps) {
    plait_settle_desc desc = PLAIT_SETTLE_DESC_INIT;
    for (int c = 0; c < 3; c++) desc.gravity[c] = (float)gravity[c];
    desc.max_acceleration = (float)rest;
    desc.max_speed = 1; // strands are stopped repeatedly, so only accelerations tell
    desc.max_steps = max_steps;
    return host_check(plait_hair_settle(r->host.hair, &desc, NULL), "plait_hair_settle");
}

bool rods_read(rods *r) {
    host_output output;
    host_describe_output((uint32_t)r->vertex_count, 3, r->positions[0], &output);
    return host_check(plait_hair_read(r->host.hair, &output.desc), "plait_hair_read");
}

const float *rods_at(const rods *r, uint32_t rod, uint32_t vertex) { return r->positions[r->first[rod] + vertex]; }

const float *rods_tip(const rods *r, uint32_t rod) { return rods_at(r, rod, r->vertex_counts[rod] - 1); }

static bool make_groom(const rods *r, plait_groom *groom) {
    uint32_t *bones = calloc(r->count, sizeof *bones);
    uint16_t *group_indices = calloc(r->count, sizeof *group_indices);
    plait_group_desc *groups = calloc(r->count, sizeof *groups);
    bool made = bones && group_indices && groups;
    if (made) {
        for (uint32_t i = 0; i < r->count; i++) {
            bones[i] = i;
            group_indices[i] = (uint16_t)i;
            groups[i] = (plait_group_desc)PLAIT_GROUP_DESC_INIT;
            groups[i].friction = r->frictions[i];
        }
        plait_groom_desc desc = describe_groom(r, bones, group_indices, groups);
        made = host_check(plait_groom_create(r->host.context, &desc, groom), "plait_groom_create");
    }
    free(bones);
    free(group_indices);
    free(groups);
    return made;
}

static plait_groom_desc describe_groom(const rods *r, const uint32_t *bones, const uint16_t *group_indices,
                                       const plait_group_desc *groups) {
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    desc.strand_count = r->count;
    desc.bone_count = r->count + 1;
    desc.vertex_counts = r->vertex_counts;
    desc.positions = &r->positions[0][0];
    desc.radii = r->radii;
    desc.root_bones = bones;
    desc.group_indices = group_indices;
    desc.groups = groups;
    desc.group_count = r->count;
    return desc;
}

static bool make_plane(const rods *r, plait_body *body) {
    plait_collider plane = PLAIT_COLLIDER_INIT;
    plane.kind = PLAIT_COLLIDER_HALF_SPACE;
    plane.bone = r->count;
    plane.points[1][1] = 1;
    plane.friction = 1;
    plait_body_desc desc = PLAIT_BODY_DESC_INIT;
    desc.bone_count = r->count + 1;
    desc.collider_count = 1;
    desc.colliders = &plane;
    return host_check(plait_body_create(r->host.context, &desc, body), "plait_body_create");
}
