/* The rules of derivatives, for the type T.  gpucc_d0_NAME(x, y) is the partial derivative of y = NAME(x) by the first
 * argument, gpucc_d1_NAME(x0, x1, y) by the second.  compiler/derive/ finds them by these names, and derives them as
 * user code where a derivative is derived again: a rule is arithmetic and calls of the library's functions.
 * A function that stores through pointers has a body for derivatives, gpucc_derivable_NAME.
 *
 * The file that includes this defines T, F(name), which is gpucc_NAME or gpucc_NAMEf, BUILTIN(name) alike, and
 * limits. */

#pragma GCC diagnostic ignored "-Wunused-parameter" /* every rule has all arguments and the result */

#define RULE(k, name) T F(d##k##_##name)
#define PI ((T)3.14159265358979323846)
#define INVERSE_PI ((T)0.31830988618379067154)
#define TWO_OVER_ROOT_PI ((T)1.12837916709551257390)
#define HALF_ROOT_PI ((T)0.88622692545275801365)
#define LOG_2 ((T)0.69314718055994530942)
#define LOG_10 ((T)2.30258509299404568402)
#define INVERSE_LOG_2 ((T)1.44269504088896340736)
#define INVERSE_LOG_10 ((T)0.43429448190325182765)

#define DECLARE_1(name) T F(name)(T);
#define DECLARE_2(name) T F(name)(T, T);
DECLARE_1(sin) DECLARE_1(cos) DECLARE_1(sinpi) DECLARE_1(cospi) DECLARE_1(sinh) DECLARE_1(cosh)
DECLARE_1(exp) DECLARE_1(exp2) DECLARE_1(exp10) DECLARE_1(log) DECLARE_1(j0) DECLARE_1(j1) DECLARE_1(y0) DECLARE_1(y1)
DECLARE_1(cyl_bessel_i0) DECLARE_1(cyl_bessel_i1)
DECLARE_2(hypot) DECLARE_2(pow) DECLARE_2(powr) DECLARE_2(remainder)
T F(pown)(T, long long);
T F(ldexp)(T, int);
T F(jn)(int, T);
T F(yn)(int, T);
T F(frexp)(T, int *);
T F(modf)(T, T *);
T F(remquo)(T, T, int *);

/* ---- trigonometric ---- */

/* 1/(1 + x^2), also where x^2 is infinite */
INLINE T F(cauchy)(T x)
{
    return BUILTIN(fabs)(x) < LARGE ? 1 / BUILTIN(fma)(x, x, 1) : 1 / x / x;
}

INLINE T F(inverse_cosine_of_asin)(T x)
{
    return 1 / BUILTIN(sqrt)((1 - x) * (1 + x));
}

RULE(0, sin)(T x, T y) { return F(cos)(x); }
RULE(0, cos)(T x, T y) { return -F(sin)(x); }
RULE(0, tan)(T x, T y) { return BUILTIN(fma)(y, y, 1); }
RULE(0, asin)(T x, T y) { return F(inverse_cosine_of_asin)(x); }
RULE(0, acos)(T x, T y) { return -F(inverse_cosine_of_asin)(x); }
RULE(0, atan)(T x, T y) { return F(cauchy)(x); }
RULE(0, sinpi)(T x, T y) { return PI * F(cospi)(x); }
RULE(0, cospi)(T x, T y) { return -PI * F(sinpi)(x); }
RULE(0, tanpi)(T x, T y) { return PI * BUILTIN(fma)(y, y, 1); }
RULE(0, asinpi)(T x, T y) { return INVERSE_PI * F(inverse_cosine_of_asin)(x); }
RULE(0, acospi)(T x, T y) { return -INVERSE_PI * F(inverse_cosine_of_asin)(x); }
RULE(0, atanpi)(T x, T y) { return INVERSE_PI * F(cauchy)(x); }

RULE(0, atan2)(T a, T b, T y)
{
    T h = F(hypot)(a, b);
    return b / h / h;
}

RULE(1, atan2)(T a, T b, T y)
{
    T h = F(hypot)(a, b);
    return -(a / h / h);
}

RULE(0, atan2pi)(T a, T b, T y)
{
    T h = F(hypot)(a, b);
    return INVERSE_PI * (b / h / h);
}

RULE(1, atan2pi)(T a, T b, T y)
{
    T h = F(hypot)(a, b);
    return -INVERSE_PI * (a / h / h);
}

/* ---- hyperbolic ---- */

RULE(0, sinh)(T x, T y) { return F(cosh)(x); }
RULE(0, cosh)(T x, T y) { return F(sinh)(x); }

/* 1 - y^2 would cancel. */
RULE(0, tanh)(T x, T y)
{
    T inverse = 1 / F(cosh)(x);
    return inverse * inverse;
}

