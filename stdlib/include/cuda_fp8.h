/* CUDA's cuda_fp8.h as far as C can spell it: numbers of 8 bits, E4M3 (no infinities, up to 448) and E5M2, their
 * storage and the conversions, with CUDA's bits on every device.  In C++ their classes convert themselves. */
#ifndef GPUCC_CUDA_FP8_H
#define GPUCC_CUDA_FP8_H

#include <gpucc/cuda_half.h>

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;
typedef gpucc_float8_e4m3fn __nv_fp8_e4m3;
typedef gpucc_float8_e5m2 __nv_fp8_e5m2;
typedef struct __nv_fp8x2_e4m3 {
    __nv_fp8x2_storage_t __x;
} __nv_fp8x2_e4m3;
typedef struct __nv_fp8x2_e5m2 {
    __nv_fp8x2_storage_t __x;
} __nv_fp8x2_e5m2;
typedef struct __nv_fp8x4_e4m3 {
    __nv_fp8x4_storage_t __x;
} __nv_fp8x4_e4m3;
typedef struct __nv_fp8x4_e5m2 {
    __nv_fp8x4_storage_t __x;
} __nv_fp8x4_e5m2;

/* Returns the code of a number above the greatest, 0x7e or 0x7b, or of infinity. */
GPUCC_INLINE unsigned gpucc_fp8_beyond(__nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    if (saturate == __NV_SATFINITE)
        return kind == __NV_E4M3 ? 0x7e : 0x7b;
    return kind == __NV_E4M3 ? 0x7f : 0x7c;
}

/* In units of the last place that a number of this exponent has there, rounded to the nearest, ties to even: a carry
 * goes on into the exponent by itself.  `digits` are those that `word` keeps of a `type`. */
#define GPUCC_DEFINE_TO_FP8(name, type, word, digits, bias, as_type, as_word, rounded)                                 \
    GPUCC_INLINE unsigned name(type x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)                     \
    {                                                                                                                  \
        const int places = kind == __NV_E4M3 ? 3 : 2, least = kind == __NV_E4M3 ? -6 : -14;                            \
        const word bits = (word)as_word(x), magnitude = bits & (word)-1 >> 1;                                          \
        const unsigned sign = (unsigned)(bits >> (8 * sizeof(word) - 1)) << 7;                                         \
        const unsigned beyond = gpucc_fp8_beyond(saturate, kind);                                                      \
        int exponent = (int)(magnitude >> digits) - bias;                                                              \
        if (exponent > 15)                                                                                             \
            return sign | beyond;                                                                                      \
        exponent = exponent < least ? least : exponent;                                                                \
        const type scale = as_type((word)(bias + places - exponent) << digits);                                        \
        const unsigned code = ((unsigned)(exponent - least) << places) + (unsigned)rounded(as_type(magnitude) * scale);\
        return sign | (code > (kind == __NV_E4M3 ? 0x7e : 0x7b) ? beyond : code);                                      \
    }
GPUCC_DEFINE_TO_FP8(gpucc_float_to_fp8, float, unsigned, 23, 127, __uint_as_float, __float_as_uint, rintf)
GPUCC_DEFINE_TO_FP8(gpucc_double_to_fp8, double, unsigned long long, 52, 1023, __longlong_as_double,
                    __double_as_longlong, rint)

/* NaN is 0x7f. */
GPUCC_INLINE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8_storage_t)(x != x ? 0x7f : gpucc_float_to_fp8(x, saturate, kind));
}

/* NaN keeps its sign, and as E5M2 the second bit of its payload. */
GPUCC_INLINE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind)
{
    const unsigned long long bits = (unsigned long long)__double_as_longlong(x);
    const unsigned nan = kind == __NV_E4M3 ? 0x7f : 0x7e | (unsigned)(bits >> 50 & 1);
    return (__nv_fp8_storage_t)(x != x ? nan | (unsigned)(bits >> 63 << 7) : gpucc_double_to_fp8(x, saturate, kind));
}

GPUCC_INLINE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__half2float(__ushort_as_half(x.x)), saturate, kind);
}

GPUCC_INLINE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                            __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__uint_as_float((unsigned)x.x << 16), saturate, kind);
}

/* x is the lower half. */
#define GPUCC_DEFINE_TO_FP8X2(name, one, type)                                                                         \
    GPUCC_INLINE __nv_fp8x2_storage_t name(type v, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)         \
    {                                                                                                                  \
        return (__nv_fp8x2_storage_t)(one(v.y, saturate, kind) << 8 | one(v.x, saturate, kind));                       \
    }
GPUCC_DEFINE_TO_FP8X2(__nv_cvt_float2_to_fp8x2, __nv_cvt_float_to_fp8, float2)
GPUCC_DEFINE_TO_FP8X2(__nv_cvt_double2_to_fp8x2, __nv_cvt_double_to_fp8, double2)

GPUCC_INLINE __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw v, __nv_saturation_t saturate,
                                                             __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2((float2){__half2float(__ushort_as_half(v.x)), __half2float(__ushort_as_half(v.y))},
                                    saturate, kind);
}

GPUCC_INLINE __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw v, __nv_saturation_t saturate,
                                                                 __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(
        (float2){__uint_as_float((unsigned)v.x << 16), __uint_as_float((unsigned)v.y << 16)}, saturate, kind);
}

/* E5M2 is the upper half of a float16; E4M3, moved to its exponent, is 2^8 times too small.  NaN is 0x7fff. */
GPUCC_INLINE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    const unsigned magnitude = x & 0x7f, sign = (x & 0x80u) << 8;
    if (magnitude > (kind == __NV_E4M3 ? 0x7e : 0x7c))
        return (__half_raw){0x7fff};
    if (kind == __NV_E5M2)
        return (__half_raw){(unsigned short)(x << 8)};
    const float value = __half2float(__ushort_as_half((unsigned short)(magnitude << 7))) * 256;
    return (__half_raw){(unsigned short)(sign | __half_as_ushort(__float2half(value)))};
}

GPUCC_INLINE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v, __nv_fp8_interpretation_t kind)
{
    return (__half2_raw){__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)v, kind).x,
                         __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(v >> 8), kind).x};
}

#endif
