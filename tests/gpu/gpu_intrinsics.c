/* Compares operations between threads and hardware instructions: each kernel runs with the same random words on the GPU
 * and on the CPU, and every word that it stores must agree. */
#include "compare.h"

#include <stdlib.h>
#include <string.h>
#include <suite_atomics.h>
#include <suite_copies.h>
#include <suite_gemm.h>
#include <suite_integers.h>
#include <suite_matrix.h>
#include <suite_memory.h>
#include <suite_pairs.h>
#include <suite_random.h>
#include <suite_warp.h>

enum { WORDS = 1 << 15 };

struct row {
    const char *kernel;
    gpucc_launch launch;
};

struct program {
    const struct gpucc_program_image *image;
    uint64_t abi;
};

#define PROGRAM(name) ((struct program){&gpucc_program_##name, GPUCC_ABI_##name})
#define ROW(name, ...) {name, {.size = sizeof(gpucc_launch), __VA_ARGS__}}

static void run_row(gpucc_context *context, struct program program, const struct row *row, const uint32_t *in,
                    uint32_t *out)
{
    int64_t count = WORDS;
    gpucc_kernel *kernel;
    gpucc_array *from, *to;
    memset(out, 0, WORDS * sizeof *out);
    MUST(gpucc_context_kernel(context, program.image, program.abi, row->kernel, &kernel));
    MUST(gpucc_array_from_host(context, GPUCC_UINT32, 1, &count, NULL, in, &from));
    MUST(gpucc_array_from_host(context, GPUCC_UINT32, 1, &count, NULL, out, &to));
    void *pointers[] = {gpucc_array_data(from), gpucc_array_data(to)};
    MUST(gpucc_kernel_launch(kernel, &row->launch, (void *[]){&pointers[0], &pointers[1]}));
    MUST(gpucc_array_read(to, out, WORDS * sizeof *out));
    gpucc_array_release(from);
    gpucc_array_release(to);
}

static void compare_rows(struct program program, const struct row *rows, size_t count)
{
    uint32_t *in = suite_alloc(WORDS * sizeof *in);
    uint32_t *gpu = suite_alloc(WORDS * sizeof *gpu), *cpu = suite_alloc(WORDS * sizeof *cpu);
    uint64_t state = 1;
    for (int i = 0; i < WORDS; i++)
        in[i] = (uint32_t)(suite_random(&state) >> 16);
    for (size_t r = 0; r < count; r++) {
        run_row(suite.gpu, program, &rows[r], in, gpu);
        run_row(suite.cpu, program, &rows[r], in, cpu);
        compare_elements(GPUCC_UINT32, gpu, cpu, WORDS, false, rows[r].kernel);
    }
    free(in);
    free(gpu);
    free(cpu);
}

#define COMPARE(program, rows) compare_rows(PROGRAM(program), rows, sizeof rows / sizeof *rows)

static void test_copies(void)
{
    static const struct row rows[] = {
        ROW("copy_words", .grid = {1}, .block = {128}),
        ROW("copy_sizes", .grid = {1}, .block = {128}),
    };
    COMPARE(suite_copies, rows);
}

static void test_matrix_units(void)
{
    static const struct row rows[] = {
        ROW("product_f16", .grid = {1}, .block = {32}),  ROW("product_bf16", .grid = {1}, .block = {32}),
        ROW("product_tf32", .grid = {1}, .block = {32}), ROW("product_i8", .grid = {1}, .block = {32}),
        ROW("product_f64", .grid = {1}, .block = {32}),  ROW("round_tf32", .grid = {1}, .block = {32}),
        ROW("narrow_sums", .grid = {1}, .block = {32}),
    };
    COMPARE(suite_matrix, rows);
}

static void test_pairs(void)
{
    static const struct row rows[] = {
        ROW("pairs_float16", .grid = {16}, .block = {128}),
        ROW("pairs_bfloat16", .grid = {16}, .block = {128}),
        ROW("pair_roundings", .grid = {32}, .block = {256}),
    };
    COMPARE(suite_pairs, rows);
}

static void test_random_numbers(void)
{
    static const struct row rows[] = {
        ROW("random_philox", .grid = {8}, .block = {128}),
        ROW("random_xoroshiro128p", .grid = {8}, .block = {128}),
    };
    COMPARE(suite_random, rows);
}

