/* Shared by the files of the math library: bit casts, selects, error-free transformations, and the reductions
 * that slow paths return packed.
 *
 * Every function here and in stdlib/math/ is built from IEEE operations, integer operations and explicit fused
 * multiply-adds, so that one source gives the same bits on every target.  Compile with -ffp-contract=off
 * -fno-builtin.  A function is a fast path without loops, tables or calls, a test, and, where the test can fail, a
 * slow path in an outlined function named gpucc_slow_NAME.
 */
#ifndef GPUCC_MATHLIB_H
#define GPUCC_MATHLIB_H

#include <stdbool.h>
#include <stdint.h>

/* In front of an outlined slow path.  Its name begins with gpucc_slow_, by which the compiler knows it. */
#define SLOW_PATH __attribute__((noinline, const))

#define INLINE static inline __attribute__((always_inline, const))

#define UNLIKELY(condition) __builtin_expect((condition), 0)

/* ---- bits ---- */

INLINE uint32_t bits_of_float(float x)
{
    union { float value; uint32_t bits; } u = { .value = x };
    return u.bits;
}

INLINE float float_of_bits(uint32_t bits)
{
    union { uint32_t bits; float value; } u = { .bits = bits };
    return u.value;
}

INLINE uint64_t bits_of_double(double x)
{
    union { double value; uint64_t bits; } u = { .value = x };
    return u.bits;
}

INLINE double double_of_bits(uint64_t bits)
{
    union { uint64_t bits; double value; } u = { .bits = bits };
    return u.value;
}

#define SIGN_BIT_F 0x80000000u
#define INFINITY_F __builtin_inff()
#define NAN_F __builtin_nanf("")

/* The magnitude of `x` with the sign bit of `sign`: one instruction, where the builtin takes three on a GPU. */
INLINE float copy_sign_f(float x, float sign)
{
    return float_of_bits((bits_of_float(x) & ~SIGN_BIT_F) | (bits_of_float(sign) & SIGN_BIT_F));
}

/* `x`, which is not negative, with the sign bit of `sign`: one operation less than copy_sign_f(). */
INLINE float set_sign_f(float x, float sign)
{
    return float_of_bits(bits_of_float(x) | (bits_of_float(sign) & SIGN_BIT_F));
}

/* `x` with its sign changed where bit 31 of `bits` is set. */
INLINE float flip_sign_f(float x, uint32_t bits)
{
    return float_of_bits(bits_of_float(x) ^ (bits & SIGN_BIT_F));
}

INLINE bool is_nan_f(float x)
{
    return x != x;
}

/* True of what is not a positive normal number. */
INLINE bool is_unusual_f(float x)
{
    return bits_of_float(x) - 0x00800000u >= 0x7f000000u;
}

/* True of 0, denormal and infinite numbers and NaN. */
INLINE bool is_unusual_magnitude_f(float x)
{
    return (bits_of_float(x) << 1) - 0x01000000u >= 0xfe000000u;
}

/* 2^n for -126 <= n <= 127. */
INLINE float exp2_int_f(int32_t n)
{
    return float_of_bits((uint32_t)(n + 127) << 23);
}

/* x, or +-limit beyond; NaN stays. */
INLINE float clamp_magnitude_f(float x, float limit)
{
    x = x > limit ? limit : x;
    return x < -limit ? -limit : x;
}

/* ---- rounding to an integer ---- */

/* Added to |x| < 2^22, it leaves the nearest integer in the low bits of the sum. */
#define ROUND_MAGIC_F 0x1.8p23f

/* ---- reciprocals ---- */

/* 1/x, correctly rounded, for 2^-126 <= |x| < 2^126; beyond, the bits are open.  On a GPU it is what division does for
 * such numbers, without the branch for others, which would keep a thread's elements from being computed side by
 * side. */
INLINE float reciprocal_f(float x)
{
#ifdef __NVPTX__
    float r = __nvvm_rcp_approx_ftz_f(x);
    return __builtin_fmaf(r, __builtin_fmaf(-x, r, 1.0f), r);
#else
    return 1.0f / x;
#endif
}

/* 1/sqrt(x), correctly rounded, by a seed whose relative error is at most 2^-22.645: tests/accuracy/seeds.c tries all
 * seeds of all significands.  With 0.4 for Taylor's 3/8 that holds of 0x1.14b90cp0 and 0x1.745472p0 too, which are
 * nearest to where the rounding changes.  0 and infinity, whose defect is NaN, keep the seed. */
