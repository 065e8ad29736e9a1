// Arenas: a heap with room to grow, for one hair or for several, and the slices through which changing values get into it.
#include "vulkan.h"

#include <string.h>

#define ALIGNMENT 256
#define FIRST_HEAP_SIZE (1u << 16)

static struct vulkan_device *device_of(struct arena *arena) { return (struct vulkan_device *)arena->device; }

plait_result vulkan_make_buffer(struct vulkan_device *d, uint64_t size, VkBufferUsageFlags usage, bool host_reads,
                                bool host_writes, struct vulkan_buffer *buffer) {
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
    VmaAllocationCreateInfo how = {.usage = VMA_MEMORY_USAGE_AUTO};
    if (host_reads)
        how.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT | VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT;
    else if (host_writes)
        how.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT | VMA_ALLOCATION_CREATE_HOST_ACCESS_SEQUENTIAL_WRITE_BIT;
    VmaAllocationInfo made;
    VkResult result = vmaCreateBuffer(d->allocator, &info, &how, &buffer->handle, &buffer->allocation, &made);
    if (result == VK_SUCCESS && vulkan_host_memory_lacked(d)) {
        vmaDestroyBuffer(d->allocator, buffer->handle, buffer->allocation);
        memset(buffer, 0, sizeof *buffer);
        return PLAIT_ERROR_OUT_OF_MEMORY;
    }
    if (result != VK_SUCCESS) return vulkan_result(result, d);
    buffer->mapped = made.pMappedData;
    buffer->size = size;
    atomic_fetch_add(&d->device.used_bytes, size);
    return PLAIT_OK;
}

void vulkan_free_buffer(struct vulkan_device *d, struct vulkan_buffer *buffer) {
    if (!buffer->handle) return;
    if (buffer->allocation) {
        vmaDestroyBuffer(d->allocator, buffer->handle, buffer->allocation);
    } else {
        d->vk.vkDestroyBuffer(d->handle, buffer->handle, NULL);
        d->vk.vkFreeMemory(d->handle, buffer->memory, NULL); // null is fine
    }
    atomic_fetch_sub(&d->device.used_bytes, buffer->size);
    memset(buffer, 0, sizeof *buffer);
}

// ---- the heap ----

static plait_result make_heap(struct vulkan_device *d, uint64_t size, struct vulkan_buffer *heap) {
    return vulkan_make_buffer(d, size,
                              VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                  VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                              false, false, heap);
}

struct copy {
    struct vulkan_device *device;
    VkBuffer from, to;
    VkBufferCopy region;
};

static void record_copy(VkCommandBuffer commands, void *user) {
    struct copy *c = user;
    c->device->vk.vkCmdCopyBuffer(commands, c->from, c->to, 1, &c->region);
}

// Free blocks that touch become one, so that the table holds no more than what is used and the gaps between.
static void merge_blocks(struct vulkan_heap *h) {
    for (uint32_t i = 0; i < h->block_count; i++) {
        uint32_t k = 0;
        while (k < h->block_count && (h->blocks[i].used || h->blocks[k].used ||
                                      h->blocks[i].offset + h->blocks[i].size != h->blocks[k].offset))
            k++;
        if (k == h->block_count) continue;
        h->blocks[i].size += h->blocks[k].size;
        h->blocks[k] = h->blocks[--h->block_count];
        i = UINT32_MAX; // blocks have moved: start over
    }
}

// One more buffer may add two to the table: what the heap grows by, and what is left of the block that it takes.
static plait_result reserve_blocks(struct vulkan_device *d, struct vulkan_heap *h) {
    struct block *blocks =
        gpu_reserve(d->device.object.context, h->blocks, h->block_count + 2, &h->block_room, sizeof *blocks);
    if (!blocks) return PLAIT_ERROR_OUT_OF_MEMORY;
    h->blocks = blocks;
    return PLAIT_OK;
}

// The memory that a heap has left, and the copy from it that is still under way.
struct moving {
    struct vulkan_buffer old;
    struct vulkan_work work;
};

