/* One block of threads in one, two and three dimensions. */
#include "doublify.h"
#include "sample.h"

int main(int argc, char **argv)
{
    gpucc_context *context = sample_context(argc, argv);
    float numbers[64];
    int64_t shape = 64;
    gpucc_array *a;
    for (int i = 0; i < 64; i++)
        numbers[i] = (float)i;
    CHECK(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &shape, NULL, numbers, &a));

    gpucc_launch line = {.size = sizeof line, .grid = {1, 1, 1}, .block = {4, 1, 1}};
    gpucc_launch square = {.size = sizeof square, .grid = {1, 1, 1}, .block = {4, 4, 1}};
    gpucc_launch cube = {.size = sizeof cube, .grid = {1, 1, 1}, .block = {4, 4, 4}};
    CHECK(doublify_1d(context, &line, gpucc_array_data(a)));
    CHECK(doublify_2d(context, &square, gpucc_array_data(a)));
    CHECK(doublify_3d(context, &cube, gpucc_array_data(a)));
    CHECK(gpucc_array_read(a, numbers, sizeof numbers));

    for (int i = 0; i < 64; i++)
        EXPECT(numbers[i] == (float)(i * (i < 4 ? 8 : i < 16 ? 4 : 2)));
    printf("doubled three times: %g, twice: %g, once: %g\n", (double)numbers[3], (double)numbers[15],
           (double)numbers[63]);
    gpucc_context_destroy(context);
    return 0;
}
