/* Trains several small networks at once to multiply two numbers, each from weights of its own, and shows the best. */
#include "network.h"
#include "sample.h"

enum { NETWORKS = 16, POINTS = 64, HIDDEN = 8, STEPS = 1500 };

static gpucc_array *array_of(gpucc_context *context, int ndim, const int64_t *shape, const float *data)
{
    gpucc_array *array;
    CHECK(gpucc_array_from_host(context, GPUCC_FLOAT32, ndim, shape, NULL, data, &array));
    return array;
}

/* Numbers from -1 to 1; zeros without a state. */
static gpucc_array *random_array(gpucc_context *context, int ndim, const int64_t *shape, uint32_t *state)
{
    static float data[NETWORKS * HIDDEN * 3];
    for (size_t i = 0; i < sizeof data / sizeof *data; i++)
        data[i] = state ? 2 * sample_random(state) - 1 : 0;
    return array_of(context, ndim, shape, data);
}

static gpucc_array *lessons(gpucc_context *context, gpucc_array **values)
{
    static float points[POINTS][2], products[POINTS];
    uint32_t state = 7;
    for (size_t i = 0; i < POINTS; i++) {
        points[i][0] = 2 * sample_random(&state) - 1;
        points[i][1] = 2 * sample_random(&state) - 1;
        products[i] = points[i][0] * points[i][1];
    }
    *values = array_of(context, 1, (int64_t[]){POINTS}, products);
    return array_of(context, 2, (int64_t[]){POINTS, 2}, points[0]);
}

int main(int argc, char **argv)
{
    gpucc_context *context = sample_context(argc, argv);
    const int64_t first[] = {NETWORKS, HIDDEN, 3}, second[] = {NETWORKS, HIDDEN};
    const float one = 1;
    uint32_t state = 1;
    float errors[NETWORKS];
    gpucc_array *values, *points = lessons(context, &values), *mean_bar;
    gpucc_array *hidden = random_array(context, 3, first, &state), *weights = random_array(context, 2, second, &state);
    gpucc_array *hidden_speed = random_array(context, 3, first, NULL);
    gpucc_array *weight_speed = random_array(context, 2, second, NULL);
    gpucc_array *unused[2] = {NULL}, *hidden_bar = NULL, *weights_bar = NULL, *mean = NULL; /* created by the calls */
    CHECK(gpucc_array_scalar(context, GPUCC_FLOAT32, &one, &mean_bar));

    const double start = sample_seconds();
    for (int step = 0; step < STEPS; step++) {
        CHECK(loss_vjp(context, points, values, hidden, weights, mean_bar, &unused[0], &unused[1], &hidden_bar,
                       &weights_bar));
        CHECK(descend(context, hidden, hidden_speed, hidden_bar, &hidden, &hidden_speed));
        CHECK(descend(context, weights, weight_speed, weights_bar, &weights, &weight_speed));
    }
    CHECK(loss(context, points, values, hidden, weights, &mean));
    CHECK(gpucc_array_read(mean, errors, sizeof errors));
    const double seconds = sample_seconds() - start;

    int best = 0;
    for (int k = 1; k < NETWORKS; k++)
        best = errors[k] < errors[best] ? k : best;
    printf("%d networks, %d steps, %.0f us each; the best, number %d, has a mean square error of %.2g\n", NETWORKS,
           STEPS, seconds / STEPS * 1e6, best, (double)errors[best]);
    EXPECT(errors[best] < 1e-3f);
    gpucc_context_destroy(context); /* and its arrays */
    return 0;
}
