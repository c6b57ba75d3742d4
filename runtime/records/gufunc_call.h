/* A gufunc's call, as what runs its loop receives it. */
#ifndef GPUCC_RUNTIME_GUFUNC_CALL_H
#define GPUCC_RUNTIME_GUFUNC_CALL_H

#include "programs/layout.h"
#include "records/loop_records.h"

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

/* gufunc_call.c */

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

/* The records that S_outer takes. */
struct outer_records {
    struct loop_records loop;
    struct gpucc_core core;
    struct gpucc_together together; /* for S_together */
    void *parameters[GPUCC_LOOP_OPERANDS + 3];
};

/* For a nest of at most GPUCC_LOOP_DIMS dimensions. */
void outer_records_fill(struct outer_records *records, const struct gufunc_call *gufunc, const struct nest *part);
/* For a block that runs a call. */
unsigned gufunc_block_threads(const struct gufunc_call *gufunc);

#endif
