// Render output as hosts use it: attributes and formats, beside the guides' output, level of detail, bounds, device swaps, saved
// states, and what is refused.
#include "../../core/hash.h"
#include "fixture.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double length3(const float *p) { return sqrt(pow(p[0], 2) + pow(p[1], 2) + pow(p[2], 2)); }

// Position, tangent and previous position interleaved, with gaps that are the host's own, beside the guides' output.
static void attributes_agree_with_each_other(void **state) {
    (void)state;
    enum { STRIDE = 12 };
    struct head head;
    head_make(&head, "2b", 50, 20, 300, 16);
    struct strands_options options = strands_options(&head);
    struct strands s = strands_open(&options);
    uint32_t vertices = s.vertex_count, per = 16;
    float *memory = malloc((size_t)vertices * STRIDE * 4), *last = malloc((size_t)vertices * 12);
    float *guides = malloc((size_t)s.rig.vertices * 12);
    for (uint32_t i = 0; i < vertices * STRIDE; i++) memory[i] = 77;
    plait_output_attribute attributes[3];
    for (int i = 0; i < 3; i++) {
        attributes[i] = (plait_output_attribute)PLAIT_OUTPUT_ATTRIBUTE_INIT;
        attributes[i].attribute = PLAIT_ATTRIBUTE_POSITION + (uint32_t)i;
        attributes[i].format = i == 1 ? PLAIT_FORMAT_FLOAT32X3 : PLAIT_FORMAT_FLOAT32X4;
        attributes[i].offset = 16 * (uint32_t)i;
        attributes[i].stride = 4 * STRIDE;
    }
    plait_output_desc desc = PLAIT_OUTPUT_DESC_INIT;
    desc.attributes = attributes;
    desc.attribute_count = 3;
    desc.memory = memory;
    desc.size = (uint64_t)vertices * STRIDE * 4;
    assert_ok(plait_hair_set_render_output(s.rig.hair, &desc));
    struct rig_output of_guides;
    rig_describe_output(s.rig.vertices, guides, &of_guides);
    assert_ok(plait_hair_set_output(s.rig.hair, &of_guides.desc));
    for (int f = 0; f < 20; f++) {
        for (uint32_t v = 0; v < vertices; v++) memcpy(last + 3 * v, memory + STRIDE * v, 12);
        strands_dance(&s, SCENE_MOTION_DANCE, f, 1);
        double worst = 0;
        for (uint32_t v = 0; v < vertices; v++) {
            const float *m = memory + STRIDE * v;
            const float *behind = v % per ? m - STRIDE : m, *ahead = (v + 1) % per ? m + STRIDE : m;
            float along[3] = {ahead[0] - behind[0], ahead[1] - behind[1], ahead[2] - behind[2]};
            for (int c = 0; c < 3; c++) worst = fmax(worst, fabs(along[c] / length3(along) - m[4 + c]));
            assert_true(m[7] == 77); // the gap
            assert_true(m[11] == 0); // w of previous positions
            if (f == 0) assert_memory_equal(m + 8, m, 12);
            if (f > 0) assert_true(distance3(m + 8, last + 3 * v) < 5e-7);
        }
        assert_true(worst < 3e-4); // of differences of a few millimetres, at 1.7 m
    }
    float *read = rig_positions(&s.rig);
    assert_memory_equal(read, guides, (size_t)s.rig.vertices * 12);
    // A cut: nothing was elsewhere a frame ago.
    assert_ok(plait_hair_teleport(s.rig.hair, 0, NULL));
    strands_refresh(&s);
    for (uint32_t v = 0; v < vertices; v++) assert_memory_equal(memory + STRIDE * v + 8, memory + STRIDE * v, 12);
    free(read);
    free(memory);
    free(last);
    free(guides);
    strands_close(&s);
    head_free(&head);
}

