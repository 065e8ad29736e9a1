// Memory and timeline semaphores shared as file descriptors. Memory is a file of its size; a semaphore is a file of
// eight bytes that hold its value. Tests that act as the renderer create them the same way.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // memfd_create
#endif
#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define GRANULARITY ((size_t)2 << 20)

struct physical {
    struct object object;
    int fd;
    size_t size;
    uint32_t mapped;
};

struct range {
    struct object object;
    unsigned char *base;
    size_t size;
    struct physical *physical; // mapped there, or null
    struct memory *memory;     // once access is given
};

// On success the driver owns the descriptor.
static CUresult import(enum kind kind, int fd, uint64_t offset, uint64_t size, void *handle) {
    struct stat info;
    CUresult result = need_context();
    if (result != CUDA_SUCCESS) return result;
    if (fstat(fd, &info) != 0 || info.st_size < (off_t)(offset + size)) return CUDA_ERROR_INVALID_VALUE;
    void *mapping = mmap(NULL, offset + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapping == MAP_FAILED) return CUDA_ERROR_INVALID_VALUE;
    close(fd);
    struct external *external = add_object(kind, sizeof *external);
    external->mapping = mapping;
    external->base = (unsigned char *)mapping + offset;
    external->size = size;
    memcpy(handle, &external, sizeof external);
    return CUDA_SUCCESS;
}

static CUresult end_external(void *handle, enum kind kind) {
    struct external *external = handle;
    CUresult result = check_object(external, kind, "what was imported");
    if (result == CUDA_SUCCESS && external->buffers) result = fault("external memory ends before what is mapped of it");
    if (result == CUDA_SUCCESS && kind == KIND_EXTERNAL_SEMAPHORE && is_awaited(external->base))
        result = fault("a semaphore ends before what a stream does with it");
    if (result != CUDA_SUCCESS) return result;
    if (kind == KIND_EXTERNAL_MEMORY) wait_idle();
    munmap(external->mapping, (size_t)(external->base - external->mapping) + external->size);
    remove_object(external);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuImportExternalMemory(CUexternalMemory *memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc) {
    DRIVER_CALL(CALL_MAKES);
    const char *offset = getenv("FAKE_CUDA_FILE_OFFSET");
    CUresult result =
        desc->type == CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD
            ? import(KIND_EXTERNAL_MEMORY, desc->handle.fd, offset ? strtoull(offset, NULL, 10) : 0, desc->size, memory)
            : CUDA_ERROR_INVALID_VALUE;
    DRIVER_RETURN(result);
}

EXPORT CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr *pointer, CUexternalMemory handle,
                                                const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *desc) {
    DRIVER_CALL(CALL_MAKES);
    struct external *external = (struct external *)handle;
    CUresult result = check_object(external, KIND_EXTERNAL_MEMORY, "the external memory");
    if (result == CUDA_SUCCESS && (desc->offset > external->size || desc->size > external->size - desc->offset))
        result = fault("a buffer beyond the end of external memory");
    if (result == CUDA_SUCCESS) {
        struct memory *memory = add_memory(KIND_DEVICE_MEMORY, external->base + desc->offset, desc->size);
        memory->external = external;
        external->buffers++;
        *pointer = (CUdeviceptr)(uintptr_t)memory->base;
    }
    DRIVER_RETURN(result);
}

EXPORT CUresult cuDestroyExternalMemory(CUexternalMemory memory) {
    DRIVER_CALL(CALL_ENDS);
    DRIVER_RETURN(end_external(memory, KIND_EXTERNAL_MEMORY));
}

EXPORT CUresult cuImportExternalSemaphore(CUexternalSemaphore *semaphore,
                                          const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *desc) {
    DRIVER_CALL(CALL_MAKES);
    CUresult result = desc->type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD
                          ? import(KIND_EXTERNAL_SEMAPHORE, desc->handle.fd, 0, sizeof(uint64_t), semaphore)
                          : CUDA_ERROR_INVALID_VALUE;
    DRIVER_RETURN(result);
}

EXPORT CUresult cuDestroyExternalSemaphore(CUexternalSemaphore semaphore) {
    DRIVER_CALL(CALL_ENDS);
    DRIVER_RETURN(end_external(semaphore, KIND_EXTERNAL_SEMAPHORE));
}

static CUresult enqueue_semaphores(enum work_kind kind, const CUexternalSemaphore *semaphores,
                                   const CUDA_EXTERNAL_SEMAPHORE_PARAMS *params, unsigned count, CUstream stream) {
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++) {
        struct work work = {.kind = kind, .value = params[i].fence.value};
        result = check_object(semaphores[i], KIND_EXTERNAL_SEMAPHORE, "the semaphore");
        if (result == CUDA_SUCCESS) work.to = ((struct external *)semaphores[i])->base;
        if (result == CUDA_SUCCESS) result = enqueue(stream, &work);
    }
    return result;
}

EXPORT CUresult cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *semaphores,
                                                const CUDA_EXTERNAL_SEMAPHORE_PARAMS *params, unsigned count,
                                                CUstream stream) {
    DRIVER_CALL(CALL_MAKES);
    DRIVER_RETURN(enqueue_semaphores(WORK_SIGNAL, semaphores, params, count, stream));
}

EXPORT CUresult cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *semaphores,
                                              const CUDA_EXTERNAL_SEMAPHORE_PARAMS *params, unsigned count,
                                              CUstream stream) {
    DRIVER_CALL(CALL_MAKES);
    DRIVER_RETURN(enqueue_semaphores(WORK_WAIT, semaphores, params, count, stream));
}

