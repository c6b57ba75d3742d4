/* A product of bfloat16 matrices on the matrix units, timed and checked.  Arguments: device, then m, n and k. */
#include "gemm_bf16.h"
#include "bfloat16_matrices.h"

enum { TILE_M = 128, TILE_N = 256, THREADS = 256, SHARED = 4 * 27136 }; /* as in gemm_bf16.c */

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
                        .grid = {(uint32_t)((m + TILE_M - 1) / TILE_M * ((n + TILE_N - 1) / TILE_N))},
                        .block = {THREADS},
                        .shared = SHARED};
    double best = 1e30;
    for (int round = 0; round < (on_gpu ? 10 : 1); round++) {
        double start = sample_seconds();
        CHECK(gemm_bf16(context, &how, m, n, k, gpucc_array_data(A), gpucc_array_data(B), gpucc_array_data(C)));
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
