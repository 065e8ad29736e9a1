// The surface is where a smooth union of the colliders' distances is zero, found by surface nets: a vertex in every cell
// of a grid that the surface crosses (Gibson, "Constrained Elastic Surface Nets", 1998), then moved onto it.
#include "body_mesh.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "scene_math.h"

static const float FINEST_M = 0.004f; // of the grid
static const float MOST_CELLS = 240;  // along each axis
static const float SUNK_M = 0.0015f;  // below the colliders: hair that lies on them shall be seen
static const float MOST_BLEND_M = 0.03f;
static const uint32_t SKULL_COLLIDERS = 3; // that scene_body_make begins with

// A face, in the bind pose: capsules that are added to the head, and taken away from it where the radius is negative. Those
// with an x have a twin at -x. For the eye only: hair does not collide with them.
typedef struct feature {
    float from[3], to[3], radius, blend_m;
} feature;

static const feature FACE[] = {
    {{0, 1.672f, 0.098f}, {0, 1.632f, 0.113f}, 0.0085f, 0.018f},           // nose
    {{0.007f, 1.628f, 0.105f}, {0.007f, 1.630f, 0.107f}, 0.007f, 0.008f},  // nostrils
    {{0.012f, 1.683f, 0.092f}, {0.046f, 1.679f, 0.070f}, 0.014f, 0.022f},  // brows
    {{0.030f, 1.659f, 0.118f}, {0.040f, 1.658f, 0.108f}, -0.020f, 0.020f}, // sockets
    {{0, 1.597f, 0.090f}, {0.010f, 1.597f, 0.086f}, 0.013f, 0.020f},       // mouth
    {{0, 1.565f, 0.080f}, {0.008f, 1.565f, 0.078f}, 0.019f, 0.02f},        // chin
    {{0.038f, 1.636f, 0.062f}, {0.052f, 1.645f, 0.040f}, 0.024f, 0.03f},   // cheeks
    {{0.079f, 1.668f, -0.006f}, {0.074f, 1.640f, 0.004f}, 0.010f, 0.010f}, // ears
};

typedef struct shape {
    scene_body posed;
    vec3 skull, skull_half; // an ellipsoid, instead of the first colliders; half size zero: none
} shape;

typedef struct grid {
    float origin[3], cell_m;
    uint32_t size[3]; // corners along each axis
    float *distances; // [size[2]][size[1]][size[0]]
    uint32_t *vertex; // of the cell above each corner, or UINT32_MAX
} grid;

static float distance_to(const shape *s, vec3 p);
static float add_face(float d, vec3 p);
static vec3 gradient(const shape *s, vec3 p);
static bool grid_make(const shape *s, grid *g);
static bool add_vertices(const shape *s, grid *g, body_mesh *mesh);
static bool add_faces(const grid *g, body_mesh *mesh);
static void bind_vertex(const shape *s, body_vertex *v);
static bool grow_hair(const scene_groom *groom, body_mesh *mesh);
static size_t corner(const grid *g, uint32_t x, uint32_t y, uint32_t z);
static vec3 place(const grid *g, float x, float y, float z);

bool body_mesh_make(const scene_body *body, const scene_scalp *scalp, const scene_groom *groom, body_mesh *mesh) {
    memset(mesh, 0, sizeof *mesh);
    if (body->collider_count == 0) return true;
    shape s = {.skull_half = {0, 0, 0}};
    float bind[SCENE_BONE_COUNT][12], center[3];
    scene_bind_pose(bind);
    scene_body_pose(body, (const float(*)[12])bind, &s.posed);
    scene_head_center(center);
    s.skull = v3_from(center);
    if (scalp && scalp->half_length_m > scalp->radius_m)
        s.skull_half = v3(scalp->radius_m, scalp->radius_m, scalp->half_length_m);
    grid g = {.distances = NULL};
    bool made = grid_make(&s, &g) && add_vertices(&s, &g, mesh) && add_faces(&g, mesh) && grow_hair(groom, mesh);
    free(g.distances);
    free(g.vertex);
    if (!made) body_mesh_free(mesh);
    return made;
}

void body_mesh_free(body_mesh *mesh) {
    free(mesh->vertices);
    free(mesh->indices);
    memset(mesh, 0, sizeof *mesh);
}

// Near both surfaces the union fills the crease between them, over a blend that suits the thinner one.
static float distance_to(const shape *s, vec3 p) {
    float at[3], outward[3], d = FLT_MAX;
    uint32_t i = 0;
    v3_store(at, p);
    if (s->skull_half.x > 0) {
        // First order: exact on the surface.
        vec3 o = v3_sub(p, s->skull), h = s->skull_half, q = v3(o.x / h.x, o.y / h.y, o.z / h.z);
        float k0 = v3_length(q), k1 = v3_length(v3(q.x / h.x, q.y / h.y, q.z / h.z));
        d = k1 > 0 ? k0 * (k0 - 1) / k1 : -h.x;
        i = SKULL_COLLIDERS;
    }
    for (; i < s->posed.collider_count; i++) {
        const plait_collider *c = &s->posed.colliders[i];
        float blend = scene_min(MOST_BLEND_M, 0.6f * scene_min(c->radii[0], c->radii[1]));
        float other = scene_collider_distance(c, at, d < FLT_MAX ? d + blend : FLT_MAX, outward);
        if (other >= d + blend) continue;
        float t = scene_clamp(0.5f + 0.5f * (other - d) / blend, 0, 1);
        d = d < FLT_MAX ? other + (d - other) * t - blend * t * (1 - t) : other;
    }
    return (s->skull_half.x > 0 ? add_face(d, p) : d) + SUNK_M;
}

