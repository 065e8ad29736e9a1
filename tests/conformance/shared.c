// Hairs that share data, on every device. A coupling adds up its hair's marks on the device, adds the sum to a total that all
// of them share, and leaves notes for the others. It reads, adds and writes back, so any two runs that overlapped would lose
// one's share of the total.
#include "blocks.h"
#include "hair.h"
#include "places.h"
#include "tracker.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define assert_ok(call) assert_int_equal((call), PLAIT_OK)

enum { HAIRS = 3, MOST_VERTICES = 9000, THREAD_STEPS = 100, BALLAST_WORDS = 20000 };

// ---- what they share ----

enum { TOTAL, NOTES, BALLAST = NOTES + HAIRS, SHARED_DATA };

static const struct data_decl shared_decls[SHARED_DATA] = {
    [TOTAL] = {.name = "total", .per = FIXED, .rows = 1, .role = DATA_WORK},
    [NOTES] = {.name = "note of hair 0", .per = FIXED, .rows = 1, .role = DATA_WORK},
    [NOTES + 1] = {.name = "note of hair 1", .per = FIXED, .rows = 1, .role = DATA_WORK},
    [NOTES + 2] = {.name = "note of hair 2", .per = FIXED, .rows = 1, .role = DATA_WORK},
    [BALLAST] = {.name = "ballast", .per = FIXED, .rows = BALLAST_WORDS, .role = DATA_CONSTANT},
};

enum { MARKS, SEEN, OFFSETS, SUMS, PAIR, SCRATCH, OWN_DATA };

static const struct data_decl own_decls[OWN_DATA] = {
    [MARKS] = {.name = "marks", .per = PER_VERTEX, .rows = 1, .role = DATA_STATE, .whole = true},
    [SEEN] = {.name = "seen", .per = FIXED, .rows = 1, .role = DATA_STATE, .whole = true},
    [OFFSETS] = {.name = "offsets", .per = PER_VERTEX, .rows = 1, .role = DATA_WORK},
    [SUMS] = {.name = "sums", .per = FIXED, .rows = 2, .role = DATA_WORK},
    [PAIR] = {.name = "pair", .per = FIXED, .rows = 2, .role = DATA_WORK},
    [SCRATCH] = {.name = "scratch", .role = DATA_WORK},
};

static struct domain words_domain(const struct hair *hair, uint64_t count) {
    return (struct domain){.count = (uint32_t)count, .tile = hair->on.device->tile};
}

static struct domain marks_domain(const struct hair *hair, uint32_t index) {
    return words_domain(hair, hair->on.sets[SET_COUPLINGS + index].buffers[MARKS].size / sizeof(uint32_t));
}

static plait_result tally_create(struct call *call, struct hair *hair, uint32_t index) {
    struct domain domain = marks_domain(hair, index);
    uint64_t size = sizeof(uint32_t) * (uint64_t)blocks_scan_scratch(&domain);
    return hair_make_data(call, hair, SET_COUPLINGS + index, SCRATCH, size, NULL);
}

// Its parameter is the hair's number; it sees the note of the one before.
static void tally_stages(struct hair *hair, uint32_t index, struct stage_list *list) {
    if (!hair->on.common) return;
    struct buffer *b = hair->on.sets[SET_COUPLINGS + index].buffers, *shared = hair->on.common->set.buffers;
    uint32_t self = *(const uint32_t *)hair->couplings[index].params;
    struct domain all = marks_domain(hair, index), two = words_domain(hair, 2), one = words_domain(hair, 1);
    blocks_copy(list, &shared[NOTES + (self + HAIRS - 1) % HAIRS], &b[SEEN], &one);
    blocks_copy(list, &shared[TOTAL], &b[SUMS], &one);
    blocks_scan(list, &b[MARKS], &b[OFFSETS], (struct word){&b[SUMS], 1}, &b[SCRATCH], &all);
    blocks_scan(list, &b[SUMS], &b[PAIR], (struct word){&shared[TOTAL], 0}, &b[SCRATCH], &two);
    blocks_copy(list, &shared[TOTAL], &shared[NOTES + self], &one);
}

static const struct coupling tally = {.name = "tally",
                                      .decls = own_decls,
                                      .decl_count = OWN_DATA,
                                      .params_size = sizeof(uint32_t),
                                      .create = tally_create,
                                      .step_stages = tally_stages};

