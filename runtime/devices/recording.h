/* Calls that are recorded for a graph.  While a thread records, stream_resolve() gives its calls the recording's
 * stream, whose operations do nothing; each call that succeeds is then noted.  Later the graph makes the same calls
 * again: on a GPU once, in a stream that the driver captures. */
#ifndef GPUCC_RUNTIME_RECORDING_H
#define GPUCC_RUNTIME_RECORDING_H

#include "devices/devices.h"

struct graph_call;
struct memory;

/* The stream of a graph has one of these: it waits for no other stream and copies nothing from or to the host. */
struct graph_work {
    const struct device_operations *dry; /* operations that do nothing; null while the driver captures the stream */
    struct graph_call *call;  /* that is run dry to find its route; or null */
    struct memory **memories; /* temporaries of captured work, which live as long as it */
    int memory_count, memory_room;
};

enum recorded_kind {
    RECORDED_CALL,
    RECORDED_OUTER,
    RECORDED_REDUCE,
    RECORDED_FUSED,
    RECORDED_ACCUMULATE,
    RECORDED_REDUCEAT,
    RECORDED_AT,
    RECORDED_LAUNCH,
};

/* A call that has succeeded, as its function received it. */
struct recorded {
    enum recorded_kind kind;
    void *function; /* the ufunc or kernel */
    const gpucc_array *const *inputs; /* or null */
    int input_count;
    gpucc_array *const *outputs; /* with those that the call has created */
    int output_count;
    const void *options;     /* or null */
    void *const *parameters; /* of a launch */
};

struct recording {
    gpucc_context *context;
    gpucc_stream stream;
    struct graph_work work;
    gpucc_status (*note)(struct recording *recording, const struct recorded *call);
};

/* stream.c: the recording of this thread, or null */
extern _Thread_local struct recording *thread_recording __attribute__((visibility("hidden")));

/* This thread's recording in the context, or null. */
static inline struct recording *recording_in(gpucc_context *context)
{
    if (__builtin_expect(atomic_load_explicit(&context->recordings, memory_order_relaxed) == 0, 1))
        return NULL;
    return thread_recording && thread_recording->context == context ? thread_recording : NULL;
}

/* Notes a call that has returned `status`, which it returns unless noting fails. */
static inline gpucc_status recording_note(gpucc_context *context, gpucc_status status, const struct recorded *call)
{
    struct recording *recording = status ? NULL : recording_in(context);
    return __builtin_expect(recording != NULL, 0) ? recording->note(recording, call) : status;
}

static inline bool stream_is_dry(const gpucc_stream *stream)
{
    return stream->graph && stream->graph->dry;
}

#define HOST_COPIES "copies between the host and a GPU"

/* Fails where the stream's work is recorded, which cannot do `what`. */
gpucc_status stream_check_live(const gpucc_stream *stream, const char *what);

#endif