RULE(0, asinh)(T x, T y) { return 1 / F(hypot)(x, 1); }
RULE(0, acosh)(T x, T y) { return 1 / (BUILTIN(sqrt)(x - 1) * BUILTIN(sqrt)(x + 1)); }
RULE(0, atanh)(T x, T y) { return 1 / ((1 - x) * (1 + x)); }

/* ---- exponentials and logarithms ---- */

RULE(0, exp)(T x, T y) { return y; }
RULE(0, exp2)(T x, T y) { return LOG_2 * y; }
RULE(0, exp10)(T x, T y) { return LOG_10 * y; }
RULE(0, expm1)(T x, T y) { return F(exp)(x); }
RULE(0, exp2m1)(T x, T y) { return LOG_2 * F(exp2)(x); }
RULE(0, exp10m1)(T x, T y) { return LOG_10 * F(exp10)(x); }
RULE(0, log)(T x, T y) { return 1 / x; }
RULE(0, log2)(T x, T y) { return INVERSE_LOG_2 / x; }
RULE(0, log10)(T x, T y) { return INVERSE_LOG_10 / x; }
RULE(0, log1p)(T x, T y) { return 1 / (1 + x); }
RULE(0, log2p1)(T x, T y) { return INVERSE_LOG_2 / (1 + x); }
RULE(0, log10p1)(T x, T y) { return INVERSE_LOG_10 / (1 + x); }

/* ---- powers and roots ---- */

/* p x^(p-1) of y = x^p: by y / x, but where that has lost y or x. */
INLINE bool F(is_quotient)(T x, T y)
{
    return BUILTIN(fabs)(y) > SMALL && BUILTIN(fabs)(y) < LARGEST && BUILTIN(fabs)(x) > 0 && BUILTIN(fabs)(x) < LARGEST;
}

RULE(0, pow)(T x, T p, T y) { return F(is_quotient)(x, y) ? p * (y / x) : p == 0 ? 0 : p * F(pow)(x, p - 1); }
RULE(1, pow)(T x, T p, T y) { return x == 0 && p >= 0 ? 0 : F(log)(x) * y; }
RULE(0, powr)(T x, T p, T y) { return F(is_quotient)(x, y) ? p * (y / x) : p == 0 ? 0 : p * F(powr)(x, p - 1); }
RULE(1, powr)(T x, T p, T y) { return x == 0 && p >= 0 ? 0 : F(log)(x) * y; }

RULE(0, pown)(T x, long long n, T y)
{
    return F(is_quotient)(x, y) ? (T)n * (y / x) : n == 0 ? 0 : (T)n * F(pown)(x, n - 1);
}

RULE(0, rootn)(T x, long long n, T y) { return y / x / (T)n; }
RULE(0, compoundn)(T x, long long n, T y) { return (T)n * (y / (1 + x)); }
RULE(0, sqrt)(T x, T y) { return (T)0.5 / BUILTIN(fabs)(y); } /* infinite at either zero */
RULE(0, rsqrt)(T x, T y) { return (T)-0.5 * y / x; }
RULE(0, cbrt)(T x, T y) { return 1 / (3 * y * y); }
RULE(0, rcbrt)(T x, T y) { return y / x * ((T)-1 / 3); }

/* The partial derivative of a norm y; 0 if all arguments are 0, as of fabs. */
INLINE T F(of_norm)(T x, T y)
{
    return y == 0 ? 0 : x / y;
}

/* The partial derivative of y = 1 / norm. */
INLINE T F(of_inverse_norm)(T x, T y)
{
    return -(x * y) * (y * y);
}

RULE(0, hypot)(T a, T b, T y) { return F(of_norm)(a, y); }
RULE(1, hypot)(T a, T b, T y) { return F(of_norm)(b, y); }
RULE(0, rhypot)(T a, T b, T y) { return F(of_inverse_norm)(a, y); }
RULE(1, rhypot)(T a, T b, T y) { return F(of_inverse_norm)(b, y); }
RULE(0, norm3d)(T a, T b, T c, T y) { return F(of_norm)(a, y); }
RULE(1, norm3d)(T a, T b, T c, T y) { return F(of_norm)(b, y); }
RULE(2, norm3d)(T a, T b, T c, T y) { return F(of_norm)(c, y); }
RULE(0, rnorm3d)(T a, T b, T c, T y) { return F(of_inverse_norm)(a, y); }
RULE(1, rnorm3d)(T a, T b, T c, T y) { return F(of_inverse_norm)(b, y); }
RULE(2, rnorm3d)(T a, T b, T c, T y) { return F(of_inverse_norm)(c, y); }
RULE(0, norm4d)(T a, T b, T c, T d, T y) { return F(of_norm)(a, y); }
RULE(1, norm4d)(T a, T b, T c, T d, T y) { return F(of_norm)(b, y); }
RULE(2, norm4d)(T a, T b, T c, T d, T y) { return F(of_norm)(c, y); }
RULE(3, norm4d)(T a, T b, T c, T d, T y) { return F(of_norm)(d, y); }
RULE(0, rnorm4d)(T a, T b, T c, T d, T y) { return F(of_inverse_norm)(a, y); }
RULE(1, rnorm4d)(T a, T b, T c, T d, T y) { return F(of_inverse_norm)(b, y); }
RULE(2, rnorm4d)(T a, T b, T c, T d, T y) { return F(of_inverse_norm)(c, y); }
RULE(3, rnorm4d)(T a, T b, T c, T d, T y) { return F(of_inverse_norm)(d, y); }

