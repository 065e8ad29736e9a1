// See dense.h.
#include "dense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct head {
    host host;
    plait_groom render, guides;
    plait_binding binding;
    float *output;
} head;

static bool set_output(plait_hair hair, uint32_t vertices, float *memory, bool render) {
    host_output output;
    host_describe_output(vertices, 3, memory, &output);
    return host_check(render ? plait_hair_set_render_output(hair, &output.desc)
                             : plait_hair_set_output(hair, &output.desc),
                      "plait_hair_set_output");
}

// All strands simulated, or the first `guides` with the rest bound to them.
static bool open_head(const dense_options *o, const scene_groom *all, uint32_t guides, head *h) {
    host_options where = {o->backend, PLAIT_CPU_AUTO, 0};
    scene_groom some = *all;
    some.strand_count = guides;
    some.vertex_count = guides * all->vertex_counts[0];
    host_hair hair = {.groom = &some, .solver = PLAIT_SOLVER_HYBRID};
    h->output = malloc((size_t)all->vertex_count * 3 * sizeof *h->output);
    if (!h->output || !host_open(&where, &h->host) || !host_grow(&h->host, &hair)) return false;
    if (guides == all->strand_count) return set_output(h->host.hair, all->vertex_count, h->output, false);
    plait_groom_desc guides_desc = PLAIT_GROOM_DESC_INIT, render_desc = PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(&some, &guides_desc);
    scene_groom_describe(all, &render_desc);
    plait_binding_desc binding = PLAIT_BINDING_DESC_INIT;
    plait_render_params params = PLAIT_RENDER_PARAMS_INIT;
    if (!host_check(plait_groom_create(h->host.context, &guides_desc, &h->guides), "plait_groom_create") ||
        !host_check(plait_groom_create(h->host.context, &render_desc, &h->render), "plait_groom_create") ||
        !host_check(plait_render_params_default(&params), "plait_render_params_default"))
        return false;
    binding.guides = h->guides;
    binding.render = h->render;
    params.single_root = o->single_root;
    params.single_tip = o->single_tip;
    return host_check(plait_binding_create(h->host.context, &binding, &h->binding), "plait_binding_create") &&
           host_check(plait_hair_set_binding(h->host.hair, h->binding), "plait_hair_set_binding") &&
           host_check(plait_hair_set_render_params(h->host.hair, &params), "plait_hair_set_render_params") &&
           set_output(h->host.hair, all->vertex_count, h->output, true);
}

static void close_head(head *h) {
    if (h->binding.id) plait_binding_destroy(h->binding);
    if (h->guides.id) plait_groom_destroy(h->guides);
    if (h->render.id) plait_groom_destroy(h->render);
    host_close(&h->host);
    free(h->output);
}

static bool step(head *h, uint32_t frame) {
    float bones[SCENE_BONE_COUNT][12];
    plait_frame_desc desc = PLAIT_FRAME_DESC_INIT;
    scene_motion_pose(SCENE_MOTION_DANCE, (frame + 1) / 60.0, 1, bones);
    desc.dt = 1.0f / 60;
    desc.bones = bones[0];
    desc.bone_count = SCENE_BONE_COUNT;
    desc.gravity[1] = -9.81f;
    return host_check(plait_hair_step(h->host.hair, &desc), "plait_hair_step") &&
           host_check(plait_hair_wait(h->host.hair, UINT64_MAX), "plait_hair_wait");
}

static double mean_length(const scene_groom *groom) {
    double sum = 0;
    for (uint32_t s = 0, at = 0; s < groom->strand_count; at += groom->vertex_counts[s++])
        for (uint32_t v = at + 1; v < at + groom->vertex_counts[s]; v++) {
            const float *p = groom->positions + 3 * (size_t)v;
            sum += sqrt(pow(p[0] - p[-3], 2) + pow(p[1] - p[-2], 2) + pow(p[2] - p[-1], 2));
        }
    return sum / groom->strand_count;
}

bool dense_error(const dense_options *o, double *percent) {
    scene_preset preset;
    scene_groom all;
    head truth = {0}, follower = {0};
    if (!scene_preset_get(scene_preset_find(o->preset), o->strands, 0, 1, &preset) ||
        !scene_groom_make(&preset.groom, &all))
        return false;
    bool measured = open_head(o, &all, o->strands, &truth) && open_head(o, &all, o->guides, &follower);
    double sum = 0, count = 0;
    const size_t first = 3 * (size_t)o->guides * all.vertex_counts[0];
    for (uint32_t f = 0; f < o->frames && measured; f++) {
        measured = step(&truth, f) && step(&follower, f);
        for (size_t i = first; i < 3 * (size_t)all.vertex_count && measured && 2 * f >= o->frames; i++) {
            double off = (double)truth.output[i] - follower.output[i];
            sum += off * off;
            count += 1.0 / 3;
        }
    }
    if (measured) *percent = 100 * sqrt(sum / count) / mean_length(&all);
    close_head(&truth);
    close_head(&follower);
    scene_groom_free(&all);
    return measured;
}