// Twice as large, with the old content at the old offsets. Whoever uses the heap next does so behind the copy.
static plait_result grow_heap(struct vulkan_device *d, struct vulkan_heap *h, uint64_t needed, struct moving *moving) {
    uint64_t size = h->memory.size, tail = 0; // what is free at the end counts
    for (uint32_t i = 0; i < h->block_count; i++)
        if (!h->blocks[i].used && h->blocks[i].offset + h->blocks[i].size == size) tail = h->blocks[i].size;
    while (size < h->memory.size - tail + needed) size *= 2;
    if (size > d->can.max_range) size = d->can.max_range; // of one descriptor
    if (size < h->memory.size - tail + needed) return PLAIT_ERROR_TOO_LARGE;
    struct vulkan_buffer memory = {0};
    plait_result result = make_heap(d, size, &memory);
    struct copy copy = {d, h->memory.handle, memory.handle, {0, 0, h->memory.size}};
    if (result == PLAIT_OK) result = vulkan_begin(d, record_copy, &copy, &moving->work);
    if (result != PLAIT_OK) {
        vulkan_free_buffer(d, &memory);
        return result;
    }
    h->blocks[h->block_count++] = (struct block){h->memory.size, size - h->memory.size, false};
    merge_blocks(h);
    moving->old = h->memory;
    h->memory = memory;
    h->generation++;
    return PLAIT_OK;
}

// First fit; what is left of a block becomes a block of its own.
static bool take_block(struct vulkan_heap *h, uint64_t size, uint64_t *offset) {
    for (uint32_t i = 0; i < h->block_count; i++) {
        struct block *block = &h->blocks[i];
        if (block->used || block->size < size) continue;
        if (block->size > size) {
            h->blocks[h->block_count++] = (struct block){block->offset + size, block->size - size, false};
            block->size = size;
        }
        block->used = true;
        *offset = block->offset;
        return true;
    }
    return false;
}

static void give_block(struct vulkan_heap *h, uint64_t offset) {
    mutex_lock(&h->mutex);
    for (uint32_t i = 0; i < h->block_count; i++)
        if (h->blocks[i].offset == offset) h->blocks[i].used = false;
    merge_blocks(h);
    mutex_unlock(&h->mutex);
}

struct fill {
    struct vulkan_device *device;
    VkBuffer buffer;
    uint64_t offset, size;
};

static void record_fill(VkCommandBuffer commands, void *user) {
    struct fill *f = user;
    f->device->vk.vkCmdFillBuffer(commands, f->buffer, f->offset, f->size, 0);
}

static plait_result begin_block(struct vulkan_device *d, struct vulkan_heap *h, uint64_t size, uint64_t *offset,
                                struct moving *moving, struct vulkan_work *filling) {
    plait_result result = reserve_blocks(d, h);
    if (result != PLAIT_OK) return result;
    if (!take_block(h, size, offset)) {
        result = grow_heap(d, h, size, moving);
        if (result != PLAIT_OK) return result;
        take_block(h, size, offset);
    }
    struct fill fill = {d, h->memory.handle, *offset, size};
    return vulkan_begin(d, record_fill, &fill, filling);
}

// A block of zeros.
static plait_result make_block(struct vulkan_device *d, struct vulkan_heap *h, uint64_t size, uint64_t *offset) {
    struct moving moving = {0};
    struct vulkan_work filling = {0};
    *offset = UINT64_MAX; // none
    mutex_lock(&h->mutex);
    plait_result result = begin_block(d, h, size, offset, &moving, &filling);
    mutex_unlock(&h->mutex);
    plait_result moved = vulkan_finish(d, &moving.work), filled = vulkan_finish(d, &filling);
    vulkan_free_buffer(d, &moving.old);
    if (result == PLAIT_OK) result = moved != PLAIT_OK ? moved : filled;
    if (result != PLAIT_OK && *offset != UINT64_MAX) give_block(h, *offset);
    return result;
}

static void drop_heap(struct vulkan_device *d, struct vulkan_heap *h) {
    mutex_lock(&h->mutex);
    bool last = --h->arena_count == 0;
    mutex_unlock(&h->mutex);
    if (!last) return;
    vulkan_free_buffer(d, &h->memory);
    mutex_destroy(&h->mutex);
    release(d->device.object.context, h->blocks);
    release(d->device.object.context, h);
}

