// Styles of render strands: what they make of them, against a reference and against what must hold exactly.
#include "fixture.h"
#include "reference.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 2, STRANDS = 400, VERTICES = 25 };

// A head whose render strands are of two groups, by turns of three.
struct dressed {
    struct head head;
    uint16_t groups[STRANDS];
    plait_group_desc group_descs[GROUPS];
};

static void dressed_make(struct dressed *d, const char *preset) {
    head_make(&d->head, preset, 120, 20, STRANDS, VERTICES);
    for (uint32_t s = 0; s < STRANDS; s++) d->groups[s] = s % 3 == 1;
    for (int g = 0; g < GROUPS; g++) d->group_descs[g] = (plait_group_desc)PLAIT_GROUP_DESC_INIT;
    d->head.render_desc.group_count = GROUPS;
    d->head.render_desc.groups = d->group_descs;
    d->head.render_desc.group_indices = d->groups;
}

static plait_render_style plain_style(void) {
    plait_render_style style = PLAIT_RENDER_STYLE_INIT;
    assert_ok(plait_render_style_default(&style));
    return style;
}

// Everything at once, of a size to be seen.
static plait_render_style rich_style(void) {
    plait_render_style style = plain_style();
    style.width_root = 1.5f;
    style.width_tip = 0.25f;
    style.scatter = 0.01f;
    style.clump = 0.8f;
    style.clump_begin = 0.1f;
    style.clump_size = 0.02f;
    style.curl_radius = 0.004f;
    style.curl_pitch = 0.05f;
    style.frizz = 0.003f;
    style.frizz_length = 0.03f;
    style.seed = 7;
    return style;
}

static float *copy_of(const struct strands *s) {
    float *copy = malloc((size_t)s->vertex_count * 16);
    assert_non_null(copy);
    memcpy(copy, s->output, (size_t)s->vertex_count * 16);
    return copy;
}

static double distance(const float *a, const double *b) {
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static void head_matrix(const struct head *head, double time_s, float m[12]) {
    float bones[SCENE_BONE_COUNT][12];
    scene_motion_pose(SCENE_MOTION_DANCE, time_s, 1, bones);
    const float *b = head->guides.bind_pose[SCENE_BONE_HEAD], *n = bones[SCENE_BONE_HEAD];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            m[4 * i + j] = n[4 * i] * b[4 * j] + n[4 * i + 1] * b[4 * j + 1] + n[4 * i + 2] * b[4 * j + 2];
        m[4 * i + 3] = n[4 * i + 3] - (m[4 * i] * b[3] + m[4 * i + 1] * b[7] + m[4 * i + 2] * b[11]);
    }
}

static void compare_with_reference(const char *preset, const plait_render_style styles[GROUPS], const char *what) {
    struct dressed d;
    dressed_make(&d, preset);
    struct strands_options options = strands_options(&d.head);
    struct strands s = strands_open(&options);
    strands_refresh(&s);
    float *plain = copy_of(&s);
    assert_ok(plait_hair_set_render_styles(s.rig.hair, GROUPS, styles));
    strands_refresh(&s);
    struct styled styled = reference_styled(&d.head.render_desc, styles);
    double worst = 0, moved = 0, wider = 0;
    for (uint32_t v = 0; v < s.vertex_count; v++) {
        worst = fmax(worst, distance(s.output + 4 * v, styled.positions + 3 * v));
        moved = fmax(moved, distance3(s.output + 4 * v, plain + 4 * v));
        wider = fmax(wider, fabs(s.output[4 * v + 3] / plain[4 * v + 3] - styled.widths[v]));
    }
    strands_dance(&s, SCENE_MOTION_DANCE, 0, 40);
    float *guides = rig_positions(&s.rig), matrix[12];
    head_matrix(&d.head, 40 / 60.0, matrix);
    struct reference reference = {.guides = &d.head.guides_desc,
                                  .render = &d.head.render_desc,
                                  .guide_positions = (const float(*)[3])guides,
                                  .head = matrix,
                                  .guide_count = 3,
                                  .parting_angle = 0.8,
                                  .shape_weight = 1,
                                  .length_weight = 0.3,
                                  .styled = styled.positions};
    double *expected = reference_positions(&reference), later = 0;
    for (uint32_t v = 0; v < s.vertex_count; v++) later = fmax(later, distance(s.output + 4 * v, expected + 3 * v));
    printf("%s, %s: moves strands by %.1e m, off by %.1e m at most at rest, %.1e in motion\n", preset, what, moved,
           worst, later);
    assert_true(moved > 1e-3);
    assert_true(worst < 2e-6 && wider < 1e-5);
    assert_true(later < 6e-6);
    free(expected);
    free(guides);
    free(plain);
    free(styled.positions);
    free(styled.widths);
    strands_close(&s);
    head_free(&d.head);
}

