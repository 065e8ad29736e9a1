/* Entry points and channels: what the main thread asks for, the render thread does. */
#include <stdlib.h>
#include <string.h>

#include "channel.h"

static void UNITY_CALL on_device(int event);
static void UNITY_CALL on_render(int event);
static void run(channel *c);
static void take_frame(channel *c);
static void stop(channel *c);
static void tell(channel *c, plait_result result, uint64_t frame_count);
static channel *find(uint32_t index);
static void release(channel *c);

library_functions library;
static bool connected;
static channel channels[PLAIT_UNITY_CHANNELS];
static IUnityGraphics *graphics; /* null: not loaded by Unity */
static int first_event;

/* ---- what Unity calls */

void UNITY_CALL UnityPluginLoad(IUnityInterfaces *interfaces) {
    graphics = interfaces->GetInterfaceSplit(UNITY_GRAPHICS_HIGH, UNITY_GRAPHICS_LOW);
    if (!graphics) return;
    first_event = graphics->ReserveEventIDRange(PLAIT_UNITY_CHANNELS);
#ifdef PLAIT_UNITY_VULKAN
    vulkan_load(interfaces);
#endif
    graphics->RegisterDeviceEventCallback(on_device);
    on_device(UNITY_DEVICE_INITIALIZE); /* that event has passed if Unity loads the plugin late */
}

void UNITY_CALL UnityPluginUnload(void) {
    if (!graphics) return;
    graphics->UnregisterDeviceEventCallback(on_device);
    on_device(UNITY_DEVICE_SHUTDOWN);
    graphics = NULL;
}

/* Unity calls it on the render thread. */
static void UNITY_CALL on_device(int event) {
#ifdef PLAIT_UNITY_VULKAN
    if (event == UNITY_DEVICE_INITIALIZE && graphics->GetRenderer() == UNITY_RENDERER_VULKAN)
        vulkan_begin(first_event, PLAIT_UNITY_CHANNELS);
#endif
    if (event != UNITY_DEVICE_SHUTDOWN) return;
    for (uint32_t i = 0; i < PLAIT_UNITY_CHANNELS; i++)
        if (atomic_load(&channels[i].state) == PLAIT_UNITY_OPEN) stop(&channels[i]);
#ifdef PLAIT_UNITY_VULKAN
    vulkan_end();
#endif
}

static void UNITY_CALL on_render(int event) {
    channel *c = find((uint32_t)(event - first_event));
    if (c) run(c);
}

/* ---- on the render thread */

static void run(channel *c) {
    if (atomic_load(&c->state) == PLAIT_UNITY_CLOSED) return;
    if (atomic_load(&c->closing))
        stop(c);
    else if (atomic_load(&c->taken) != atomic_load(&c->pushed))
        take_frame(c);
}

static void take_frame(channel *c) {
    uint64_t taken = atomic_load(&c->taken);
    plait_frame_desc *frame = &c->frames[taken % PLAIT_UNITY_FRAMES].desc;
    plait_result result = PLAIT_ERROR_UNSUPPORTED;
    c->reason = NULL;
#ifdef PLAIT_UNITY_VULKAN
    result = c->started ? PLAIT_OK : vulkan_start(c);
    c->started = result >= 0;
    if (result >= 0) result = vulkan_step(c, frame);
#else
    (void)frame;
#endif
    tell(c, result, taken + 1);
    atomic_store(&c->taken, taken + 1);
}

static void stop(channel *c) {
    plait_result result = PLAIT_OK;
    c->reason = NULL;
#ifdef PLAIT_UNITY_VULKAN
    if (c->started) result = vulkan_stop(c);
#endif
    c->started = false;
    tell(c, result, atomic_load(&c->taken));
    atomic_store(&c->state, PLAIT_UNITY_CLOSED);
}

static void tell(channel *c, plait_result result, uint64_t frame_count) {
    uint64_t told = atomic_load(&c->told);
    record *next = &c->records[(told + 1) % RECORDS];
    *next = c->records[told % RECORDS];
    next->result = result;
    next->reason = c->reason;
    next->frame_count = frame_count;
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    if (result >= 0 && library.plait_hair_query(c->desc.hair, &info) >= 0) next->info = info;
    atomic_store(&c->told, told + 1);
}

plait_result channel_fail(channel *c, plait_result result, const char *reason) {
    c->reason = reason;
    return result;
}

/* ---- on the main thread */

