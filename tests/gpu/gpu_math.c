/* The math library: every function gives the same bits on the GPU and on the CPU.
 * Functions of one float32 are hashed by blocks of 2^24 numbers, the first GPUCC_SUITE_BLOCKS of 256 (1), and compared with
 * the committed hashes; the first block, and those without such a hash, with the CPU.  GPUCC_SUITE_GOLDENS=FILE adds
 * the hashes to FILE, as tests/accuracy/goldens.def has them, and leaves the blocks without a hash to the CPU's own test. */
#include "compare.h"

#include <hash.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suite_hash.h>
#include <suite_math.h>

enum { BLOCK = 1 << BLOCK_BITS, PAIRS = 1 << 20 };

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

/* The hash of a function's results for a block of samples. */
static uint64_t hash_block(struct side *side, const char *name, int block)
{
    char ufunc_name[64];
    gpucc_ufunc *ufunc;
    uint64_t hash = 0, first = (uint64_t)block << BLOCK_BITS;
    const gpucc_launch launch = {.size = sizeof launch, .grid = {512}, .block = {256}};
    snprintf(ufunc_name, sizeof ufunc_name, "ufunc_%s", name);
    MUST(gpucc_context_ufunc(side->context, &gpucc_program_suite_math, GPUCC_ABI_suite_math, ufunc_name, &ufunc));
    MUST(gpucc_array_write(side->hash, &hash, sizeof hash));
    MUST(make_samples(side->context, &launch, first, BLOCK, gpucc_array_data(side->samples)));
    MUST(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){side->samples}, &side->results, NULL));
    MUST(hash_results(side->context, &launch, first, BLOCK, gpucc_array_data(side->results),
                      gpucc_array_data(side->hash)));
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

static int block_count(void)
{
    const char *text = getenv("GPUCC_SUITE_BLOCKS");
    int count = text ? atoi(text) : 1;
    return count < 1 ? 1 : count > BLOCK_COUNT ? BLOCK_COUNT : count;
}

static void add_to_file(const char *name, const uint32_t *hashes, int count)
{
    const char *path = getenv("GPUCC_SUITE_GOLDENS");
    FILE *file = path ? fopen(path, "a") : NULL;
    CHECK(!path || file, "%s cannot be written", path);
    if (!file)
        return;
    fprintf(file, "GOLDEN(%s", name);
    for (int b = 0; b < count; b++)
        fprintf(file, ",%s0x%08x", b % 8 ? " " : "\n       ", hashes[b]);
    fprintf(file, ")\n");
    CHECK(fclose(file) == 0, "%s cannot be written", path);
}

/* A block's results on the GPU are those of the committed hash, and those of the CPU where that is asked. */
static uint32_t check_block(struct side *gpu, struct side *cpu, const char *name, int block)
{
    const struct golden *golden = find_golden(name);
    bool known = golden && block < golden->count;
    uint64_t hash = hash_block(gpu, name, block);
    bool right = !known || (uint32_t)hash == golden->blocks[block];
    bool trusted = known ? right : getenv("GPUCC_SUITE_GOLDENS") != NULL;
    if ((!trusted || block == 0) && hash_block(cpu, name, block) != hash) {
        explain(gpu, cpu, name);
        CHECK(false, "%s: the results agree, their hashes do not", name);
    }
    CHECK(right, "%s: block %d has the hash %08x on the CPU too, not %08x", name, block, (uint32_t)hash,
          golden->blocks[block]);
    return (uint32_t)hash;
}

static void check_float_1(const char *name)
{
    struct side gpu, cpu;
    uint32_t hashes[BLOCK_COUNT];
    const struct golden *golden = find_golden(name);
    const int count = block_count(), known = !golden ? 0 : golden->count < count ? golden->count : count;
    open_side(&gpu, suite.gpu);
    open_side(&cpu, suite.cpu);
    for (int b = 0; b < count; b++)
        hashes[b] = check_block(&gpu, &cpu, name, b);
    printf("       %-14s %3d blocks of 2^24 numbers, %3d of them as committed\n", name, count, known);
    add_to_file(name, hashes, count);
    close_side(&gpu);
    close_side(&cpu);
}

