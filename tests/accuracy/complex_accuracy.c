/* Measures the complex functions of the math library, complex.def, in both precisions against MPC.
 *
 *   complex_accuracy [--function NAME] [--samples N] [--seed N]
 *
 * One line for each function: name, samples, the largest error of a part in units in its own last place, the argument
 * where it is, the largest error of the whole, as the modulus of the difference in units in the last place of the
 * result's modulus, and a hash of all results.  Exit status: 0 when every function keeps its bounds, 1 when one does
 * not, 2 for a wrong command. */
#include "samples.h"

#include <math.h>
#include <mpc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef double _Complex double_1(double _Complex);
typedef double _Complex double_2(double _Complex, double _Complex);
typedef float _Complex float_1(float _Complex);
typedef float _Complex float_2(float _Complex, float _Complex);
typedef int exact_1(mpc_ptr, mpc_srcptr, mpc_rnd_t);
typedef int exact_2(mpc_ptr, mpc_srcptr, mpc_srcptr, mpc_rnd_t);

#define COMPLEX_1(name, exact, part, norm) double_1 gpucc_##name; float_1 gpucc_##name##f;
#define COMPLEX_2(name, exact, part, norm) double_2 gpucc_##name; float_2 gpucc_##name##f;
#include "complex.def"
#undef COMPLEX_1
#undef COMPLEX_2

static exact_1 exact_tanh, exact_tan;

struct function {
    const char *name;
    double_1 *wide_1;
    double_2 *wide_2;
    float_1 *narrow_1;
    float_2 *narrow_2;
    exact_1 *exact_of_1;
    exact_2 *exact_of_2;
    double part, norm;
};

