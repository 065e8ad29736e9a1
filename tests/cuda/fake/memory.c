// Memory: each allocation between guard pages, its end at the end of a page.
#include "fake.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u

static atomic_ullong generation; // incremented at every allocation and release

void memory_changed(void) { atomic_fetch_add(&generation, 1); }

struct memory *add_memory(enum kind kind, unsigned char *base, uint64_t size) {
    struct memory *memory = add_object(kind, sizeof *memory);
    memory->base = base;
    memory->size = size;
    memory_changed();
    return memory;
}

static struct memory *find_memory(enum kind kind, const void *pointer, uint64_t size) {
    const unsigned char *at = pointer;
    for (struct object *o = first_object(); o; o = o->next) {
        struct memory *memory = (struct memory *)o;
        if (o->kind != kind) continue;
        if (at >= memory->base && size <= memory->size && (uint64_t)(at - memory->base) <= memory->size - size)
            return memory;
    }
    return NULL;
}

static struct memory *make_memory(enum kind kind, uint64_t size) {
    uint64_t pages = (size + PAGE - 1) / PAGE * PAGE, whole = pages + 2 * PAGE;
    unsigned char *mapping = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED || mprotect(mapping + PAGE, pages, PROT_READ | PROT_WRITE) != 0) abort();
    memset(mapping + PAGE, 0xfe, pages); // memory is not zeroed
    uint64_t slack = (pages - size) / 16 * 16;
    struct memory *memory = add_memory(kind, mapping + PAGE + slack, size);
    memory->mapping = mapping;
    memory->mapping_size = whole;
    return memory;
}

static CUresult end_memory(enum kind kind, void *base) {
    struct memory *memory = find_memory(kind, base, 0);
    if (!memory || memory->base != base) return fault("memory is freed that was not allocated");
    CUresult result = check_object(memory, kind, "memory");
    if (result != CUDA_SUCCESS) return result;
    wait_idle();
    if (memory->mapping) munmap(memory->mapping, memory->mapping_size);
    if (memory->external) memory->external->buffers--;
    remove_object(memory);
    memory_changed();
    return CUDA_SUCCESS;
}

CUresult check_device_range(CUdeviceptr pointer, uint64_t size, const char *what) {
    struct memory *memory = find_memory(KIND_DEVICE_MEMORY, (const void *)(uintptr_t)pointer, size);
    if (!memory) return fault("%s: %llu bytes are not all in device memory", what, (unsigned long long)size);
    return check_object(memory, KIND_DEVICE_MEMORY, what);
}

CUresult check_pinned_range(const void *pointer, uint64_t size, const char *what) {
    struct memory *memory = find_memory(KIND_PINNED_MEMORY, pointer, size);
    if (!memory) return fault("%s: %llu bytes are not all in pinned memory", what, (unsigned long long)size);
    return check_object(memory, KIND_PINNED_MEMORY, what);
}

// Called by kernels for every access, on the worker's thread, without the lock: the last result is cached.
bool device_memory_holds(uint64_t address, uint64_t size) {
    static _Thread_local uint64_t first, end, known;
    uint64_t now = atomic_load_explicit(&generation, memory_order_acquire);
    if (known == now && address >= first && size <= end - first && address <= end - size) return true;
    pthread_mutex_lock(&fake_lock);
    struct memory *memory = find_memory(KIND_DEVICE_MEMORY, (const void *)(uintptr_t)address, size);
    if (memory) {
        first = (uint64_t)(uintptr_t)memory->base;
        end = first + memory->size;
        known = now;
    }
    pthread_mutex_unlock(&fake_lock);
    return memory != NULL;
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t size) {
    DRIVER_CALL(CALL_MAKES);
    CUresult result = size ? need_context() : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && size > (size_t)8 << 30) result = CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS) *pointer = (CUdeviceptr)(uintptr_t)make_memory(KIND_DEVICE_MEMORY, size)->base;
    DRIVER_RETURN(result);
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr pointer) {
    DRIVER_CALL(CALL_ENDS);
    CUresult result = need_context();
    DRIVER_RETURN(result == CUDA_SUCCESS ? end_memory(KIND_DEVICE_MEMORY, (void *)(uintptr_t)pointer) : result);
}

EXPORT CUresult cuMemHostAlloc(void **pointer, size_t size, unsigned flags) {
    DRIVER_CALL(CALL_MAKES);
    CUresult result = size && !flags ? need_context() : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *pointer = make_memory(KIND_PINNED_MEMORY, size)->base;
    DRIVER_RETURN(result);
}

EXPORT CUresult cuMemFreeHost(void *pointer) {
    DRIVER_CALL(CALL_ENDS);
    CUresult result = need_context();
    DRIVER_RETURN(result == CUDA_SUCCESS ? end_memory(KIND_PINNED_MEMORY, pointer) : result);
}

EXPORT CUresult cuMemsetD8Async(CUdeviceptr pointer, unsigned char value, size_t size, CUstream stream) {
    DRIVER_CALL(CALL_MAKES);
    struct work work = {.kind = WORK_FILL, .to = (unsigned char *)(uintptr_t)pointer, .size = size, .value = value};
    CUresult result = check_device_range(pointer, size, "cuMemsetD8Async");
    DRIVER_RETURN(result == CUDA_SUCCESS ? enqueue(stream, &work) : result);
}

EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream) {
    DRIVER_CALL(CALL_MAKES);
    struct work work = {.kind = WORK_COPY, .to = (unsigned char *)(uintptr_t)to, .from = from, .size = size};
    CUresult result = check_device_range(to, size, "cuMemcpyHtoDAsync");
    DRIVER_RETURN(result == CUDA_SUCCESS ? enqueue(stream, &work) : result);
}

EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream) {
    DRIVER_CALL(CALL_MAKES);
    struct work work = {.kind = WORK_COPY, .to = to, .from = (const unsigned char *)(uintptr_t)from, .size = size};
    CUresult result = check_device_range(from, size, "cuMemcpyDtoHAsync");
    DRIVER_RETURN(result == CUDA_SUCCESS ? enqueue(stream, &work) : result);
}
