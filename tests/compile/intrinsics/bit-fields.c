// Type-generic functions accept bit-fields.
// RUN: %gpucc %s --arch=sm_90 -o %t.ptx -o %t.o
// RUN: %gpucc run %s fields arange:4:uint32 --device=cpu | FileCheck %s
// CHECK: first {{ *}}133 158 185 214
#include <gpucc.h>
#include <gpucc/arithmetic.h>
#include <gpucc/cuda.h>
#include <stdatomic.h>
#include <tgmath.h>

struct fields {
    unsigned narrow : 5;
    int negative : 7;
    unsigned long long wide : 40;
};

vectorize(uint32(uint32))
unsigned fields(unsigned x)
{
    struct fields s = {x + 9, -(int)x, 1ull << 39};
    unsigned sum = (unsigned)(min(s.narrow, s.wide) + max(s.negative, s.narrow) + abs(s.negative));
    sum += (unsigned)(popc(s.wide) + mulhi(s.narrow, 1u << 31) + sad(s.narrow, 1u, s.narrow));
    sum += (unsigned)(sqrt(s.narrow) + pow(s.narrow, 2) + floor_divide(s.negative, 2) + saturate_cast(int8, s.narrow));
    return sum;
}

kernel void atomically(unsigned *p, atomic_int *q, struct fields s)
{
    atomic_add(p, s.narrow);
    atomic_store(q, s.negative);
    p[1] = shfl_sync(~0u, s.narrow, s.narrow) + reduce_add_sync(~0u, s.narrow) + match_any_sync(~0u, s.wide);
}