// ---- hairs ----

static const struct { uint32_t strands, vertices; } sizes[HAIRS] = {{70, 5}, {100, 9}, {20, 7}};
#define THREADED 10 // times the strands on a CPU, where the second hair is enough for several threads then

struct subject {
    uint32_t vertex_count;
    plait_groom groom;
    plait_hair hair;
    uint32_t sum;  // of its marks
    uint32_t seen; // what its last step saw of the note before
};

// A place, and what must be in the memory that is shared there.
struct scene {
    plait_context context;
    plait_device device;
    bool cpu, cuda;
    void (*lose)(int); // the device was lost by this
    struct common *common;
    struct subject subjects[HAIRS];
    uint32_t total, notes[HAIRS];
};

static struct hair *enter(struct call *call, plait_hair handle) {
    struct hair *hair;
    call->function = "test";
    assert_ok(hair_enter(call, handle, &hair));
    return hair;
}

static plait_hair make_hair(const struct scene *scene, plait_groom groom) {
    plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
    desc.groom = groom;
    desc.device = scene->device;
    desc.solver = PLAIT_SOLVER_SHAPE;
    plait_hair hair;
    assert_ok(plait_hair_create(scene->context, &desc, &hair));
    return hair;
}

static plait_groom make_groom(const struct scene *scene, uint32_t number) {
    static float positions[MOST_VERTICES][3];
    static uint32_t counts[MOST_VERTICES];
    const uint32_t strands = sizes[number].strands * (scene->cpu ? THREADED : 1), vertices = sizes[number].vertices;
    for (uint32_t v = 0; v < strands * vertices; v++) {
        positions[v][0] = 0.001f * (float)(v / vertices);
        positions[v][1] = -0.01f * (float)(v % vertices);
        counts[v / vertices] = vertices;
    }
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    desc.strand_count = strands;
    desc.vertex_counts = counts;
    desc.positions = &positions[0][0];
    desc.bone_count = 1;
    plait_groom groom;
    assert_ok(plait_groom_create(scene->context, &desc, &groom));
    return groom;
}

static void make_subject(const struct scene *scene, uint32_t number, struct subject *subject) {
    static uint32_t marks[MOST_VERTICES];
    *subject = (struct subject){.groom = make_groom(scene, number)};
    subject->hair = make_hair(scene, subject->groom);
    struct call call = {0};
    struct hair *hair = enter(&call, subject->hair);
    subject->vertex_count = hair->info.vertex_count;
    for (uint32_t v = 0; v < subject->vertex_count; v++) subject->sum += marks[v] = (v * 2654435761u >> 7) + number;
    assert_ok(hair_couple(&call, hair, &tally, &number));
    assert_ok(hair_copy_data(hair, &hair->on, SET_COUPLINGS, MARKS, (unsigned char *)marks, true));
    hair_leave(&call, hair);
}

static void free_subject(struct subject *subject) {
    assert_ok(plait_hair_destroy(subject->hair));
    assert_ok(plait_groom_destroy(subject->groom));
}

static plait_result join(plait_hair handle, struct common *common) {
    struct call call = {0};
    struct hair *hair = enter(&call, handle);
    plait_result result = hair_join(&call, hair, common);
    hair_leave(&call, hair);
    return result;
}

static struct common *make_common(plait_hair handle) {
    struct call call = {0};
    struct hair *hair = enter(&call, handle);
    struct common *common = NULL;
    assert_ok(common_create(&call, hair->on.device, shared_decls, SHARED_DATA, &common));
    hair_leave(&call, hair);
    return common;
}

static plait_result step_hair(plait_hair hair) {
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    return plait_hair_step(hair, &frame);
}

// A step of a hair that has joined, here and on the device.
static void note_step(struct scene *scene, uint32_t number) {
    struct subject *subject = &scene->subjects[number];
    subject->seen = scene->notes[(number + HAIRS - 1) % HAIRS];
    scene->total += subject->sum;
    scene->notes[number] = scene->total;
}

static void step(struct scene *scene, uint32_t number) {
    assert_ok(step_hair(scene->subjects[number].hair));
    note_step(scene, number);
}