static void bounds_hold_all_strands(void **state) {
    (void)state;
    struct head head;
    head_make(&head, "3a", 60, 20, 400, 19);
    struct strands_options options = strands_options(&head);
    struct strands s = strands_open(&options);
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    assert_ok(plait_hair_query(s.rig.hair, &info));
    assert_int_equal(info.render_vertex_count, s.vertex_count);
    assert_int_equal(info.render_strand_count, 0); // none is written yet
    assert_true(info.binding.id == s.binding.id);
    assert_true(info.render_bounds_min[0] == 0 && info.render_bounds_max[0] == 0);
    strands_dance(&s, SCENE_MOTION_DANCE, 0, 30);
    assert_ok(plait_hair_query(s.rig.hair, &info));
    for (int c = 0; c < 3; c++) {
        float low = INFINITY, high = -INFINITY;
        for (uint32_t v = 0; v < s.vertex_count; v++) {
            low = fminf(low, s.output[4 * v + c] - s.output[4 * v + 3]);
            high = fmaxf(high, s.output[4 * v + c] + s.output[4 * v + 3]);
        }
        assert_true(info.render_bounds_min[c] == low && info.render_bounds_max[c] == high);
    }
    strands_close(&s);
    head_free(&head);
}

static void set_params(struct strands *s, float length, float width_root, float width_tip, float strands,
                       float vertices) {
    plait_render_params params = PLAIT_RENDER_PARAMS_INIT;
    assert_ok(plait_render_params_default(&params));
    params.length = length;
    params.width_root = width_root;
    params.width_tip = width_tip;
    params.strand_fraction = strands;
    params.vertex_fraction = vertices;
    assert_ok(plait_hair_set_render_params(s->rig.hair, &params));
}

// Widths of all strands together stay the same, no strand that goes is wide, and nothing jumps from one fraction to the next.
static void fewer_strands_are_wider_and_none_pops(void **state) {
    (void)state;
    enum { STRANDS = 1000, VERTICES = 6 };
#define FADING 0.1
    struct head head;
    head_make(&head, "1a", 40, 12, STRANDS, VERTICES);
    struct strands_options options = strands_options(&head);
    struct strands s = strands_open(&options);
    strands_refresh(&s);
    float usual = s.output[3], last[STRANDS];
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    for (uint32_t i = 0; i < STRANDS; i++) last[i] = 1;
    for (int step = 400; step >= 20; step--) {
        float fraction = (float)step / 400;
        set_params(&s, 1, 1, 1, fraction, 1);
        strands_refresh(&s);
        assert_ok(plait_hair_query(s.rig.hair, &info));
        assert_in_range(info.render_strand_count, (uint32_t)(fraction * STRANDS),
                        (uint32_t)(1.1 * fraction * STRANDS) + 1);
        double sum = 0;
        for (uint32_t i = 0; i < STRANDS; i++) {
            float width = i < info.render_strand_count ? s.output[4 * i * VERTICES + 3] / usual : 0;
            sum += width;
            // A 400th of the strands fewer: none changes by more than it takes a tenth of those drawn to go in as many steps.
            assert_true(fabsf(width - last[i]) < 1.5f / (float)(step * FADING) * (1 / fraction));
            last[i] = width;
        }
        assert_true(fabs(sum / STRANDS - 1) < 1e-4);
    }
    strands_close(&s);
    head_free(&head);
}

// So do a few, which cannot be halved; and the number of those to draw is that of what was written, not of what comes next.
static void brows_of_ten_strands_cover_as_much(void **state) {
    (void)state;
    enum { STRANDS = 10, VERTICES = 6 };
    static const float FRACTIONS[] = {1, 0.95f, 0.5f, 0.37f, 0.1f, 0.01f, 0.001f};
    struct head head;
    head_make(&head, "1a", 40, 12, STRANDS, VERTICES);
    struct strands_options options = strands_options(&head);
    struct strands s = strands_open(&options);
    strands_refresh(&s);
    float usual = s.output[3];
    uint32_t drawn = STRANDS;
    for (size_t f = 0; f < sizeof FRACTIONS / sizeof *FRACTIONS; f++) {
        plait_hair_info info = PLAIT_HAIR_INFO_INIT;
        set_params(&s, 1, 1, 1, FRACTIONS[f], 1);
        assert_ok(plait_hair_query(s.rig.hair, &info));
        assert_int_equal(info.render_strand_count, drawn);
        strands_refresh(&s);
        assert_ok(plait_hair_query(s.rig.hair, &info));
        drawn = info.render_strand_count;
        assert_true(drawn >= 1 && (float)drawn <= 1.1f * FRACTIONS[f] * STRANDS + 1);
        double sum = 0;
        for (uint32_t i = 0; i < drawn; i++) sum += s.output[4 * i * VERTICES + 3] / usual;
        assert_true(fabs(sum / STRANDS - 1) < 1e-4);
    }
    strands_close(&s);
    head_free(&head);
}

