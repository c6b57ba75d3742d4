/* A call on its way, as what runs its loop receives it. */
#ifndef GPUCC_RUNTIME_UFUNC_CALL_H
#define GPUCC_RUNTIME_UFUNC_CALL_H

#include "arrays/arrays.h"
#include "nests/nest.h"
#include "programs/programs.h"
#include <gpucc/loops.h>

/* One call on its way.  Operands are inputs, then outputs; behind them in the arrays stands the mask. */
struct call {
    gpucc_ufunc *ufunc;
    const struct loop *loop;
    gpucc_context *context;
    gpucc_stream *stream;
    gpucc_casting casting; /* as the caller says it, and so the next three */
    const gpucc_dtype *makes, *signature;
    gpucc_order order;
    bool is_masked;
    bool in_parts; /* it goes in parts, and what it makes lies in the host's memory, … */
    bool is_split; /* … or, as these parts are what each device has of an array, in the devices' */
    int operands;
    int ndim; /* of the shape that the inputs broadcast to */
    int64_t shape[GPUCC_MAX_DIMS];
    operand_set values;  /* operand i is one value, in the loop's type in value[i] */
    operand_set shifted; /* input i lies in an output's memory, some way off: the CPU reads a block, then writes */
    bool forwards, backwards; /* in which order of the blocks that is right; neither: any */
    const gpucc_array *given[CALL_OPERANDS]; /* as the caller sees them */
    const gpucc_array *used[CALL_OPERANDS];  /* as the loop sees them: on its device */
    uint64_t value[GPUCC_LOOP_OPERANDS][2];
    int temporary_count;
    gpucc_array *temporaries[3 * CALL_OPERANDS]; /* of an input: its bytes, a view of them, and one packed */
};

/* ufunc_call.c */

/* Makes input i, which is one value, of the loop's dtype; also of a weak scalar. */
gpucc_status call_set_value(struct call *call, int i);
/* Fails where it is a whole number without a type of its own that this integer type does not hold. */
gpucc_status call_check_number(const gpucc_ufunc *ufunc, const gpucc_array *array, const char *role, int index,
                               gpucc_dtype type);
/* A host array that a GPU's loop cannot reach. */
static inline bool call_is_away(const struct call *call, const gpucc_array *array)
{
    return call->context->kind == GPUCC_DEVICE_CUDA && array->where == GPUCC_MEMORY_HOST;
}

#endif
