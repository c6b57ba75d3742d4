/* The hash of a function of one float32 over a block of samples, as this folder and the GPU suite compute it: the sum
 * of mix64(bits of the argument, canonical bits of the result) modulo 2^64, which is the same in any order.
 *
 * Sample i is the float32 whose bits are i * 2654435761 modulo 2^32: each block of 2^24 samples meets numbers of all
 * sizes, and the 256 blocks are all numbers.  goldens.def has the low 32 bits of each block's hash. */
#ifndef GPUCC_TESTS_ACCURACY_HASH_H
#define GPUCC_TESTS_ACCURACY_HASH_H

#include "samples.h"

#include <string.h>

enum {
    BLOCK_BITS = 24, /* samples of a block */
    BLOCK_COUNT = 256,
};

/* The bits of sample `i`; an odd factor, so that 2^32 samples are all floats. */
static inline uint32_t sample_bits(uint64_t i)
{
    return (uint32_t)i * 2654435761u;
}

/* What a sample, given by its index or bits, and its result add to the hash. */
static inline uint64_t hash_of_result(uint64_t index, uint64_t result)
{
    return mix64(index << 32 ^ index >> 32 ^ mix64(result));
}

/* ---- the committed hashes ---- */

struct golden {
    const char *name;
    uint32_t blocks[BLOCK_COUNT]; /* of blocks 0 to count - 1 */
    int count;
};

static const struct golden goldens[] = {
#define GOLDEN(function, ...) {#function, {__VA_ARGS__}, sizeof (uint32_t[]){__VA_ARGS__} / sizeof(uint32_t)},
#include "goldens.def"
#undef GOLDEN
    {.name = NULL},
};

/* The hashes of a function, or NULL where none are committed. */
static inline const struct golden *find_golden(const char *function)
{
    for (const struct golden *g = goldens; g->name; g++)
        if (strcmp(g->name, function) == 0)
            return g;
    return NULL;
}

#endif
