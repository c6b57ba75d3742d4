/* csqrt clog cpow at the precision of the file that includes this.  Special values: C23, G.6. */

REAL OF_PRECISION(hypot)(REAL, REAL);
REAL OF_PRECISION(atan2)(REAL, REAL);

/* Whether squares of both neither overflow nor lose bits that matter, beside one another. */
INLINE bool is_moderate(REAL x, REAL y)
{
    REAL larger = ABS(x) > ABS(y) ? ABS(x) : ABS(y);
    return larger > SQUARES_LOW && larger < SQUARES_HIGH && ABS(x) < INFINITE && ABS(y) < INFINITE;
}

/* ---- csqrt ---- */

/* By W. Kahan, Branch Cuts for Complex Elementary Functions, 1987: the part that is a sum, `root`, and the other one
 * from it. */
INLINE COMPLEX root_in_parts(REAL x, REAL y, REAL root)
{
    REAL other = y / (root + root);
    return x < 0 ? __builtin_complex(ABS(other), COPY_SIGN(root, y)) : __builtin_complex(root, other);
}

INLINE REAL larger_part_of_root(REAL x, REAL y)
{
    return SQRT((ABS(x) + OF_PRECISION(hypot)(x, y)) * (REAL)0.5);
}

SLOW_PATH COMPLEX OF_PRECISION(slow_csqrt)(REAL x, REAL y)
{
    if (is_infinite(y))
        return __builtin_complex(INFINITE, y);
    if (is_infinite(x))
        return x > 0 ? __builtin_complex(x, IS_NAN(y) ? y : COPY_SIGN(0, y))
                     : __builtin_complex(IS_NAN(y) ? y : 0, COPY_SIGN(INFINITE, y));
    if (IS_NAN(x) || IS_NAN(y))
        return __builtin_complex(NOT_A_NUMBER, NOT_A_NUMBER);
    if (x == 0 && y == 0)
        return __builtin_complex((REAL)0, y);
    REAL scale = ABS(x) > 1 || ABS(y) > 1 ? 1 / RESCALE : RESCALE;
    REAL back = scale > 1 ? EXP2_INT(-RESCALE_LOG) : EXP2_INT(RESCALE_LOG);
    return root_in_parts(x, y, larger_part_of_root(x * scale, y * scale) * back);
}

COMPLEX OF_PRECISION(csqrt)(COMPLEX z)
{
    REAL x = __real__ z, y = __imag__ z;
    if (UNLIKELY(!is_moderate(x, y)))
        return OF_PRECISION(slow_csqrt)(x, y);
    return root_in_parts(x, y, larger_part_of_root(x, y));
}

/* ---- clog ---- */

INLINE PAIR add_to_pair(PAIR a, REAL b)
{
    PAIR sum = TWO_SUM(a.hi, b);
    sum.lo += a.lo;
    return sum;
}

INLINE PAIR sum_of_squares(REAL x, REAL y)
{
    PAIR p = TWO_PRODUCT(x, x), q = TWO_PRODUCT(y, y);
    PAIR sum = TWO_SUM(p.hi, q.hi);
    return FAST_TWO_SUM(sum.hi, sum.lo + (p.lo + q.lo));
}

/* x^2 + y^2 - 1 for moderate x and y, nearly all its bits also where the three cancel */
INLINE PAIR norm_less_1(REAL x, REAL y)
{
    REAL larger = ABS(x) > ABS(y) ? ABS(x) : ABS(y), smaller = ABS(x) > ABS(y) ? ABS(y) : ABS(x);
    PAIR p = TWO_PRODUCT(larger, larger), q = TWO_PRODUCT(smaller, smaller);
    PAIR first = TWO_SUM(p.hi, -1), second = TWO_SUM(first.hi, q.hi);
    PAIR low = TWO_SUM(p.lo, q.lo), sum = TWO_SUM(second.hi, low.hi);
    return TWO_SUM(sum.hi, sum.lo + (low.lo + second.lo + first.lo));
}

/* log|z| + more * log(2), from |z|^2 - 1 where |z| is near 1 */
INLINE REAL log_of_size(REAL x, REAL y, REAL more)
{
    PAIR norm = sum_of_squares(x, y), less_1 = norm_less_1(x, y);
    bool near = ABS(less_1.hi) < (REAL)0.5;
    PAIR from_1 = TWO_SUM(1, less_1.hi);
    from_1.lo += less_1.lo;
    norm.hi = near ? from_1.hi : norm.hi;
    norm.lo = near ? from_1.lo : norm.lo;
    return LOG_OF_PAIR(norm, 2 * more) * (REAL)0.5;
}

/* log|z| where squares are out of range */
SLOW_PATH REAL OF_PRECISION(slow_log_of_size)(REAL x, REAL y)
{
    if (is_infinite(x) || is_infinite(y))
        return INFINITE;
    if (IS_NAN(x) || IS_NAN(y))
        return NOT_A_NUMBER;
    if (x == 0 && y == 0)
        return -INFINITE;
    bool large = ABS(x) > 1 || ABS(y) > 1;
    REAL scale = large ? 1 / RESCALE : RESCALE;
    return log_of_size(x * scale, y * scale, large ? 2 * RESCALE_LOG : -2 * RESCALE_LOG);
}

INLINE REAL log_of_any_size(REAL x, REAL y)
{
    return UNLIKELY(!is_moderate(x, y)) ? OF_PRECISION(slow_log_of_size)(x, y) : log_of_size(x, y, 0);
}

COMPLEX OF_PRECISION(clog)(COMPLEX z)
{
    REAL x = __real__ z, y = __imag__ z;
    return __builtin_complex(log_of_any_size(x, y), OF_PRECISION(atan2)(y, x));
}
