/* Checks both precisions of the complex functions at the special arguments of complex_special.def, their symmetries
 * there, and which products and quotients are infinite, zero or NaN.  Prints every difference.  Exit status: 0 when
 * there is none, 1 otherwise. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#define INF INFINITY
#define PI 3.14159265358979323846
/* Numbers that stand for themselves with either sign. */
#define SIGNED_0 0x1p-1000
#define SIGNED_INF 0x1p1000
#define SIGNED_PI_2 0x1p999

typedef double _Complex function(double _Complex);
typedef float _Complex functionf(float _Complex);

#define SPECIAL(name, x, y, u, v) function gpucc_##name; functionf gpucc_##name##f;
#define ODD(name)
#define EVEN(name)
#define TURNED(name, other) function gpucc_##name; functionf gpucc_##name##f;
#define TURNED_EVEN(name, other) function gpucc_##name; functionf gpucc_##name##f;
#include "complex_special.def"
#undef SPECIAL
#undef ODD
#undef EVEN
#undef TURNED
#undef TURNED_EVEN
double _Complex __muldc3(double, double, double, double), __divdc3(double, double, double, double);
float _Complex __mulsc3(float, float, float, float), __divsc3(float, float, float, float);

static int rows, failures;

/* The results for float are float's approximations of PI and its parts. */
static bool agrees(double got, double wanted, double tolerance)
{
    if (wanted == SIGNED_0 || wanted == SIGNED_INF || wanted == SIGNED_PI_2) {
        wanted = wanted == SIGNED_0 ? 0 : wanted == SIGNED_INF ? INF : PI / 2;
        got = fabs(got);
    }
    if (isnan(wanted) || isnan(got))
        return isnan(wanted) && isnan(got);
    if (isinf(wanted) || wanted == 0)
        return got == wanted && signbit(got) == signbit(wanted);
    return fabs(got - wanted) <= tolerance;
}

static void check(const char *what, double x, double y, double _Complex got, double u, double v, double tolerance)
{
    rows++;
    if (!agrees(__real__ got, u, tolerance) || !agrees(__imag__ got, v, tolerance)) {
        printf("%s at (%g, %g) is (%g, %g), not (%g, %g)\n", what, x, y, __real__ got, __imag__ got, u, v);
        failures++;
    }
}

static double _Complex wide(float _Complex z)
{
    return __builtin_complex((double)__real__ z, (double)__imag__ z);
}

#define AT(x, y) __builtin_complex((double)(x), (double)(y))
#define ATF(x, y) __builtin_complex((float)(x), (float)(y))

static void check_row(const char *name, function *f, functionf *ff, double x, double y, double u, double v)
{
    check(name, x, y, f(AT(x, y)), u, v, 1e-15);
    check(name, x, y, wide(ff(ATF(x, y))), u, v, 3e-7);
}

/* ---- symmetries ---- */

static const double values[] = { 0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -3.0, INF, -INF, NAN };
enum { VALUES = sizeof values / sizeof *values };

/* The standard leaves some signs open: of zeros, and of what stands beside NaN. */
static bool same(double a, double b, bool any_sign)
{
    return (isnan(a) && isnan(b)) || a == b || (any_sign && fabs(a) == fabs(b));
}

static void check_same(const char *what, const char *name, double x, double y, double _Complex a, double u, double v)
{
    bool any_sign = isnan(u) || isnan(v);
    rows++;
    if (!same(__real__ a, u, any_sign) || !same(__imag__ a, v, any_sign)) {
        printf("%s %s at (%g, %g): (%g, %g), not (%g, %g)\n", name, what, x, y, __real__ a, __imag__ a, u, v);
        failures++;
    }
}

/* f(x_sign x + i y_sign y) has the parts of f(x + iy) with these signs. */
struct symmetry {
    const char *what;
    double x_sign, y_sign, real_sign, imaginary_sign;
};

static void check_symmetry(const struct symmetry *s, const char *name, function *f, functionf *ff)
{
    for (int i = 0; i < VALUES * VALUES; i++) {
        double x = values[i / VALUES], y = values[i % VALUES];
        double _Complex a = f(AT(x, y)), b = wide(ff(ATF(x, y)));
        double _Complex other = f(AT(s->x_sign * x, s->y_sign * y));
        double _Complex otherf = wide(ff(ATF(s->x_sign * x, s->y_sign * y)));
        check_same(s->what, name, x, y, other, s->real_sign * __real__ a, s->imaginary_sign * __imag__ a);
        check_same(s->what, name, x, y, otherf, s->real_sign * __real__ b, s->imaginary_sign * __imag__ b);
    }
}

