/* Graphs: recorded calls, which a launch makes again.  On the CPU a graph is a list of calls whose loops are known; on
 * a GPU it is a CUDA graph.  Failures are a status with gpucc_last_error(). */
#ifndef GPUCC_RUNTIME_GRAPHS_H
#define GPUCC_RUNTIME_GRAPHS_H

#include "arrays/arrays.h"
#include "devices/recording.h"
#include "programs/programs.h"

/* How the CPU runs a call without asking anything again. */
enum graph_route {
    ROUTE_CALL,   /* by the public function */
    ROUTE_LOOP,   /* by the native loop, on contiguous elements */
    ROUTE_KERNEL, /* by the executor, with sizes that are chosen */
};

union graph_options {
    size_t size;
    gpucc_call_options call;
    gpucc_reduce_options reduce;
    gpucc_accumulate_options accumulate;
    gpucc_reduceat_options reduceat;
    gpucc_at_options at;
    gpucc_launch launch;
};

/* A recorded call.  It holds a handle of its own of every array. */
struct graph_call {
    enum recorded_kind kind;
    void *function;
    int inputs, operands;           /* outputs follow inputs */
    gpucc_array **arrays;           /* null: there is no such operand */
    gpucc_array *mask, *initial;    /* of the options, or null */
    union graph_options options;    /* its pointers are into `numbers`, or to the arrays above */
    int *numbers;                   /* dtypes and axes of the options */
    char *values;                   /* of a launch: the parameters, one after another … */
    void **parameters;              /* … and the address of each */

    enum graph_route route;
    int work_count; /* operations that the recorded call has asked for */
    const struct loop *loop;
    uint64_t n;
    char **data;
    int64_t *steps;
    struct launch_plan plan;

    struct memory **memories; /* on a GPU: temporaries */
    int memory_count;
    CUgraphNode node; /* the only node of the call; null where it has several or none */
};

struct gpucc_graph {
    struct link link;
    gpucc_context *context;
    struct graph_call **calls;
    int count, room;
    pthread_mutex_t lock; /* guards updates and launches */
    CUstream stream; /* for captures; null until the first */
    CUgraph cuda;
    CUgraphExec executable; /* null: to be made before the next launch */
};

/* recorded_call.c */

/* Copies a call; free it with graph_call_free(). */
gpucc_status graph_call_copy(const struct recorded *recorded, struct graph_call **out);
void graph_call_free(struct graph_call *call);
/* Makes the call by its public function in that stream. */
gpucc_status graph_call_make(const struct graph_call *call, gpucc_stream *stream);
gpucc_context *graph_call_context(const struct graph_call *call);

/* dry_run.c */

/* Operations that do nothing. */
extern const struct device_operations dry_cpu __attribute__((visibility("hidden")));
extern const struct device_operations dry_cuda __attribute__((visibility("hidden")));
/* Makes the call without its work, and finds its route on the CPU. */
gpucc_status graph_call_resolve(struct graph_call *call);
/* Runs it in that stream of the CPU's. */
gpucc_status graph_call_run(struct graph_call *call, gpucc_stream *stream);

/* graph_cuda.c */

/* Fails where the driver lacks graphs. */
gpucc_status graph_cuda_check(void);
/* Captures the call alone, to see whether that is possible; with a graph that has been made, its launches use the
 * call's operands of now.  The context is to be entered. */
gpucc_status graph_cuda_try(gpucc_graph *graph, struct graph_call *call);
gpucc_status graph_cuda_build(gpucc_graph *graph);
gpucc_status graph_cuda_launch(gpucc_graph *graph, gpucc_stream *stream);
void graph_cuda_drop(gpucc_graph *graph);

/* graph.c */

void graphs_destroy_all(gpucc_context *context);

#endif
