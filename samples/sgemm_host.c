/* Multiplies two matrices, checks some elements against sums in double precision, and prints the speed. */
#include "sample.h"
#include "sgemm.h"
#include <math.h>

enum { TILE = 128, THREADS = 256 };

static gpucc_array *random_matrix(gpucc_context *context, size_t rows, size_t columns, float **data)
{
    static uint32_t state = 1;
    *data = sample_floats(rows * columns);
    for (size_t i = 0; i < rows * columns; i++)
        (*data)[i] = sample_random(&state) - 0.5f;
    return sample_matrix(context, (int64_t)rows, (int64_t)columns, *data);
}

int main(int argc, char **argv)
{
    gpucc_context *context = sample_context(argc, argv);
    const bool gpu = sample_on_gpu(context);
    const size_t m = gpu ? 10000 : 300, k = gpu ? 5000 : 148, n = gpu ? 7000 : 212;
    const int repeats = gpu ? 10 : 1;
    float *a, *b, *c = sample_floats(m * n);
    gpucc_array *A = random_matrix(context, m, k, &a), *B = random_matrix(context, k, n, &b);
    gpucc_array *C = sample_matrix(context, (int64_t)m, (int64_t)n, NULL);
    const gpucc_launch how = {.size = sizeof how,
                              .grid = {(unsigned)((n + TILE - 1) / TILE), (unsigned)((m + TILE - 1) / TILE)},
                              .block = {THREADS}};
    const float *from_a = gpucc_array_data(A), *from_b = gpucc_array_data(B);
    CHECK(sgemm(context, &how, m, n, k, from_a, from_b, gpucc_array_data(C)));
    CHECK(gpucc_array_read(C, c, m * n * sizeof *c));
    double start = sample_seconds();
    for (int i = 0; i < repeats; i++)
        CHECK(sgemm(context, &how, m, n, k, from_a, from_b, gpucc_array_data(C)));
    CHECK(gpucc_context_synchronize(context));
    double seconds = (sample_seconds() - start) / repeats;

    double worst = 0;
    for (size_t at = 0; at < m * n; at += 1009) {
        double sum = 0;
        for (size_t i = 0; i < k; i++)
            sum += (double)a[at / n * k + i] * (double)b[i * n + at % n];
        worst = fmax(worst, fabs(sum - (double)c[at]));
    }
    printf("%zu x %zu by %zu x %zu: %.3f ms, %.2f GFLOP/s; error %.1e\n", m, k, k, n, seconds * 1e3,
           2e-9 * (double)m * (double)n * (double)k / seconds, worst);
    EXPECT(worst < 1e-3);
    gpucc_array_release(A);
    gpucc_array_release(B);
    gpucc_array_release(C);
    gpucc_context_destroy(context);
    free(a);
    free(b);
    free(c);
    return 0;
}
