/* The math library: every function gives the same bits on the GPU and on the CPU, in native code with AVX2, with
 * AVX-512 and without vectors.  All are compared with the committed hashes of tests/accuracy.
 *
 * GPUCC_SUITE_SAMPLES=N   2^N samples of each function: 20 (the default), 24, 28 or 32, all numbers of one float32
 * GPUCC_SUITE_DIRECT=N    the device's results of N samples are compared with native code's, instead of hashes
 * GPUCC_SUITE_ON=NAME…    device avx2 scalar avx512: where; all of them unless said.  `device` is the suite's GPU
 * GPUCC_SUITE_GOLDENS=FILE  adds the device's hashes to FILE, as goldens.def has them; others than the committed ones
 * (-1)
 *                         are no failure then
 */
#include "suite.h"

#include <digest.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <goldens.h>
#include <suite_avx512.h>
#include <suite_hash.h>
#include <suite_math.h>
#include <suite_scalar.h>

enum { CHUNK_BITS = FIRST_STAGE_BITS, CHUNK = 1 << CHUNK_BITS, ARGUMENTS = 4, LONGEST = 32 };
enum { CHUNKS_OF_BLOCK = 1 << (BLOCK_BITS - CHUNK_BITS), MOST_CHUNKS = 1 << (LONGEST - CHUNK_BITS) };

struct function {
    const char *name;
    gpucc_dtype type;      /* of the real arguments */
    int reals, integers;   /* how many arguments there are, integers last */
    bool digest;           /* the result is a uint64, else a number of that type */
    bool blocks;           /* of one float32, hashed by blocks */
};

static bool accepts_all_numbers(const struct function *f)
{
    return f->type == GPUCC_FLOAT32 && f->reals == 1 && f->integers == 0;
}

/* ---- where functions run ---- */

struct place {
    const char *name, *prefix;
    const struct gpucc_program_image *image;
    uint64_t abi;
};
static const struct place places[] = {
    {"device", "ufunc", &gpucc_program_suite_math, GPUCC_ABI_suite_math},
    {"avx2", "ufunc", &gpucc_program_suite_math, GPUCC_ABI_suite_math},
    {"scalar", "scalar", &gpucc_program_suite_scalar, GPUCC_ABI_suite_scalar},
    {"avx512", "avx512", &gpucc_program_suite_avx512, GPUCC_ABI_suite_avx512},
};
enum { PLACE_COUNT = sizeof places / sizeof *places };

static gpucc_context *context_of(const struct place *place)
{
    return place == places ? suite.gpu : suite.cpu;
}

static bool is_chosen(const struct place *place)
{
    const char *chosen = getenv("GPUCC_SUITE_ON");
    if (place->image == &gpucc_program_suite_avx512 && !__builtin_cpu_supports("avx512vl"))
        return false;
    return !chosen || !*chosen || strstr(chosen, place->name);
}

static int sampled_bits(void)
{
    const char *text = getenv("GPUCC_SUITE_SAMPLES");
    int bits = text && *text ? atoi(text) : FIRST_STAGE_BITS;
    CHECK(bits >= FIRST_STAGE_BITS && bits <= LONGEST && (bits - FIRST_STAGE_BITS) % STAGE_BITS == 0,
          "GPUCC_SUITE_SAMPLES is one of 20, 24, 28, 32, not '%s'", text);
    return bits;
}

/* ---- a chunk of samples ---- */

/* A function at a place, with arrays for a chunk. */
struct run {
    const struct function *function;
    gpucc_context *context;
    gpucc_ufunc *ufunc;
    gpucc_array *arguments[ARGUMENTS], *results, *hashes; /* of each chunk, a uint64 */
};

static const gpucc_launch grid = {.size = sizeof grid, .grid = {512}, .block = {256}};

static void open_run(struct run *run, const struct function *f, const struct place *place)
{
    const int64_t count = CHUNK, chunks = MOST_CHUNKS;
    char name[64];
    *run = (struct run){.function = f, .context = context_of(place)};
    snprintf(name, sizeof name, "%s_%s", place->prefix, f->name);
    MUST(gpucc_context_ufunc(run->context, place->image, place->abi, name, &run->ufunc));
    for (int k = 0; k < f->reals + f->integers; k++)
        MUST(gpucc_array_create(run->context, k < f->reals ? f->type : GPUCC_INT64, 1, &count, &run->arguments[k]));
    MUST(gpucc_array_create(run->context, f->digest ? GPUCC_UINT64 : f->type, 1, &count, &run->results));
    uint64_t *zeros = calloc(MOST_CHUNKS, sizeof *zeros);
    CHECK(zeros, "out of memory");
    MUST(gpucc_array_from_host(run->context, GPUCC_UINT64, 1, &chunks, NULL, zeros, &run->hashes));
    free(zeros);
}