// Vertices slide along strands that stay where they are: every vertex lies on the strand as drawn, the last one on its tip.
static void fewer_vertices_lie_on_the_same_strand(void **state) {
    (void)state;
    enum { VERTICES = 17 };
    struct head head;
    head_make(&head, "2a", 40, 16, 100, VERTICES);
    struct strands_options options = strands_options(&head);
    struct strands s = strands_open(&options);
    strands_dance(&s, SCENE_MOTION_DANCE, 0, 20);
    float *whole = malloc((size_t)s.vertex_count * 16), *before = malloc((size_t)s.vertex_count * 16);
    memcpy(whole, s.output, (size_t)s.vertex_count * 16);
    memcpy(before, s.output, (size_t)s.vertex_count * 16);
    for (int step = 100; step >= 10; step -= 2) {
        float fraction = (float)step / 100, length = step > 50 ? 1.0f : 0.5f;
        set_params(&s, length, 1, 0.5f, 1, fraction);
        strands_refresh(&s);
        uint32_t kept = 1 + (uint32_t)ceil((double)fraction * (VERTICES - 1) - 1e-6);
        for (uint32_t v = 0; v < s.vertex_count; v++) {
            uint32_t strand = v / VERTICES, number = v % VERTICES;
            double place = fmin((double)number * (length / fraction), (VERTICES - 1) * (double)length);
            uint32_t k = (uint32_t)place < VERTICES - 2 ? (uint32_t)place : VERTICES - 2;
            const float *a = whole + 4 * (strand * VERTICES + k), *b = a + 4;
            float expected[3];
            for (int c = 0; c < 3; c++) expected[c] = (float)(a[c] + (b[c] - a[c]) * (place - k));
            assert_true(distance3(s.output + 4 * v, expected) < 2e-6);
            if (number + 1 >= kept) // on the tip, whose width is half
                assert_true(fabs(s.output[4 * v + 3] / (0.5f * whole[3]) - 1) < 1e-5);
            if (length == 1)
                assert_true(distance3(s.output + 4 * v, before + 4 * v) < 0.02); // two percent fewer of 20 cm
        }
        memcpy(before, s.output, (size_t)s.vertex_count * 16);
    }
    free(whole);
    free(before);
    strands_close(&s);
    head_free(&head);
}

// All instruction sets, thread counts and plain memory that is not aligned give the same bits.
static void bits_do_not_depend_on_threads_or_widths(void **state) {
    (void)state;
    static const uint32_t sets[] = {PLAIT_CPU_SCALAR, PLAIT_CPU_SSE2, PLAIT_CPU_AVX2, PLAIT_CPU_AVX512, PLAIT_CPU_NEON};
    struct head head;
    head_make(&head, "3a", 80, 24, 1500, 23);
    float *first = NULL;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (uint32_t threads = 1; threads <= 3; threads += 2) {
            if (!rig_has_instruction_set(sets[i])) continue;
            struct strands_options options = strands_options(&head);
            options.rig.instruction_set = sets[i];
            options.rig.threads = threads;
            struct strands s = strands_open(&options);
            strands_dance(&s, SCENE_MOTION_DANCE, 0, 12);
            if (!first) {
                first = malloc((size_t)s.vertex_count * 16);
                memcpy(first, s.output, (size_t)s.vertex_count * 16);
            }
            assert_memory_equal(s.output, first, (size_t)s.vertex_count * 16);
            float *shifted = malloc((size_t)s.vertex_count * 16 + 4);
            plait_output_attribute attribute;
            plait_output_desc desc;
            strands_describe(s.vertex_count, shifted + 1, &attribute, &desc);
            assert_ok(plait_hair_set_render_output(s.rig.hair, &desc));
            strands_refresh(&s);
            assert_memory_equal(shifted + 1, first, (size_t)s.vertex_count * 16);
            free(shifted);
            strands_close(&s);
        }
    free(first);
    head_free(&head);
}