static float add_face(float d, vec3 p) {
    float center[3];
    scene_head_center(center);
    if (d > 0.05f || p.z < center[2] - 0.04f || p.y < 1.53f) return d;
    p.x = fabsf(p.x);
    for (size_t i = 0; i < sizeof FACE / sizeof *FACE; i++) {
        const feature *f = &FACE[i];
        vec3 from = v3_from(f->from), axis = v3_sub(v3_from(f->to), from), offset = v3_sub(p, from);
        float length2 = v3_dot(axis, axis), t = length2 > 0 ? scene_clamp(v3_dot(offset, axis) / length2, 0, 1) : 0;
        float other = v3_length(v3_mad(offset, axis, -t)) - fabsf(f->radius), sign = f->radius > 0 ? 1 : -1;
        // The smooth union of the two, or what is outside of both.
        float mix = scene_clamp(0.5f + 0.5f * (other - sign * d) / f->blend_m, 0, 1);
        d = sign * (other + (sign * d - other) * mix - f->blend_m * mix * (1 - mix));
    }
    return d;
}

static vec3 gradient(const shape *s, vec3 p) {
    const float e = 0.0005f;
    return v3_unit(v3(distance_to(s, v3(p.x + e, p.y, p.z)) - distance_to(s, v3(p.x - e, p.y, p.z)),
                      distance_to(s, v3(p.x, p.y + e, p.z)) - distance_to(s, v3(p.x, p.y - e, p.z)),
                      distance_to(s, v3(p.x, p.y, p.z + e)) - distance_to(s, v3(p.x, p.y, p.z - e))));
}