static void close_run(struct run *run)
{
    for (int k = 0; k < run->function->reals + run->function->integers; k++)
        gpucc_array_release(run->arguments[k]);
    gpucc_array_release(run->results);
    gpucc_array_release(run->hashes);
}

static void make_arguments(const struct run *run, uint64_t first)
{
    const struct function *f = run->function;
    for (int k = 0; k < f->reals + f->integers; k++) {
        void *data = gpucc_array_data(run->arguments[k]);
        if (accepts_all_numbers(f))
            MUST(make_numbers(run->context, &grid, first, CHUNK, data));
        else if (k == f->reals)
            MUST(make_int64(run->context, &grid, first, CHUNK, data));
        else if (f->type == GPUCC_FLOAT32)
            MUST(make_float32(run->context, &grid, first, k, CHUNK, data));
        else
            MUST(make_float64(run->context, &grid, first, k, CHUNK, data));
    }
}

/* Computes the results of a chunk and adds them to its hash; on a GPU, begins to. */
static void run_chunk(struct run *run, int chunk)
{
    const struct function *f = run->function;
    const uint64_t first = (uint64_t)chunk << CHUNK_BITS;
    const bool numbers = accepts_all_numbers(f);
    make_arguments(run, first);
    MUST(gpucc_ufunc_call(run->ufunc, (const gpucc_array *const *)run->arguments, &run->results, NULL));
    const void *results = gpucc_array_data(run->results);
    uint64_t *hash = (uint64_t *)gpucc_array_data(run->hashes) + chunk;
    if (gpucc_dtype_size(gpucc_array_dtype(run->results)) == 4)
        MUST(hash_4_bytes(run->context, &grid, first, numbers, CHUNK, results, hash));
    else
        MUST(hash_8_bytes(run->context, &grid, first, numbers, CHUNK, results, hash));
}

/* ---- where two places differ ---- */

static void *read_array(const gpucc_array *array)
{
    const size_t size = CHUNK * gpucc_dtype_size(gpucc_array_dtype(array));
    void *data = suite_alloc(size);
    MUST(gpucc_array_read(array, data, size));
    return data;
}

static void print_element(char *text, size_t size, const gpucc_array *array, const void *data, int i)
{
    const size_t bytes = gpucc_dtype_size(gpucc_array_dtype(array));
    uint64_t bits = 0;
    memcpy(&bits, (const char *)data + (size_t)i * bytes, bytes);
    const size_t used = strlen(text);
    snprintf(text + used, size - used, " %#llx", (unsigned long long)bits);
}

/* Fails with the first sample of the chunk whose results differ, if there is one. */
static void explain(struct run *run, struct run *other, const struct place *place, int chunk)
{
    char text[200] = "";
    run_chunk(run, chunk);
    run_chunk(other, chunk);
    void *results[] = {read_array(run->results), read_array(other->results)};
    const size_t size = gpucc_dtype_size(gpucc_array_dtype(run->results));
    int count = 0, first = 0;
    for (int i = CHUNK - 1; i >= 0; i--)
        if (memcmp((char *)results[0] + (size_t)i * size, (char *)results[1] + (size_t)i * size, size)) {
            first = i;
            count++;
        }
    for (int k = 0; k < run->function->reals + run->function->integers; k++) {
        void *data = read_array(run->arguments[k]);
        print_element(text, sizeof text, run->arguments[k], data, first);
        free(data);
    }
    print_element(text, sizeof text, run->results, results[0], first);
    print_element(text, sizeof text, run->results, results[1], first);
    CHECK(count == 0, "%s: bits of the arguments, of the result on %s and of another one:%s; %d of %d samples differ",
          run->function->name, place->name, text, count, CHUNK);
    free(results[0]);
    free(results[1]);
}

/* Looks in chunks whose hashes do not agree for what differs from another place, and fails. */
static _Noreturn void find_difference(struct run *run, const struct place *place, int chunks, const uint64_t *hashes)
{
    const struct place *other_place = place == places ? places + 1 : places;
    struct run other;
    open_run(&other, run->function, other_place);
    for (int c = 0; c < chunks; c++) {
        uint64_t hash;
        run_chunk(&other, c);
        if (c % CHUNKS_OF_BLOCK && c + 1 < chunks)
            continue;
        uint64_t others[MOST_CHUNKS];
        MUST(gpucc_array_read(other.hashes, others, sizeof others));
        for (int k = c - c % CHUNKS_OF_BLOCK; k <= c; k++)
            if ((hash = others[k]) != hashes[k])
                explain(run, &other, place, k);
    }
    suite_fail(__FILE__, __LINE__, "hashes", "%s on %s: %s gives the same, which is not committed", run->function->name,
               place->name, other_place->name);
}

