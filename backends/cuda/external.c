// Memory that others see: imported by handle, or made here and exported. It comes and goes with an output, never while
// stepping.
#include "cuda_backend.h"

#if defined(_WIN32)
#include <windows.h>
#include <winternl.h>
#define MEMORY_TYPE CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32
#define EXPORT_TYPE CU_MEM_HANDLE_TYPE_WIN32
#define EXPORT_ATTRIBUTE CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED
#define MEMORY_BIT PLAIT_INTEROP_MEMORY_WIN32
#define SEMAPHORE_BIT PLAIT_INTEROP_SEMAPHORE_WIN32
#else
#define MEMORY_TYPE CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD
#define EXPORT_TYPE CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
#define EXPORT_ATTRIBUTE CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
#define MEMORY_BIT PLAIT_INTEROP_MEMORY_FD
#define SEMAPHORE_BIT PLAIT_INTEROP_SEMAPHORE_FD
#endif

struct cuda_shared {
    struct shared_memory shared;
    CUexternalMemory imported;
    CUmemGenericAllocationHandle made;
    CUdeviceptr pointer; // where it is mapped; 0: not yet
    uint64_t size;       // of the mapping
    bool reserved, mapped;
};

static bool has(const struct cuda_device *d, int attribute) {
    int value = 0;
    return d->cu->cuDeviceGetAttribute(&value, attribute, d->ordinal) == CUDA_SUCCESS && value;
}

void cuda_find_abilities(struct cuda_device *d) {
    if (has(d, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) && has(d, EXPORT_ATTRIBUTE))
        d->device.info.interop |= MEMORY_BIT;
    if (has(d, CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED)) d->device.info.interop |= SEMAPHORE_BIT;
    d->has_stream_values = has(d, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS);
}

void cuda_handle(union external_handle *out, int64_t handle) {
#if defined(_WIN32)
    out->win32.handle = (void *)(intptr_t)handle;
#else
    out->fd = (int)handle;
#endif
}

static void unmap(const struct cuda_device *d, struct cuda_shared *m) {
    if (m->imported) {
        if (m->pointer) d->cu->cuMemFree_v2(m->pointer);
        d->cu->cuDestroyExternalMemory(m->imported);
        return;
    }
    if (m->mapped) d->cu->cuMemUnmap(m->pointer, m->size);
    if (m->reserved) d->cu->cuMemAddressFree(m->pointer, m->size);
    if (m->made) d->cu->cuMemRelease(m->made);
}

void cuda_memory_destroy(struct shared_memory *memory) {
    struct cuda_shared *m = (struct cuda_shared *)memory;
    struct cuda_device *d = (struct cuda_device *)memory->device;
    CUcontext hosts;
    cuda_enter_to_free(d, &hosts);
    unmap(d, m);
    cuda_leave(d, hosts);
    if (m->mapped) atomic_fetch_sub(&d->device.used_bytes, m->size);
    release(d->device.object.context, m);
}

// Runs `make` on new memory with the context current, and cleans up after it if it fails.
static plait_result with_memory(struct call *call, struct device *device, const char *what,
                                CUresult (*make)(struct cuda_device *, struct cuda_shared *, const void *),
                                const void *argument, struct shared_memory **out) {
    struct cuda_device *d = (struct cuda_device *)device;
    const struct module_services *services = call->context->services;
    struct cuda_shared *m = allocate(call->context, 1, sizeof *m);
    if (!m) return services->fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the output");
    m->shared.device = device;
    CUcontext hosts;
    CUresult result = cuda_enter(d, &hosts);
    if (result == CUDA_SUCCESS) result = make(d, m, argument);
    cuda_leave(d, hosts);
    if (result != CUDA_SUCCESS) {
        plait_result code = result == CUDA_ERROR_INVALID_VALUE ? PLAIT_ERROR_INVALID_ARGUMENT : cuda_result(d, result);
        cuda_memory_destroy(&m->shared);
        return services->fail(call, code, "%s (CUresult %d)", what, result);
    }
    m->shared.native = m->pointer;
    *out = &m->shared;
    return PLAIT_OK;
}

// ---- ours, for others ----

static CUmemAllocationProp exportable(const struct cuda_device *d) {
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .requestedHandleTypes = EXPORT_TYPE,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, d->ordinal}};
#if defined(_WIN32)
    // The driver wants to be told who may open the handle: whom the process itself trusts by default.
    static OBJECT_ATTRIBUTES trusted = {.Length = sizeof trusted};
    prop.win32HandleMetaData = &trusted;
