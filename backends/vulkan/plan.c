// Plans: recorded once per slice, submitted for every run, timed by timestamps, ended by the device's timeline.
#include "vulkan.h"

#include <string.h>
#include <time.h>

static struct vulkan_device *device_of(const struct plan *plan) {
    return (struct vulkan_device *)plan->arena->arena.device;
}

// ---- the queue ----

// commands may be null: then it only waits and signals. sync: the host's semaphores to wait for and to signal besides our
// own; null or zero: none.
plait_result vulkan_submit(struct vulkan_device *d, VkCommandBuffer commands, const struct frame_sync *sync,
                           uint64_t *value) {
    if (atomic_load(&d->lost)) return PLAIT_ERROR_DEVICE_LOST;
    VkSemaphore wait = sync ? (VkSemaphore)sync->wait : VK_NULL_HANDLE;
    // The host's first: when our own is signalled, the host's may end, and drivers signal one after the other.
    VkSemaphore signals[2] = {sync ? (VkSemaphore)sync->signal : VK_NULL_HANDLE, d->timeline};
    uint32_t first = signals[0] ? 0 : 1, count = 2 - first;
    VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    pthread_mutex_lock(&d->mutex);
    uint64_t values[2] = {sync ? sync->signal_value : 0, d->submitted + 1};
    VkTimelineSemaphoreSubmitInfo timeline = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                              .waitSemaphoreValueCount = wait != VK_NULL_HANDLE,
                                              .pWaitSemaphoreValues = sync ? &sync->wait_value : NULL,
                                              .signalSemaphoreValueCount = count,
                                              .pSignalSemaphoreValues = values + first};
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .pNext = &timeline,
                         .waitSemaphoreCount = wait != VK_NULL_HANDLE,
                         .pWaitSemaphores = &wait,
                         .pWaitDstStageMask = &stage,
                         .commandBufferCount = commands != NULL,
                         .pCommandBuffers = &commands,
                         .signalSemaphoreCount = count,
                         .pSignalSemaphores = signals + first};
    if (d->host.lock_queue) d->host.lock_queue(d->host.user);
    VkResult result = d->vk.vkQueueSubmit(d->queue, 1, &info, VK_NULL_HANDLE);
    if (d->host.unlock_queue) d->host.unlock_queue(d->host.user);
    if (result == VK_SUCCESS) *value = d->submitted = values[1];
    pthread_mutex_unlock(&d->mutex);
    return vulkan_result(result, d);
}

// A signal that cannot come is refused here: drivers lose the device over it.
plait_result vulkan_synchronise(struct arena *arena, const struct frame_sync *sync) {
    struct vulkan_device *d = (struct vulkan_device *)arena->device;
    uint64_t reached = 0;
    if (sync->signal) {
        if (atomic_load(&d->lost)) return PLAIT_ERROR_DEVICE_LOST;
        VkResult result = d->vk.vkGetSemaphoreCounterValue(d->handle, (VkSemaphore)sync->signal, &reached);
        if (result < 0) return vulkan_result(result, d);
        if (sync->signal_value <= reached) return PLAIT_ERROR_INVALID_ARGUMENT;
    }
    ((struct vulkan_arena *)arena)->sync = *sync;
    return PLAIT_OK;
}

plait_result vulkan_desynchronise(struct arena *arena) {
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    struct vulkan_device *d = (struct vulkan_device *)arena->device;
    const uint64_t second_ns = 1000000000;
    struct frame_sync sync = a->sync;
    uint64_t value;
    memset(&a->sync, 0, sizeof a->sync);
    if (!sync.wait && !sync.signal) return PLAIT_OK;
    plait_result result = vulkan_submit(d, NULL, &sync, &value);
    if (result == PLAIT_OK || !sync.signal) return result;
    // The driver takes nothing more: from here, after what is under way and may signal the same semaphore.
    if (vulkan_wait(arena, second_ns) != PLAIT_OK) return result;
    VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                  .semaphore = (VkSemaphore)sync.signal,
                                  .value = sync.signal_value};
    return vulkan_result(d->vk.vkSignalSemaphore(d->handle, &info), d);
}

