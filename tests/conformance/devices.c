// Every device gives the same motion for every solver: against the scalar CPU build, against itself, and with states
// that move between devices.
#include "places.h"
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool available(const struct place *place) {
    static enum { UNKNOWN, YES, NO } known[PLACES]; // opening a device takes a software GPU longer than many a test
    if (known[place - places]) return known[place - places] == YES;
    plait_context context;
    assert_ok(plait_context_create(NULL, &context));
    plait_device device;
    bool opened = place_open(place, context, &device);
    if (opened) assert_ok(plait_device_close(device));
    assert_ok(plait_context_destroy(context));
    known[place - places] = opened ? YES : NO;
    return opened;
}

// A curly head of mixed lengths with a whole body.
struct scene {
    scene_groom groom;
    scene_body body;
    plait_groom_desc groom_desc;
    plait_body_desc body_desc;
    plait_shape_params params;
    plait_hybrid_params rods;
};

static void scene_open(struct scene *s, uint32_t strands) {
    scene_preset preset;
    assert_true(scene_preset_get(scene_preset_find("3a"), strands, 40, 5, &preset));
    preset.groom.binding = SCENE_BINDING_HEAD_NECK;
    assert_true(scene_groom_make(&preset.groom, &s->groom));
    rig_cut_lengths(&s->groom);
    s->params = preset.shape;
    s->rods = (plait_hybrid_params)PLAIT_HYBRID_PARAMS_INIT;
    assert_ok(plait_hybrid_params_default(1, &s->rods));
    scene_body_make(NULL, &s->body);
    s->groom_desc = (plait_groom_desc)PLAIT_GROOM_DESC_INIT;
    s->body_desc = (plait_body_desc)PLAIT_BODY_DESC_INIT;
    scene_groom_describe(&s->groom, &s->groom_desc);
    scene_body_describe(&s->body, &s->body_desc);
}

// What the suite knows about a solver. The tests run for each of these; a solver of the library that is missing here is
// a failure.
struct solver_case {
    const char *name;
    uint32_t id;
    const void *(*params)(const struct scene *scene); // null: defaults
    uint32_t stage_counts[2];                         // of a step, with the root stage: on the CPU, on others
    const char *last_stage;
    uint32_t parts;         // into which a step of 1/60 s is cut
    uint32_t strands;       // as many, for as many
    int frames;             // frames, as a software GPU makes in seconds
    bool afresh;            // a GPU begins every frame with the state of the scalar CPU
    double mean_m, worst_m; // what a GPU may be off by, after a second of motion or after each frame
    double stray_share;     // of vertices after a contact, which may be off by STRAY_M
};
#define STRAY_M 1e-2
#define MOST_STAGES 24

// Rods on GPUs take the same step by other kernels than on the CPU, with other roundings; those kernels are held against the
// scalar CPU one by one, to the bit where a place is exact.
static bool is_exact(const struct solver_case *solver, const struct place *place) {
    bool same_kernels = solver->stage_counts[0] == solver->stage_counts[1] || place->backend == PLAIT_BACKEND_CPU;
    return same_kernels && place_is_exact(place);
}

static uint32_t stage_count(const struct solver_case *solver, const struct place *place) {
    return solver->stage_counts[place->backend != PLAIT_BACKEND_CPU];
}

static const void *shape_params(const struct scene *s) { return &s->params; }
static const void *hybrid_params(const struct scene *s) { return &s->rods; }

