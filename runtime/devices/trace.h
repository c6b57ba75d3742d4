/* A trace of the program's work: for the file that GPUCC_TRACE names, and as ranges for NVIDIA's tools.
 *
 *     TRACE(span, "ufunc", ufunc->name);     the rest of the block is a call of this name
 *     trace_array(&span, input);             which works on so many bytes more
 *
 * Where nobody traces each of these is a branch. */
#ifndef GPUCC_RUNTIME_TRACE_H
#define GPUCC_RUNTIME_TRACE_H

#include "devices/devices.h"

/* A call on this thread.  Names last as long as it does. */
struct trace_span {
    struct trace_span *outer;
    const char *category, *name; /* null: nobody traces */
    uint64_t begin, bytes;
    struct shape3 grid, block; /* of a kernel's launch, else zero */
    size_t shared;
    int launches; /* on a GPU, within a call that is itself within none */
};

extern atomic_bool trace_wanted __attribute__((visibility("hidden")));
extern _Thread_local struct trace_span *trace_current __attribute__((visibility("hidden")));

static inline bool tracing(void)
{
    return __builtin_expect(atomic_load_explicit(&trace_wanted, memory_order_relaxed), 0);
}

static inline void trace_leave(struct trace_span *span);

#define TRACE(span, kind, what)                                                                                        \
    __attribute__((cleanup(trace_leave))) struct trace_span span;                                                      \
    (span).name = NULL;                                                                                                \
    if (tracing())                                                                                                     \
    trace_begin(&(span), (kind), (what))

static inline void trace_launch(struct trace_span *span, struct shape3 grid, struct shape3 block, size_t shared)
{
    if (__builtin_expect(span->name != NULL, 0)) {
        span->grid = grid;
        span->block = block;
        span->shared = shared;
    }
}

/* trace.c */

/* Looks, once, whether somebody wants to know. */
void trace_start(void);
/* Tells the context's log, once, why there is no file though one was asked for. */
void trace_complain(gpucc_context *context);
void trace_begin(struct trace_span *span, const char *category, const char *name);
void trace_end(struct trace_span *span);
/* Nanoseconds of a clock that processes share. */
uint64_t trace_clock(void);

/* Something that took time, on a thread or on a GPU's stream.  `from` numbers the launch or copy whose work it is, or
 * that is enqueued; 0: none. */
struct trace_slice {
    const char *category, *name;
    bool on_gpu;
    int gpu, stream; /* numbers of ours */
    uint64_t begin, end, bytes, from;
    struct shape3 grid, block;
    size_t shared;
};
void trace_write(const struct trace_slice *slice);
/* The name of a GPU, or of one of its streams (not negative). */
void trace_name(int gpu, int stream, const char *name);

/* trace_cuda.c */

/* Replaces the driver's functions by ones that record when they are called and when their work is done. */
void trace_wrap(struct driver *entries);
/* The call has returned, so that it is known what its launches worked on. */
void trace_return(const struct trace_span *call);
/* A context of ours begins on a device context, which is entered, or ends there, where it has nothing left to do. */
void trace_open(CUcontext cuda);
void trace_close(CUcontext cuda);

/* nvtx.c */

/* Whether a tool wants ranges. */
bool nvtx_open(void);
void nvtx_push(const char *name);
void nvtx_pop(void);

static inline void trace_leave(struct trace_span *span)
{
    if (__builtin_expect(span->name != NULL, 0))
        trace_end(span);
}

#endif
