/* CUDA's arithmetic and conversions rounded down (rd), up (ru) and toward zero (rz): one instruction on the GPU, on the
 * CPU the nearest number and the sign of what it lacks, which say the same. */
#ifndef GPUCC_CUDA_ROUNDING_H
#define GPUCC_CUDA_ROUNDING_H

#include <gpucc.h>
#include <math.h>

#if defined(__NVPTX__)

/* LLVM takes __nvvm_i2f_rz() and its like for conversions to the nearest number. */
#define GPUCC_FROM_INTEGER(mode, to, to_code, from_code, types)                                                        \
    ({                                                                                                                 \
        to result_;                                                                                                    \
        __asm__("cvt." #mode types " %0, %1;" : "=" to_code(result_) : from_code(x));                                  \
        result_;                                                                                                       \
    })
#define GPUCC_DEFINE_TOWARDS(mode, suffix)                                                                            \
    GPUCC_ROUNDED_2(__fadd_##mode, float, __nvvm_add_##suffix##_f(x, y))                                               \
    GPUCC_ROUNDED_2(__fsub_##mode, float, __nvvm_add_##suffix##_f(x, -y))                                              \
    GPUCC_ROUNDED_2(__fmul_##mode, float, __nvvm_mul_##suffix##_f(x, y))                                               \
    GPUCC_ROUNDED_2(__fdiv_##mode, float, __nvvm_div_##suffix##_f(x, y))                                               \
    GPUCC_ROUNDED_1(__frcp_##mode, float, float, __nvvm_rcp_##suffix##_f(x))                                           \
    GPUCC_ROUNDED_1(__fsqrt_##mode, float, float, __nvvm_sqrt_##suffix##_f(x))                                         \
    GPUCC_ROUNDED_3(__fmaf_##mode, float, __nvvm_fma_##suffix##_f(x, y, z))                                            \
    GPUCC_ROUNDED_2(__dadd_##mode, double, __nvvm_add_##suffix##_d(x, y))                                              \
    GPUCC_ROUNDED_2(__dsub_##mode, double, __nvvm_add_##suffix##_d(x, -y))                                             \
    GPUCC_ROUNDED_2(__dmul_##mode, double, __nvvm_mul_##suffix##_d(x, y))                                              \
    GPUCC_ROUNDED_2(__ddiv_##mode, double, __nvvm_div_##suffix##_d(x, y))                                              \
    GPUCC_ROUNDED_1(__drcp_##mode, double, double, __nvvm_rcp_##suffix##_d(x))                                         \
    GPUCC_ROUNDED_1(__dsqrt_##mode, double, double, __nvvm_sqrt_##suffix##_d(x))                                       \
    GPUCC_ROUNDED_1(__int2float_##mode, float, int, GPUCC_FROM_INTEGER(suffix, float, "f", "r", ".f32.s32"))           \
    GPUCC_ROUNDED_1(__uint2float_##mode, float, unsigned, GPUCC_FROM_INTEGER(suffix, float, "f", "r", ".f32.u32"))     \
    GPUCC_ROUNDED_1(__ll2float_##mode, float, long long, GPUCC_FROM_INTEGER(suffix, float, "f", "l", ".f32.s64"))      \
    GPUCC_ROUNDED_1(__ull2float_##mode, float, unsigned long long,                                                     \
                    GPUCC_FROM_INTEGER(suffix, float, "f", "l", ".f32.u64"))                                           \
    GPUCC_ROUNDED_1(__ll2double_##mode, double, long long, GPUCC_FROM_INTEGER(suffix, double, "d", "l", ".f64.s64"))   \
    GPUCC_ROUNDED_1(__ull2double_##mode, double, unsigned long long,                                                   \
                    GPUCC_FROM_INTEGER(suffix, double, "d", "l", ".f64.u64"))                                          \
    GPUCC_ROUNDED_1(__double2float_##mode, float, double, __nvvm_d2f_##suffix(x))

#else

enum gpucc_direction { GPUCC_rd = -1, GPUCC_rz = 0, GPUCC_ru = 1 };

/* A number as the one next to it and the rest, of which the sign alone matters, times 2^scale. */
struct gpucc_exact {
    double number, rest;
    int scale;
};

/* The direction as a number; rounding toward zero goes down or up, by the sign of `size`. */
GPUCC_INLINE int gpucc_way(enum gpucc_direction direction, double size)
{
    return direction != GPUCC_rz ? (int)direction : size > 0 ? -1 : 1;
}
/* -1 or 1 where `back`, the number rounded, is too large or too small, else 0; 0 of NaN. */
GPUCC_INLINE int gpucc_off(struct gpucc_exact x, double back)
{
    return x.number > back || (x.number == back && x.rest > 0)   ? 1
           : x.number < back || (x.number == back && x.rest < 0) ? -1
                                                                 : 0;
}
GPUCC_INLINE float gpucc_rounded_float(struct gpucc_exact x, enum gpucc_direction direction)
{
    float nearest = (float)x.number;
    int off = gpucc_off(x, nearest);
    if (off == 0 || off != gpucc_way(direction, x.number))
        return nearest;
    return off > 0 ? nextafterf(nearest, INFINITY) : nextafterf(nearest, -INFINITY);
}
GPUCC_INLINE double gpucc_rounded_double(struct gpucc_exact x, enum gpucc_direction direction)
{
    double nearest = ldexp(x.number, x.scale);
    int off = gpucc_off(x, ldexp(nearest, -x.scale));
    if (off == 0 || off != gpucc_way(direction, x.number))
        return nearest;
    return off > 0 ? nextafter(nearest, INFINITY) : nextafter(nearest, -INFINITY);
}

/* A sum that is exactly zero is -0 rounded down, but of two zeros that are +0. */
GPUCC_INLINE struct gpucc_exact gpucc_exact_sum(double x, double y, enum gpucc_direction direction)
{
    double sum = x + y, of_y = sum - x, rest = (x - (sum - of_y)) + (y - of_y);
    if (sum == 0 && direction == GPUCC_rd && (x != 0 || signbit(x) || signbit(y)))
        sum = -0.0;
    return (struct gpucc_exact){sum, rest, 0};
}
/* Sums that would overflow are of smaller numbers, of which a tiny one remains one. */
GPUCC_INLINE struct gpucc_exact gpucc_exact_large_sum(double x, double y, enum gpucc_direction direction)
{
    double large = fmax(fabs(x), fabs(y)); /* the other one of a NaN */
    if (!(large > 0x1p1000) || isinf(large) || isunordered(x, y))
        return gpucc_exact_sum(x, y, direction);
    double a = x == 0 || fabs(x) > 0x1p-800 ? x : copysign(0x1p-800, x);
    double b = y == 0 || fabs(y) > 0x1p-800 ? y : copysign(0x1p-800, y);
    struct gpucc_exact sum = gpucc_exact_sum(a * 0x1p-100, b * 0x1p-100, direction);
    sum.scale = 100;
    return sum;
}
GPUCC_INLINE struct gpucc_exact gpucc_exact_product(double x, double y)
{
    int scale_x = 0, scale_y = 0;
    double plain = x * y;
    if (x == 0 || y == 0 || !isfinite(x) || !isfinite(y))
        return (struct gpucc_exact){plain, 0, 0};
    double a = frexp(x, &scale_x), b = frexp(y, &scale_y), product = a * b;
    return (struct gpucc_exact){product, fma(a, b, -product), scale_x + scale_y};
}
GPUCC_INLINE struct gpucc_exact gpucc_exact_quotient(double x, double y)
{
    int scale_x = 0, scale_y = 0;
    double plain = x / y;
    if (x == 0 || y == 0 || !isfinite(x) || !isfinite(y))
        return (struct gpucc_exact){plain, 0, 0};
    double a = frexp(x, &scale_x), b = frexp(y, &scale_y), quotient = a / b, rest = fma(-quotient, b, a);
    return (struct gpucc_exact){quotient, b < 0 ? -rest : rest, scale_x - scale_y};
}
GPUCC_INLINE struct gpucc_exact gpucc_exact_root(double x)
{
    int scale = 0;
    if (!(x > 0) || isinf(x))
        return (struct gpucc_exact){sqrt(x), 0, 0};
    double a = frexp(x, &scale);
    a = scale % 2 ? 2 * a : a;
    scale = scale % 2 ? scale - 1 : scale;
    double root = sqrt(a);
    return (struct gpucc_exact){root, fma(-root, root, a), scale / 2};
}
/* From the halves of a 64-bit integer. */
GPUCC_INLINE struct gpucc_exact gpucc_exact_integer(double high, unsigned low)
{
    return gpucc_exact_sum(high * 0x1p32, low, GPUCC_ru);
}
/* Without its scale, which numbers made from floats do not need in double. */
GPUCC_INLINE struct gpucc_exact gpucc_unscaled(struct gpucc_exact x)
{
    return (struct gpucc_exact){ldexp(x.number, x.scale), x.rest, 0};
}

#define GPUCC_DEFINE_TOWARDS(mode, suffix)                                                                            \
    GPUCC_ROUNDED_2(__fadd_##mode, float, gpucc_rounded_float(gpucc_exact_sum(x, y, GPUCC_##mode), GPUCC_##mode))      \
    GPUCC_ROUNDED_2(__fsub_##mode, float, gpucc_rounded_float(gpucc_exact_sum(x, -y, GPUCC_##mode), GPUCC_##mode))     \
    GPUCC_ROUNDED_2(__fmul_##mode, float, gpucc_rounded_float(GPUCC_EXACT(x *(double)y), GPUCC_##mode))                \
    GPUCC_ROUNDED_2(__fdiv_##mode, float,                                                                              \
                    gpucc_rounded_float(gpucc_unscaled(gpucc_exact_quotient(x, y)), GPUCC_##mode))                     \
    GPUCC_ROUNDED_1(__frcp_##mode, float, float,                                                                       \
                    gpucc_rounded_float(gpucc_unscaled(gpucc_exact_quotient(1, x)), GPUCC_##mode))                     \
    GPUCC_ROUNDED_1(__fsqrt_##mode, float, float,                                                                      \
                    gpucc_rounded_float(gpucc_unscaled(gpucc_exact_root(x)), GPUCC_##mode))                            \
    GPUCC_ROUNDED_3(__fmaf_##mode, float,                                                                              \
                    gpucc_rounded_float(gpucc_exact_sum(x *(double)y, z, GPUCC_##mode), GPUCC_##mode))                 \
    GPUCC_ROUNDED_2(__dadd_##mode, double,                                                                             \
                    gpucc_rounded_double(gpucc_exact_large_sum(x, y, GPUCC_##mode), GPUCC_##mode))                     \
    GPUCC_ROUNDED_2(__dsub_##mode, double,                                                                             \
                    gpucc_rounded_double(gpucc_exact_large_sum(x, -y, GPUCC_##mode), GPUCC_##mode))                    \
    GPUCC_ROUNDED_2(__dmul_##mode, double, gpucc_rounded_double(gpucc_exact_product(x, y), GPUCC_##mode))              \
    GPUCC_ROUNDED_2(__ddiv_##mode, double, gpucc_rounded_double(gpucc_exact_quotient(x, y), GPUCC_##mode))             \
    GPUCC_ROUNDED_1(__drcp_##mode, double, double, gpucc_rounded_double(gpucc_exact_quotient(1, x), GPUCC_##mode))     \
    GPUCC_ROUNDED_1(__dsqrt_##mode, double, double, gpucc_rounded_double(gpucc_exact_root(x), GPUCC_##mode))           \
    GPUCC_ROUNDED_1(__int2float_##mode, float, int, gpucc_rounded_float(GPUCC_EXACT(x), GPUCC_##mode))                 \
    GPUCC_ROUNDED_1(__uint2float_##mode, float, unsigned, gpucc_rounded_float(GPUCC_EXACT(x), GPUCC_##mode))           \
    GPUCC_ROUNDED_1(__ll2float_##mode, float, long long,                                                               \
                    gpucc_rounded_float(gpucc_exact_integer((double)(x >> 32), (unsigned)x), GPUCC_##mode))            \
    GPUCC_ROUNDED_1(__ull2float_##mode, float, unsigned long long,                                                     \
                    gpucc_rounded_float(gpucc_exact_integer((double)(x >> 32), (unsigned)x), GPUCC_##mode))            \
    GPUCC_ROUNDED_1(__ll2double_##mode, double, long long,                                                             \
                    gpucc_rounded_double(gpucc_exact_integer((double)(x >> 32), (unsigned)x), GPUCC_##mode))           \
    GPUCC_ROUNDED_1(__ull2double_##mode, double, unsigned long long,                                                   \
                    gpucc_rounded_double(gpucc_exact_integer((double)(x >> 32), (unsigned)x), GPUCC_##mode))           \
    GPUCC_ROUNDED_1(__double2float_##mode, float, double, gpucc_rounded_float(GPUCC_EXACT(x), GPUCC_##mode))
#define GPUCC_EXACT(x) ((struct gpucc_exact){(x), 0, 0})

#endif

#define GPUCC_ROUNDED_1(name, type, from, result)                                                                      \
    GPUCC_INLINE type name(from x)                                                                                     \
    {                                                                                                                  \
        return result;                                                                                                 \
    }
#define GPUCC_ROUNDED_2(name, type, result)                                                                            \
    GPUCC_INLINE type name(type x, type y)                                                                             \
    {                                                                                                                  \
        return result;                                                                                                 \
    }
#define GPUCC_ROUNDED_3(name, type, result)                                                                            \
    GPUCC_INLINE type name(type x, type y, type z)                                                                     \
    {                                                                                                                  \
        return result;                                                                                                 \
    }
GPUCC_DEFINE_TOWARDS(rd, rm)
GPUCC_DEFINE_TOWARDS(ru, rp)
GPUCC_DEFINE_TOWARDS(rz, rz)

#endif
