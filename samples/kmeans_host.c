/* Finds K groups among points that were thrown around K places. */
#include "kmeans.h"
#include "sample.h"
#include <math.h>
#include <string.h>

enum { D = 12, K = 8, STEPS = 10 };

/* Point i lies within 0.1 of place i % K. */
static void scatter(float places[K][D], float (*points)[D], size_t n)
{
    uint32_t state = 1;
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < D; i++)
            places[k][i] = sample_random(&state);
    for (size_t at = 0; at < n; at++)
        for (size_t i = 0; i < D; i++)
            points[at][i] = places[at % K][i] + 0.2f * sample_random(&state) - 0.1f;
}

int main(int argc, char **argv)
{
    gpucc_context *context = sample_context(argc, argv);
    gpucc_device_info info = {.size = sizeof info};
    CHECK(gpucc_context_info(context, &info));
    const size_t n = sample_on_gpu(context) ? 2000000 : 200000;
    float places[K][D], found[K][D], (*points)[D] = malloc(n * sizeof *points);
    if (!points)
        return 3;
    scatter(places, points, n);

    gpucc_array *on_device = sample_matrix(context, (int64_t)n, D, points[0]);
    gpucc_array *centers = sample_matrix(context, K, D, points[0]); /* the first K points, to start with */
    const float nothing[K][D + 1] = {{0}};
    gpucc_array *clusters = sample_matrix(context, K, D + 1, nothing[0]);
    const gpucc_launch all = {.size = sizeof all, .grid = {2 * (unsigned)info.multiprocessors}, .block = {128}};
    const gpucc_launch one = {.size = sizeof one, .grid = {1}, .block = {K}};
    double start = sample_seconds();
    for (int step = 0; step < STEPS; step++) {
        CHECK(assign(context, &all, n, gpucc_array_data(on_device), gpucc_array_data(centers),
                     gpucc_array_data(clusters)));
        CHECK(update(context, &one, gpucc_array_data(centers), gpucc_array_data(clusters)));
    }
    CHECK(gpucc_array_read(centers, found, sizeof found));
    double seconds = sample_seconds() - start;

    float worst = 0;
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < D; i++)
            worst = fmaxf(worst, fabsf(found[k][i] - places[k][i]));
    printf("%zu points, %d steps, %.3f ms each; centers found to within %.4f\n", n, STEPS, seconds / STEPS * 1e3,
           (double)worst);
    EXPECT(worst < 0.01f);
    gpucc_array_release(on_device);
    gpucc_array_release(centers);
    gpucc_array_release(clusters);
    gpucc_context_destroy(context);
    free(points);
    return 0;
}
