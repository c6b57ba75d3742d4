/* Complex products and quotients at the precision of the file that includes this (complex.c, complexf.c).  The compiler
 * calls these by their names where the plain formula gives two NaNs (products) or always (quotients). */

INLINE bool is_infinite(REAL x)
{
    return ABS(x) == INFINITE;
}

/* 0 or 1 with the sign of x: what an infinite or finite part stands for in the limit. */
INLINE REAL unit(REAL x)
{
    return COPY_SIGN(is_infinite(x) ? 1 : 0, x);
}

INLINE REAL zero_for_nan(REAL x)
{
    return IS_NAN(x) ? COPY_SIGN(0, x) : x;
}

/* (a + ib)(c + id): where both parts are NaN though a factor or a partial product is infinite, so is the result. */
COMPLEX MULTIPLY(REAL a, REAL b, REAL c, REAL d)
{
    REAL ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    REAL real = ac - bd, imaginary = ad + bc;
    if (UNLIKELY(IS_NAN(real) && IS_NAN(imaginary))) {
        bool left = is_infinite(a) || is_infinite(b), right = is_infinite(c) || is_infinite(d);
        bool partial = is_infinite(ac) || is_infinite(bd) || is_infinite(ad) || is_infinite(bc);
        if (left || right || partial) {
            a = left ? unit(a) : zero_for_nan(a), b = left ? unit(b) : zero_for_nan(b);
            c = right ? unit(c) : zero_for_nan(c), d = right ? unit(d) : zero_for_nan(d);
            real = INFINITE * (a * c - b * d), imaginary = INFINITE * (a * d + b * c);
        }
    }
    return __builtin_complex(real, imaginary);
}

/* k for which 2^k x is between 2^(1 - DIGITS) and 4; 0 for infinities and NaN, which stay what they are. */
INLINE int scale_of(REAL x)
{
    int exponent = BIASED_EXPONENT(x);
    return exponent == 2 * BIAS + 1 ? 0 : exponent == 0 ? BIAS - 1 : exponent == 2 * BIAS ? 1 - BIAS : BIAS - exponent;
}

/* x * 2^k for |k| <= 2 (BIAS - 1), by two factors, of which only the second can round */
INLINE REAL scaled(REAL x, int k)
{
    return x * EXP2_INT(k >> 1) * EXP2_INT(k - (k >> 1));
}

/* The larger magnitude; a number rather than NaN. */
INLINE REAL larger_part(REAL x, REAL y)
{
    REAL a = ABS(x), b = ABS(y);
    return a > b || IS_NAN(b) ? a : b;
}

/* ab + cd: what rounding took from cd is put back, so that the error stays small where the products cancel. */
INLINE REAL sum_of_products(REAL a, REAL b, REAL c, REAL d)
{
    REAL product = c * d;
    REAL sum = FMA(a, b, product);
    REAL lost = FMA(c, d, -product);
    return lost != 0 && ABS(lost) < INFINITE ? sum + lost : sum; /* a sum of -0 stays */
}

/* The quotient where the formula gave two NaNs. */
static COMPLEX quotient_of_special(REAL a, REAL b, REAL c, REAL d)
{
    bool finite_above = ABS(a) < INFINITE && ABS(b) < INFINITE, finite_below = ABS(c) < INFINITE && ABS(d) < INFINITE;
    if (c == 0 && d == 0 && !(IS_NAN(a) && IS_NAN(b)))
        return __builtin_complex(COPY_SIGN(INFINITE, c) * a, COPY_SIGN(INFINITE, c) * b);
    if ((is_infinite(a) || is_infinite(b)) && finite_below)
        return __builtin_complex(INFINITE * (unit(a) * c + unit(b) * d), INFINITE * (unit(b) * c - unit(a) * d));
    if ((is_infinite(c) || is_infinite(d)) && finite_above)
        return __builtin_complex(0 * (a * unit(c) + b * unit(d)), 0 * (b * unit(c) - a * unit(d)));
    return __builtin_complex(NOT_A_NUMBER, NOT_A_NUMBER);
}

/* (a + ib)/(c + id), both scaled to about 1. */
COMPLEX DIVIDE(REAL a, REAL b, REAL c, REAL d)
{
    int below = scale_of(larger_part(c, d)), above = scale_of(larger_part(a, b));
    REAL as = scaled(a, above), bs = scaled(b, above), cs = scaled(c, below), ds = scaled(d, below);
    REAL norm = FMA(cs, cs, ds * ds);
    REAL real = scaled(sum_of_products(as, cs, bs, ds) / norm, below - above);
    REAL imaginary = scaled(sum_of_products(bs, cs, -as, ds) / norm, below - above);
    if (UNLIKELY(IS_NAN(real) && IS_NAN(imaginary)))
        return quotient_of_special(a, b, c, d);
    return __builtin_complex(real, imaginary);
}