// Whoever waits without end frees or overwrites next what the work uses, so a wait that fails, as for a lack of memory, must
// not be taken for its end.
static VkResult poll_value(struct vulkan_device *d, uint64_t value) {
    const struct timespec pause = {.tv_nsec = 100000};
    uint64_t now = 0;
    for (;;) {
        if (d->vk.vkGetSemaphoreCounterValue(d->handle, d->timeline, &now) < 0) return VK_ERROR_DEVICE_LOST;
        if (now >= value) return VK_SUCCESS;
        nanosleep(&pause, NULL);
    }
}

plait_result vulkan_wait_value(struct vulkan_device *d, uint64_t value, uint64_t timeout_ns) {
    if (atomic_load(&d->lost)) return PLAIT_ERROR_DEVICE_LOST;
    if (value == 0) return PLAIT_OK;
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &d->timeline,
                                .pValues = &value};
    VkResult result = d->vk.vkWaitSemaphores(d->handle, &info, timeout_ns);
    if (result < 0 && result != VK_ERROR_DEVICE_LOST && timeout_ns == UINT64_MAX) result = poll_value(d, value);
    if (result == VK_SUCCESS) {
        unsigned long long reached = atomic_load(&d->reached);
        while (reached < value && !atomic_compare_exchange_weak(&d->reached, &reached, value)) {
        }
    }
    return result == VK_TIMEOUT ? PLAIT_ERROR_TIMEOUT : vulkan_result(result, d);
}

static VkResult record_now(struct vulkan_device *d, VkCommandBuffer commands, void (*record)(VkCommandBuffer, void *),
                           void *user) {
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkResult result = d->vk.vkBeginCommandBuffer(commands, &begin);
    if (result != VK_SUCCESS) return result;
    record(commands, user);
    return d->vk.vkEndCommandBuffer(commands);
}

plait_result vulkan_run_now(struct vulkan_device *d, void (*record)(VkCommandBuffer, void *), void *user) {
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = d->command_pool,
                                        .commandBufferCount = 1};
    VkCommandBuffer commands = NULL;
    pthread_mutex_lock(&d->mutex);
    VkResult made = d->vk.vkAllocateCommandBuffers(d->handle, &info, &commands);
    if (made == VK_SUCCESS) made = record_now(d, commands, record, user);
    pthread_mutex_unlock(&d->mutex);
    plait_result result = vulkan_result(made, d);
    uint64_t value = 0;
    if (result == PLAIT_OK) result = vulkan_submit(d, commands, NULL, &value);
    if (result == PLAIT_OK) result = vulkan_wait_value(d, value, UINT64_MAX);
    pthread_mutex_lock(&d->mutex);
    d->vk.vkFreeCommandBuffers(d->handle, d->command_pool, 1, &commands); // null is fine
    pthread_mutex_unlock(&d->mutex);
    return result;
}

// ---- life ----

plait_result vulkan_plan_create(struct arena *arena, uint32_t capacity, uint32_t packs, uint64_t vertex_count,
                                struct plan **out) {
    struct vulkan_device *d = (struct vulkan_device *)arena->device;
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    if (capacity > MAX_STAGES || a->plan_count == MAX_PLANS) return PLAIT_ERROR_TOO_LARGE;
    plait_result prepared = vulkan_rescue_prepare(a);
    if (prepared != PLAIT_OK) return prepared;
    struct plan *plan = allocate(d->device.object.context, 1, sizeof *plan);
    if (!plan) return PLAIT_ERROR_OUT_OF_MEMORY;
    plan->arena = a;
    plan->packs = packs;
    plan->vertex_count = vertex_count;
    a->plans[a->plan_count++] = plan;
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VkResult result = d->vk.vkCreateDescriptorPool(d->handle, &pool, NULL, &plan->pool);
    if (result == VK_SUCCESS) {
        VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                           .descriptorPool = plan->pool,
                                           .descriptorSetCount = 1,
                                           .pSetLayouts = &d->set_layout};
        result = d->vk.vkAllocateDescriptorSets(d->handle, &set, &plan->set);
    }
    if (result == VK_SUCCESS) {
        VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                .commandPool = d->command_pool,
                                                .commandBufferCount = a->slices};
        pthread_mutex_lock(&d->mutex);
        result = d->vk.vkAllocateCommandBuffers(d->handle, &commands, plan->commands);
        pthread_mutex_unlock(&d->mutex);
    }
    if (result == VK_SUCCESS && d->timestamp_ns > 0) {
        VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                         .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                         .queryCount = a->slices * (MAX_STAGES + 1)};
        result = d->vk.vkCreateQueryPool(d->handle, &queries, NULL, &plan->queries);
        uint64_t size = a->slices * (MAX_STAGES + 1) * sizeof(uint64_t);
        if (result == VK_SUCCESS &&
            vulkan_make_buffer(d, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true, false, &plan->ticks) != PLAIT_OK)
            result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    if (result != VK_SUCCESS) {
        vulkan_plan_destroy(plan);
        return vulkan_result(result, d);
    }
    *out = plan;
    return PLAIT_OK;
}