// Not of those that are exact. A GPU contracts and rounds its own way, and a second of motion amplifies that, most of
// all where a contact is made a step earlier or later. A tenth of a hair's radius on average cannot be seen; 0.1 mm is
// what a tip may be off by after such a contact.
//
// Rods that dance on a body are chaotic: a millionth of gravity in one frame on the CPU grows to 4 mm on average and 16
// cm at the most within a second, as much as a GPU makes of its roundings. So a GPU is held against every frame by
// itself: 3 um on average (measured: 1.1), and 0.1 mm but for three vertices in ten thousand, whose contact turns out
// otherwise by a rounding (measured: 0.7 in ten thousand, up to 4.5 mm).
static struct solver_case solvers[] = {
    {"shape", PLAIT_SOLVER_SHAPE, shape_params, {2, 2}, "shape", 1, 72, 60, false, 4e-6, 1e-4, 0},
    {"hybrid", PLAIT_SOLVER_HYBRID, hybrid_params, {13, 17}, "rod_end", 2, 24, 3, true, 3e-6, 1e-4, 3e-4},
};
enum { SOLVERS = sizeof solvers / sizeof solvers[0] };

static struct rig open_at(const struct scene *s, const struct solver_case *solver, const struct place *place) {
    struct rig_options options = rig_options(&s->groom_desc);
    options.body = &s->body_desc;
    options.solver = solver->id;
    options.params = solver->params ? solver->params(s) : NULL;
    options.backend = place->backend;
    options.instruction_set = place->instruction_set;
    if (place->hosted) options.device_next = place_host();
    return rig_open(&options);
}

static void run_frames(struct rig *rig, int first, int count, double fps) {
    float bones[SCENE_BONE_COUNT][12];
    for (int f = first; f < first + count; f++) {
        scene_motion_pose(SCENE_MOTION_DANCE, f / fps, 3, bones);
        rig_step(rig, (float)(1 / fps), &bones[0][0], true);
    }
}

struct difference {
    double sum, worst;
    uint32_t count, strays; // vertices, and those that are off by more than worst_m
};

static void compare(struct difference *d, const struct solver_case *solver, struct rig *rig, const float *expected) {
    float *positions = rig_positions(rig);
    for (uint32_t v = 0; v < rig->vertices; v++) {
        double off = distance3(positions + 3 * (size_t)v, expected + 3 * (size_t)v);
        d->sum += off;
        d->worst = fmax(d->worst, off);
        d->strays += !(off < solver->worst_m);
    }
    d->count += rig->vertices;
    free(positions);
}

// Both, because a hair that was loaded has forgotten its last step, which frames between steps show.
static void take_state_of(struct rig *other, struct rig *rig) {
    uint64_t size;
    assert_ok(plait_hair_state_size(other->hair, &size));
    void *state = malloc(size);
    assert_non_null(state);
    assert_ok(plait_hair_save(other->hair, state, size));
    assert_ok(plait_hair_load(rig->hair, state, size));
    assert_ok(plait_hair_load(other->hair, state, size));
    free(state);
}

// The rig's motion against that of the scalar CPU, at its end or frame by frame.
static struct difference run_beside(const struct scene *s, const struct solver_case *solver, struct rig *rig,
                                    bool afresh, double fps) {
    struct difference d = {0};
    struct rig reference = open_at(s, solver, &places[0]);
    for (int f = 0; f < solver->frames; f++) {
        if (afresh) take_state_of(&reference, rig);
        run_frames(&reference, f, 1, fps);
        run_frames(rig, f, 1, fps);
        if (!afresh && f < solver->frames - 1) continue;
        float *expected = rig_positions(&reference);
        compare(&d, solver, rig, expected);
        free(expected);
    }
    rig_close(&reference);
    return d;
}

static void every_device_agrees_with_the_scalar_cpu(void **state) {
    const struct solver_case *solver = *state;
    struct scene s;
    scene_open(&s, solver->strands);
    for (double fps = 60; fps < 150; fps += 84)
        for (size_t i = 1; i < PLACES; i++) {
            if (!available(&places[i])) continue;
            bool exact = is_exact(solver, &places[i]);
            struct rig rig = open_at(&s, solver, &places[i]);
            struct difference d = run_beside(&s, solver, &rig, solver->afresh && !exact, fps);
            double mean = d.sum / d.count, strays = (double)d.strays / d.count;
            printf("%s on %s at %g fps: mean %.2e m, worst %.2e m, %.1e of all off by more than %.0e m\n", solver->name,
                   places[i].name, fps, mean, d.worst, strays, solver->worst_m);
            if (exact) {
                assert_true(d.worst == 0);
            } else {
                assert_true(mean < solver->mean_m);
                assert_true(strays <= solver->stray_share && d.worst < STRAY_M);
            }
            assert_int_equal(rig_stats(&rig).nonfinite_strand_count, 0);
            rig_close(&rig);
        }
    scene_groom_free(&s.groom);
}

