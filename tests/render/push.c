// Render strands and colliders: guides go around these, and what is between guides is pushed out.
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUIDES = 2, GUIDE_VERTICES = 16, STRANDS = 60, VERTICES = 24 };

// Two curtains of straight strands with a capsule between them, which cuts most of the render strands.
struct curtain {
    struct head head;
    uint32_t counts[GUIDES + STRANDS];
    float guides[GUIDES * GUIDE_VERTICES * 3], render[STRANDS * VERTICES * 3];
    plait_collider colliders[2];
    plait_body_desc body;
};

static void fill_strand(float *points, uint32_t vertices, float x) {
    for (uint32_t v = 0; v < vertices; v++) {
        points[3 * v] = x;
        points[3 * v + 1] = -0.3f * (float)v / (float)(vertices - 1);
        points[3 * v + 2] = 0.02f;
    }
}

static void curtain_make(struct curtain *c) {
    memset(c, 0, sizeof *c);
    for (uint32_t i = 0; i < GUIDES + STRANDS; i++) c->counts[i] = i < GUIDES ? GUIDE_VERTICES : VERTICES;
    for (uint32_t g = 0; g < GUIDES; g++)
        fill_strand(c->guides + g * GUIDE_VERTICES * 3, GUIDE_VERTICES, g ? 0.1f : -0.1f);
    for (uint32_t s = 0; s < STRANDS; s++)
        fill_strand(c->render + s * VERTICES * 3, VERTICES, -0.1f + 0.2f * (float)s / (STRANDS - 1));
    plait_groom_desc *g = &c->head.guides_desc, *r = &c->head.render_desc;
    *g = *r = (plait_groom_desc)PLAIT_GROOM_DESC_INIT;
    g->strand_count = GUIDES;
    r->strand_count = STRANDS;
    g->bone_count = r->bone_count = 1;
    g->vertex_counts = c->counts;
    r->vertex_counts = c->counts + GUIDES;
    g->positions = c->guides;
    r->positions = c->render;
    c->colliders[0] = c->colliders[1] = (plait_collider)PLAIT_COLLIDER_INIT;
    c->colliders[0].kind = PLAIT_COLLIDER_CAPSULE;
    c->colliders[0].points[0][1] = -0.12f;
    c->colliders[0].points[1][1] = -0.22f;
    c->colliders[0].radii[0] = 0.05f;
    c->colliders[0].radii[1] = 0.03f;
    c->colliders[1].kind = PLAIT_COLLIDER_SPHERE;
    c->colliders[1].points[0][0] = 0.04f;
    c->colliders[1].points[0][1] = -0.16f;
    c->colliders[1].radii[0] = 0.03f;
    c->body = (plait_body_desc)PLAIT_BODY_DESC_INIT;
    c->body.bone_count = 1;
    c->body.collider_count = 2;
    c->body.colliders = c->colliders;
}

// How far outside of a collider a point is: of all spheres along its axis, the nearest one.
static double outside_of(const plait_collider *c, const float *p, const double shift[3]) {
    double least = INFINITY;
    const int steps = c->kind == PLAIT_COLLIDER_CAPSULE ? 2000 : 0;
    for (int i = 0; i <= steps; i++) {
        double t = steps ? (double)i / steps : 0, size = 0;
        for (int k = 0; k < 3; k++) {
            double to = steps ? (double)c->points[1][k] : (double)c->points[0][k];
            double at = (double)c->points[0][k] + t * (to - (double)c->points[0][k]) + shift[k];
            size += (p[k] - at) * (p[k] - at);
        }
        double radius = (double)c->radii[0] + (steps ? t * ((double)c->radii[1] - (double)c->radii[0]) : 0);
        least = fmin(least, sqrt(size) - radius);
    }
    return least;
}

static void set_flags(struct strands *s, uint32_t flags) {
    plait_render_params params = PLAIT_RENDER_PARAMS_INIT;
    assert_ok(plait_render_params_default(&params));
    params.flags = flags;
    assert_ok(plait_hair_set_render_params(s->rig.hair, &params));
}

