/* Complex products and quotients of double, as complexf.c has them for float. */
#include "math64.h"

INLINE double copy_sign(double x, double sign)
{
    return double_of_bits((bits_of_double(x) & ~SIGN_BIT) | (bits_of_double(sign) & SIGN_BIT));
}

INLINE bool is_infinite(double x)
{
    return ABS(x) == INFINITY_D;
}

INLINE bool is_finite(double x)
{
    return ABS(x) < INFINITY_D;
}

/* 0 or 1 with the sign of x: what an infinite or finite part stands for in the limit. */
INLINE double unit(double x)
{
    return copy_sign(is_infinite(x) ? 1.0 : 0.0, x);
}

INLINE double zero_for_nan(double x)
{
    return is_nan(x) ? copy_sign(0.0, x) : x;
}

/* (a + ib)(c + id): where both parts are NaN though a factor or a partial product is infinite, so is the result. */
double _Complex __muldc3(double a, double b, double c, double d)
{
    double ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    double real = ac - bd, imaginary = ad + bc;
    if (UNLIKELY(is_nan(real) && is_nan(imaginary))) {
        bool left = is_infinite(a) || is_infinite(b), right = is_infinite(c) || is_infinite(d);
        bool partial = is_infinite(ac) || is_infinite(bd) || is_infinite(ad) || is_infinite(bc);
        if (left || right || partial) {
            a = left ? unit(a) : zero_for_nan(a), b = left ? unit(b) : zero_for_nan(b);
            c = right ? unit(c) : zero_for_nan(c), d = right ? unit(d) : zero_for_nan(d);
            real = INFINITY_D * (a * c - b * d), imaginary = INFINITY_D * (a * d + b * c);
        }
    }
    return __builtin_complex(real, imaginary);
}

/* k for which 2^k x is between 2^-52 and 4; 0 for infinities and NaN, which stay what they are. */
INLINE int scale_of(double x)
{
    int exponent = (int)(bits_of_double(x) >> 52 & 0x7ff);
    return exponent == 0x7ff ? 0 : exponent == 0 ? 1022 : exponent == 2046 ? -1022 : 1023 - exponent;
}

/* x * 2^k for |k| <= 2044, by two factors, of which only the second can round */
INLINE double scaled(double x, int k)
{
    return x * exp2_int(k >> 1) * exp2_int(k - (k >> 1));
}

/* The larger magnitude; a number rather than NaN. */
INLINE double larger_part(double x, double y)
{
    double a = ABS(x), b = ABS(y);
    return a > b || is_nan(b) ? a : b;
}

double _Complex __divdc3(double a, double b, double c, double d)
{
    double larger = larger_part(c, d), larger_above = larger_part(a, b);
    int below = scale_of(larger), above = scale_of(larger_above);
    double as = scaled(a, above), bs = scaled(b, above), cs = scaled(c, below), ds = scaled(d, below);
    double norm = cs * cs + ds * ds;
    double real = scaled((as * cs + bs * ds) / norm, below - above);
    double imaginary = scaled((bs * cs - as * ds) / norm, below - above);
    if (UNLIKELY(is_nan(real) && is_nan(imaginary))) {
        if (norm == 0.0 && (!is_nan(a) || !is_nan(b))) {
            real = copy_sign(INFINITY_D, c) * a, imaginary = copy_sign(INFINITY_D, c) * b;
        } else if ((is_infinite(a) || is_infinite(b)) && is_finite(c) && is_finite(d)) {
            real = INFINITY_D * (unit(a) * c + unit(b) * d), imaginary = INFINITY_D * (unit(b) * c - unit(a) * d);
        } else if (is_infinite(larger) && is_finite(a) && is_finite(b)) {
            real = 0.0 * (a * unit(c) + b * unit(d)), imaginary = 0.0 * (b * unit(c) - a * unit(d));
        }
    }
    return __builtin_complex(real, imaginary);
}