// Carried ten kilometres, then four metres, to where the hair's own origin follows soon as it goes on. The host's origin
// changes every third frame.
static void every_device_agrees_far_away(void **state) {
    const struct solver_case *solver = *state;
    const int frames = solver->afresh ? 7 : 12;
    struct scene s;
    scene_open(&s, solver->strands);
    for (size_t i = 1; i < PLACES; i++) {
        if (!available(&places[i])) continue;
        bool exact = is_exact(solver, &places[i]);
        struct rig rig = open_at(&s, solver, &places[i]), reference = open_at(&s, solver, &places[0]);
        struct difference d = {0};
        for (int f = 0; f < frames; f++) {
            float bones[SCENE_BONE_COUNT][12];
            double way = f == 0 ? 0 : f == 1 ? 1e4 : 1e4 + 3.98 + 0.005 * f, origin = f == 0 ? 0 : 1e4 + f / 3 * 0.7;
            if (f > 1 && !exact) take_state_of(&reference, &rig);
            scene_motion_pose(SCENE_MOTION_DANCE, f / 60.0, 3, bones);
            for (int b = 0; b < SCENE_BONE_COUNT; b++) bones[b][3] += (float)(way - origin);
            plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
            frame.dt = f == 1 || f == 2 ? 0 : 1.0f / 60;
            frame.bones = bones[0];
            frame.bone_count = SCENE_BONE_COUNT;
            frame.gravity[1] = -9.81f;
            frame.origin[0] = origin;
            assert_ok(plait_hair_step(reference.hair, &frame));
            assert_ok(plait_hair_step(rig.hair, &frame));
            frame.dt = 0; // seen from a point nearby
            frame.bones = NULL;
            frame.origin[0] = way;
            assert_ok(plait_hair_step(reference.hair, &frame));
            assert_ok(plait_hair_step(rig.hair, &frame));
            float *expected = rig_positions(&reference);
            compare(&d, solver, &rig, expected);
            free(expected);
        }
        double mean = d.sum / d.count, strays = (double)d.strays / d.count;
        printf("%s far away on %s: mean %.2e m, worst %.2e m, %.1e of all off by more than %.0e m\n", solver->name,
               places[i].name, mean, d.worst, strays, solver->worst_m);
        if (exact) {
            assert_true(d.worst == 0);
        } else {
            assert_true(mean < solver->mean_m);
            assert_true(strays <= solver->stray_share && d.worst < STRAY_M);
        }
        rig_close(&rig);
        rig_close(&reference);
    }
    scene_groom_free(&s.groom);
}

static void every_device_repeats_itself_to_the_bit(void **state) {
    const struct solver_case *solver = *state;
    struct scene s;
    scene_open(&s, solver->strands);
    for (size_t i = 0; i < PLACES; i++) {
        if (!available(&places[i])) continue;
        struct rig a = open_at(&s, solver, &places[i]), b = open_at(&s, solver, &places[i]);
        run_frames(&a, 0, solver->frames, 60);
        run_frames(&b, 0, solver->frames, 60);
        float *first = rig_positions(&a), *second = rig_positions(&b);
        assert_memory_equal(first, second, (size_t)a.vertices * 12);
        free(first);
        free(second);
        rig_close(&a);
        rig_close(&b);
    }
    scene_groom_free(&s.groom);
}

