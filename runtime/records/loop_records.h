/* The records that loops over strided operands receive, on a GPU and on the CPU. */
#ifndef GPUCC_RUNTIME_LOOP_RECORDS_H
#define GPUCC_RUNTIME_LOOP_RECORDS_H

#include "records/ufunc_call.h"

_Static_assert(sizeof(struct gpucc_iteration) + CALL_OPERANDS * sizeof(struct gpucc_operand) <= GPUCC_PARAMETER_BYTES,
               "what loops are told of a call fits in a kernel's parameters");
_Static_assert(sizeof(struct gpucc_gather) + (GPUCC_FUSED_INPUTS + 1) * sizeof(struct gpucc_gathered) <=
                   GPUCC_PARAMETER_BYTES,
               "and so does what fused reductions are told");

/* The records that S_rows and S_strided take. */
struct loop_records {
    struct gpucc_iteration iteration;
    struct gpucc_operand operands[GPUCC_LOOP_OPERANDS + 1]; /* and a mask */
    void *parameters[GPUCC_LOOP_OPERANDS + 2];
};

/* The records of a nest, whose dimensions become the last of `ndim`; `types` (or null) are each operand's
 * GPUCC_OPERAND_RECORD(). */
void loop_records_fill(struct loop_records *records, const struct nest *nest, int ndim, const uint64_t *types);
/* One more operand: a boolean array, or null, where nothing is masked, which is a value. */
void nest_add_mask(struct nest *nest, const gpucc_array *where);

#endif
