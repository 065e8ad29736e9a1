// Plait in an engine, from the first call to the last. The engine's own objects (VkDevice, buffers, semaphores) come
// from gpu.h; everything else here is Plait's public interface and can be copied as it is.
#include "hair.h"

#include <stdio.h>
#include <string.h>

static const float GRAVITY = -9.81f; // m/s2

static void PLAIT_CALL print_message(void *user, uint32_t level, int32_t id, const char *text);
static bool ok(const hair *h, plait_result result, const char *call);
static bool bind_render_strands(hair *h, const plait_groom_desc *render);
static bool make_hair(hair *h, uint32_t solver, const float *bones, plait_hair *hair);
static bool set_detail(hair *h, hair_detail detail);
static uint32_t best_backend(const hair *h);
static bool open_device(const hair *h, uint32_t backend, plait_device *device, plait_device_info *info);
static bool connect_output(hair *h);
static bool set_output(hair *h);
static bool remove_output(hair *h);
static bool count_strands(hair *h, hair_ready *ready);

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

bool hair_open(hair *h, const gpu *g, const hair_asset *asset, uint32_t solver, uint32_t backend) {
    h->gpu = g;
    h->has_shape = asset->shape != NULL;
    if (asset->shape) h->shape = *asset->shape;
    h->hair_hair = asset->hair_hair;
    h->solver = solver;
    // An engine keeps grooms, body and binding for the next character: any number of hairs may share them.
    return gpu_timeline_make(g, &h->stepped) && open_device(h, backend, &h->device, &h->device_info) &&
           ok(h, h->plait.plait_groom_create(h->context, asset->guides, &h->guides), "plait_groom_create") &&
           ok(h, h->plait.plait_body_create(h->context, asset->body, &h->body), "plait_body_create") &&
           bind_render_strands(h, asset->render) && make_hair(h, solver, NULL, &h->hair) && connect_output(h);
}

// Which guides a render strand follows is found once. An engine does this in its importer and keeps the result with the
// asset: plait_binding_save.
static bool bind_render_strands(hair *h, const plait_groom_desc *render_desc) {
    plait_groom render = {0};
    plait_binding_desc desc = PLAIT_BINDING_DESC_INIT;
    bool bound = ok(h, h->plait.plait_groom_create(h->context, render_desc, &render), "plait_groom_create");
    desc.guides = h->guides;
    desc.render = render;
    bound = bound && ok(h, h->plait.plait_binding_create(h->context, &desc, &h->binding), "plait_binding_create");
    if (render.id) h->plait.plait_groom_destroy(render); // the binding keeps it
    return bound;
}

static bool make_hair(hair *h, uint32_t solver, const float *bones, plait_hair *hair) {
    plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
    desc.groom = h->guides;
    desc.body = h->body;
    desc.device = h->device;
    desc.solver = solver;
    desc.bones = bones;
    // Rods bend under their weight; with rest_gravity they rest as the groom was drawn.
    plait_hybrid_params hybrid = PLAIT_HYBRID_PARAMS_INIT;
    if (!ok(h, h->plait.plait_hybrid_params_default(1, &hybrid), "plait_hybrid_params_default")) return false;
    hybrid.rest_gravity[1] = GRAVITY;
    if (solver == PLAIT_SOLVER_HYBRID) desc.params = &hybrid;
    if (solver == PLAIT_SOLVER_SHAPE && h->has_shape) desc.params = &h->shape;
    desc.params_count = desc.params ? 1 : 0;
    if (!ok(h, h->plait.plait_hair_create(h->context, &desc, hair), "plait_hair_create")) return false;

    bool made = ok(h, h->plait.plait_hair_set_binding(*hair, h->binding), "plait_hair_set_binding");
    if (h->hair_hair) {
        plait_volume_params volume = PLAIT_VOLUME_PARAMS_INIT;
        made = made && ok(h, h->plait.plait_volume_params_default(1, &volume), "plait_volume_params_default");
        volume.model = h->hair_hair;
        made = made && ok(h, h->plait.plait_hair_set_volume(*hair, &volume), "plait_hair_set_volume");
    }
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    made = made && ok(h, h->plait.plait_hair_query(*hair, &info), "plait_hair_query");
    h->guide_vertex_count = info.vertex_count;
    h->render_vertex_count = info.render_vertex_count;
    if (!made) h->plait.plait_hair_destroy(*hair);
    return made;
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
static bool bind_render_strands(hair *h, const plait_groom_desc *render);
static bool make_hair(hair *h, uint32_t solver, const float *bones, plait_hair *hair);
static bool set_detail(hair *h, hair_detail detail);
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
    uint32_t more = h->render_vertex_count > h->guide_vertex_count ? h->render_vertex_count : h->guide_vertex_count;
    h->copy_size = (more * sizeof(hair_vertex) + 255) / 256 * 256;
    h->copy = 0;
    uint64_t size = h->copy_size * (mapped ? FRAMES_IN_FLIGHT : 1);
    bool connected =
        gpu_buffer_make(h->gpu, size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, mapped, &h->strands) && set_output(h);
    if (!connected) h->path = HAIR_PATH_NONE;
    return connected;
}

