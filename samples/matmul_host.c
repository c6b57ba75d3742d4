/* The two matrix products, timed, and compared with each other. */
#include "matmul.h"
#include "sample.h"
#include <math.h>
#include <string.h>

enum { M = 500, N = 390, P = 610, TILE = 16 }; /* no multiples of the tile */

typedef gpucc_status product(gpucc_context *, const gpucc_launch *, uint64_t m, uint64_t n, uint64_t p, const float *A,
                             const float *B, float *C);

static void run(const char *name, product *multiply, gpucc_context *context, float *const matrices[3])
{
    gpucc_launch how = {
        .size = sizeof how, .grid = {(P + TILE - 1) / TILE, (M + TILE - 1) / TILE, 1}, .block = {TILE, TILE, 1}};
    CHECK(multiply(context, &how, M, N, P, matrices[0], matrices[1], matrices[2])); /* the first also loads the code */
    CHECK(gpucc_context_synchronize(context));
    double start = sample_seconds();
    CHECK(multiply(context, &how, M, N, P, matrices[0], matrices[1], matrices[2]));
    CHECK(gpucc_context_synchronize(context));
    double seconds = sample_seconds() - start;
    printf("%-12s %8.3f ms, %8.2f GFLOP/s\n", name, seconds * 1e3, 2.0 * M * N * P / seconds * 1e-9);
}

int main(int argc, char **argv)
{
    gpucc_context *context = sample_context(argc, argv);
    float *a = sample_floats(M * N), *b = sample_floats(N * P), *naive = sample_floats(M * P),
          *tiled = sample_floats(M * P);
    uint32_t state = 1;
    for (int i = 0; i < M * N; i++)
        a[i] = sample_random(&state);
    for (int i = 0; i < N * P; i++)
        b[i] = sample_random(&state);
    gpucc_array *A = sample_matrix(context, M, N, a), *B = sample_matrix(context, N, P, b),
                *C = sample_matrix(context, M, P, NULL);
    float *const matrices[] = {gpucc_array_data(A), gpucc_array_data(B), gpucc_array_data(C)};

    run("naive", matmul, context, matrices);
    CHECK(gpucc_array_read(C, naive, M * P * sizeof *naive));
    run("tiled", matmul_tiled, context, matrices);
    CHECK(gpucc_array_read(C, tiled, M * P * sizeof *tiled));

    double reference = 0;
    for (int k = 0; k < N; k++)
        reference += (double)a[(M - 1) * N + k] * (double)b[k * P + P - 1];
    EXPECT(fabs((double)naive[M * P - 1] - reference) < 1e-5 * reference);
    /* Both add up in the same order, each step a fused multiply-add. */
    EXPECT(!memcmp(naive, tiled, M * P * sizeof *naive));
    printf("both products have the same bits; the last element is %g\n", (double)naive[M * P - 1]);
    gpucc_context_destroy(context);
    free(a);
    free(b);
    free(naive);
    free(tiled);
    return 0;
}
