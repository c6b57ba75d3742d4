/* CUDA's names for float16 and bfloat16, what its cuda_fp16.h and cuda_bf16.h declare; both include this. */
#ifndef GPUCC_CUDA_HALF_H
#define GPUCC_CUDA_HALF_H

#include <gpucc/cuda.h>
#include <gpucc/pair.h>

typedef _Float16 __half;
typedef _Float16 half;
typedef gpucc_float16x2 __half2;
typedef gpucc_float16x2 half2;
typedef __bf16 __nv_bfloat16;
typedef __bf16 nv_bfloat16;
typedef gpucc_bfloat16x2 __nv_bfloat162;
typedef gpucc_bfloat16x2 nv_bfloat162;
typedef struct __half_raw {
    unsigned short x;
} __half_raw;
typedef struct __half2_raw {
    unsigned short x, y;
} __half2_raw;
typedef struct __nv_bfloat16_raw {
    unsigned short x;
} __nv_bfloat16_raw;
typedef struct __nv_bfloat162_raw {
    unsigned short x, y;
} __nv_bfloat162_raw;

/* ---- arithmetic; one name for both types ---- */

/* For integers this is their mean (<gpucc/cuda.h>). */
#define __hadd(a, b)                                                                                                   \
    GPUCC_ONCE_2(a, b, __builtin_choose_expr(__builtin_types_compatible_p(__typeof__(gpucc_x + gpucc_y), int),         \
                                             (__hadd)((int)gpucc_x, (int)gpucc_y), gpucc_x + gpucc_y))
#define __hsub(a, b) ((a) - (b))
#define __hmul(a, b) ((a) * (b))
#define __hdiv(a, b) ((a) / (b))
#define __hneg(a) (-(a))
#define __habs(a) gpucc_half_low(gpucc_abs2(gpucc_half_twice(a)))
#define __hfma(a, b, c) gpucc_half_low(gpucc_fma2(gpucc_half_twice(a), gpucc_half_twice(b), gpucc_half_twice(c)))
#define __hmin(a, b) gpucc_half_low(gpucc_min2(gpucc_half_twice(a), gpucc_half_twice(b)))
#define __hmax(a, b) gpucc_half_low(gpucc_max2(gpucc_half_twice(a), gpucc_half_twice(b)))
#define __heq(a, b) ((a) == (b))
#define __hne(a, b) ((a) != (b))
#define __hlt(a, b) ((a) < (b))
#define __hle(a, b) ((a) <= (b))
#define __hgt(a, b) ((a) > (b))
#define __hge(a, b) ((a) >= (b))
#define __hisnan(a) GPUCC_ONCE_1(a, gpucc_x != gpucc_x)
#define __hadd2(a, b) gpucc_add2(a, b)
#define __hsub2(a, b) gpucc_sub2(a, b)
#define __hmul2(a, b) gpucc_mul2(a, b)
#define __hfma2(a, b, c) gpucc_fma2(a, b, c)
#define __hmin2(a, b) gpucc_min2(a, b)
#define __hmax2(a, b) gpucc_max2(a, b)
#define __hneg2(a) gpucc_neg2(a)
#define __habs2(a) gpucc_abs2(a)
#define __heq2(a, b) gpucc_eq2(a, b)
#define __hne2(a, b) gpucc_ne2(a, b)
#define __hlt2(a, b) gpucc_lt2(a, b)
#define __hle2(a, b) gpucc_le2(a, b)
#define __hgt2(a, b) gpucc_gt2(a, b)
#define __hge2(a, b) gpucc_ge2(a, b)
/* 1 if the comparison holds for both elements. */
#define GPUCC_OF_BOTH(comparison, a, b)                                                                                \
    __extension__({                                                                                                    \
        const __auto_type gpucc_compared = comparison(a, b);                                                           \
        gpucc_compared.x != 0 && gpucc_compared.y != 0;                                                                \
    })
#define __hbeq2(a, b) GPUCC_OF_BOTH(gpucc_eq2, a, b)
#define __hbne2(a, b) GPUCC_OF_BOTH(gpucc_ne2, a, b)
#define __hblt2(a, b) GPUCC_OF_BOTH(gpucc_lt2, a, b)
#define __hble2(a, b) GPUCC_OF_BOTH(gpucc_le2, a, b)
#define __hbgt2(a, b) GPUCC_OF_BOTH(gpucc_gt2, a, b)
#define __hbge2(a, b) GPUCC_OF_BOTH(gpucc_ge2, a, b)

#define gpucc_half_low(pair) ((pair).x)
#define gpucc_half_twice(a)                                                                                            \
    GPUCC_ONCE_1(a, _Generic(gpucc_x, _Float16: __half2half2, __bf16: __bfloat162bfloat162)(gpucc_x))

/* ---- conversions ---- */