void vulkan_plan_destroy(struct plan *plan) {
    struct vulkan_device *d = device_of(plan);
    vulkan_wait(&plan->arena->arena, UINT64_MAX);
    struct vulkan_arena *a = plan->arena;
    if (a->output_pending == plan) a->output_pending = NULL;
    uint32_t i = 0;
    while (a->plans[i] != plan) i++;
    a->plans[i] = a->plans[--a->plan_count];
    d->vk.vkDestroyDescriptorPool(d->handle, plan->pool, NULL);
    d->vk.vkDestroyQueryPool(d->handle, plan->queries, NULL);
    if (plan->commands[0]) {
        pthread_mutex_lock(&d->mutex);
        d->vk.vkFreeCommandBuffers(d->handle, d->command_pool, a->slices, plan->commands);
        pthread_mutex_unlock(&d->mutex);
    }
    vulkan_free_buffer(d, &plan->output);
    vulkan_free_buffer(d, &plan->ticks);
    release(d->device.object.context, plan);
}

// The host's memory itself where the device can write it, else a place to stand in for it.
static plait_result take_host_memory(struct plan *plan, const struct buffer *host) {
    struct vulkan_device *d = device_of(plan);
    struct vulkan_buffer output = {0};
    bool direct = host->lasting && vulkan_import_host(d, host->memory, host->size, &output);
    plait_result result = PLAIT_OK;
    if (!direct && (plan->direct || plan->output.size < host->span))
        result = vulkan_make_buffer(d, host->span, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true, false, &output);
    if (result != PLAIT_OK || !output.handle) return result;
    vulkan_free_buffer(d, &plan->output);
    plan->output = output;
    plan->direct = direct;
    return PLAIT_OK;
}

plait_result vulkan_plan_set(struct plan *plan, const struct stage *stages, uint32_t count) {
    struct vulkan_device *d = device_of(plan);
    plait_result result = vulkan_wait(&plan->arena->arena, UINT64_MAX);
    if (result != PLAIT_OK) return result;
    const struct buffer *host = NULL;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t b = 0; b < KERNEL_MAX_BUFFERS; b++)
            if (stages[i].buffers[b] && !stages[i].buffers[b]->arena) host = stages[i].buffers[b];
    if (plan->direct && !(host && host->memory)) { // the host may free it now
        vulkan_free_buffer(d, &plan->output);
        plan->direct = false;
    }
    if (host && host->memory) result = take_host_memory(plan, host);
    if (result != PLAIT_OK) return result;
    plan->host = host ? *host : (struct buffer){0};
    for (uint32_t i = 0; i < count; i++) {
        if (i >= plan->stage_count || plan->stages[i].kernel != stages[i].kernel)
            plan->total_ns[i] = plan->run_count[i] = 0;
        plan->stages[i] = stages[i];
        // The host's buffer struct is the caller's: remember that it was the host's, not where it was.
        for (uint32_t b = 0; b < KERNEL_MAX_BUFFERS; b++)
            if (stages[i].buffers[b] == host) plan->stages[i].buffers[b] = host ? &plan->host : NULL;
    }
    plan->stage_count = count;
    plan->generation = 0;
    plan->recorded = (struct plan_commands){0};
    return PLAIT_OK;
}