static void styles_agree_with_a_reference_in_double_precision(void **state) {
    (void)state;
    plait_render_style styles[GROUPS] = {plain_style(), plain_style()};
    styles[1].scatter = 0.02f;
    compare_with_reference("1b", styles, "scatter");
    styles[0].clump = 1;
    styles[0].clump_size = 0.03f;
    styles[1] = styles[0];
    styles[1].clump = 0.5f;
    styles[1].clump_begin = 0.4f;
    styles[1].clump_size = 0.01f;
    compare_with_reference("2b", styles, "clumps");
    styles[0] = plain_style();
    styles[0].curl_radius = 0.01f;
    styles[0].curl_pitch = 0.08f;
    styles[0].seed = 3;
    styles[1] = plain_style();
    compare_with_reference("1b", styles, "curls");
    styles[1].frizz = 0.01f;
    styles[1].frizz_length = 0.04f;
    compare_with_reference("2a", styles, "curls and frizz");
    styles[0] = styles[1] = rich_style();
    styles[1].seed = 99;
    compare_with_reference("3a", styles, "all");
}

static void only_what_a_style_asks_for_changes(void **state) {
    (void)state;
    struct dressed d;
    dressed_make(&d, "2b");
    struct strands_options options = strands_options(&d.head);
    struct strands s = strands_open(&options);
    strands_dance(&s, SCENE_MOTION_DANCE, 0, 10);
    float *plain = copy_of(&s);
    const size_t size = (size_t)s.vertex_count * 16;
    plait_render_style styles[GROUPS] = {plain_style(), plain_style()};
    assert_ok(plait_hair_set_render_styles(s.rig.hair, 1, styles));
    strands_refresh(&s);
    assert_memory_equal(s.output, plain, size); // a style that asks for nothing
    styles[1] = rich_style();
    assert_ok(plait_hair_set_render_styles(s.rig.hair, GROUPS, styles));
    strands_refresh(&s);
    double farthest = 0;
    for (uint32_t v = 0; v < s.vertex_count; v++) {
        const float *now = s.output + 4 * v, *before = plain + 4 * v;
        if (d.groups[v / VERTICES] == 0) assert_memory_equal(now, before, 16); // the other group
        if (v % VERTICES == 0) assert_memory_equal(now, before, 12);           // roots
        farthest = fmax(farthest, distance3(now, before));
    }
    assert_true(farthest > 0.005);
    assert_ok(plait_hair_set_render_styles(s.rig.hair, 0, NULL));
    strands_refresh(&s);
    assert_memory_equal(s.output, plain, size);
    free(plain);
    strands_close(&s);
    head_free(&d.head);
}

