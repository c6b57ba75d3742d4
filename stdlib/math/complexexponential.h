/* cexp csinh ccosh ctanh csin ccos ctan at the precision of the file that includes this.  Each part is a product or a
 * quotient of real functions, so that its error is a few units in its own last place.  Special values: C23, G.6. */

REAL OF_PRECISION(exp)(REAL);
REAL OF_PRECISION(sinh)(REAL);
REAL OF_PRECISION(cosh)(REAL);
REAL OF_PRECISION(sin)(REAL);
REAL OF_PRECISION(cos)(REAL);

/* x * value * 2^k for 1/2 < value < 2, |k| <= 3 (BIAS - 1): the last of three powers alone can round a result that is
 * not 0, and when value comes in, an x that was subnormal has become normal, if k > BIAS - 3 */
INLINE REAL scaled_far(REAL x, REAL value, int k)
{
    int third = k / 3;
    return x * EXP2_INT(third) * EXP2_INT(third) * value * EXP2_INT(k - 2 * third);
}

/* 2^shift exp(x) (cos y + i sin y) for any x but NaN and a finite y, also where exp(x) alone is out of range. */
INLINE COMPLEX exp_times_direction(REAL x, REAL y, int shift)
{
    REAL cosine = OF_PRECISION(cos)(y), sine = OF_PRECISION(sin)(y);
    if (is_infinite(x)) {
        REAL size = x > 0 ? INFINITE : 0;
        return __builtin_complex(size * cosine, y == 0 ? y : size * sine);
    }
    scaled_exp e = exp_in_parts(ABS(x) > EXP_TOO_LARGE ? COPY_SIGN(EXP_TOO_LARGE, x) : x);
    int count = e.count + shift;
    return __builtin_complex(scaled_far(cosine, e.value, count), scaled_far(sine, e.value, count));
}

/* ---- cexp ---- */

SLOW_PATH COMPLEX OF_PRECISION(slow_cexp)(REAL x, REAL y)
{
    if (ABS(y) < INFINITE && !IS_NAN(x))
        return exp_times_direction(x, y, 0);
    if (y == 0)
        return __builtin_complex(x, y);
    if (is_infinite(x))
        return x > 0 ? __builtin_complex(x, NOT_A_NUMBER) : __builtin_complex((REAL)0, COPY_SIGN(0, y));
    return __builtin_complex(NOT_A_NUMBER, NOT_A_NUMBER);
}

COMPLEX OF_PRECISION(cexp)(COMPLEX z)
{
    REAL x = __real__ z, y = __imag__ z;
    if (UNLIKELY(!(ABS(x) < EXP_NORMAL && ABS(y) < INFINITE)))
        return OF_PRECISION(slow_cexp)(x, y);
    REAL size = OF_PRECISION(exp)(x);
    return __builtin_complex(size * OF_PRECISION(cos)(y), size * OF_PRECISION(sin)(y));
}

/* ---- sinh, cosh; sin z = -i sinh(iz), cos z = cosh(iz) ---- */

/* The rest of sinh and cosh: |x| large, infinite or NaN, or y infinite or NaN. */
SLOW_PATH COMPLEX OF_PRECISION(slow_csinh)(REAL x, REAL y)
{
    if (y == 0)
        return __builtin_complex(OF_PRECISION(sinh)(x), y);
    if (ABS(y) < INFINITE && !IS_NAN(x)) {
        COMPLEX e = exp_times_direction(ABS(x), y, -1);
        return __builtin_complex(COPY_SIGN(1, x) * __real__ e, __imag__ e);
    }
    return __builtin_complex(x == 0 || is_infinite(x) ? x : NOT_A_NUMBER, NOT_A_NUMBER);
}

SLOW_PATH COMPLEX OF_PRECISION(slow_ccosh)(REAL x, REAL y)
{
    if (y == 0)
        return __builtin_complex(OF_PRECISION(cosh)(x), IS_NAN(x) ? y : COPY_SIGN(1, x) * y);
    if (ABS(y) < INFINITE && !IS_NAN(x)) {
        COMPLEX e = exp_times_direction(ABS(x), y, -1);
        return __builtin_complex(__real__ e, COPY_SIGN(1, x) * __imag__ e);
    }
    if (x == 0)
        return __builtin_complex(NOT_A_NUMBER, COPY_SIGN(0, x) * COPY_SIGN(1, y));
    return __builtin_complex(is_infinite(x) ? INFINITE : NOT_A_NUMBER, NOT_A_NUMBER);
}

INLINE COMPLEX sinh_of(REAL x, REAL y)
{
    if (UNLIKELY(!(ABS(x) < EXP_NORMAL && ABS(y) < INFINITE)))
        return OF_PRECISION(slow_csinh)(x, y);
    return __builtin_complex(OF_PRECISION(sinh)(x) * OF_PRECISION(cos)(y),
                             OF_PRECISION(cosh)(x) * OF_PRECISION(sin)(y));
}