// ---- recording ----

static void bind_set(struct plan *plan) {
    struct vulkan_device *d = device_of(plan);
    VkDescriptorBufferInfo heap = {plan->arena->heap.handle, 0, VK_WHOLE_SIZE};
    VkDescriptorBufferInfo host = heap;
    if (plan->host.memory) host = (VkDescriptorBufferInfo){plan->output.handle, 0, plan->host.span};
    if (plan->host.native) {
        uint64_t before = plan->host.offset % d->can.offset_alignment;
        host =
            (VkDescriptorBufferInfo){(VkBuffer)plan->host.native, plan->host.offset - before, plan->host.span + before};
    }
    VkWriteDescriptorSet writes[2] = {{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = plan->set,
                                       .descriptorCount = 1,
                                       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                       .pBufferInfo = &heap}};
    writes[1] = writes[0];
    writes[1].dstBinding = 1;
    writes[1].pBufferInfo = &host;
    d->vk.vkUpdateDescriptorSets(d->handle, 2, writes, 0, NULL);
}

static void barrier(struct plan *plan, VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written,
                    VkPipelineStageFlags to, VkAccessFlags read) {
    plan->recorded.barriers++;
    VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written, .dstAccessMask = read};
    device_of(plan)->vk.vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, NULL, 0, NULL);
}

