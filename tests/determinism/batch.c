// Many hairs at once move as they do one after the other, to the bit: whatever the solver, couplings, output, threads, job
// system and devices are.
#include "rig.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 14, MOST_HAIRS = 16, MOST_DEVICES = 3 };

struct kind {
    uint32_t strands, vertices, solver;
    bool body, volume, render, watched;
    float rate;
};

// Small ones, ones that are worth more than a thread, and one of each coupling.
static const struct kind kinds[] = {
    {.strands = 21, .vertices = 12, .solver = PLAIT_SOLVER_SHAPE, .body = true, .rate = 60},
    {.strands = 33, .vertices = 8, .solver = PLAIT_SOLVER_HYBRID, .rate = 60},
    {.strands = 700, .vertices = 16, .solver = PLAIT_SOLVER_SHAPE, .body = true, .watched = true, .rate = 100},
    {.strands = 40, .vertices = 8, .solver = PLAIT_SOLVER_SHAPE, .render = true, .rate = 120},
    {.strands = 60, .vertices = 9, .solver = PLAIT_SOLVER_HYBRID, .body = true, .volume = true, .rate = 60},
    {.strands = 600, .vertices = 15, .solver = PLAIT_SOLVER_HYBRID, .rate = 60},
    {.strands = 1, .vertices = 2, .solver = PLAIT_SOLVER_SHAPE, .rate = 30},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct crowd {
    plait_context context;
    plait_device devices[MOST_DEVICES];
    uint32_t device_count, count;
    plait_body body;
    plait_hair hairs[MOST_HAIRS];
    float *outputs[MOST_HAIRS];
    size_t output_bytes[MOST_HAIRS];
};

// ---- one crowd ----

static void PLAIT_CALL print(void *user, uint32_t level, int32_t id, const char *text) {
    (void)user, (void)level, (void)id;
    fprintf(stderr, "plait: %s\n", text);
}

static void open_crowd(struct crowd *c, uint32_t threads, const plait_jobs *jobs) {
    memset(c, 0, sizeof *c);
    plait_logger logger = PLAIT_LOGGER_INIT;
    logger.log = print;
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    desc.logger = &logger;
    desc.jobs = jobs;
    desc.thread_count = jobs ? 0 : threads;
    assert_ok(plait_context_create(&desc, &c->context));
    plait_collider ball = PLAIT_COLLIDER_INIT;
    ball.kind = PLAIT_COLLIDER_SPHERE;
    ball.points[0][1] = -0.15f;
    ball.radii[0] = 0.1f;
    plait_body_desc body = PLAIT_BODY_DESC_INIT;
    body.bone_count = 1;
    body.collider_count = 1;
    body.colliders = &ball;
    assert_ok(plait_body_create(c->context, &body, &c->body));
}

static bool add_device(struct crowd *c, uint32_t backend) {
    plait_backend_info infos[8];
    uint32_t count = 8;
    for (uint32_t i = 0; i < count; i++) infos[i] = (plait_backend_info)PLAIT_BACKEND_INFO_INIT;
    assert_ok(plait_backend_enumerate(c->context, &count, infos));
    for (uint32_t i = 0; i < count; i++)
        if (infos[i].backend == backend && !infos[i].available) return false;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = backend;
    assert_ok(plait_device_open(c->context, &desc, &c->devices[c->device_count++]));
    return true;
}

static void set_output(struct crowd *c, const struct kind *kind) {
    uint32_t i = c->count, vertices = kind->strands * kind->vertices * (kind->render ? 3 : 1);
    struct rig_output output;
    c->output_bytes[i] = (size_t)vertices * 12;
    c->outputs[i] = calloc(1, c->output_bytes[i]);
    rig_describe_output(vertices, c->outputs[i], &output);
    assert_ok(kind->render ? plait_hair_set_render_output(c->hairs[i], &output.desc)
                           : plait_hair_set_output(c->hairs[i], &output.desc));
}

static void add_binding(struct crowd *c, const struct kind *kind, plait_groom guides) {
    struct straight strands = straight_make(3 * kind->strands, kind->vertices, 0.18f, (float[3]){0, 0.6f, 0.8f});
    for (uint32_t v = 0; v < 3 * kind->strands * kind->vertices; v++)
        strands.positions[3 * v] /= 3; // as wide as the guides
    plait_groom render;
    plait_binding binding;
    plait_binding_desc desc = PLAIT_BINDING_DESC_INIT;
    assert_ok(plait_groom_create(c->context, &strands.desc, &render));
    desc.guides = guides;
    desc.render = render;
    assert_ok(plait_binding_create(c->context, &desc, &binding));
    assert_ok(plait_hair_set_binding(c->hairs[c->count], binding));
    assert_ok(plait_binding_destroy(binding));
    assert_ok(plait_groom_destroy(render));
    straight_free(&strands);
}

static void add_hair(struct crowd *c, const struct kind *kind, plait_device device) {
    struct straight strands = straight_make(kind->strands, kind->vertices, 0.2f, (float[3]){0, 0.6f, 0.8f});
    plait_groom groom;
    assert_ok(plait_groom_create(c->context, &strands.desc, &groom));
    plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
    desc.groom = groom;
    desc.device = device;
    desc.solver = kind->solver;
    desc.step_rate_hz = kind->rate;
    if (kind->body) desc.body = c->body;
    if (kind->watched) desc.flags = PLAIT_HAIR_WATCH_MOTION;
    assert_ok(plait_hair_create(c->context, &desc, &c->hairs[c->count]));
    if (kind->volume) {
        plait_volume_params volume = PLAIT_VOLUME_PARAMS_INIT;
        assert_ok(plait_volume_params_default(1, &volume));
        assert_ok(plait_hair_set_volume(c->hairs[c->count], &volume));
    }
    if (kind->render) add_binding(c, kind, groom);
    set_output(c, kind);
    c->count++;
    assert_ok(plait_groom_destroy(groom));
    straight_free(&strands);
}

static void close_crowd(struct crowd *c) {
    for (uint32_t i = 0; i < c->count; i++) {
        assert_ok(plait_hair_destroy(c->hairs[i]));
        free(c->outputs[i]);
    }
    assert_ok(plait_body_destroy(c->body));
    for (uint32_t i = 0; i < c->device_count; i++) assert_ok(plait_device_close(c->devices[i]));
    assert_ok(plait_context_destroy(c->context));
}

// Each hair has its own motion, one stands still, one jumps; frames are not whole steps.
static void make_frames(const struct crowd *c, int frame, float bones[MOST_HAIRS][12],
                        plait_frame_desc frames[MOST_HAIRS]) {
    for (uint32_t i = 0; i < c->count; i++) {
        float far = i == 3 && frame == 5 ? 4.0f : 0;
        bone_make(bones[i], (float[3]){0, 1, 0}, 0.3 * sin(0.2 * frame + i),
                  (float[3]){0.01f * (float)frame + far, 0, 0});
        frames[i] = (plait_frame_desc)PLAIT_FRAME_DESC_INIT;
        frames[i].dt = frame == 7 && i == 2 ? 0 : 1.0f / (50 + (float)i);
        frames[i].gravity[1] = -9.81f;
        frames[i].wind[0] = 0.5f * (float)i;
        frames[i].bone_count = 1;
        frames[i].bones = i == 1 ? NULL : bones[i];
    }
}

static void step_crowd(struct crowd *c, int frame, bool at_once) {
    float bones[MOST_HAIRS][12];
    plait_frame_desc frames[MOST_HAIRS];
    make_frames(c, frame, bones, frames);
    if (at_once)
        assert_ok(plait_hairs_step(c->context, c->count, c->hairs, frames));
    else
        for (uint32_t i = 0; i < c->count; i++) assert_ok(plait_hair_step(c->hairs[i], &frames[i]));
}

// ---- two crowds ----

static void expect_same_hair(plait_hair a, plait_hair b, uint32_t i) {
    uint64_t size = 0, other = 0;
    assert_ok(plait_hair_state_size(a, &size));
    assert_ok(plait_hair_state_size(b, &other));
    assert_int_equal(size, other);
    unsigned char *x = malloc(size), *y = malloc(size);
    assert_ok(plait_hair_save(a, x, size));
    assert_ok(plait_hair_save(b, y, size));
    if (memcmp(x, y, size) != 0) fail_msg("the state of hair %u differs", i);
    free(x);
    free(y);
    plait_stats_info p = PLAIT_STATS_INFO_INIT, q = PLAIT_STATS_INFO_INIT;
    assert_ok(plait_hair_stats(a, &p));
    assert_ok(plait_hair_stats(b, &q));
    p.frame_s = q.frame_s = 0; // a time
    assert_memory_equal(&p, &q, sizeof p);
}

static void expect_same(struct crowd *a, struct crowd *b) {
    for (uint32_t i = 0; i < a->count; i++) {
        assert_ok(plait_hair_wait(a->hairs[i], UINT64_MAX));
        assert_ok(plait_hair_wait(b->hairs[i], UINT64_MAX));
        if (memcmp(a->outputs[i], b->outputs[i], a->output_bytes[i]) != 0) fail_msg("the output of hair %u differs", i);
        expect_same_hair(a->hairs[i], b->hairs[i], i);
    }
}

static void fill_with_all_kinds(struct crowd *c) {
    assert_true(add_device(c, PLAIT_BACKEND_CPU));
    for (uint32_t i = 0; i < 2 * KINDS; i++) add_hair(c, &kinds[i % KINDS], c->devices[0]);
}

static void compare_with(uint32_t threads, const plait_jobs *jobs) {
    struct crowd one, many;
    open_crowd(&one, 1, NULL);
    open_crowd(&many, threads, jobs);
    fill_with_all_kinds(&one);
    fill_with_all_kinds(&many);
    for (int f = 0; f < FRAMES; f++) {
        step_crowd(&one, f, false);
        step_crowd(&many, f, true);
    }
    expect_same(&one, &many);
    close_crowd(&one);
    close_crowd(&many);
}

static void any_number_of_threads_gives_the_bits_of_single_steps(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) compare_with(threads, NULL);
}

