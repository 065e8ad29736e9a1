// Where output goes: the host's memory, memory of the host's device, or memory that comes or goes by handle.
#include "hair.h"
#include "structs.h"

#include <string.h>

// Memory of the host's device, as its platform describes it.
static plait_result take_platform(const struct call *call, const struct device *device,
                                  const struct platform_struct *platform, struct buffer *memory) {
    if (device->info.backend != platform->backend || !device->native)
        return fail(call, PLAIT_ERROR_UNSUPPORTED,
                    "output has a %s, but the hair's device was not opened on the host's device that it is of",
                    platform->name);
    return device->ops->take_output(call, device, platform->copy, memory);
}

static plait_result check_external(const struct call *call, const struct device *device, uint64_t size,
                                   const plait_external_memory *e) {
    plait_result result = device_check_external(call, device, e->kind, e->handle, e->device_uuid, e->driver_uuid,
                                                PLAIT_INTEROP_MEMORY_FD, PLAIT_INTEROP_MEMORY_WIN32);
    if (result != PLAIT_OK) return result;
    if (e->offset % 4 || e->dedicated > 1 || (e->dedicated ? e->offset != 0 : e->usage != 0) || e->memory_type >= 32)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                    "plait_external_memory: offset is no multiple of 4, or not 0 when dedicated, dedicated not 0 or 1, "
                    "usage not 0 without it, or memory_type not below 32");
    if (e->offset > e->allocation_size || size > e->allocation_size - e->offset)
        return fail(call, PLAIT_ERROR_BUFFER_TOO_SMALL,
                    "output.size is %llu, but the external memory has %llu bytes, of which %llu come before it",
                    (unsigned long long)size, (unsigned long long)e->allocation_size, (unsigned long long)e->offset);
    return PLAIT_OK;
}

static void set_shared(struct output *output, uint64_t size) {
    output->memory = (struct buffer){
        .native = output->shared->native, .offset = output->shared->offset, .size = size, .extent = output->extent};
}

plait_result hair_share_output(struct call *call, struct hair *hair, struct output *output) {
    struct device *device = hair->on.device;
    uint64_t size = output->memory.size;
    plait_result result = check_external(call, device, size, &output->external);
    if (result == PLAIT_OK) result = device->ops->memory_import(call, device, &output->external, size, &output->shared);
    if (result == PLAIT_OK) set_shared(output, size);
    return result;
}

// Memory of the hair's device, and a handle of it: for other devices that the hair may move to.
static plait_result make_shared(struct call *call, struct hair *hair, const plait_output_export_desc *wish,
                                struct output *output) {
    struct device *device = hair->on.device;
    if (wish->reserved != 0)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "plait_output_export_desc.reserved is not 0");
    plait_result result =
        device_check_kind(call, device, wish->kind, PLAIT_INTEROP_MEMORY_FD, PLAIT_INTEROP_MEMORY_WIN32);
    uint64_t size = output->memory.size;
    if (result == PLAIT_OK) result = device->ops->memory_create(call, device, size, wish->kind, &output->shared);
    if (result == PLAIT_OK) result = device->ops->memory_export(call, output->shared, &output->external);
    if (result != PLAIT_OK) return result;
    memcpy(output->external.device_uuid, device->info.uuid, 16);
    memcpy(output->external.driver_uuid, device->info.driver_uuid, 16);
    output->exported = true;
    set_shared(output, size);
    return PLAIT_OK;
}

plait_result hair_read_memory(struct call *call, const plait_output_desc *in, struct output_memory *memory) {
    struct extension extensions[] = {
        {PLAIT_TYPE_EXTERNAL_MEMORY, sizeof memory->external, &memory->external, false},
        {PLAIT_TYPE_OUTPUT_EXPORT_DESC, sizeof memory->wish, &memory->wish, false},
    };
    plait_output_desc *desc = &memory->desc;
    memset(memory, 0, sizeof *memory);
    plait_result result = platform_read(call, "output", in, PLAIT_TYPE_OUTPUT_DESC, desc, sizeof *desc, extensions,
                                        ARRAY_LENGTH(extensions), PLATFORM_OUTPUT, &memory->platform);
    if (result != PLAIT_OK) return result;
    memory->is_external = extensions[0].found;
    memory->is_export = extensions[1].found;
    uint32_t places = memory->platform.count + memory->is_external + memory->is_export;
    if (places > 1 || (places == 1 && desc->memory))
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                    "output names its memory twice: by output.memory or one of the structs chained to it");
    if (places == 0 && (!desc->memory || (uintptr_t)desc->memory % 4))
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "output.memory is null or not aligned to 4 bytes");
    return PLAIT_OK;
}

plait_result hair_take_memory(struct call *call, struct hair *hair, const struct output_memory *memory,
                              struct output *output) {
    output->external.handle = -1;
    output->memory =
        (struct buffer){.memory = memory->desc.memory, .size = memory->desc.size, .extent = output->extent};
    if (memory->platform.count) return take_platform(call, hair->on.device, &memory->platform, &output->memory);
    if (memory->is_export) return make_shared(call, hair, &memory->wish, output);
    if (!memory->is_external) return PLAIT_OK;
    output->external = memory->external;
    output->external.head.next = NULL;
    plait_result result = hair_share_output(call, hair, output);
    if (result != PLAIT_OK) output->external.handle = -1; // the host's still
    return result;
}

void hair_free_output(struct output *output) {
    if (!output->shared) return;
    output->shared->device->ops->memory_destroy(output->shared);
    if (external_valid(output->external.handle)) external_close(output->external.handle);
    memset(output, 0, sizeof *output);
}

static plait_result export_output(struct call *call, const struct output *output, plait_external_memory *memory) {
    plait_result result = struct_check_info(call, "memory", memory, PLAIT_TYPE_EXTERNAL_MEMORY);
    if (result != PLAIT_OK) return result;
    if (memory->head.size < sizeof *memory) // a handle must not get lost
        return fail(call, PLAIT_ERROR_INVALID_STRUCT, "memory.head.size is %u, too small", memory->head.size);
    if (!output->exported)
        return fail(call, PLAIT_ERROR_UNSUPPORTED, "the output was not set with a plait_output_export_desc");
    plait_external_memory values = output->external;
    values.handle = external_duplicate(values.handle);
    if (!external_valid(values.handle))
        return fail(call, PLAIT_ERROR_SYSTEM, "the handle could not be duplicated: too many are open");
    struct_write(memory, &values, sizeof values);
    return PLAIT_OK;
}

plait_result PLAIT_CALL plait_hair_export_output(plait_hair handle, plait_external_memory *memory) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = export_output(&call, &hair->output, memory);
    hair_leave(&call, hair);
    return result;
}

plait_result PLAIT_CALL plait_hair_export_render_output(plait_hair handle, plait_external_memory *memory) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = export_output(&call, &hair->render_output, memory);
    hair_leave(&call, hair);
    return result;
}
