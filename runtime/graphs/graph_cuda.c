/* Graphs on a GPU: the calls are made once in a stream that the driver captures. */
#include "graphs/graphs.h"
#include <stdlib.h>

gpucc_status graph_cuda_check(void)
{
    const bool has_all = driver.cuStreamBeginCapture && driver.cuStreamEndCapture && driver.cuStreamGetCaptureInfo &&
                         driver.cuGraphGetNodes && driver.cuGraphNodeGetType && driver.cuGraphKernelNodeGetParams &&
                         driver.cuGraphExecKernelNodeSetParams && driver.cuGraphInstantiateWithFlags &&
                         driver.cuGraphLaunch && driver.cuGraphDestroy && driver.cuGraphExecDestroy;
    return has_all ? GPUCC_OK : fail(GPUCC_UNSUPPORTED, "graphs require a driver of CUDA 11.4 or later");
}

/* ---- a capture ---- */

struct capture {
    gpucc_context *context;
    gpucc_stream stream;
    struct graph_work work;
};

/* The stream keeps no order with the legacy default stream, so that other work there does not end the capture. */
static gpucc_status capture_begin(struct capture *capture, gpucc_graph *graph)
{
    gpucc_context *context = graph->context;
    gpucc_status status =
        graph->stream ? GPUCC_OK : CU(context, cuStreamCreate, &graph->stream, CU_STREAM_NON_BLOCKING);
    if (status)
        return status;
    *capture = (struct capture){.context = context, .stream = {.context = context, .handle = graph->stream}};
    capture->stream.graph = &capture->work;
    return CU(context, cuStreamBeginCapture, graph->stream, CU_STREAM_CAPTURE_MODE_RELAXED);
}

static void memories_release(struct memory **memories, int count)
{
    for (int i = 0; i < count; i++)
        memory_release(memories[i]);
    free(memories);
}

/* The graph, or null after a failure: of an earlier call, which `status` is, or of the capture. */
static gpucc_status capture_end(struct capture *capture, gpucc_status status, CUgraph *out)
{
    CUgraph graph = NULL;
    const CUresult result = driver.cuStreamEndCapture(capture->stream.handle, &graph);
    memories_release(capture->work.memories, capture->work.memory_count);
    if (!status)
        status = driver_status(capture->context, result, "cuStreamEndCapture");
    if (status && graph)
        driver.cuGraphDestroy(graph);
    *out = status ? NULL : graph;
    return status;
}

static gpucc_status count_nodes(const struct capture *capture, CUgraph graph, size_t *count)
{
    *count = 0;
    return CU(capture->context, cuGraphGetNodes, graph, NULL, count);
}

/* The captured graph so far, and its last node where there is one. */
static gpucc_status captured(const struct capture *capture, CUgraph *graph, CUgraphNode *last)
{
    int state = 0;
    size_t count = 0;
    unsigned long long id = 0;
    const CUgraphNode *nodes = NULL;
    gpucc_status status = CU(capture->context, cuStreamGetCaptureInfo, capture->stream.handle, &state, &id, graph,
                             &nodes, &count);
    *last = !status && count == 1 ? nodes[0] : NULL;
    return status;
}

static bool is_kernel(CUgraphNode node)
{
    int type = -1;
    return node && driver.cuGraphNodeGetType(node, &type) == CUDA_SUCCESS && type == CU_GRAPH_NODE_TYPE_KERNEL;
}

/* Makes the call in the captured stream, whose new temporaries become the call's; *node is the call's only node, if
 * that is a kernel's. */
static gpucc_status capture_call(struct capture *capture, struct graph_call *call, CUgraphNode *node)
{
    CUgraph graph = NULL;
    size_t before = 0, after = 0;
    gpucc_status status = captured(capture, &graph, node);
    if (!status)
        status = count_nodes(capture, graph, &before);
    if (!status)
        status = graph_call_make(call, &capture->stream);
    if (!status)
        status = captured(capture, &graph, node);
    if (!status)
        status = count_nodes(capture, graph, &after);
    if (after != before + 1 || !is_kernel(*node))
        *node = NULL;
    if (status)
        return status;
    memories_release(call->memories, call->memory_count);
    call->memories = capture->work.memories;
    call->memory_count = capture->work.memory_count;
    capture->work = (struct graph_work){0};
    return GPUCC_OK;
}

/* ---- graphs ---- */

static void drop_executable(gpucc_graph *graph)
{
    if (graph->executable)
        driver.cuGraphExecDestroy(graph->executable);
    if (graph->cuda)
        driver.cuGraphDestroy(graph->cuda);
    graph->executable = NULL;
    graph->cuda = NULL;
}

void graph_cuda_drop(gpucc_graph *graph)
{
    drop_executable(graph);
    if (graph->stream)
        driver.cuStreamDestroy(graph->stream);
    graph->stream = NULL;
}

gpucc_status graph_cuda_build(gpucc_graph *graph)
{
    struct capture capture;
    drop_executable(graph);
    gpucc_status status = capture_begin(&capture, graph);
    if (status)
        return status;
    for (int i = 0; !status && i < graph->count; i++)
        status = capture_call(&capture, graph->calls[i], &graph->calls[i]->node);
    status = capture_end(&capture, status, &graph->cuda);
    if (!status)
        status = CU(graph->context, cuGraphInstantiateWithFlags, &graph->executable, graph->cuda, 0);
    if (status)
        drop_executable(graph);
    return status;
}

/* The call's node of the graph gets the parameters of one that was captured alone. */
static bool replace_node(gpucc_graph *graph, const struct graph_call *call, CUgraphNode node)
{
    CUDA_KERNEL_NODE_PARAMS parameters = {0};
    return call->node && node && driver.cuGraphKernelNodeGetParams(node, &parameters) == CUDA_SUCCESS &&
           driver.cuGraphExecKernelNodeSetParams(graph->executable, call->node, &parameters) == CUDA_SUCCESS;
}

gpucc_status graph_cuda_try(gpucc_graph *graph, struct graph_call *call)
{
    struct capture capture;
    CUgraph alone;
    CUgraphNode node = NULL;
    gpucc_status status = capture_begin(&capture, graph);
    if (status)
        return status;
    status = capture_end(&capture, capture_call(&capture, call, &node), &alone);
    if (status)
        return status;
    if (graph->executable && !replace_node(graph, call, node))
        drop_executable(graph); /* the next launch makes it from all calls */
    driver.cuGraphDestroy(alone);
    return GPUCC_OK;
}

/* A launch uses the arrays of all calls. */
static void use_memories(const gpucc_graph *graph, gpucc_stream *stream)
{
    for (int i = 0; i < graph->count; i++) {
        const struct graph_call *call = graph->calls[i];
        for (int k = 0; k < call->operands; k++)
            if (call->arrays[k])
                memory_use(call->arrays[k]->memory, stream);
        if (call->mask)
            memory_use(call->mask->memory, stream);
        for (int k = 0; k < call->memory_count; k++)
            memory_use(call->memories[k], stream);
    }
}

gpucc_status graph_cuda_launch(gpucc_graph *graph, gpucc_stream *stream)
{
    gpucc_status status = graph->executable ? GPUCC_OK : graph_cuda_build(graph);
    if (!status)
        status = stream_begin(stream);
    if (status)
        return status;
    use_memories(graph, stream);
    stream_count_launch(stream);
    return CU(graph->context, cuGraphLaunch, graph->executable, stream->handle);
}
