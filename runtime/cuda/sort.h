/* Shared by the runtime's kernels for indexed cells (stdlib/runtime/sort.c) and their host: how a sort goes by
 * tiles, a block for each, and by digits of words, the lowest first. */
#ifndef GPUCC_RUNTIME_SORT_H
#define GPUCC_RUNTIME_SORT_H

#include <gpucc/loops.h>

enum {
    SORT_DIGIT_BITS = 8,
    SORT_DIGITS = 1 << SORT_DIGIT_BITS,
    SORT_THREADS = SORT_DIGITS, /* of a block, which has one for each digit too */
    SORT_TILE = 16 * SORT_THREADS
};

/* Words from one place to another by one digit.  A word is a cell, shifted by GPUCC_NUMBER_BITS, and a number. */
struct gpucc_sorting {
    struct gpucc_indices indices;
    uint64_t first;         /* of the indices: number 0 */
    uint64_t *from, *to;
    uint32_t *counts;       /* words of digit d in tile t: [d * tiles + t]; then before it in all tiles of this digit */
    uint32_t *totals;       /* words of each digit */
    uint32_t count, tiles;
    uint32_t shift, bits;   /* the digit's place in the word, and its bits */
    uint32_t makes_words, reserved; /* of the indices, which are counted first: there are none yet at `from` */
};

/* Bytes from operand to operand along the indices' dimensions. */
struct gpucc_places {
    int64_t strides[GPUCC_LOOP_DIMS];
};

#endif
