/* Checks those exact functions of C23 that glibc need not have: rounding to integers of some width, the total order,
 * NaN's payloads, and operations on double rounded once to float, these against MPFR.
 *
 *   exact_c23 [SAMPLES]     random samples for each operation, 300000 unless told
 *
 * Prints each difference.  Exit status: 0 when there is none, 1 otherwise. */
#include "samples.h"

#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

double gpucc_fromfp(double, int, unsigned), gpucc_ufromfp(double, int, unsigned);
float gpucc_fromfpf(float, int, unsigned), gpucc_ufromfpf(float, int, unsigned);
int gpucc_totalorder(const double *, const double *), gpucc_totalordermag(const double *, const double *);
int gpucc_totalorderf(const float *, const float *), gpucc_totalordermagf(const float *, const float *);
int gpucc_canonicalize(double *, const double *), gpucc_canonicalizef(float *, const float *);
double gpucc_getpayload(const double *);
float gpucc_getpayloadf(const float *);
int gpucc_setpayload(double *, double), gpucc_setpayloadsig(double *, double);
int gpucc_setpayloadf(float *, float), gpucc_setpayloadsigf(float *, float);
float gpucc_fadd(double, double), gpucc_fsub(double, double), gpucc_fmul(double, double), gpucc_fdiv(double, double);
float gpucc_fsqrt(double), gpucc_ffma(double, double, double), gpucc_fma_to_oddf(float, float, float);

static int failures;

