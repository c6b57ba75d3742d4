/* Data races between launches of checked kernels on the CPU in several streams. */
#ifndef GPUCC_LAUNCHES_H
#define GPUCC_LAUNCHES_H

#include "arrays/arrays.h"
#include "devices/launch_order.h"

/* From now on the order of the context's launches is noted.  For programs with `race`, any number of them. */
gpucc_status launches_watch(gpucc_context *context);
void launches_free(gpucc_context *context);
/* A ufunc's or gufunc's call on contiguous elements counts as a launch; GPUCC_DEVICE_ERROR after reporting races. */
gpucc_status launches_call(gpucc_stream *stream, const char *name, const gpucc_array *const *inputs, int input_count,
                           gpucc_array *const *outputs, int output_count);

#endif