#endif
    return prop;
}

static CUresult make_exportable(struct cuda_device *d, struct cuda_shared *m, const void *argument) {
    uint64_t size = *(const uint64_t *)argument;
    CUmemAllocationProp prop = exportable(d);
    CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    size_t granularity = 0;
    CUresult result = d->cu->cuMemGetAllocationGranularity(&granularity, &prop, 0);
    if (result != CUDA_SUCCESS) return result;
    m->size = (size + granularity - 1) / granularity * granularity;
    result = d->cu->cuMemCreate(&m->made, m->size, &prop, 0);
    if (result != CUDA_SUCCESS) {
        m->made = 0;
        return result;
    }
    result = d->cu->cuMemAddressReserve(&m->pointer, m->size, 0, 0, 0);
    m->reserved = result == CUDA_SUCCESS;
    if (result == CUDA_SUCCESS) result = d->cu->cuMemMap(m->pointer, m->size, 0, m->made, 0);
    m->mapped = result == CUDA_SUCCESS;
    if (m->mapped) atomic_fetch_add(&d->device.used_bytes, m->size);
    return result == CUDA_SUCCESS ? d->cu->cuMemSetAccess(m->pointer, m->size, &access, 1) : result;
}

plait_result cuda_memory_create(struct call *call, struct device *device, uint64_t size, uint32_t kind,
                                struct shared_memory **memory) {
    (void)kind; // there is one on each system, and core has checked
    return with_memory(call, device, "the device has no memory to export", make_exportable, &size, memory);
}

plait_result cuda_memory_export(struct call *call, struct shared_memory *memory, plait_external_memory *external) {
    struct cuda_shared *m = (struct cuda_shared *)memory;
    struct cuda_device *d = (struct cuda_device *)memory->device;
    *external = (plait_external_memory)PLAIT_EXTERNAL_MEMORY_INIT;
    external->kind = EXTERNAL_KIND;
    external->allocation_size = m->size;
    CUcontext hosts;
    CUresult result = cuda_enter(d, &hosts);
#if defined(_WIN32)
    void *handle = NULL;
#else
    int handle = -1;
#endif
    if (result == CUDA_SUCCESS) result = d->cu->cuMemExportToShareableHandle(&handle, m->made, EXPORT_TYPE, 0);
    cuda_leave(d, hosts);
    if (result != CUDA_SUCCESS)
        return call->context->services->fail(call, cuda_result(d, result),
                                             "the device could not export the memory (CUresult %d)", result);
    external->handle = (int64_t)(intptr_t)handle;
    return PLAIT_OK;
}

// ---- others', for us ----

struct import {
    const plait_external_memory *external;
    uint64_t size;
};

static CUresult import_memory(struct cuda_device *d, struct cuda_shared *m, const void *argument) {
    const struct import *import = argument;
    const plait_external_memory *external = import->external;
    int64_t copy = external_duplicate(external->handle); // the driver takes it
    if (!external_valid(copy)) return CUDA_ERROR_OPERATING_SYSTEM;
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = MEMORY_TYPE,
                                             .size = external->allocation_size,
                                             .flags = external->dedicated ? CUDA_EXTERNAL_MEMORY_DEDICATED : 0};
    cuda_handle(&desc.handle, copy);
    CUresult result = d->cu->cuImportExternalMemory(&m->imported, &desc);
    if (result != CUDA_SUCCESS) m->imported = NULL;
    // It takes a descriptor when it succeeds, a Win32 handle never.
    if (result != CUDA_SUCCESS || EXTERNAL_KIND == PLAIT_EXTERNAL_OPAQUE_WIN32) external_close(copy);
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC whole = {.offset = 0, .size = external->offset + import->size};
    if (result == CUDA_SUCCESS) result = d->cu->cuExternalMemoryGetMappedBuffer(&m->pointer, m->imported, &whole);
    if (result != CUDA_SUCCESS) m->pointer = 0;
    m->shared.offset = external->offset;
    return result;
}

plait_result cuda_memory_import(struct call *call, struct device *device, const plait_external_memory *external,
                                uint64_t size, struct shared_memory **memory) {
    struct import import = {external, size};
    return with_memory(call, device, "the device could not import the memory", import_memory, &import, memory);
}
