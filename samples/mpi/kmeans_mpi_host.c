/* kmeans.c on points that lie on several machines: each rank finds the nearest centers of its own points, and
 * MPI_Allreduce() adds up what the centers' new places are made of. */
#include "kmeans.h"
#include "ranks.h"
#include <math.h>

enum { D = 12, K = 8, STEPS = 10 };

/* Point i lies within 0.1 of place i % K; the rank's own ones. */
static void scatter(float places[K][D], float (*points)[D], struct part own)
{
    uint32_t state = 1;
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < D; i++)
            places[k][i] = sample_random(&state);
    for (size_t at = own.begin; at < own.end; at++) {
        uint32_t jitter = (uint32_t)at * 2654435761u;
        for (size_t i = 0; i < D; i++)
            points[at - own.begin][i] = places[at % K][i] + 0.2f * sample_random(&jitter) - 0.1f;
    }
}

/* The sums of all ranks' points, in place of this one's. */
static void add_up(const struct ranks *ranks, gpucc_array *clusters)
{
    float sums[K][D + 1];
    if (ranks->accepts_device_pointers) {
        CHECK(gpucc_context_synchronize(ranks->context));
        MPI_Allreduce(MPI_IN_PLACE, gpucc_array_data(clusters), K * (D + 1), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        return;
    }
    CHECK(gpucc_array_read(clusters, sums, sizeof sums));
    MPI_Allreduce(MPI_IN_PLACE, sums, K * (D + 1), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(gpucc_array_write(clusters, sums, sizeof sums));
}

int main(int argc, char **argv)
{
    struct ranks ranks = ranks_begin(&argc, &argv);
    gpucc_context *context = ranks.context;
    gpucc_device_info info = {.size = sizeof info};
    CHECK(gpucc_context_info(context, &info));
    const size_t all = sample_on_gpu(context) ? 20000000 : 200000;
    const struct part own = part_of(&ranks, all);
    float places[K][D], found[K][D] = {{0}}, (*points)[D] = malloc((own.end - own.begin + K) * sizeof *points);
    if (!points)
        return 3;
    scatter(places, points, own);
    if (ranks.rank == 0) /* the first K points, to start with */
        memcpy(found, points, sizeof found);
    MPI_Bcast(found, K * D, MPI_FLOAT, 0, MPI_COMM_WORLD);

    const float nothing[K][D + 1] = {{0}};
    gpucc_array *on_device = sample_matrix(context, (int64_t)(own.end - own.begin), D, points[0]);
    gpucc_array *centers = sample_matrix(context, K, D, found[0]);
    gpucc_array *clusters = sample_matrix(context, K, D + 1, nothing[0]);
    const gpucc_launch each = {.size = sizeof each, .grid = {2 * (unsigned)info.multiprocessors}, .block = {128}};
    const gpucc_launch one = {.size = sizeof one, .grid = {1}, .block = {K}};
    for (int step = 0; step < STEPS; step++) {
        CHECK(assign(context, &each, own.end - own.begin, gpucc_array_data(on_device), gpucc_array_data(centers),
                     gpucc_array_data(clusters)));
        add_up(&ranks, clusters);
        CHECK(update(context, &one, gpucc_array_data(centers), gpucc_array_data(clusters)));
    }
    CHECK(gpucc_array_read(centers, found, sizeof found));
    float worst = 0;
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < D; i++)
            worst = fmaxf(worst, fabsf(found[k][i] - places[k][i]));
    if (ranks.rank == 0)
        printf("%zu points, %d steps; centers found to within %.4f\n", all, STEPS, (double)worst);
    EXPECT(worst < 0.01f);
    gpucc_array_release(on_device);
    gpucc_array_release(centers);
    gpucc_array_release(clusters);
    free(points);
    ranks_end(&ranks);
    return 0;
}
