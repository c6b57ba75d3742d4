/* The order of launches in several streams, as a GPU would have it: what enqueues or waits reports it here.  A context
 * with checked programs has somebody who listens (checks/launches.c); for others each of these is a branch. */
#ifndef GPUCC_RUNTIME_LAUNCH_ORDER_H
#define GPUCC_RUNTIME_LAUNCH_ORDER_H

#include "devices/devices.h"
#include <stdlib.h>

struct launch_order {
    /* Work behind `later` comes after work before `earlier`: two clocks of streams and events. */
    void (*order)(gpucc_context *context, struct launch_clock *later, const struct launch_clock *earlier);
    /* An event marks this place in a stream, and no other any more. */
    void (*mark)(gpucc_context *context, struct launch_clock *event, const struct launch_clock *stream);
    /* The host has waited for the work before it, or for that of all streams. */
    void (*await)(gpucc_context *context, const struct launch_clock *clock);
    void (*await_all)(gpucc_context *context);
    /* The memory belongs to somebody else from now on. */
    void (*forget_memory)(gpucc_context *context, const void *base, size_t size);
};

/* The object at context->launches begins with this. */
struct launches {
    const struct launch_order *order;
};

static inline const struct launches *launches_of(const gpucc_context *context)
{
    return atomic_load_explicit(&context->launches, memory_order_acquire);
}

static inline bool launches_are_watched(const gpucc_context *context)
{
    return atomic_load_explicit(&context->launches, memory_order_relaxed) != NULL;
}

static inline void launches_order(gpucc_context *context, struct launch_clock *later,
                                  const struct launch_clock *earlier)
{
    if (launches_are_watched(context))
        launches_of(context)->order->order(context, later, earlier);
}

static inline void launches_mark(gpucc_context *context, struct launch_clock *event, const struct launch_clock *stream)
{
    if (launches_are_watched(context))
        launches_of(context)->order->mark(context, event, stream);
}

static inline void launches_await(gpucc_context *context, const struct launch_clock *clock)
{
    if (launches_are_watched(context))
        launches_of(context)->order->await(context, clock);
}

static inline void launches_await_all(gpucc_context *context)
{
    if (launches_are_watched(context))
        launches_of(context)->order->await_all(context);
}

static inline void launches_forget_memory(gpucc_context *context, const void *base, size_t size)
{
    if (launches_are_watched(context))
        launches_of(context)->order->forget_memory(context, base, size);
}

static inline void launch_clock_free(struct launch_clock *clock)
{
    free(clock->last);
    *clock = (struct launch_clock){0};
}

#endif
