// Graphs.
#include "fake.h"

#include <string.h>

// A new node behind the given ones, which are of the same graph.
static CUresult add_node(CUgraphNode *node, CUgraph handle, const CUgraphNode *after, size_t after_count,
                         struct work *work) {
    struct graph *graph = (struct graph *)handle;
    CUresult result = check_object(graph, KIND_GRAPH, "the graph");
    if (result != CUDA_SUCCESS) return result;
    if (graph->count == MAX_NODES) return CUDA_ERROR_OUT_OF_MEMORY;
    work->after = (struct node_set){0};
    for (size_t i = 0; i < after_count; i++) {
        const struct work *before = (const struct work *)after[i];
        if (before < graph->nodes || before >= graph->nodes + graph->count)
            return fault("a node depends on one that is not of its graph");
        node_add(&work->after, (size_t)(before - graph->nodes));
    }
    graph->nodes[graph->count] = *work;
    *node = (CUgraphNode)&graph->nodes[graph->count++];
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
    DRIVER_CALL(CALL_MAKES);
    CUresult result = flags ? CUDA_ERROR_INVALID_VALUE : need_context();
    if (result == CUDA_SUCCESS) *graph = add_object(KIND_GRAPH, sizeof(struct graph));
    DRIVER_RETURN(result);
}

EXPORT CUresult cuGraphDestroy(CUgraph graph) {
    DRIVER_CALL(CALL_ENDS);
    CUresult result = check_object(graph, KIND_GRAPH, "the graph");
    if (result == CUDA_SUCCESS) remove_object(graph);
    DRIVER_RETURN(result);
}

EXPORT CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t after_count,
                                        const CUDA_KERNEL_NODE_PARAMS *params) {
    DRIVER_CALL(CALL_MAKES);
    const struct function *function = (const struct function *)params->func;
    CUresult result = check_object(function, KIND_FUNCTION, "the function");
    struct work work = {.kind = WORK_KERNEL,
                        .grid = {params->gridDimX, params->gridDimY, params->gridDimZ},
                        .block = {params->blockDimX, params->blockDimY, params->blockDimZ}};
    if (result == CUDA_SUCCESS && (params->extra || params->kern || params->sharedMemBytes))
        result = fault("kernel node parameters that are not known here");
    if (result == CUDA_SUCCESS) {
        work.kernel = function->kernel;
        if (work.kernel->params_size > sizeof work.params) return end_call(CUDA_ERROR_INVALID_VALUE);
        memcpy(work.params, params->kernelParams[0], work.kernel->params_size);
        result = add_node(node, graph, after, after_count, &work);
    }
    DRIVER_RETURN(result);
}

EXPORT CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t after_count,
                                     const CUDA_MEMCPY3D *params, CUcontext context) {
    DRIVER_CALL(CALL_MAKES);
    CUresult result = context == current_context ? need_context() : fault("a copy for another context");
    uint64_t size = params->WidthInBytes;
    if (result == CUDA_SUCCESS &&
        (params->Height != 1 || params->Depth != 1 || params->srcPitch < size || params->dstPitch < size || size == 0))
        result = fault("a copy that is not one row");
    struct work work = {.kind = WORK_COPY, .size = size};
    if (result == CUDA_SUCCESS && params->srcMemoryType == CU_MEMORYTYPE_HOST) {
        work.from = params->srcHost;
        work.to = (unsigned char *)(uintptr_t)params->dstDevice;
        result = params->dstMemoryType == CU_MEMORYTYPE_DEVICE
                     ? check_device_range(params->dstDevice, size, "the target of a copy")
                     : fault("a copy between types of memory that is not known here");
        if (result == CUDA_SUCCESS) result = check_pinned_range(work.from, size, "the source of a copy");
    } else if (result == CUDA_SUCCESS) {
        work.from = (const unsigned char *)(uintptr_t)params->srcDevice;
        work.to = params->dstHost;
        result = params->srcMemoryType == CU_MEMORYTYPE_DEVICE && params->dstMemoryType == CU_MEMORYTYPE_HOST
                     ? check_device_range(params->srcDevice, size, "the source of a copy")
                     : fault("a copy between types of memory that is not known here");
        if (result == CUDA_SUCCESS) result = check_pinned_range(work.to, size, "the target of a copy");
    }
    if (result == CUDA_SUCCESS) result = add_node(node, graph, after, after_count, &work);
    DRIVER_RETURN(result);
}

EXPORT CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                          size_t after_count, CUevent event) {
    DRIVER_CALL(CALL_MAKES);
    CUresult result = check_object(event, KIND_EVENT, "the event");
    struct work work = {.kind = WORK_EVENT, .event = (struct event *)event};
    if (result == CUDA_SUCCESS) result = add_node(node, graph, after, after_count, &work);
    DRIVER_RETURN(result);
}

EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *handle, CUgraph graph_handle, unsigned long long flags) {
    DRIVER_CALL(CALL_MAKES);
    struct graph *graph = (struct graph *)graph_handle;
    CUresult result = flags ? CUDA_ERROR_INVALID_VALUE : check_object(graph, KIND_GRAPH, "the graph");
    if (result == CUDA_SUCCESS) {
        struct graph *exec = add_object(KIND_EXEC, sizeof *exec);
        memcpy(exec->nodes, graph->nodes, sizeof exec->nodes);
        exec->count = graph->count;
        *handle = (CUgraphExec)exec;
    }
    DRIVER_RETURN(result);
}

// What a graph uses must live when it is launched.
static CUresult check_nodes(const struct graph *graph) {
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < graph->count && result == CUDA_SUCCESS; i++)
        if (graph->nodes[i].kind == WORK_EVENT)
            result = check_object(graph->nodes[i].event, KIND_EVENT, "a node's event");
    return result;
}

EXPORT CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream) {
    DRIVER_CALL(CALL_MAKES);
    struct graph *exec = (struct graph *)handle;
    CUresult result = check_object(exec, KIND_EXEC, "the graph exec");
    if (result == CUDA_SUCCESS) result = check_nodes(exec);
    if (result == CUDA_SUCCESS) result = enqueue_graph(stream, exec);
    DRIVER_RETURN(result);
}

EXPORT CUresult cuGraphExecDestroy(CUgraphExec exec) {
    DRIVER_CALL(CALL_ENDS);
    CUresult result = check_object(exec, KIND_EXEC, "the graph exec");
    if (result == CUDA_SUCCESS) remove_object(exec);
    DRIVER_RETURN(result);
}