// Straight strands: curls wind about them at their radius, frizz and scatter stay within theirs, clumps meet at their tips.
static void straight_strands_show_what_styles_are(void **state) {
    (void)state;
    enum { COUNT = 60, PER = 41 };
    const float length = 0.4f;
    struct straight guides = straight_make(COUNT, 12, length, (float[3]){0, -1, 0});
    struct straight render = straight_make(COUNT, PER, length, (float[3]){0, -1, 0});
    for (uint32_t v = 0; v < COUNT * PER; v++) render.positions[3 * v + 2] += 1e-3f;
    struct head head = {.guides_desc = guides.desc, .render_desc = render.desc};
    struct strands_options options = strands_options(&head);
    struct strands s = strands_open(&options);
    plait_render_style style = plain_style();
    style.curl_radius = 0.01f;
    style.curl_pitch = 0.1f;
    assert_ok(plait_hair_set_render_styles(s.rig.hair, 1, &style));
    strands_refresh(&s);
    for (uint32_t v = 0; v < COUNT * PER; v++) {
        double away = distance3(s.output + 4 * v, render.positions + 3 * v);
        assert_true(v % PER < 10 ? away < 0.01001 : fabs(away - 0.01) < 2e-6);
        if (v % PER >= 20) // a turn later it is on the same side
            assert_true(fabs(s.output[4 * v] - s.output[4 * (v - 10)]) < 5e-6);
    }
    style = plain_style();
    style.frizz = 0.005f;
    style.frizz_length = 0.05f;
    assert_ok(plait_hair_set_render_styles(s.rig.hair, 1, &style));
    strands_refresh(&s);
    double widest = 0;
    for (uint32_t v = 0; v < COUNT * PER; v++)
        widest = fmax(widest, distance3(s.output + 4 * v, render.positions + 3 * v));
    assert_true(widest > 0.004 && widest < 0.005001);
    style = plain_style();
    style.scatter = 0.02f;
    assert_ok(plait_hair_set_render_styles(s.rig.hair, 1, &style));
    strands_refresh(&s);
    double sum[3] = {0, 0, 0};
    for (uint32_t i = 0; i < COUNT; i++) {
        const float *tip = s.output + 4 * (i * PER + PER - 1), *was = render.positions + 3 * (i * PER + PER - 1);
        assert_true(distance3(tip, was) < 0.020001 && fabs(tip[1] - was[1]) < 1e-6);
        for (int c = 0; c < 3; c++) sum[c] += tip[c] - was[c];
    }
    for (int c = 0; c < 3; c++) assert_true(fabs(sum[c] / COUNT) < 0.005); // to all sides
    style = plain_style();
    style.clump = 1;
    style.clump_size = 0.05f;
    assert_ok(plait_hair_set_render_styles(s.rig.hair, 1, &style));
    strands_refresh(&s);
    uint32_t tips = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        bool new_one = true;
        const float *tip = s.output + 4 * (i * PER + PER - 1);
        for (uint32_t j = 0; j < i && new_one; j++) new_one = distance3(tip, s.output + 4 * (j * PER + PER - 1)) > 1e-5;
        tips += new_one;
        assert_true(distance3(tip, render.positions + 3 * (i * PER + PER - 1)) < 0.0501);
    }
    printf("%u straight strands in %u clumps\n", (uint32_t)COUNT, tips);
    assert_in_range(tips, 2, COUNT / 2);
    strands_close(&s);
    straight_free(&guides);
    straight_free(&render);
}

// A group's length cuts its strands, and no others; its taper ends at the new tip.
static void groups_have_lengths_of_their_own(void **state) {
    (void)state;
    struct dressed d;
    dressed_make(&d, "2b");
    struct strands_options options = strands_options(&d.head);
    struct strands s = strands_open(&options);
    strands_refresh(&s);
    float *whole = copy_of(&s);
    plait_render_style styles[GROUPS] = {plain_style(), plain_style()};
    styles[1].length = 0.6f;
    styles[1].width_tip = 0.5f;
    assert_ok(plait_hair_set_render_styles(s.rig.hair, GROUPS, styles));
    plait_render_params params = PLAIT_RENDER_PARAMS_INIT;
    assert_ok(plait_render_params_default(&params));
    for (int pass = 0; pass < 2; pass++) {
        params.length = pass ? 0.5f : 1;
        assert_ok(plait_hair_set_render_params(s.rig.hair, &params));
        strands_refresh(&s);
        for (uint32_t v = 0; v < s.vertex_count; v++) {
            uint32_t strand = v / VERTICES, number = v % VERTICES;
            double left = (d.groups[strand] ? (double)styles[1].length : 1) * (double)params.length;
            double place = number * left;
            uint32_t k = (uint32_t)place < VERTICES - 2 ? (uint32_t)place : VERTICES - 2;
            const float *a = whole + 4 * (strand * VERTICES + k), *b = a + 4;
            float expected[3];
            for (int c = 0; c < 3; c++) expected[c] = (float)(a[c] + (b[c] - a[c]) * (place - k));
            assert_true(distance3(s.output + 4 * v, expected) < 2e-6);
            double width = d.groups[strand] ? 1 - 0.5 * fmin(place / (VERTICES - 1) / 0.6, 1) : 1;
            // linear between vertices as drawn, the kink at the tip included
            assert_true(fabs(s.output[4 * v + 3] / a[3] - width) < 0.01);
        }
    }
    free(whole);
    strands_close(&s);
    head_free(&d.head);
}