// Plait writes the layout that the shaders read. Only what is drawn is written: of render strands and guides one.
static bool set_output(hair *h) {
    plait_output_attribute position = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    position.attribute = PLAIT_ATTRIBUTE_POSITION;
    position.format = PLAIT_FORMAT_FLOAT32X4; // the fourth is the radius
    position.stride = sizeof(hair_vertex);
    plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
    output.attribute_count = 1;
    output.attributes = &position;
    output.size = h->copy_size;
    plait_vulkan_output_desc vulkan = PLAIT_VULKAN_OUTPUT_DESC_INIT;
    if (h->path == HAIR_PATH_ZERO_COPY) {
        vulkan.device = h->gpu->device;
        vulkan.buffer = (uint64_t)h->strands.handle;
        output.head.next = &vulkan;
    } else {
        output.memory = (char *)h->strands.mapped + h->copy * h->copy_size;
    }
    if (h->view == HAIR_VIEW_GUIDES)
        return ok(h, h->plait.plait_hair_set_output(h->hair, &output), "plait_hair_set_output");
    return ok(h, h->plait.plait_hair_set_render_output(h->hair, &output), "plait_hair_set_render_output");
}

static bool remove_output(hair *h) {
    return ok(h, h->plait.plait_hair_set_output(h->hair, NULL), "plait_hair_set_output") &&
           ok(h, h->plait.plait_hair_set_render_output(h->hair, NULL), "plait_hair_set_render_output");
}

// ---- 4. every frame -----------------------------------------------------------------------------------------------

bool hair_step(hair *h, const hair_frame *frame, hair_ready *ready) {
    plait_frame_desc desc = PLAIT_FRAME_DESC_INIT;
    desc.dt = frame->dt;
    desc.bone_count = frame->bone_count;
    desc.bones = frame->bones;
    desc.gravity[1] = GRAVITY;
    memcpy(desc.wind, frame->wind, sizeof desc.wind);
    if (!set_detail(h, frame->detail)) return false;
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
        return count_strands(h, ready);
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
                  "vmaFlushAllocation") &&
           count_strands(h, ready);
}

// Costs nothing to speak of: an engine sets it every frame, from the distance of the camera.
static bool set_detail(hair *h, hair_detail detail) {
    plait_render_params params = PLAIT_RENDER_PARAMS_INIT;
    if (!ok(h, h->plait.plait_render_params_default(&params), "plait_render_params_default")) return false;
    params.strand_fraction = detail.strands;
    params.vertex_fraction = detail.vertices;
    return ok(h, h->plait.plait_hair_set_render_params(h->hair, &params), "plait_hair_set_render_params");
}

// With less detail only the first strands are written.
static bool count_strands(hair *h, hair_ready *ready) {
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    bool known = ok(h, h->plait.plait_hair_query(h->hair, &info), "plait_hair_query");
    ready->strand_count = h->view == HAIR_VIEW_GUIDES ? info.strand_count : info.render_strand_count;
    return known;
}

// ---- 5. another backend, solver or view while the game runs -------------------------------------------------------

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
    bool moved = remove_output(h) && ok(h, h->plait.plait_hair_set_device(h->hair, device), "plait_hair_set_device");
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

// A hair's solver is for life: another solver means another hair, of the same groom, body and binding.
bool hair_set_solver(hair *h, uint32_t solver, const float *bones) {
    plait_hair other = {0};
    if (!make_hair(h, solver, bones, &other)) return false;
    h->plait.plait_hair_destroy(h->hair);
    h->hair = other;
    h->solver = solver;
    return set_output(h);
}

bool hair_show(hair *h, hair_view view) {
    h->view = view;
    return remove_output(h) && set_output(h);
}

// ---- 6. the end ---------------------------------------------------------------------------------------------------

// The hair goes before the buffer that it writes and the semaphore that it signals; all of Plait before the VkDevice.
void hair_close(hair *h) {
    if (h->hair.id) h->plait.plait_hair_destroy(h->hair);
    if (h->binding.id) h->plait.plait_binding_destroy(h->binding);
    if (h->body.id) h->plait.plait_body_destroy(h->body);
    if (h->guides.id) h->plait.plait_groom_destroy(h->guides);
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
