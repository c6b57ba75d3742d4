/* Compares the bits of every function of the math library with the committed hashes of goldens.def.
 *
 *   goldens [--function NAME]… [--blocks N | --all] [--threads N] [--write FILE]
 *
 * Without --blocks, 2^20 samples of each function; with it, 2^24 or 2^28 where N blocks of 2^24 hold as many, and N
 * blocks of each function of one float32; --all takes 2^32, as far as there are hashes.
 * --write makes a new goldens.def: the hashes asked for of the functions asked for, all others as they were.  Exit
 * status: 0 where all agree, 1 where one does not, 2 for a wrong command, 3 where FILE cannot be written.
 */
#include "arguments.h"
#include "digest.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../stdlib/include/math.h"
#include "goldens.h"

#define COMPLEX_1(name, exact, part, norm)                                                                             \
    float _Complex name##f(float _Complex) __asm__("gpucc_" #name "f");                                                \
    double _Complex name(double _Complex) __asm__("gpucc_" #name);
#define COMPLEX_2(name, exact, part, norm)                                                                             \
    float _Complex name##f(float _Complex, float _Complex) __asm__("gpucc_" #name "f");                                \
    double _Complex name(double _Complex, double _Complex) __asm__("gpucc_" #name);
#include "complex.def"
#undef COMPLEX_1
#undef COMPLEX_2

/* ---- the results of a sample ---- */

/* The number of sample `i` in the hash, and the canonical bits of the function's result. */
struct outcome {
    uint64_t number, result;
};
typedef struct outcome outcome_function(uint64_t i);

#define OUTCOME(name) static struct outcome outcome_##name(uint64_t i)
#define FLOAT_1(name, quick, exact, bound)                                                                             \
    OUTCOME(name)                                                                                                      \
    {                                                                                                                  \
        return (struct outcome){sample_bits(i), canonical_float(name(float_of(sample_bits(i))))};                      \
    }
#define FLOAT_2(name, quick, exact, bound)                                                                             \
    OUTCOME(name)                                                                                                      \
    {                                                                                                                  \
        return (struct outcome){i, canonical_float(name(argument_float32(i, 0), argument_float32(i, 1)))};             \
    }
#define FLOAT_N(name, quick, exact, bound)                                                                             \
    OUTCOME(name)                                                                                                      \
    {                                                                                                                  \
        return (struct outcome){i, canonical_float(name(argument_float32(i, 0), argument_int64(i)))};                  \
    }
#define DOUBLE_1(name, exact, bound)                                                                                   \
    OUTCOME(name)                                                                                                      \
    {                                                                                                                  \
        return (struct outcome){i, canonical_double(name(argument_float64(i, 0)))};                                    \
    }
#define DOUBLE_2(name, exact, bound)                                                                                   \
    OUTCOME(name)                                                                                                      \
    {                                                                                                                  \
        return (struct outcome){i, canonical_double(name(argument_float64(i, 0), argument_float64(i, 1)))};            \
    }
#define DOUBLE_N(name, exact, bound)                                                                                   \
    OUTCOME(name)                                                                                                      \
    {                                                                                                                  \
        return (struct outcome){i, canonical_double(name(argument_float64(i, 0), argument_int64(i)))};                 \
    }
#include "functions.def"
#undef FLOAT_1
#undef FLOAT_2
#undef FLOAT_N
#undef DOUBLE_1
#undef DOUBLE_2
#undef DOUBLE_N

#define DIGEST(name, arguments, ...)                                                                                   \
    OUTCOME_F(name)                                                                                                    \
    {                                                                                                                  \
        uint64_t number = i, digest = 0;                                                                               \
        arguments                                                                                                      \
        __VA_ARGS__                                                                                                    \
        return (struct outcome){number, digest};                                                                       \
    }
#define DIGEST_2(name, ...) DIGEST(name, T x = ARGUMENT(i, 0); T y = ARGUMENT(i, 1);, __VA_ARGS__)
#define DIGEST_3(name, ...) DIGEST_2(name, T z = ARGUMENT(i, 2); __VA_ARGS__)
#define DIGEST_4(name, ...) DIGEST_3(name, T w = ARGUMENT(i, 3); __VA_ARGS__)
#define DIGEST_N(name, ...) DIGEST(name, T x = ARGUMENT(i, 0); long long n = argument_int64(i);, __VA_ARGS__)

#define T float
#define F(name) name##f
#define OUTCOME_F(name) OUTCOME(name##f)
#define ARGUMENT(i, position) argument_float32(i, position)
#define DIGEST_1(name, ...) DIGEST(name, number = sample_bits(i); T x = float_of(sample_bits(i));, __VA_ARGS__)
#include "digests.def"
#undef T
#undef F
#undef OUTCOME_F
#undef ARGUMENT
#undef DIGEST_1
#define T double
#define F(name) name
#define OUTCOME_F(name) OUTCOME(name)
#define ARGUMENT(i, position) argument_float64(i, position)
#define DIGEST_1(name, ...) DIGEST(name, T x = ARGUMENT(i, 0);, __VA_ARGS__)
#include "digests.def"
#undef T
#undef F
#undef DIGEST_1
#undef DIGEST_2
#undef DIGEST_3
#undef DIGEST_4
#undef DIGEST_N

static const struct function {
    const char *name;
    outcome_function *outcome;
    bool all_numbers; /* of one float32: hashed by blocks */
} functions[] = {
#define FLOAT_1(name, quick, exact, bound) {#name, outcome_##name, true},
#define FLOAT_2(name, quick, exact, bound) {#name, outcome_##name, false},
#define FLOAT_N(name, quick, exact, bound) {#name, outcome_##name, false},
#define DOUBLE_1(name, exact, bound) {#name, outcome_##name, false},
#define DOUBLE_2(name, exact, bound) {#name, outcome_##name, false},
#define DOUBLE_N(name, exact, bound) {#name, outcome_##name, false},
#include "functions.def"
#define DIGEST_1(name, ...) DIGEST_F(name)
#define DIGEST_2(name, ...) DIGEST_F(name)
#define DIGEST_3(name, ...) DIGEST_F(name)
#define DIGEST_4(name, ...) DIGEST_F(name)
#define DIGEST_N(name, ...) DIGEST_F(name)
#define DIGEST_F(name) {#name "f", outcome_##name##f, false},
#include "digests.def"
#undef DIGEST_F
#define DIGEST_F(name) {#name, outcome_##name, false},
#include "digests.def"
};

enum { FUNCTION_COUNT = sizeof functions / sizeof *functions, CHUNK_BITS = 14 };

/* ---- the hash of a range of samples, by all cores ---- */

struct work {
    outcome_function *outcome;
    uint64_t end;
    atomic_uint_fast64_t next, hash;
};

static void *hash_chunks(void *data)
{
    struct work *work = data;
    uint64_t first, hash = 0;
    while ((first = atomic_fetch_add(&work->next, UINT64_C(1) << CHUNK_BITS)) < work->end)
        for (uint64_t i = first; i < first + (UINT64_C(1) << CHUNK_BITS); i++) {
            const struct outcome outcome = work->outcome(i);
            hash += hash_of_result(outcome.number, outcome.result);
        }
    atomic_fetch_add(&work->hash, hash);
    return NULL;
}

/* first and end are multiples of 2^CHUNK_BITS. */
static uint64_t hash_range(const struct function *f, uint64_t first, uint64_t end, long threads)
{
    pthread_t handles[threads];
    struct work work = {.outcome = f->outcome, .next = first, .end = end};
    long started = 0;
    while (started < threads - 1 && pthread_create(&handles[started], NULL, hash_chunks, &work) == 0)
        started++;
    hash_chunks(&work);
    while (started > 0)
        pthread_join(handles[--started], NULL);
    return atomic_load(&work.hash);
}

static uint32_t hash_block(const struct function *f, int block, long threads)
{
    const uint64_t first = (uint64_t)block << BLOCK_BITS;
    return (uint32_t)hash_range(f, first, first + (UINT64_C(1) << BLOCK_BITS), threads);
}

/* ---- the command ---- */

struct options {
    bool chosen[FUNCTION_COUNT], some_chosen;
    int blocks; /* of 2^BLOCK_BITS samples; 0: fewer */
    long threads;
    const char *output;
};

static bool is_stage_requested(const struct options *options, int stage)
{
    return stage == 0 || stage_samples(stage) <= (uint64_t)options->blocks << BLOCK_BITS;
}

static bool compare_blocks(const struct function *f, const struct golden *golden, const struct options *options)
{
    for (int b = 0; b < options->blocks && b < golden->count; b++) {
        uint32_t hash = hash_block(f, b, options->threads);
        if (hash != golden->blocks[b]) {
            printf("%-16s block %d: hash %08x, not %08x\n", f->name, b, hash, golden->blocks[b]);
            return false;
        }
    }
    return true;
}

static bool compare_stages(const struct function *f, const struct sampled *known, const struct options *options)
{
    uint64_t hash = 0, done = 0;
    for (int s = 0; s < STAGE_COUNT && is_stage_requested(options, s) && known->stages[s]; s++) {
        hash += hash_range(f, done, stage_samples(s), options->threads);
        done = stage_samples(s);
        if (hash != known->stages[s]) {
            printf("%-16s %llu samples: hash %016llx, not %016llx\n", f->name, (unsigned long long)done,
                   (unsigned long long)hash, (unsigned long long)known->stages[s]);
            return false;
        }
    }
    printf("%-16s %10llu samples agree\n", f->name, (unsigned long long)done);
    return done > 0;
}

static bool compare(const struct function *f, const struct options *options)
{
    const struct golden *golden = f->all_numbers ? find_golden(f->name) : NULL;
    const struct sampled *known = find_sampled(f->name);
    if (!known) {
        printf("%-16s has no hashes\n", f->name);
        return false;
    }
    bool agree = (!golden || compare_blocks(f, golden, options)) && compare_stages(f, known, options);
    fflush(stdout);
    return agree;
}

static void write_new(FILE *file, const struct function *f, const struct options *options)
{
    uint32_t blocks[BLOCK_COUNT];
    uint64_t stages[STAGE_COUNT] = {0}, hash = 0;
    stages[0] = hash_range(f, 0, stage_samples(0), options->threads);
    for (int b = 0; b < options->blocks; b++) {
        const uint64_t first = (uint64_t)b << BLOCK_BITS, end = first + (UINT64_C(1) << BLOCK_BITS);
        const uint64_t of_block = hash_range(f, first, end, options->threads);
        blocks[b] = (uint32_t)of_block;
        hash += of_block;
        for (int s = 1; s < STAGE_COUNT; s++)
            stages[s] = end == stage_samples(s) ? hash : stages[s];
    }
    if (f->all_numbers)
        write_golden(file, f->name, blocks, options->blocks);
    write_sampled(file, f->name, stages);
}

static void write_old(FILE *file, const struct function *f)
{
    const struct golden *golden = find_golden(f->name);
    const struct sampled *known = find_sampled(f->name);
    if (golden && f->all_numbers)
        write_golden(file, f->name, golden->blocks, golden->count);
    if (known)
        write_sampled(file, f->name, known->stages);
}

/* New hashes of the functions asked for, the old ones of the others. */
static int write_file(const struct options *options)
{
    FILE *file = fopen(options->output, "w");
    if (!file) {
        perror(options->output);
        return 3;
    }
    fputs("/* The hashes of all functions (goldens.h has their form, hash.h how they are made).  Written by `goldens "
          "--write`\n"
          " * here, or by the GPU suite. */\n",
          file);
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        if (!options->some_chosen || options->chosen[i])
            write_new(file, &functions[i], options);
        else
            write_old(file, &functions[i]);
        fflush(file);
    }
    return fclose(file) ? 3 : 0;
}

static int usage(const char *what)
{
    fprintf(stderr,
            "goldens: %s\nusage: goldens [--function NAME]… [--blocks N | --all] [--threads N] [--write FILE]\n", what);
    return 2;
}

static bool choose(struct options *options, const char *name)
{
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (strcmp(functions[i].name, name) == 0)
            return options->chosen[i] = options->some_chosen = true;
    return false;
}

int main(int argc, char **argv)
{
    struct options options = {.threads = sysconf(_SC_NPROCESSORS_ONLN)};
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i], *value = argv[i + 1];
        int n = value ? atoi(value) : 0;
        if (strcmp(option, "--all") == 0)
            options.blocks = BLOCK_COUNT;
        else if (strcmp(option, "--function") == 0 && value && choose(&options, value))
            i++;
        else if (strcmp(option, "--blocks") == 0 && n > 0 && n <= BLOCK_COUNT)
            options.blocks = n, i++;
        else if (strcmp(option, "--threads") == 0 && n > 0 && n <= 1024)
            options.threads = n, i++;
        else if (strcmp(option, "--write") == 0 && value)
            options.output = argv[++i];
        else
            return usage(option);
    }
    if (options.output && !options.blocks)
        options.blocks = 1;
    if (options.output)
        return write_file(&options);
    bool agree = true;
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (!options.some_chosen || options.chosen[i])
            agree &= compare(&functions[i], &options);
    return agree ? 0 : 1;
}
