/* A product of bfloat16 matrices by warpgroups, timed and checked.  Arguments: device, then m, n and k. */
#include "gemm_wgmma.h"
#include "sample.h"
#include <string.h>

enum { BLOCK_M = 128, BLOCK_K = 64, BAND = 64, THREADS = 384, SHARED = 197632 }; /* as in gemm_wgmma.c */

/* Whole numbers from -3 to 3: their products add up exactly, whatever the order. */
static uint16_t *whole_numbers(size_t count, uint32_t seed)
{
    static const uint16_t numbers[] = {0xc040, 0xc000, 0xbf80, 0, 0x3f80, 0x4000, 0x4040};
    uint16_t *data = malloc(count * sizeof *data);
    if (!data)
        exit(3);
    for (size_t i = 0; i < count; i++)
        data[i] = numbers[(uint32_t)(sample_random(&seed) * 7)];
    return data;
}

static float to_float(uint16_t x)
{
    uint32_t bits = (uint32_t)x << 16;
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* To nearest, ties to even. */
static uint16_t to_bfloat16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static gpucc_array *matrix(gpucc_context *context, int64_t rows, int64_t columns, const uint16_t *data)
{
    gpucc_array *array;
    CHECK(gpucc_array_from_host(context, GPUCC_BFLOAT16, 2, (int64_t[]){rows, columns}, NULL, data, &array));
    return array;
}

/* The GPU has so many; the CPU counts as 2. */
static uint32_t multiprocessors(gpucc_context *context)
{
    gpucc_device_info info = {.size = sizeof info};
    CHECK(gpucc_context_info(context, &info));
    return info.kind == GPUCC_DEVICE_CUDA ? (uint32_t)info.multiprocessors : 2;
}

/* Some elements, those of the last row and column among them, against the sums that define them. */
static void check(size_t m, size_t n, size_t k, const uint16_t *a, const uint16_t *b, const uint16_t *c)
{
    for (size_t s = 0; s < 1000; s++) {
        size_t row = s < 500 ? s * 7919 % m : m - 1, column = s < 500 ? s * 104729 % n : n - 1 - s % n;
        float sum = 0;
        for (size_t i = 0; i < k; i++)
            sum += to_float(a[row * k + i]) * to_float(b[i * n + column]);
        EXPECT(c[row * n + column] == to_bfloat16(sum));
    }
}

int main(int argc, char **argv)
{
    gpucc_context *context = sample_context(argc, argv);
    int on_gpu = sample_on_gpu(context);
    size_t m = on_gpu ? 8192 : 300, n = on_gpu ? 8192 : 328, k = on_gpu ? 8192 : 200;
    if (argc > 4) {
        m = strtoull(argv[2], NULL, 10);
        n = strtoull(argv[3], NULL, 10);
        k = strtoull(argv[4], NULL, 10);
    }
    uint16_t *a = whole_numbers(m * k, 1), *b = whole_numbers(k * n, 2), *c = whole_numbers(m * n, 3);
    gpucc_array *A = matrix(context, (int64_t)m, (int64_t)k, a), *B = matrix(context, (int64_t)k, (int64_t)n, b),
                *C = matrix(context, (int64_t)m, (int64_t)n, c);
    gpucc_launch how = {.size = sizeof how,
                        .grid = {multiprocessors(context) / 2 * 2},
                        .block = {THREADS},
                        .shared = SHARED};
    gpucc_tensor_map a_map, b_map;
    CHECK(gpucc_tensor_map_make(A, (size_t[]){BLOCK_M, BLOCK_K}, 128, &a_map));
    CHECK(gpucc_tensor_map_make(B, (size_t[]){BLOCK_K, BAND}, 128, &b_map));
    double best = 1e30;
    for (int round = 0; round < (on_gpu ? 10 : 1); round++) {
        double start = sample_seconds();
        CHECK(gemm_wgmma(context, &how, &a_map, &b_map, (int)m, (int)n, (int)k, gpucc_array_data(C)));
        CHECK(gpucc_context_synchronize(context));
        double seconds = sample_seconds() - start;
        best = seconds < best ? seconds : best;
    }
    printf("%zu x %zu x %zu: %.3f ms, %.2f GFLOP/s\n", m, n, k, best * 1e3,
           2.0 * (double)(m * n) * (double)k / best * 1e-9);
    CHECK(gpucc_array_read(C, c, m * n * sizeof *c));
    check(m, n, k, a, b, c);
    printf("1000 elements are what the sums say; the last one is %g\n", (double)to_float(c[m * n - 1]));
    gpucc_context_destroy(context);
    free(a);
    free(b);
    free(c);
    return 0;
}
