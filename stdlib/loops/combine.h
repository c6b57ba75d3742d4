/* Shared by reductions on the GPU: a ufunc applied to two elements, and values of other lanes of a warp.  loops.c
 * defines, besides what operand.h lists:
 *   GPUCC_TYPE  the elements' C type
 */
static inline __attribute__((always_inline)) GPUCC_TYPE GPUCC_SYMBOL(_combine)(GPUCC_TYPE v0, GPUCC_TYPE v1)
{
    unsigned slow = 0;
    GPUCC_CALL_QUICK
    if (__builtin_expect(slow, 0)) {
        GPUCC_CALL_CAREFUL
        return r0;
    }
    return r0;
}

#ifndef GPUCC_LOOPS_COMBINE_H
#define GPUCC_LOOPS_COMBINE_H

#include <loops/indices.h>
#include <loops/lanes.h>

enum {
    GPUCC_STACK = 21, /* GPUCC_REDUCE_MOST has 21 bits */
    GPUCC_ROW_COUNT = 8
};

/* Elements that come one after another into the last of some registers, without an address among these. */
#define GPUCC_SHIFT(x, count)                                                                                          \
    _Pragma("unroll") for (unsigned to_ = 0; to_ + 1 < (count); to_++) x[to_] = x[to_ + 1];

#endif

/* The value of the lane whose number differs in this bit. */
static inline __attribute__((always_inline)) GPUCC_TYPE GPUCC_SYMBOL(_of_lane)(GPUCC_TYPE value, unsigned lane,
                                                                               unsigned bit)
{
    (void)lane;
    GPUCC_TAKE_WORDS(value, GPUCC_EXCHANGE_WORD, bit);
    return value;
}

/* The value of the lane of this number. */
static inline __attribute__((always_inline)) GPUCC_TYPE GPUCC_SYMBOL(_from_lane)(GPUCC_TYPE value, unsigned from)
{
    GPUCC_TAKE_WORDS(value, GPUCC_FETCH_WORD, from);
    return value;
}
