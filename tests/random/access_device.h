/* Macros of random programs of accesses (accesses.py) for gpucc; access_host.h defines them for gcc. */
#ifndef GPUCC_TESTS_RANDOM_ACCESS_DEVICE_H
#define GPUCC_TESTS_RANDOM_ACCESS_DEVICE_H

#define VECTOR(name, element, lanes, size) typedef element name __attribute__((ext_vector_type(lanes)))
#define LANE(vector, index) (vector)[index]
#define CONSTANT constant
#define SHARED shared
#define ALIGN_DOWN(pointer, by) __builtin_align_down(pointer, by)
#define ALIGN_UP(pointer, by) __builtin_align_up(pointer, by)

#define FROM_float16(x) ((float16)((x) & 7))
#define FROM_bfloat16(x) ((bfloat16)((x) & 7))

/* A copy of bytes by one value, loaded before it is stored. */
#define COPY_WHOLE(size, element, align, to, from)                                                                     \
    {                                                                                                                  \
        typedef element whole __attribute__((vector_size(size), aligned(align), may_alias));                           \
        const whole c = *(const whole *)(from);                                                                        \
        *(whole *)(to) = c;                                                                                            \
    }

#include "access_values.h"
#endif