static void levels_of_detail_do_not_change_a_style(void **state) {
    (void)state;
    struct dressed d;
    dressed_make(&d, "3a");
    struct strands_options options = strands_options(&d.head);
    struct strands s = strands_open(&options);
    plait_render_style style = rich_style();
    assert_ok(plait_hair_set_render_styles(s.rig.hair, 1, &style));
    strands_dance(&s, SCENE_MOTION_DANCE, 0, 5);
    float *all = copy_of(&s);
    plait_render_params params = PLAIT_RENDER_PARAMS_INIT;
    assert_ok(plait_render_params_default(&params));
    params.strand_fraction = 0.3f;
    assert_ok(plait_hair_set_render_params(s.rig.hair, &params));
    strands_refresh(&s);
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    assert_ok(plait_hair_query(s.rig.hair, &info));
    assert_in_range(info.render_strand_count, STRANDS * 3 / 10, STRANDS * 34 / 100);
    for (uint32_t v = 0; v < info.render_strand_count * VERTICES; v++)
        assert_memory_equal(s.output + 4 * v, all + 4 * v, 12);
    free(all);
    strands_close(&s);
    head_free(&d.head);
}

// A thousandth more of anything moves no vertex by more than a thousandth of what there is, or a few for what bends with it.
static void strands_move_smoothly_with_their_styles(void **state) {
    (void)state;
    static const size_t fields[] = {
        offsetof(plait_render_style, scatter),     offsetof(plait_render_style, clump),
        offsetof(plait_render_style, clump_begin), offsetof(plait_render_style, curl_radius),
        offsetof(plait_render_style, curl_pitch),  offsetof(plait_render_style, frizz),
        offsetof(plait_render_style, frizz_length)};
    struct dressed d;
    dressed_make(&d, "2a");
    struct strands_options options = strands_options(&d.head);
    struct strands s = strands_open(&options);
    plait_render_style style = rich_style();
    assert_ok(plait_hair_set_render_styles(s.rig.hair, 1, &style));
    strands_refresh(&s);
    float *before = copy_of(&s);
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        float value;
        style = rich_style();
        memcpy(&value, (char *)&style + fields[f], sizeof value);
        value *= 1.001f;
        memcpy((char *)&style + fields[f], &value, sizeof value);
        assert_ok(plait_hair_set_render_styles(s.rig.hair, 1, &style));
        strands_refresh(&s);
        double most = 0;
        for (uint32_t v = 0; v < s.vertex_count; v++) most = fmax(most, distance3(s.output + 4 * v, before + 4 * v));
        assert_true(most > 1e-7 && most < 4e-4);
    }
    free(before);
    strands_close(&s);
    head_free(&d.head);
}

static void bits_do_not_depend_on_threads_or_widths(void **state) {
    (void)state;
    static const uint32_t sets[] = {PLAIT_CPU_SCALAR, PLAIT_CPU_SSE2, PLAIT_CPU_AVX2, PLAIT_CPU_AVX512, PLAIT_CPU_NEON};
    struct dressed d;
    dressed_make(&d, "3a");
    float *first = NULL;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (uint32_t threads = 1; threads <= 3; threads += 2) {
            if (!rig_has_instruction_set(sets[i])) continue;
            struct strands_options options = strands_options(&d.head);
            options.rig.instruction_set = sets[i];
            options.rig.threads = threads;
            struct strands s = strands_open(&options);
            plait_render_style styles[GROUPS] = {rich_style(), rich_style()};
            styles[1].length = 0.7f;
            assert_ok(plait_hair_set_render_styles(s.rig.hair, GROUPS, styles));
            strands_dance(&s, SCENE_MOTION_DANCE, 0, 6);
            if (!first) first = copy_of(&s);
            assert_memory_equal(s.output, first, (size_t)s.vertex_count * 16);
            strands_close(&s);
        }
    free(first);
    head_free(&d.head);
}