// ---- job systems ----

static void PLAIT_CALL backwards(void *user, uint32_t count, plait_job job, void *argument) {
    (void)user;
    while (count--) job(argument, count);
}

struct helper {
    pthread_t thread;
    plait_job job;
    void *argument;
    uint32_t index;
};

static void *run_helper(void *user) {
    struct helper *helper = user;
    helper->job(helper->argument, helper->index);
    return NULL;
}

// A thread for each job, and none for the caller.
static void PLAIT_CALL a_thread_each(void *user, uint32_t count, plait_job job, void *argument) {
    struct helper *helpers = calloc(count, sizeof *helpers);
    (void)user;
    for (uint32_t i = 0; i < count; i++) {
        helpers[i] = (struct helper){.job = job, .argument = argument, .index = i};
        assert_int_equal(pthread_create(&helpers[i].thread, NULL, run_helper, &helpers[i]), 0);
    }
    for (uint32_t i = 0; i < count; i++) assert_int_equal(pthread_join(helpers[i].thread, NULL), 0);
    free(helpers);
}

static void any_job_system_gives_the_bits_of_single_steps(void **state) {
    (void)state;
    plait_jobs jobs = PLAIT_JOBS_INIT;
    jobs.thread_count = 3;
    jobs.parallel_for = backwards;
    compare_with(0, &jobs);
    jobs.parallel_for = a_thread_each;
    compare_with(0, &jobs);
}