static bool grid_make(const shape *s, grid *g) {
    float low[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    for (uint32_t i = 0; i < s->posed.collider_count; i++)
        for (int end = 0; end < 2; end++)
            for (int axis = 0; axis < 3; axis++) {
                const plait_collider *c = &s->posed.colliders[i];
                low[axis] = scene_min(low[axis], c->points[end][axis] - c->radii[end]);
                high[axis] = scene_max(high[axis], c->points[end][axis] + c->radii[end]);
            }
    g->cell_m = FINEST_M;
    for (int axis = 0; axis < 3; axis++) g->cell_m = scene_max(g->cell_m, (high[axis] - low[axis]) / MOST_CELLS);
    for (int axis = 0; axis < 3; axis++) {
        g->origin[axis] = low[axis] -= 2 * g->cell_m;
        g->size[axis] = (uint32_t)((high[axis] - low[axis]) / g->cell_m) + 4;
    }
    size_t corners = (size_t)g->size[0] * g->size[1] * g->size[2];
    g->distances = malloc(corners * sizeof *g->distances);
    g->vertex = malloc(corners * sizeof *g->vertex);
    if (!g->distances || !g->vertex) return false;
    memset(g->vertex, 0xff, corners * sizeof *g->vertex);
    for (uint32_t z = 0; z < g->size[2]; z++)
        for (uint32_t y = 0; y < g->size[1]; y++)
            for (uint32_t x = 0; x < g->size[0]; x++) {
                // Far from the surface a bound will do: the next corner cannot be nearer by more than a cell.
                float d = x ? fabsf(g->distances[corner(g, x - 1, y, z)]) - 1.5f * g->cell_m : 0;
                if (d > 4 * g->cell_m)
                    d = g->distances[corner(g, x - 1, y, z)] < 0 ? -d : d;
                else
                    d = distance_to(s, place(g, (float)x, (float)y, (float)z));
                g->distances[corner(g, x, y, z)] = d;
            }
    return true;
}

static size_t corner(const grid *g, uint32_t x, uint32_t y, uint32_t z) {
    return x + g->size[0] * (y + (size_t)g->size[1] * z);
}

// In cells from the grid's first corner.
static vec3 place(const grid *g, float x, float y, float z) {
    return v3_mad(v3_from(g->origin), v3(x, y, z), g->cell_m);
}

// One in the middle of every cell with corners on both sides, drawn onto the surface.
static bool add_vertices(const shape *s, grid *g, body_mesh *mesh) {
    uint32_t room = 0;
    for (uint32_t z = 0; z + 1 < g->size[2]; z++)
        for (uint32_t y = 0; y + 1 < g->size[1]; y++)
            for (uint32_t x = 0; x + 1 < g->size[0]; x++) {
                uint32_t inside = 0;
                for (uint32_t k = 0; k < 8; k++)
                    inside += g->distances[corner(g, x + (k & 1), y + (k >> 1 & 1), z + (k >> 2))] < 0;
                if (inside == 0 || inside == 8) continue;
                if (mesh->vertex_count == room) {
                    room = room ? 2 * room : 4096;
                    body_vertex *more = realloc(mesh->vertices, room * sizeof *more);
                    if (!more) return false;
                    mesh->vertices = more;
                }
                vec3 p = place(g, (float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f);
                for (int i = 0; i < 4; i++) p = v3_mad(p, gradient(s, p), -distance_to(s, p));
                body_vertex v = {.hairy = 0};
                v3_store(v.position, p);
                v3_store(v.normal, gradient(s, p));
                bind_vertex(s, &v);
                g->vertex[corner(g, x, y, z)] = mesh->vertex_count;
                mesh->vertices[mesh->vertex_count++] = v;
            }
    return true;
}

// Two triangles around every edge of the grid that the surface crosses. Both sides are drawn, so their turn is free.
static bool add_faces(const grid *g, body_mesh *mesh) {
    mesh->indices = malloc(18 * (size_t)mesh->vertex_count * sizeof *mesh->indices + 1);
    if (!mesh->indices) return false;
    for (uint32_t z = 1; z + 1 < g->size[2]; z++)
        for (uint32_t y = 1; y + 1 < g->size[1]; y++)
            for (uint32_t x = 1; x + 1 < g->size[0]; x++)
                for (int axis = 0; axis < 3; axis++) {
                    uint32_t dx = axis == 0, dy = axis == 1, dz = axis == 2;
                    bool here = g->distances[corner(g, x, y, z)] < 0;
                    if (here == (g->distances[corner(g, x + dx, y + dy, z + dz)] < 0)) continue;
                    // The four cells around the edge, in order.
                    uint32_t ux = axis != 0, uy = axis == 0, wy = axis == 2, wz = axis != 2;
                    uint32_t quad[4] = {g->vertex[corner(g, x - ux, y - uy - wy, z - wz)],
                                        g->vertex[corner(g, x, y - wy, z - wz)], g->vertex[corner(g, x, y, z)],
                                        g->vertex[corner(g, x - ux, y - uy, z)]};
                    static const int ORDER[6] = {0, 1, 2, 0, 2, 3};
                    for (int i = 0; i < 6; i++) mesh->indices[mesh->index_count++] = quad[ORDER[i]];
                }
    return true;
}

// To the bones of the nearest colliders: the farther, the less, within centimetres.
static void bind_vertex(const shape *s, body_vertex *v) {
    const float reach = 0.015f;
    float shares[SCENE_BONE_COUNT] = {0}, nearest = FLT_MAX, outward[3], sum = 0;
    float away[SCENE_MAX_COLLIDERS];
    for (uint32_t i = 0; i < s->posed.collider_count; i++) {
        away[i] = scene_collider_distance(&s->posed.colliders[i], v->position, FLT_MAX, outward);
        nearest = scene_min(nearest, away[i]);
    }
    for (uint32_t i = 0; i < s->posed.collider_count; i++) {
        float *share = &shares[s->posed.colliders[i].bone];
        *share = scene_max(*share, expf((nearest - away[i]) / reach));
    }
    for (int k = 0; k < 4; k++) {
        uint32_t best = 0;
        for (uint32_t b = 1; b < SCENE_BONE_COUNT; b++)
            if (shares[b] > shares[best]) best = b;
        v->bones[k] = best;
        v->weights[k] = shares[best] > 0.01f ? shares[best] : 0;
        sum += v->weights[k];
        shares[best] = 0;
    }
    for (int k = 0; k < 4; k++) v->weights[k] /= sum;
}

// Skin is hairy near roots. Some thousand of them are enough to know where.
static bool grow_hair(const scene_groom *groom, body_mesh *mesh) {
    const float near = 0.006f, far = 0.014f;
    uint32_t step = groom->strand_count / 10000 + 1, count = 0;
    vec3 *roots = malloc((groom->strand_count / step + 1) * sizeof *roots);
    if (!roots) return false;
    float low[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    const float *root = groom->positions;
    for (uint32_t i = 0; i < groom->strand_count; root += 3 * (size_t)groom->vertex_counts[i], i++) {
        if (i % step) continue;
        roots[count++] = v3_from(root);
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = scene_min(low[axis], root[axis] - far);
            high[axis] = scene_max(high[axis], root[axis] + far);
        }
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        body_vertex *vertex = &mesh->vertices[v];
        bool reached = true;
        for (int axis = 0; axis < 3; axis++)
            reached = reached && vertex->position[axis] > low[axis] && vertex->position[axis] < high[axis];
        float nearest = far * far;
        for (uint32_t i = 0; reached && i < count; i++) {
            vec3 d = v3_sub(roots[i], v3_from(vertex->position));
            nearest = scene_min(nearest, v3_dot(d, d));
        }
        vertex->hairy = 1 - scene_smooth(near, far, sqrtf(nearest));
    }
    free(roots);
    return true;
}
