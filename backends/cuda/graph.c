// Graphs: one run of a plan as the driver replays it. New values in, then stage by stage with a tick between, then what the
// host wants to see out; each waits for the one before.
#include "cuda_backend.h"

struct chain {
    const struct cuda_device *device;
    CUgraph graph;
    CUgraphNode last;
    size_t length;
    CUresult result; // the first failure; everything after it is left out
};

static void add_copy(struct chain *c, CUDA_MEMCPY3D copy, uint64_t size) {
    if (c->result != CUDA_SUCCESS) return;
    copy.srcPitch = copy.dstPitch = copy.WidthInBytes = size;
    copy.srcHeight = copy.dstHeight = copy.Height = copy.Depth = 1;
    c->result =
        c->device->cu->cuGraphAddMemcpyNode(&c->last, c->graph, &c->last, c->length++ > 0, &copy, c->device->context);
}

static void add_copy_in(struct chain *c, CUdeviceptr to, const void *from, uint64_t size) {
    CUDA_MEMCPY3D copy = {
        .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = from, .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = to};
    add_copy(c, copy, size);
}

static void add_copy_out(struct chain *c, void *to, CUdeviceptr from, uint64_t size) {
    CUDA_MEMCPY3D copy = {
        .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = from, .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = to};
    add_copy(c, copy, size);
}

static void add_tick(struct chain *c, CUevent *event) {
    const struct driver *cu = c->device->cu;
    if (c->result == CUDA_SUCCESS && !*event) c->result = cu->cuEventCreate(event, CU_EVENT_DEFAULT);
    if (c->result == CUDA_SUCCESS)
        c->result = cu->cuGraphAddEventRecordNode(&c->last, c->graph, &c->last, c->length++ > 0, *event);
}

// Where byte 0 of the host's output would be for the kernels.
static CUdeviceptr output_address(const struct plan *plan) {
    if (plan->gpu.host.native) return plan->gpu.host.native + plan->gpu.host.offset;
    return plan->output.device - plan->gpu.output_first;
}

static CUdeviceptr address_of(const struct plan *plan, const struct buffer *buffer) {
    return buffer == &plan->gpu.host ? output_address(plan) : cuda_address(arena_of(plan), buffer);
}

// A graph cannot take the size of a grid from memory: where a counter says how many items there are, the grid has room for
// the most, and blocks that have none end at once.
static void add_stage(struct chain *c, const struct plan *plan, const struct stage *stage) {
    const struct kernel_info *info = &kernel_infos[stage->kernel];
    void *pointers[KERNEL_MAX_BINDINGS];
    for (uint32_t b = 0; b < info->binding_count; b++)
        pointers[b] = (void *)(uintptr_t)address_of(plan, stage->bindings[b]);
    const struct domain *domain = &stage->domain;
    const uint32_t *counter = NULL;
    if (domain->counter) counter = (const uint32_t *)(uintptr_t)address_of(plan, domain->counter) + domain->counter_at;
    uint32_t items = stage_items(stage, &plan->gpu.size), block = BLOCK_SIZE;
    uint32_t threads = info->domain <= DOMAIN_VERTICES ? items * PACK_WIDTH : domain->count;
    uint32_t blocks = info->domain == DOMAIN_GROUPS ? items : (threads + BLOCK_SIZE - 1) / BLOCK_SIZE;
    if (info->domain == DOMAIN_GROUPS) block = GROUP_THREADS;
    struct override_grid grid = {0, 1};
    if (domain->first == 0 && items == plan->gpu.size.packs)
        grid =
            kernel_override(stage->kernel, c->device->device.overrides, plan->gpu.size.packs, plan->gpu.size.vertices);
    bool override = grid.groups > 0;
    union kernel_args args;
    stage_args(stage, threads, pointers, counter, &args);
    void *params[] = {&args};
    CUDA_KERNEL_NODE_PARAMS node = {.func = override ? c->device->overrides[stage->kernel]
                                                     : c->device->kernels[stage->kernel],
                                    .gridDimX = override ? grid.groups : blocks,
                                    .gridDimY = grid.parts,
                                    .gridDimZ = 1,
                                    .blockDimX = override ? OVERRIDE_GROUP : block,
                                    .blockDimY = 1,
                                    .blockDimZ = 1,
                                    .kernelParams = params};
    if (c->result == CUDA_SUCCESS)
        c->result = c->device->cu->cuGraphAddKernelNode_v2(&c->last, c->graph, &c->last, c->length++ > 0, &node);
}

CUresult cuda_make_graph(struct plan *plan, uint32_t slice) {
    struct cuda_arena *a = arena_of(plan);
    const struct cuda_device *d = (const struct cuda_device *)a->gpu.arena.device;
    struct chain chain = {.device = d};
    chain.result = d->cu->cuGraphCreate(&chain.graph, 0);
    if (chain.result != CUDA_SUCCESS) return chain.result;
    if (a->gpu.slice_size)
        add_copy_in(&chain, a->dynamic_memory.device, (const char *)a->upload.host + slice * a->gpu.slice_size,
                    a->gpu.slice_size);
    CUevent *tick = plan->ticks + slice * plan->tick_count;
    for (struct cursor cursor = {0}; schedule_next(&plan->gpu.schedule, &cursor);) {
        const struct phase *phase = &plan->gpu.schedule.phases[cursor.phase];
        for (uint32_t i = phase->first; i < phase->first + phase->count; i++) {
            add_tick(&chain, tick++);
            add_stage(&chain, plan, &plan->gpu.stages[i].stage);
        }
    }
    add_tick(&chain, tick);
    if (plan->gpu.host.memory) add_copy_out(&chain, plan->staging.host, plan->output.device, plan->output_size);
    if (a->gpu.watched_size)
        add_copy_out(&chain, (char *)a->watch.host + slice * GPU_WATCHED, a->gpu.watched, a->gpu.watched_size);
    CUgraphExec made = NULL;
    if (chain.result == CUDA_SUCCESS) chain.result = d->cu->cuGraphInstantiateWithFlags(&made, chain.graph, 0);
    if (chain.result == CUDA_SUCCESS) {
        if (plan->graphs[slice]) d->cu->cuGraphExecDestroy(plan->graphs[slice]);
        plan->graphs[slice] = made;
    }
    d->cu->cuGraphDestroy(chain.graph);
    return chain.result;
}