static void test_shuffles(void)
{
    static const struct row rows[] = {
        ROW("shuffle_i8", .grid = {1}, .block = {128}), ROW("shuffle_u16", .grid = {1}, .block = {128}),
        ROW("shuffle_i32", .grid = {1}, .block = {128}), ROW("shuffle_u32", .grid = {1}, .block = {128}),
        ROW("shuffle_i64", .grid = {1}, .block = {128}), ROW("shuffle_u64", .grid = {1}, .block = {128}),
        ROW("shuffle_f16", .grid = {1}, .block = {128}), ROW("shuffle_bf16", .grid = {1}, .block = {128}),
        ROW("shuffle_f32", .grid = {1}, .block = {128}), ROW("shuffle_f64", .grid = {1}, .block = {128}),
        ROW("shuffle_c64", .grid = {1}, .block = {128}), ROW("shuffle_small", .grid = {1}, .block = {128}),
        ROW("shuffle_large", .grid = {1}, .block = {128}),
    };
    COMPARE(suite_warp, rows);
}

static void test_votes_and_reductions(void)
{
    static const struct row rows[] = {
        ROW("votes", .grid = {1}, .block = {256}), ROW("matches", .grid = {1}, .block = {256}),
        ROW("reduce_i32", .grid = {1}, .block = {256}), ROW("reduce_u32", .grid = {1}, .block = {256}),
        ROW("reduce_i64", .grid = {1}, .block = {256}), ROW("reduce_u64", .grid = {1}, .block = {256}),
        ROW("partial_warp", .grid = {1}, .block = {75}), ROW("barriers", .grid = {1}, .block = {96}),
        ROW("barriers", .grid = {1}, .block = {1000}),
    };
    COMPARE(suite_warp, rows);
}

static void test_atomics(void)
{
    static const struct row rows[] = {
        ROW("atomics_i8", .grid = {1}, .block = {64}), ROW("atomics_u8", .grid = {1}, .block = {64}),
        ROW("atomics_i16", .grid = {1}, .block = {64}), ROW("atomics_u16", .grid = {1}, .block = {64}),
        ROW("atomics_i32", .grid = {1}, .block = {64}), ROW("atomics_u32", .grid = {1}, .block = {64}),
        ROW("atomics_i64", .grid = {1}, .block = {64}), ROW("atomics_u64", .grid = {1}, .block = {64}),
        ROW("atomics_f16", .grid = {1}, .block = {64}), ROW("atomics_bf16", .grid = {1}, .block = {64}),
        ROW("atomics_f32", .grid = {1}, .block = {64}), ROW("atomics_f64", .grid = {1}, .block = {64}),
        ROW("atomics_c64", .grid = {3}, .block = {100}), ROW("atomics_c128", .grid = {3}, .block = {100}),
    };
    COMPARE(suite_atomics, rows);
}

static void test_crowds(void)
{
    static const struct row rows[] = {
        ROW("crowd_i8", .grid = {4}, .block = {256}), ROW("crowd_u8", .grid = {4}, .block = {256}),
        ROW("crowd_i16", .grid = {4}, .block = {256}), ROW("crowd_u16", .grid = {4}, .block = {256}),
        ROW("crowd_i32", .grid = {4}, .block = {256}), ROW("crowd_u32", .grid = {4}, .block = {256}),
        ROW("crowd_i64", .grid = {4}, .block = {256}), ROW("crowd_u64", .grid = {4}, .block = {256}),
        ROW("crowd_f16", .grid = {4}, .block = {256}), ROW("crowd_bf16", .grid = {4}, .block = {256}),
        ROW("crowd_f32", .grid = {4}, .block = {256}), ROW("crowd_f64", .grid = {4}, .block = {256}),
        ROW("last_block", .grid = {40}, .block = {128}), ROW("locked_pair", .grid = {50}, .block = {32}),
    };
    COMPARE(suite_atomics, rows);
}

static void test_memory_orders(void)
{
    static const struct row rows[] = {
        ROW("orders_i8", .grid = {1}, .block = {64}), ROW("orders_u16", .grid = {1}, .block = {64}),
        ROW("orders_i32", .grid = {1}, .block = {64}), ROW("orders_u64", .grid = {1}, .block = {64}),
        ROW("orders_f32", .grid = {1}, .block = {64}), ROW("orders_f64", .grid = {1}, .block = {64}),
    };
    COMPARE(suite_atomics, rows);
}

static void test_integers(void)
{
    static const struct row rows[] = {
        ROW("bits", .grid = {4}, .block = {200}), ROW("products", .grid = {4}, .block = {200}),
        ROW("reciprocals", .grid = {4}, .block = {200}), ROW("wide", .grid = {4}, .block = {200}),
    };
    COMPARE(suite_integers, rows);
}