static void a_hair_takes_its_styles_to_another_device(void **state) {
    (void)state;
    struct dressed d;
    dressed_make(&d, "2b");
    struct strands_options options = strands_options(&d.head);
    struct strands s = strands_open(&options);
    plait_render_style styles[GROUPS] = {rich_style(), rich_style()};
    styles[1].length = 0.7f;
    assert_ok(plait_hair_set_render_styles(s.rig.hair, GROUPS, styles));
    strands_refresh(&s);
    float *here = copy_of(&s);
    static const uint32_t backends[] = {PLAIT_BACKEND_CPU, PLAIT_BACKEND_VULKAN, PLAIT_BACKEND_CUDA};
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        plait_device device;
        if (!strands_open_device(&s, backends[i], &device)) continue;
        assert_ok(plait_hair_set_device(s.rig.hair, device));
        assert_ok(plait_device_close(device));
        memset(s.output, 0, (size_t)s.vertex_count * 16);
        strands_refresh(&s);
        double worst = 0;
        for (uint32_t v = 0; v < s.vertex_count; v++) worst = fmax(worst, distance3(s.output + 4 * v, here + 4 * v));
        printf("after a move to backend %u: off by %.1e m at most\n", backends[i], worst);
        assert_true(worst < 2e-6);
        styles[0].curl_radius *= 1.5f; // and there it can be changed
        assert_ok(plait_hair_set_render_styles(s.rig.hair, GROUPS, styles));
        strands_refresh(&s);
        worst = 0;
        for (uint32_t v = 0; v < s.vertex_count; v++) worst = fmax(worst, distance3(s.output + 4 * v, here + 4 * v));
        assert_true(worst > 1e-3 && worst < 3e-3 * (double)(1 << i));
        free(here);
        here = copy_of(&s);
    }
    free(here);
    strands_close(&s);
    head_free(&d.head);
}

// Tangents and previous positions are those of what is drawn.
static void attributes_are_of_the_styled_strands(void **state) {
    (void)state;
    enum { STRIDE = 12 };
    struct dressed d;
    dressed_make(&d, "2b");
    struct strands_options options = strands_options(&d.head);
    struct strands s = strands_open(&options);
    plait_render_style style = rich_style();
    assert_ok(plait_hair_set_render_styles(s.rig.hair, 1, &style));
    float *memory = calloc((size_t)s.vertex_count, STRIDE * 4), *last = calloc((size_t)s.vertex_count, 12);
    plait_output_attribute attributes[3];
    for (int i = 0; i < 3; i++) {
        attributes[i] = (plait_output_attribute)PLAIT_OUTPUT_ATTRIBUTE_INIT;
        attributes[i].attribute = PLAIT_ATTRIBUTE_POSITION + (uint32_t)i;
        attributes[i].format = PLAIT_FORMAT_FLOAT32X4;
        attributes[i].offset = 16 * (uint32_t)i;
        attributes[i].stride = 4 * STRIDE;
    }
    plait_output_desc desc = PLAIT_OUTPUT_DESC_INIT;
    desc.attributes = attributes;
    desc.attribute_count = 3;
    desc.memory = memory;
    desc.size = (uint64_t)s.vertex_count * STRIDE * 4;
    assert_ok(plait_hair_set_render_output(s.rig.hair, &desc));
    for (int f = 0; f < 6; f++) {
        for (uint32_t v = 0; v < s.vertex_count; v++) memcpy(last + 3 * v, memory + STRIDE * v, 12);
        strands_dance(&s, SCENE_MOTION_DANCE, f, 1);
        for (uint32_t v = 0; v < s.vertex_count; v++) {
            const float *m = memory + STRIDE * v;
            const float *behind = v % VERTICES ? m - STRIDE : m, *ahead = (v + 1) % VERTICES ? m + STRIDE : m;
            double length = distance3(ahead, behind);
            for (int c = 0; c < 3; c++) assert_true(fabs((ahead[c] - behind[c]) / length - m[4 + c]) < 1e-3);
            if (f > 0) assert_true(distance3(m + 8, last + 3 * v) < 5e-7);
        }
    }
    free(memory);
    free(last);
    strands_close(&s);
    head_free(&d.head);
}

