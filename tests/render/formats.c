// 16-bit formats of render strands: what a host decodes is what it would have got as floats.
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRANDS = 300, VERTICES = 19, STRIDE = 20 };

// A half float by its definition (IEEE 754: 5 bits of exponent, 10 of fraction).
static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits & 0x8000 ? -size : size;
}

// The half float that is nearest to a number up to 1; of two, the even one.
static uint16_t nearest_half(float x) {
    const double size = fabs((double)x);
    uint16_t low = 0, high = 0x3c00; // they are in the order of their bits
    while (high - low > 1) {
        uint16_t middle = (uint16_t)((low + high) / 2);
        if (half_value(middle) <= size)
            low = middle;
        else
            high = middle;
    }
    const double below = size - half_value(low), above = half_value(high) - size;
    uint16_t best = below < above || (!(above < below) && low % 2 == 0) ? low : high;
    return (uint16_t)(best | (signbit(x) ? 0x8000 : 0));
}

// Positions of 16 bits at 0, tangents at 8, and 4 bytes of the host's own.
static void set_packed(const struct strands *s, unsigned char *memory) {
    plait_output_attribute attributes[2] = {PLAIT_OUTPUT_ATTRIBUTE_INIT, PLAIT_OUTPUT_ATTRIBUTE_INIT};
    attributes[0].attribute = PLAIT_ATTRIBUTE_POSITION;
    attributes[0].format = PLAIT_FORMAT_UNORM16X4;
    attributes[1].attribute = PLAIT_ATTRIBUTE_TANGENT;
    attributes[1].format = PLAIT_FORMAT_FLOAT16X4;
    attributes[1].offset = 8;
    attributes[0].stride = attributes[1].stride = STRIDE;
    plait_output_desc desc = PLAIT_OUTPUT_DESC_INIT;
    desc.attribute_count = 2;
    desc.attributes = attributes;
    desc.memory = memory;
    desc.size = (uint64_t)s->vertex_count * STRIDE;
    memset(memory, 77, desc.size);
    assert_ok(plait_hair_set_render_output(s->rig.hair, &desc));
}

static void set_floats(const struct strands *s, float *memory) {
    plait_output_attribute attributes[2] = {PLAIT_OUTPUT_ATTRIBUTE_INIT, PLAIT_OUTPUT_ATTRIBUTE_INIT};
    for (uint32_t i = 0; i < 2; i++) {
        attributes[i].attribute = PLAIT_ATTRIBUTE_POSITION + i;
        attributes[i].format = PLAIT_FORMAT_FLOAT32X4;
        attributes[i].offset = 16 * i;
        attributes[i].stride = 32;
    }
    plait_output_desc desc = PLAIT_OUTPUT_DESC_INIT;
    desc.attribute_count = 2;
    desc.attributes = attributes;
    desc.memory = memory;
    desc.size = (uint64_t)s->vertex_count * 32;
    assert_ok(plait_hair_set_render_output(s->rig.hair, &desc));
}

// Both ways of one moment: time stands still in between. exact: tangents are to the bit, of the same device.
static void compare(struct strands *s, unsigned char *packed, float *floats, const char *what) {
    set_floats(s, floats);
    strands_refresh(s);
    set_packed(s, packed);
    strands_refresh(s);
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    assert_ok(plait_hair_query(s->rig.hair, &info));
    double worst = 0, size = 0, off_radius = 0;
    for (int c = 0; c < 3; c++) {
        size = fmax(size, (double)info.render_box_max[c] - (double)info.render_box_min[c]);
        assert_true(info.render_box_min[c] < info.render_bounds_min[c]);
        assert_true(info.render_box_max[c] > info.render_bounds_max[c]);
    }
    for (uint32_t v = 0; v < info.render_strand_count * VERTICES; v++) {
        uint16_t words[8], own[2];
        const float *f = floats + 8 * (size_t)v;
        memcpy(words, packed + (size_t)v * STRIDE, sizeof words);
        memcpy(own, packed + (size_t)v * STRIDE + 16, sizeof own);
        assert_true(own[0] == 0x4d4d && own[1] == 0x4d4d);
        for (int c = 0; c < 3; c++) {
            assert_in_range(words[c], 1, 65534);
            double low = (double)info.render_box_min[c], high = (double)info.render_box_max[c];
            worst = fmax(worst, fabs(low + (high - low) * words[c] / 65535.0 - (double)f[c]));
            assert_int_equal(words[4 + c], nearest_half(f[4 + c]));
        }
        off_radius = fmax(off_radius, fabs((double)info.render_max_radius * words[3] / 65535.0 - (double)f[3]));
        assert_int_equal(words[7], 0);
    }
    printf("%s: a box of %.2f, off by %.1e, in steps of %.1e\n", what, size, worst, size / 65535);
    assert_true(worst <= 0.5 * size / 65535 + 2e-7 * size + 3e-7);
    assert_true(off_radius <= 0.501 * (double)info.render_max_radius / 65535);
}