// All of them in one call, and one that shares nothing.
static void step_together(struct scene *scene, plait_hair other) {
    plait_hair hairs[HAIRS + 1] = {[1] = other};
    plait_frame_desc frames[HAIRS + 1];
    for (uint32_t i = 0; i < HAIRS; i++) hairs[i ? i + 1 : 0] = scene->subjects[i].hair;
    for (uint32_t i = 0; i <= HAIRS; i++) {
        frames[i] = (plait_frame_desc)PLAIT_FRAME_DESC_INIT;
        frames[i].dt = 1.0f / 60;
    }
    assert_ok(plait_hairs_step(scene->context, HAIRS + 1, hairs, frames));
    for (uint32_t i = 0; i < HAIRS; i++) note_step(scene, i);
}

static uint32_t read_word(const struct common *common, uint32_t which) {
    uint32_t word;
    assert_ok(common->device->ops->buffer_read(&common->set.buffers[which], 0, &word, sizeof word));
    return word;
}

static void expect_seen(const struct subject *subject) {
    uint32_t seen;
    struct call call = {0};
    struct hair *hair = enter(&call, subject->hair);
    assert_ok(hair_copy_data(hair, &hair->on, SET_COUPLINGS, SEEN, (unsigned char *)&seen, false));
    hair_leave(&call, hair);
    assert_int_equal(seen, subject->seen);
}

static void expect_total(const struct scene *scene) {
    assert_int_equal(read_word(scene->common, TOTAL), scene->total);
    for (uint32_t i = 0; i < HAIRS; i++) assert_int_equal(read_word(scene->common, NOTES + i), scene->notes[i]);
}

// The state that a host would save, to be freed.
static void *save(plait_hair hair, uint64_t *size) {
    assert_ok(plait_hair_state_size(hair, size));
    void *blob = malloc(*size);
    assert_non_null(blob);
    assert_ok(plait_hair_save(hair, blob, *size));
    return blob;
}

static void expect_same_strands(plait_hair a, plait_hair b, uint32_t vertices) {
    static float positions[2][MOST_VERTICES][3];
    plait_hair hairs[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        plait_output_attribute attribute = PLAIT_OUTPUT_ATTRIBUTE_INIT;
        attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
        attribute.format = PLAIT_FORMAT_FLOAT32X3;
        attribute.stride = sizeof positions[i][0];
        plait_output_desc desc = PLAIT_OUTPUT_DESC_INIT;
        desc.memory = positions[i];
        desc.size = sizeof positions[i];
        desc.attributes = &attribute;
        desc.attribute_count = 1;
        assert_ok(plait_hair_read(hairs[i], &desc));
    }
    assert_memory_equal(positions[0], positions[1], vertices * sizeof positions[0][0]);
}

// ---- everywhere ----

static void on_every_device(void (*check)(struct scene *scene, plait_device other), const plait_context_desc *desc) {
    plait_context context;
    assert_ok(plait_context_create(desc, &context));
    plait_device devices[PLACES], null_device;
    plait_device_desc null_desc = PLAIT_DEVICE_DESC_INIT;
    null_desc.backend = PLAIT_BACKEND_NULL;
    assert_ok(plait_device_open(context, &null_desc, &null_device));
    for (size_t i = 0; i < PLACES; i++) {
        if (!place_open(&places[i], context, &devices[i])) continue;
        struct scene scene = {.context = context,
                              .device = devices[i],
                              .cpu = places[i].backend == PLAIT_BACKEND_CPU,
                              .cuda = places[i].backend == PLAIT_BACKEND_CUDA};
        for (uint32_t k = 0; k < HAIRS; k++) make_subject(&scene, k, &scene.subjects[k]);
        scene.common = make_common(scene.subjects[0].hair);
        check(&scene, null_device);
        assert_ok(plait_device_close(devices[i]));
        if (scene.lose) scene.lose(0);
    }
    assert_ok(plait_device_close(null_device));
    assert_ok(plait_context_destroy(context));
    places_close();
}

