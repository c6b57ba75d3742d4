/* CUDA's cuComplex.h: complex numbers as pairs, and functions of them, with CUDA's own formulas. */
#ifndef GPUCC_CUCOMPLEX_H
#define GPUCC_CUCOMPLEX_H

#include <gpucc/cuda.h>

typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;

#define GPUCC_DEFINE_CUCOMPLEX(Complex, type, f, fabs, sqrt)                                                           \
    GPUCC_INLINE type cuCreal##f(Complex z)                                                                            \
    {                                                                                                                  \
        return z.x;                                                                                                    \
    }                                                                                                                  \
    GPUCC_INLINE type cuCimag##f(Complex z)                                                                            \
    {                                                                                                                  \
        return z.y;                                                                                                    \
    }                                                                                                                  \
    GPUCC_INLINE Complex make_##Complex(type x, type y)                                                                \
    {                                                                                                                  \
        return (Complex){x, y};                                                                                        \
    }                                                                                                                  \
    GPUCC_INLINE Complex cuConj##f(Complex z)                                                                          \
    {                                                                                                                  \
        return (Complex){z.x, -z.y};                                                                                   \
    }                                                                                                                  \
    GPUCC_INLINE Complex cuCadd##f(Complex a, Complex b)                                                               \
    {                                                                                                                  \
        return (Complex){a.x + b.x, a.y + b.y};                                                                        \
    }                                                                                                                  \
    GPUCC_INLINE Complex cuCsub##f(Complex a, Complex b)                                                               \
    {                                                                                                                  \
        return (Complex){a.x - b.x, a.y - b.y};                                                                        \
    }                                                                                                                  \
    GPUCC_INLINE Complex cuCmul##f(Complex a, Complex b)                                                               \
    {                                                                                                                  \
        return (Complex){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                                \
    }                                                                                                                  \
    GPUCC_INLINE Complex cuCfma##f(Complex a, Complex b, Complex c)                                                    \
    {                                                                                                                  \
        type x = a.x * b.x + c.x, y = a.x * b.y + c.y;                                                                 \
        return (Complex){-(a.y * b.y) + x, a.y * b.x + y};                                                             \
    }                                                                                                                  \
    /* Scaled by the divisor's size, against overflow. */                                                              \
    GPUCC_INLINE Complex cuCdiv##f(Complex a, Complex b)                                                               \
    {                                                                                                                  \
        type scale = 1 / (fabs(b.x) + fabs(b.y));                                                                      \
        type ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                                   \
        type inverse = 1 / (bx * bx + by * by);                                                                        \
        return (Complex){(ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse};                                \
    }                                                                                                                  \
    GPUCC_INLINE type cuCabs##f(Complex z)                                                                             \
    {                                                                                                                  \
        type x = fabs(z.x), y = fabs(z.y), more = x > y ? x : y, less = x > y ? y : x, ratio = less / more;            \
        return more == 0 || isinf(more) || isinf(less) ? more + less : more * sqrt(1 + ratio * ratio);                 \
    }
GPUCC_DEFINE_CUCOMPLEX(cuFloatComplex, float, f, fabsf, sqrtf)
GPUCC_DEFINE_CUCOMPLEX(cuDoubleComplex, double, , fabs, sqrt)
#define make_cuComplex(x, y) make_cuFloatComplex(x, y)

GPUCC_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z)
{
    return (cuDoubleComplex){z.x, z.y};
}
GPUCC_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z)
{
    return (cuFloatComplex){(float)z.x, (float)z.y};
}

#endif