static void a_hair_takes_its_render_strands_to_another_device(void **state) {
    (void)state;
    struct head head;
    head_make(&head, "2b", 60, 20, 500, 18);
    struct strands_options options = strands_options(&head);
    struct strands s = strands_open(&options), stays = strands_open(&options);
    static const uint32_t backends[] = {PLAIT_BACKEND_CPU, PLAIT_BACKEND_VULKAN, PLAIT_BACKEND_CPU};
    int frame = 0;
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        plait_device device;
        if (!strands_open_device(&s, backends[i], &device)) continue;
        strands_dance(&s, SCENE_MOTION_DANCE, frame, 10);
        strands_dance(&stays, SCENE_MOTION_DANCE, frame, 10);
        frame += 10;
        assert_ok(plait_hair_set_device(s.rig.hair, device));
        assert_ok(plait_device_close(device));
        memset(s.output, 0, (size_t)s.vertex_count * 16);
        strands_refresh(&s);
        double worst = 0;
        for (uint32_t v = 0; v < s.vertex_count; v++)
            worst = fmax(worst, distance3(s.output + 4 * v, stays.output + 4 * v));
        printf("after a move to backend %u: off by %.1e m at most\n", backends[i], worst);
        assert_true(worst < 2e-4); // strands on another device go other ways, by rounding
    }
    strands_close(&s);
    strands_close(&stays);
    head_free(&head);
}

static void saved_states_know_nothing_of_render_strands(void **state) {
    (void)state;
    struct head head;
    head_make(&head, "2b", 60, 20, 300, 18);
    struct strands_options options = strands_options(&head);
    struct strands s = strands_open(&options);
    struct rig plain = rig_open(&options.rig);
    for (int f = 0; f < 10; f++) {
        float bones[SCENE_BONE_COUNT][12];
        scene_motion_pose(SCENE_MOTION_DANCE, (f + 1) / 60.0, 1, bones);
        rig_step(&s.rig, 1.0f / 60, bones[0], true);
        rig_step(&plain, 1.0f / 60, bones[0], true);
    }
    uint64_t size = 0, plain_size = 0;
    assert_ok(plait_hair_state_size(s.rig.hair, &size));
    assert_ok(plait_hair_state_size(plain.hair, &plain_size));
    assert_int_equal(size, plain_size);
    unsigned char *saved = malloc(size), *plain_saved = malloc(size);
    assert_ok(plait_hair_save(s.rig.hair, saved, size));
    assert_ok(plait_hair_save(plain.hair, plain_saved, size));
    assert_memory_equal(saved, plain_saved, size);
    float *then = malloc((size_t)s.vertex_count * 16);
    strands_refresh(&s);
    memcpy(then, s.output, (size_t)s.vertex_count * 16);
    strands_dance(&s, SCENE_MOTION_DANCE, 10, 10);
    assert_ok(plait_hair_load(s.rig.hair, saved, size));
    strands_refresh(&s);
    assert_memory_equal(then, s.output, (size_t)s.vertex_count * 16);
    assert_ok(plait_hair_set_binding(s.rig.hair, (plait_binding){0}));
    assert_ok(plait_hair_save(s.rig.hair, plain_saved, size));
    assert_memory_equal(saved, plain_saved, size);
    free(saved);
    free(plain_saved);
    free(then);
    rig_close(&plain);
    strands_close(&s);
    head_free(&head);
}

// What is loaded makes the same strands, to the bit; what is damaged, or of other grooms, is refused.
// What a program writes that knows the format, and means harm: with the right checksum.
static plait_result load_forged(const struct strands *s, unsigned char *blob, uint64_t size) {
    const uint64_t at = 8, from = 16;
    uint64_t checksum = hash_bytes(HASH_START, blob + from, size - from);
    memcpy(blob + at, &checksum, sizeof checksum);
    plait_binding loaded = {1};
    plait_result result = plait_binding_load(s->rig.context, s->rig.groom, s->render, blob, size, &loaded);
    if (result == PLAIT_OK) assert_ok(plait_binding_destroy(loaded));
    return result;
}