INLINE float rsqrt_from_seed_f(float x, float seed)
{
    float root = x * seed;
    float defect = __builtin_fmaf(-root, seed, 1.0f);
    defect = __builtin_fmaf(-__builtin_fmaf(x, seed, -root), seed, defect);
#ifdef __NVPTX__
    defect = __nvvm_fmin_f(defect, 1.0f); /* 1 for NaN */
#else
    defect = defect < 1.0f ? defect : 1.0f;
#endif
    return __builtin_fmaf(__builtin_fmaf(0.4f, defect, 0.5f), defect * seed, seed);
}

/* ---- exponentials ---- */

#define LOG2_E_F 0x1.715476p0f

/* log(2) in two parts, the first rounded toward zero. */
#define LN2_HI_F 0x1.62e42ep-1f
#define LN2_LO_F 0x1.efa39ep-25f

/* exp(f) for |f| <= log(2)/2
 *   fpminimax(exp(x), [|0,...,6|], [|1,1,24,24,24,24,24|], [-log(2)/2-1b-8;log(2)/2+1b-8], relative, floating)
 *   error 3.9e-9 */
INLINE float exp_polynomial_f(float f)
{
    float p = 0x1.68782p-10f;
    p = __builtin_fmaf(p, f, 0x1.1241eep-7f);
    p = __builtin_fmaf(p, f, 0x1.555b82p-5f);
    p = __builtin_fmaf(p, f, 0x1.555486p-3f);
    p = __builtin_fmaf(p, f, 0x1.fffff8p-2f);
    p = __builtin_fmaf(p, f, 1.0f);
    return __builtin_fmaf(p, f, 1.0f);
}

/* (exp(f) - 1 - f)/f^2 for |f| <= log(2)/2
 *   fpminimax(exp(x)-1, [|2,...,6|], [|24,24,24,24,24|], [-log(2)/2-1b-8;log(2)/2+1b-8], relative, floating, x)
 *   error 1.5e-8 */
INLINE float expm1_less_1st_f(float f)
{
    float p = 0x1.6b866ep-10f;
    p = __builtin_fmaf(p, f, 0x1.122e1ep-7f);
    p = __builtin_fmaf(p, f, 0x1.55570cp-5f);
    p = __builtin_fmaf(p, f, 0x1.5554a8p-3f);
    return __builtin_fmaf(p, f, 0x1.fffffep-2f);
}

/* 2^f for |f| <= 1/2
 *   fpminimax(2^x, [|0,...,6|], [|1,24,24,24,24,24,24|], [-.5;.5], relative, floating)    error 3.6e-9 */
INLINE float exp2_polynomial_f(float f)
{
    float p = 0x1.3f9068p-13f;
    p = __builtin_fmaf(p, f, 0x1.5f0a66p-10f);
    p = __builtin_fmaf(p, f, 0x1.3b30bp-7f);
    p = __builtin_fmaf(p, f, 0x1.c6af78p-5f);
    p = __builtin_fmaf(p, f, 0x1.ebfbd8p-3f);
    p = __builtin_fmaf(p, f, 0x1.62e43p-1f);
    p = __builtin_fmaf(p, f, 1.0f);
    return p;
}

/* p * 2^j for -252 <= j <= 254 by two factors, the result rounded once; `shifted` holds j + 254 in its low bits. */
INLINE float scale_by_halves_f(float p, uint32_t shifted)
{
    uint32_t half = shifted >> 1 << 23;
    return p * float_of_bits(half) * float_of_bits((shifted << 23) - half);
}

/* ---- float-float: an unevaluated sum hi + lo with |lo| <= ulp(hi)/2, about 48 bits ---- */

typedef struct { float hi, lo; } float_pair;

/* a + b exactly, for |a| >= |b| or a = 0. */
INLINE float_pair fast_two_sum_f(float a, float b)
{
    float sum = a + b;
    return (float_pair){ sum, b - (sum - a) };
}

/* a + b exactly. */
INLINE float_pair two_sum_f(float a, float b)
{
    float sum = a + b;
    float part = sum - a;
    return (float_pair){ sum, (a - (sum - part)) + (b - part) };
}

/* a * b exactly, short of underflow. */
INLINE float_pair two_product_f(float a, float b)
{
    float product = a * b;
    return (float_pair){ product, __builtin_fmaf(a, b, -product) };
}

/* a * b to about 2^-46. */
INLINE float_pair mul_pair_f(float_pair a, float_pair b)
{
    float_pair p = two_product_f(a.hi, b.hi);
    p.lo = __builtin_fmaf(a.hi, b.lo, __builtin_fmaf(a.lo, b.hi, p.lo));
    return fast_two_sum_f(p.hi, p.lo);
}

#endif