static void share_and_leave(struct scene *scene, plait_device other) {
    (void)other;
    struct subject *s = scene->subjects;
    plait_hair twin = make_hair(scene, s[0].groom); // it never shares anything
    uint32_t steps = 0;
    assert_ok(step_hair(s[0].hair)); // alone
    assert_ok(join(s[0].hair, scene->common));
    for (int i = 0; i < 3; i++) step(scene, 0);
    assert_ok(join(s[1].hair, scene->common)); // while those may be under way
    for (int i = 0; i < 3; i++) {
        step(scene, 1);
        step(scene, 0);
        step(scene, 1);
        expect_seen(&s[1]);
        expect_seen(&s[0]);
        expect_total(scene);
    }
    assert_ok(join(s[2].hair, scene->common));
    step(scene, 2);
    step(scene, 0);
    assert_ok(join(s[0].hair, NULL));
    expect_seen(&s[0]); // its own
    for (int i = 0; i < 2; i++) assert_ok(step_hair(s[0].hair));
    step(scene, 2);
    step(scene, 1);
    expect_seen(&s[2]);
    expect_total(scene);
    for (steps = 1 + 3 + 3 + 1 + 2; steps > 0; steps--) assert_ok(step_hair(twin));
    expect_same_strands(s[0].hair, twin, s[0].vertex_count);
    assert_ok(join(s[0].hair, scene->common)); // back again
    step(scene, 0);
    expect_seen(&s[0]);
    for (int i = 0; i < 3; i++) step_together(scene, twin);
    for (uint32_t i = 0; i < HAIRS; i++) expect_seen(&s[i]);
    expect_total(scene);
    // The common outlives the hairs that use it.
    for (uint32_t i = 0; i < HAIRS; i++) free_subject(&s[i]);
    expect_total(scene);
    common_release(scene->common);
    assert_ok(plait_hair_destroy(twin));
}

static void outlive_and_stay(struct scene *scene, plait_device other) {
    struct subject *s = scene->subjects;
    for (uint32_t i = 0; i < HAIRS; i++) assert_ok(join(s[i].hair, scene->common));
    for (uint32_t i = 0; i < HAIRS; i++) step(scene, i);
    uint64_t size;
    void *before = save(s[1].hair, &size);
    assert_int_equal(plait_hair_set_device(s[1].hair, other), PLAIT_ERROR_UNSUPPORTED);
    assert_ok(plait_hair_set_device(s[1].hair, scene->device)); // it is there
    void *after = save(s[1].hair, &size);
    assert_memory_equal(before, after, size);
    free(before);
    free(after);
    step(scene, 1);
    expect_total(scene);
    assert_ok(join(s[2].hair, NULL));
    assert_ok(plait_hair_set_device(s[2].hair, other)); // it has left
    // Hairs that use the common keep it alive.
    struct common *common = scene->common;
    free_subject(&s[0]);
    step(scene, 1);
    expect_total(scene);
    common_release(common);
    step(scene, 1);
    expect_seen(&s[1]);
    free_subject(&s[1]);
    free_subject(&s[2]);
}

// ---- threads ----

struct stepper {
    struct thread thread;
    plait_hair hair;
    uint32_t failures; // assertions are for the main thread
};

static void step_on(void *user) {
    struct stepper *stepper = user;
    for (uint32_t i = 0; i < THREAD_STEPS; i++) stepper->failures += step_hair(stepper->hair) != PLAIT_OK;
}

// Two hairs are stepped at once, while a third comes and goes.
static void step_at_once(struct scene *scene, plait_device other) {
    (void)other;
    struct subject *s = scene->subjects;
    struct stepper steppers[2] = {{.hair = s[0].hair}, {.hair = s[1].hair}};
    for (uint32_t i = 0; i < 2; i++) assert_ok(join(s[i].hair, scene->common));
    for (uint32_t i = 0; i < 2; i++) assert_true(thread_start(&steppers[i].thread, step_on, &steppers[i]));
    for (uint32_t i = 0; i < 4; i++) {
        assert_ok(join(s[2].hair, scene->common));
        for (int k = 0; k < 3; k++) assert_ok(step_hair(s[2].hair));
        scene->total += 3 * s[2].sum;
        assert_ok(join(s[2].hair, NULL));
    }
    for (uint32_t i = 0; i < 2; i++) {
        thread_join(&steppers[i].thread);
        assert_int_equal(steppers[i].failures, 0);
        scene->total += THREAD_STEPS * s[i].sum;
    }
    assert_int_equal(read_word(scene->common, TOTAL), scene->total);
    for (uint32_t i = 0; i < HAIRS; i++) free_subject(&s[i]);
    common_release(scene->common);
}

