// See asset.h.
#include "asset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../plait/file_groom.h"
#include "../plait/fitted_head.h"
#include "scene_math.h"

enum { USUAL_GUIDES = 3000 };

static bool from_preset(const settings *s, uint64_t most_vertices, asset *a);
static bool from_file(const settings *s, uint64_t most_vertices, asset *a);
static bool take(const scene_groom *from, const uint32_t *chosen, uint32_t count, scene_groom *groom);
static bool shuffle(scene_groom *groom, uint32_t count);
static void measure(asset *a);

bool asset_make(const settings *s, uint64_t most_vertices, asset *a) {
    memset(a, 0, sizeof *a);
    printf("making %s\n", s->groom ? s->groom : "strands");
    fflush(stdout);
    if (!(s->groom ? from_file(s, most_vertices, a) : from_preset(s, most_vertices, a))) {
        asset_free(a);
        return false;
    }
    measure(a);
    return true;
}

void asset_free(asset *a) {
    scene_groom_free(&a->guides);
    scene_groom_free(&a->render);
    body_mesh_free(&a->skin);
    memset(a, 0, sizeof *a);
}

// Render strands are the same head of hair, only denser: the first of them lie on the guides.
static bool from_preset(const settings *s, uint64_t most_vertices, asset *a) {
    scene_preset preset;
    scene_preset_get(s->preset, s->strands ? s->strands : USUAL_GUIDES, 0, 1, &preset);
    snprintf(a->name, sizeof a->name, "%s", preset.name);
    a->shape = preset.shape;
    a->has_shape = true;
    scene_body_make(&preset.groom.scalp, &a->body);
    bool made = scene_groom_make(&preset.groom, &a->guides);
    uint64_t most = most_vertices / preset.groom.vertex_count;
    preset.groom.strand_count = s->render_strands < most ? s->render_strands : (uint32_t)most;
    if (preset.groom.strand_count < s->render_strands)
        fprintf(stderr, "--render-strands: the device's buffers hold %u of %u\n", preset.groom.strand_count,
                s->render_strands);
    preset.groom.fringe = 0.14f;          // no edge where hair begins
    scene_scalp scalp = {0.080f, 0.098f}; // the usual head, see scene.h
    made =
        made && scene_groom_make(&preset.groom, &a->render) && body_mesh_make(&a->body, &scalp, &a->render, &a->skin);
    if (!made) fprintf(stderr, "vulkan_host: --strands: out of memory\n");
    return made;
}

// Strands of the file are drawn; its guides are simulated, or strands that stand for all others.
static bool from_file(const settings *s, uint64_t most_vertices, asset *a) {
    file_groom_options options = {.meters_per_unit = s->scale,
                                  .strand_limit = s->strands,
                                  .render_limit = s->render_strands,
                                  .usual_guides = USUAL_GUIDES};
    file_groom file;
    char problem[256];
    float radius_m;
    if (!file_groom_read(s->groom, &options, &file, problem, sizeof problem)) {
        fprintf(stderr, "vulkan_host: --groom: %s: %s\n", s->groom, problem);
        return false;
    }
    a->guides = file.strands; // and owns both from now on
    a->render = file.render;
    memset(&file.strands, 0, sizeof file.strands);
    memset(&file.render, 0, sizeof file.render);
    file_groom_free(&file);
    const char *slash = strrchr(s->groom, '/');
    snprintf(a->name, sizeof a->name, "%s", slash ? slash + 1 : s->groom);
    uint64_t most = (uint64_t)a->render.strand_count * most_vertices / a->render.vertex_count;
    uint32_t count = a->render.strand_count < most ? a->render.strand_count : (uint32_t)most;
    if (!fitted_head_make(&a->render, &a->body, &radius_m)) printf("the roots do not lie around a head: no body\n");
    bool made = count > 0 && shuffle(&a->render, count) && body_mesh_make(&a->body, NULL, &a->render, &a->skin);
    if (!made) fprintf(stderr, "vulkan_host: --groom: %s: out of memory\n", s->groom);
    return made;
}

static bool take(const scene_groom *from, const uint32_t *chosen, uint32_t count, scene_groom *groom) {
    memset(groom, 0, sizeof *groom);
    uint32_t *counts = malloc(count * sizeof *counts), *begin = malloc(from->strand_count * sizeof *begin);
    bool made = counts && begin;
    for (uint32_t i = 0, at = 0; made && i < from->strand_count; at += from->vertex_counts[i++]) begin[i] = at;
    for (uint32_t i = 0; made && i < count; i++) counts[i] = from->vertex_counts[chosen[i]];
    made = made && scene_groom_allocate(count, counts, groom);
    if (made && from->radii) made = (groom->radii = malloc(groom->vertex_count * sizeof *groom->radii)) != NULL;
    if (made && from->held_counts) made = (groom->held_counts = malloc(count * sizeof *groom->held_counts)) != NULL;
    if (made && !from->root_normals) {
        free(groom->root_normals);
        groom->root_normals = NULL;
    }
    for (uint32_t i = 0, at = 0; made && i < count; at += counts[i++]) {
        uint32_t source = begin[chosen[i]];
        memcpy(groom->positions + 3 * (size_t)at, from->positions + 3 * (size_t)source, 3 * counts[i] * sizeof(float));
        if (from->radii) memcpy(groom->radii + at, from->radii + source, counts[i] * sizeof(float));
        if (from->held_counts) groom->held_counts[i] = from->held_counts[chosen[i]];
        if (from->root_normals)
            memcpy(groom->root_normals + 3 * (size_t)i, from->root_normals + 3 * (size_t)chosen[i], 3 * sizeof(float));
    }
    if (made)
        groom->group = from->group;
    else
        scene_groom_free(groom);
    free(counts);
    free(begin);
    return made;
}

// Level of detail draws the first strands only: their order must not be that of the scalp. Keeps count of them.
static bool shuffle(scene_groom *groom, uint32_t count) {
    uint32_t all = groom->strand_count, *order = malloc(all * sizeof *order);
    if (!order) return false;
    for (uint32_t i = 0; i < all; i++) order[i] = i;
    for (uint32_t i = 0; i + 1 < all; i++) {
        uint32_t other = i + (uint32_t)(scene_random(1, i, 0) * (float)(all - i)), kept = order[i];
        if (other >= all) other = all - 1;
        order[i] = order[other];
        order[other] = kept;
    }
    scene_groom mixed;
    bool made = take(groom, order, count, &mixed);
    free(order);
    if (!made) return false;
    scene_groom_free(groom);
    *groom = mixed;
    return true;
}

static void measure(asset *a) {
    float center[3], most = 0;
    scene_head_center(center);
    for (int axis = 0; axis < 3; axis++) a->low[axis] = a->high[axis] = a->render.positions[axis];
    for (uint32_t v = 0; v < a->render.vertex_count; v++) {
        const float *p = a->render.positions + 3 * (size_t)v;
        vec3 d = v3_sub(v3_from(p), v3_from(center));
        most = scene_max(most, v3_dot(d, d));
        for (int axis = 0; axis < 3; axis++) {
            a->low[axis] = scene_min(a->low[axis], p[axis]);
            a->high[axis] = scene_max(a->high[axis], p[axis]);
        }
    }
    a->reach_m = sqrtf(most);
}
