// Plait in an engine, from the first call to the last. The engine's own objects (VkDevice, buffers, semaphores) come
// from gpu.h; everything else here is Plait's public interface and can be copied as it is.
#include "hair.h"

#include <stdio.h>
#include <string.h>

static void PLAIT_CALL print_message(void *user, uint32_t level, int32_t id, const char *text);
static bool ok(const hair *h, plait_result result, const char *call);
static uint32_t best_backend(const hair *h);
static bool open_device(const hair *h, uint32_t backend, plait_device *device, plait_device_info *info);
static bool connect_output(hair *h);
static bool set_output(hair *h);
static void describe_vertex(plait_output_attribute attributes[2]);

// ---- 1. the library -----------------------------------------------------------------------------------------------

// The host is not linked to Plait: without the library a game would run on with bald characters. This one ends.
bool hair_load(hair *h, const char *library) {
    memset(h, 0, sizeof *h);
    char why[256];
    if (plait_loader_open(library, &h->plait, why, sizeof why) < 0) {
        fprintf(stderr, "vulkan_host: Plait could not be opened: %s\n", why);
        return false;
    }
    // The log explains every failure and names the wrong argument. An engine would also pass its allocator and its job
    // system in this description.
    plait_logger logger = PLAIT_LOGGER_INIT;
    logger.log = print_message;
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    desc.logger = &logger;
    return ok(h, h->plait.plait_context_create(&desc, &h->context), "plait_context_create");
}

// ---- 2. what Plait wants of the host's VkDevice -------------------------------------------------------------------

// For the device that the host has chosen: timeline semaphores, and before Vulkan 1.2 their extension. The optional
// extensions are for output in memory of other devices, which this host does not use. False: Plait cannot run on this
// device and has logged why; it still runs on the CPU.
bool hair_ask(hair *h, const gpu *g, gpu_wants *wants) {
    h->wants = (plait_vulkan_wants_info)PLAIT_VULKAN_WANTS_INFO_INIT;
    if (!ok(h, h->plait.plait_vulkan_query_wants(h->context, g->physical, &h->wants), "plait_vulkan_query_wants"))
        return false;
    for (uint32_t i = 0; i < h->wants.required_extension_count; i++)
        wants->extensions[wants->extension_count++] = h->wants.required_extensions[i];
    return true;
}

bool hair_has_backend(const hair *h, uint32_t backend) {
    plait_backend_info infos[8];
    uint32_t count = 8;
    for (int i = 0; i < 8; i++) infos[i] = (plait_backend_info)PLAIT_BACKEND_INFO_INIT;
    if (!ok(h, h->plait.plait_backend_enumerate(h->context, &count, infos), "plait_backend_enumerate")) return false;
    for (uint32_t i = 0; i < count; i++)
        if (infos[i].backend == backend) return infos[i].available;
    return backend == PLAIT_BACKEND_BEST;
}

// ---- 3. the hair --------------------------------------------------------------------------------------------------

bool hair_open(hair *h, const gpu *g, const hair_asset *asset, uint32_t backend) {
    h->gpu = g;
    if (!gpu_timeline_make(g, &h->stepped)) return false;
    if (!open_device(h, backend, &h->device, &h->device_info)) return false;

    plait_groom groom = {0};
    plait_body body = {0};
    bool made = ok(h, h->plait.plait_groom_create(h->context, asset->groom, &groom), "plait_groom_create") &&
                ok(h, h->plait.plait_body_create(h->context, asset->body, &body), "plait_body_create");
    if (made) {
        plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
        desc.groom = groom;
        desc.body = body;
        desc.device = h->device;
        desc.solver = asset->solver;
        desc.params_count = asset->params ? 1 : 0;
        desc.params = asset->params;
        made = ok(h, h->plait.plait_hair_create(h->context, &desc, &h->hair), "plait_hair_create");
    }
    // The hair keeps what it needs. An engine with a crowd keeps the groom for the next character.
    if (body.id) h->plait.plait_body_destroy(body);
    if (groom.id) h->plait.plait_groom_destroy(groom);
    if (!made) return false;

    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    if (!ok(h, h->plait.plait_hair_query(h->hair, &info), "plait_hair_query")) return false;
    h->vertex_count = info.vertex_count;
    return connect_output(h);
}

