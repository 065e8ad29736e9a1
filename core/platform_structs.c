#include "platform_structs.h"
#include "device.h"
#include "plait_cuda.h"
#include "plait_vulkan.h"

#include <string.h>

#define MAX_EXTENSIONS 4

#define STRUCT(type, struct_name, backend)                                                                             \
    { type, sizeof(struct_name), #struct_name, backend }
static const struct {
    uint32_t type;
    size_t size;
    const char *name;
    uint32_t backend;
} structs[][MAX_PLATFORM_STRUCTS] = {
    [PLATFORM_DEVICE] = {STRUCT(PLAIT_TYPE_VULKAN_DEVICE_DESC, plait_vulkan_device_desc, PLAIT_BACKEND_VULKAN),
                         STRUCT(PLAIT_TYPE_CUDA_DEVICE_DESC, plait_cuda_device_desc, PLAIT_BACKEND_CUDA)},
    [PLATFORM_OUTPUT] = {STRUCT(PLAIT_TYPE_VULKAN_OUTPUT_DESC, plait_vulkan_output_desc, PLAIT_BACKEND_VULKAN),
                         STRUCT(PLAIT_TYPE_CUDA_OUTPUT_DESC, plait_cuda_output_desc, PLAIT_BACKEND_CUDA)},
    [PLATFORM_FRAME] = {STRUCT(PLAIT_TYPE_VULKAN_FRAME_DESC, plait_vulkan_frame_desc, PLAIT_BACKEND_VULKAN)},
};
_Static_assert(sizeof(plait_vulkan_device_desc) <= MAX_PLATFORM_SIZE, "the longest of them fits");

plait_result platform_read(const struct call *call, const char *argument, const void *in, uint32_t type, void *out,
                           size_t size, struct extension *extensions, uint32_t extension_count,
                           enum platform_place place, struct platform_struct *found) {
    struct extension all[MAX_EXTENSIONS + MAX_PLATFORM_STRUCTS];
    uint32_t count = 0;
    memset(found, 0, sizeof *found);
    for (uint32_t i = 0; i < extension_count; i++) all[i] = extensions[i];
    for (; count < MAX_PLATFORM_STRUCTS && structs[place][count].type; count++)
        all[extension_count + count] =
            (struct extension){structs[place][count].type, structs[place][count].size, found->copies[count], false};
    plait_result result = struct_read(call, argument, in, type, out, size, all, extension_count + count);
    for (uint32_t i = 0; i < extension_count; i++) extensions[i].found = all[i].found;
    for (uint32_t i = 0; i < count; i++) {
        if (!all[extension_count + i].found) continue;
        found->count++;
        found->copy = found->copies[i];
        found->name = structs[place][i].name;
        found->backend = structs[place][i].backend;
    }
    return result;
}

static plait_result query_wants(struct call *call, void *physical_device, plait_vulkan_wants_info *info) {
    plait_result result = struct_check_info(call, "info", info, PLAIT_TYPE_VULKAN_WANTS_INFO);
    if (result != PLAIT_OK) return result;
    if (!physical_device) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "physical_device is null");
    const struct backend *backend;
    void *state;
    result = backend_use(call, PLAIT_BACKEND_VULKAN, &backend, &state);
    if (result != PLAIT_OK) return result;
    plait_vulkan_wants_info values = PLAIT_VULKAN_WANTS_INFO_INIT;
    result = backend->query_wants(call, state, physical_device, &values);
    if (result == PLAIT_OK) struct_write(info, &values, sizeof values);
    return result;
}

plait_result PLAIT_CALL plait_vulkan_query_wants(plait_context context, void *physical_device,
                                                 plait_vulkan_wants_info *info) {
    struct call call = {.function = __func__};
    plait_result result = call_enter_context(&call, context);
    if (result != PLAIT_OK) return result;
    result = query_wants(&call, physical_device, info);
    call_leave(&call);
    return result;
}
