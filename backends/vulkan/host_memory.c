// Host memory for VMA, and for the driver's objects that VMA makes, comes from the context's allocator. VMA cannot handle a
// failed allocation: the C library then serves it, and the call fails and frees everything.
#include "vulkan.h"

#include <stdlib.h>
#include <string.h>

// Lies before what was asked for.
struct piece {
    void *start;
    size_t size;
    bool borrowed; // from the C library
};

#define LEAST_ALIGNMENT 16
_Static_assert(sizeof(struct piece) <= 2 * LEAST_ALIGNMENT, "a piece fits between the start and what is aligned");

static struct piece *piece_of(void *memory) { return (struct piece *)((char *)memory - 2 * LEAST_ALIGNMENT); }

static void *VKAPI_PTR take(void *user, size_t size, size_t alignment, VkSystemAllocationScope scope) {
    (void)scope;
    struct vulkan_device *d = user;
    if (alignment < LEAST_ALIGNMENT) alignment = LEAST_ALIGNMENT;
    size_t before = 2 * LEAST_ALIGNMENT + alignment - 1;
    if (size == 0 || size > SIZE_MAX / 2 - before) return NULL;
    struct piece piece = {.start = allocate(d->device.object.context, 1, before + size), .size = size};
    if (!piece.start) {
        atomic_store(&d->host_memory_lacked, true);
        piece.borrowed = true;
        piece.start = malloc(before + size);
    }
    if (!piece.start) return NULL;
    char *memory = (char *)(((uintptr_t)piece.start + before) / alignment * alignment);
    *piece_of(memory) = piece;
    return memory;
}

static void VKAPI_PTR give_back(void *user, void *memory) {
    struct vulkan_device *d = user;
    if (!memory) return;
    struct piece piece = *piece_of(memory);
    if (piece.borrowed)
        free(piece.start);
    else
        release(d->device.object.context, piece.start);
}

static void *VKAPI_PTR take_again(void *user, void *memory, size_t size, size_t alignment,
                                  VkSystemAllocationScope scope) {
    void *next = take(user, size, alignment, scope);
    if (memory && next) memcpy(next, memory, piece_of(memory)->size < size ? piece_of(memory)->size : size);
    if (next || size == 0) give_back(user, memory);
    return next;
}

VkAllocationCallbacks vulkan_host_memory(struct vulkan_device *d) {
    return (VkAllocationCallbacks){
        .pUserData = d, .pfnAllocation = take, .pfnReallocation = take_again, .pfnFree = give_back};
}

bool vulkan_host_memory_lacked(struct vulkan_device *d) { return atomic_exchange(&d->host_memory_lacked, false); }