INLINE COMPLEX cosh_of(REAL x, REAL y)
{
    if (UNLIKELY(!(ABS(x) < EXP_NORMAL && ABS(y) < INFINITE)))
        return OF_PRECISION(slow_ccosh)(x, y);
    return __builtin_complex(OF_PRECISION(cosh)(x) * OF_PRECISION(cos)(y),
                             OF_PRECISION(sinh)(x) * OF_PRECISION(sin)(y));
}

/* -i w */
INLINE COMPLEX turned_back(COMPLEX w)
{
    return __builtin_complex(__imag__ w, -__real__ w);
}

COMPLEX OF_PRECISION(csinh)(COMPLEX z)
{
    return sinh_of(__real__ z, __imag__ z);
}

COMPLEX OF_PRECISION(ccosh)(COMPLEX z)
{
    return cosh_of(__real__ z, __imag__ z);
}

COMPLEX OF_PRECISION(csin)(COMPLEX z)
{
    return turned_back(sinh_of(-__imag__ z, __real__ z));
}

COMPLEX OF_PRECISION(ccos)(COMPLEX z)
{
    return cosh_of(-__imag__ z, __real__ z);
}

/* ---- tanh; tan z = -i tanh(iz) ---- */

/* For large |x|, 1 + 4i sin(y) cos(y) exp(-2|x|). */
SLOW_PATH COMPLEX OF_PRECISION(slow_ctanh)(REAL x, REAL y)
{
    if (y == 0)
        return __builtin_complex(IS_NAN(x) ? x : COPY_SIGN(1, x), y);
    if (ABS(y) < INFINITE && !IS_NAN(x)) {
        REAL small = OF_PRECISION(exp)(-ABS(x));
        reduced angle = reduce_in_parts(y);
        PAIR product = MUL_PAIR(sine_in_parts(angle, angle.quadrant), sine_in_parts(angle, angle.quadrant + 1));
        return __builtin_complex(COPY_SIGN(1, x), product.hi * 4 * small * small);
    }
    if (is_infinite(x))
        return __builtin_complex(COPY_SIGN(1, x), COPY_SIGN(0, y));
    return __builtin_complex(x == 0 ? x : NOT_A_NUMBER, NOT_A_NUMBER);
}

/* x a / b for inverse = 1/b.hi; x may be tiny */
INLINE REAL times_quotient(PAIR x, PAIR a, PAIR b, REAL inverse)
{
    REAL quotient = a.hi * inverse;
    REAL rest = (FMA(-quotient, b.hi, a.hi) + FMA(-quotient, b.lo, a.lo)) * inverse;
    return FMA(x.hi, quotient, FMA(x.hi, rest, x.lo * quotient));
}

/* (sinh 2x + i sin 2y) / (2 (sinh^2 x + cos^2 y)), whose terms do not cancel, by e = exp(2|x|) - 1:
 * (e (e + 2) + 4i (e + 1) sin y cos y) / (e^2 + 4 (e + 1) cos^2 y), everything in two parts */
INLINE COMPLEX tanh_of(REAL x, REAL y)
{
    if (UNLIKELY(!(ABS(x) < EXP_LARGE && ABS(y) < INFINITE)))
        return OF_PRECISION(slow_ctanh)(x, y);
    reduced angle = reduce_in_parts(y);
    PAIR sine = sine_in_parts(angle, angle.quadrant), cosine = sine_in_parts(angle, angle.quadrant + 1);
    PAIR e = expm1_in_parts(2 * ABS(x));
    PAIR e_1 = TWO_SUM(1, e.hi), e_2 = TWO_SUM(2, e.hi);
    e_2.lo += e.lo;
    PAIR growth = MUL_PAIR(((PAIR){ 4 * e_1.hi, 4 * (e_1.lo + e.lo) }), cosine);
    PAIR square = MUL_PAIR(e, e), other = MUL_PAIR(growth, cosine);
    PAIR divisor = TWO_SUM(square.hi, other.hi);
    divisor.lo += square.lo + other.lo;
    REAL inverse = 1 / divisor.hi;
    REAL real = COPY_SIGN(times_quotient(e, e_2, divisor, inverse), x);
    return __builtin_complex(real, y == 0 ? y : times_quotient(sine, growth, divisor, inverse));
}

COMPLEX OF_PRECISION(ctanh)(COMPLEX z)
{
    return tanh_of(__real__ z, __imag__ z);
}

COMPLEX OF_PRECISION(ctan)(COMPLEX z)
{
    return turned_back(tanh_of(-__imag__ z, __real__ z));
}