// A state saved on one device and loaded on another is the same state, and goes on without a jump.
static void states_go_from_device_to_device(void **state) {
    const struct solver_case *solver = *state;
    struct scene s;
    scene_open(&s, solver->strands);
    struct rig from = open_at(&s, solver, &places[0]);
    run_frames(&from, 0, 30, 60);
    uint64_t size;
    assert_ok(plait_hair_state_size(from.hair, &size));
    unsigned char *saved = malloc(size), *again = malloc(size);
    assert_true(saved && again);
    assert_ok(plait_hair_save(from.hair, saved, size));
    run_frames(&from, 30, 1, 60);
    float *expected = rig_positions(&from);
    for (size_t i = 1; i < PLACES; i++) {
        if (!available(&places[i])) continue;
        struct rig to = open_at(&s, solver, &places[i]);
        assert_ok(plait_hair_load(to.hair, saved, size));
        assert_ok(plait_hair_save(to.hair, again, size));
        assert_memory_equal(saved, again, size);
        run_frames(&to, 30, 1, 60);
        struct difference d = {0};
        compare(&d, solver, &to, expected);
        assert_true(d.sum / d.count < solver->mean_m && d.strays <= solver->stray_share * d.count);
        assert_true(is_exact(solver, &places[i]) ? d.worst == 0 : d.worst < STRAY_M);
        rig_close(&to);
    }
    free(expected);
    free(saved);
    free(again);
    rig_close(&from);
    scene_groom_free(&s.groom);
}

// Output straight into the host's memory, with gaps that are the host's own, and everything a host may change on the
// way.
static void devices_write_only_what_was_asked_for(void **state) {
    const struct solver_case *solver = *state;
    struct scene s;
    scene_open(&s, solver->strands);
    for (size_t i = 0; i < PLACES; i++) {
        if (!available(&places[i])) continue;
        struct rig rig = open_at(&s, solver, &places[i]);
        size_t floats = (size_t)rig.vertices * 12 + 5;
        float *memory = malloc(floats * sizeof *memory);
        assert_non_null(memory);
        for (size_t k = 0; k < floats; k++) memory[k] = 12345;
        plait_output_attribute attributes[3] = {PLAIT_OUTPUT_ATTRIBUTE_INIT, PLAIT_OUTPUT_ATTRIBUTE_INIT,
                                                PLAIT_OUTPUT_ATTRIBUTE_INIT};
        for (uint32_t k = 0; k < 3; k++) { // four floats of position, three each of the others, two of nobody's
            attributes[k].attribute = PLAIT_ATTRIBUTE_POSITION + k;
            attributes[k].format = k == 0 ? PLAIT_FORMAT_FLOAT32X4 : PLAIT_FORMAT_FLOAT32X3;
            attributes[k].offset = k == 0 ? 0 : 16 + 12 * (k - 1);
            attributes[k].stride = 48;
        }
        plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
        output.attribute_count = 3;
        output.attributes = attributes;
        output.memory = memory;
        output.size = floats * sizeof *memory;
        assert_ok(plait_hair_set_output(rig.hair, &output));
        run_frames(&rig, 0, 10, 60);
        assert_ok(plait_hair_set_body(rig.hair, (plait_body){0}));
        run_frames(&rig, 10, 2, 60);
        assert_ok(plait_hair_set_body(rig.hair, rig.body));
        float *before = rig_positions(&rig);
        run_frames(&rig, 12, 1, 60);
        assert_ok(plait_hair_wait(rig.hair, UINT64_MAX));
        float *now = rig_positions(&rig);
        for (uint32_t v = 0; v < rig.vertices; v++) {
            const float *vertex = memory + 12 * (size_t)v;
            assert_memory_equal(vertex, now + 3 * v, 12);
            assert_true(vertex[3] > 1e-6f && vertex[3] < 1e-3f);
            assert_true(fabs(distance3(vertex + 4, (float[3]){0, 0, 0}) - 1) < 1e-5);
            assert_memory_equal(vertex + 7, before + 3 * v, 12);
            assert_true(vertex[10] == 12345 && vertex[11] == 12345);
        }
        for (size_t k = floats - 5; k < floats; k++) assert_true(memory[k] == 12345);
        assert_ok(plait_hair_set_output(rig.hair, NULL));
        free(before);
        free(now);
        free(memory);
        rig_close(&rig);
    }
    scene_groom_free(&s.groom);
}