static void test_cache_hints(void)
{
    static const struct row rows[] = {
        ROW("hints_u8", .grid = {4}, .block = {128}), ROW("hints_i16", .grid = {4}, .block = {128}),
        ROW("hints_f16", .grid = {4}, .block = {128}), ROW("hints_bf16", .grid = {4}, .block = {128}),
        ROW("hints_f32", .grid = {4}, .block = {128}), ROW("hints_i64", .grid = {4}, .block = {128}),
        ROW("hints_f64", .grid = {4}, .block = {128}), ROW("hints_float2", .grid = {4}, .block = {128}),
        ROW("hints_float4", .grid = {4}, .block = {128}), ROW("hints_double2", .grid = {4}, .block = {128}),
        ROW("hints_uchar4", .grid = {4}, .block = {128}), ROW("hints_short4", .grid = {4}, .block = {128}),
        ROW("hints_c64", .grid = {4}, .block = {128}), ROW("hints_c128", .grid = {4}, .block = {128}),
        ROW("hints_three", .grid = {4}, .block = {128}),
    };
    COMPARE(suite_memory, rows);
}

static void test_memory(void)
{
    static const struct row rows[] = {
        ROW("vectors", .grid = {4}, .block = {128}), ROW("local_arrays", .grid = {4}, .block = {128}),
        ROW("clocks", .grid = {4}, .block = {128}), ROW("dynamic", .grid = {1}, .block = {300}, .shared = 300 * 13),
    };
    COMPARE(suite_memory, rows);
}

/* ---- the sample that puts the matrix units to work ---- */

static void multiply(gpucc_context *context, const int64_t sizes[3], const uint16_t *a, const uint16_t *b, uint16_t *c)
{
    const int64_t m = sizes[0], n = sizes[1], k = sizes[2], counts[] = {m * k, k * n, m * n};
    const void *const data[] = {a, b, c};
    gpucc_array *arrays[3];
    for (int i = 0; i < 3; i++)
        MUST(gpucc_array_from_host(context, GPUCC_BFLOAT16, 1, &counts[i], NULL, data[i], &arrays[i]));
    gpucc_launch launch = {.size = sizeof launch, .grid = {(uint32_t)((m + 127) / 128 * ((n + 255) / 256))},
                           .block = {256}, .shared = 4 * 27136};
    MUST(gemm_bf16(context, &launch, (uint64_t)m, (uint64_t)n, (uint64_t)k, gpucc_array_data(arrays[0]),
                   gpucc_array_data(arrays[1]), gpucc_array_data(arrays[2])));
    MUST(gpucc_array_read(arrays[2], c, (size_t)counts[2] * sizeof *c));
    for (int i = 0; i < 3; i++)
        gpucc_array_release(arrays[i]);
}

/* Small whole numbers, whose sums are exact in any order; sizes that fill tiles and that do not. */
static void test_matrix_product(void)
{
    static const uint16_t numbers[] = {0xc040, 0xc000, 0xbf80, 0, 0x3f80, 0x4000, 0x4040};
    static const int64_t sizes[][3] = {{128, 256, 32}, {256, 512, 128}, {300, 328, 200}, {1, 8, 8}, {129, 264, 1000}};
    const bool on_gpu = suite.device.kind == GPUCC_DEVICE_CUDA;
    if (on_gpu && (suite.device.arch < 80 || suite.device.max_shared_per_block < 4 * 27136))
        suite_skip("it is for sm_80 and newer, with 106 KiB of shared memory");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
        uint16_t *a = suite_alloc((size_t)(m * k) * 2), *b = suite_alloc((size_t)(k * n) * 2);
        uint16_t *gpu = suite_alloc((size_t)(m * n) * 2), *cpu = suite_alloc((size_t)(m * n) * 2);
        uint64_t state = s;
        for (int64_t i = 0; i < m * k; i++)
            a[i] = numbers[suite_random(&state) % 7];
        for (int64_t i = 0; i < k * n; i++)
            b[i] = numbers[suite_random(&state) % 7];
        memset(gpu, 0xff, (size_t)(m * n) * 2);
        memset(cpu, 0xff, (size_t)(m * n) * 2);
        multiply(suite.gpu, sizes[s], a, b, gpu);
        multiply(suite.cpu, sizes[s], a, b, cpu);
        compare_elements(GPUCC_BFLOAT16, gpu, cpu, (size_t)(m * n), false, "gemm_bf16");
        CHECK(gpu[m * n - 1] != 0xffff, "the last element is not there");
        free(a);
        free(b);
        free(gpu);
        free(cpu);
    }
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {
        TEST(test_copies),
        TEST(test_matrix_units),
        TEST(test_pairs),
        TEST(test_random_numbers),
        TEST(test_shuffles),
        TEST(test_votes_and_reductions),
        TEST(test_atomics),
        TEST(test_crowds),
        TEST(test_memory_orders),
        TEST(test_integers),
        TEST(test_cache_hints),
        TEST(test_memory),
        TEST(test_matrix_product),
    };
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