// ---- exported memory ----

static bool valid(const CUmemAllocationProp *prop) {
    return prop->type == CU_MEM_ALLOCATION_TYPE_PINNED && prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
           prop->requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
}

EXPORT CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop, int option) {
    DRIVER_CALL(CALL_MAKES);
    *granularity = GRANULARITY;
    DRIVER_RETURN(valid(prop) && (option == 0 || option == 1) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
                            unsigned long long flags) {
    DRIVER_CALL(CALL_MAKES);
    CUresult result =
        flags || !valid(prop) || size == 0 || size % GRANULARITY ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS) {
        struct physical *physical = add_object(KIND_PHYSICAL_MEMORY, sizeof *physical);
        physical->size = size;
        physical->fd = memfd_create("fake CUDA memory", MFD_CLOEXEC);
        if (physical->fd < 0 || ftruncate(physical->fd, (off_t)size) != 0) abort();
        *handle = (CUmemGenericAllocationHandle)(uintptr_t)physical;
    }
    DRIVER_RETURN(result);
}

EXPORT CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    DRIVER_CALL(CALL_ENDS);
    struct physical *physical = (struct physical *)(uintptr_t)handle;
    CUresult result = check_object(physical, KIND_PHYSICAL_MEMORY, "the physical memory");
    if (result == CUDA_SUCCESS && physical->mapped) result = fault("physical memory ends while it is mapped");
    if (result == CUDA_SUCCESS) {
        close(physical->fd);
        remove_object(physical);
    }
    DRIVER_RETURN(result);
}

EXPORT CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle, int type,
                                             unsigned long long flags) {
    DRIVER_CALL(CALL_MAKES);
    struct physical *physical = (struct physical *)(uintptr_t)handle;
    CUresult result = check_object(physical, KIND_PHYSICAL_MEMORY, "the physical memory");
    if (result == CUDA_SUCCESS && (flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *(int *)shareable = dup(physical->fd);
    DRIVER_RETURN(result);
}

static struct range *find_range(CUdeviceptr pointer, size_t size) {
    for (struct object *o = first_object(); o; o = o->next) {
        struct range *range = (struct range *)o;
        if (o->kind == KIND_ADDRESS_RANGE && (CUdeviceptr)(uintptr_t)range->base == pointer && range->size == size)
            return range;
    }
    return NULL;
}

EXPORT CUresult cuMemAddressReserve(CUdeviceptr *pointer, size_t size, size_t alignment, CUdeviceptr wanted,
                                    unsigned long long flags) {
    DRIVER_CALL(CALL_MAKES);
    CUresult result =
        flags || wanted || alignment || size == 0 || size % GRANULARITY ? CUDA_ERROR_INVALID_VALUE : need_context();
    if (result == CUDA_SUCCESS) {
        void *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED) abort();
        struct range *range = add_object(KIND_ADDRESS_RANGE, sizeof *range);
        range->base = base;
        range->size = size;
        *pointer = (CUdeviceptr)(uintptr_t)base;
    }
    DRIVER_RETURN(result);
}

EXPORT CUresult cuMemAddressFree(CUdeviceptr pointer, size_t size) {
    DRIVER_CALL(CALL_ENDS);
    struct range *range = find_range(pointer, size);
    CUresult result = range && !range->physical ? CUDA_SUCCESS : fault("addresses are freed that are not free");
    if (result == CUDA_SUCCESS) {
        munmap(range->base, range->size);
        remove_object(range);
    }
    DRIVER_RETURN(result);
}

EXPORT CUresult cuMemMap(CUdeviceptr pointer, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                         unsigned long long flags) {
    DRIVER_CALL(CALL_MAKES);
    struct range *range = find_range(pointer, size);
    struct physical *physical = (struct physical *)(uintptr_t)handle;
    CUresult result = check_object(physical, KIND_PHYSICAL_MEMORY, "the physical memory");
    if (result == CUDA_SUCCESS && (!range || range->physical || offset || flags || size > physical->size))
        result = fault("memory is mapped where it cannot be");
    if (result == CUDA_SUCCESS) {
        if (mmap(range->base, size, PROT_NONE, MAP_SHARED | MAP_FIXED, physical->fd, 0) == MAP_FAILED) abort();
        range->physical = physical;
        physical->mapped++;
    }
    DRIVER_RETURN(result);
}

EXPORT CUresult cuMemSetAccess(CUdeviceptr pointer, size_t size, const CUmemAccessDesc *desc, size_t count) {
    DRIVER_CALL(CALL_MAKES);
    struct range *range = find_range(pointer, size);
    CUresult result = range && range->physical && count == 1 && desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                          ? need_context()
                          : fault("access to what is not mapped");
    if (result == CUDA_SUCCESS && !range->memory) {
        mprotect(range->base, size, PROT_READ | PROT_WRITE);
        range->memory = add_memory(KIND_DEVICE_MEMORY, range->base, size);
    }
    DRIVER_RETURN(result);
}

EXPORT CUresult cuMemUnmap(CUdeviceptr pointer, size_t size) {
    DRIVER_CALL(CALL_ENDS);
    struct range *range = find_range(pointer, size);
    CUresult result = range && range->physical ? CUDA_SUCCESS : fault("what is not mapped is unmapped");
    if (result == CUDA_SUCCESS) {
        wait_idle();
        if (range->memory) remove_object(range->memory);
        memory_changed();
        if (mmap(range->base, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) ==
            MAP_FAILED)
            abort();
        range->memory = NULL;
        range->physical->mapped--;
        range->physical = NULL;
    }
    DRIVER_RETURN(result);
}
