/* fabs copysign fma sqrt fmin fmax fminimum fmaximum and their _num, _mag and _mag_num kin, fdim: exact.  -0 is less
 * than +0. */
#include "math64.h"

double gpucc_fabs(double x)
{
    return ABS(x);
}

double gpucc_copysign(double x, double sign)
{
    return __builtin_copysign(x, sign);
}

double gpucc_fma(double x, double y, double z)
{
    return FMA(x, y, z);
}

double gpucc_sqrt(double x)
{
    return __builtin_sqrt(x);
}

/* The lesser of two numbers: of equal ones, which may differ in the sign of zero, a negative one.  PTX's instructions
 * have the same zero, and of a number and NaN the number, as fmin() and fmax(); of two NaNs they make another one. */
#if defined(__NVPTX__)

INLINE double lesser(double x, double y)
{
    return __nvvm_fmin_d(x, y);
}

INLINE double greater(double x, double y)
{
    return __nvvm_fmax_d(x, y);
}

double gpucc_fmin(double x, double y)
{
    double smaller = lesser(x, y);
    return is_nan(smaller) ? y : smaller;
}

double gpucc_fmax(double x, double y)
{
    double larger = greater(x, y);
    return is_nan(larger) ? y : larger;
}

#else

INLINE double lesser(double x, double y)
{
    double equal = double_of_bits(bits_of_double(x) | bits_of_double(y));
    return x < y ? x : y < x ? y : equal;
}

INLINE double greater(double x, double y)
{
    double equal = double_of_bits(bits_of_double(x) & bits_of_double(y));
    return x > y ? x : y > x ? y : equal;
}

double gpucc_fmin(double x, double y)
{
    return is_nan(x) ? y : is_nan(y) ? x : lesser(x, y);
}

double gpucc_fmax(double x, double y)
{
    return is_nan(x) ? y : is_nan(y) ? x : greater(x, y);
}

#endif

double gpucc_fminimum_num(double x, double y)
{
    return gpucc_fmin(x, y);
}

double gpucc_fmaximum_num(double x, double y)
{
    return gpucc_fmax(x, y);
}

double gpucc_fminimum(double x, double y)
{
    return is_nan(x) ? x : is_nan(y) ? y : lesser(x, y);
}

double gpucc_fmaximum(double x, double y)
{
    return is_nan(x) ? x : is_nan(y) ? y : greater(x, y);
}

double gpucc_fdim(double x, double y)
{
    return x <= y ? 0.0 : x - y;
}

/* The one of lesser or greater magnitude; of equal ones, what fminimum and fmaximum give. */
double gpucc_fminimum_mag(double x, double y)
{
    return ABS(x) < ABS(y) ? x : ABS(y) < ABS(x) ? y : gpucc_fminimum(x, y);
}

double gpucc_fmaximum_mag(double x, double y)
{
    return ABS(x) > ABS(y) ? x : ABS(y) > ABS(x) ? y : gpucc_fmaximum(x, y);
}

double gpucc_fminimum_mag_num(double x, double y)
{
    return ABS(x) < ABS(y) ? x : ABS(y) < ABS(x) ? y : gpucc_fmin(x, y);
}

double gpucc_fmaximum_mag_num(double x, double y)
{
    return ABS(x) > ABS(y) ? x : ABS(y) > ABS(x) ? y : gpucc_fmax(x, y);
}
