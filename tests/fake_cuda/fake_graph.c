/* Graphs: a stream that is captured puts its work into one, which launches enqueue again, node after node.  Streams are
 * captured alone: waiting for events, and memory in stream order, end a capture here. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

enum { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED, NODE_MEMCPY = 1 };

struct node {
    struct object object;
    struct graph *graph;
    struct node *next;
    struct launch *launch; /* of a kernel; else … */
    const char *call;      /* … what the device does with the bytes */
    void (*run)(struct op *op);
    size_t size;
    void *data;
};

struct graph {
    struct object object;
    struct node *first, **last;
    size_t count;
};

/* Its launches begin as the nodes' were. */
struct executable {
    struct object object;
    struct graph *graph;
    struct launch **launches; /* of each node, or null */
};

/* ---- capture ---- */

static struct node *add_node(struct stream *stream)
{
    struct graph *graph = stream->capture;
    struct node *node = object_new(NODE, stream->object.context, sizeof *node);
    node->graph = graph;
    *graph->last = node;
    graph->last = &node->next;
    graph->count++;
    return node;
}

void graph_add_launch(struct stream *stream, struct launch *launch)
{
    add_node(stream)->launch = launch;
}

void graph_add_work(struct stream *stream, const char *call, void (*run)(struct op *op), const void *data, size_t size)
{
    struct node *node = add_node(stream);
    node->call = call;
    node->run = run;
    node->size = size;
    node->data = calloc(1, size + 1);
    if (!node->data)
        die("the host is out of memory");
    memcpy(node->data, data, size);
}

