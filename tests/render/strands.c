// Render strands: where they are, against a reference and against what must hold exactly.
#include "fixture.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void transform(const float m[12], const float *p, double out[3]) {
    for (int r = 0; r < 3; r++)
        out[r] = (double)m[4 * r] * p[0] + (double)m[4 * r + 1] * p[1] + (double)m[4 * r + 2] * p[2] + m[4 * r + 3];
}

static double distance(const float *a, const double *b) {
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

// The head's bone over its bind pose.
static void head_matrix(const struct head *head, double time_s, float m[12]) {
    float bones[SCENE_BONE_COUNT][12];
    scene_motion_pose(SCENE_MOTION_DANCE, time_s, 1, bones);
    const float *b = head->guides.bind_pose[SCENE_BONE_HEAD], *n = bones[SCENE_BONE_HEAD];
    for (int i = 0; i < 3; i++) { // both are rotations and shifts
        for (int j = 0; j < 3; j++)
            m[4 * i + j] = n[4 * i] * b[4 * j] + n[4 * i + 1] * b[4 * j + 1] + n[4 * i + 2] * b[4 * j + 2];
        m[4 * i + 3] = n[4 * i + 3] - (m[4 * i] * b[3] + m[4 * i + 1] * b[7] + m[4 * i + 2] * b[11]);
    }
}

static void compare_with_reference(const char *preset, uint32_t guide_count, float single_root, float single_tip) {
    struct head head;
    head_make(&head, preset, 150, 24, 400, 17);
    struct strands_options options = strands_options(&head);
    options.binding.guide_count = guide_count;
    struct strands s = strands_open(&options);
    plait_render_params params = PLAIT_RENDER_PARAMS_INIT;
    assert_ok(plait_render_params_default(&params));
    params.single_root = single_root;
    params.single_tip = single_tip;
    assert_ok(plait_hair_set_render_params(s.rig.hair, &params));
    strands_dance(&s, SCENE_MOTION_DANCE, 0, 70);
    float *guides = rig_positions(&s.rig), moved[12];
    head_matrix(&head, 70 / 60.0, moved);
    struct reference reference = {.guides = &head.guides_desc,
                                  .render = &head.render_desc,
                                  .guide_positions = (const float(*)[3])guides,
                                  .head = moved,
                                  .guide_count = guide_count ? guide_count : 3,
                                  .parting_angle = 0.8,
                                  .shape_weight = 1,
                                  .length_weight = 0.3,
                                  .single_root = single_root,
                                  .single_tip = single_tip};
    double *expected = reference_positions(&reference), worst = 0;
    for (uint32_t v = 0; v < s.vertex_count; v++) worst = fmax(worst, distance(s.output + 4 * v, expected + 3 * v));
    printf("%s, %u guides a strand, single %g to %g: off by %.1e m at most\n", preset, guide_count, (double)single_root,
           (double)single_tip, worst);
    assert_true(worst < 5e-6); // coordinates of 2 m, turns carried along 24 edges in single precision
    free(expected);
    free(guides);
    strands_close(&s);
    head_free(&head);
}

static void strands_agree_with_a_reference_in_double_precision(void **state) {
    (void)state;
    compare_with_reference("1b", 0, 0, 0);
    compare_with_reference("2b", 1, 0, 0);
    compare_with_reference("3a", 3, 0, 0);
    compare_with_reference("3a", 3, 0.2f, 0.9f);
    compare_with_reference("4a", 4, 1, 0.3f);
}

static void begin_as_drawn(const char *preset, uint32_t guide_vertices, uint32_t render_vertices) {
    struct head head;
    head_make(&head, preset, 60, guide_vertices, 500, render_vertices);
    struct strands_options options = strands_options(&head);
    struct strands s = strands_open(&options);
    strands_refresh(&s);
    double worst = 0;
    for (uint32_t v = 0; v < s.vertex_count; v++)
        worst = fmax(worst, distance3(s.output + 4 * v, head.render.positions + 3 * v));
    printf("%s at rest: off by %.1e m at most\n", preset, worst);
    assert_true(worst < 1e-6);
    for (uint32_t v = 0; v < s.vertex_count; v++) assert_true(s.output[4 * v + 3] == head.render.group.radius);
    strands_close(&s);
    head_free(&head);
}

static void strands_begin_as_drawn(void **state) {
    (void)state;
    begin_as_drawn("3b", 24, 33);
    begin_as_drawn("4a", 100, 100); // a fifth of a turn from vertex to vertex
    begin_as_drawn("4b", 0, 0);
}

// On one bone, drawn around its origin, where floats are fine.
static void hang_on_one_bone(struct head *head) {
    float centre[3];
    scene_head_center(centre);
    scene_groom *grooms[2] = {&head->guides, &head->render};
    for (int g = 0; g < 2; g++)
        for (uint32_t i = 0; i < 3 * grooms[g]->vertex_count; i++) grooms[g]->positions[i] -= centre[i % 3];
    plait_groom_desc *descs[2] = {&head->guides_desc, &head->render_desc};
    for (int g = 0; g < 2; g++) {
        descs[g]->bone_count = 1;
        descs[g]->root_bones = NULL;
        descs[g]->root_bindings = NULL;
        descs[g]->bind_pose = NULL;
    }
}

// The bone turns while time stands still: guides are carried rigidly, and so must be what follows them.
static void rigid_motion_of_guides_is_rigid_motion_of_strands(void **state) {
    (void)state;
    static const struct {
        const char *preset;
        uint32_t guide_vertices, render_vertices;
    } cases[] = {{"1b", 40, 20},   {"2a", 40, 20},   {"3a", 40, 20}, {"3b", 40, 20},
                 {"3c", 100, 100}, {"4a", 100, 100}, {"4b", 0, 0},   {"4c", 100, 100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct head head;
        head_make(&head, cases[i].preset, 80, cases[i].guide_vertices, 600, cases[i].render_vertices);
        hang_on_one_bone(&head);
        struct strands_options options = strands_options(&head);
        struct strands s = strands_open(&options);
        float moved[12];
        bone_make(moved, (float[3]){0.36f, 0.48f, 0.8f}, 2.1, (float[3]){0.1f, -0.05f, 0.2f});
        rig_step(&s.rig, 0, moved, true);
        double worst = 0;
        for (uint32_t v = 0; v < s.vertex_count; v++) {
            double expected[3];
            transform(moved, head.render.positions + 3 * v, expected);
            worst = fmax(worst, distance(s.output + 4 * v, expected));
        }
        printf("%s turned by 2.1 radians: off by %.1e m at most\n", cases[i].preset, worst);
        assert_true(worst < 1e-6);
        strands_close(&s);
        head_free(&head);
    }
}

// Strands that lie on guides: the guides themselves, every other vertex of them, points within their segments, and their first
// half; unevenly spread.
static void a_strand_on_a_guide_follows_it(void **state) {
    (void)state;
    enum { GUIDES = 40, VERTICES = 21, KINDS = 4 };
    struct head head;
    head_make(&head, "3a", GUIDES, VERTICES, 1, 8);
    static const uint32_t counts[KINDS] = {VERTICES, 11, 2 * VERTICES - 2, 11};
    uint32_t vertex_counts[GUIDES * KINDS], total = 0;
    for (uint32_t i = 0; i < GUIDES * KINDS; i++) total += vertex_counts[i] = counts[i % KINDS];
    double(*places)[2] = calloc(total, sizeof *places); // guide vertex, share of the way to the next
    float *positions = calloc(total, 3 * sizeof *positions);
    for (uint32_t i = 0, at = 0; i < GUIDES * KINDS; i++)
        for (uint32_t v = 0; v < vertex_counts[i]; v++, at++) {
            uint32_t kind = i % KINDS, k = kind == 1 ? 2 * v : kind == 2 ? v / 2 : v;
            double share = kind == 2 && v % 2 ? 0.3 : 0;
            if (kind == 2 && v + 1 == vertex_counts[i]) share = 1;
            if (k == VERTICES - 1) k--, share = 1;
            places[at][0] = (i / KINDS) * VERTICES + k;
            places[at][1] = share;
            const float *p = head.guides.positions + 3 * ((i / KINDS) * VERTICES + k);
            for (int c = 0; c < 3; c++) positions[3 * at + c] = (float)(p[c] + share * ((double)p[3 + c] - p[c]));
        }
    plait_groom_desc render = PLAIT_GROOM_DESC_INIT;
    render.strand_count = GUIDES * KINDS;
    render.bone_count = 1;
    render.vertex_counts = vertex_counts;
    render.positions = positions;
    struct strands_options options = strands_options(&head);
    options.render = &render;
    struct strands s = strands_open(&options);
    plait_binding_info info = PLAIT_BINDING_INFO_INIT;
    assert_ok(plait_binding_query(s.binding, &info));
    assert_int_equal(info.single_count, GUIDES * KINDS);
    strands_dance(&s, SCENE_MOTION_DANCE, 0, 90);
    float *guides = rig_positions(&s.rig);
    double worst = 0, moved = 0;
    for (uint32_t v = 0; v < total; v++) {
        const float *p = guides + 3 * (size_t)places[v][0];
        double expected[3];
        for (int c = 0; c < 3; c++) expected[c] = p[c] + places[v][1] * ((double)p[3 + c] - p[c]);
        worst = fmax(worst, distance(s.output + 4 * v, expected));
        moved = fmax(moved, distance3(s.output + 4 * v, positions + 3 * v));
    }
    printf("on guides: off by %.1e m at most, after moving by up to %.2f m\n", worst, moved);
    assert_true(moved > 0.05);
    assert_true(worst < 1e-6);
    free(guides);
    free(places);
    free(positions);
    strands_close(&s);
    head_free(&head);
}

// Two rows of straight strands, combed to the left and to the right of x = 0, and render strands close to the line on both sides.
static void strands_do_not_mix_across_a_parting(void **state) {
    (void)state;
    enum { GUIDES = 20, STRANDS = 40, VERTICES = 8 };
    uint32_t counts[STRANDS];
    float guides[GUIDES * VERTICES * 3], render[STRANDS * VERTICES * 3];
    for (uint32_t i = 0; i < STRANDS; i++) counts[i] = VERTICES;
    for (uint32_t i = 0; i < GUIDES; i++)
        for (uint32_t v = 0; v < VERTICES; v++) {
            float side = i % 2 ? 1.0f : -1.0f, *p = guides + 3 * (i * VERTICES + v);
            p[0] = side * (0.005f + 0.02f * (float)v);
            p[1] = 0.004f * (float)v;
            p[2] = 0.01f * (float)(i / 2);
        }
    for (uint32_t i = 0; i < STRANDS; i++)
        for (uint32_t v = 0; v < VERTICES; v++) {
            float side = i % 2 ? 1.0f : -1.0f, *p = render + 3 * (i * VERTICES + v);
            p[0] = side * (0.001f + 0.02f * (float)v); // nearly as near to the other side's guides
            p[1] = 0.004f * (float)v;
            p[2] = 0.0023f * (float)i;
        }
    struct head head = {0};
    head.guides_desc = head.render_desc = (plait_groom_desc)PLAIT_GROOM_DESC_INIT;
    head.guides_desc.strand_count = GUIDES;
    head.render_desc.strand_count = STRANDS;
    head.guides_desc.bone_count = head.render_desc.bone_count = 2;
    head.guides_desc.vertex_counts = head.render_desc.vertex_counts = counts;
    head.guides_desc.positions = guides;
    head.render_desc.positions = render;
    uint32_t bones[GUIDES];
    for (uint32_t i = 0; i < GUIDES; i++) bones[i] = i % 2;
    head.guides_desc.root_bones = bones;
    struct strands_options options = strands_options(&head);
    struct strands s = strands_open(&options);
    // The right half moves up: so do its render strands, all the way, and no others.
    float pose[2][12];
    bone_identity(pose[0]);
    bone_make(pose[1], (float[3]){0, 1, 0}, 0, (float[3]){0, 0.5f, 0});
    rig_step(&s.rig, 0, pose[0], false);
    for (uint32_t i = 0; i < STRANDS; i++)
        for (uint32_t v = 0; v < VERTICES; v++) {
            const float *p = s.output + 4 * (i * VERTICES + v), *from = render + 3 * (i * VERTICES + v);
            assert_true(fabs(p[1] - from[1] - (i % 2 ? 0.5 : 0)) < 1e-6);
        }
    strands_close(&s);
}

// Strands of one group follow guides of the same, though others are nearer.
static void strands_follow_guides_of_their_group(void **state) {
    (void)state;
    struct straight guides = straight_make(6, 10, 0.2f, (float[3]){0, -1, 0});
    struct straight render = straight_make(6, 10, 0.2f, (float[3]){0, -1, 0});
    uint16_t guide_groups[6] = {0, 1, 0, 1, 0, 1}, render_groups[6] = {1, 1, 1, 0, 0, 0};
    uint32_t bones[6] = {0, 1, 0, 1, 0, 1};
    plait_group_desc groups[2] = {PLAIT_GROUP_DESC_INIT, PLAIT_GROUP_DESC_INIT};
    struct head head = {.guides_desc = guides.desc, .render_desc = render.desc};
    head.guides_desc.group_count = head.render_desc.group_count = 2;
    head.guides_desc.groups = head.render_desc.groups = groups;
    head.guides_desc.group_indices = guide_groups;
    head.render_desc.group_indices = render_groups;
    head.guides_desc.bone_count = 2;
    head.guides_desc.root_bones = bones;
    for (uint32_t v = 0; v < 60; v++) render.positions[3 * v + 2] += 1e-3f; // beside guides, not on them
    struct strands_options options = strands_options(&head);
    options.binding.flags = PLAIT_BINDING_BY_GROUP;
    struct strands s = strands_open(&options);
    float pose[2][12];
    bone_identity(pose[0]);
    bone_make(pose[1], (float[3]){0, 1, 0}, 0, (float[3]){0, 0, 0.25f});
    rig_step(&s.rig, 0, pose[0], false);
    for (uint32_t v = 0; v < 60; v++)
        assert_true(fabs(s.output[4 * v + 2] - render.positions[3 * v + 2] - (render_groups[v / 10] ? 0.25 : 0)) <
                    1e-6);
    strands_close(&s);
    straight_free(&guides);
    straight_free(&render);
}

static double length_of(const float *vertices, uint32_t count, uint32_t stride) {
    double length = 0;
    for (uint32_t v = 1; v < count; v++) length += distance3(vertices + stride * v, vertices + stride * (v - 1));
    return length;
}

// Guides to the left and to the right whose bones differ in size, and strands between them: they grow with both, by their weights, so
// that those at equal distances from the middle grow by as much as both bones together. The limit of their lengths does not see a stretch in it.
static void strands_between_bones_of_different_scale_grow_with_both(void **state) {
    (void)state;
    enum { STRANDS = 6, GUIDES = 4, VERTICES = 8 };
    static const float places[GUIDES] = {-0.06f, -0.01f, 0.01f, 0.06f};
    uint32_t counts[STRANDS], bones[GUIDES] = {0, 0, 1, 1};
    float guides[GUIDES * VERTICES * 3] = {0}, render[STRANDS * VERTICES * 3] = {0};
    for (uint32_t i = 0; i < STRANDS; i++) {
        counts[i] = VERTICES;
        for (uint32_t v = 0; v < VERTICES; v++) {
            float *p = render + 3 * (i * VERTICES + v);
            p[0] = 0.002f * ((float)i - 2.5f);
            p[1] = -0.02f * (float)v;
            if (i >= GUIDES) continue;
            guides[3 * (i * VERTICES + v)] = places[i];
            guides[3 * (i * VERTICES + v) + 1] = p[1];
        }
    }
    struct head head = {.guides_desc = PLAIT_GROOM_DESC_INIT, .render_desc = PLAIT_GROOM_DESC_INIT};
    head.guides_desc.strand_count = GUIDES;
    head.render_desc.strand_count = STRANDS;
    head.guides_desc.bone_count = head.render_desc.bone_count = 2;
    head.guides_desc.vertex_counts = head.render_desc.vertex_counts = counts;
    head.guides_desc.positions = guides;
    head.render_desc.positions = render;
    head.guides_desc.root_bones = bones;
    struct strands_options options = strands_options(&head);
    struct strands s = strands_open(&options);
    const float pose[2][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, {1.5f, 0, 0, 0, 0, 1.5f, 0, 0, 0, 0, 1.5f, 0}};
    rig_step(&s.rig, 0, pose[0], false);
    double grown[STRANDS];
    for (uint32_t i = 0; i < STRANDS; i++)
        grown[i] =
            length_of(s.output + 4 * i * VERTICES, VERTICES, 4) / length_of(render + 3 * i * VERTICES, VERTICES, 3);
    printf("between bones of scale 1 and 1.5: %.3f %.3f %.3f, %.3f %.3f %.3f\n", grown[0], grown[1], grown[2], grown[3],
           grown[4], grown[5]);
    for (uint32_t i = 0; i < STRANDS; i++) {
        assert_true(i == 0 || grown[i] > grown[i - 1]);
        assert_true(fabs(grown[i] + grown[STRANDS - 1 - i] - 2.5) < 5e-3); // they also lean a little
    }
    strands_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strands_begin_as_drawn),
        cmocka_unit_test(rigid_motion_of_guides_is_rigid_motion_of_strands),
        cmocka_unit_test(a_strand_on_a_guide_follows_it),
        cmocka_unit_test(strands_agree_with_a_reference_in_double_precision),
        cmocka_unit_test(strands_do_not_mix_across_a_parting),
        cmocka_unit_test(strands_follow_guides_of_their_group),
        cmocka_unit_test(strands_between_bones_of_different_scale_grow_with_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