/* ---- one function ---- */

static uint64_t sum(const uint64_t *hashes, uint64_t count)
{
    uint64_t total = 0;
    for (uint64_t i = 0; i < count; i++)
        total += hashes[i];
    return total;
}

/* How many chunks of these hashes are as committed; -1 where some are not. */
static int compare_with_goldens(const struct function *f, const uint64_t *hashes, int chunks)
{
    const struct golden *golden = f->blocks ? find_golden(f->name) : NULL;
    const struct sampled *known = find_sampled(f->name);
    int right = 0;
    for (int b = 0; golden && b < golden->count && (b + 1) * CHUNKS_OF_BLOCK <= chunks; b++) {
        if ((uint32_t)sum(hashes + b * CHUNKS_OF_BLOCK, CHUNKS_OF_BLOCK) != golden->blocks[b])
            return -1;
        right = (b + 1) * CHUNKS_OF_BLOCK;
    }
    for (int s = 0; known && s < STAGE_COUNT && known->stages[s]; s++) {
        const uint64_t count = stage_samples(s) >> CHUNK_BITS;
        if (count > (uint64_t)chunks)
            break;
        if (sum(hashes, count) != known->stages[s])
            return -1;
        right = right > (int)count ? right : (int)count;
    }
    return right;
}

static void add_to_file(const char *path, const struct function *f, const uint64_t *hashes, int chunks)
{
    uint32_t blocks[BLOCK_COUNT];
    uint64_t stages[STAGE_COUNT] = {0};
    FILE *file = fopen(path, "a");
    CHECK(file, "%s cannot be written", path);
    for (int b = 0; b < chunks / CHUNKS_OF_BLOCK; b++)
        blocks[b] = (uint32_t)sum(hashes + b * CHUNKS_OF_BLOCK, CHUNKS_OF_BLOCK);
    for (int s = 0; s < STAGE_COUNT && stage_samples(s) >> CHUNK_BITS <= (uint64_t)chunks; s++)
        stages[s] = sum(hashes, stage_samples(s) >> CHUNK_BITS);
    if (f->blocks)
        write_golden(file, f->name, blocks, chunks / CHUNKS_OF_BLOCK);
    write_sampled(file, f->name, stages);
    CHECK(fclose(file) == 0, "%s cannot be written", path);
}

static void check_at(const struct function *f, const struct place *place)
{
    const char *output = place == places ? getenv("GPUCC_SUITE_GOLDENS") : NULL;
    const int chunks = 1 << (sampled_bits() - CHUNK_BITS);
    static uint64_t hashes[MOST_CHUNKS];
    struct run run;
    open_run(&run, f, place);
    for (int c = 0; c < chunks; c++)
        run_chunk(&run, c);
    MUST(gpucc_array_read(run.hashes, hashes, sizeof hashes));
    const int right = compare_with_goldens(f, hashes, chunks);
    if (output)
        add_to_file(output, f, hashes, chunks);
    else if (right < 0)
        find_difference(&run, place, chunks, hashes);
    printf("       %-14s %-7s %4d chunks of 2^20 samples, %4d of them as committed\n", f->name, place->name, chunks,
           right);
    CHECK(right > 0 || output, "%s has no hashes; `goldens --write` makes them", f->name);
    close_run(&run);
}

/* ---- samples compared one by one ---- */

/* Every n-th of the chunk's samples as an array of that context. */
static gpucc_array *pick_samples(const gpucc_array *chunk, gpucc_context *context, int64_t count)
{
    const size_t size = gpucc_dtype_size(gpucc_array_dtype(chunk));
    char *all = read_array(chunk);
    gpucc_array *picked;
    for (int64_t i = 0; i < count; i++)
        memmove(all + (size_t)i * size, all + (size_t)(i * (CHUNK / count)) * size, size);
    MUST(gpucc_array_from_host(context, gpucc_array_dtype(chunk), 1, &count, NULL, all, &picked));
    free(all);
    return picked;
}

