/* Sums over the columns of a matrix product, added up atomically. */
#include "column_sum.h"
#include "sample.h"
#include <math.h>

enum { M = 300, N = 200, P = 500, ROWS = 16 };

/* The sum of column `column` of A B: the column sums of A times the column of B. */
static double reference(const float *a, const float *b, int column)
{
    double sum = 0;
    for (int k = 0; k < N; k++) {
        double a_sum = 0;
        for (int row = 0; row < M; row++)
            a_sum += (double)a[row * N + k];
        sum += a_sum * (double)b[k * P + column];
    }
    return sum;
}

int main(int argc, char **argv)
{
    gpucc_context *context = sample_context(argc, argv);
    float *a = sample_floats(M * N), *b = sample_floats(N * P), sums[P] = {0};
    uint32_t state = 2;
    int64_t columns = P;
    for (int i = 0; i < M * N; i++)
        a[i] = sample_random(&state);
    for (int i = 0; i < N * P; i++)
        b[i] = sample_random(&state);
    gpucc_array *A = sample_matrix(context, M, N, a), *B = sample_matrix(context, N, P, b), *S;
    CHECK(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &columns, NULL, sums, &S));

    gpucc_launch how = {.size = sizeof how, .threads = {P, (M + ROWS - 1) / ROWS}};
    CHECK(column_sum(context, &how, M, N, P, gpucc_array_data(A), gpucc_array_data(B), gpucc_array_data(S)));
    CHECK(gpucc_array_read(S, sums, sizeof sums));

    for (int column = 0; column < P; column += 7) {
        double expected = reference(a, b, column);
        EXPECT(fabs((double)sums[column] - expected) < 1e-5 * expected);
    }
    printf("the %d columns sum to %g … %g\n", P, (double)sums[0], (double)sums[P - 1]);
    gpucc_context_destroy(context);
    free(a);
    free(b);
    return 0;
}
