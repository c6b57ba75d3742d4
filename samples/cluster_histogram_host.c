/* Counts random numbers of 16 bits, small ones more often than large ones. */
#include "cluster_histogram.h"
#include "sample.h"

enum { BINS = 65536, BLOCKS = 8, THREADS = 512 };

static gpucc_array *vector(gpucc_context *context, gpucc_dtype dtype, int64_t n, const void *data)
{
    gpucc_array *array;
    CHECK(gpucc_array_from_host(context, dtype, 1, &n, NULL, data, &array));
    return array;
}

int main(int argc, char **argv)
{
    gpucc_context *context = sample_context(argc, argv);
    gpucc_device_info info = {.size = sizeof info};
    CHECK(gpucc_context_info(context, &info));
    const size_t n = sample_on_gpu(context) ? 50000000 : 500000;
    static uint32_t expected[BINS], counted[BINS];
    uint16_t *numbers = malloc(n * sizeof *numbers);
    uint32_t state = 3, most = 0;
    if (!numbers)
        return 3;
    for (size_t i = 0; i < n; i++) {
        float r = sample_random(&state);
        numbers[i] = (uint16_t)(r * r * BINS);
        expected[numbers[i]]++;
    }
    gpucc_array *x = vector(context, GPUCC_UINT16, (int64_t)n, numbers);
    gpucc_array *counts = vector(context, GPUCC_UINT32, BINS, counted);

    /* Whole clusters, enough of them for the device. */
    unsigned clusters = (unsigned)info.multiprocessors * 4 / BLOCKS + 1;
    const gpucc_launch how = {.size = sizeof how, .grid = {clusters * BLOCKS}, .block = {THREADS}};
    CHECK(histogram(context, &how, n, gpucc_array_data(x), gpucc_array_data(counts)));
    CHECK(gpucc_array_read(counts, counted, sizeof counted));

    for (int k = 0; k < BINS; k++) {
        EXPECT(counted[k] == expected[k]);
        most = counted[k] > most ? counted[k] : most;
    }
    printf("%zu numbers counted; the most frequent one is there %u times\n", n, most);
    gpucc_array_release(x);
    gpucc_array_release(counts);
    gpucc_context_destroy(context);
    free(numbers);
    return 0;
}