static void refuses_forged(const struct strands *s, const unsigned char *blob, uint64_t size) {
    enum { GUIDE_COUNT = 20, PLACES = 48, SINGLES = 64, MEAN = 68, RESERVED = 76, HEADER = 80 };
    unsigned char *forged = malloc(size);
    memcpy(forged, blob, size);
    assert_int_equal(load_forged(s, forged, size), PLAIT_OK);
    static const size_t words[] = {GUIDE_COUNT, PLACES, SINGLES, RESERVED};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        memcpy(forged, blob, size);
        forged[words[i]] ^= 7;
        assert_int_equal(load_forged(s, forged, size), PLAIT_ERROR_INVALID_STATE);
    }
    const float wrong[] = {NAN, -1};
    for (int i = 0; i < 2; i++) {
        memcpy(forged, blob, size);
        memcpy(forged + MEAN, &wrong[i], sizeof(float));
        assert_int_equal(load_forged(s, forged, size), PLAIT_ERROR_INVALID_STATE);
    }
    // Weights of the first strand that sum to zero, and to three.
    uint64_t places;
    uint32_t guides;
    memcpy(&places, blob + PLACES, sizeof places);
    memcpy(&guides, blob + GUIDE_COUNT, sizeof guides);
    size_t weights = HEADER + 8 * places + 4 * (size_t)s->strand_count * (1 + guides);
    for (int i = 0; i < 2; i++) {
        memcpy(forged, blob, size);
        for (uint32_t g = 0; g < guides; g++) memcpy(forged + weights + 4 * g, &(float){(float)i}, sizeof(float));
        assert_int_equal(load_forged(s, forged, size), PLAIT_ERROR_INVALID_STATE);
    }
    free(forged);
}

static void bindings_are_saved_and_loaded(void **state) {
    (void)state;
    struct head head;
    head_make(&head, "3a", 60, 20, 300, 18);
    for (uint32_t v = 0; v < 40 * 18;
         v += 18) { // forty strands whose vertices crowd at the tip: they have rows of their own
        float whole[18 * 3];
        memcpy(whole, head.render.positions + 3 * v, sizeof whole);
        for (uint32_t k = 1; k < 17; k++) {
            double at = 17 * sqrt(k / 17.0);
            for (int c = 0; c < 3; c++) {
                const float *a = whole + 3 * (uint32_t)at + c;
                head.render.positions[3 * (v + k) + (uint32_t)c] = (float)(a[0] + (a[3] - a[0]) * (at - (uint32_t)at));
            }
        }
    }
    struct strands_options options = strands_options(&head);
    options.rig.quiet = true;
    struct strands s = strands_open(&options);
    strands_dance(&s, SCENE_MOTION_DANCE, 0, 20);
    float *before = malloc((size_t)s.vertex_count * 16);
    memcpy(before, s.output, (size_t)s.vertex_count * 16);
    uint64_t size = 0;
    assert_ok(plait_binding_save(s.binding, &size, NULL));
    unsigned char *blob = malloc(size);
    uint64_t given = size - 1;
    assert_int_equal(plait_binding_save(s.binding, &given, blob), PLAIT_ERROR_BUFFER_TOO_SMALL);
    assert_int_equal(plait_binding_save(s.binding, NULL, blob), PLAIT_ERROR_INVALID_ARGUMENT);
    given = size;
    assert_ok(plait_binding_save(s.binding, &given, blob));
    assert_int_equal(given, size);
    plait_binding loaded = {1};
    assert_ok(plait_binding_load(s.rig.context, s.rig.groom, s.render, blob, size, &loaded));
    plait_binding_info a = PLAIT_BINDING_INFO_INIT, b = PLAIT_BINDING_INFO_INIT;
    assert_ok(plait_binding_query(s.binding, &a));
    assert_ok(plait_binding_query(loaded, &b));
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.row_count > 100); // more than one for each guide
    assert_ok(plait_hair_set_binding(s.rig.hair, loaded));
    plait_output_attribute attribute;
    plait_output_desc output;
    strands_describe(s.vertex_count, s.output, &attribute, &output);
    assert_ok(plait_hair_set_render_output(s.rig.hair, &output));
    memset(s.output, 0, (size_t)s.vertex_count * 16);
    strands_refresh(&s);
    assert_memory_equal(before, s.output, (size_t)s.vertex_count * 16);
    assert_ok(plait_binding_destroy(loaded));

    assert_int_equal(plait_binding_load(s.rig.context, s.render, s.rig.groom, blob, size, &loaded),
                     PLAIT_ERROR_INVALID_STATE);
    assert_int_equal(plait_binding_load(s.rig.context, s.rig.groom, s.render, blob, size - 8, &loaded),
                     PLAIT_ERROR_INVALID_STATE);
    assert_int_equal(plait_binding_load(s.rig.context, s.rig.groom, s.render, NULL, size, &loaded),
                     PLAIT_ERROR_INVALID_STATE);
    assert_int_equal(plait_binding_load(s.rig.context, s.rig.groom, s.render, blob, 20, &loaded),
                     PLAIT_ERROR_INVALID_STATE);
    refuses_forged(&s, blob, size);
    for (uint64_t at = 0; at < size; at += 1 + at / 7) {
        blob[at] ^= 0x40;
        loaded.id = 1;
        assert_int_equal(plait_binding_load(s.rig.context, s.rig.groom, s.render, blob, size, &loaded),
                         PLAIT_ERROR_INVALID_STATE);
        assert_true(loaded.id == 0);
        blob[at] ^= 0x40;
    }
    free(blob);
    free(before);
    strands_close(&s);
    head_free(&head);
}

