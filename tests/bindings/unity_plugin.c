// The plugin for Unity's render thread, in a stand-in for Unity.
#include <dlfcn.h>
#include <math.h>
#include <plait_unity.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene.h"
#include "stand_in.h"

enum { SIZE = STRANDS * VERTICES * 16 };

#define PLUGIN_FUNCTIONS(X)                                                                                            \
    X(plait_unity_connect)                                                                                             \
    X(plait_unity_supported)                                                                                           \
    X(plait_unity_open)                                                                                                \
    X(plait_unity_event)                                                                                               \
    X(plait_unity_event_function)                                                                                      \
    X(plait_unity_push)                                                                                                \
    X(plait_unity_poll)                                                                                                \
    X(plait_unity_close)
#define MEMBER(name) __typeof__(&name) name;
static struct { PLUGIN_FUNCTIONS(MEMBER) } plugin;

static stand_in_buffer *buffer;

// False: there is no Vulkan.
static bool start(int renderer, bool early) {
    void *handle = stand_in_start(PLUGIN, renderer, early);
    if (!handle) return false;
#define FIND(name)                                                                                                     \
    plugin.name = (__typeof__(&name))dlsym(handle, #name);                                                             \
    assert_non_null(plugin.name);
    PLUGIN_FUNCTIONS(FIND)
    buffer = stand_in_make_buffer(SIZE);
    assert_int_equal(plugin.plait_unity_connect(plait_get_proc_address), PLAIT_OK);
    return true;
}

static void end(void) {
    stand_in_release_buffer(buffer);
    stand_in_end();
}

static void issue(uint32_t channel) {
    stand_in_issue(plugin.plait_unity_event_function(), plugin.plait_unity_event(channel));
}

// ---- two hairs, one of which goes through the plugin

static plait_context context;
static plait_device cpu;
static plait_hair hairs[2];
static float beside[STRANDS * VERTICES][4]; // what the other hair writes

static void set_output(plait_hair hair, void *memory) {
    plait_output_attribute position = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    position.attribute = PLAIT_ATTRIBUTE_POSITION;
    position.format = PLAIT_FORMAT_FLOAT32X4;
    position.stride = 16;
    plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
    output.attribute_count = 1;
    output.attributes = &position;
    output.memory = memory;
    output.size = SIZE;
    assert_int_equal(plait_hair_set_output(hair, &output), PLAIT_OK);
}

static void open_hairs(void) {
    assert_int_equal(plait_context_create(NULL, &context), PLAIT_OK);
    plait_device_desc device_desc = PLAIT_DEVICE_DESC_INIT;
    device_desc.backend = PLAIT_BACKEND_CPU;
    assert_int_equal(plait_device_open(context, &device_desc, &cpu), PLAIT_OK);
    uint32_t counts[STRANDS];
    for (int s = 0; s < STRANDS; s++) counts[s] = VERTICES;
    float positions[STRANDS * VERTICES * 3];
    scene_groom(positions);
    plait_groom_desc groom_desc = PLAIT_GROOM_DESC_INIT;
    groom_desc.strand_count = STRANDS;
    groom_desc.bone_count = BONES;
    groom_desc.vertex_counts = counts;
    groom_desc.positions = positions;
    plait_groom groom;
    assert_int_equal(plait_groom_create(context, &groom_desc, &groom), PLAIT_OK);
    plait_hair_desc hair_desc = PLAIT_HAIR_DESC_INIT;
    hair_desc.groom = groom;
    hair_desc.device = cpu;
    hair_desc.solver = PLAIT_SOLVER_SHAPE;
    for (int i = 0; i < 2; i++) assert_int_equal(plait_hair_create(context, &hair_desc, &hairs[i]), PLAIT_OK);
    set_output(hairs[1], beside);
}

static plait_unity_desc channel_desc(void) {
    plait_unity_desc desc = {
        .context = context, .hair = hairs[0], .fallback = cpu, .buffer = buffer, .size = SIZE, .bone_count = BONES};
    return desc;
}

static float difference(const float *a, const float *b) {
    float most = 0;
    for (int i = 0; i < STRANDS * VERTICES * 4; i++) most = fmaxf(most, fabsf(a[i] - b[i]));
    return most;
}

// One frame for both hairs.
static void both(uint32_t channel, int i) {
    float bones[BONES * 12];
    plait_frame_desc frame;
    scene_frame(i, bones, &frame);
    assert_int_equal(plugin.plait_unity_push(channel, &frame), PLAIT_OK);
    assert_int_equal(plait_hair_step(hairs[1], &frame), PLAIT_OK);
    memset(bones, 0x7f, sizeof bones); // the plugin has a copy
    issue(channel);
}

#define SKIP_WITHOUT_VULKAN(started)                                                                                   \
    if (!(started)) {                                                                                                  \
        puts("skipped: there is no Vulkan");                                                                           \
        exit(77);                                                                                                      \
    }

static void test_strands_are_written_into_unitys_buffer(void **state) {
    (void)state;
    SKIP_WITHOUT_VULKAN(start(UNITY_RENDERER_VULKAN, true));
    assert_int_equal(stand_in_configured_events(), PLAIT_UNITY_CHANNELS);
    open_hairs();
    const plait_unity_desc desc = channel_desc();
    uint32_t channel;
    assert_int_equal(plugin.plait_unity_open(&desc, &channel), PLAIT_OK);
    plait_unity_status status;
    for (int i = 1; i <= 60; i++) {
        both(channel, i);
        assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_OK);
        if (status.result != PLAIT_OK) fail_msg("frame %d: %d %s", i, (int)status.result, status.reason);
        assert_int_equal(status.frame_count, i);
        if (i % 20) continue;
        float written[STRANDS * VERTICES][4];
        stand_in_read(buffer, written, sizeof written);
        assert_true(difference(written[0], beside[0]) < 1e-3f);
    }
    assert_int_equal(status.state, PLAIT_UNITY_OPEN);
    assert_int_equal(status.info.vertex_count, STRANDS * VERTICES);
    assert_int_not_equal(status.info.device.id, cpu.id);

    // The hair comes back and goes on where it was.
    assert_int_equal(plugin.plait_unity_close(channel), PLAIT_OK);
    assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_OK);
    assert_int_equal(status.state, PLAIT_UNITY_CLOSING);
    issue(channel);
    assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_OK);
    assert_int_equal(status.state, PLAIT_UNITY_CLOSED);
    assert_int_equal(status.result, PLAIT_OK);
    assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_ERROR_INVALID_HANDLE);
    float own[STRANDS * VERTICES][4];
    set_output(hairs[0], own);
    float bones[BONES * 12];
    plait_frame_desc frame;
    scene_frame(61, bones, &frame);
    for (int h = 0; h < 2; h++) assert_int_equal(plait_hair_step(hairs[h], &frame), PLAIT_OK);
    assert_true(difference(own[0], beside[0]) < 1e-3f);
    assert_int_equal(plait_context_destroy(context), PLAIT_OK);
    end();
}