/* ---- error functions and the normal distribution ---- */

/* exp(sign * x^2 * scale), with the rounding error of x^2, which exp would make large */
INLINE T F(exp_of_square)(T x, T factor)
{
    T square = x * x, rest = BUILTIN(fma)(x, x, -square), y = F(exp)(factor * square);
    return BUILTIN(fabs)(x) < FAR ? BUILTIN(fma)(y, factor * rest, y) : y;
}

RULE(0, erf)(T x, T y) { return TWO_OVER_ROOT_PI * F(exp_of_square)(x, -1); }
RULE(0, erfc)(T x, T y) { return -TWO_OVER_ROOT_PI * F(exp_of_square)(x, -1); }
RULE(0, erfcx)(T x, T y) { return BUILTIN(fma)(2 * x, y, -TWO_OVER_ROOT_PI); }
RULE(0, erfinv)(T x, T y) { return HALF_ROOT_PI * F(exp_of_square)(y, 1); }
RULE(0, erfcinv)(T x, T y) { return -HALF_ROOT_PI * F(exp_of_square)(y, 1); }
RULE(0, normcdf)(T x, T y) { return (T)0.39894228040143267794 * F(exp_of_square)(x, (T)-0.5); }
RULE(0, normcdfinv)(T x, T y) { return (T)2.50662827463100050242 * F(exp_of_square)(y, (T)0.5); }

/* ---- gamma functions ---- */

/* For x > 0: by psi(x) = psi(x + 1) - 1/x and the asymptotic series of Bernoulli's numbers. */
INLINE T F(digamma_of_positive)(T x)
{
    T sum = 0;
    while (x < ASYMPTOTIC) {
        sum += 1 / x;
        x += 1;
    }
    T r = 1 / (x * x), p = (T)(1.0 / 12);
    p = (T)(-691.0 / 32760) + r * p;
    p = (T)(1.0 / 132) + r * p;
    p = (T)(-1.0 / 240) + r * p;
    p = (T)(1.0 / 252) + r * p;
    p = (T)(-1.0 / 120) + r * p;
    p = (T)(1.0 / 12) + r * p;
    return F(log)(x) - (T)0.5 / x - r * p - sum;
}

INLINE T F(digamma)(T x)
{
    if (x > 0)
        return F(digamma_of_positive)(x);
    return F(digamma_of_positive)(1 - x) - PI * (F(cospi)(x) / F(sinpi)(x));
}

RULE(0, lgamma)(T x, T y) { return F(digamma)(x); }
RULE(0, tgamma)(T x, T y) { return y * F(digamma)(x); }

/* ---- Bessel functions ---- */

RULE(0, j0)(T x, T y) { return -F(j1)(x); }
RULE(0, j1)(T x, T y) { return (T)0.5 * (F(j0)(x) - F(jn)(2, x)); }
RULE(1, jn)(int n, T x, T y) { return (T)0.5 * (F(jn)(n - 1, x) - F(jn)(n + 1, x)); }
RULE(0, y0)(T x, T y) { return -F(y1)(x); }
RULE(0, y1)(T x, T y) { return F(y0)(x) - y / x; }
RULE(1, yn)(int n, T x, T y) { return (T)0.5 * (F(yn)(n - 1, x) - F(yn)(n + 1, x)); }
RULE(0, cyl_bessel_i0)(T x, T y) { return F(cyl_bessel_i1)(x); }
RULE(0, cyl_bessel_i1)(T x, T y) { return x == 0 ? (T)0.5 : F(cyl_bessel_i0)(x) - y / x; }

/* ---- signs, extremes, remainders ---- */

/* 0 at 0 */
INLINE T F(sign_of)(T x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x;
}

/* By a, where the result is a if a is greater than b, or b is NaN; one half of each where they are equal. */
INLINE T F(choice)(T a, T b)
{
    return a > b ? 1 : a < b ? 0 : a == b ? (T)0.5 : b != b ? 1 : 0;
}

/* The same, but NaN comes of a NaN. */
INLINE T F(choice_or_nan)(T a, T b)
{
    return a > b ? 1 : a < b ? 0 : a == b ? (T)0.5 : a + b;
}