static void expect(bool right, const char *what, double x, double y)
{
    if (!right) {
        printf("%s is wrong at %a, %a\n", what, x, y);
        failures++;
    }
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* ---- to integers ---- */

enum { UPWARD, DOWNWARD, TOWARD_ZERO, FROM_ZERO, TO_EVEN };

static double rounded(double x, int direction)
{
    double below = floor(x), above = ceil(x), fraction = x - below;
    double nearest = fraction < 0.5 ? below : fraction > 0.5 ? above : NAN;
    double even = isnan(nearest) ? (remainder(below, 2) == 0 ? below : above) : nearest;
    double from_zero = isnan(nearest) ? (x < 0 ? below : above) : nearest;
    const double results[] = { above, below, x < 0 ? above : below, from_zero, even };
    return copysign(fabs(results[direction]), x);
}

static void check_width(double x, int direction, unsigned width)
{
    double wanted = rounded(x, direction), top = ldexp(1, (int)width);
    double wanted_signed = width > 0 && wanted >= -top / 2 && wanted < top / 2 ? wanted : NAN;
    double wanted_unsigned = width > 0 && wanted >= 0 && wanted < top ? wanted : NAN;
    expect(same(gpucc_fromfp(x, direction, width), wanted_signed), "fromfp", x, width);
    expect(same(gpucc_ufromfp(x, direction, width), wanted_unsigned), "ufromfp", x, width);
    expect(same((double)gpucc_fromfpf((float)x, direction, width), wanted_signed), "fromfpf", x, width);
    expect(same((double)gpucc_ufromfpf((float)x, direction, width), wanted_unsigned), "ufromfpf", x, width);
}

static void check_integers(void)
{
    static const double values[] = {0.0,     -0.0,          0.25,   -0.25,   0.5,    -0.5,    0.75,
                                    1.5,     -1.5,          2.5,    3.5,     -3.5,   3.75,    4.0,
                                    -4.0,    -4.25,         -4.5,   127.5,   -128.5, 255.5,   0x1p31,
                                    -0x1p31, 0x1.fffffep30, 0x1p63, -0x1p63, 0x1p64, 0x1p100, -0x1p100};
    static const unsigned widths[] = { 0, 1, 2, 3, 4, 8, 9, 31, 32, 33, 63, 64, 65, 101, 102, 2000 };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (int direction = UPWARD; direction <= TO_EVEN; direction++)
                check_width(values[i], direction, widths[w]);
    expect(isnan(gpucc_fromfp(INFINITY, UPWARD, 4000000000)), "fromfp", INFINITY, 4e9);
    expect(isnan(gpucc_fromfp(-INFINITY, UPWARD, 64)), "fromfp", -INFINITY, 64);
    expect(isnan(gpucc_ufromfp(NAN, UPWARD, 64)), "ufromfp", NAN, 64);
    expect(gpucc_fromfp(0x1p1000, UPWARD, 4000000000) == 0x1p1000, "fromfp", 0x1p1000, 4e9);
}

/* ---- formats ---- */

/* From the least to the greatest. */
static const uint64_t ordered[] = {
    0xfff8000000000001, 0xfff8000000000000, 0xfff0000000000001, 0xfff0000000000000, 0xbff0000000000000,
    0x8000000000000001, 0x8000000000000000, 0x0000000000000000, 0x0000000000000001, 0x3ff0000000000000,
    0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 0x7ff8000000000001,
};
static const uint32_t ordered_float[] = {
    0xffc00001, 0xffc00000, 0xff800001, 0xff800000, 0xbf800000, 0x80000001, 0x80000000,
    0x00000000, 0x00000001, 0x3f800000, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fc00001,
};
enum { ORDERED = sizeof ordered / sizeof *ordered };

static void check_order(void)
{
    double wide[ORDERED];
    float narrow[ORDERED];
    memcpy(wide, ordered, sizeof ordered);
    memcpy(narrow, ordered_float, sizeof ordered_float);
    for (int i = 0; i < ORDERED; i++)
        for (int j = 0; j < ORDERED; j++) {
            int size_i = i < ORDERED / 2 ? ORDERED - 1 - i : i, size_j = j < ORDERED / 2 ? ORDERED - 1 - j : j;
            expect(gpucc_totalorder(&wide[i], &wide[j]) == (i <= j), "totalorder", i, j);
            expect(gpucc_totalorderf(&narrow[i], &narrow[j]) == (i <= j), "totalorderf", i, j);
            expect(gpucc_totalordermag(&wide[i], &wide[j]) == (size_i <= size_j), "totalordermag", i, j);
            expect(gpucc_totalordermagf(&narrow[i], &narrow[j]) == (size_i <= size_j), "totalordermagf", i, j);
        }
}

static uint64_t bits_of(const double *x)
{
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    return bits;
}

static uint32_t bits_of_float(const float *x)
{
    uint32_t bits;
    memcpy(&bits, x, sizeof bits);
    return bits;
}

static void check_payload(double payload, bool fits, bool fits_float)
{
    double x = 1, y = 1;
    float f = 1, g = 1;
    bool signalling = payload != 0;
    uint64_t word = fits ? (uint64_t)payload : 0;
    uint32_t word_float = fits_float ? (uint32_t)payload : 0;
    expect(gpucc_setpayload(&x, payload) == !fits, "setpayload", payload, 0);
    expect(bits_of(&x) == (fits ? 0x7ff8000000000000 | word : 0), "setpayload's result", payload, 0);
    expect(gpucc_setpayloadsig(&y, payload) == !(fits && signalling), "setpayloadsig", payload, 0);
    expect(bits_of(&y) == (fits && signalling ? 0x7ff0000000000000 | word : 0), "setpayloadsig's result", payload, 0);
    expect(gpucc_getpayload(&x) == (fits ? payload : -1), "getpayload", payload, 0);
    expect(gpucc_setpayloadf(&f, (float)payload) == !fits_float, "setpayloadf", payload, 0);
    expect(bits_of_float(&f) == (fits_float ? 0x7fc00000 | word_float : 0), "setpayloadf's result", payload, 0);
    expect(gpucc_setpayloadsigf(&g, (float)payload) == !(fits_float && signalling), "setpayloadsigf", payload, 0);
    expect((double)gpucc_getpayloadf(&f) == (fits_float ? payload : -1), "getpayloadf", payload, 0);
    gpucc_canonicalize(&x, &y);
    expect(bits_of(&x) == (fits && signalling ? 0x7ff8000000000000 | word : 0), "canonicalize", payload, 0);
    gpucc_canonicalizef(&f, &g);
    expect(bits_of_float(&f) == (fits_float && signalling ? 0x7fc00000 | word_float : 0), "canonicalizef", payload, 0);
}

static void check_payloads(void)
{
    check_payload(0, true, true);
    check_payload(1, true, true);
    check_payload(0x1.fffff8p21, true, true);
    check_payload(0x1p22, true, false);
    check_payload(0x1.ffffffffffff8p50, true, false);
    check_payload(0x1p51, false, false);
    check_payload(1.5, false, false);
    check_payload(-1, false, false);
    check_payload(INFINITY, false, false);
    check_payload(NAN, false, false);
}

/* ---- rounded once to float ---- */

/* Draws doubles whose rounding to float may go wrong: about half of a float's last place. */
static double sample_double(uint64_t *state)
{
    uint64_t random = mix64(++*state), bits = mix64(random);
    bits = near_exponent(bits, 52, 0x7ff, 0x3ff, random & 1 ? 2 : random & 2 ? 5 : 9);
    if (random & 4)
        bits = (bits & ~((UINT64_C(1) << 29) - 1)) | (random & 8 ? UINT64_C(1) << 28 : 0);
    if (random & 16)
        bits &= ~((UINT64_C(1) << 28) - 1);
    return double_of(random & 32 ? bits ^ (random >> 40 & 3) : bits);
}

/* |a| with 25 bits, the last of them set: its square is exact. */
static double half_between_floats(double a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return fabs(double_of((bits & ~((UINT64_C(1) << 29) - 1)) | UINT64_C(1) << 28));
}

static void check_narrowed(const char *name, float got, mpfr_srcptr exact, double x, double y)
{
    float wanted = mpfr_get_flt(exact, MPFR_RNDN);
    expect(canonical_float(got) == canonical_float(wanted), name, x, y);
}

static void check_narrowing(uint64_t samples)
{
    MPFR_DECL_INIT(x, 53);
    MPFR_DECL_INIT(y, 53);
    MPFR_DECL_INIT(z, 53);
    MPFR_DECL_INIT(exact, 3000);
    MPFR_DECL_INIT(nearly, 200);
    uint64_t state = 1;
    for (uint64_t i = 0; i < samples; i++) {
        double a = sample_double(&state), b = sample_double(&state), c = sample_double(&state);
        if (i % 3 == 0)
            b = ldexp(b, -(int)(i % 60));
        if (i % 5 == 0) /* products and quotients beside a */
            b = i & 1 ? 0x1.0000000000001p0 : 0x1.fffffffffffffp-1;
        double root = half_between_floats(a), square = nextafter(root * root, i & 1 ? 0 : INFINITY);
        mpfr_set_d(x, a, MPFR_RNDN), mpfr_set_d(y, b, MPFR_RNDN), mpfr_set_d(z, c, MPFR_RNDN);
        mpfr_add(exact, x, y, MPFR_RNDN), check_narrowed("fadd", gpucc_fadd(a, b), exact, a, b);
        mpfr_sub(exact, x, y, MPFR_RNDN), check_narrowed("fsub", gpucc_fsub(a, b), exact, a, b);
        mpfr_mul(exact, x, y, MPFR_RNDN), check_narrowed("fmul", gpucc_fmul(a, b), exact, a, b);
        mpfr_fma(exact, x, y, z, MPFR_RNDN), check_narrowed("ffma", gpucc_ffma(a, b, c), exact, a, b);
        mpfr_div(nearly, x, y, MPFR_RNDN), check_narrowed("fdiv", gpucc_fdiv(a, b), nearly, a, b);
        mpfr_set_d(x, square, MPFR_RNDN);
        mpfr_sqrt(nearly, x, MPFR_RNDN), check_narrowed("fsqrt", gpucc_fsqrt(square), nearly, square, square);
    }
}

/* float16's fma, of which all is exact in 113 bits: numbers with few bits, so that the sum is often beside a tie. */
static void check_half(uint64_t samples)
{
    uint64_t state = 7;
    for (uint64_t i = 0; i < samples; i++) {
        _Float16 operands[3];
        uint64_t random = mix64(++state) & 0xbfffbfffbfffu; /* below infinity */
        random &= i & 1 ? ~UINT64_C(0) : 0xbfe0bffebfff;
        memcpy(operands, &random, 6);
        float x = (float)operands[0], y = (float)operands[1], z = (float)operands[2];
        _Float16 got = (_Float16)gpucc_fma_to_oddf(x, y, z), wanted = (_Float16)((__float128)x * y + z);
        expect(got == wanted || (got != got && wanted != wanted), "float16's fma", (double)x, (double)y);
    }
}

int main(int argc, char **argv)
{
    check_integers();
    check_order();
    check_payloads();
    check_narrowing(argc > 1 ? strtoull(argv[1], NULL, 0) : 300000);
    check_half(argc > 1 ? strtoull(argv[1], NULL, 0) : 3000000);
    printf("%d differences\n", failures);
    return failures ? 1 : 0;
}