// A job system that does other work while it waits: it steps another hair.
struct host_jobs {
    plait_hair other;
    uint32_t nested;
    bool busy;
};

static void PLAIT_CALL for_each_and_more(void *user, uint32_t count, plait_job job, void *argument) {
    struct host_jobs *host = user;
    for (uint32_t i = 0; i < count; i++) {
        if (i == count / 2 && host->other.id && !host->busy) {
            host->busy = true;
            host->nested += step_hair(host->other) == PLAIT_OK;
            host->busy = false;
        }
        job(argument, i);
    }
}

static struct host_jobs host_jobs;

static void step_within_a_step(struct scene *scene, plait_device other) {
    (void)other;
    struct subject *s = scene->subjects;
    for (uint32_t i = 0; i < HAIRS; i++) assert_ok(join(s[i].hair, scene->common));
    host_jobs = (struct host_jobs){.other = s[0].hair};
    assert_ok(step_hair(s[1].hair));
    host_jobs.other.id = 0; // no more
    assert_true(!scene->cpu || host_jobs.nested > 0);
    scene->total = s[1].sum + host_jobs.nested * s[0].sum;
    assert_int_equal(read_word(scene->common, TOTAL), scene->total);
    for (uint32_t i = 0; i < HAIRS; i++) free_subject(&s[i]);
    common_release(scene->common);
}

// ---- loss ----

// The fake CUDA driver can lose its card; 0 brings it back.
static void (*find_lose(void))(int) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    void (*lose)(int) = NULL;
    if (!driver) return NULL;
    *(void **)&lose = dlsym(driver, "fake_cuda_lose");
    dlclose(driver);
    return lose;
}

// Hairs go on elsewhere with what is theirs. What they shared is gone.
static void lose_device(struct scene *scene, plait_device other) {
    struct subject *s = scene->subjects;
    for (uint32_t i = 0; i < HAIRS; i++) assert_ok(join(s[i].hair, scene->common));
    for (uint32_t i = 0; i < HAIRS; i++) step(scene, i);
    if (scene->cuda) scene->lose = find_lose();
    if (scene->lose) {
        for (uint32_t i = 0; i < HAIRS; i++) assert_ok(plait_hair_wait(s[i].hair, UINT64_MAX));
        scene->lose(719); // CUDA_ERROR_LAUNCH_FAILED
        struct common *next = NULL;
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(step_hair(s[i].hair), PLAIT_ERROR_DEVICE_LOST);
            assert_ok(plait_hair_set_device(s[i].hair, other));
            if (!next) next = make_common(s[i].hair);
            assert_ok(step_hair(s[i].hair)); // it shares nothing
            assert_int_equal(read_word(next, TOTAL), i * s[0].sum);
            assert_ok(join(s[i].hair, next));
            assert_ok(step_hair(s[i].hair));
        }
        assert_int_equal(read_word(next, TOTAL), s[0].sum + s[1].sum);
        common_release(next);
    }
    common_release(scene->common);
    for (uint32_t i = 0; i < HAIRS; i++) free_subject(&s[i]);
}

// ---- refusals ----

static void refuse(struct scene *scene, plait_device other) {
    static const struct data_decl refused[] = {
        {.name = "per vertex", .per = PER_VERTEX, .rows = 1, .role = DATA_WORK},
        {.name = "of no size", .per = FIXED, .role = DATA_WORK},
        {.name = "state", .per = FIXED, .rows = 1, .role = DATA_STATE},
        {.name = "input", .per = FIXED, .rows = 1, .role = DATA_INPUT},
    };
    struct call call = {0};
    struct hair *hair = enter(&call, scene->subjects[0].hair);
    struct common *common = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(refused); i++)
        assert_int_equal(common_create(&call, hair->on.device, &refused[i], 1, &common), PLAIT_ERROR_UNSUPPORTED);
    assert_null(common);
    hair_leave(&call, hair);
    assert_ok(plait_hair_set_device(scene->subjects[1].hair, other));
    assert_int_equal(join(scene->subjects[1].hair, scene->common), PLAIT_ERROR_INVALID_ARGUMENT);
    for (uint32_t i = 0; i < HAIRS; i++) free_subject(&scene->subjects[i]);
    common_release(scene->common);
}

static tracker memory;