// Vertices behind the first eighth that are deeper in one of the first `count` colliders than rounding; deepest: how deep, m.
static uint32_t count_inside(const struct curtain *c, const float *output, uint32_t count, const double shift[3],
                             double *deepest) {
    uint32_t inside = 0;
    *deepest = 0;
    for (uint32_t v = 0; v < STRANDS * VERTICES; v++)
        for (uint32_t i = 0; i < count && v % VERTICES >= 3; i++) {
            double depth = (double)output[4 * v + 3] - outside_of(&c->colliders[i], output + 4 * v, shift);
            inside += depth > 2e-6;
            *deepest = fmax(*deepest, depth);
        }
    return inside;
}

static struct strands open_curtain(struct curtain *c, uint32_t instruction_set) {
    struct strands_options options = strands_options(&c->head);
    options.rig.body = &c->body;
    options.rig.instruction_set = instruction_set;
    options.rig.quiet = true;
    return strands_open(&options);
}

static const double STILL[3] = {0, 0, 0};

static void strands_are_pushed_to_the_surface_and_no_farther(void **state) {
    (void)state;
    struct curtain c;
    curtain_make(&c);
    c.body.collider_count = 1;
    struct strands s = open_curtain(&c, 0);
    double deepest;
    strands_refresh(&s);
    float *plain = malloc((size_t)s.vertex_count * 16);
    memcpy(plain, s.output, (size_t)s.vertex_count * 16);
    uint32_t cut = count_inside(&c, s.output, 1, STILL, &deepest);
    assert_true(cut > 100 && deepest > 0.02);
    set_flags(&s, PLAIT_RENDER_PUSH_OUT);
    strands_refresh(&s);
    assert_int_equal(count_inside(&c, s.output, 1, STILL, &deepest), 0);
    printf("%u vertices were inside, now none is deeper than %.1e m\n", cut, deepest);
    for (uint32_t v = 0; v < s.vertex_count; v++) {
        const float *now = s.output + 4 * v, *was = plain + 4 * v;
        if (v % VERTICES == 0) assert_memory_equal(now, was, 16);
        double depth = (double)was[3] - outside_of(&c.colliders[0], was, STILL);
        if (depth < -1e-6) assert_memory_equal(now, was, 16); // what was outside stays
        if (depth > 0) assert_true(distance3(now, was) < depth + 3e-6);
    }
    set_flags(&s, 0);
    strands_refresh(&s);
    assert_memory_equal(s.output, plain, (size_t)s.vertex_count * 16);
    free(plain);
    strands_close(&s);
}

// Two that overlap; one that the frame switches off; and a body that comes later, with more of them.
static void all_colliders_of_the_frame_push(void **state) {
    (void)state;
    struct curtain c;
    curtain_make(&c);
    struct strands s = open_curtain(&c, 0);
    double deepest, of_one;
    set_flags(&s, PLAIT_RENDER_PUSH_OUT);
    strands_refresh(&s);
    count_inside(&c, s.output, 2, STILL, &deepest);
    assert_true(deepest < 5e-4); // out of one may lead a bit into the other
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    const uint32_t first_only = 1;
    frame.colliders_enabled = &first_only;
    frame.colliders_enabled_words = 1;
    assert_ok(plait_hair_step(s.rig.hair, &frame));
    assert_int_equal(count_inside(&c, s.output, 1, STILL, &of_one), 0);
    count_inside(&c, s.output, 2, STILL, &deepest);
    assert_true(deepest > 0.005);
    assert_ok(plait_hair_set_body(s.rig.hair, (plait_body){0}));
    strands_refresh(&s);
    count_inside(&c, s.output, 1, STILL, &deepest);
    assert_true(deepest > 0.02);
    assert_ok(plait_hair_set_body(s.rig.hair, s.rig.body));
    strands_refresh(&s);
    count_inside(&c, s.output, 2, STILL, &deepest);
    assert_true(deepest < 5e-4);
    strands_close(&s);
}