// The box for culling is that of the output: no smaller, and larger by roundings only.
static void bounds_fit_the_output(void **state) {
    const struct solver_case *solver = *state;
    struct scene s;
    scene_open(&s, solver->strands);
    for (size_t i = 0; i < PLACES; i++) {
        if (!available(&places[i])) continue;
        struct rig rig = open_at(&s, solver, &places[i]);
        plait_hair_info info = PLAIT_HAIR_INFO_INIT;
        assert_ok(plait_hair_query(rig.hair, &info));
        for (int c = 0; c < 3; c++) assert_true(info.bounds_min[c] == 0 && info.bounds_max[c] == 0);
        float(*memory)[4] = malloc(rig.vertices * sizeof *memory);
        assert_non_null(memory);
        struct rig_output output;
        rig_describe_output(rig.vertices, memory, &output);
        output.attribute.format = PLAIT_FORMAT_FLOAT32X4;
        output.attribute.stride = sizeof *memory;
        output.desc.size = rig.vertices * sizeof *memory;
        assert_ok(plait_hair_set_output(rig.hair, &output.desc));
        for (int f = 0; f < 4; f++) { // the second frame's box must not hold the first's
            run_frames(&rig, 10 * f, 1, 60);
            assert_ok(plait_hair_wait(rig.hair, UINT64_MAX));
            assert_ok(plait_hair_query(rig.hair, &info));
            for (int c = 0; c < 3; c++) {
                float low = INFINITY, high = -INFINITY;
                for (uint32_t v = 0; v < rig.vertices; v++) {
                    low = fminf(low, memory[v][c] - memory[v][3]);
                    high = fmaxf(high, memory[v][c] + memory[v][3]);
                }
                assert_true(info.bounds_min[c] <= low + 1e-6f && info.bounds_min[c] > low - 1e-6f);
                assert_true(info.bounds_max[c] >= high - 1e-6f && info.bounds_max[c] < high + 1e-6f);
            }
        }
        assert_ok(plait_hair_set_output(rig.hair, NULL));
        free(memory);
        rig_close(&rig);
    }
    scene_groom_free(&s.groom);
}

// Stage times add up and devices say what they are.
static void devices_keep_their_books(void **state) {
    const struct solver_case *solver = *state;
    struct scene s;
    scene_open(&s, solver->strands);
    for (size_t i = 0; i < PLACES; i++) {
        if (!available(&places[i])) continue;
        struct rig rig = open_at(&s, solver, &places[i]);
        run_frames(&rig, 0, 20, 60);
        assert_ok(plait_hair_wait(rig.hair, UINT64_MAX));
        plait_stage_info stages[MOST_STAGES];
        for (int k = 0; k < MOST_STAGES; k++) stages[k] = (plait_stage_info)PLAIT_STAGE_INFO_INIT;
        uint32_t count = MOST_STAGES;
        assert_ok(plait_hair_stages(rig.hair, &count, stages));
        assert_int_equal(count, stage_count(solver, &places[i]));
        assert_string_equal(stages[0].name, "roots");
        assert_string_equal(stages[count - 1].name, solver->last_stage);
        for (uint32_t k = 0; k < count; k++) {
            assert_int_equal(stages[k].run_count, 20 * solver->parts);
            assert_true(stages[k].total_s > 0);
        }
        plait_stats_info stats = rig_stats(&rig);
        bool by_commands = places[i].backend != PLAIT_BACKEND_CPU,
             by_barriers = places[i].backend == PLAIT_BACKEND_VULKAN;
        assert_int_equal(stats.dispatches_per_step, by_commands ? stage_count(solver, &places[i]) : 0);
        assert_true(by_barriers ? stats.barriers_per_step > stage_count(solver, &places[i])
                                : stats.barriers_per_step == 0);
        plait_device_info info = PLAIT_DEVICE_INFO_INIT;
        assert_ok(plait_device_query(rig.device, &info));
        assert_int_equal(info.backend, places[i].backend);
        assert_true(info.memory_used_bytes > 0 && info.pack_width > 0 && info.name[0]);
        rig_close(&rig);
    }
    scene_groom_free(&s.groom);
}

