// Plans: recorded once per slice, submitted for every run, timed by timestamps, ended by the device's timeline.
#include "vulkan.h"

#include <string.h>

static struct vulkan_device *device_of(const struct plan *plan) {
    return (struct vulkan_device *)plan->gpu.arena->arena.device;
}

// ---- the queue ----

// The host's semaphore is signalled first: when our own is, the host's may end, and drivers signal one after the other.
VkSubmitInfo vulkan_describe_submission(const struct vulkan_device *d, const VkCommandBuffer *commands, uint32_t count,
                                        const struct frame_sync *sync, uint64_t value, struct submission_terms *terms) {
    static const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const bool waits = sync && sync->wait, signals = sync && sync->signal;
    uint32_t n = 0;
    if (waits) {
        terms->wait = (VkSemaphore)sync->wait;
        terms->wait_value = sync->wait_value;
    }
    if (signals) {
        terms->signals[n] = (VkSemaphore)sync->signal;
        terms->values[n++] = sync->signal_value;
    }
    terms->signals[n] = d->timeline;
    terms->values[n++] = value;
    terms->timeline = (VkTimelineSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                      .waitSemaphoreValueCount = waits,
                                                      .pWaitSemaphoreValues = &terms->wait_value,
                                                      .signalSemaphoreValueCount = n,
                                                      .pSignalSemaphoreValues = terms->values};
    return (VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                          .pNext = &terms->timeline,
                          .waitSemaphoreCount = waits,
                          .pWaitSemaphores = &terms->wait,
                          .pWaitDstStageMask = &stage,
                          .commandBufferCount = count,
                          .pCommandBuffers = commands,
                          .signalSemaphoreCount = n,
                          .pSignalSemaphores = terms->signals};
}

plait_result vulkan_submit_infos(struct vulkan_device *d, uint32_t count, const VkSubmitInfo *infos) {
    if (atomic_load(&d->lost)) return PLAIT_ERROR_DEVICE_LOST;
    if (d->host.lock_queue) d->host.lock_queue(d->host.user);
    VkResult result = d->vk.vkQueueSubmit(d->queue, count, infos, VK_NULL_HANDLE);
    if (d->host.unlock_queue) d->host.unlock_queue(d->host.user);
    return vulkan_result(result, d);
}

// commands may be null: then it only waits and signals. sync: the host's semaphores to wait for and to signal besides our
// own; null or zero: none.
plait_result vulkan_submit(struct vulkan_device *d, VkCommandBuffer commands, const struct frame_sync *sync,
                           uint64_t *value) {
    struct submission_terms terms;
    mutex_lock(&d->mutex);
    VkSubmitInfo info = vulkan_describe_submission(d, &commands, commands != NULL, sync, d->submitted + 1, &terms);
    plait_result result = vulkan_submit_infos(d, 1, &info);
    if (result == PLAIT_OK) *value = ++d->submitted;
    mutex_unlock(&d->mutex);
    return result;
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
    ((struct vulkan_arena *)arena)->gpu.sync = *sync;
    return PLAIT_OK;
}

plait_result vulkan_desynchronise(struct arena *arena) {
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    struct vulkan_device *d = (struct vulkan_device *)arena->device;
    const uint64_t second_ns = 1000000000;
    struct frame_sync sync = a->gpu.sync;
    uint64_t value;
    memset(&a->gpu.sync, 0, sizeof a->gpu.sync);
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
    uint64_t now = 0;
    for (;;) {
        if (d->vk.vkGetSemaphoreCounterValue(d->handle, d->timeline, &now) < 0) return VK_ERROR_DEVICE_LOST;
        if (now >= value) return VK_SUCCESS;
        sleep_ns(100000);
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

// What ran before may still use what these commands read or write.
static VkResult record_once(struct vulkan_device *d, VkCommandBuffer commands, void (*record)(VkCommandBuffer, void *),
                            void *user) {
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkMemoryBarrier written = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
    VkResult result = d->vk.vkBeginCommandBuffer(commands, &begin);
    if (result != VK_SUCCESS) return result;
    d->vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                               VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &written, 0, NULL, 0, NULL);
    record(commands, user);
    return d->vk.vkEndCommandBuffer(commands);
}

plait_result vulkan_begin(struct vulkan_device *d, void (*record)(VkCommandBuffer, void *), void *user,
                          struct vulkan_work *work) {
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = d->command_pool,
                                        .commandBufferCount = 1};
    *work = (struct vulkan_work){0};
    mutex_lock(&d->mutex);
    VkResult made = d->vk.vkAllocateCommandBuffers(d->handle, &info, &work->commands);
    if (made == VK_SUCCESS) made = record_once(d, work->commands, record, user);
    mutex_unlock(&d->mutex);
    plait_result result = vulkan_result(made, d);
    return result == PLAIT_OK ? vulkan_submit(d, work->commands, NULL, &work->value) : result;
}