static plait_result create_heap(struct vulkan_device *d, struct vulkan_heap **out) {
    struct vulkan_heap *h = allocate(d->device.object.context, 1, sizeof *h);
    if (!h) return PLAIT_ERROR_OUT_OF_MEMORY;
    mutex_init(&h->mutex);
    h->arena_count = 1;
    plait_result result = reserve_blocks(d, h);
    if (result == PLAIT_OK) result = make_heap(d, FIRST_HEAP_SIZE, &h->memory);
    if (result != PLAIT_OK) {
        drop_heap(d, h);
        return result;
    }
    h->blocks[h->block_count++] = (struct block){0, FIRST_HEAP_SIZE, false};
    *out = h;
    return PLAIT_OK;
}

static struct vulkan_heap *keep_heap(struct vulkan_heap *h) {
    mutex_lock(&h->mutex);
    h->arena_count++;
    mutex_unlock(&h->mutex);
    return h;
}

// ---- arenas ----

static plait_result make_slices(struct gpu_arena *arena, uint64_t slice_size) {
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    struct vulkan_device *d = device_of(&arena->arena);
    struct vulkan_buffer upload = {0};
    plait_result result =
        vulkan_make_buffer(d, slice_size * arena->slices, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, false, true, &upload);
    if (result != PLAIT_OK) return result;
    vulkan_free_buffer(d, &a->upload);
    a->upload = upload;
    return PLAIT_OK;
}

static const void *watch(struct gpu_arena *arena) {
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    vmaInvalidateAllocation(device_of(&arena->arena)->allocator, a->watch.allocation, 0, VK_WHOLE_SIZE);
    return a->watch.mapped;
}

static const struct gpu_ops ops = {.rescue = &vulkan_rescue_ops,
                                   .make_slices = make_slices,
                                   .watch = watch,
                                   .stage_ns = vulkan_stage_ns,
                                   .output = vulkan_output};

plait_result vulkan_arena_create(struct device *device, uint32_t frame_runs, struct arena *beside, struct arena **out) {
    struct vulkan_device *d = (struct vulkan_device *)device;
    struct vulkan_arena *a = allocate(device->object.context, 1, sizeof *a);
    if (!a) return PLAIT_ERROR_OUT_OF_MEMORY;
    gpu_arena_begin(&a->gpu, device, &ops, frame_runs);
    plait_result result = vulkan_gather_reserve(d, frame_runs);
    if (result == PLAIT_OK) a->frame_runs = frame_runs;
    if (result == PLAIT_OK && beside)
        a->heap = keep_heap(((struct vulkan_arena *)beside)->heap);
    else if (result == PLAIT_OK)
        result = create_heap(d, &a->heap);
    if (result == PLAIT_OK)
        result = vulkan_make_buffer(d, a->gpu.slices * GPU_WATCHED, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true, false,
                                    &a->watch);
    if (result != PLAIT_OK) {
        vulkan_arena_destroy(&a->gpu.arena);
        return result;
    }
    *out = &a->gpu.arena;
    return PLAIT_OK;
}

void vulkan_arena_destroy(struct arena *arena) {
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    struct vulkan_device *d = device_of(arena);
    vulkan_wait(arena, UINT64_MAX);
    if (a->heap) drop_heap(d, a->heap);
    if (a->frame_runs) vulkan_gather_unreserve(d, a->frame_runs);
    vulkan_free_buffer(d, &a->upload);
    vulkan_free_buffer(d, &a->watch);
    vulkan_rescue_free(a);
    gpu_arena_free(&a->gpu);
}

// ---- buffers ----