// Strands of all lengths in a wind that goes round: the long ones do not come to rest. Steps are few, for software GPUs.
static plait_stats_info stats_in_gusts(const struct solver_case *solver, const struct place *place) {
    enum { STRANDS = 40, VERTICES = 12, FRAMES = 55 };
    struct straight straight = straight_make(STRANDS, VERTICES, 0.2f, (float[3]){0, -1, 0});
    for (int i = 0; i < STRANDS; i++)
        for (int v = 0; v < VERTICES; v++) straight.positions[3 * (VERTICES * i + v) + 1] *= 0.02f + 0.03f * (float)i;
    struct rig_options options = rig_options(&straight.desc);
    options.solver = solver->id;
    options.backend = place->backend;
    options.instruction_set = place->instruction_set;
    if (place->hosted) options.device_next = place_host();
    options.hair.step_rate_hz = 10;
    options.hair.flags = PLAIT_HAIR_WATCH_MOTION;
    struct rig rig = rig_open(&options);
    for (int f = 0; f < FRAMES; f++) {
        plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
        frame.dt = 0.1f;
        frame.gravity[1] = -9.81f;
        frame.wind[0] = (float)cos(0.2 * f);
        frame.wind[2] = (float)sin(0.2 * f);
        assert_ok(plait_hair_step(rig.hair, &frame));
    }
    plait_stats_info stats = rig_stats(&rig);
    plait_stage_info stages[MOST_STAGES];
    for (int k = 0; k < MOST_STAGES; k++) stages[k] = (plait_stage_info)PLAIT_STAGE_INFO_INIT;
    uint32_t count = MOST_STAGES;
    assert_ok(plait_hair_stages(rig.hair, &count, stages));
    assert_int_equal(count, stage_count(solver, place) + 1);
    assert_string_equal(stages[count - 1].name, "watch");
    assert_int_equal(stages[count - 1].run_count, FRAMES);
    rig_close(&rig);
    straight_free(&straight);
    return stats;
}

// What it tells comes from positions, whatever the solver. Rods would take 660 steps of 1/120 s for it.
static void every_device_tells_the_same_of_motion(void **state) {
    const struct solver_case *solver = *state;
    if (solver->id != PLAIT_SOLVER_SHAPE) return;
    plait_stats_info expected = stats_in_gusts(solver, &places[0]);
    printf("%s: %u of %u strands restless, rms %g m/s, fastest %g m/s\n", solver->name,
           (unsigned)expected.restless_strand_count, expected.strand_count, (double)expected.rms_speed,
           (double)expected.fastest_speed);
    assert_true(expected.restless_strand_count > 0 && expected.restless_strand_count < expected.strand_count);
    for (size_t i = 1; i < PLACES; i++) {
        if (!available(&places[i])) continue;
        plait_stats_info stats = stats_in_gusts(solver, &places[i]);
        assert_int_equal(stats.restless_strand_count, expected.restless_strand_count);
        assert_int_equal(stats.knotted_strand_count, 0);
        double off = is_exact(solver, &places[i]) ? 0 : 1e-3;
        assert_true(fabs((double)stats.rms_speed - expected.rms_speed) <= off * expected.rms_speed);
        assert_true(fabs((double)stats.fastest_speed - expected.fastest_speed) <= off * expected.fastest_speed);
    }
}