plait_result vulkan_finish(struct vulkan_device *d, struct vulkan_work *work) {
    if (!work->commands) return PLAIT_OK;
    plait_result result = vulkan_wait_value(d, work->value, UINT64_MAX);
    mutex_lock(&d->mutex);
    d->vk.vkFreeCommandBuffers(d->handle, d->command_pool, 1, &work->commands);
    mutex_unlock(&d->mutex);
    return result;
}

// ---- life ----

plait_result vulkan_plan_create(struct arena *arena, uint32_t capacity, const struct plan_size *size,
                                struct plan **out) {
    struct vulkan_device *d = (struct vulkan_device *)arena->device;
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    plait_result prepared = gpu_rescue_prepare(&a->gpu);
    if (prepared != PLAIT_OK) return prepared;
    struct plan *plan = allocate(d->device.object.context, 1, sizeof *plan);
    if (!plan) return PLAIT_ERROR_OUT_OF_MEMORY;
    bool books = gpu_plan_create(&plan->gpu, &a->gpu, capacity, size) == PLAIT_OK;
    plan->dispatch_sizes = allocate(d->device.object.context, capacity, sizeof *plan->dispatch_sizes);
    VkDescriptorPoolSize room = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &room};
    VkResult result = books && plan->dispatch_sizes ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result == VK_SUCCESS) result = d->vk.vkCreateDescriptorPool(d->handle, &pool, NULL, &plan->pool);
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
                                                .commandBufferCount = a->gpu.slices};
        mutex_lock(&d->mutex);
        result = d->vk.vkAllocateCommandBuffers(d->handle, &commands, plan->commands);
        mutex_unlock(&d->mutex);
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
    vulkan_wait(&arena_of(plan)->gpu.arena, UINT64_MAX);
    struct vulkan_arena *a = arena_of(plan);
    gpu_plan_free(&plan->gpu);
    d->vk.vkDestroyDescriptorPool(d->handle, plan->pool, NULL);
    d->vk.vkDestroyQueryPool(d->handle, plan->queries, NULL);
    if (plan->commands[0]) {
        mutex_lock(&d->mutex);
        d->vk.vkFreeCommandBuffers(d->handle, d->command_pool, a->gpu.slices, plan->commands);
        mutex_unlock(&d->mutex);
    }
    vulkan_free_buffer(d, &plan->output);
    vulkan_free_buffer(d, &plan->ticks);
    vulkan_buffer_destroy(&plan->sizes);
    release(d->device.object.context, plan->dispatch_sizes);
    release(d->device.object.context, plan);
}

// The host's memory itself where the device can write it, else a place to stand in for it.
static plait_result take_host_memory(struct plan *plan, const struct buffer *host) {
    struct vulkan_device *d = device_of(plan);
    struct vulkan_buffer output = {0};
    bool direct = host->lasting && vulkan_import_host(d, host->memory, host->size, &output);
    plait_result result = PLAIT_OK;
    if (!direct && (plan->direct || plan->output.size < host->extent))
        result = vulkan_make_buffer(d, host->extent, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true, false, &output);
    if (result != PLAIT_OK || !output.handle) return result;
    vulkan_free_buffer(d, &plan->output);
    plan->output = output;
    plan->direct = direct;
    return PLAIT_OK;
}