#define GPUCC_DEFINE_CUDA_PAIR(type, pair, twice, from_float, from_floats, from_float2, to_float2)                     \
    GPUCC_INLINE pair twice(type x)                                                                                    \
    {                                                                                                                  \
        return (pair){{x, x}};                                                                                         \
    }                                                                                                                  \
    GPUCC_INLINE pair from_float(float x)                                                                              \
    {                                                                                                                  \
        return (pair){{(type)x, (type)x}};                                                                             \
    }                                                                                                                  \
    GPUCC_INLINE pair from_floats(float x, float y)                                                                    \
    {                                                                                                                  \
        return (pair){{(type)x, (type)y}};                                                                             \
    }                                                                                                                  \
    GPUCC_INLINE pair from_float2(float2 x)                                                                            \
    {                                                                                                                  \
        return (pair){{(type)x.x, (type)x.y}};                                                                         \
    }                                                                                                                  \
    GPUCC_INLINE float2 to_float2(pair x)                                                                              \
    {                                                                                                                  \
        return make_float2((float)x.x, (float)x.y);                                                                    \
    }
GPUCC_DEFINE_CUDA_PAIR(_Float16, gpucc_float16x2, __half2half2, __float2half2_rn, __floats2half2_rn, __float22half2_rn,
                       __half22float2)
GPUCC_DEFINE_CUDA_PAIR(__bf16, gpucc_bfloat16x2, __bfloat162bfloat162, __float2bfloat162_rn, __floats2bfloat162_rn,
                       __float22bfloat162_rn, __bfloat1622float2)

#define __float2half(x) gpucc_float16_rn(x)
#define __float2half_rn(x) gpucc_float16_rn(x)
#define __float2half_rz(x) gpucc_float16_rz(x)
#define __float2half_rd(x) gpucc_float16_rd(x)
#define __float2half_ru(x) gpucc_float16_ru(x)
#define __float2bfloat16(x) gpucc_bfloat16_rn(x)
#define __float2bfloat16_rn(x) gpucc_bfloat16_rn(x)
#define __float2bfloat16_rz(x) gpucc_bfloat16_rz(x)
#define __float2bfloat16_rd(x) gpucc_bfloat16_rd(x)
#define __float2bfloat16_ru(x) gpucc_bfloat16_ru(x)
#define __double2half(x) ((_Float16)(double)(x))
#define __double2bfloat16(x) ((__bf16)(double)(x))
#define __int2half_rn(x) ((_Float16)(int)(x))
#define __uint2half_rn(x) ((_Float16)(unsigned)(x))
#define __short2half_rn(x) ((_Float16)(short)(x))
#define __ushort2half_rn(x) ((_Float16)(unsigned short)(x))
#define __ll2half_rn(x) ((_Float16)(long long)(x))
#define __ull2half_rn(x) ((_Float16)(unsigned long long)(x))
#define __half2int_rn(x) ((int)rintf((float)(x)))
#define __half2int_rz(x) ((int)(float)(x))
#define __half2int_rd(x) ((int)floorf((float)(x)))
#define __half2int_ru(x) ((int)ceilf((float)(x)))

/* ---- functions: float's, rounded ---- */

GPUCC_INLINE float gpucc_inverse(float x)
{
    return 1 / x;
}
#define GPUCC_HALF_OF(function, a) GPUCC_ONCE_1(a, (__typeof__(gpucc_x))function((float)gpucc_x))
#define GPUCC_HALVES_OF(function, a)                                                                                   \
    __extension__({                                                                                                    \
        __auto_type gpucc_half_pair = (a);                                                                             \
        gpucc_half_pair.x = GPUCC_HALF_OF(function, gpucc_half_pair.x);                                                \
        gpucc_half_pair.y = GPUCC_HALF_OF(function, gpucc_half_pair.y);                                                \
        gpucc_half_pair;                                                                                               \
    })
#define hexp(a) GPUCC_HALF_OF(expf, a)
#define hexp2(a) GPUCC_HALF_OF(exp2f, a)
#define hexp10(a) GPUCC_HALF_OF(exp10f, a)
#define hlog(a) GPUCC_HALF_OF(logf, a)
#define hlog2(a) GPUCC_HALF_OF(log2f, a)
#define hlog10(a) GPUCC_HALF_OF(log10f, a)
#define hsin(a) GPUCC_HALF_OF(sinf, a)
#define hcos(a) GPUCC_HALF_OF(cosf, a)
#define hsqrt(a) GPUCC_HALF_OF(sqrtf, a)
#define hrsqrt(a) GPUCC_HALF_OF(rsqrtf, a)
#define hfloor(a) GPUCC_HALF_OF(floorf, a)
#define hceil(a) GPUCC_HALF_OF(ceilf, a)
#define htrunc(a) GPUCC_HALF_OF(truncf, a)
#define hrint(a) GPUCC_HALF_OF(rintf, a)
#define hrcp(a) GPUCC_HALF_OF(gpucc_inverse, a)
#define h2exp(a) GPUCC_HALVES_OF(expf, a)
#define h2exp2(a) GPUCC_HALVES_OF(exp2f, a)
#define h2exp10(a) GPUCC_HALVES_OF(exp10f, a)
#define h2log(a) GPUCC_HALVES_OF(logf, a)
#define h2log2(a) GPUCC_HALVES_OF(log2f, a)
#define h2log10(a) GPUCC_HALVES_OF(log10f, a)
#define h2sin(a) GPUCC_HALVES_OF(sinf, a)
#define h2cos(a) GPUCC_HALVES_OF(cosf, a)
#define h2sqrt(a) GPUCC_HALVES_OF(sqrtf, a)
#define h2rsqrt(a) GPUCC_HALVES_OF(rsqrtf, a)
#define h2floor(a) GPUCC_HALVES_OF(floorf, a)
#define h2ceil(a) GPUCC_HALVES_OF(ceilf, a)
#define h2trunc(a) GPUCC_HALVES_OF(truncf, a)
#define h2rint(a) GPUCC_HALVES_OF(rintf, a)
#define h2rcp(a) GPUCC_HALVES_OF(gpucc_inverse, a)