// One bone of two is thrown so far in one step that float32 overflows for the strands that hang on it.
static void every_device_reports_strands_that_overflow(void **state) {
    (void)state;
    struct straight straight = straight_make(6, 10, 0.1f, (float[3]){0, -1, 0});
    uint32_t bones_of[6] = {0, 1, 0, 1, 0, 0};
    straight.desc.bone_count = 2;
    straight.desc.root_bones = bones_of;
    float bones[2][12];
    for (int b = 0; b < 2; b++) bone_identity(bones[b]);
    bones[1][3] = 9e8f;
    for (size_t i = 0; i < PLACES; i++) {
        if (!available(&places[i])) continue;
        struct rig_options options = rig_options(&straight.desc);
        options.backend = places[i].backend;
        options.instruction_set = places[i].instruction_set;
        if (places[i].hosted) options.device_next = place_host();
        options.hair.meters_per_unit = 1e6f; // host units of a thousand kilometres
        options.hair.step_rate_hz = 10000;
        struct rig rig = rig_open(&options);
        for (int f = 0; f < 20; f++) {
            rig_step(&rig, 1e-4f, f == 0 ? &bones[0][0] : NULL, false);
            assert_ok(plait_hair_wait(rig.hair, UINT64_MAX)); // what a frame finds the next one tells
        }
        assert_true(rig_stats(&rig).nonfinite_strand_count >= 2);
        rig_close(&rig);
    }
    straight_free(&straight);
}

// The library itself tells which solvers exist: it accepts their ids and no others.
static void every_solver_is_in_this_suite(void **state) {
    (void)state;
    struct straight straight = straight_make(1, 3, 0.1f, (float[3]){0, -1, 0});
    plait_context context; // without a log: most ids are refused
    plait_device device;
    plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
    assert_ok(plait_context_create(NULL, &context));
    assert_true(place_open(&places[0], context, &device));
    desc.device = device;
    assert_ok(plait_groom_create(context, &straight.desc, &desc.groom));
    for (desc.solver = 0; desc.solver < 256; desc.solver++) {
        plait_hair hair;
        bool taken = plait_hair_create(context, &desc, &hair) == PLAIT_OK, listed = false;
        for (size_t i = 0; i < SOLVERS; i++) listed |= solvers[i].id == desc.solver;
        if (taken) assert_ok(plait_hair_destroy(hair));
        if (taken != listed)
            fail_msg("solver %u is %s", desc.solver,
                     taken ? "not in this suite" : "in this suite but not in the library");
    }
    assert_ok(plait_groom_destroy(desc.groom));
    assert_ok(plait_device_close(device));
    assert_ok(plait_context_destroy(context));
    straight_free(&straight);
}

int main(void) {
    static const struct CMUnitTest of_solvers[] = {
        cmocka_unit_test(every_device_agrees_with_the_scalar_cpu),
        cmocka_unit_test(every_device_agrees_far_away),
        cmocka_unit_test(every_device_repeats_itself_to_the_bit),
        cmocka_unit_test(states_go_from_device_to_device),
        cmocka_unit_test(devices_write_only_what_was_asked_for),
        cmocka_unit_test(bounds_fit_the_output),
        cmocka_unit_test(devices_keep_their_books),
        cmocka_unit_test(every_device_tells_the_same_of_motion),
    };
    enum { EACH = sizeof of_solvers / sizeof of_solvers[0] };
    static char names[SOLVERS * EACH][96];
    struct CMUnitTest tests[SOLVERS * EACH + 2] = {[SOLVERS * EACH] = cmocka_unit_test(every_solver_is_in_this_suite),
                                                   [SOLVERS * EACH + 1] =
                                                       cmocka_unit_test(every_device_reports_strands_that_overflow)};
    for (size_t i = 0; i < SOLVERS * EACH; i++) {
        tests[i] = of_solvers[i % EACH];
        tests[i].initial_state = &solvers[i / EACH];
        snprintf(names[i], sizeof names[i], "%s: %s", solvers[i / EACH].name, tests[i].name);
        tests[i].name = names[i];
    }
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    places_close();
    return failures;
}
