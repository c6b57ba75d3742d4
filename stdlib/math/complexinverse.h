/* casin cacos casinh cacosh catan catanh at the precision of the file that includes this.  Special values: C23, G.6. */

REAL OF_PRECISION(asin)(REAL);
REAL OF_PRECISION(acos)(REAL);
REAL OF_PRECISION(acosh)(REAL);
REAL OF_PRECISION(log)(REAL);
REAL OF_PRECISION(log1p)(REAL);

/* ---- asin, acos; asinh z = -i asin(iz), acosh z = i acos z or -i acos z ---- */

/* After T. E. Hull, T. F. Fairgrieve, P. T. P. Tang, Implementing the Complex Arcsine and Arccosine Functions Using
 * Exception Handling, 1997.  For x and y not negative and the foci 1 and -1, with a half the sum of the distances r
 * and s of z from them:
 *   asin z = atan2(x, root) + i growth,  acos z = atan2(root, x) - i growth
 *   root = sqrt(a^2 - x^2),  growth = log(a + sqrt(a^2 - 1)),  a - x and a - 1 from sums that do not cancel. */
typedef struct {
    REAL root, growth;
} ellipse;

INLINE ellipse ellipse_through(REAL x, REAL y)
{
    REAL right = x + 1, left = x - 1; /* abscissae, from the foci */
    REAL r = OF_PRECISION(hypot)(right, y), s = OF_PRECISION(hypot)(left, y);
    REAL a = (r + s) * (REAL)0.5;
    REAL square = y * y;
    REAL beyond_r = square / (r + right);                           /* r - (x + 1) */
    REAL sum_s = s + ABS(left), beyond_s = square / sum_s;          /* s - |x - 1| */
    REAL less_x = beyond_r + (x <= 1 ? sum_s : beyond_s);           /* 2 (a - x) */
    REAL less_1 = (beyond_r + (x <= 1 ? beyond_s : sum_s)) * (REAL)0.5; /* a - 1 */
    REAL root = SQRT(less_x * (REAL)0.5 * (a + x));
    return (ellipse){ root, OF_PRECISION(log1p)(less_1 + SQRT(less_1 * (a + 1))) };
}

/* Elsewhere the square of y, or what it is divided by, is out of range. */
INLINE bool has_ellipse(REAL x, REAL y)
{
    return ABS(y) > SQUARES_LOW && ABS(y) < ELLIPSE_HIGH && ABS(x) < ELLIPSE_HIGH;
}

/* For x, y >= 0 and y so small that its square is nothing. */
INLINE ellipse flat_ellipse(REAL x, REAL y)
{
    REAL root = SQRT(ABS(x - 1) * (x + 1));
    if (x == 1)
        return (ellipse){ SQRT(y), SQRT(y) };
    return x < 1 ? (ellipse){ root, y / root } : (ellipse){ y / root * x, OF_PRECISION(acosh)(x) };
}

/* The real parts of asin and acos and the size of their imaginary part, for other arguments. */
typedef struct {
    REAL sine_angle, cosine_angle, growth;
} inverse_parts;

INLINE inverse_parts parts_of_special(REAL x, REAL y)
{
    REAL size_x = ABS(x), size_y = ABS(y);
    if (size_x < ELLIPSE_HIGH && size_y <= SQUARES_LOW) {
        ellipse e = flat_ellipse(size_x, size_y);
        return (inverse_parts){ OF_PRECISION(atan2)(x, e.root), OF_PRECISION(atan2)(e.root, x), e.growth };
    }
    REAL growth = log_of_any_size(x, y) + LN_2;
    if (IS_NAN(y) && x == 0)
        return (inverse_parts){ x, PI_HALF, growth };
    return (inverse_parts){ OF_PRECISION(atan2)(x, size_y), OF_PRECISION(atan2)(size_y, x), growth };
}

SLOW_PATH COMPLEX OF_PRECISION(slow_casin)(REAL x, REAL y)
{
    inverse_parts parts = parts_of_special(x, y);
    return __builtin_complex(parts.sine_angle, parts.growth);
}

SLOW_PATH COMPLEX OF_PRECISION(slow_cacos)(REAL x, REAL y)
{
    inverse_parts parts = parts_of_special(x, y);
    return __builtin_complex(parts.cosine_angle, parts.growth);
}

/* asin with the size of its imaginary part */
INLINE COMPLEX asin_of(REAL x, REAL y)
{
    if (UNLIKELY(!has_ellipse(x, y)))
        return OF_PRECISION(slow_casin)(x, y);
    ellipse e = ellipse_through(ABS(x), ABS(y));
    return __builtin_complex(OF_PRECISION(atan2)(x, e.root), e.growth);
}