plait_result vulkan_buffer_create(struct arena *arena, uint64_t size, enum buffer_use use, struct buffer *buffer) {
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    struct vulkan_device *d = device_of(arena);
    uint64_t room = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, offset;
    if (room > UINT32_MAX) return PLAIT_ERROR_TOO_LARGE;
    plait_result result = make_block(d, a->heap, room, &offset);
    if (result != PLAIT_OK) return result;
    if (use == USE_DYNAMIC) result = vulkan_wait(arena, UINT64_MAX);
    if (result == PLAIT_OK && use == USE_DYNAMIC) result = gpu_add_dynamic(&a->gpu, offset, size);
    if (result == PLAIT_OK && use == USE_STATE) result = gpu_add_state(&a->gpu, offset, size);
    if (result != PLAIT_OK) {
        give_block(a->heap, offset);
        return result;
    }
    *buffer = (struct buffer){.arena = arena, .memory = a, .size = size, .offset = offset, .use = use};
    if (use == USE_WATCHED) gpu_watch(&a->gpu, offset, size);
    return PLAIT_OK;
}

void vulkan_buffer_destroy(struct buffer *buffer) {
    if (!buffer->memory) return;
    struct vulkan_arena *a = (struct vulkan_arena *)buffer->arena;
    vulkan_wait(&a->gpu.arena, UINT64_MAX);
    if (buffer->use == USE_DYNAMIC) gpu_drop_dynamic(&a->gpu, buffer);
    if (buffer->use == USE_WATCHED) gpu_unwatch(&a->gpu);
    if (buffer->use == USE_STATE) gpu_drop_state(&a->gpu, buffer->offset);
    give_block(a->heap, buffer->offset);
    memset(buffer, 0, sizeof *buffer);
}

// Between the heap and a buffer of its own, behind all that runs.
static plait_result copy_now(struct vulkan_arena *a, uint64_t offset, const struct vulkan_buffer *staging,
                             bool to_heap) {
    struct vulkan_device *d = device_of(&a->gpu.arena);
    struct vulkan_work work;
    mutex_lock(&a->heap->mutex);
    VkBuffer heap = a->heap->memory.handle;
    struct copy copy = {d, heap, staging->handle, {offset, 0, staging->size}};
    if (to_heap) copy = (struct copy){d, staging->handle, heap, {0, offset, staging->size}};
    plait_result begun = vulkan_begin(d, record_copy, &copy, &work);
    mutex_unlock(&a->heap->mutex);
    plait_result result = vulkan_finish(d, &work);
    return begun != PLAIT_OK ? begun : result;
}

plait_result vulkan_buffer_write(struct buffer *buffer, uint64_t offset, const void *data, uint64_t size) {
    struct vulkan_arena *a = (struct vulkan_arena *)buffer->arena;
    struct vulkan_device *d = device_of(&a->gpu.arena);
    if (size == 0) return PLAIT_OK;
    if (buffer->use == USE_DYNAMIC) {
        memcpy(gpu_mirror_of(&a->gpu, buffer) + offset, data, size);
        return PLAIT_OK;
    }
    struct vulkan_buffer staging = {0};
    plait_result result = vulkan_wait(&a->gpu.arena, UINT64_MAX);
    if (result == PLAIT_OK)
        result = vulkan_make_buffer(d, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, false, true, &staging);
    if (result != PLAIT_OK) return result;
    memcpy(staging.mapped, data, size);
    vmaFlushAllocation(d->allocator, staging.allocation, 0, VK_WHOLE_SIZE);
    result = copy_now(a, buffer->offset + offset, &staging, true);
    vulkan_free_buffer(d, &staging);
    return result;
}

plait_result vulkan_buffer_read(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size) {
    struct vulkan_arena *a = (struct vulkan_arena *)buffer->arena;
    struct vulkan_device *d = device_of(&a->gpu.arena);
    struct vulkan_buffer staging = {0};
    plait_result result = vulkan_wait(&a->gpu.arena, UINT64_MAX);
    if (result == PLAIT_ERROR_DEVICE_LOST) return gpu_read_rescued(&a->gpu, buffer->offset, offset, data, size);
    if (result == PLAIT_OK)
        result = vulkan_make_buffer(d, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true, false, &staging);
    if (result != PLAIT_OK) return result;
    result = copy_now(a, buffer->offset + offset, &staging, false);
    if (result == PLAIT_OK) {
        vmaInvalidateAllocation(d->allocator, staging.allocation, 0, VK_WHOLE_SIZE);
        memcpy(data, staging.mapped, size);
    }
    vulkan_free_buffer(d, &staging);
    return result;
}
