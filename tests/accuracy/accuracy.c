/* Measures the math library: for each function of functions.def and measured.def the largest error over all float32
 * inputs or over counted samples, where it is, and a hash of all results that does not depend on their order.
 *
 *   accuracy [--function NAME]… [--samples N | --all] [--order N] [--seed N] [--threads N] [--blocks] [--profile]
 *            [--list] [--quiet]
 *
 * One line for each function: name, samples, largest distance in units in the last place from the correctly
 * rounded result, largest error in units in the last place (0 where all results are correctly rounded), the argument
 * of the largest distance, hash.  --all takes every float32 for functions of one float32 and 2^32 samples for the
 * others.  --order takes orders within ±N instead of ±511.  --blocks adds the hash of each block of 2^24 samples
 * (hash.h), --profile the largest error of each bin of first arguments (profile_bin()).  Exit status: 0 when every
 * function keeps its bound, 1 when one does not, 2 for a wrong command.
 */
#define _GNU_SOURCE
#include "hash.h"
#include "reference.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLOAT_1(name, quick, exact, bound) float gpucc_##name(float);
#define FLOAT_2(name, quick, exact, bound) float gpucc_##name(float, float);
#define DOUBLE_1(name, exact, bound) double gpucc_##name(double);
#define DOUBLE_2(name, exact, bound) double gpucc_##name(double, double);
#define FLOAT_N(name, quick, exact, bound) float gpucc_##name(float, long long);
#define DOUBLE_N(name, exact, bound) double gpucc_##name(double, long long);
#define FLOAT_3(name, quick, exact, bound) float gpucc_##name(float, float, float);
#define FLOAT_4(name, quick, exact, bound) float gpucc_##name(float, float, float, float);
#define DOUBLE_3(name, exact, bound) double gpucc_##name(double, double, double);
#define DOUBLE_4(name, exact, bound) double gpucc_##name(double, double, double, double);
#define FLOAT_ORDER(name, quick, exact, bound) float gpucc_##name(int, float);
#define DOUBLE_ORDER(name, exact, bound) double gpucc_##name(int, double);
#include "functions.def"
#include "measured.def"

