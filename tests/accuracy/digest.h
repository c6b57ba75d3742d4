/* A digest of several results, for digests.def: all NaNs count as one.
 *   uint64_t digest = 0; ADD(floorf(x)) ADD(lrintf(x)) */
#ifndef GPUCC_TESTS_ACCURACY_DIGEST_H
#define GPUCC_TESTS_ACCURACY_DIGEST_H

#include "samples.h"

#define ADD(value)                                                                                                     \
    digest = mix64(digest ^ _Generic((value), float: canonical_float, double: canonical_double,                        \
                                     default: digest_integer)(value));

static inline uint64_t digest_integer(int64_t x)
{
    return (uint64_t)x;
}

#endif