// Timers for a run of so many stages in each slice.
static plait_result make_ticks(struct plan *plan, uint32_t run_count) {
    struct vulkan_device *d = device_of(plan);
    uint32_t count = run_count + 1;
    if (d->timestamp_ns <= 0 || count <= plan->tick_count) return PLAIT_OK;
    VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                  .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                  .queryCount = arena_of(plan)->gpu.slices * count};
    VkQueryPool queries = VK_NULL_HANDLE;
    struct vulkan_buffer ticks = {0};
    VkResult made = d->vk.vkCreateQueryPool(d->handle, &info, NULL, &queries);
    if (made != VK_SUCCESS) return vulkan_result(made, d);
    plait_result result = vulkan_make_buffer(d, (uint64_t)arena_of(plan)->gpu.slices * count * sizeof(uint64_t),
                                             VK_BUFFER_USAGE_TRANSFER_DST_BIT, true, false, &ticks);
    if (result != PLAIT_OK) {
        d->vk.vkDestroyQueryPool(d->handle, queries, NULL);
        return result;
    }
    d->vk.vkDestroyQueryPool(d->handle, plan->queries, NULL);
    vulkan_free_buffer(d, &plan->ticks);
    plan->queries = queries;
    plan->ticks = ticks;
    plan->tick_count = count;
    return PLAIT_OK;
}

plait_result vulkan_plan_set(struct plan *plan, const struct schedule *schedule) {
    struct vulkan_device *d = device_of(plan);
    if (schedule->stage_count > plan->gpu.capacity) return PLAIT_ERROR_TOO_LARGE;
    plait_result result = vulkan_wait(&arena_of(plan)->gpu.arena, UINT64_MAX);
    plan->generation = 0; // even if it fails further on: commands must not use the timers and sizes of before
    if (result == PLAIT_OK) result = make_ticks(plan, schedule->run_count);
    if (result == PLAIT_OK) result = vulkan_make_sizes(plan, schedule);
    if (result != PLAIT_OK) return result;
    const struct buffer *host = gpu_host_of(schedule);
    if (plan->direct && !(host && host->memory)) { // the host may free it now
        vulkan_free_buffer(d, &plan->output);
        plan->direct = false;
    }
    if (host && host->memory) result = take_host_memory(plan, host);
    if (result != PLAIT_OK) return result;
    gpu_plan_set(&plan->gpu, schedule, host);
    vulkan_place_sizes(plan);
    plan->recorded = (struct plan_commands){0};
    return PLAIT_OK;
}

// ---- running ----

uint64_t vulkan_stage_ns(const struct gpu_plan *gpu, uint32_t slice, uint32_t n) {
    const struct plan *plan = (const struct plan *)gpu;
    const struct vulkan_device *d = device_of(plan);
    if (!plan->queries) return 0;
    if (n == 0) vmaInvalidateAllocation(d->allocator, plan->ticks.allocation, 0, VK_WHOLE_SIZE);
    const uint64_t *tick = (const uint64_t *)plan->ticks.mapped + slice * plan->tick_count + n;
    return (uint64_t)((double)((tick[1] - tick[0]) & d->timestamp_mask) * d->timestamp_ns);
}

const void *vulkan_output(const struct gpu_plan *gpu) {
    const struct plan *plan = (const struct plan *)gpu;
    vmaInvalidateAllocation(device_of(plan)->allocator, plan->output.allocation, 0, VK_WHOLE_SIZE);
    return plan->output.mapped;
}

plait_result vulkan_wait(struct arena *arena, uint64_t timeout_ns) {
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    struct vulkan_device *d = (struct vulkan_device *)arena->device;
    uint64_t last = 0;
    if (a->gathers) vulkan_hand_over(arena->device);
    for (uint32_t i = 0; i < a->gpu.slices; i++)
        if (a->gpu.runs[i] > last) last = a->gpu.runs[i];
    for (int i = 0; i < 2; i++)
        if (a->rescues[i].value > last) last = a->rescues[i].value;
    plait_result result = vulkan_wait_value(d, last, timeout_ns);
    if (result != PLAIT_OK) return result;
    gpu_settle(&a->gpu);
    vulkan_timelines_collect(d);
    return PLAIT_OK;
}

static plait_result record_slice(struct plan *plan, uint32_t slice) {
    struct vulkan_device *d = device_of(plan);
    mutex_lock(&d->mutex);
    VkResult recorded = vulkan_record(plan, slice);
    if (recorded != VK_SUCCESS) d->vk.vkResetCommandBuffer(plan->commands[slice], 0); // or it could not begin again
    mutex_unlock(&d->mutex);
    if (recorded == VK_SUCCESS) plan->slice_version[slice] = plan->version;
    return vulkan_result(recorded, d);
}