static void hosts_decode_what_floats_say(void **state) {
    (void)state;
    static const struct {
        uint32_t backend, set;
        const char *name;
    } places[] = {{PLAIT_BACKEND_CPU, PLAIT_CPU_SCALAR, "scalar"},
                  {PLAIT_BACKEND_CPU, PLAIT_CPU_SSE2, "sse2"},
                  {PLAIT_BACKEND_CPU, PLAIT_CPU_AVX2, "avx2"},
                  {PLAIT_BACKEND_CPU, PLAIT_CPU_AVX512, "avx512"},
                  {PLAIT_BACKEND_CPU, PLAIT_CPU_NEON, "neon"},
                  {PLAIT_BACKEND_VULKAN, 0, "vulkan"},
                  {PLAIT_BACKEND_CUDA, 0, "cuda"}};
    struct head head;
    head_make(&head, "2b", 60, 20, STRANDS, VERTICES);
    struct strands_options options = strands_options(&head);
    options.rig.quiet = true;
    struct strands s = strands_open(&options);
    unsigned char *packed = malloc((size_t)s.vertex_count * STRIDE), *first = NULL;
    float *floats = malloc((size_t)s.vertex_count * 32);
    strands_dance(&s, SCENE_MOTION_DANCE, 0, 20);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
        plait_device_cpu_desc cpu = PLAIT_DEVICE_CPU_DESC_INIT;
        plait_device device;
        desc.backend = places[i].backend;
        cpu.instruction_set = places[i].set;
        if (places[i].backend == PLAIT_BACKEND_CPU) desc.head.next = &cpu;
        if (plait_device_open(s.rig.context, &desc, &device) != PLAIT_OK) continue;
        assert_ok(plait_hair_set_device(s.rig.hair, device));
        assert_ok(plait_device_close(device));
        compare(&s, packed, floats, places[i].name);
        if (!first) {
            first = malloc((size_t)s.vertex_count * STRIDE);
            memcpy(first, packed, (size_t)s.vertex_count * STRIDE);
        }
        if (places[i].backend == PLAIT_BACKEND_CPU) assert_memory_equal(packed, first, (size_t)s.vertex_count * STRIDE);
    }
    free(packed);
    free(first);
    free(floats);
    strands_close(&s);
    head_free(&head);
}