// ---- threads that call ----

struct caller {
    pthread_t thread;
    struct crowd *crowd;
    uint32_t first;
};

static void *step_half(void *user) {
    struct caller *caller = user;
    struct crowd half = *caller->crowd;
    for (int f = 0; f < FRAMES; f++) {
        float bones[MOST_HAIRS][12];
        plait_frame_desc frames[MOST_HAIRS];
        make_frames(&half, f, bones, frames);
        assert_ok(plait_hairs_step(half.context, KINDS, half.hairs + caller->first, frames + caller->first));
    }
    return NULL;
}

static void two_threads_may_step_at_once(void **state) {
    (void)state;
    struct crowd one, many;
    open_crowd(&one, 1, NULL);
    open_crowd(&many, 2, NULL);
    fill_with_all_kinds(&one);
    fill_with_all_kinds(&many);
    for (int f = 0; f < FRAMES; f++) step_crowd(&one, f, false);
    struct caller callers[2] = {{.crowd = &many}, {.crowd = &many, .first = KINDS}};
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&callers[i].thread, NULL, step_half, &callers[i]), 0);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(callers[i].thread, NULL), 0);
    expect_same(&one, &many);
    close_crowd(&one);
    close_crowd(&many);
}

// ---- devices ----

// Hairs in turn on the CPU, on the device, and without physics.
static bool fill_with_devices(struct crowd *c, uint32_t backend) {
    open_crowd(c, 2, NULL);
    bool there = add_device(c, PLAIT_BACKEND_CPU) && add_device(c, PLAIT_BACKEND_NULL) && add_device(c, backend);
    if (!there) close_crowd(c);
    for (uint32_t i = 0; there && i < 12; i++)
        add_hair(c, &kinds[i % 2 ? 1 : i % 4 ? 3 : 0], c->devices[i % c->device_count]);
    return there;
}

static void compare_on(uint32_t backend, const char *name) {
    struct crowd one, many;
    if (!fill_with_devices(&one, backend)) {
        printf("%s is not available on this machine\n", name);
        return;
    }
    assert_true(fill_with_devices(&many, backend));
    for (int f = 0; f < FRAMES; f++) {
        step_crowd(&one, f, false);
        step_crowd(&many, f, true);
    }
    expect_same(&one, &many);
    for (int f = FRAMES; f < 2 * FRAMES; f++) { // and from where the other left off
        step_crowd(&one, f, true);
        step_crowd(&many, f, false);
    }
    expect_same(&one, &many);
    close_crowd(&one);
    close_crowd(&many);
}

static void hairs_of_several_devices_move_as_they_do_alone(void **state) {
    (void)state;
    compare_on(PLAIT_BACKEND_VULKAN, "vulkan");
    compare_on(PLAIT_BACKEND_CUDA, "cuda");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hairs_of_several_devices_move_as_they_do_alone),
        cmocka_unit_test(any_number_of_threads_gives_the_bits_of_single_steps),
        cmocka_unit_test(any_job_system_gives_the_bits_of_single_steps),
        cmocka_unit_test(two_threads_may_step_at_once),
    };
    const struct CMUnitTest devices[] = {cmocka_unit_test(hairs_of_several_devices_move_as_they_do_alone)};
    if (argc > 1 && strcmp(argv[1], "devices") == 0) return cmocka_run_group_tests(devices, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
