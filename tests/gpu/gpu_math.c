/* The math library: every function gives the same bits on the GPU and on the CPU.
 * Functions of one float32 are hashed over 2^24 samples, or GPUCC_SUITE_SAMPLES of them (2^32 are all floats). */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suite_hash.h>
#include <suite_math.h>

enum { BLOCK = 1 << 24, PAIRS = 1 << 20 };

/* The arrays of one context. */
struct side {
    gpucc_context *context;
    gpucc_array *samples, *results, *hash;
};

static void open_side(struct side *side, gpucc_context *context)
{
    const int64_t count = BLOCK, one = 1;
    const uint64_t zero = 0;
    side->context = context;
    MUST(gpucc_array_create(context, GPUCC_FLOAT32, 1, &count, &side->samples));
    MUST(gpucc_array_create(context, GPUCC_FLOAT32, 1, &count, &side->results));
    MUST(gpucc_array_from_host(context, GPUCC_UINT64, 1, &one, NULL, &zero, &side->hash));
}

static void close_side(struct side *side)
{
    gpucc_array_release(side->samples);
    gpucc_array_release(side->results);
    gpucc_array_release(side->hash);
}

/* Adds a block of samples to the hash. */
static void run_block(struct side *side, const char *ufunc_name, uint64_t first, uint64_t n)
{
    gpucc_ufunc *ufunc;
    const gpucc_launch launch = {.size = sizeof launch, .grid = {512}, .block = {256}};
    MUST(gpucc_context_ufunc(side->context, &gpucc_program_suite_math, GPUCC_ABI_suite_math, ufunc_name, &ufunc));
    MUST(make_samples(side->context, &launch, first, n, gpucc_array_data(side->samples)));
    MUST(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){side->samples}, &side->results, NULL));
    MUST(hash_results(side->context, &launch, first, n, gpucc_array_data(side->results), gpucc_array_data(side->hash)));
}

static uint64_t read_hash(const struct side *side)
{
    uint64_t hash;
    MUST(gpucc_array_read(side->hash, &hash, sizeof hash));
    return hash;
}

/* Finds the first sample of the block whose results differ. */
static void explain(const struct side *gpu, const struct side *cpu, const char *name)
{
    uint32_t *samples = suite_alloc(BLOCK * sizeof *samples), *a = suite_alloc(BLOCK * sizeof *a);
    uint32_t *b = suite_alloc(BLOCK * sizeof *b);
    MUST(gpucc_array_read(cpu->samples, samples, BLOCK * sizeof *samples));
    MUST(gpucc_array_read(gpu->results, a, BLOCK * sizeof *a));
    MUST(gpucc_array_read(cpu->results, b, BLOCK * sizeof *b));
    size_t count = 0, first = 0;
    for (size_t i = BLOCK; i-- > 0;)
        if (a[i] != b[i]) {
            first = i;
            count++;
        }
    CHECK(count == 0, "%s(%#x) is %#x on the GPU and %#x on the CPU; %zu of %d samples differ", name, samples[first],
          a[first], b[first], count, BLOCK);
    free(samples);
    free(a);
    free(b);
}

static uint64_t sample_count(void)
{
    const char *text = getenv("GPUCC_SUITE_SAMPLES");
    uint64_t count = text ? strtoull(text, NULL, 0) : BLOCK;
    return count < BLOCK ? BLOCK : count / BLOCK * BLOCK;
}

static void check_float_1(const char *name)
{
    struct side gpu, cpu;
    char ufunc[64];
    snprintf(ufunc, sizeof ufunc, "ufunc_%s", name);
    open_side(&gpu, suite.gpu);
    open_side(&cpu, suite.cpu);
    for (uint64_t first = 0; first < sample_count(); first += BLOCK) {
        run_block(&gpu, ufunc, first, BLOCK);
        run_block(&cpu, ufunc, first, BLOCK);
        if (read_hash(&gpu) != read_hash(&cpu)) {
            explain(&gpu, &cpu, name);
            CHECK(false, "%s: the results agree, their hashes do not", name);
        }
    }
    printf("       %-10s %11llu samples  hash %016llx\n", name, (unsigned long long)sample_count(),
           (unsigned long long)read_hash(&gpu));
    close_side(&gpu);
    close_side(&cpu);
}

static void check_random(const char *name, gpucc_dtype dtype, int inputs)
{
    char ufunc[64];
    snprintf(ufunc, sizeof ufunc, "ufunc_%s", name);
    struct comparison c = {&gpucc_program_suite_math, ufunc, inputs, 1, .seed = 11};
    for (int i = 0; i <= inputs; i++) {
        c.dtypes[i] = dtype;
        c.views[i] = view_1d(PAIRS);
    }
    compare(&c, "random numbers");
}

#define FLOAT_1(name, quick, exact, bound) static void test_##name(void) { check_float_1(#name); }
#define FLOAT_2(name, quick, exact, bound) static void test_##name(void) { check_random(#name, GPUCC_FLOAT32, 2); }
#define DOUBLE_1(name, exact, bound) static void test_##name(void) { check_random(#name, GPUCC_FLOAT64, 1); }
#define DOUBLE_2(name, exact, bound) static void test_##name(void) { check_random(#name, GPUCC_FLOAT64, 2); }
#include <functions.def>
#undef FLOAT_1
#undef FLOAT_2
#undef DOUBLE_1
#undef DOUBLE_2

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {
#define FLOAT_1(name, quick, exact, bound) TEST(test_##name),
#define FLOAT_2(name, quick, exact, bound) TEST(test_##name),
#define DOUBLE_1(name, exact, bound) TEST(test_##name),
#define DOUBLE_2(name, exact, bound) TEST(test_##name),
#include <functions.def>
    };
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