static plait_result try_common(const struct subject *subject, struct common **common) {
    struct call call = {0};
    struct hair *hair = enter(&call, subject->hair);
    plait_result result = common_create(&call, hair->on.device, shared_decls, SHARED_DATA, common);
    hair_leave(&call, hair);
    return result;
}

static void run_out_of_memory(struct scene *scene, plait_device other) {
    (void)other;
    struct subject *s = scene->subjects;
    struct common *common = NULL;
    assert_ok(join(s[1].hair, scene->common));
    step(scene, 1);
    uint64_t size;
    void *before = save(s[0].hair, &size);
    uint64_t live = memory.live;
    plait_result result = PLAIT_ERROR_OUT_OF_MEMORY;
    uint64_t tries = 0;
    for (uint64_t n = 0; result != PLAIT_OK; n++, tries++) {
        memory.fail_from = memory.calls + n;
        memory.fail_to = memory.fail_from + 1;
        result = try_common(&s[0], &common);
        if (result != PLAIT_OK) assert_int_equal(result, PLAIT_ERROR_OUT_OF_MEMORY);
    }
    memory.fail_from = memory.fail_to = UINT64_MAX;
    common_release(common);
    if (scene->cpu) assert_int_equal(memory.live, live); // drivers keep some
    result = PLAIT_ERROR_OUT_OF_MEMORY;
    for (uint64_t n = 0; result != PLAIT_OK; n++, tries++) {
        memory.fail_from = memory.calls + n;
        memory.fail_to = memory.fail_from + 1;
        result = join(s[0].hair, scene->common);
        memory.fail_from = memory.fail_to = UINT64_MAX;
        if (result == PLAIT_OK) break;
        assert_int_equal(result, PLAIT_ERROR_OUT_OF_MEMORY);
        if (scene->cpu) assert_int_equal(memory.live, live);
        void *after = save(s[0].hair, &size);
        assert_memory_equal(before, after, size);
        free(after);
        step(scene, 1);
    }
    assert_true(tries > 10);
    step(scene, 0);
    step(scene, 1);
    expect_seen(&s[0]);
    expect_seen(&s[1]);
    expect_total(scene);
    free(before);
    for (uint32_t i = 0; i < HAIRS; i++) free_subject(&s[i]);
    common_release(scene->common);
}

// ---- the tests ----

static void hairs_share_data_and_leave(void **state) {
    (void)state;
    on_every_device(share_and_leave, NULL);
}

static void shared_data_live_as_long_as_somebody_uses_them(void **state) {
    (void)state;
    on_every_device(outlive_and_stay, NULL);
}

static void hairs_that_share_are_stepped_by_several_threads(void **state) {
    (void)state;
    on_every_device(step_at_once, NULL);
}

static void a_job_system_may_step_a_hair_while_it_waits_for_another(void **state) {
    (void)state;
    plait_jobs jobs = PLAIT_JOBS_INIT;
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    jobs.user = &host_jobs;
    jobs.parallel_for = for_each_and_more;
    jobs.thread_count = 2;
    desc.jobs = &jobs;
    on_every_device(step_within_a_step, &desc);
}

static void hairs_leave_a_lost_device(void **state) {
    (void)state;
    on_every_device(lose_device, NULL);
}

static void what_cannot_be_shared_is_refused(void **state) {
    (void)state;
    on_every_device(refuse, NULL);
}

static void a_hair_that_cannot_join_stays_as_it_was(void **state) {
    (void)state;
    tracker_open(&memory);
    plait_allocator allocator = tracker_allocator(&memory);
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    desc.allocator = &allocator;
    desc.thread_count = 2;
    memory.fail_from = memory.fail_to = UINT64_MAX;
    on_every_device(run_out_of_memory, &desc);
    assert_int_equal(memory.live, 0);
    assert_int_equal(memory.mistakes, 0);
    tracker_close(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hairs_share_data_and_leave),
        cmocka_unit_test(shared_data_live_as_long_as_somebody_uses_them),
        cmocka_unit_test(hairs_that_share_are_stepped_by_several_threads),
        cmocka_unit_test(a_job_system_may_step_a_hair_while_it_waits_for_another),
        cmocka_unit_test(hairs_leave_a_lost_device),
        cmocka_unit_test(what_cannot_be_shared_is_refused),
        cmocka_unit_test(a_hair_that_cannot_join_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