static bool open_device(const hair *h, uint32_t backend, plait_device *device, plait_device_info *info) {
    if (backend == PLAIT_BACKEND_BEST) backend = best_backend(h);
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = backend;
    // Without this struct Plait would open its own VkDevice, and strands would have to come back through the CPU.
    // The host submits from one thread, the one that steps the hair, so the queue needs no lock.
    plait_vulkan_device_desc vulkan = PLAIT_VULKAN_DEVICE_DESC_INIT;
    vulkan.physical_device = h->gpu->physical;
    vulkan.device = h->gpu->device;
    vulkan.queue = h->gpu->queue;
    vulkan.queue_family = h->gpu->queue_family;
    vulkan.features = h->wants.features; // what the host has enabled
    vulkan.extensions = h->wants.required_extensions;
    vulkan.extension_count = h->wants.required_extension_count;
    if (backend == PLAIT_BACKEND_VULKAN) desc.head.next = &vulkan;
    if (!ok(h, h->plait.plait_device_open(h->context, &desc, device), "plait_device_open")) return false;
    *info = (plait_device_info)PLAIT_DEVICE_INFO_INIT;
    return ok(h, h->plait.plait_device_query(*device, info), "plait_device_query");
}

// Plait lists its devices best first. Vulkan then means the host's device, whichever one Plait would have taken.
static uint32_t best_backend(const hair *h) {
    plait_device_info first = PLAIT_DEVICE_INFO_INIT;
    uint32_t count = 1;
    bool listed = ok(h, h->plait.plait_device_enumerate(h->context, &count, &first), "plait_device_enumerate");
    return listed && count == 1 ? first.backend : PLAIT_BACKEND_CPU;
}

// ---- the output: a buffer that the renderer reads -----------------------------------------------------------------

// The device says what it supports. A Vulkan buffer needs a single copy, because Plait waits for the renderer on the
// GPU. A pointer is written by the CPU at once, while the GPU may still draw the last frame: every frame in flight has
// its own copy.
static bool connect_output(hair *h) {
    const uint32_t both = PLAIT_INTEROP_VULKAN_BUFFER | PLAIT_INTEROP_VULKAN_TIMELINE;
    h->path = (h->device_info.interop & both) == both ? HAIR_PATH_ZERO_COPY : HAIR_PATH_MAPPED;
    bool mapped = h->path == HAIR_PATH_MAPPED;
    // Offsets of storage buffers must be multiples of up to 256 bytes.
    h->copy_size = (h->vertex_count * sizeof(hair_vertex) + 255) / 256 * 256;
    h->copy = 0;
    uint64_t size = h->copy_size * (mapped ? FRAMES_IN_FLIGHT : 1);
    bool connected =
        gpu_buffer_make(h->gpu, size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, mapped, &h->strands) && set_output(h);
    if (!connected) h->path = HAIR_PATH_NONE;
    return connected;
}

static bool set_output(hair *h) {
    plait_output_attribute attributes[2];
    describe_vertex(attributes);
    plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
    output.attribute_count = 2;
    output.attributes = attributes;
    output.size = h->copy_size;
    plait_vulkan_output_desc vulkan = PLAIT_VULKAN_OUTPUT_DESC_INIT;
    if (h->path == HAIR_PATH_ZERO_COPY) {
        vulkan.device = h->gpu->device;
        vulkan.buffer = (uint64_t)h->strands.handle;
        output.head.next = &vulkan;
    } else {
        output.memory = (char *)h->strands.mapped + h->copy * h->copy_size;
    }
    return ok(h, h->plait.plait_hair_set_output(h->hair, &output), "plait_hair_set_output");
}

// Two attributes side by side: Plait writes the layout that the vertex shader reads.
static void describe_vertex(plait_output_attribute attributes[2]) {
    attributes[0] = (plait_output_attribute)PLAIT_OUTPUT_ATTRIBUTE_INIT;
    attributes[0].attribute = PLAIT_ATTRIBUTE_POSITION;
    attributes[0].format = PLAIT_FORMAT_FLOAT32X4; // the fourth is the radius
    attributes[0].offset = offsetof(hair_vertex, position);
    attributes[0].stride = sizeof(hair_vertex);
    attributes[1] = (plait_output_attribute)PLAIT_OUTPUT_ATTRIBUTE_INIT;
    attributes[1].attribute = PLAIT_ATTRIBUTE_TANGENT;
    attributes[1].format = PLAIT_FORMAT_FLOAT32X4;
    attributes[1].offset = offsetof(hair_vertex, tangent);
    attributes[1].stride = sizeof(hair_vertex);
}

// ---- 4. every frame -----------------------------------------------------------------------------------------------

