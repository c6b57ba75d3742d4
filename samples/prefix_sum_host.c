/* Running sums in one pass over memory. */
#include "prefix_sum.h"
#include "sample.h"

enum { THREADS = 512, TILE = THREADS * 4 * 16 }; /* as in prefix_sum.c */

int main(int argc, char **argv)
{
    gpucc_context *context = sample_context(argc, argv);
    const int64_t n = sample_on_gpu(context) ? 100000007 : 1000007, tiles = (n + TILE - 1) / TILE, one = 1;
    int *numbers = malloc((size_t)n * sizeof *numbers), *sums = malloc((size_t)n * sizeof *sums);
    uint64_t *words = calloc((size_t)tiles, sizeof *words);
    const uint32_t none = 0;
    EXPECT(numbers && sums && words);
    for (int64_t i = 0; i < n; i++)
        numbers[i] = (int)(i * 48271 % 2001) - 1000;
    gpucc_array *x, *y, *states, *next;
    CHECK(gpucc_array_from_host(context, GPUCC_INT32, 1, &n, NULL, numbers, &x));
    CHECK(gpucc_array_create(context, GPUCC_INT32, 1, &n, &y));
    CHECK(gpucc_array_from_host(context, GPUCC_UINT64, 1, &tiles, NULL, words, &states));
    CHECK(gpucc_array_from_host(context, GPUCC_UINT32, 1, &one, NULL, &none, &next));

    gpucc_launch how = {.size = sizeof how, .grid = {(uint32_t)tiles, 1, 1}, .block = {THREADS, 1, 1}};
    CHECK(prefix_sum(context, &how, gpucc_array_data(x), gpucc_array_data(y), (uint64_t)n, gpucc_array_data(states),
                     gpucc_array_data(next)));
    CHECK(gpucc_array_read(y, sums, (size_t)n * sizeof *sums));

    uint32_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += (uint32_t)numbers[i];
        EXPECT(sums[i] == (int)sum);
    }
    printf("%lld numbers sum to %d\n", (long long)n, sums[n - 1]);
    gpucc_context_destroy(context);
    free(numbers);
    free(sums);
    free(words);
    return 0;
}