INLINE COMPLEX acos_of(REAL x, REAL y)
{
    if (UNLIKELY(!has_ellipse(x, y)))
        return OF_PRECISION(slow_cacos)(x, y);
    ellipse e = ellipse_through(ABS(x), ABS(y));
    return __builtin_complex(OF_PRECISION(atan2)(e.root, x), e.growth);
}

COMPLEX OF_PRECISION(casin)(COMPLEX z)
{
    COMPLEX w = asin_of(__real__ z, __imag__ z);
    return __builtin_complex(__real__ w, COPY_SIGN(__imag__ w, __imag__ z));
}

COMPLEX OF_PRECISION(cacos)(COMPLEX z)
{
    COMPLEX w = acos_of(__real__ z, __imag__ z);
    return __builtin_complex(__real__ w, COPY_SIGN(__imag__ w, -__imag__ z));
}

COMPLEX OF_PRECISION(casinh)(COMPLEX z)
{
    COMPLEX w = asin_of(__imag__ z, __real__ z);
    return __builtin_complex(COPY_SIGN(__imag__ w, __real__ z), __real__ w);
}

COMPLEX OF_PRECISION(cacosh)(COMPLEX z)
{
    COMPLEX w = acos_of(__real__ z, __imag__ z);
    return __builtin_complex(__imag__ w, COPY_SIGN(__real__ w, __imag__ z));
}

/* ---- atanh; atan z = -i atanh(iz) ---- */

/* The rest: z large, infinite or NaN, or so near 1 or -1 that y's square underflows. */
SLOW_PATH COMPLEX OF_PRECISION(slow_catanh)(REAL x, REAL y)
{
    REAL size_x = ABS(x), size_y = ABS(y);
    REAL quarter_turn = COPY_SIGN(PI_HALF, y);
    if (is_infinite(x) || is_infinite(y))
        return __builtin_complex(IS_NAN(x) ? 0 : COPY_SIGN(0, x), IS_NAN(y) ? y : quarter_turn);
    if (IS_NAN(x) || IS_NAN(y))
        return __builtin_complex(x == 0 ? x : NOT_A_NUMBER, NOT_A_NUMBER);
    if (size_x == 1) {
        REAL size = y == 0 ? INFINITE : (LN_2 - OF_PRECISION(log)(size_y)) * (REAL)0.5;
        return __builtin_complex(COPY_SIGN(size, x), y == 0 ? y : COPY_SIGN(PI_QUARTER, y));
    }
    /* 1/z, halved against overflow */
    REAL half_x = x * (REAL)0.5, size = OF_PRECISION(hypot)(half_x, y * (REAL)0.5);
    return __builtin_complex(half_x / size / size * (REAL)0.5, quarter_turn);
}

/* Returns whether squares neither overflow nor underflow and the quotient below does not overflow. */
INLINE bool has_quotient(REAL x, REAL y)
{
    return ABS(x) < SQUARES_HIGH && ABS(y) < SQUARES_HIGH && (ABS(x) != 1 || ABS(y) > SQUARES_LOW);
}

/* log(1 + 4x / ((1 - x)^2 + y^2)) / 4 and atan2(2y, 1 - x^2 - y^2) / 2, for x >= 0 */
INLINE COMPLEX atanh_of(REAL x, REAL y)
{
    if (UNLIKELY(!has_quotient(x, y)))
        return OF_PRECISION(slow_catanh)(x, y);
    PAIR rest = TWO_SUM(1, -ABS(x)), divisor = sum_of_squares(rest.hi, y);
    divisor.lo = FMA(2 * rest.hi, rest.lo, divisor.lo);
    REAL dividend = 4 * ABS(x), inverse = 1 / divisor.hi, quotient = dividend * inverse;
    REAL remainder = FMA(-quotient, divisor.lo, FMA(-quotient, divisor.hi, dividend));
    REAL size = LOG1P_OF_PAIR(((PAIR){ quotient, remainder * inverse })) * (REAL)0.25;
    REAL angle = OF_PRECISION(atan2)(2 * y, -norm_less_1(x, y).hi) * (REAL)0.5;
    return __builtin_complex(COPY_SIGN(size, x), angle);
}

COMPLEX OF_PRECISION(catanh)(COMPLEX z)
{
    return atanh_of(__real__ z, __imag__ z);
}

COMPLEX OF_PRECISION(catan)(COMPLEX z)
{
    return turned_back(atanh_of(-__imag__ z, __real__ z));
}
