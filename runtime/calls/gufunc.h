/* A gufunc's call on its way: what its files share. */
#ifndef GPUCC_RUNTIME_GUFUNC_H
#define GPUCC_RUNTIME_GUFUNC_H

#include "calls/calls.h"
#include "cuda/cuda_loops.h"

/* An operand's dimensions are outer ones, which broadcast, and those that belong to the function. */
struct core_shape {
    int rank;                                  /* core dimensions; those that are missing do not count */
    unsigned char dimensions[GPUCC_CORE_RANK]; /* indices into those of the layout */
    int behind; /* dimensions that are no outer ones: `rank`, or those of one element that keepdims gives an output */
    int axes[GPUCC_CORE_RANK]; /* where they stand in the operand; negative: from its end */
};

struct gufunc_call {
    struct call *call; /* its shape is that of the outer dimensions */
    const struct gufunc_layout *layout;
    int64_t extents[GPUCC_CORE_DIMS]; /* of core dimensions; those that are missing have 1 */
    bool is_known[GPUCC_CORE_DIMS], is_missing[GPUCC_CORE_DIMS];
    struct core_shape cores[GPUCC_LOOP_OPERANDS];
};

/* gufunc_shapes.c */

/* Finds the core dimensions' extents and the shape of the outer dimensions. */
gpucc_status gufunc_bind(struct gufunc_call *gufunc, const gpucc_call_options *options);
/* Where the operand's dimensions stand, of which it has `ndim`: the outer ones, then its own. */
void gufunc_axes(const struct core_shape *core, int ndim, int *axes);
/* Sets the nest's operand by the array's outer dimensions. */
void gufunc_nest_set(struct nest *nest, int operand, const struct core_shape *core, const gpucc_array *array);
/* The shape of an output in that order; returns its number of dimensions. */
int gufunc_output_shape(const struct gufunc_call *gufunc, int o, int64_t *shape);

/* gufunc_parts.c */

/* Whether the call goes in parts, once its shape is known; and then all of it. */
gpucc_status gufunc_wants_parts(const struct gufunc_call *gufunc, bool *wanted);
gpucc_status gufunc_run_parts(const struct gufunc_call *gufunc, const gpucc_call_options *options);

/* gufunc_run.c */

/* The function at every outer index, of operands that `used` has on the loop's device, of any types and strides. */
gpucc_status gufunc_run(const struct gufunc_call *gufunc, operand_set made);

/* The core of one operand, as it lies in memory. */
struct core {
    int rank;
    int64_t shape[GPUCC_CORE_RANK], strides[GPUCC_CORE_RANK];
    int64_t size; /* bytes of it, packed, in the loop's type */
    bool packs;   /* it goes through scratch memory */
    bool reads;   /* what is there matters before the function runs */
};

bool core_is_packed(const struct core *core, size_t size);
/* Whether it is not the same at every outer index. */
bool operand_varies(const struct nest *nest, int k);

/* What S_outer takes. */
struct outer_records {
    struct loop_records loop;
    struct gpucc_core core;
    void *parameters[GPUCC_LOOP_OPERANDS + 2];
};

/* For a nest of at most GPUCC_LOOP_DIMS dimensions. */
void outer_records_fill(struct outer_records *records, const struct gufunc_call *gufunc, const struct nest *part);
/* Of a block that does a call. */
unsigned gufunc_block_threads(const struct gufunc_call *gufunc);

/* outer_cpu.c, outer_cuda.c: over a part of the outer dimensions, of operands whose cores are packed */

gpucc_status cpu_run_outer(const struct gufunc_call *gufunc, const struct nest *row);
gpucc_status cpu_run_outer_blocks(const struct gufunc_call *gufunc, const struct nest *part);
gpucc_status cuda_run_outer(const struct gufunc_call *gufunc, const struct nest *part);
/* The same through shared memory, of cores of any strides, so many a block. */
gpucc_status cuda_run_staged_outer(const struct gufunc_call *gufunc, const struct nest *part, const struct core *cores,
                                   unsigned count);
/* Cores that a block's shared memory is to have room for; 0: they do not go through it. */
unsigned cuda_staged_cores(const struct gufunc_call *gufunc, const struct nest *outer, const struct core *cores);

#endif