static void record_upload(struct plan *plan, VkCommandBuffer commands, uint32_t slice) {
    struct vulkan_device *d = device_of(plan);
    struct vulkan_arena *a = plan->arena;
    VkBufferCopy regions[MAX_DYNAMIC];
    for (uint32_t i = 0; i < a->dynamic_count; i++)
        regions[i] = (VkBufferCopy){slice * a->slice_size + a->dynamic[i].at, a->dynamic[i].offset, a->dynamic[i].size};
    // Whatever ran before may still read what is written here.
    barrier(plan, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    if (a->dynamic_count) {
        d->vk.vkCmdCopyBuffer(commands, a->upload.handle, a->heap.handle, a->dynamic_count, regions);
        barrier(plan, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    }
}

// Whether a stage writes the heap, not just the host's memory. Of that, stages write parts that do not overlap.
static bool writes_heap(const struct stage *stage) {
    for (uint32_t b = 0; b < KERNEL_MAX_BUFFERS; b++)
        if ((kernel_writes(stage->kernel) >> b & 1) && stage->buffers[b] && stage->buffers[b]->arena) return true;
    return false;
}

static void record_stage(struct plan *plan, VkCommandBuffer commands, const struct stage *stage) {
    struct vulkan_device *d = device_of(plan);
    struct push_constants constants = {.items = plan->packs * PACK_WIDTH};
    for (uint32_t b = 0; b < KERNEL_MAX_BUFFERS; b++)
        if (stage->buffers[b] && stage->buffers[b]->arena)
            constants.buffers[b] = (uint32_t)(stage->buffers[b]->offset / sizeof(uint32_t));
        else if (stage->buffers[b] == &plan->host && plan->host.native) // the descriptor begins a little before it
            constants.buffers[b] = (uint32_t)(plan->host.offset % d->can.offset_alignment / sizeof(uint32_t));
    memcpy(constants.values, stage->values, sizeof constants.values);
    struct override_grid grid = kernel_override(stage->kernel, d->device.overrides, plan->packs, plan->vertex_count);
    bool override = grid.groups > 0;
    uint32_t groups = override ? grid.groups : (constants.items + GROUP_SIZE - 1) / GROUP_SIZE;
    d->vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                            override ? d->overrides[stage->kernel] : d->pipelines[stage->kernel]);
    d->vk.vkCmdPushConstants(commands, d->pipeline_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants,
                             &constants);
    plan->recorded.dispatches++;
    d->vk.vkCmdDispatch(commands, groups, grid.parts, 1);
}

static VkResult record(struct plan *plan, uint32_t slice) {
    struct vulkan_device *d = device_of(plan);
    struct vulkan_arena *a = plan->arena;
    VkCommandBuffer commands = plan->commands[slice];
    plan->recorded = (struct plan_commands){0};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkResult result = d->vk.vkBeginCommandBuffer(commands, &begin);
    if (result != VK_SUCCESS) return result;
    uint32_t query = slice * (MAX_STAGES + 1);
    if (plan->queries) d->vk.vkCmdResetQueryPool(commands, plan->queries, query, MAX_STAGES + 1);
    record_upload(plan, commands, slice);
    d->vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, d->pipeline_layout, 0, 1, &plan->set, 0,
                                  NULL);
    if (plan->queries) d->vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, plan->queries, query);
    // Stages that only read the heap need not wait for each other. Telling its buffers apart would save a barrier more, but
    // for synchronisation validation a heap is one thing, and hosts run that on their device.
    bool wrote = false;
    for (uint32_t i = 0; i < plan->stage_count; i++) {
        bool writes = writes_heap(&plan->stages[i]);
        if (i > 0 && (wrote || writes))
            barrier(plan, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
        wrote = writes;
        record_stage(plan, commands, &plan->stages[i]);
        if (plan->queries)
            d->vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, plan->queries, query + i + 1);
    }
    // Asking for the results from the host waits, on some drivers, for all the device does.
    if (plan->queries)
        d->vk.vkCmdCopyQueryPoolResults(commands, plan->queries, query, plan->stage_count + 1, plan->ticks.handle,
                                        query * sizeof(uint64_t), sizeof(uint64_t),
                                        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    barrier(plan, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
            VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_HOST_READ_BIT);
    if (a->watched_size) {
        VkBufferCopy region = {a->watched_offset, slice * sizeof a->peeked, a->watched_size};
        d->vk.vkCmdCopyBuffer(commands, a->heap.handle, a->watch.handle, 1, &region);
        barrier(plan, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    }
    return d->vk.vkEndCommandBuffer(commands);
}

// ---- running ----

static void count_time(struct plan *plan, uint32_t slice) {
    struct vulkan_device *d = device_of(plan);
    if (!plan->slice_value[slice]) return;
    plan->slice_value[slice] = 0;
    for (uint32_t i = 0; i < plan->stage_count; i++) plan->run_count[i]++;
    if (!plan->queries) return;
    vmaInvalidateAllocation(d->allocator, plan->ticks.allocation, 0, VK_WHOLE_SIZE);
    const uint64_t *ticks = (const uint64_t *)plan->ticks.mapped + slice * (MAX_STAGES + 1);
    for (uint32_t i = 0; i < plan->stage_count; i++)
        plan->total_ns[i] += (uint64_t)((double)((ticks[i + 1] - ticks[i]) & d->timestamp_mask) * d->timestamp_ns);
}

// The watched buffer as the last run in a slice left it, if that is news.
static void look(struct vulkan_arena *a, uint32_t slice) {
    struct vulkan_device *d = (struct vulkan_device *)a->arena.device;
    if (!a->watched_size || a->slice_value[slice] <= a->peeked_value) return;
    vmaInvalidateAllocation(d->allocator, a->watch.allocation, 0, VK_WHOLE_SIZE);
    memcpy(a->peeked, (const char *)a->watch.mapped + slice * sizeof a->peeked, sizeof a->peeked);
    a->peeked_value = a->slice_value[slice];
}

// Only the bytes that attributes describe: the host may keep other things between them.
static void deliver(struct plan *plan) {
    struct vulkan_device *d = device_of(plan);
    vmaInvalidateAllocation(d->allocator, plan->output.allocation, 0, VK_WHOLE_SIZE);
    for (uint32_t i = 0; i < plan->stage_count; i++) {
        const struct stage *stage = &plan->stages[i];
        bool writes_host = false;
        for (uint32_t b = 0; b < KERNEL_MAX_BUFFERS; b++) writes_host |= stage->buffers[b] == &plan->host;
        if (!writes_host) continue;
        uint64_t offset = stage->values[0] * 4ull, stride = stage->values[1] * 4ull, bytes = stage->values[2] * 4ull;
        const char *from = (const char *)plan->output.mapped;
        for (uint64_t at = offset; at + bytes <= plan->host.size; at += stride) {
            if (stage->values[4] && (at - offset) / stride >= stage->values[4]) break;
            memcpy((char *)plan->host.memory + at, from + at, bytes);
        }
    }
}

plait_result vulkan_wait(struct arena *arena, uint64_t timeout_ns) {
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    struct vulkan_device *d = (struct vulkan_device *)arena->device;
    uint64_t last = 0;
    for (uint32_t i = 0; i < a->slices; i++)
        if (a->slice_value[i] > last) last = a->slice_value[i];
    for (int i = 0; i < 2; i++)
        if (a->rescues[i].value > last) last = a->rescues[i].value;
    plait_result result = vulkan_wait_value(d, last, timeout_ns);
    if (result != PLAIT_OK) return result;
    for (uint32_t i = 0; i < a->slices; i++) look(a, i);
    for (uint32_t p = 0; p < a->plan_count; p++)
        for (uint32_t i = 0; i < a->slices; i++) count_time(a->plans[p], i);
    if (a->output_pending) deliver(a->output_pending);
    a->output_pending = NULL;
    vulkan_timelines_collect(d);
    return PLAIT_OK;
}

static plait_result record_slice(struct plan *plan, uint32_t slice) {
    struct vulkan_device *d = device_of(plan);
    pthread_mutex_lock(&d->mutex);
    VkResult recorded = record(plan, slice);
    if (recorded != VK_SUCCESS) d->vk.vkResetCommandBuffer(plan->commands[slice], 0); // or it could not begin again
    pthread_mutex_unlock(&d->mutex);
    if (recorded == VK_SUCCESS) plan->slice_version[slice] = plan->version;
    return vulkan_result(recorded, d);
}

plait_result vulkan_plan_run(struct plan *plan) {
    struct vulkan_device *d = device_of(plan);
    struct vulkan_arena *a = plan->arena;
    plait_result result = PLAIT_OK;
    // Output for the host's pointer has one place to stand in until it is delivered. Otherwise nothing waits here, but a plan
    // that must be recorded anew for its own runs: other runs may be waiting for the host.
    if (plan->host.memory && !plan->direct) result = vulkan_wait(&a->arena, UINT64_MAX);
    for (uint32_t i = 0; i < a->slices && result == PLAIT_OK && plan->generation != a->generation; i++)
        result = vulkan_wait_value(d, plan->slice_value[i], UINT64_MAX);
    if (result != PLAIT_OK) return result;
    if (plan->generation != a->generation) {
        bind_set(plan);
        plan->generation = a->generation;
        plan->version++;
    }
    uint32_t slice = a->next_slice;
    result = vulkan_wait_value(d, a->slice_value[slice], UINT64_MAX);
    if (result == PLAIT_OK && plan->slice_version[slice] != plan->version) result = record_slice(plan, slice);
    if (result != PLAIT_OK) return result;
    look(a, slice);
    count_time(plan, slice);
    if (a->slice_size) {
        memcpy((char *)a->upload.mapped + slice * a->slice_size, a->mirror, a->slice_size);
        vmaFlushAllocation(d->allocator, a->upload.allocation, slice * a->slice_size, a->slice_size);
    }
    uint64_t value = 0;
    // The frame's first run waits, the one that writes the output signals.
    bool writes_output = plan->host.memory || plan->host.native;
    struct frame_sync sync = a->sync;
    if (!writes_output) sync.signal = 0;
    result = vulkan_submit(d, plan->commands[slice], &sync, &value);
    if (result != PLAIT_OK) return result;
    a->sync.wait = 0;
    if (writes_output) a->sync.signal = 0;
    a->slice_value[slice] = plan->slice_value[slice] = value;
    a->next_slice = (slice + 1) % a->slices;
    if (plan->host.memory && !plan->direct) a->output_pending = plan;
    return PLAIT_OK;
}

void vulkan_plan_time(const struct plan *plan, uint32_t stage, struct stage_time *time) {
    time->total_ns = plan->total_ns[stage];
    time->run_count = plan->run_count[stage];
}

void vulkan_plan_commands(const struct plan *plan, struct plan_commands *commands) { *commands = plan->recorded; }