/* ---- parts ---- */

#define make_half2(x, y) gpucc_make_float16x2(x, y)
#define make_bfloat162(x, y) gpucc_make_bfloat16x2(x, y)
#define __halves2half2(x, y) gpucc_make_float16x2(x, y)
#define __halves2bfloat162(x, y) gpucc_make_bfloat16x2(x, y)
#define __low2half(a) ((a).x)
#define __high2half(a) ((a).y)
#define __low2float(a) ((float)(a).x)
#define __high2float(a) ((float)(a).y)
#define __low2bfloat16(a) ((a).x)
#define __high2bfloat16(a) ((a).y)
#define __low2half2(a) __half2half2((a).x)
#define __high2half2(a) __half2half2((a).y)
#define __lows2half2(a, b) gpucc_make_float16x2((a).x, (b).x)
#define __highs2half2(a, b) gpucc_make_float16x2((a).y, (b).y)
#define __lowhigh2highlow(a) GPUCC_ONCE(a, gpucc_make_float16x2(gpucc_x.y, gpucc_x.x))

#define GPUCC_DEFINE_HALF_BITS(name, from, to)                                                                         \
    GPUCC_INLINE to name(from x)                                                                                       \
    {                                                                                                                  \
        to y;                                                                                                          \
        __builtin_memcpy(&y, &x, sizeof y);                                                                            \
        return y;                                                                                                      \
    }
GPUCC_DEFINE_HALF_BITS(__half_as_ushort, _Float16, unsigned short)
GPUCC_DEFINE_HALF_BITS(__ushort_as_half, unsigned short, _Float16)
GPUCC_DEFINE_HALF_BITS(__half_as_short, _Float16, short)
GPUCC_DEFINE_HALF_BITS(__short_as_half, short, _Float16)
GPUCC_DEFINE_HALF_BITS(__bfloat16_as_ushort, __bf16, unsigned short)
GPUCC_DEFINE_HALF_BITS(__ushort_as_bfloat16, unsigned short, __bf16)

/* Conversions from numbers and from the types of cuda_fp8.h. */
#define GPUCC_DEFINE_HALF_VALUE(name, type, raw, of_bits)                                                              \
    GPUCC_INLINE __attribute__((overloadable)) float name(type x)                                                      \
    {                                                                                                                  \
        return (float)x;                                                                                               \
    }                                                                                                                  \
    GPUCC_INLINE __attribute__((overloadable)) float name(raw x)                                                       \
    {                                                                                                                  \
        return (float)of_bits(x.x);                                                                                    \
    }
GPUCC_DEFINE_HALF_VALUE(__half2float, _Float16, __half_raw, __ushort_as_half)
GPUCC_DEFINE_HALF_VALUE(__bfloat162float, __bf16, __nv_bfloat16_raw, __ushort_as_bfloat16)

/* ---- atomicAdd() of pairs, the two together ---- */

/* Branches that are not selected must compile: there a pair is a number, and a number a pair. */
#define GPUCC_UNLESS_PAIR(pointer, number, instead)                                                                    \
    _Generic(*(pointer), gpucc_float16x2: instead, gpucc_bfloat16x2: instead, default: number)
#define GPUCC_ADD_PAIR(type, pointer, value)                                                                           \
    GPUCC_UPDATE(in_device, (type *)(void *)(pointer), *(type *)(void *)&value, 1,                                     \
                 gpucc_add2(gpucc_old, gpucc_operand))
#undef GPUCC_CUDA_ADD
#define GPUCC_CUDA_ADD(pointer, value)                                                                                 \
    GPUCC_ATOMICALLY(                                                                                                  \
        pointer, value,                                                                                                \
        _Generic(*gpucc_at, gpucc_float16x2: GPUCC_ADD_PAIR(gpucc_float16x2, gpucc_at, gpucc_by),                      \
                 gpucc_bfloat16x2: GPUCC_ADD_PAIR(gpucc_bfloat16x2, gpucc_at, gpucc_by),                               \
                 default: GPUCC_ADD_IN(in_device, GPUCC_UNLESS_PAIR(gpucc_at, gpucc_at, (int *)(void *)gpucc_at),      \
                                       GPUCC_UNLESS_PAIR(gpucc_at, gpucc_by, 0))))

#endif