static const struct function functions[] = {
#define COMPLEX_1(n, e, p, m) { #n, .wide_1 = gpucc_##n, .exact_of_1 = e, .part = p, .norm = m },                      \
                              { #n "f", .narrow_1 = gpucc_##n##f, .exact_of_1 = e, .part = p, .norm = m },
#define COMPLEX_2(n, e, p, m) { #n, .wide_2 = gpucc_##n, .exact_of_2 = e, .part = p, .norm = m },                      \
                              { #n "f", .narrow_2 = gpucc_##n##f, .exact_of_2 = e, .part = p, .norm = m },
#include "complex.def"
#undef COMPLEX_1
#undef COMPLEX_2
};

enum { FUNCTION_COUNT = sizeof functions / sizeof *functions, PRECISION = 200 };

static bool is_narrow(const struct function *f)
{
    return f->narrow_1 || f->narrow_2;
}

/* (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y); MPC's takes for ever where x is large.  From |x| = 2^16 on
 * the result is what it is there, but for an imaginary part that is nothing. */
static int exact_tanh(mpc_ptr result, mpc_srcptr z, mpc_rnd_t rounding)
{
    enum { WORKING = 2 * PRECISION };
    MPFR_DECL_INIT(sinh_x, WORKING);
    MPFR_DECL_INIT(cosh_x, WORKING);
    MPFR_DECL_INIT(sin_y, WORKING);
    MPFR_DECL_INIT(cos_y, WORKING);
    MPFR_DECL_INIT(divisor, WORKING);
    MPFR_DECL_INIT(x, 53);
    double size = fmin(fabs(mpfr_get_d(mpc_realref(z), MPFR_RNDN)), 0x1p16);
    mpfr_set_d(x, mpfr_signbit(mpc_realref(z)) ? -size : size, MPFR_RNDN);
    mpfr_sinh_cosh(sinh_x, cosh_x, x, MPFR_RNDN);
    mpfr_sin_cos(sin_y, cos_y, mpc_imagref(z), MPFR_RNDN);
    mpfr_fmma(divisor, sinh_x, sinh_x, cos_y, cos_y, MPFR_RNDN);
    mpfr_div(sinh_x, sinh_x, divisor, MPFR_RNDN);
    mpfr_div(sin_y, sin_y, divisor, MPFR_RNDN);
    mpfr_mul(mpc_realref(result), sinh_x, cosh_x, MPFR_RNDN);
    mpfr_mul(mpc_imagref(result), sin_y, cos_y, MPFR_RNDN);
    return (void)rounding, 0;
}

/* -i tanh(iz) */
static int exact_tan(mpc_ptr result, mpc_srcptr z, mpc_rnd_t rounding)
{
    mpc_t turned;
    mpc_init2(turned, 53);
    mpc_mul_i(turned, z, 1, MPC_RNDNN);
    exact_tanh(result, turned, rounding);
    mpc_mul_i(result, result, -1, MPC_RNDNN);
    mpc_clear(turned);
    return 0;
}

/* ---- samples ---- */

struct complex_number {
    double parts[2];
};

static double uniform(uint64_t *random)
{
    *random = mix64(*random);
    return (double)(*random >> 11) * 0x1p-53;
}

/* Any exponent from -range on to range, any sign. */
static double any_size(uint64_t *random, int range)
{
    double size = ldexp(1 + uniform(random), (int)floor(uniform(random) * 2 * range) - range);
    return uniform(random) < 0.5 ? -size : size;
}

/* Volatile, because GCC 12 takes `narrow ? (double)(float)x : x` for x. */
static double nearest_float(double x)
{
    volatile float narrowed = (float)x;
    return (double)narrowed;
}

/* Numbers of every size; of moderate size; near the unit circle; near 1, -1, i and -i, where branch points are;
 * beside an axis. */
static struct complex_number sample(uint64_t index, uint64_t seed, bool narrow)
{
    uint64_t random = mix64(index + (seed << 32));
    const int range = narrow ? 127 : 1020, digits = narrow ? 24 : 53;
    double x = any_size(&random, 4), y = any_size(&random, 4);
    double angle = uniform(&random) * 6.3;
    switch (index % 6) {
    case 0: x = any_size(&random, range), y = any_size(&random, range); break;
    case 1: x = any_size(&random, 10), y = any_size(&random, 10); break;
    case 2: x = cos(angle) + any_size(&random, digits) * 0x1p-24, y = sin(angle); break;
    case 3: y = any_size(&random, digits), x = 1 + any_size(&random, digits + 2) * ldexp(1, -digits / 2); break;
    case 4: x *= ldexp(1, (int)(uniform(&random) * -range)); break;
    case 5: break;
    }
    bool swap = random & 1 << 20, negative = random & 1 << 21;
    x = negative ? -x : x;
    if (narrow)
        x = nearest_float(x), y = nearest_float(y);
    return (struct complex_number){ { swap ? y : x, swap ? x : y } };
}

/* ---- one comparison ---- */

static struct complex_number call(const struct function *f, struct complex_number z, struct complex_number w)
{
    if (is_narrow(f)) {
        float _Complex a = __builtin_complex((float)z.parts[0], (float)z.parts[1]);
        float _Complex b = __builtin_complex((float)w.parts[0], (float)w.parts[1]);
        float _Complex r = f->narrow_1 ? f->narrow_1(a) : f->narrow_2(a, b);
        return (struct complex_number){ { (double)__real__ r, (double)__imag__ r } };
    }
    double _Complex a = __builtin_complex(z.parts[0], z.parts[1]), b = __builtin_complex(w.parts[0], w.parts[1]);
    double _Complex r = f->wide_1 ? f->wide_1(a) : f->wide_2(a, b);
    return (struct complex_number){ { __real__ r, __imag__ r } };
}

static double rounded(mpfr_srcptr exact, bool narrow)
{
    return narrow ? (double)mpfr_get_flt(exact, MPFR_RNDN) : mpfr_get_d(exact, MPFR_RNDN);
}

/* got - exact, where infinities count as the power of two behind the largest number. */
static void subtract(mpfr_ptr difference, double got, mpfr_srcptr exact, bool narrow)
{
    MPFR_DECL_INIT(ours, PRECISION);
    MPFR_DECL_INIT(theirs, PRECISION);
    int top = narrow ? 128 : 1024;
    mpfr_set(theirs, exact, MPFR_RNDN);
    if (isinf(rounded(exact, narrow)))
        mpfr_set_si_2exp(theirs, mpfr_sgn(exact), top, MPFR_RNDN);
    mpfr_set_d(ours, got, MPFR_RNDN);
    if (isinf(got))
        mpfr_set_si_2exp(ours, got > 0 ? 1 : -1, top, MPFR_RNDN);
    mpfr_sub(difference, ours, theirs, MPFR_RNDN);
}

/* In units in the last place of `of`, as large as it is even beyond the largest number. */
static double in_units(mpfr_srcptr difference, mpfr_srcptr of, bool narrow)
{
    const mpfr_exp_t digits = narrow ? 24 : 53, least = narrow ? -149 : -1074;
    mpfr_exp_t unit = mpfr_regular_p(of) ? mpfr_get_exp(of) - digits : least;
    MPFR_DECL_INIT(quotient, 53);
    mpfr_div_2si(quotient, difference, unit < least ? least : unit, MPFR_RNDN);
    return fabs(mpfr_get_d(quotient, MPFR_RNDN));
}

struct error {
    double part, norm;
};

/* Against the exact result; infinite where a part is NaN, or a zero has the wrong sign. */
static struct error error_of(struct complex_number got, mpc_srcptr exact, bool narrow)
{
    MPFR_DECL_INIT(differences_0, PRECISION);
    MPFR_DECL_INIT(differences_1, PRECISION);
    MPFR_DECL_INIT(modulus, PRECISION);
    const mpfr_srcptr parts[2] = { mpc_realref(exact), mpc_imagref(exact) };
    const mpfr_ptr differences[2] = { differences_0, differences_1 };
    struct error error = { 0, 0 };
    for (int i = 0; i < 2; i++) {
        double wanted = rounded(parts[i], narrow), value = got.parts[i];
        if (isnan(wanted) && isnan(value))
            return (struct error){ 0, 0 };
        if (isnan(wanted) || isnan(value) || (value == 0 && wanted == 0 && signbit(value) != signbit(wanted)))
            return (struct error){ INFINITY, INFINITY };
        subtract(differences[i], value, parts[i], narrow);
        error.part = fmax(error.part, in_units(differences[i], parts[i], narrow));
    }
    mpfr_hypot(differences_0, differences_0, differences_1, MPFR_RNDN);
    mpfr_hypot(modulus, parts[0], parts[1], MPFR_RNDN);
    error.norm = in_units(differences_0, modulus, narrow);
    return error;
}

static void set_exact(mpc_ptr z, struct complex_number from)
{
    mpc_set_d_d(z, from.parts[0], from.parts[1], MPC_RNDNN);
}

/* ---- one function ---- */

struct measurement {
    struct error error;
    struct complex_number at, with; /* of the largest error of a part, or of the whole where parts are not bounded */
    uint64_t hash;
};

/* The second operand of a power: moderate, or MPC takes for ever. */
static struct complex_number second_sample(uint64_t index, uint64_t seed, bool narrow)
{
    return sample(index * 6 + 1, ~seed, narrow);
}

/* |w log z|, by which powers multiply errors */
static double exponent_size(struct complex_number z, struct complex_number w)
{
    double log_z = hypot(log(hypot(z.parts[0], z.parts[1])), atan2(z.parts[1], z.parts[0]));
    return log_z * hypot(w.parts[0], w.parts[1]);
}

static struct measurement measure(const struct function *f, uint64_t samples, uint64_t seed)
{
    struct measurement m = { .hash = 0 };
    mpc_t z, w, exact;
    mpc_init2(z, 53), mpc_init2(w, 53), mpc_init2(exact, PRECISION);
    for (uint64_t i = 0; i < samples; i++) {
        bool narrow = is_narrow(f), binary = f->exact_of_2;
        struct complex_number at = sample(binary && i % 6 == 0 ? i + 1 : i, seed, narrow);
        struct complex_number with = second_sample(i, seed, narrow), got = call(f, at, with);
        set_exact(z, at), set_exact(w, with);
        if (binary)
            f->exact_of_2(exact, z, w, MPC_RNDNN);
        else
            f->exact_of_1(exact, z, MPC_RNDNN);
        struct error e = error_of(got, exact, narrow);
        if (binary)
            e.norm /= fmax(1, exponent_size(at, with));
        if (f->part > 0 ? e.part > m.error.part : e.norm > m.error.norm)
            m.at = at, m.with = with;
        m.error.part = fmax(m.error.part, e.part), m.error.norm = fmax(m.error.norm, e.norm);
        m.hash += mix64(i ^ mix64(canonical_double(got.parts[0]) ^ mix64(canonical_double(got.parts[1]))));
    }
    mpc_clear(z), mpc_clear(w), mpc_clear(exact);
    return m;
}

static bool report(const struct function *f, uint64_t samples, uint64_t seed)
{
    struct measurement m = measure(f, samples, seed);
    bool kept = m.error.norm <= f->norm && (f->part == 0 || m.error.part <= f->part);
    printf("%-10s %9llu  part %8.3f  norm %8.3f  at (%a %a)", f->name, (unsigned long long)samples, m.error.part,
           m.error.norm, m.at.parts[0], m.at.parts[1]);
    if (f->exact_of_2)
        printf(" (%a %a)", m.with.parts[0], m.with.parts[1]);
    printf("  hash %016llx%s\n", (unsigned long long)m.hash, kept ? "" : "  TOO FAR");
    fflush(stdout);
    return kept;
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    uint64_t samples = 20000, seed = 1;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && strcmp(argv[i], "--function") == 0)
            only = argv[i + 1];
        else if (i + 1 < argc && strcmp(argv[i], "--samples") == 0)
            samples = strtoull(argv[i + 1], NULL, 0);
        else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 0);
        else
            return fprintf(stderr, "usage: complex_accuracy [--function NAME] [--samples N] [--seed N]\n"), 2;
    }
    bool kept = true;
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (!only || strcmp(only, functions[i].name) == 0)
            kept &= report(&functions[i], samples, seed);
    return kept ? 0 : 1;
}
