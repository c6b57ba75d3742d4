/* Launches of checked kernels on the CPU in several streams: which of them come before which, as a GPU would have it.
 * Of a context without such kernels all of this does nothing. */
#ifndef GPUCC_LAUNCHES_H
#define GPUCC_LAUNCHES_H

#include "arrays/arrays.h"

/* From now on the order of the context's launches is noted.  For programs with `race`, any number of them. */
gpucc_status launches_watch(gpucc_context *context);
void launches_free(gpucc_context *context);
static inline bool launches_are_watched(const gpucc_context *context)
{
    return atomic_load_explicit(&context->launches, memory_order_relaxed) != NULL;
}
/* What stands behind `later` comes after what stands before `earlier`, which are two clocks of streams and events. */
void launches_order(gpucc_context *context, struct launch_clock *later, const struct launch_clock *earlier);
/* An event marks this place in a stream, and no other any more. */
void launches_mark(gpucc_context *context, struct launch_clock *event, const struct launch_clock *stream);
/* The host has waited for what stands before it, so that all to come is behind that. */
void launches_await(gpucc_context *context, const struct launch_clock *clock);
/* The same for all streams.  Of no launch anything is kept then. */
void launches_await_all(gpucc_context *context);
void launch_clock_free(struct launch_clock *clock);
/* A ufunc's or gufunc's call on adjacent elements counts as a launch; GPUCC_DEVICE_ERROR after telling of races. */
gpucc_status launches_call(gpucc_stream *stream, const char *name, const gpucc_array *const *inputs, int input_count,
                           gpucc_array *const *outputs, int output_count);
/* What lies there is somebody else's from now on. */
void launches_forget_memory(gpucc_context *context, const void *base, size_t size);

#endif