// A bone carries strands and colliders by 10 cm in a frame of no time; previous positions are those of the last frame, to rounding.
static void previous_positions_were_pushed_then(void **state) {
    (void)state;
    struct curtain c;
    curtain_make(&c);
    struct strands s = open_curtain(&c, 0);
    set_flags(&s, PLAIT_RENDER_PUSH_OUT);
    float *memory = calloc(s.vertex_count, 32), *last = calloc(s.vertex_count, 32);
    plait_output_attribute attributes[2] = {PLAIT_OUTPUT_ATTRIBUTE_INIT, PLAIT_OUTPUT_ATTRIBUTE_INIT};
    for (uint32_t i = 0; i < 2; i++) {
        attributes[i].attribute = i ? PLAIT_ATTRIBUTE_PREVIOUS_POSITION : PLAIT_ATTRIBUTE_POSITION;
        attributes[i].format = PLAIT_FORMAT_FLOAT32X4;
        attributes[i].offset = 16 * i;
        attributes[i].stride = 32;
    }
    plait_output_desc desc = PLAIT_OUTPUT_DESC_INIT;
    desc.attribute_count = 2;
    desc.attributes = attributes;
    desc.memory = memory;
    desc.size = (uint64_t)s.vertex_count * 32;
    assert_ok(plait_hair_set_render_output(s.rig.hair, &desc));
    for (int f = 0; f < 4; f++) {
        float bone[12];
        memcpy(last, memory, (size_t)s.vertex_count * 32);
        bone_make(bone, (float[3]){0, 1, 0}, 0.3 * f, (float[3]){0.1f * (float)f, 0, 0});
        rig_step(&s.rig, 0, bone, true);
        for (uint32_t v = 0; v < s.vertex_count && f > 0; v++)
            assert_true(distance3(memory + 8 * v + 4, last + 8 * v) < 1e-6);
    }
    free(memory);
    free(last);
    strands_close(&s);
}

static void devices_agree(void **state) {
    (void)state;
    static const uint32_t sets[] = {PLAIT_CPU_SCALAR, PLAIT_CPU_SSE2, PLAIT_CPU_AVX2, PLAIT_CPU_AVX512, PLAIT_CPU_NEON};
    struct curtain c;
    curtain_make(&c);
    float *first = NULL;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if (!rig_has_instruction_set(sets[i])) continue;
        struct strands s = open_curtain(&c, sets[i]);
        set_flags(&s, PLAIT_RENDER_PUSH_OUT);
        strands_refresh(&s);
        const size_t size = (size_t)s.vertex_count * 16;
        if (!first) {
            first = malloc(size);
            memcpy(first, s.output, size);
        }
        assert_memory_equal(s.output, first, size);
        plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
        plait_device device;
        desc.backend = PLAIT_BACKEND_VULKAN;
        if (plait_device_open(s.rig.context, &desc, &device) == PLAIT_OK) { // and takes it along
            assert_ok(plait_hair_set_device(s.rig.hair, device));
            assert_ok(plait_device_close(device));
            memset(s.output, 0, size);
            strands_refresh(&s);
            double worst = 0;
            for (uint32_t v = 0; v < s.vertex_count; v++)
                worst = fmax(worst, distance3(s.output + 4 * v, first + 4 * v));
            printf("vulkan: off by %.1e m at most\n", worst);
            assert_true(worst < 2e-6);
        }
        strands_close(&s);
    }
    free(first);
}

static void unknown_flags_are_refused(void **state) {
    (void)state;
    struct curtain c;
    curtain_make(&c);
    struct strands s = open_curtain(&c, 0);
    plait_render_params params = PLAIT_RENDER_PARAMS_INIT;
    assert_ok(plait_render_params_default(&params));
    params.flags = 2;
    assert_int_equal(plait_hair_set_render_params(s.rig.hair, &params), PLAIT_ERROR_INVALID_ARGUMENT);
    strands_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strands_are_pushed_to_the_surface_and_no_farther),
        cmocka_unit_test(all_colliders_of_the_frame_push),
        cmocka_unit_test(previous_positions_were_pushed_then),
        cmocka_unit_test(devices_agree),
        cmocka_unit_test(unknown_flags_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