static void wrong_styles_are_refused_and_change_nothing(void **state) {
    (void)state;
    struct dressed d;
    dressed_make(&d, "1b");
    struct strands_options options = strands_options(&d.head);
    options.rig.quiet = true;
    struct strands s = strands_open(&options);
    plait_render_style good = rich_style(), styles[GROUPS + 1];
    assert_ok(plait_hair_set_render_styles(s.rig.hair, 1, &good));
    strands_refresh(&s);
    float *before = copy_of(&s);
    for (int g = 0; g <= GROUPS; g++) styles[g] = plain_style();
    assert_int_equal(plait_hair_set_render_styles(s.rig.hair, GROUPS + 1, styles), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(plait_hair_set_render_styles(s.rig.hair, 1, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    static const struct {
        size_t field;
        float value;
    } wrong[] = {{offsetof(plait_render_style, length), 0},          {offsetof(plait_render_style, length), 1.1f},
                 {offsetof(plait_render_style, width_root), -1},     {offsetof(plait_render_style, width_tip), 1001},
                 {offsetof(plait_render_style, scatter), -0.1f},     {offsetof(plait_render_style, clump), 1.5f},
                 {offsetof(plait_render_style, clump_begin), 1},     {offsetof(plait_render_style, clump_size), 1e-7f},
                 {offsetof(plait_render_style, curl_radius), 1e7f},  {offsetof(plait_render_style, curl_pitch), 1e-7f},
                 {offsetof(plait_render_style, frizz), NAN},         {offsetof(plait_render_style, frizz_length), -1},
                 {offsetof(plait_render_style, frizz_length), 1e-8f}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        styles[1] = plain_style();
        memcpy((char *)&styles[1] + wrong[i].field, &wrong[i].value, sizeof(float));
        assert_int_equal(plait_hair_set_render_styles(s.rig.hair, GROUPS, styles), PLAIT_ERROR_INVALID_ARGUMENT);
    }
    memset(s.output, 0, (size_t)s.vertex_count * 16);
    strands_refresh(&s);
    assert_memory_equal(s.output, before, (size_t)s.vertex_count * 16);
    // Another binding has no styles; without one there can be none.
    assert_ok(plait_hair_set_binding(s.rig.hair, (plait_binding){0}));
    assert_int_equal(plait_hair_set_render_styles(s.rig.hair, 1, &good), PLAIT_ERROR_UNSUPPORTED);
    assert_ok(plait_hair_set_binding(s.rig.hair, s.binding));
    plait_output_attribute attribute;
    plait_output_desc output;
    strands_describe(s.vertex_count, s.output, &attribute, &output);
    assert_ok(plait_hair_set_render_output(s.rig.hair, &output));
    strands_refresh(&s);
    for (uint32_t v = 0; v < s.vertex_count; v++)
        assert_true(distance3(s.output + 4 * v, d.head.render.positions + 3 * v) < 1e-6);
    free(before);
    strands_close(&s);
    head_free(&d.head);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(styles_agree_with_a_reference_in_double_precision),
        cmocka_unit_test(only_what_a_style_asks_for_changes),
        cmocka_unit_test(straight_strands_show_what_styles_are),
        cmocka_unit_test(groups_have_lengths_of_their_own),
        cmocka_unit_test(levels_of_detail_do_not_change_a_style),
        cmocka_unit_test(strands_move_smoothly_with_their_styles),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_widths),
        cmocka_unit_test(a_hair_takes_its_styles_to_another_device),
        cmocka_unit_test(attributes_are_of_the_styled_strands),
        cmocka_unit_test(wrong_styles_are_refused_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
