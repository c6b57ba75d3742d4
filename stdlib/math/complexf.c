/* Complex products and quotients of float: the compiler calls these by their names where the plain formula gives two
 * NaNs (products) or always (quotients). */
#include "mathlib.h"

/* 0 or 1 with the sign of x: what an infinite or finite part stands for in the limit. */
INLINE float unit(float x)
{
    return copy_sign_f(__builtin_fabsf(x) == INFINITY_F ? 1.0f : 0.0f, x);
}

INLINE bool is_infinite(float x)
{
    return __builtin_fabsf(x) == INFINITY_F;
}

INLINE bool is_finite(float x)
{
    return __builtin_fabsf(x) < INFINITY_F;
}

INLINE float zero_for_nan(float x)
{
    return is_nan_f(x) ? copy_sign_f(0.0f, x) : x;
}

/* (a + ib)(c + id): where both parts are NaN though a factor or a partial product is infinite, so is the result. */
float _Complex __mulsc3(float a, float b, float c, float d)
{
    float ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    float real = ac - bd, imaginary = ad + bc;
    if (UNLIKELY(is_nan_f(real) && is_nan_f(imaginary))) {
        bool left = is_infinite(a) || is_infinite(b), right = is_infinite(c) || is_infinite(d);
        bool partial = is_infinite(ac) || is_infinite(bd) || is_infinite(ad) || is_infinite(bc);
        if (left || right || partial) {
            a = left ? unit(a) : zero_for_nan(a), b = left ? unit(b) : zero_for_nan(b);
            c = right ? unit(c) : zero_for_nan(c), d = right ? unit(d) : zero_for_nan(d);
            real = INFINITY_F * (a * c - b * d), imaginary = INFINITY_F * (a * d + b * c);
        }
    }
    return __builtin_complex(real, imaginary);
}

/* k for which 2^k x is between 2^-23 and 4; 0 for infinities and NaN, which stay what they are. */
INLINE int scale_of(float x)
{
    int exponent = (int)(bits_of_float(x) >> 23 & 0xff);
    return exponent == 0xff ? 0 : exponent == 0 ? 126 : exponent == 254 ? -126 : 127 - exponent;
}

/* x * 2^k for |k| <= 252, by two factors, of which only the second can round */
INLINE float scaled(float x, int k)
{
    return x * exp2_int_f(k >> 1) * exp2_int_f(k - (k >> 1));
}

/* The larger magnitude; a number rather than NaN. */
INLINE float larger_part(float x, float y)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    return a > b || is_nan_f(b) ? a : b;
}

float _Complex __divsc3(float a, float b, float c, float d)
{
    float larger = larger_part(c, d), larger_above = larger_part(a, b);
    int below = scale_of(larger), above = scale_of(larger_above);
    float as = scaled(a, above), bs = scaled(b, above), cs = scaled(c, below), ds = scaled(d, below);
    float norm = cs * cs + ds * ds;
    float real = scaled((as * cs + bs * ds) / norm, below - above);
    float imaginary = scaled((bs * cs - as * ds) / norm, below - above);
    if (UNLIKELY(is_nan_f(real) && is_nan_f(imaginary))) {
        if (norm == 0.0f && (!is_nan_f(a) || !is_nan_f(b))) {
            real = copy_sign_f(INFINITY_F, c) * a, imaginary = copy_sign_f(INFINITY_F, c) * b;
        } else if ((is_infinite(a) || is_infinite(b)) && is_finite(c) && is_finite(d)) {
            real = INFINITY_F * (unit(a) * c + unit(b) * d), imaginary = INFINITY_F * (unit(b) * c - unit(a) * d);
        } else if (is_infinite(larger) && is_finite(a) && is_finite(b)) {
            real = 0.0f * (a * unit(c) + b * unit(d)), imaginary = 0.0f * (b * unit(c) - a * unit(d));
        }
    }
    return __builtin_complex(real, imaginary);
}