/* On random operands of these types, outputs behind inputs. */
static void check_types(const char *ufunc, int inputs, int outputs, const gpucc_dtype *dtypes)
{
    struct comparison c = {&gpucc_program_suite_math, ufunc, inputs, outputs, .seed = 11};
    for (int i = 0; i < inputs + outputs; i++) {
        c.dtypes[i] = dtypes[i];
        c.views[i] = view_1d(PAIRS);
    }
    compare(&c, gpucc_dtype_name(dtypes[0]));
}

static void check_function(const char *name, int inputs, const gpucc_dtype *dtypes)
{
    char ufunc[64];
    snprintf(ufunc, sizeof ufunc, "ufunc_%s", name);
    check_types(ufunc, inputs, 1, dtypes);
}

static void check_random(const char *name, gpucc_dtype dtype, int inputs)
{
    check_function(name, inputs, (const gpucc_dtype[]){dtype, dtype, dtype});
}

/* Of a number and an integer. */
static void check_random_power(const char *name, gpucc_dtype dtype)
{
    check_function(name, 2, (const gpucc_dtype[]){dtype, GPUCC_INT64, dtype});
}

#define FLOAT_1(name, quick, exact, bound) static void test_##name(void) { check_float_1(#name); }
#define FLOAT_2(name, quick, exact, bound) static void test_##name(void) { check_random(#name, GPUCC_FLOAT32, 2); }
#define DOUBLE_1(name, exact, bound) static void test_##name(void) { check_random(#name, GPUCC_FLOAT64, 1); }
#define DOUBLE_2(name, exact, bound) static void test_##name(void) { check_random(#name, GPUCC_FLOAT64, 2); }
#define FLOAT_N(name, quick, exact, bound) static void test_##name(void) { check_random_power(#name, GPUCC_FLOAT32); }
#define DOUBLE_N(name, exact, bound) static void test_##name(void) { check_random_power(#name, GPUCC_FLOAT64); }
#include <functions.def>
#undef FLOAT_1
#undef FLOAT_2
#undef DOUBLE_1
#undef DOUBLE_2
#undef FLOAT_N
#undef DOUBLE_N

/* ---- <gpucc/arithmetic.h> ---- */

static void test_arithmetic(void)
{
    static const gpucc_dtype dtypes[] = {GPUCC_INT32,  GPUCC_INT64,   GPUCC_UINT32,
                                         GPUCC_UINT64, GPUCC_FLOAT32, GPUCC_FLOAT64};
    for (int i = 0; i < 6; i++) {
        const gpucc_dtype d = dtypes[i], operands[] = {d, d, d};
        check_types("quotient_down", 2, 1, operands);
        check_types("modulus", 2, 1, operands);
        if (i < 4) {
            check_types("divisor_and_multiple", 2, 1, operands);
            check_types("power_and_shifts", 2, 1, operands);
        }
    }
}

static void test_saturation(void)
{
    static const gpucc_dtype dtypes[] = {GPUCC_FLOAT32, GPUCC_FLOAT64, GPUCC_INT64, GPUCC_UINT64};
    for (int i = 0; i < 4; i++)
        check_types("saturated", 1, 4,
                    (const gpucc_dtype[]){dtypes[i], GPUCC_INT8, GPUCC_UINT8, GPUCC_INT32, GPUCC_UINT32});
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {
#define FLOAT_1(name, quick, exact, bound) TEST(test_##name),
#define FLOAT_2(name, quick, exact, bound) TEST(test_##name),
#define DOUBLE_1(name, exact, bound) TEST(test_##name),
#define DOUBLE_2(name, exact, bound) TEST(test_##name),
#define FLOAT_N(name, quick, exact, bound) TEST(test_##name),
#define DOUBLE_N(name, exact, bound) TEST(test_##name),
        TEST(test_arithmetic),
        TEST(test_saturation),
#include <functions.def>
    };
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
