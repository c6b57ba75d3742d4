/* A call as the devices' loops receive it. */
#ifndef GPUCC_RUNTIME_UFUNC_CALL_H
#define GPUCC_RUNTIME_UFUNC_CALL_H

#include "arrays/arrays.h"
#include "nests/nest.h"
#include "programs/programs.h"
#include <gpucc/loops.h>

/* One call.  Operands are inputs, then outputs; the arrays have the mask after them. */
struct call {
    gpucc_ufunc *ufunc;
    const struct loop *loop;
    gpucc_context *context;
    gpucc_stream *stream;
    gpucc_casting casting; /* the caller's options, with the next three */
    const gpucc_dtype *makes, *signature;
    gpucc_order order;
    bool is_masked;
    bool in_parts; /* it is partitioned, with created outputs in host memory … */
    bool is_split; /* … or in the devices', because the partitions are the devices' parts of a split array */
    int operands;
    int ndim; /* of the shape that the inputs broadcast to */
    int64_t shape[GPUCC_MAX_DIMS];
    operand_set values;  /* operand i is one value: value[i], in the loop's type */
    operand_set shifted; /* input i overlaps an output at an offset: the CPU reads a block before it writes */
    bool forwards, backwards; /* the order of blocks for which that is right; neither: any */
    const gpucc_array *given[CALL_OPERANDS]; /* the caller's arrays */
    const gpucc_array *used[CALL_OPERANDS];  /* the loop's arrays: on its device */
    uint64_t value[GPUCC_LOOP_OPERANDS][2];
    int temporary_count;
    gpucc_array *temporaries[3 * CALL_OPERANDS]; /* of an input: its bytes, a view of them, and one packed */
};

/* ufunc_call.c */

/* Converts input i, one value or a weak scalar, to the loop's dtype. */
gpucc_status call_set_value(struct call *call, int i);
/* Fails if the array is a weak integer that this integer type cannot represent. */
gpucc_status call_check_number(const gpucc_ufunc *ufunc, const gpucc_array *array, const char *role, int index,
                               gpucc_dtype type);
/* A host array that a GPU's loop cannot reach. */
static inline bool call_is_away(const struct call *call, const gpucc_array *array)
{
    return call->context->kind == GPUCC_DEVICE_CUDA && array->where == GPUCC_MEMORY_HOST;
}

#endif
