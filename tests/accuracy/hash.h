/* Hashes of a function's results, as this folder and the GPU suite compute them: the sum of mix64(number of the sample,
 * canonical bits of the result) modulo 2^64, which is the same in any order.
 *
 * Sample i of a function of one float32 is the one whose bits are i * 2654435761 modulo 2^32, which are also its
 * number: each block of 2^24 samples meets numbers of all sizes, and the 256 blocks are all numbers.  The arguments of
 * other functions are those of arguments.h. */
#ifndef GPUCC_TESTS_ACCURACY_HASH_H
#define GPUCC_TESTS_ACCURACY_HASH_H

#include "samples.h"

enum {
    BLOCK_BITS = 24, /* samples of a block */
    BLOCK_COUNT = 256,
};

/* The bits of sample `i`; an odd factor, so that 2^32 samples are all floats. */
static inline uint32_t sample_bits(uint64_t i)
{
    return (uint32_t)i * 2654435761u;
}

/* Returns the contribution of a sample, given by its index or bits, and of its result to the hash. */
static inline uint64_t hash_of_result(uint64_t index, uint64_t result)
{
    return mix64(index << 32 ^ index >> 32 ^ mix64(result));
}

#endif
