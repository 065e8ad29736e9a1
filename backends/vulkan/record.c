// Recording: one run of a plan as a command buffer. New values in, then stage by stage with barriers and timestamps between.
#include "vulkan.h"

static struct vulkan_device *device_of(const struct plan *plan) {
    return (struct vulkan_device *)plan->gpu.arena->arena.device;
}

void vulkan_bind_set(struct plan *plan) {
    struct vulkan_device *d = device_of(plan);
    VkDescriptorBufferInfo heap = {arena_of(plan)->heap->memory.handle, 0, VK_WHOLE_SIZE};
    VkDescriptorBufferInfo host = heap;
    if (plan->gpu.host.memory) host = (VkDescriptorBufferInfo){plan->output.handle, 0, plan->gpu.host.extent};
    if (plan->gpu.host.native) {
        uint64_t before = plan->gpu.host.offset % d->can.offset_alignment;
        host = (VkDescriptorBufferInfo){(VkBuffer)plan->gpu.host.native, plan->gpu.host.offset - before,
                                        plan->gpu.host.extent + before};
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
    struct vulkan_arena *a = arena_of(plan);
    // Whatever ran before may still read what is written here.
    barrier(plan, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    for (uint32_t i = 0; i < a->gpu.dynamic_count; i++) {
        const struct gpu_dynamic *dynamic = &a->gpu.dynamic[i];
        VkBufferCopy region = {slice * a->gpu.slice_size + dynamic->at, dynamic->key, dynamic->size};
        d->vk.vkCmdCopyBuffer(commands, a->upload.handle, a->heap->memory.handle, 1, &region);
    }
    if (a->gpu.dynamic_count)
        barrier(plan, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

// ---- sizes that the device computes ----
// Where a counter says how many items there are, a kernel of one thread turns it into the size of a dispatch. Stages that
// follow each other with the same counter, as long as nobody writes it, share that size.

#define SIZE_WORDS 4u // x, y, z of a VkDispatchIndirectCommand, and padding

static uint32_t group_words(const struct stage *stage) {
    return kernel_infos[stage->kernel].domain == DOMAIN_GROUPS ? stage->domain.tile : GROUP_SIZE;
}

plait_result vulkan_make_sizes(struct plan *plan, const struct schedule *schedule) {
    uint64_t counted = 0;
    for (uint32_t i = 0; i < schedule->stage_count; i++) counted += schedule->stages[i].domain.counter != NULL;
    uint64_t size = counted * SIZE_WORDS * sizeof(uint32_t);
    if (size <= plan->sizes.size) return PLAIT_OK;
    struct buffer sizes = {0};
    plait_result result = vulkan_buffer_create(&arena_of(plan)->gpu.arena, size, USE_PLAIN, &sizes);
    if (result != PLAIT_OK) return result;
    vulkan_buffer_destroy(&plan->sizes);
    plan->sizes = sizes;
    return PLAIT_OK;
}

static bool writes_buffer(const struct stage *stage, const struct buffer *buffer) {
    const struct kernel_info *info = &kernel_infos[stage->kernel];
    for (uint32_t b = 0; b < info->binding_count; b++)
        if (stage->bindings[b] == buffer && (info->access[b] & ACCESS_WRITE)) return true;
    return false;
}

// Whether the size that was computed for stage `earlier` is still right for stage i.
static bool size_holds(const struct plan *plan, uint32_t earlier, uint32_t i) {
    const struct stage *a = &plan->gpu.stages[earlier].stage, *b = &plan->gpu.stages[i].stage;
    if (a->domain.counter != b->domain.counter || a->domain.counter_at != b->domain.counter_at ||
        a->domain.count != b->domain.count || group_words(a) != group_words(b))
        return false;
    for (uint32_t k = earlier; k < i; k++)
        if (writes_buffer(&plan->gpu.stages[k].stage, b->domain.counter)) return false;
    for (uint32_t r = 0; r < plan->gpu.schedule.repeat_count; r++) { // rounds may write it behind stage i
        const struct repeat *repeat = &plan->gpu.schedule.repeats[r];
        const struct phase *first = &plan->gpu.schedule.phases[repeat->first];
        if (first->first > earlier && first->first <= i) return false;
    }
    return true;
}

void vulkan_place_sizes(struct plan *plan) {
    uint32_t slots = 0;
    for (uint32_t i = 0; i < plan->gpu.stage_count; i++) {
        struct dispatch_size *size = &plan->dispatch_sizes[i];
        size->fresh = false;
        if (!plan->gpu.stages[i].stage.domain.counter) continue;
        uint32_t k = 0;
        while (k < i && !(plan->gpu.stages[k].stage.domain.counter && size_holds(plan, k, i))) k++;
        size->fresh = k == i;
        size->slot = k < i ? plan->dispatch_sizes[k].slot : slots++;
    }
}

// ---- stages ----

static void dispatch_groups(struct plan *plan, VkCommandBuffer commands, uint64_t groups) {
    const uint64_t most = DISPATCH_GROUPS_X;
    uint32_t x = (uint32_t)(groups < most ? groups : most);
    device_of(plan)->vk.vkCmdDispatch(commands, x, (uint32_t)((groups + most - 1) / most), 1);
}

static void push(struct plan *plan, VkCommandBuffer commands, const struct stage *stage, uint64_t items) {
    struct vulkan_device *d = device_of(plan);
    const struct kernel_info *info = &kernel_infos[stage->kernel];
    uint32_t words[MAX_PUSH_WORDS], count = 0;
    for (uint32_t b = 0; b < info->binding_count; b++) {
        const struct buffer *buffer = stage->bindings[b];
        uint64_t offset = buffer->arena ? buffer->offset : 0;
        if (buffer == &plan->gpu.host && plan->gpu.host.native) // the descriptor begins a little before it
            offset = plan->gpu.host.offset % d->can.offset_alignment;
        words[count++] = (uint32_t)(offset / sizeof(uint32_t));
    }
    const struct buffer *counter = stage->domain.counter;
    words[count++] = counter ? (uint32_t)(counter->offset / sizeof(uint32_t)) + stage->domain.counter_at : NO_COUNTER;
    words[count++] = stage->domain.first;
    words[count++] = (uint32_t)items;
    words[count++] = stage->domain.tile;
    for (uint32_t v = 0; v < info->value_count; v++) words[count++] = stage->numbers[v + 1];
    d->vk.vkCmdPushConstants(commands, d->pipeline_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, count * sizeof words[0],
                             words);
}

// The size of the dispatch that follows.
static void record_size(struct plan *plan, VkCommandBuffer commands, const struct stage *stage, uint32_t slot) {
    struct vulkan_device *d = device_of(plan);
    struct stage size = {.kernel = KERNEL_dispatch_size,
                         .domain = {.count = 1},
                         .buffers.dispatch_size = {.counter_in = stage->domain.counter, .sizes = &plan->sizes},
                         .values.dispatch_size = {.at = stage->domain.counter_at,
                                                  .capacity = stage->domain.count,
                                                  .group = group_words(stage),
                                                  .slot = slot * SIZE_WORDS}};
    d->vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, d->pipelines[KERNEL_dispatch_size]);
    push(plan, commands, &size, 1);
    plan->recorded.dispatches++;
    d->vk.vkCmdDispatch(commands, 1, 1, 1);
    barrier(plan, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
}

static void record_stage(struct plan *plan, VkCommandBuffer commands, uint32_t i) {
    struct vulkan_device *d = device_of(plan);
    const struct stage *stage = &plan->gpu.stages[i].stage;
    const struct dispatch_size *size = &plan->dispatch_sizes[i];
    enum domain_kind domain = kernel_infos[stage->kernel].domain;
    if (size->fresh) record_size(plan, commands, stage, size->slot);
    uint64_t items = stage_items(stage, &plan->gpu.size);
    uint64_t threads = domain <= DOMAIN_VERTICES ? items * PACK_WIDTH : items;
    bool whole = stage->domain.first == 0 && items == plan->gpu.size.packs;
    struct override_grid grid = {0, 1};
    if (whole)
        grid = kernel_override(stage->kernel, d->device.overrides, plan->gpu.size.packs, plan->gpu.size.vertices);
    d->vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                            grid.groups ? d->overrides[stage->kernel] : d->pipelines[stage->kernel]);
    push(plan, commands, stage, domain == DOMAIN_GROUPS ? stage->domain.count : threads);
    plan->recorded.dispatches++;
    if (grid.groups)
        d->vk.vkCmdDispatch(commands, grid.groups, grid.parts, 1);
    else if (stage->domain.counter)
        d->vk.vkCmdDispatchIndirect(commands, arena_of(plan)->heap->memory.handle,
                                    plan->sizes.offset + size->slot * SIZE_WORDS * sizeof(uint32_t));
    else
        dispatch_groups(plan, commands, domain == DOMAIN_GROUPS ? items : (threads + GROUP_SIZE - 1) / GROUP_SIZE);
}

// ---- a run ----

// Whether a stage writes the heap, not just the host's memory. Of that, stages write parts that do not overlap.
static bool writes_heap(const struct stage *stage) {
    const struct kernel_info *info = &kernel_infos[stage->kernel];
    for (uint32_t b = 0; b < info->binding_count; b++)
        if ((info->access[b] & ACCESS_WRITE) && stage->bindings[b]->arena) return true;
    return false;
}

// Barriers follow from the accesses that kernels declare. Stages that only read the heap need not wait for each other.
// Telling its buffers apart would save a barrier more, but for synchronisation validation a heap is one thing, and hosts run
// that on their device.
static void record_stages(struct plan *plan, VkCommandBuffer commands, uint32_t query) {
    struct vulkan_device *d = device_of(plan);
    bool first = true, wrote = false;
    for (struct cursor c = {0}; schedule_next(&plan->gpu.schedule, &c);) {
        const struct phase *phase = &plan->gpu.schedule.phases[c.phase];
        for (uint32_t i = phase->first; i < phase->first + phase->count; i++) {
            bool writes = writes_heap(&plan->gpu.stages[i].stage) || plan->dispatch_sizes[i].fresh;
            bool indirect = plan->gpu.stages[i].stage.domain.counter != NULL;
            if (!first && (wrote || writes))
                barrier(plan, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | (indirect ? VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT : 0),
                        VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                            (indirect ? VK_ACCESS_INDIRECT_COMMAND_READ_BIT : 0));
            first = false;
            wrote = writes;
            record_stage(plan, commands, i);
            if (plan->queries)
                d->vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, plan->queries, ++query);
        }
    }
}

VkResult vulkan_record(struct plan *plan, uint32_t slice) {
    struct vulkan_device *d = device_of(plan);
    struct vulkan_arena *a = arena_of(plan);
    VkCommandBuffer commands = plan->commands[slice];
    plan->recorded = (struct plan_commands){0};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkResult result = d->vk.vkBeginCommandBuffer(commands, &begin);
    if (result != VK_SUCCESS) return result;
    uint32_t query = slice * plan->tick_count;
    if (plan->queries) d->vk.vkCmdResetQueryPool(commands, plan->queries, query, plan->tick_count);
    record_upload(plan, commands, slice);
    d->vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, d->pipeline_layout, 0, 1, &plan->set, 0,
                                  NULL);
    if (plan->queries) d->vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, plan->queries, query);
    record_stages(plan, commands, query);
    // Asking for the results from the host waits, on some drivers, for all the device does.
    if (plan->queries)
        d->vk.vkCmdCopyQueryPoolResults(commands, plan->queries, query, plan->gpu.schedule.run_count + 1,
                                        plan->ticks.handle, query * sizeof(uint64_t), sizeof(uint64_t),
                                        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    barrier(plan, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
            VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_HOST_READ_BIT);
    if (a->gpu.watched_size) {
        VkBufferCopy region = {a->gpu.watched, slice * GPU_WATCHED, a->gpu.watched_size};
        d->vk.vkCmdCopyBuffer(commands, a->heap->memory.handle, a->watch.handle, 1, &region);
        barrier(plan, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    }
    return d->vk.vkEndCommandBuffer(commands);
}
