#include "fixture.h"

#include <stdlib.h>
#include <string.h>

void head_make(struct head *head, const char *name, uint32_t guides, uint32_t guide_vertices, uint32_t strands,
               uint32_t render_vertices) {
    scene_preset preset;
    assert_true(scene_preset_get(scene_preset_find(name), guides, guide_vertices, 1, &preset));
    assert_true(scene_groom_make(&preset.groom, &head->guides));
    assert_true(scene_preset_get(scene_preset_find(name), strands, render_vertices, 2, &preset));
    assert_true(scene_groom_make(&preset.groom, &head->render));
    head->guides_desc = head->render_desc = (plait_groom_desc)PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(&head->guides, &head->guides_desc);
    scene_groom_describe(&head->render, &head->render_desc);
}

void head_free(struct head *head) {
    scene_groom_free(&head->guides);
    scene_groom_free(&head->render);
}

struct strands_options strands_options(const struct head *head) {
    return (struct strands_options){
        .rig = rig_options(&head->guides_desc), .render = &head->render_desc, .binding = PLAIT_BINDING_DESC_INIT};
}

void strands_describe(uint32_t vertices, void *memory, plait_output_attribute *attribute, plait_output_desc *desc) {
    *attribute = (plait_output_attribute)PLAIT_OUTPUT_ATTRIBUTE_INIT;
    attribute->attribute = PLAIT_ATTRIBUTE_POSITION;
    attribute->format = PLAIT_FORMAT_FLOAT32X4;
    attribute->stride = 16;
    *desc = (plait_output_desc)PLAIT_OUTPUT_DESC_INIT;
    desc->attribute_count = 1;
    desc->attributes = attribute;
    desc->memory = memory;
    desc->size = (uint64_t)vertices * 16;
}

struct strands strands_open(const struct strands_options *options) {
    struct strands s = {.rig = rig_open(&options->rig)};
    assert_ok(plait_groom_create(s.rig.context, options->render, &s.render));
    plait_binding_desc desc = options->binding;
    desc.guides = s.rig.groom;
    desc.render = s.render;
    assert_ok(plait_binding_create(s.rig.context, &desc, &s.binding));
    assert_ok(plait_hair_set_binding(s.rig.hair, s.binding));
    plait_groom_info info = PLAIT_GROOM_INFO_INIT;
    assert_ok(plait_groom_query(s.render, &info));
    s.strand_count = info.strand_count;
    s.vertex_count = info.vertex_count;
    s.output = aligned_alloc(64, ((size_t)info.vertex_count * 16 + 63) / 64 * 64);
    assert_non_null(s.output);
    plait_output_attribute attribute;
    plait_output_desc output;
    strands_describe(info.vertex_count, s.output, &attribute, &output);
    assert_ok(plait_hair_set_render_output(s.rig.hair, &output));
    return s;
}

void strands_close(struct strands *s) {
    assert_ok(plait_groom_destroy(s->render));
    assert_ok(plait_binding_destroy(s->binding));
    rig_close(&s->rig);
    free(s->output);
}

void strands_dance(struct strands *s, scene_motion motion, int first, int frames) {
    float bones[SCENE_BONE_COUNT][12];
    for (int f = first; f < first + frames; f++) {
        scene_motion_pose(motion, (f + 1) / 60.0, 1, bones);
        rig_step(&s->rig, 1.0f / 60, bones[0], true);
    }
    assert_ok(plait_hair_wait(s->rig.hair, UINT64_MAX));
}

void strands_refresh(struct strands *s) {
    rig_step(&s->rig, 0, NULL, true);
    assert_ok(plait_hair_wait(s->rig.hair, UINT64_MAX));
}

bool strands_open_device(const struct strands *s, uint32_t backend, plait_device *device) {
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_device_cpu_desc scalar = PLAIT_DEVICE_CPU_DESC_INIT;
    desc.backend = backend;
    scalar.instruction_set = PLAIT_CPU_SCALAR;
    if (backend == PLAIT_BACKEND_CPU) desc.head.next = &scalar;
    return plait_device_open(s->rig.context, &desc, device) != PLAIT_ERROR_UNAVAILABLE;
}
