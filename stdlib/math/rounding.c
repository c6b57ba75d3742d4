/* floor ceil trunc round roundeven rint nearbyint lrint lround llrint llround modf fromfp ufromfp: exact. */
#include "math64.h"

double gpucc_floor(double x)
{
    return __builtin_floor(x);
}

double gpucc_ceil(double x)
{
    return __builtin_ceil(x);
}

double gpucc_trunc(double x)
{
    return __builtin_trunc(x);
}

double gpucc_rint(double x)
{
    return __builtin_rint(x);
}

double gpucc_nearbyint(double x)
{
    return __builtin_rint(x);
}

double gpucc_roundeven(double x)
{
    return __builtin_rint(x);
}

/* Halves away from zero: trunc(x + 1/2) would err at the neighbour of 1/2. */
double gpucc_round(double x)
{
    double whole = __builtin_trunc(x);
    double step = ABS(x - whole) >= 0.5 ? 1.0 : 0.0;
    return whole + __builtin_copysign(step, x);
}

/* An integral x as int64: saturated out of range, 0 for NaN. */
INLINE int64_t saturate_int64(double x)
{
    bool fits = x >= -0x1p63 && x < 0x1p63;
    int64_t bound = x > 0 ? INT64_MAX : x < 0 ? INT64_MIN : 0;
    int64_t value = (int64_t)(fits ? x : 0.0);
    return fits ? value : bound;
}

long gpucc_lrint(double x)
{
    return saturate_int64(__builtin_rint(x));
}

long long gpucc_llrint(double x)
{
    return saturate_int64(__builtin_rint(x));
}

long gpucc_lround(double x)
{
    return saturate_int64(gpucc_round(x));
}

long long gpucc_llround(double x)
{
    return saturate_int64(gpucc_round(x));
}

double gpucc_modf(double x, double *whole)
{
    double integral = __builtin_trunc(x);
    *whole = integral;
    double fraction = ABS(x) == INFINITY_D ? 0.0 : x - integral;
    return __builtin_copysign(fraction, x);
}

/* ---- fromfp, ufromfp: to integers of so many bits, as double; NaN where they do not hold the result ---- */

/* 0 up, 1 down, 2 toward zero, 3 to nearest and halves from zero, 4 to nearest and halves to even */
INLINE double rounded(double x, int direction)
{
    switch (direction) {
    case 0: return __builtin_ceil(x);
    case 1: return __builtin_floor(x);
    case 2: return __builtin_trunc(x);
    case 3: return gpucc_round(x);
    default: return __builtin_rint(x);
    }
}

INLINE double power_of_two(unsigned n)
{
    return n > 1023 ? INFINITY_D : exp2_int(n);
}

double gpucc_fromfp(double x, int direction, unsigned width)
{
    double result = rounded(x, direction), limit = power_of_two(width - 1);
    return width > 0 && ABS(x) < INFINITY_D && result >= -limit && result < limit ? result : NAN_D;
}

double gpucc_ufromfp(double x, int direction, unsigned width)
{
    double result = rounded(x, direction);
    return width > 0 && result >= 0 && result < power_of_two(width) ? result : NAN_D;
}
