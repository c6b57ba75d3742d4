/* Heat spreading over a 2000 x 2000 plate: diffusion_before.png and diffusion_after.png.  The second argument is the
 * number of steps. */
#include "diffusion.h"
#include "png.h"
#include "sample.h"
#include <math.h>

enum { N = 2000, TILE = 8 };

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

int main(int argc, char **argv)
{
    gpucc_context *context = sample_context(argc, argv);
    const int steps = argc > 2 ? atoi(argv[2]) : sample_on_gpu(context) ? 1000 : 5;
    float *field = sample_floats((size_t)N * N);
    fill(field);
    picture("diffusion_before.png", field);
    const double heat_before = heat(field);

    gpucc_array *now = sample_matrix(context, N, N, field), *next = sample_matrix(context, N, N, NULL);
    gpucc_array *lapl = sample_matrix(context, N, N, NULL);
    gpucc_launch how = {.size = sizeof how, .grid = {N / TILE, N / TILE, 1}, .block = {TILE, TILE, 1}};
    double start = sample_seconds();
    for (int step = 0; step < steps; step++) {
        const float *from = gpucc_array_data(now);
        float *to = gpucc_array_data(next);
        CHECK(diffuse(context, &how, N, N, from, to, gpucc_array_data(lapl), 0.2f));
        gpucc_array *last = now;
        now = next;
        next = last;
    }
    CHECK(gpucc_context_synchronize(context));
    double seconds = sample_seconds() - start;
    CHECK(gpucc_array_read(now, field, (size_t)N * N * sizeof *field));

    picture("diffusion_after.png", field);
    printf("%d steps, %.3f ms each\n", steps, seconds / steps * 1e3);
    /* Heat moves; none comes or goes. */
    EXPECT(fabs(heat(field) - heat_before) < 1e-4 * heat_before);
    printf("heat before %.6g, after %.6g\n", heat_before, heat(field));
    gpucc_context_destroy(context);
    free(field);
    return 0;
}
