/* Cooperative groups: scans of the values of a tile's, or of coalesced threads, in the order of their ranks. */
#ifndef GPUCC_GROUP_SCANS_H
#define GPUCC_GROUP_SCANS_H

#include <cooperative_groups.h>

/* An exclusive scan begins with 0, whatever the operation. */
#define GPUCC_DEFINE_SCAN(group_t, type, operation, combined)                                                          \
    GPUCC_GROUP type inclusive_scan(group_t group, type x, struct gpucc_##operation how)                               \
    {                                                                                                                  \
        const unsigned rank = thread_rank(group);                                                                      \
        (void)how;                                                                                                     \
        for (unsigned n = 1; n < size(group); n *= 2) {                                                                \
            const type y = shfl_up(group, x, n);                                                                       \
            x = rank >= n ? combined : x;                                                                              \
        }                                                                                                              \
        return x;                                                                                                      \
    }                                                                                                                  \
    GPUCC_GROUP type exclusive_scan(group_t group, type x, struct gpucc_##operation how)                               \
    {                                                                                                                  \
        const type before = shfl_up(group, inclusive_scan(group, x, how), 1);                                          \
        return thread_rank(group) ? before : 0;                                                                        \
    }
#define GPUCC_DEFINE_SCANS(group_t, type)                                                                              \
    GPUCC_DEFINE_SCAN(group_t, type, plus, y + x)                                                                      \
    GPUCC_DEFINE_SCAN(group_t, type, less, y < x ? y : x)                                                              \
    GPUCC_DEFINE_SCAN(group_t, type, greater, x < y ? y : x)                                                           \
    GPUCC_GROUP type inclusive_scan(group_t group, type x)                                                             \
    {                                                                                                                  \
        return inclusive_scan(group, x, (struct gpucc_plus){0});                                                       \
    }                                                                                                                  \
    GPUCC_GROUP type exclusive_scan(group_t group, type x)                                                             \
    {                                                                                                                  \
        return exclusive_scan(group, x, (struct gpucc_plus){0});                                                       \
    }
#define GPUCC_DEFINE_SCANS_OF(type)                                                                                    \
    GPUCC_DEFINE_SCANS(gpucc_tile, type)                                                                               \
    GPUCC_DEFINE_SCANS(coalesced_group, type)
#define GPUCC_DEFINE_INTEGER_SCANS(group_t, type)                                                                      \
    GPUCC_DEFINE_SCAN(group_t, type, bit_and, x &y)                                                                    \
    GPUCC_DEFINE_SCAN(group_t, type, bit_or, x | y)                                                                    \
    GPUCC_DEFINE_SCAN(group_t, type, bit_xor, x ^ y)
#define GPUCC_DEFINE_INTEGER_SCANS_OF(type)                                                                            \
    GPUCC_DEFINE_SCANS_OF(type)                                                                                        \
    GPUCC_DEFINE_INTEGER_SCANS(gpucc_tile, type)                                                                       \
    GPUCC_DEFINE_INTEGER_SCANS(coalesced_group, type)
GPUCC_DEFINE_INTEGER_SCANS_OF(int)
GPUCC_DEFINE_INTEGER_SCANS_OF(unsigned)
GPUCC_DEFINE_INTEGER_SCANS_OF(long)
GPUCC_DEFINE_INTEGER_SCANS_OF(unsigned long)
GPUCC_DEFINE_INTEGER_SCANS_OF(long long)
GPUCC_DEFINE_INTEGER_SCANS_OF(unsigned long long)
GPUCC_DEFINE_SCANS_OF(float)
GPUCC_DEFINE_SCANS_OF(double)

#endif
