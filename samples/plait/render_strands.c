// See render_strands.h.
#include "render_strands.h"

static bool bind(const host *h, plait_groom guides, plait_groom render) {
    plait_binding_desc desc = PLAIT_BINDING_DESC_INIT;
    plait_binding binding;
    desc.guides = guides;
    desc.render = render;
    if (!host_check(plait_binding_create(h->context, &desc, &binding), "plait_binding_create")) return false;
    bool bound = host_check(plait_hair_set_binding(h->hair, binding), "plait_hair_set_binding");
    return host_check(plait_binding_destroy(binding), "plait_binding_destroy") && bound; // the hair keeps it
}

static bool set_output(const host *h, uint32_t vertices, float *positions) {
    host_output output;
    host_describe_output(vertices, 3, positions, &output);
    return host_check(plait_hair_set_render_output(h->hair, &output.desc), "plait_hair_set_render_output");
}

bool render_strands_bind(const host *h, const host_hair *hair, const scene_groom *render, float *positions) {
    plait_groom_desc guides_desc = PLAIT_GROOM_DESC_INIT, render_desc = PLAIT_GROOM_DESC_INIT;
    plait_groom a = {0}, b = {0};
    scene_groom_describe(hair->groom, &guides_desc);
    scene_groom_describe(render, &render_desc);
    if (hair->bone_count) { // the very groom of the hair, see host_grow
        guides_desc.bone_count = render_desc.bone_count = hair->bone_count;
        guides_desc.bind_pose = render_desc.bind_pose = hair->bind_pose;
    }
    bool done = host_check(plait_groom_create(h->context, &guides_desc, &a), "plait_groom_create") &&
                host_check(plait_groom_create(h->context, &render_desc, &b), "plait_groom_create") && bind(h, a, b) &&
                set_output(h, render->vertex_count, positions);
    if (a.id) plait_groom_destroy(a);
    if (b.id) plait_groom_destroy(b);
    return done;
}
