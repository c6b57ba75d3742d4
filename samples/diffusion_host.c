/* Heat spreading over a 2000 x 2000 plate: diffusion_before.png and diffusion_after.png.  The second argument is the
 * number of steps. */
#include "diffusion.h"
#include "png.h"
#include "sample.h"
#include <math.h>
#include <string.h>

enum { N = 2000, TILE = 8, ROWS = 4 };

static uint32_t hash(uint32_t a, uint32_t b)
{
    uint32_t h = a * 0x9e3779b1u ^ b * 0x85ebca77u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    return h ^ h >> 13;
}

/* Jagged hot spots in [0, 1]: noise of several cell sizes, cut off where it is low. */
static void fill(float *field)
{
    for (uint32_t y = 0; y < N; y++)
        for (uint32_t x = 0; x < N; x++) {
            float noise = 0;
            for (int level = 3; level < 9; level++)
                noise += (float)(hash((y >> level) + (uint32_t)level, (x >> level) * 7) >> 8) / 16777216.0f / 6;
            field[y * N + x] = noise > 0.55f ? fminf((noise - 0.5f) * 4, 1) : 0;
        }
}

static double heat(const float *field)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)N * N; i++)
        sum += (double)field[i];
    return sum;
}

static void picture(const char *path, const float *field)
{
    unsigned char *pixels = malloc((size_t)N * N);
    if (!pixels)
        exit(3);
    for (size_t i = 0; i < (size_t)N * N; i++)
        pixels[i] = (unsigned char)(fmaxf(0, fminf(field[i], 1)) * 255 + 0.5f);
    if (png_write(path, N, N, 1, pixels)) {
        perror(path);
        exit(3);
    }
    free(pixels);
    printf("wrote %s\n", path);
}

typedef gpucc_status step_function(gpucc_context *, const gpucc_launch *, uint64_t, uint64_t, const float *, float *,
                                   float *, float);

/* Takes `field` so many steps on. */
static void spread(gpucc_context *context, const char *name, step_function *step, const gpucc_launch *how, int steps,
                   float *field)
{
    gpucc_array *now = sample_matrix(context, N, N, field), *next = sample_matrix(context, N, N, NULL);
    gpucc_array *lapl = sample_matrix(context, N, N, NULL);
    double start = sample_seconds();
    for (int i = 0; i < steps; i++) {
        CHECK(step(context, how, N, N, gpucc_array_data(now), gpucc_array_data(next), gpucc_array_data(lapl), 0.2f));
        gpucc_array *last = now;
        now = next;
        next = last;
    }
    CHECK(gpucc_context_synchronize(context));
    double seconds = sample_seconds() - start;
    CHECK(gpucc_array_read(now, field, (size_t)N * N * sizeof *field));
    printf("%s: %d steps, %.4f ms each\n", name, steps, seconds / steps * 1e3);
    gpucc_array_release(now);
    gpucc_array_release(next);
    gpucc_array_release(lapl);
}

int main(int argc, char **argv)
{
    gpucc_context *context = sample_context(argc, argv);
    const int steps = argc > 2 ? atoi(argv[2]) : sample_on_gpu(context) ? 1000 : 5;
    float *field = sample_floats((size_t)N * N), *again = sample_floats((size_t)N * N);
    fill(field);
    fill(again);
    picture("diffusion_before.png", field);
    const double heat_before = heat(field);
    const gpucc_launch tiles = {.size = sizeof tiles, .grid = {N / TILE, N / TILE, 1}, .block = {TILE, TILE, 1}};
    const gpucc_launch strips = {
        .size = sizeof strips, .grid = {(N / 4 + 31) / 32, (N / ROWS + 3) / 4, 1}, .block = {32, 4, 1}};
    spread(context, "tiles in shared memory", diffuse, &tiles, steps, field);
    spread(context, "strips in registers", diffuse_strips, &strips, steps, again);

    picture("diffusion_after.png", field);
    /* Heat moves; none comes or goes. */
    EXPECT(fabs(heat(field) - heat_before) < 1e-4 * heat_before);
    EXPECT(memcmp(field, again, (size_t)N * N * sizeof *field) == 0);
    printf("heat before %.6g, after %.6g\n", heat_before, heat(field));
    gpucc_context_destroy(context);
    free(field);
    free(again);
    return 0;
}