plait_result plait_unity_connect(PFN_plait_get_proc_address get_proc_address) {
    library_functions found;
    if (!get_proc_address) return PLAIT_ERROR_INVALID_ARGUMENT;
#define LIBRARY_FIND(name)                                                                                             \
    found.name = (PFN_##name)get_proc_address(#name);                                                                  \
    if (!found.name) return PLAIT_ERROR_UNSUPPORTED;
    LIBRARY_FUNCTIONS(LIBRARY_FIND)
    library = found;
    connected = true;
    return PLAIT_OK;
}

plait_result plait_unity_supported(const char **reason) {
    const char *why = NULL;
    if (!graphics)
        why = "Unity has not loaded the plugin";
    else if (!connected)
        why = "plait_unity_connect has not been called";
#ifdef PLAIT_UNITY_VULKAN
    else if (graphics->GetRenderer() != UNITY_RENDERER_VULKAN)
        why = "Unity does not draw with Vulkan";
    else
        vulkan_supported(&why);
#else
    else
        why = "the plugin was built without Vulkan";
#endif
    if (reason) *reason = why;
    return why ? PLAIT_ERROR_UNSUPPORTED : PLAIT_OK;
}

plait_result plait_unity_open(const plait_unity_desc *desc, uint32_t *index) {
    if (!desc || !index || !desc->buffer || !desc->hair.id || !desc->fallback.id || desc->bone_count == 0 ||
        desc->bone_count > PLAIT_MAX_BONES || desc->size < 16)
        return PLAIT_ERROR_INVALID_ARGUMENT;
    plait_result result = plait_unity_supported(NULL);
    if (result < 0) return result;
    for (uint32_t i = 0; i < PLAIT_UNITY_CHANNELS; i++) {
        channel *c = &channels[i];
        if (atomic_load(&c->state) != 0) continue;
        memset(c, 0, sizeof *c);
        c->desc = *desc;
        for (int f = 0; f < PLAIT_UNITY_FRAMES; f++) {
            c->frames[f].bones = malloc((size_t)desc->bone_count * 12 * sizeof(float));
            if (!c->frames[f].bones) {
                release(c);
                return PLAIT_ERROR_OUT_OF_MEMORY;
            }
        }
        atomic_store(&c->state, PLAIT_UNITY_OPEN);
        *index = i;
        return PLAIT_OK;
    }
    return PLAIT_ERROR_LIMIT;
}

int plait_unity_event(uint32_t index) { return first_event + (int)index; }

UnityRenderingEvent plait_unity_event_function(void) { return on_render; }

plait_result plait_unity_push(uint32_t index, const plait_frame_desc *frame) {
    channel *c = find(index);
    if (!c || atomic_load(&c->closing)) return PLAIT_ERROR_INVALID_HANDLE;
    if (!frame || frame->head.type != PLAIT_TYPE_FRAME_DESC || frame->head.size != sizeof *frame || frame->head.next ||
        !frame->bones || frame->bone_count != c->desc.bone_count || frame->colliders_enabled)
        return PLAIT_ERROR_INVALID_ARGUMENT;
    uint64_t pushed = atomic_load(&c->pushed);
    if (pushed - atomic_load(&c->taken) == PLAIT_UNITY_FRAMES) return PLAIT_ERROR_BUSY;
    plait_frame_desc *copy = &c->frames[pushed % PLAIT_UNITY_FRAMES].desc;
    float *bones = c->frames[pushed % PLAIT_UNITY_FRAMES].bones;
    memcpy(bones, frame->bones, (size_t)frame->bone_count * 12 * sizeof *bones);
    *copy = *frame;
    copy->bones = bones;
    atomic_store(&c->pushed, pushed + 1);
    return PLAIT_OK;
}

plait_result plait_unity_poll(uint32_t index, plait_unity_status *status) {
    channel *c = find(index);
    if (!c) return PLAIT_ERROR_INVALID_HANDLE;
    if (!status) return PLAIT_ERROR_INVALID_ARGUMENT;
    unsigned state = atomic_load(&c->state);
    const record *last = &c->records[atomic_load(&c->told) % RECORDS];
    status->state = state == PLAIT_UNITY_OPEN && atomic_load(&c->closing) ? PLAIT_UNITY_CLOSING : state;
    status->result = last->result;
    status->frame_count = last->frame_count;
    status->reason = last->reason;
    status->info = last->info;
    if (state == PLAIT_UNITY_CLOSED) release(c);
    return PLAIT_OK;
}

plait_result plait_unity_close(uint32_t index) {
    channel *c = find(index);
    if (!c) return PLAIT_ERROR_INVALID_HANDLE;
    atomic_store(&c->closing, true);
    return PLAIT_OK;
}

/* ---- */

static channel *find(uint32_t index) {
    return index < PLAIT_UNITY_CHANNELS && atomic_load(&channels[index].state) != 0 ? &channels[index] : NULL;
}

static void release(channel *c) {
    for (int f = 0; f < PLAIT_UNITY_FRAMES; f++) free(c->frames[f].bones);
    memset(c->frames, 0, sizeof c->frames);
    atomic_store(&c->state, 0);
}
