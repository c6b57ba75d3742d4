/* A gufunc's call: declarations that its files share. */
#ifndef GPUCC_RUNTIME_GUFUNC_H
#define GPUCC_RUNTIME_GUFUNC_H

#include "calls/calls.h"
#include "records/gufunc_call.h"

/* gufunc_shapes.c */

/* Finds the core dimensions' extents and the shape of the outer dimensions. */
gpucc_status gufunc_bind(struct gufunc_call *gufunc, const gpucc_call_options *options);
/* The positions of the operand's `ndim` dimensions: loop dimensions, then core dimensions. */
void gufunc_axes(const struct core_shape *core, int ndim, int *axes);
/* Sets the nest's operand by the array's outer dimensions. */
void gufunc_nest_set(struct nest *nest, int operand, const struct core_shape *core, const gpucc_array *array);
/* The shape of an output in that order; returns its number of dimensions. */
int gufunc_output_shape(const struct gufunc_call *gufunc, int o, int64_t *shape);

/* gufunc_parts.c */

/* Whether the call goes in parts, once its shape is known; and then all of it. */
gpucc_status gufunc_needs_partition(const struct gufunc_call *gufunc, bool *wanted);
gpucc_status gufunc_run_parts(const struct gufunc_call *gufunc, const gpucc_call_options *options);

/* gufunc_run.c */

/* The function at every outer index, of operands that `used` has on the loop's device, of any types and strides. */
gpucc_status gufunc_run(const struct gufunc_call *gufunc, operand_set made);

#endif