typedef int exact_1(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
typedef int exact_2(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
typedef int exact_n(mpfr_ptr, mpfr_srcptr, long, mpfr_rnd_t);
typedef int exact_4(mpfr_ptr, const double[4], mpfr_rnd_t);

/* The second argument of _N, and the order of _ORDER, which stands second here, are integers, in a double all the
 * same. */
enum kind {
    FLOAT_1, FLOAT_2, FLOAT_3, FLOAT_4, FLOAT_N, FLOAT_ORDER,
    DOUBLE_1, DOUBLE_2, DOUBLE_3, DOUBLE_4, DOUBLE_N, DOUBLE_ORDER,
};

struct function {
    const char *name;
    enum kind kind;
    double bound;
    union {
        float (*float_1)(float);
        float (*float_2)(float, float);
        double (*double_1)(double);
        double (*double_2)(double, double);
        float (*float_n)(float, long long);
        double (*double_n)(double, long long);
        float (*float_3)(float, float, float);
        float (*float_4)(float, float, float, float);
        double (*double_3)(double, double, double);
        double (*double_4)(double, double, double, double);
        float (*float_order)(int, float);
        double (*double_order)(int, double);
    } ours;
    union {
        double (*of_1)(double);
        double (*of_2)(double, double);
        double (*of_4)(const double[4]);
        double (*of_order)(int, double);
    } quick;
    union {
        exact_1 *of_1;
        exact_2 *of_2;
        exact_n *of_n;
        exact_4 *of_4;
    } exact;
};

static const struct function functions[] = {
#define FLOAT_1(n, q, e, b) { #n, FLOAT_1, b, .ours.float_1 = gpucc_##n, .quick.of_1 = q, .exact.of_1 = e },
#define FLOAT_2(n, q, e, b) { #n, FLOAT_2, b, .ours.float_2 = gpucc_##n, .quick.of_2 = q, .exact.of_2 = e },
#define DOUBLE_1(n, e, b) { #n, DOUBLE_1, b, .ours.double_1 = gpucc_##n, .exact.of_1 = e },
#define DOUBLE_2(n, e, b) { #n, DOUBLE_2, b, .ours.double_2 = gpucc_##n, .exact.of_2 = e },
#define FLOAT_N(n, q, e, b) { #n, FLOAT_N, b, .ours.float_n = gpucc_##n, .quick.of_2 = q, .exact.of_n = e },
#define DOUBLE_N(n, e, b) { #n, DOUBLE_N, b, .ours.double_n = gpucc_##n, .exact.of_n = e },
#define FLOAT_3(n, q, e, b) { #n, FLOAT_3, b, .ours.float_3 = gpucc_##n, .quick.of_4 = q, .exact.of_4 = e },
#define FLOAT_4(n, q, e, b) { #n, FLOAT_4, b, .ours.float_4 = gpucc_##n, .quick.of_4 = q, .exact.of_4 = e },
#define DOUBLE_3(n, e, b) { #n, DOUBLE_3, b, .ours.double_3 = gpucc_##n, .exact.of_4 = e },
#define DOUBLE_4(n, e, b) { #n, DOUBLE_4, b, .ours.double_4 = gpucc_##n, .exact.of_4 = e },
#define FLOAT_ORDER(n, q, e, b)                                                                                        \
    { #n, FLOAT_ORDER, b, .ours.float_order = gpucc_##n, .quick.of_order = q, .exact.of_n = e },
#define DOUBLE_ORDER(n, e, b) { #n, DOUBLE_ORDER, b, .ours.double_order = gpucc_##n, .exact.of_n = e },
#include "functions.def"
#include "measured.def"
};

enum {
    FUNCTION_COUNT = sizeof functions / sizeof *functions,
    CHUNK_BITS = 16, /* samples a thread takes at a time */
    PRECISION = 160, /* bits of the exact references */
    ARGUMENTS = 4,   /* at most */
};

/* Options of the command. */
struct options {
    uint64_t samples; /* 0: all */
    uint64_t seed;
    uint64_t order; /* the largest */
    long threads;
    bool blocks, profile, quiet;
    bool chosen[FUNCTION_COUNT];
    bool some_chosen;
};

/* ---- samples ---- */

/* Two operands for a sample: any bits, both of moderate size, the first near 1, or of like size. */
static void sample_pair(uint64_t random_1, uint64_t random_2, int shift, uint64_t field, uint64_t out[2])
{
    uint64_t one = field >> 1;
    out[0] = random_1 >> 4;
    out[1] = random_2 >> 4;
    if (shift == 52) {
        out[0] = random_1 << 4 ^ random_2 >> 60;
        out[1] = random_2 << 4 ^ random_1 >> 60;
    }
    switch (random_1 >> 56 & 3) {
    case 1:
        out[0] = near_exponent(out[0], shift, field, one, 4);
        out[1] = near_exponent(out[1], shift, field, one, 4);
        break;
    case 2:
        out[0] = near_exponent(out[0], shift, field, one, 1);
        break;
    case 3:
        out[1] = near_exponent(out[1], shift, field, out[0] >> shift & field, 3);
        break;
    }
}

/* A double for a sample: any bits, or of moderate size. */
static double sample_double(uint64_t random)
{
    uint64_t bits = mix64(random);
    return double_of(random & 1 ? near_exponent(bits, 52, 0x7ff, 0x3ff, random & 2 ? 3 : 6) : bits);
}

/* An integer for x: small, or such that x or 1 + x to its power is of any size that the type has. */
static double sample_integer(uint64_t random, double x, bool narrow)
{
    double size = (double)(int64_t)mix64(random) * 0x1p-63;
    double log_x = random & 16 ? log1p(x) : log(fabs(x));
    double wanted = size * (narrow ? 110 : 760) / log_x;
    return random & 32 || !(fabs(wanted) < 0x1p62) ? rint(size * (random & 64 ? 9 : 1000)) : rint(wanted);
}

/* Four operands for a sample: two pairs, or all of like size. */
static void sample_four(uint64_t random, int shift, uint64_t field, uint64_t out[4])
{
    sample_pair(random, mix64(~random), shift, field, out);
    sample_pair(mix64(random + 1), mix64(~random - 1), shift, field, out + 2);
    for (int k = 2; k < 4 && random & 1; k++)
        out[k] = near_exponent(out[k], shift, field, out[0] >> shift & field, 3);
}

/* An order within ±largest, 8, 64 and 512 times smaller ones as often as any. */
static double sample_order(uint64_t random, uint64_t largest)
{
    return (double)((random >> 8) % ((largest >> 3 * (random & 3)) + 1)) * (random & 4 ? -1 : 1);
}

/* An argument for an order, for half of the samples of a size with it. */
static double sample_of_order(double order, double any, uint64_t random)
{
    double size = (double)(random >> 11) * 0x1p-53; /* 0 … 1 */
    return random & 1 || order == 0 ? any : copysign(order * exp2(6 * size - 3), any);
}

static bool is_narrow(const struct function *f)
{
    return f->kind < DOUBLE_1;
}

static bool has_order(const struct function *f)
{
    return f->kind == FLOAT_ORDER || f->kind == DOUBLE_ORDER;
}

/* How many arguments count. */
static int argument_count(const struct function *f)
{
    switch (f->kind) {
    case FLOAT_1: case DOUBLE_1: return 1;
    case FLOAT_3: case DOUBLE_3: return 3;
    case FLOAT_4: case DOUBLE_4: return 4;
    default: return 2;
    }
}

/* ---- one comparison ---- */

/* A function's result for one sample, and its error. */
struct result {
    double arguments[ARGUMENTS];
    uint64_t bits;   /* canonical */
    double distance; /* from the correctly rounded result; INFINITY for NaN against a number or a wrong zero */
    double error;    /* from the exact result, 0 where one is infinite or NaN */
};

/* The exact result rounded to the type, and an error in units in the last place, for `got`. */
struct truth {
    double rounded;
    double error;
};

static double unit_in_last_place(double x, int digits, int least)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1022 - digits;
    return ldexp(1, exponent < least ? least : exponent);
}

/* The unit in which a function's errors are told at a result: its last place, or of an order the amplitude's. */
static double unit_of(const struct function *f, const double arguments[ARGUMENTS], double result)
{
    bool oscillates = has_order(f) && fabs(arguments[0]) > fabs(arguments[1]);
    double size = oscillates ? fmax(fabs(result), sqrt(M_2_PI / fabs(arguments[0]))) : result;
    return is_narrow(f) ? unit_in_last_place(size, 24, -149) : unit_in_last_place(size, 53, -1074);
}

static void exact_value(const struct function *f, const double arguments[ARGUMENTS], mpfr_ptr value)
{
    MPFR_DECL_INIT(x, 53);
    MPFR_DECL_INIT(y, 53);
    mpfr_set_d(x, arguments[0], MPFR_RNDN);
    mpfr_set_d(y, arguments[1], MPFR_RNDN);
    switch (f->kind) {
    case FLOAT_1: case DOUBLE_1: f->exact.of_1(value, x, MPFR_RNDN); break;
    case FLOAT_2: case DOUBLE_2: f->exact.of_2(value, x, y, MPFR_RNDN); break;
    case FLOAT_3: case DOUBLE_3: case FLOAT_4: case DOUBLE_4: f->exact.of_4(value, arguments, MPFR_RNDN); break;
    case FLOAT_N: case DOUBLE_N: case FLOAT_ORDER: case DOUBLE_ORDER:
        f->exact.of_n(value, x, (long)arguments[1], MPFR_RNDN);
        break;
    }
}

static struct truth exact_truth(const struct function *f, const double arguments[ARGUMENTS], double got)
{
    bool narrow = is_narrow(f);
    MPFR_DECL_INIT(value, PRECISION);
    exact_value(f, arguments, value);
    struct truth truth = { narrow ? (double)mpfr_get_flt(value, MPFR_RNDN) : mpfr_get_d(value, MPFR_RNDN), 0 };
    if (truth.rounded == got || !isfinite(got) || !isfinite(truth.rounded))
        return truth;
    mpfr_sub_d(value, value, got, MPFR_RNDN);
    truth.error = fabs(mpfr_get_d(value, MPFR_RNDN)) / unit_of(f, arguments, truth.rounded);
    return truth;
}

/* Whether rounding `value` to float could go another way if it were off by some 2^-17 of a float's last place. */
static bool near_rounding_change(double value)
{
    double slack = fabs(value) < 0x1p-126 ? 0x1p-166 : fabs(value) * 0x1p-41;
    return !isinf(value) && (float)(value - slack) != (float)(value + slack);
}

static double quick_value(const struct function *f, const double arguments[ARGUMENTS])
{
    switch (f->kind) {
    case FLOAT_1: return f->quick.of_1(arguments[0]);
    case FLOAT_3: case FLOAT_4: return f->quick.of_4(arguments);
    case FLOAT_ORDER: return f->quick.of_order((int)arguments[1], arguments[0]);
    default: return f->quick.of_2(arguments[0], arguments[1]);
    }
}

static struct truth float_truth(const struct function *f, const double arguments[ARGUMENTS], double got)
{
    double value = quick_value(f, arguments);
    if (near_rounding_change(value))
        return exact_truth(f, arguments, got);
    struct truth truth = { (float)value, 0 };
    if (truth.rounded != got && isfinite(got) && isfinite(truth.rounded))
        truth.error = fabs(value - got) / unit_of(f, arguments, truth.rounded);
    return truth;
}

/* Floats in order as integers. */
static int64_t order_float(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? -(int64_t)(bits & INT32_MAX) : bits;
}

static int64_t order_double(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? -(bits & INT64_MAX) : bits;
}

static double distance(double got, double wanted, bool narrow)
{
    if (isnan(got) || isnan(wanted))
        return isnan(got) && isnan(wanted) ? 0 : INFINITY;
    if (got == 0 && wanted == 0)
        return signbit(got) == signbit(wanted) ? 0 : INFINITY;
    if (narrow)
        return fabs((double)(order_float((float)got) - order_float((float)wanted)));
    return (double)fabsl((long double)order_double(got) - (long double)order_double(wanted));
}

static double our_value(const struct function *f, const double a[ARGUMENTS])
{
    switch (f->kind) {
    case FLOAT_1: return f->ours.float_1((float)a[0]);
    case FLOAT_2: return f->ours.float_2((float)a[0], (float)a[1]);
    case FLOAT_3: return f->ours.float_3((float)a[0], (float)a[1], (float)a[2]);
    case FLOAT_4: return f->ours.float_4((float)a[0], (float)a[1], (float)a[2], (float)a[3]);
    case FLOAT_N: return f->ours.float_n((float)a[0], (long long)a[1]);
    case FLOAT_ORDER: return f->ours.float_order((int)a[1], (float)a[0]);
    case DOUBLE_1: return f->ours.double_1(a[0]);
    case DOUBLE_2: return f->ours.double_2(a[0], a[1]);
    case DOUBLE_3: return f->ours.double_3(a[0], a[1], a[2]);
    case DOUBLE_4: return f->ours.double_4(a[0], a[1], a[2], a[3]);
    case DOUBLE_N: return f->ours.double_n(a[0], (long long)a[1]);
    case DOUBLE_ORDER: return f->ours.double_order((int)a[1], a[0]);
    }
    return 0;
}

static struct result evaluate(const struct function *f, const double arguments[ARGUMENTS])
{
    struct result r;
    bool narrow = is_narrow(f);
    double got = our_value(f, arguments);
    struct truth truth = narrow ? float_truth(f, arguments, got) : exact_truth(f, arguments, got);
    memcpy(r.arguments, arguments, sizeof r.arguments);
    r.bits = narrow ? canonical_float((float)got) : canonical_double(got);
    r.distance = distance(got, truth.rounded, narrow);
    if (has_order(f) && isfinite(got) && isfinite(truth.rounded) && r.distance < INFINITY)
        r.distance = rint(fabs(got - truth.rounded) / unit_of(f, arguments, truth.rounded));
    r.error = truth.error;
    return r;
}

/* The arguments of sample `index`; the index that goes into the hash is returned. */
static uint64_t sample(const struct function *f, uint64_t index, const struct options *options,
                       double arguments[ARGUMENTS])
{
    uint64_t bits[ARGUMENTS] = {0}, random = mix64(index ^ options->seed);
    bool narrow = is_narrow(f);
    int count = argument_count(f);
    if (f->kind == FLOAT_1)
        bits[0] = index = (uint32_t)(sample_bits(index) + (uint32_t)options->seed);
    else if (count == 2)
        sample_pair(random, mix64(~random), narrow ? 23 : 52, narrow ? 0xff : 0x7ff, bits);
    else
        sample_four(random, narrow ? 23 : 52, narrow ? 0xff : 0x7ff, bits);
    for (int k = 0; k < ARGUMENTS; k++)
        arguments[k] = k >= count ? 0 : narrow ? (double)float_of((uint32_t)bits[k]) : double_of(bits[k]);
    if (f->kind == DOUBLE_1)
        arguments[0] = sample_double(random);
    else if (f->kind == FLOAT_N || f->kind == DOUBLE_N)
        arguments[1] = sample_integer(random, arguments[0], narrow);
    else if (has_order(f)) {
        arguments[1] = sample_order(mix64(random), options->order);
        arguments[0] = sample_of_order(arguments[1], arguments[0], mix64(random + 2));
        arguments[0] = narrow ? (double)(float)arguments[0] : arguments[0];
    }
    return index;
}

/* ---- a sweep by all cores ---- */

enum { PROFILE_BINS = 512 };

/* Four bins for each power of two from 2^-32 to 2^32, negative arguments first, in order; what lies nearer to 0 or
 * beyond goes into the nearest bin. */
static int profile_bin(double x)
{
    int exponent = 0;
    double significand = frexp(fabs(x), &exponent);
    int bin = (exponent + 31) * 4 + (int)((significand - 0.5) * 8);
    bin = x == 0 || bin < 0 ? 0 : bin > PROFILE_BINS / 2 - 1 || !isfinite(x) ? PROFILE_BINS / 2 - 1 : bin;
    return signbit(x) ? PROFILE_BINS / 2 - 1 - bin : PROFILE_BINS / 2 + bin;
}

struct sweep {
    const struct function *function;
    const struct options *options;
    uint64_t samples;
    atomic_uint_fast64_t next;
    uint64_t *block_hashes; /* one for each 2^BLOCK_BITS samples */
    pthread_mutex_t lock;   /* for what follows */
    uint64_t hash;
    struct result farthest; /* the largest distance, then the largest error */
    double error;
    double profile[PROFILE_BINS]; /* the largest error of each bin */
};

static bool worse(const struct result *a, const struct result *b)
{
    return a->distance != b->distance ? a->distance > b->distance : a->error > b->error;
}

static void sweep_chunk(struct sweep *sweep, uint64_t first)
{
    struct result farthest = { .distance = -1 };
    double error = 0, profile[PROFILE_BINS] = {0};
    uint64_t hash = 0;
    uint64_t last = first + (UINT64_C(1) << CHUNK_BITS);
    for (uint64_t i = first; i < last && i < sweep->samples; i++) {
        double arguments[ARGUMENTS];
        uint64_t index = sample(sweep->function, i, sweep->options, arguments);
        struct result r = evaluate(sweep->function, arguments);
        hash += hash_of_result(index, r.bits);
        if (r.error > error)
            error = r.error;
        int bin = profile_bin(arguments[0]);
        if (r.error > profile[bin])
            profile[bin] = r.error;
        if (worse(&r, &farthest))
            farthest = r;
    }
    pthread_mutex_lock(&sweep->lock);
    sweep->hash += hash;
    sweep->block_hashes[first >> BLOCK_BITS] += hash;
    if (error > sweep->error)
        sweep->error = error;
    if (worse(&farthest, &sweep->farthest))
        sweep->farthest = farthest;
    for (int b = 0; b < PROFILE_BINS; b++)
        if (profile[b] > sweep->profile[b])
            sweep->profile[b] = profile[b];
    pthread_mutex_unlock(&sweep->lock);
}

static void *sweep_thread(void *data)
{
    struct sweep *sweep = data;
    uint64_t first;
    while ((first = atomic_fetch_add(&sweep->next, UINT64_C(1) << CHUNK_BITS)) < sweep->samples)
        sweep_chunk(sweep, first);
    mpfr_free_cache();
    return NULL;
}

static void *progress_thread(void *data)
{
    struct sweep *sweep = data;
    uint64_t done;
    while ((done = atomic_load(&sweep->next)) < sweep->samples) {
        fprintf(stderr, "\r%-12s %5.1f %%", sweep->function->name, 100 * (double)done / (double)sweep->samples);
        usleep(200000);
    }
    fprintf(stderr, "\r%-22s\r", "");
    return NULL;
}

static void run_threads(struct sweep *sweep, long threads, bool progress)
{
    pthread_t handles[threads + 1];
    long started = 0;
    if (progress && pthread_create(&handles[started], NULL, progress_thread, sweep) == 0)
        started++;
    for (long i = 1; i < threads && pthread_create(&handles[started], NULL, sweep_thread, sweep) == 0; i++)
        started++;
    sweep_thread(sweep);
    while (started > 0)
        pthread_join(handles[--started], NULL);
}

/* ---- the command ---- */

static bool report(const struct sweep *sweep, const struct options *options)
{
    const struct function *f = sweep->function;
    const struct result *r = &sweep->farthest;
    bool kept = r->distance <= f->bound;
    printf("%-14s %11llu  max %g ulp  error %.4f  at %a", f->name, (unsigned long long)sweep->samples, r->distance,
           sweep->error, r->arguments[0]);
    for (int k = 1; k < argument_count(f); k++)
        printf(" %a", r->arguments[k]);
    printf("  hash %016llx%s\n", (unsigned long long)sweep->hash, kept ? "" : "  EXCEEDS ITS BOUND");
    for (uint64_t b = 0; options->blocks && b << BLOCK_BITS < sweep->samples; b++)
        printf("  block %3llu %016llx\n", (unsigned long long)b, (unsigned long long)sweep->block_hashes[b]);
    if (options->profile) {
        printf("  profile");
        for (int b = 0; b < PROFILE_BINS; b++)
            printf(" %.2f", sweep->profile[b]);
        printf("\n");
    }
    fflush(stdout);
    return kept;
}

static bool measure(const struct function *f, const struct options *options)
{
    struct sweep sweep = { .function = f, .samples = options->samples, .options = options,
                           .lock = PTHREAD_MUTEX_INITIALIZER, .farthest.distance = -1 };
    if (sweep.samples == 0 || (f->kind == FLOAT_1 && sweep.samples > UINT64_C(1) << 32))
        sweep.samples = UINT64_C(1) << 32;
    sweep.block_hashes = calloc((sweep.samples >> BLOCK_BITS) + 1, sizeof *sweep.block_hashes);
    if (!sweep.block_hashes) {
        fprintf(stderr, "accuracy: out of memory\n");
        exit(3);
    }
    run_threads(&sweep, options->threads, !options->quiet && isatty(STDERR_FILENO));
    bool kept = report(&sweep, options);
    free(sweep.block_hashes);
    return kept;
}

static int usage(const char *what)
{
    fprintf(stderr, "accuracy: %s\nusage: accuracy [--function NAME]… [--samples N | --all] [--order N] [--seed N] "
                    "[--threads N] [--blocks] [--profile] [--list] [--quiet]\n", what);
    return 2;
}

static bool choose(struct options *options, const char *name)
{
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (strcmp(functions[i].name, name) == 0)
            return options->chosen[i] = options->some_chosen = true;
    return false;
}

static bool number(const char *text, uint64_t *out)
{
    char *end = NULL;
    *out = text ? strtoull(text, &end, 0) : 0;
    return text && *text && !*end;
}

static int list(void)
{
    for (int i = 0; i < FUNCTION_COUNT; i++)
        puts(functions[i].name);
    return 0;
}

int main(int argc, char **argv)
{
    struct options options = { .samples = 1 << 20, .order = 511, .threads = sysconf(_SC_NPROCESSORS_ONLN) };
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i], *value = argv[i + 1];
        uint64_t n = 0;
        if (strcmp(option, "--list") == 0)
            return list();
        else if (strcmp(option, "--all") == 0)
            options.samples = 0;
        else if (strcmp(option, "--blocks") == 0)
            options.blocks = true;
        else if (strcmp(option, "--profile") == 0)
            options.profile = true;
        else if (strcmp(option, "--quiet") == 0)
            options.quiet = true;
        else if (strcmp(option, "--function") == 0 && value && choose(&options, value))
            i++;
        else if (strcmp(option, "--samples") == 0 && number(value, &options.samples) && options.samples > 0)
            i++;
        else if (strcmp(option, "--seed") == 0 && number(value, &options.seed))
            i++;
        else if (strcmp(option, "--order") == 0 && number(value, &options.order) && options.order <= INT32_MAX)
            i++;
        else if (strcmp(option, "--threads") == 0 && number(value, &n) && n > 0 && n <= 1024)
            options.threads = (long)n, i++;
        else
            return usage(option);
    }
    bool kept = true;
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (!options.some_chosen || options.chosen[i])
            kept &= measure(&functions[i], &options);
    return kept ? 0 : 1;
}
