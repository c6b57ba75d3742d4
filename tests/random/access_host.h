/* Macros of random programs of accesses (accesses.py) for gcc, which has neither vectors of 3 elements nor bfloat16:
 * vectors are structs of arrays, and numbers of 16 bits their patterns. */
#ifndef GPUCC_TESTS_RANDOM_ACCESS_HOST_H
#define GPUCC_TESTS_RANDOM_ACCESS_HOST_H

#include <stddef.h>
#include <stdint.h>

typedef int8_t int8;
typedef int16_t int16;
typedef int32_t int32;
typedef int64_t int64;
typedef uint8_t uint8;
typedef uint16_t uint16, float16, bfloat16;
typedef uint32_t uint32;
typedef uint64_t uint64;
typedef _Bool boolean;

#define VECTOR(name, element, lanes, size)                                                                             \
    typedef struct {                                                                                                   \
        element e[lanes];                                                                                              \
    } __attribute__((aligned(size))) name
#define LANE(vector, index) (vector).e[index]
#define CONSTANT static const
#define SHARED static
#define ALIGN_DOWN(pointer, by) ((pointer) - (uint64)(pointer) % (by))
#define ALIGN_UP(pointer, by) ALIGN_DOWN((pointer) + (by)-1, by)

#define PATTERN(x, one, two, three, four, five, six, seven)                                                            \
    ((uint16)(((x) & 7) == 0   ? 0                                                                                     \
              : ((x) & 7) == 1 ? one                                                                                   \
              : ((x) & 7) == 2 ? two                                                                                   \
              : ((x) & 7) == 3 ? three                                                                                 \
              : ((x) & 7) == 4 ? four                                                                                  \
              : ((x) & 7) == 5 ? five                                                                                  \
              : ((x) & 7) == 6 ? six                                                                                   \
                               : seven))
#define FROM_float16(x) PATTERN(x, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700)
#define FROM_bfloat16(x) PATTERN(x, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0, 0x40c0, 0x40e0)

#define COPY_WHOLE(size, element, align, to, from)                                                                     \
    {                                                                                                                  \
        uint8 c[size];                                                                                                 \
        __builtin_memcpy(c, from, size);                                                                               \
        __builtin_memcpy(to, c, size);                                                                                 \
    }

#include "access_values.h"
#endif