/* The same by magnitudes. */
INLINE T F(choice_by_magnitude)(T a, T b, T otherwise)
{
    T first = BUILTIN(fabs)(a), second = BUILTIN(fabs)(b);
    return first > second ? 1 : first < second ? 0 : otherwise;
}

#define CHOICE(name, first, second)                                                                                    \
    RULE(0, name)(T a, T b, T y) { return first; }                                                                     \
    RULE(1, name)(T a, T b, T y) { return second; }

CHOICE(fmax, F(choice)(a, b), F(choice)(b, a))
CHOICE(fmin, F(choice)(-a, -b), F(choice)(-b, -a))
CHOICE(fmaximum_num, F(choice)(a, b), F(choice)(b, a))
CHOICE(fminimum_num, F(choice)(-a, -b), F(choice)(-b, -a))
CHOICE(fmaximum, F(choice_or_nan)(a, b), F(choice_or_nan)(b, a))
CHOICE(fminimum, F(choice_or_nan)(-a, -b), F(choice_or_nan)(-b, -a))
CHOICE(fmaximum_mag_num, F(choice_by_magnitude)(a, b, F(choice)(a, b)), F(choice_by_magnitude)(b, a, F(choice)(b, a)))
CHOICE(fminimum_mag_num, F(choice_by_magnitude)(b, a, F(choice)(-a, -b)),
       F(choice_by_magnitude)(a, b, F(choice)(-b, -a)))
CHOICE(fmaximum_mag, F(choice_by_magnitude)(a, b, F(choice_or_nan)(a, b)),
       F(choice_by_magnitude)(b, a, F(choice_or_nan)(b, a)))
CHOICE(fminimum_mag, F(choice_by_magnitude)(b, a, F(choice_or_nan)(-a, -b)),
       F(choice_by_magnitude)(a, b, F(choice_or_nan)(-b, -a)))

/* x - y where that is positive: a branch, and its derivative. */
CHOICE(fdim, a > b ? 1 : 0, a > b ? -1 : 0)

RULE(0, fabs)(T x, T y) { return F(sign_of)(x); }
RULE(0, copysign)(T x, T sign, T y) { return BUILTIN(copysign)(1, sign) * F(sign_of)(x); }
RULE(1, copysign)(T x, T sign, T y) { return 0; }
RULE(0, fma)(T a, T b, T c, T y) { return b; }
RULE(1, fma)(T a, T b, T c, T y) { return a; }
RULE(2, fma)(T a, T b, T c, T y) { return 1; }
RULE(0, fma_to_odd)(T a, T b, T c, T y) { return b; } /* of float16 and bfloat16, in <tgmath.h> */
RULE(1, fma_to_odd)(T a, T b, T c, T y) { return a; }
RULE(2, fma_to_odd)(T a, T b, T c, T y) { return 1; }
RULE(0, fmod)(T a, T b, T y) { return 1; }
RULE(1, fmod)(T a, T b, T y) { return -BUILTIN(rint)((a - y) / b); }
RULE(0, remainder)(T a, T b, T y) { return 1; }
RULE(1, remainder)(T a, T b, T y) { return -BUILTIN(rint)((a - y) / b); }
RULE(0, ldexp)(T x, int n, T y) { return F(ldexp)(1, n); }
RULE(0, scalbn)(T x, int n, T y) { return F(ldexp)(1, n); }
RULE(0, scalbln)(T x, long n, T y) { return F(ldexp)(1, n > 5000 ? 5000 : n < -5000 ? -5000 : (int)n); }

/* ---- functions that store through pointers ---- */

void F(derivable_sincos)(T x, T *sine, T *cosine)
{
    *sine = F(sin)(x);
    *cosine = F(cos)(x);
}

void F(derivable_sincospi)(T x, T *sine, T *cosine)
{
    *sine = F(sinpi)(x);
    *cosine = F(cospi)(x);
}

T F(fraction)(T x)
{
    T whole;
    return F(modf)(x, &whole);
}

RULE(0, fraction)(T x, T y) { return 1; }

T F(derivable_modf)(T x, T *whole)
{
    *whole = BUILTIN(trunc)(x);
    return F(fraction)(x);
}

int F(exponent_of)(T x)
{
    int exponent;
    F(frexp)(x, &exponent);
    return exponent;
}

T F(derivable_frexp)(T x, int *exponent)
{
    *exponent = F(exponent_of)(x);
    return F(ldexp)(x, -*exponent);
}

int F(quotient_of)(T a, T b)
{
    int quotient;
    F(remquo)(a, b, &quotient);
    return quotient;
}

T F(derivable_remquo)(T a, T b, int *quotient)
{
    *quotient = F(quotient_of)(a, b);
    return F(remainder)(a, b);
}