static const struct symmetry conjugate = { "of the conjugate", 1, -1, 1, -1 };
static const struct symmetry odd = { "is odd", -1, -1, -1, -1 };
static const struct symmetry even = { "is even", -1, -1, 1, 1 };

/* f(x + iy) = -i other(-y + ix), or other(-y + ix) */
static void check_rotated(const char *name, function *f, function *other, bool is_even)
{
    for (int i = 0; i < VALUES * VALUES; i++) {
        double x = values[i / VALUES], y = values[i % VALUES];
        double _Complex w = other(AT(-y, x));
        check_same("turned", name, x, y, f(AT(x, y)), is_even ? __real__ w : __imag__ w,
                   is_even ? __imag__ w : -__real__ w);
    }
}

/* ---- arithmetic ---- */

enum kind { ZERO, FINITE, INFINITE, UNDEFINED };

static enum kind kind(double x, double y)
{
    if (isinf(x) || isinf(y))
        return INFINITE;
    return isnan(x) || isnan(y) ? UNDEFINED : x == 0 && y == 0 ? ZERO : FINITE;
}

/* By G.5.1: what the kind of a product or a quotient must be, or UNDEFINED. */
static enum kind product_kind(enum kind a, enum kind b)
{
    if ((a == INFINITE && b != ZERO && b != UNDEFINED) || (b == INFINITE && a != ZERO && a != UNDEFINED))
        return INFINITE;
    return a == UNDEFINED || b == UNDEFINED || a == INFINITE || b == INFINITE ? UNDEFINED
           : a == ZERO || b == ZERO                                           ? ZERO
                                                                              : FINITE;
}

static enum kind quotient_kind(enum kind a, enum kind b)
{
    if ((a == INFINITE && (b == FINITE || b == ZERO)) || (a == FINITE && b == ZERO))
        return INFINITE;
    if ((a == FINITE || a == ZERO) && b == INFINITE)
        return ZERO;
    return b == FINITE && a != UNDEFINED ? a : UNDEFINED;
}

static void check_kind(const char *what, const double p[4], double _Complex result, enum kind wanted)
{
    rows++;
    if (wanted != UNDEFINED && kind(__real__ result, __imag__ result) != wanted) {
        printf("(%g, %g) %s (%g, %g) is (%g, %g)\n", p[0], p[1], what, p[2], p[3], __real__ result, __imag__ result);
        failures++;
    }
}

static void check_arithmetic(void)
{
    for (int i = 0; i < VALUES * VALUES * VALUES * VALUES; i++) {
        const double p[4] = { values[i % VALUES], values[i / VALUES % VALUES], values[i / VALUES / VALUES % VALUES],
                              values[i / VALUES / VALUES / VALUES] };
        enum kind a = kind(p[0], p[1]), b = kind(p[2], p[3]);
        float f[4] = { (float)p[0], (float)p[1], (float)p[2], (float)p[3] };
        check_kind("*", p, __muldc3(p[0], p[1], p[2], p[3]), product_kind(a, b));
        check_kind("*", p, wide(__mulsc3(f[0], f[1], f[2], f[3])), product_kind(a, b));
        check_kind("/", p, __divdc3(p[0], p[1], p[2], p[3]), quotient_kind(a, b));
        check_kind("/", p, wide(__divsc3(f[0], f[1], f[2], f[3])), quotient_kind(a, b));
    }
}

int main(void)
{
#define SPECIAL(name, x, y, u, v) check_row(#name, gpucc_##name, gpucc_##name##f, x, y, u, v);
#define ODD(name) check_symmetry(&odd, #name, gpucc_##name, gpucc_##name##f);
#define EVEN(name) check_symmetry(&even, #name, gpucc_##name, gpucc_##name##f);
#define TURNED(name, other) check_rotated(#name, gpucc_##name, gpucc_##other, false);
#define TURNED_EVEN(name, other) check_rotated(#name, gpucc_##name, gpucc_##other, true);
#include "complex_special.def"
#define COMPLEX_1(name, exact, part, norm) check_symmetry(&conjugate, #name, gpucc_##name, gpucc_##name##f);
#define COMPLEX_2(name, exact, part, norm)
#include "complex.def"
    check_arithmetic();
    printf("%d of %d special values differ\n", failures, rows);
    return failures ? 1 : 0;
}
