/* A product of bfloat16 matrices by warpgroups, timed and checked.  Arguments: device, then m, n and k. */
#include "gemm_wgmma.h"
#include "bfloat16_matrices.h"

enum { BLOCK_M = 128, BLOCK_K = 64, BAND = 64, THREADS = 384, SHARED = 197632 }; /* as in gemm_wgmma.c */

/* The GPU has so many; the CPU counts as 2. */
static uint32_t multiprocessors(gpucc_context *context)
{
    gpucc_device_info info = {.size = sizeof info};
    CHECK(gpucc_context_info(context, &info));
    return info.kind == GPUCC_DEVICE_CUDA ? (uint32_t)info.multiprocessors : 2;
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