static void test_what_cannot_be_is_refused_with_a_reason(void **state) {
    (void)state;
    SKIP_WITHOUT_VULKAN(start(UNITY_RENDERER_VULKAN, true));
    open_hairs();
    plait_unity_desc desc = channel_desc();
    uint32_t channel = 7;
    desc.buffer = NULL;
    assert_int_equal(plugin.plait_unity_open(&desc, &channel), PLAIT_ERROR_INVALID_ARGUMENT);
    desc = channel_desc();
    desc.bone_count = 0;
    assert_int_equal(plugin.plait_unity_open(&desc, &channel), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(plugin.plait_unity_poll(7, NULL), PLAIT_ERROR_INVALID_HANDLE);
    assert_int_equal(plugin.plait_unity_poll(UINT32_MAX, NULL), PLAIT_ERROR_INVALID_HANDLE);

    // Frames: no more than fit, and whole ones only.
    desc = channel_desc();
    assert_int_equal(plugin.plait_unity_open(&desc, &channel), PLAIT_OK);
    float bones[BONES * 12];
    plait_frame_desc frame;
    scene_frame(1, bones, &frame);
    frame.bone_count = 1;
    assert_int_equal(plugin.plait_unity_push(channel, &frame), PLAIT_ERROR_INVALID_ARGUMENT);
    scene_frame(1, bones, &frame);
    for (int i = 0; i < PLAIT_UNITY_FRAMES; i++) assert_int_equal(plugin.plait_unity_push(channel, &frame), PLAIT_OK);
    assert_int_equal(plugin.plait_unity_push(channel, &frame), PLAIT_ERROR_BUSY);

    // A buffer that is too small is told, and one that grows is taken.
    buffer->told_size = SIZE - 16;
    issue(channel);
    plait_unity_status status;
    assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_OK);
    assert_int_equal(status.result, PLAIT_ERROR_BUFFER_TOO_SMALL);
    assert_string_equal(status.reason, "the buffer is smaller than its size");
    buffer->told_size = SIZE;
    issue(channel);
    assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_OK);
    assert_int_equal(status.result, PLAIT_OK);
    assert_null(status.reason);

    // An error of Plait's comes through, and the next frame runs.
    scene_frame(2, bones, &frame);
    frame.dt = -1;
    assert_int_equal(plugin.plait_unity_push(channel, &frame), PLAIT_OK);
    for (int i = 0; i < 3; i++) issue(channel);
    assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_OK);
    assert_int_equal(status.result, PLAIT_ERROR_INVALID_ARGUMENT);
    scene_frame(3, bones, &frame);
    assert_int_equal(plugin.plait_unity_push(channel, &frame), PLAIT_OK);
    issue(channel);
    assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_OK);
    assert_int_equal(status.result, PLAIT_OK);

    // Unity ends while the channel is open: the hair is the host's again.
    stand_in_shutdown();
    assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_OK);
    assert_int_equal(status.state, PLAIT_UNITY_CLOSED);
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    assert_int_equal(plait_hair_query(hairs[0], &info), PLAIT_OK);
    assert_int_equal(info.device.id, cpu.id);
    assert_int_equal(plait_context_destroy(context), PLAIT_OK);
    end();
}

static void refuses(int renderer, bool early, const char *reason) {
    SKIP_WITHOUT_VULKAN(start(renderer, early));
    open_hairs();
    const char *why = NULL;
    assert_int_equal(plugin.plait_unity_supported(&why), PLAIT_ERROR_UNSUPPORTED);
    assert_string_equal(why, reason);
    const plait_unity_desc desc = channel_desc();
    uint32_t channel;
    assert_int_equal(plugin.plait_unity_open(&desc, &channel), PLAIT_ERROR_UNSUPPORTED);
    assert_int_equal(plait_context_destroy(context), PLAIT_OK);
    end();
}

static void test_other_graphics_apis_and_late_plugins_are_told_apart(void **state) {
    (void)state;
    refuses(17, true, "Unity does not draw with Vulkan");
    refuses(UNITY_RENDERER_VULKAN, false,
            "Unity's device has no timeline semaphores: the plugin must be loaded on startup");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strands_are_written_into_unitys_buffer),
        cmocka_unit_test(test_what_cannot_be_is_refused_with_a_reason),
        cmocka_unit_test(test_other_graphics_apis_and_late_plugins_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