bool hair_step(hair *h, const hair_frame *frame, hair_ready *ready) {
    plait_frame_desc desc = PLAIT_FRAME_DESC_INIT;
    desc.dt = frame->dt;
    desc.bone_count = frame->bone_count;
    desc.bones = frame->bones;
    desc.gravity[1] = -9.81f;
    *ready = (hair_ready){.buffer = h->strands.handle, .stepped = h->stepped};

    if (h->path == HAIR_PATH_ZERO_COPY) {
        // Both directions are ordered on the GPU; the CPU does not wait: Plait writes once the last frame is drawn, and
        // the renderer draws once Plait has written.
        plait_vulkan_frame_desc sync = PLAIT_VULKAN_FRAME_DESC_INIT;
        if (frame->drawn_value) {
            sync.wait_semaphore = (uint64_t)frame->drawn;
            sync.wait_value = frame->drawn_value;
        }
        sync.signal_semaphore = (uint64_t)h->stepped;
        sync.signal_value = h->stepped_value + 1;
        desc.head.next = &sync;
        if (!ok(h, h->plait.plait_hair_step(h->hair, &desc), "plait_hair_step")) return false;
        ready->value = ++h->stepped_value;
        return true;
    }

    // Use the other copy: the renderer may still read the one written last. The one before is free, because the
    // renderer has already waited for that frame.
    h->copy = (h->copy + 1) % FRAMES_IN_FLIGHT;
    ready->offset = h->copy * h->copy_size;
    if (!set_output(h)) return false;
    // On the CPU the wait returns at once; on other devices it returns when the memory is written.
    return ok(h, h->plait.plait_hair_step(h->hair, &desc), "plait_hair_step") &&
           ok(h, h->plait.plait_hair_wait(h->hair, UINT64_MAX), "plait_hair_wait") &&
           gpu_ok(vmaFlushAllocation(h->gpu->allocator, h->strands.allocation, ready->offset, h->copy_size),
                  "vmaFlushAllocation");
}

// ---- 5. another backend while the game runs -----------------------------------------------------------------------

// The strands continue from where they are. The order matters: a hair cannot leave the VkDevice that holds its output,
// so the output is removed first and set again last.
// Also the way out of PLAIT_ERROR_DEVICE_LOST where Plait runs on its own device: the strands then continue from a few
// frames before. (On the renderer's device the renderer is lost as well and must start again.)
bool hair_move(hair *h, uint32_t backend) {
    plait_device device = {0};
    plait_device_info info;
    if (!open_device(h, backend, &device, &info)) {
        if (device.id) h->plait.plait_device_close(device);
        return false;
    }
    bool moved = ok(h, h->plait.plait_hair_set_output(h->hair, NULL), "plait_hair_set_output") &&
                 ok(h, h->plait.plait_hair_set_device(h->hair, device), "plait_hair_set_device");
    if (!moved) {
        h->plait.plait_device_close(device);
        set_output(h);
        return false;
    }
    h->plait.plait_device_close(h->device);
    h->device = device;
    h->device_info = info;
    gpu_buffer_free(h->gpu, &h->strands);
    return connect_output(h);
}

// ---- 6. the end ---------------------------------------------------------------------------------------------------

// The hair goes before the buffer that it writes and the semaphore that it signals; all of Plait before the VkDevice.
void hair_close(hair *h) {
    if (h->hair.id) h->plait.plait_hair_destroy(h->hair);
    if (h->device.id) h->plait.plait_device_close(h->device);
    if (h->context.id) ok(h, h->plait.plait_context_destroy(h->context), "plait_context_destroy");
    if (h->gpu) gpu_buffer_free(h->gpu, &h->strands);
    if (h->stepped) vkDestroySemaphore(h->gpu->device, h->stepped, NULL);
    plait_loader_close(&h->plait);
    memset(h, 0, sizeof *h);
}

// ---- what people read ---------------------------------------------------------------------------------------------

const char *hair_path_text(const hair *h, char *text, size_t size) {
    static const char *const BACKENDS[] = {"best", "cpu", "vulkan", "cuda", "null"};
    uint32_t backend = h->device_info.backend;
    const char *name = backend < sizeof BACKENDS / sizeof *BACKENDS ? BACKENDS[backend] : "backend";
    snprintf(text, size, "%s -> %s", name,
             h->path == HAIR_PATH_ZERO_COPY ? "host's VkBuffer, zero copy" : "mapped buffer");
    return text;
}

void hair_print_stages(hair *h) {
    plait_stage_info stages[16];
    uint32_t count = 16;
    for (int i = 0; i < 16; i++) stages[i] = (plait_stage_info)PLAIT_STAGE_INFO_INIT;
    if (!ok(h, h->plait.plait_hair_stages(h->hair, &count, stages), "plait_hair_stages")) return;
    bool threads = h->device_info.backend == PLAIT_BACKEND_CPU;
    printf("  stages, each run%s:\n", threads ? ", summed over threads (may exceed wall time)" : " on the device");
    for (uint32_t i = 0; i < count; i++)
        if (stages[i].run_count)
            printf("  stage %-18s %9.3f ms\n", stages[i].name, 1e3 * stages[i].total_s / (double)stages[i].run_count);
}

static void PLAIT_CALL print_message(void *user, uint32_t level, int32_t id, const char *text) {
    (void)user, (void)id;
    fprintf(stderr, "plait: %s: %s\n", level >= PLAIT_LOG_ERROR ? "error" : "warning", text);
}

static bool ok(const hair *h, plait_result result, const char *call) {
    if (result < 0) fprintf(stderr, "vulkan_host: %s: %s\n", call, h->plait.plait_result_text(result));
    return result >= 0;
}