CUresult graph_refuse(struct stream *stream)
{
    if (!stream->capture)
        return CUDA_SUCCESS;
    stream->is_invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

static struct graph *graph_new(struct context *context)
{
    struct graph *graph = object_new(GRAPH, context, sizeof *graph);
    graph->last = &graph->first;
    return graph;
}

static void graph_end(struct graph *graph)
{
    for (struct node *node = graph->first; node; node = node->next) {
        if (node->launch)
            launch_free(node->launch);
        free(node->data);
        object_end(&node->object);
    }
    object_end(&graph->object);
}

CUresult cuStreamBeginCapture_v2(CUstream handle, int mode)
{
    ENTER("cuStreamBeginCapture", CUDA_ERROR_UNKNOWN);
    struct context *context;
    struct stream *stream;
    CUresult result = stream_current(handle, &context, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (mode < 0 || mode > CU_STREAM_CAPTURE_MODE_RELAXED || stream == context->null_stream || stream->capture)
        return CUDA_ERROR_INVALID_VALUE;
    stream->capture = graph_new(context);
    stream->is_invalid = false;
    return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *out)
{
    ENTER_RELEASE("cuStreamEndCapture");
    struct context *context;
    struct stream *stream;
    CUresult result = stream_current(handle, &context, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    struct graph *graph = stream->capture;
    *out = NULL;
    stream->capture = NULL;
    if (!graph)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream->is_invalid || injected != CUDA_SUCCESS) {
        graph_end(graph);
        return injected != CUDA_SUCCESS ? injected : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    *out = (CUgraph)graph;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetCaptureInfo_v2(CUstream handle, int *state, unsigned long long *id, CUgraph *graph,
                                   const CUgraphNode **last, size_t *count)
{
    ENTER("cuStreamGetCaptureInfo", CUDA_ERROR_UNKNOWN);
    static CUgraphNode node;
    struct context *context;
    struct stream *stream;
    CUresult result = stream_current(handle, &context, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    struct graph *captured = stream->capture;
    *state = !captured ? CAPTURE_NONE : stream->is_invalid ? CAPTURE_INVALIDATED : CAPTURE_ACTIVE;
    *id = 1;
    *graph = (CUgraph)captured;
    *count = captured && captured->count > 0;
    node = NULL;
    for (struct node *n = captured ? captured->first : NULL; n; n = n->next)
        node = (CUgraphNode)n;
    *last = &node;
    return CUDA_SUCCESS;
}

/* ---- nodes ---- */

CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode *nodes, size_t *count)
{
    ENTER("cuGraphGetNodes", CUDA_ERROR_UNKNOWN);
    CUresult result = object_check(handle, GRAPH, NULL);
    if (result != CUDA_SUCCESS)
        return result;
    const struct graph *graph = (const struct graph *)handle;
    size_t i = 0;
    for (struct node *node = graph->first; nodes && node && i < *count; node = node->next)
        nodes[i++] = (CUgraphNode)node;
    *count = nodes ? i : graph->count;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode handle, int *type)
{
    ENTER("cuGraphNodeGetType", CUDA_ERROR_UNKNOWN);
    CUresult result = object_check(handle, NODE, NULL);
    if (result != CUDA_SUCCESS)
        return result;
    *type = ((struct node *)handle)->launch ? CU_GRAPH_NODE_TYPE_KERNEL : NODE_MEMCPY;
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS *parameters)
{
    ENTER("cuGraphKernelNodeGetParams", CUDA_ERROR_UNKNOWN);
    CUresult result = object_check(handle, NODE, NULL);
    if (result != CUDA_SUCCESS)
        return result;
    const struct node *node = (const struct node *)handle;
    if (!node->launch || !parameters)
        return CUDA_ERROR_INVALID_VALUE;
    launch_describe(node->launch, parameters);
    return CUDA_SUCCESS;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec handle, CUgraphNode node_handle,
                                        const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    ENTER("cuGraphExecKernelNodeSetParams", CUDA_ERROR_UNKNOWN);
    CUresult result = object_check(handle, EXECUTABLE, NULL);
    if (result == CUDA_SUCCESS)
        result = object_check(node_handle, NODE, NULL);
    if (result != CUDA_SUCCESS)
        return result;
    struct executable *executable = (struct executable *)handle;
    const struct node *wanted = (const struct node *)node_handle;
    if (wanted->graph != executable->graph || !wanted->launch)
        return CUDA_ERROR_INVALID_VALUE;
    size_t i = 0;
    for (struct node *node = executable->graph->first; node != wanted; node = node->next)
        i++;
    launch_free(executable->launches[i]);
    executable->launches[i] = launch_from(wanted->launch, parameters);
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph handle)
{
    ENTER_RELEASE("cuGraphDestroy");
    CUresult result = object_check(handle, GRAPH, NULL);
    if (result != CUDA_SUCCESS)
        return result;
    graph_end((struct graph *)handle);
    return injected;
}

/* ---- launches ---- */

CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph handle, unsigned long long flags)
{
    ENTER("cuGraphInstantiate", CUDA_ERROR_OUT_OF_MEMORY);
    struct context *context;
    CUresult result = context_owning(handle, GRAPH, &context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!out || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct graph *graph = (struct graph *)handle;
    struct executable *executable = object_new(EXECUTABLE, context, sizeof *executable);
    executable->graph = graph;
    executable->launches = calloc(graph->count + 1, sizeof *executable->launches);
    size_t i = 0;
    for (struct node *node = graph->first; node; node = node->next, i++)
        executable->launches[i] = node->launch ? launch_copy(node->launch) : NULL;
    *out = (CUgraphExec)executable;
    return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle)
{
    ENTER("cuGraphLaunch", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    struct context *context;
    struct stream *stream;
    CUresult result = stream_current(stream_handle, &context, &stream);
    if (result == CUDA_SUCCESS)
        result = object_check(handle, EXECUTABLE, context);
    if (result == CUDA_SUCCESS)
        result = graph_refuse(stream);
    if (result != CUDA_SUCCESS)
        return result;
    const struct executable *executable = (const struct executable *)handle;
    if (!executable->graph->object.live)
        die("the graph %p was destroyed before its nodes were launched", (void *)executable->graph);
    size_t i = 0;
    for (const struct node *node = executable->graph->first; node; node = node->next, i++)
        if (executable->launches[i])
            launch_enqueue(stream, launch_copy(executable->launches[i]), "cuGraphLaunch");
        else
            enqueue(stream, node->call, node->run, node->data, node->size);
    return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec handle)
{
    ENTER_RELEASE("cuGraphExecDestroy");
    CUresult result = object_check(handle, EXECUTABLE, NULL);
    if (result != CUDA_SUCCESS)
        return result;
    struct executable *executable = (struct executable *)handle;
    for (size_t i = 0; i < executable->graph->count; i++)
        if (executable->launches[i])
            launch_free(executable->launches[i]);
    free(executable->launches);
    object_end(&executable->object);
    return injected;
}
