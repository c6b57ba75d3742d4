/* Parameters of the loops that the compiler generates around a scalar function: shared, to the byte, by the
 * loop templates (stdlib/loops/), which read them on the device, and by the runtime, which fills them in.
 *
 * For a ufunc loop S (such as add_f32f32_f32) there are these PTX entries:
 *   S(const T0 *in0, …, U0 *out0, …, uint64_t n)
 *       contiguous: every operand is n adjacent elements.
 *   S_rows(struct gpucc_iteration it, struct gpucc_operand in0, …, struct gpucc_operand out0, …)
 *       two dimensions; the inner stride of each operand is its element size or 0 (a row that repeats, or a
 *       scalar), the outer stride is anything.  Grid: x over the columns, y over the rows, both of any size.
 *   S_strided(the same parameters)
 *       up to GPUCC_LOOP_DIMS dimensions with any strides, fewer than 2^32 elements.  Grid: x over the innermost
 *       dimension, y over all others together, both of any size.
 */
#ifndef GPUCC_LOOPS_H
#define GPUCC_LOOPS_H

#include <stdint.h>

enum {
    GPUCC_LOOP_DIMS = 4,      /* after adjacent dimensions have been merged; more are split by the runtime */
    GPUCC_LOOP_OPERANDS = 24, /* inputs and outputs of one ufunc: their records must fit in 4 KiB */
};

/* The index space; dimension 0 is outermost, the last one varies fastest.  S_strided always goes through all
 * GPUCC_LOOP_DIMS dimensions: fewer stand at the back, and the others are 1. */
struct gpucc_iteration {
    uint64_t count;                  /* product of shape[0..ndim) */
    uint32_t ndim;                   /* 1 … GPUCC_LOOP_DIMS; 2 for S_rows */
    uint32_t reserved;               /* 0 */
    uint64_t shape[GPUCC_LOOP_DIMS]; /* unused ones are 1 */
};

/* One operand: memory with strides in bytes (0 where it is broadcast), or, where `data` is null, one value held
 * right here, in its own C representation, so that a scalar never needs an array. */
struct gpucc_operand {
    char *data;
    uint64_t reserved; /* 0; to the runtime's own kernel the element's gpucc_dtype */
    uint64_t value[2];
    int64_t strides[GPUCC_LOOP_DIMS]; /* unused ones are 0 */
};

#endif