// ---- memory ----

static atomic_int allocations;

static void *PLAIT_CALL allocate(void *user, size_t size, size_t alignment) {
    (void)user;
    atomic_fetch_add(&allocations, 1);
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void PLAIT_CALL give_back(void *user, void *pointer, size_t size, size_t alignment) {
    (void)user, (void)size, (void)alignment;
    free(pointer);
}

static plait_result PLAIT_CALL count_progress(void *user, uint32_t done, uint32_t total) {
    uint32_t *seen = user;
    if (done <= *seen || done > total) return PLAIT_ERROR_LIMIT;
    *seen = done;
    return PLAIT_OK;
}

static plait_result PLAIT_CALL end_it(void *user, uint32_t done, uint32_t total) {
    (void)user, (void)done, (void)total;
    return PLAIT_ERROR_TIMEOUT;
}

static void frames_allocate_nothing_and_bindings_tell_of_progress(void **state) {
    (void)state;
    struct head head;
    head_make(&head, "1b", 60, 16, 6000, 9);
    plait_allocator allocator = PLAIT_ALLOCATOR_INIT;
    allocator.allocate = allocate;
    allocator.release = give_back;
    plait_context_desc context_desc = PLAIT_CONTEXT_DESC_INIT;
    context_desc.allocator = &allocator;
    context_desc.thread_count = 2;
    plait_context context;
    plait_device_desc device_desc = PLAIT_DEVICE_DESC_INIT;
    plait_device device;
    plait_groom guides, render;
    plait_hair hair;
    plait_binding binding;
    assert_ok(plait_context_create(&context_desc, &context));
    device_desc.backend = PLAIT_BACKEND_CPU;
    assert_ok(plait_device_open(context, &device_desc, &device));
    assert_ok(plait_groom_create(context, &head.guides_desc, &guides));
    assert_ok(plait_groom_create(context, &head.render_desc, &render));
    plait_hair_desc hair_desc = PLAIT_HAIR_DESC_INIT;
    hair_desc.groom = guides;
    hair_desc.device = device;
    hair_desc.solver = PLAIT_SOLVER_SHAPE;
    assert_ok(plait_hair_create(context, &hair_desc, &hair));
    uint32_t seen = 0;
    plait_binding_desc desc = PLAIT_BINDING_DESC_INIT;
    desc.guides = guides;
    desc.render = render;
    desc.progress = end_it;
    assert_int_equal(plait_binding_create(context, &desc, &binding), PLAIT_ERROR_TIMEOUT);
    assert_true(binding.id == 0);
    desc.progress = count_progress;
    desc.user = &seen;
    assert_ok(plait_binding_create(context, &desc, &binding));
    assert_int_equal(seen, 6000);
    assert_ok(plait_hair_set_binding(hair, binding));
    float *memory = malloc((size_t)head.render.vertex_count * 16);
    plait_output_attribute attribute;
    plait_output_desc output;
    strands_describe(head.render.vertex_count, memory, &attribute, &output);
    assert_ok(plait_hair_set_render_output(hair, &output));
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    assert_ok(plait_hair_step(hair, &frame));
    // With all there is: styles, 16 bits, and colliders.
    plait_render_style style = PLAIT_RENDER_STYLE_INIT;
    assert_ok(plait_render_style_default(&style));
    style.clump = 0.5f;
    style.clump_size = 0.02f;
    style.frizz = 0.002f;
    style.frizz_length = 0.02f;
    attribute.format = PLAIT_FORMAT_UNORM16X4;
    assert_ok(plait_hair_set_render_output(hair, &output));
    plait_collider ball = PLAIT_COLLIDER_INIT;
    ball.kind = PLAIT_COLLIDER_SPHERE;
    ball.radii[0] = 0.1f;
    plait_body_desc body_desc = PLAIT_BODY_DESC_INIT;
    plait_body body;
    body_desc.bone_count = 1;
    body_desc.collider_count = 1;
    body_desc.colliders = &ball;
    assert_ok(plait_body_create(context, &body_desc, &body));
    assert_ok(plait_hair_set_body(hair, body));
    assert_ok(plait_hair_set_render_styles(hair, 1, &style));
    int before = atomic_load(&allocations);
    plait_render_params params = PLAIT_RENDER_PARAMS_INIT;
    assert_ok(plait_render_params_default(&params));
    params.flags = PLAIT_RENDER_PUSH_OUT;
    for (int f = 1; f < 10; f++) {
        params.strand_fraction = 1 - 0.05f * (float)f;
        params.vertex_fraction = 1 - 0.05f * (float)f;
        assert_ok(plait_hair_set_render_params(hair, &params));
        assert_ok(plait_hair_step(hair, &frame));
    }
    assert_int_equal(atomic_load(&allocations), before);
    // Objects live on in the hair when their handles are gone.
    assert_ok(plait_binding_destroy(binding));
    assert_ok(plait_groom_destroy(guides));
    assert_ok(plait_groom_destroy(render));
    assert_ok(plait_hair_step(hair, &frame));
    assert_ok(plait_context_destroy(context));
    free(memory);
    head_free(&head);
}

// ---- what is refused ----

// Side by side or interleaved in one memory, but not over each other, whichever is set first.
static void outputs_do_not_overlap_each_other(void **state) {
    (void)state;
    struct head head;
    head_make(&head, "2b", 20, 20, 50, 16);
    struct strands_options options = strands_options(&head);
    struct strands s = strands_open(&options);
    const uint64_t guides = (uint64_t)s.rig.vertices * 16, render = (uint64_t)s.vertex_count * 16,
                   most = guides + 2 * render;
    float *memory = malloc(most);
    static const struct {
        uint64_t guides_at, guides_stride, render_at, render_stride; // render strands have more vertices than guides
        bool apart;
    } cases[] = {{0, 16, 0, 16, false}, {4, 16, 0, 16, false},  {0, 32, 16, 32, true},
                 {16, 32, 0, 32, true}, {0, 32, 12, 32, false}, {0, 32, 16, 16, false}};
    for (size_t i = 0; i <= sizeof cases / sizeof *cases; i++)
        for (int first = 0; first < 2; first++) {
            bool beside = i == sizeof cases / sizeof *cases;
            plait_output_attribute attributes[2];
            plait_output_desc descs[2];
            strands_describe(s.rig.vertices, memory, &attributes[0], &descs[0]);
            strands_describe(s.vertex_count, memory, &attributes[1], &descs[1]);
            descs[0].size = most;
            descs[1].size = beside ? render : most;
            if (beside) descs[1].memory = (char *)memory + guides;
            attributes[0].offset = beside ? 0 : cases[i].guides_at;
            attributes[1].offset = beside ? 0 : cases[i].render_at;
            attributes[0].stride = beside ? 16 : cases[i].guides_stride;
            attributes[1].stride = beside ? 16 : cases[i].render_stride;
            assert_ok(plait_hair_set_output(s.rig.hair, NULL));
            assert_ok(plait_hair_set_render_output(s.rig.hair, NULL));
            plait_result set = first == 0 ? plait_hair_set_output(s.rig.hair, &descs[0])
                                          : plait_hair_set_render_output(s.rig.hair, &descs[1]);
            assert_int_equal(set, PLAIT_OK);
            set = first == 1 ? plait_hair_set_output(s.rig.hair, &descs[0])
                             : plait_hair_set_render_output(s.rig.hair, &descs[1]);
            assert_int_equal(set, beside || cases[i].apart ? PLAIT_OK : PLAIT_ERROR_INVALID_ARGUMENT);
            strands_dance(&s, SCENE_MOTION_DANCE, 0, 1);
        }
    free(memory);
    strands_close(&s);
    head_free(&head);
}

static void wrong_calls_are_refused_and_change_nothing(void **state) {
    (void)state;
    struct head head;
    head_make(&head, "1b", 20, 12, 60, 9);
    struct strands_options options = strands_options(&head);
    options.rig.quiet = true;
    struct strands s = strands_open(&options);
    strands_dance(&s, SCENE_MOTION_DANCE, 0, 5);
    plait_binding_desc desc = PLAIT_BINDING_DESC_INIT;
    plait_binding other = {1};
    desc.guides = s.rig.groom;
    assert_int_equal(plait_binding_create(s.rig.context, &desc, &other), PLAIT_ERROR_INVALID_HANDLE);
    assert_true(other.id == 0);
    desc.render = s.render;
    assert_int_equal(plait_binding_create(s.rig.context, &desc, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(plait_binding_create(s.rig.context, NULL, &other), PLAIT_ERROR_INVALID_ARGUMENT);
    desc.guide_count = 5;
    assert_int_equal(plait_binding_create(s.rig.context, &desc, &other), PLAIT_ERROR_INVALID_ARGUMENT);
    desc.guide_count = 0;
    desc.flags = 2;
    assert_int_equal(plait_binding_create(s.rig.context, &desc, &other), PLAIT_ERROR_INVALID_ARGUMENT);
    desc.flags = 0;
    desc.parting_angle = 4;
    assert_int_equal(plait_binding_create(s.rig.context, &desc, &other), PLAIT_ERROR_INVALID_ARGUMENT);
    // A binding to other guides.
    desc = (plait_binding_desc)PLAIT_BINDING_DESC_INIT;
    desc.guides = s.render;
    desc.render = s.rig.groom;
    assert_ok(plait_binding_create(s.rig.context, &desc, &other));
    assert_int_equal(plait_hair_set_binding(s.rig.hair, other), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_ok(plait_binding_destroy(other));
    assert_int_equal(plait_hair_set_binding(s.rig.hair, other), PLAIT_ERROR_INVALID_HANDLE);
    // Memory that is too small, and a hair without a binding.
    plait_output_attribute attribute;
    plait_output_desc output;
    strands_describe(s.vertex_count, s.output, &attribute, &output);
    output.size -= 1;
    assert_int_equal(plait_hair_set_render_output(s.rig.hair, &output), PLAIT_ERROR_BUFFER_TOO_SMALL);
    plait_render_params params = PLAIT_RENDER_PARAMS_INIT;
    assert_int_equal(plait_hair_set_render_params(s.rig.hair, &params), PLAIT_ERROR_INVALID_ARGUMENT); // length 0
    float *before = malloc((size_t)s.vertex_count * 16);
    memcpy(before, s.output, (size_t)s.vertex_count * 16);
    memset(s.output, 0, (size_t)s.vertex_count * 16);
    strands_refresh(&s);
    assert_memory_equal(before, s.output, (size_t)s.vertex_count * 16);
    assert_ok(plait_hair_set_binding(s.rig.hair, (plait_binding){0}));
    output.size += 1;
    assert_int_equal(plait_hair_set_render_output(s.rig.hair, &output), PLAIT_ERROR_UNSUPPORTED);
    memset(s.output, 0, (size_t)s.vertex_count * 16);
    strands_refresh(&s);
    for (uint32_t i = 0; i < 4 * s.vertex_count; i++) assert_true(s.output[i] == 0);
    free(before);
    strands_close(&s);
    head_free(&head);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_agree_with_each_other),
        cmocka_unit_test(bounds_hold_all_strands),
        cmocka_unit_test(fewer_strands_are_wider_and_none_pops),
        cmocka_unit_test(brows_of_ten_strands_cover_as_much),
        cmocka_unit_test(fewer_vertices_lie_on_the_same_strand),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_widths),
        cmocka_unit_test(a_hair_takes_its_render_strands_to_another_device),
        cmocka_unit_test(saved_states_know_nothing_of_render_strands),
        cmocka_unit_test(bindings_are_saved_and_loaded),
        cmocka_unit_test(frames_allocate_nothing_and_bindings_tell_of_progress),
        cmocka_unit_test(outputs_do_not_overlap_each_other),
        cmocka_unit_test(wrong_calls_are_refused_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
