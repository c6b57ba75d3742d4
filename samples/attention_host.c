/* Attention of several heads, timed and checked.  Arguments: device, then heads and n. */
#include "attention.h"
#include "bfloat16_matrices.h"
#include <math.h>

enum { BLOCK = 128, WIDTH = 128, BAND = 64, THREADS = 384, SHARED = 164864 }; /* as in attention.c */

static uint16_t *numbers(size_t count, uint32_t seed)
{
    uint16_t *data = malloc(count * sizeof *data);
    if (!data)
        exit(3);
    for (size_t i = 0; i < count; i++)
        data[i] = to_bfloat16(sample_random(&seed) * 4 - 2);
    return data;
}

static gpucc_array *rows_of_heads(gpucc_context *context, size_t heads, size_t n, const uint16_t *data,
                                  gpucc_tensor_map *map)
{
    gpucc_array *array;
    CHECK(gpucc_array_from_host(context, GPUCC_BFLOAT16, 3, (int64_t[]){(int64_t)heads, (int64_t)n, WIDTH}, NULL, data,
                                &array));
    if (map)
        CHECK(gpucc_tensor_map_make(array, (size_t[]){1, BLOCK, BAND}, 128, map));
    return array;
}

static double dot(const uint16_t *x, const uint16_t *y)
{
    double sum = 0;
    for (int i = 0; i < WIDTH; i++)
        sum += (double)to_float(x[i]) * (double)to_float(y[i]);
    return sum;
}

/* A row of the result against its definition.  Exponentials are rounded to bfloat16, by 2^-9 of them, and so is the
 * result. */
static void check_row(size_t n, double scale, const uint16_t *q, const uint16_t *k, const uint16_t *v,
                      const uint16_t *found)
{
    double largest = -HUGE_VAL, sum = 0, row[WIDTH] = {0}, size[WIDTH] = {0};
    for (size_t j = 0; j < n; j++)
        largest = fmax(largest, scale * dot(q, &k[j * WIDTH]));
    for (size_t j = 0; j < n; j++) {
        const double weight = exp(scale * dot(q, &k[j * WIDTH]) - largest);
        sum += weight;
        for (int i = 0; i < WIDTH; i++) {
            row[i] += weight * (double)to_float(v[j * WIDTH + i]);
            size[i] += weight * fabs((double)to_float(v[j * WIDTH + i]));
        }
    }
    for (int i = 0; i < WIDTH; i++)
        EXPECT(fabs((double)to_float(found[i]) - row[i] / sum) <= size[i] / sum * 0x1p-8);
}

int main(int argc, char **argv)
{
    gpucc_context *context = sample_context(argc, argv);
    int on_gpu = sample_on_gpu(context);
    size_t heads = on_gpu ? 128 : 2, n = on_gpu ? 4096 : 300;
    if (argc > 3) {
        heads = strtoull(argv[2], NULL, 10);
        n = strtoull(argv[3], NULL, 10);
    }
    size_t count = heads * n * WIDTH;
    uint16_t *q = numbers(count, 1), *k = numbers(count, 2), *v = numbers(count, 3), *out = numbers(count, 4);
    gpucc_tensor_map maps[3];
    gpucc_array *result = rows_of_heads(context, heads, n, out, NULL);
    rows_of_heads(context, heads, n, q, &maps[0]);
    rows_of_heads(context, heads, n, k, &maps[1]);
    rows_of_heads(context, heads, n, v, &maps[2]);
    gpucc_launch how = {.size = sizeof how,
                        .grid = {(uint32_t)((n + BLOCK - 1) / BLOCK), (uint32_t)heads},
                        .block = {THREADS},
                        .shared = SHARED};
    double scale = 1 / sqrt(WIDTH), best = 1e30;
    for (int round = 0; round < (on_gpu ? 10 : 1); round++) {
        double start = sample_seconds();
        CHECK(attention(context, &how, &maps[0], &maps[1], &maps[2], (int)n, (float)(scale * 1.4426950408889634),
                        gpucc_array_data(result))); /* log2(e): exp2f() stands for expf() */
        CHECK(gpucc_context_synchronize(context));
        double seconds = sample_seconds() - start;
        best = seconds < best ? seconds : best;
    }
    printf("%zu heads of %zu: %.3f ms, %.2f GFLOP/s\n", heads, n, best * 1e3,
           4.0 * (double)count * (double)n / best * 1e-9);
    CHECK(gpucc_array_read(result, out, count * sizeof *out));
    for (size_t i = 0; i < 100; i++) {
        size_t head = i % heads, row = i < 50 ? i * 7919 % n : n - 1 - i % n;
        check_row(n, scale, &q[(head * n + row) * WIDTH], &k[head * n * WIDTH], &v[head * n * WIDTH],
                  &out[(head * n + row) * WIDTH]);
    }
    printf("100 rows are what the definition says; the last element is %g\n", (double)to_float(out[count - 1]));
    gpucc_context_destroy(context);
    free(q);
    free(k);
    free(v);
    free(out);
    return 0;
}