static void *compute_samples(const struct function *f, const struct place *place, const struct run *source,
                             int64_t count)
{
    struct run run = {.function = f, .context = context_of(place)};
    const size_t size = gpucc_dtype_size(f->digest ? GPUCC_UINT64 : f->type);
    char name[64];
    void *results = suite_alloc((size_t)count * size);
    snprintf(name, sizeof name, "%s_%s", place->prefix, f->name);
    MUST(gpucc_context_ufunc(run.context, place->image, place->abi, name, &run.ufunc));
    for (int k = 0; k < f->reals + f->integers; k++)
        run.arguments[k] = pick_samples(source->arguments[k], run.context, count);
    MUST(gpucc_array_create(run.context, f->digest ? GPUCC_UINT64 : f->type, 1, &count, &run.results));
    MUST(gpucc_ufunc_call(run.ufunc, (const gpucc_array *const *)run.arguments, &run.results, NULL));
    MUST(gpucc_array_read(run.results, results, (size_t)count * size));
    for (int k = 0; k < f->reals + f->integers; k++)
        gpucc_array_release(run.arguments[k]);
    gpucc_array_release(run.results);
    return results;
}

static void check_directly(const struct function *f, int64_t count)
{
    const gpucc_dtype type = f->digest ? GPUCC_UINT64 : f->type;
    struct run source;
    CHECK(count > 0 && count <= CHUNK, "GPUCC_SUITE_DIRECT is a number of samples up to %d", CHUNK);
    open_run(&source, f, places + 1);
    make_arguments(&source, 0);
    char *results[] = {compute_samples(f, places, &source, count), compute_samples(f, places + 1, &source, count)};
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits[2] = {0, 0};
        for (int k = 0; k < 2; k++)
            memcpy(&bits[k], results[k] + (size_t)i * gpucc_dtype_size(type), gpucc_dtype_size(type));
        CHECK(bits[0] == bits[1], "%s: sample %lld is %#llx on the device and %#llx in native code", f->name,
              (long long)(i * (CHUNK / count)), (unsigned long long)bits[0], (unsigned long long)bits[1]);
    }
    free(results[0]);
    free(results[1]);
    close_run(&source);
}

static void check(const struct function *f)
{
    const char *direct = getenv("GPUCC_SUITE_DIRECT");
    if (direct && *direct) {
        check_directly(f, atoll(direct));
        return;
    }
    for (const struct place *place = places; place < places + PLACE_COUNT; place++)
        if (is_chosen(place))
            check_at(f, place);
}

/* ---- every function ---- */

#define FUNCTION(name, type, reals, integers, digest, blocks)                                                          \
    static void test_##name(void)                                                                                      \
    {                                                                                                                  \
        check(&(struct function){#name, type, reals, integers, digest, blocks});                                       \
    }
#define FLOAT_1(name, quick, exact, bound) FUNCTION(name, GPUCC_FLOAT32, 1, 0, false, true)
#define FLOAT_2(name, quick, exact, bound) FUNCTION(name, GPUCC_FLOAT32, 2, 0, false, false)
#define FLOAT_N(name, quick, exact, bound) FUNCTION(name, GPUCC_FLOAT32, 1, 1, false, false)
#define DOUBLE_1(name, exact, bound) FUNCTION(name, GPUCC_FLOAT64, 1, 0, false, false)
#define DOUBLE_2(name, exact, bound) FUNCTION(name, GPUCC_FLOAT64, 2, 0, false, false)
#define DOUBLE_N(name, exact, bound) FUNCTION(name, GPUCC_FLOAT64, 1, 1, false, false)
#define DIGEST_1(name, ...) DIGEST(name, 1, 0)
#define DIGEST_2(name, ...) DIGEST(name, 2, 0)
#define DIGEST_3(name, ...) DIGEST(name, 3, 0)
#define DIGEST_4(name, ...) DIGEST(name, 4, 0)
#define DIGEST_N(name, ...) DIGEST(name, 1, 1)
#include <functions.def>
#define DIGEST(name, reals, integers) FUNCTION(name##f, GPUCC_FLOAT32, reals, integers, true, false)
#include <digests.def>
#undef DIGEST
#define DIGEST(name, reals, integers) FUNCTION(name, GPUCC_FLOAT64, reals, integers, true, false)
#include <digests.def>
#undef DIGEST
#undef FUNCTION

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {
#define FUNCTION(name, type, reals, integers, digest, blocks) TEST(test_##name),
#include <functions.def>
#define DIGEST(name, reals, integers) TEST(test_##name##f),
#include <digests.def>
#undef DIGEST
#define DIGEST(name, reals, integers) TEST(test_##name),
#include <digests.def>
    };
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