// Whatever strands do, they are within the box: in violent motion, styled, cut and thinned out, far from the origin, and with bones
// that scale.
static void no_strand_leaves_the_box(void **state) {
    (void)state;
    struct head head;
    head_make(&head, "3a", 60, 20, STRANDS, VERTICES);
    struct strands_options options = strands_options(&head);
    struct strands s = strands_open(&options);
    unsigned char *packed = malloc((size_t)s.vertex_count * STRIDE);
    float *floats = malloc((size_t)s.vertex_count * 32);
    for (int f = 0; f < 60; f += 10) {
        strands_dance(&s, SCENE_MOTION_VIOLENT, f, 10);
        compare(&s, packed, floats, "violent");
    }
    plait_render_style style = PLAIT_RENDER_STYLE_INIT;
    assert_ok(plait_render_style_default(&style));
    style.scatter = 0.1f;
    style.clump = 1;
    style.clump_size = 0.05f;
    style.curl_radius = 0.05f;
    style.curl_pitch = 0.1f;
    style.frizz = 0.05f;
    style.frizz_length = 0.1f;
    style.width_tip = 3;
    assert_ok(plait_hair_set_render_styles(s.rig.hair, 1, &style));
    compare(&s, packed, floats, "styled");
    plait_render_params params = PLAIT_RENDER_PARAMS_INIT;
    assert_ok(plait_render_params_default(&params));
    params.strand_fraction = 0.4f;
    params.vertex_fraction = 0.6f;
    params.width_root = 2;
    assert_ok(plait_hair_set_render_params(s.rig.hair, &params));
    compare(&s, packed, floats, "thinned out");
    assert_ok(plait_render_params_default(&params));
    assert_ok(plait_hair_set_render_params(s.rig.hair, &params));
    float bones[SCENE_BONE_COUNT][12];
    scene_motion_pose(SCENE_MOTION_DANCE, 1, 1, bones);
    for (int b = 0; b < SCENE_BONE_COUNT; b++)
        for (int i = 0; i < 12; i++) bones[b][i] = i % 4 == 3 ? bones[b][i] * 1.5f + 20 : bones[b][i] * 1.5f;
    assert_ok(plait_hair_teleport(s.rig.hair, SCENE_BONE_COUNT, bones[0]));
    compare(&s, packed, floats, "larger, and far away");
    free(packed);
    free(floats);
    strands_close(&s);
    head_free(&head);
}

static void formats_are_only_for_what_they_can_hold(void **state) {
    (void)state;
    struct head head;
    head_make(&head, "1b", 20, 12, 40, 9);
    struct strands_options options = strands_options(&head);
    options.rig.quiet = true;
    struct strands s = strands_open(&options);
    static const struct {
        uint32_t attribute, format;
    } wrong[] = {{PLAIT_ATTRIBUTE_PREVIOUS_POSITION, PLAIT_FORMAT_UNORM16X4},
                 {PLAIT_ATTRIBUTE_TANGENT, PLAIT_FORMAT_UNORM16X4},
                 {PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT16X4},
                 {PLAIT_ATTRIBUTE_PREVIOUS_POSITION, PLAIT_FORMAT_FLOAT16X4},
                 {PLAIT_ATTRIBUTE_POSITION, 5},
                 {PLAIT_ATTRIBUTE_POSITION, 0}};
    plait_output_attribute attribute;
    plait_output_desc desc;
    strands_describe(s.vertex_count, s.output, &attribute, &desc);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        attribute.attribute = wrong[i].attribute;
        attribute.format = wrong[i].format;
        assert_int_equal(plait_hair_set_render_output(s.rig.hair, &desc), PLAIT_ERROR_INVALID_ARGUMENT);
    }
    attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
    attribute.format = PLAIT_FORMAT_UNORM16X4;
    assert_int_equal(plait_hair_set_output(s.rig.hair, &desc), PLAIT_ERROR_INVALID_ARGUMENT); // of guides
    assert_int_equal(plait_hair_read(s.rig.hair, &desc), PLAIT_ERROR_INVALID_ARGUMENT);
    attribute.stride = 4;
    assert_int_equal(plait_hair_set_render_output(s.rig.hair, &desc), PLAIT_ERROR_INVALID_ARGUMENT);
    attribute.stride = 8;
    desc.size = (uint64_t)s.vertex_count * 8 - 1;
    assert_int_equal(plait_hair_set_render_output(s.rig.hair, &desc), PLAIT_ERROR_BUFFER_TOO_SMALL);
    desc.size += 1;
    assert_ok(plait_hair_set_render_output(s.rig.hair, &desc));
    strands_refresh(&s);
    strands_close(&s);
    head_free(&head);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_decode_what_floats_say),
        cmocka_unit_test(no_strand_leaves_the_box),
        cmocka_unit_test(formats_are_only_for_what_they_can_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
