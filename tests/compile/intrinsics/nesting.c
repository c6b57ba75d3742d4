// Calls nested fourteen deep cost no more than fourteen calls; with each argument written twice this would not end.
// RUN: timeout 60 %gpucc %s --arch=sm_90 -o %t.ptx -o %t.o -o %t.json
// RUN: timeout 60 %gpucc %s --arch=sm_60 -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// CHECK-DAG: .entry deep_integers_u32u32_u32(
// CHECK-DAG: .entry deep_numbers_f32f32_f32(
// CHECK-DAG: .entry deep_atomics(
// CHECK-DAG: .entry deep_warp(
#include <gpucc.h>
#include <gpucc/arithmetic.h>
#include <gpucc/cuda_half.h>
#include <gpucc/random.h>

#define DEEP(f, x) f(f(f(f(f(f(f(f(f(f(f(f(f(f(x))))))))))))))

#define MIN(x) min(x, y)
#define MAX(x) max(y, x)
#define ABS(x) abs((int)x)
#define MULHI_X(x) mulhi(x, y)
#define MULHI_Y(x) mulhi(y, x)
#define MUL24(x) mul24(x, y)
#define DP4A(x) dp4a(y, x, y)
#define SAD(x) sad(y, y, x)
#define PERM(x) byte_perm(y, x, y)
#define FUNNEL(x) funnelshift_lc(x, y, y)
#define DIVIDE(x) floor_divide(x, y | 1)
#define MODULO(x) modulo(y, x)
#define GCD(x) gcd(x, y)
#define POWER(x) integer_power(x, y)
#define SHIFT(x) left_shift(x, y)
#define CAST(x) saturate_cast(uint32_t, x)

vectorize(uint32(uint32, uint32))
unsigned deep_integers(unsigned x, unsigned y)
{
    unsigned sum = DEEP(MIN, x) + DEEP(MAX, x) + (unsigned)DEEP(ABS, x) + (unsigned)DEEP(popc, x);
    sum += (unsigned)DEEP(clz, x) + (unsigned)DEEP(ffs, x) + DEEP(brev, x) + DEEP(MULHI_X, x) + DEEP(MULHI_Y, x);
    sum += DEEP(MUL24, x) + DEEP(DP4A, x) + DEEP(SAD, x) + DEEP(PERM, x) + DEEP(FUNNEL, x) + DEEP(DIVIDE, x);
    sum += DEEP(MODULO, x) + DEEP(GCD, x) + DEEP(POWER, x) + DEEP(SHIFT, x) + DEEP(CAST, x);
    return sum;
}

#define MINUS(x) max(y - x, y)
#define HALF_ADD(x) __hadd(x, h)
#define HALF_FMA(x) __hfma(h, x, h)
#define HALF_MIN(x) __hmin(x, h)
#define PAIR(x) fma2(x, x2, x2)

vectorize(float32(float32, float32))
float deep_numbers(float x, float y)
{
    _Float16 h = (_Float16)x;
    float16x2 x2 = make_float16x2(h, h);
    float sum = DEEP(MINUS, x) + DEEP(rcp, x) + DEEP(saturate, x) + DEEP(MODULO, x) + DEEP(abs, x);
    sum += (float)DEEP(HALF_ADD, h) + (float)DEEP(HALF_FMA, h) + (float)DEEP(HALF_MIN, h) + (float)DEEP(hexp, h);
    sum += (float)DEEP(PAIR, x2).x + (float)DEEP(__hisnan, h);
    return sum;
}

#define ADD(x) atomic_add(&counts[x], 1)
#define ADD_VALUE(x) atomic_add(counts, x)
#define SUB(x) atomic_sub(&counts[x], 1)
#define LEAST(x) atomic_min_block(&counts[x], 1)
#define EXCHANGE(x) atomic_exch_system(&counts[x], 1)
#define INC(x) atomic_inc(&counts[x], 9)
#define CAS(x) atomic_cas(counts, x, 1)

kernel void deep_atomics(unsigned *counts, unsigned x)
{
    counts[1] = DEEP(ADD, x) + DEEP(ADD_VALUE, x) + DEEP(SUB, x) + DEEP(LEAST, x) + DEEP(EXCHANGE, x) + DEEP(INC, x) +
                DEEP(CAS, x);
}

#define SHUFFLE(x) shfl_sync(~0u, x, 1)
#define SHUFFLE_FROM(x) shfl_sync(~0u, lane, x)
#define REDUCE(x) reduce_add_sync(~0u, x)
#define MATCH(x) match_any_sync(~0u, x)

kernel void deep_warp(unsigned *counts, xoroshiro128p *states)
{
    unsigned x = counts[laneid], lane = laneid;
    counts[laneid] = DEEP(SHUFFLE, x) + DEEP(SHUFFLE_FROM, x) + DEEP(REDUCE, x) + DEEP(MATCH, x);
    counts[0] += random_u32(&states[random_u32(&states[random_u32(states)])]);
}