// A set of descriptors that runs use cannot be written: a plan that must be recorded anew waits for its own runs, without
// the heap. Nobody else runs it meanwhile. On success the heap's mutex is held.
static plait_result lock_heap(struct plan *plan) {
    struct vulkan_arena *a = arena_of(plan);
    mutex_lock(&a->heap->mutex);
    if (plan->generation == vulkan_generation(a)) return PLAIT_OK;
    mutex_unlock(&a->heap->mutex);
    for (uint32_t i = 0; i < a->gpu.slices; i++) {
        plait_result result = vulkan_wait_run(a, &plan->gpu.runs[i]);
        if (result != PLAIT_OK) return result;
    }
    mutex_lock(&a->heap->mutex);
    return PLAIT_OK;
}

// Recorded, if need be, and submitted while the heap does not move.
static plait_result submit_slice(struct plan *plan, uint32_t slice, const struct frame_sync *sync, uint64_t *value) {
    struct vulkan_arena *a = arena_of(plan);
    plait_result result = lock_heap(plan);
    if (result != PLAIT_OK) return result;
    uint64_t generation = vulkan_generation(a);
    if (plan->generation != generation) {
        vulkan_bind_set(plan);
        plan->generation = generation;
        plan->version++;
    }
    if (plan->slice_version[slice] != plan->version) result = record_slice(plan, slice);
    if (result == PLAIT_OK && a->gathers) {
        struct gathered_run run = {.commands = plan->commands[slice],
                                   .sync = *sync,
                                   .arena = a,
                                   .numbers = {&a->gpu.runs[slice], &plan->gpu.runs[slice]}};
        result = vulkan_gather_run(&run);
        *value = GATHERED_RUN;
    } else if (result == PLAIT_OK) {
        result = vulkan_submit(device_of(plan), plan->commands[slice], sync, value);
    }
    mutex_unlock(&a->heap->mutex);
    return result;
}

plait_result vulkan_plan_run(struct plan *plan) {
    struct vulkan_device *d = device_of(plan);
    struct vulkan_arena *a = arena_of(plan);
    plait_result result = PLAIT_OK;
    // Output for the host's pointer has one place to stand in until it is delivered. Otherwise nothing waits here, but a plan
    // that must be recorded anew for its own runs: other runs may be waiting for the host.
    if (plan->gpu.host.memory && !plan->direct && (a->gpu.output_pending || !a->gathers))
        result = vulkan_wait(&a->gpu.arena, UINT64_MAX);
    uint32_t slice = a->gpu.next_slice;
    if (result == PLAIT_OK) result = vulkan_wait_run(a, &a->gpu.runs[slice]);
    if (result != PLAIT_OK) return result;
    gpu_look(&a->gpu, slice);
    gpu_plan_count_run(&plan->gpu, slice);
    if (a->gpu.slice_size) {
        memcpy((char *)a->upload.mapped + slice * a->gpu.slice_size, a->gpu.mirror, a->gpu.slice_size);
        vmaFlushAllocation(d->allocator, a->upload.allocation, slice * a->gpu.slice_size, a->gpu.slice_size);
    }
    uint64_t value = 0;
    // The frame's first run waits, the last one that writes output signals.
    bool writes_output = (plan->gpu.host.memory || plan->gpu.host.native) && !plan->gpu.host.more;
    struct frame_sync sync = a->gpu.sync;
    if (!writes_output) sync.signal = 0;
    result = submit_slice(plan, slice, &sync, &value);
    if (result != PLAIT_OK) return result;
    a->gpu.sync.wait = 0;
    if (writes_output) a->gpu.sync.signal = 0;
    a->gpu.runs[slice] = plan->gpu.runs[slice] = value;
    a->gpu.next_slice = (slice + 1) % a->gpu.slices;
    if (plan->gpu.host.memory && !plan->direct) a->gpu.output_pending = &plan->gpu;
    return PLAIT_OK;
}

void vulkan_plan_commands(const struct plan *plan, struct plan_commands *commands) { *commands = plan->recorded; }
