/* Textures of each shape, type, filter and address mode: the GPU and the CPU give the same bits, also of what the CUDA
 * C++ Programming Guide leaves open (runtime/executor/texture_filter.h). */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suite_textures.h>

enum { SAMPLES = 4096, LARGEST = 16 };

/* ---- textures to look at ---- */

struct scene {
    const char *kernel; /* without the type */
    int ndim;           /* of the array, but for its channels */
    int64_t shape[3];
    int layered, linear;
};

static const struct scene scenes[] = {
    {"sample_1d", 1, {37}, 0, 0},
    {"sample_1d", 1, {20000}, 0, 0},
    {"sample_2d", 2, {13, 29}, 0, 0},
    {"sample_3d", 3, {5, 7, 11}, 0, 0},
    {"sample_1d_layered", 2, {3, 19}, 1, 0},
    {"sample_2d_layered", 3, {3, 6, 10}, 1, 0},
    {"fetch", 1, {101}, 0, 1},
};

struct kind {
    gpucc_dtype dtype;
    int channels, as_float;
    const char *type;
    size_t size; /* of it */
};

static const struct kind kinds[] = {
    {GPUCC_FLOAT32, 0, 0, "float", 4}, {GPUCC_FLOAT32, 2, 0, "float2", 8}, {GPUCC_FLOAT32, 4, 0, "float4", 16},
    {GPUCC_FLOAT16, 0, 0, "float", 4}, {GPUCC_FLOAT16, 4, 0, "float4", 16}, {GPUCC_UINT8, 4, 1, "float4", 16},
    {GPUCC_INT8, 0, 1, "float", 4},    {GPUCC_UINT16, 2, 1, "float2", 8},   {GPUCC_INT16, 4, 1, "float4", 16},
    {GPUCC_INT8, 4, 0, "int4", 16},    {GPUCC_INT32, 4, 0, "int4", 16},     {GPUCC_UINT8, 4, 0, "uint4", 16},
    {GPUCC_UINT16, 4, 0, "uint4", 16}, {GPUCC_UINT32, 4, 0, "uint4", 16},
};

static bool is_read_as_float(const struct kind *kind)
{
    return *kind->type == 'f';
}

/* Numbers of moderate size, as the filter adds them. */
static void fill(gpucc_dtype dtype, size_t count, void *data)
{
    uint64_t state = 1;
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = suite_random(&state);
        const float number = (float)((int)(bits & 0xffff) - 0x8000) / 4096;
        const uint16_t half = (uint16_t)((bits & 0x8000) | 0x3000 | (bits & 0xfff)); /* 1/8 to 1, and signs */
        if (dtype == GPUCC_FLOAT32)
            memcpy((float *)data + i, &number, 4);
        else if (dtype == GPUCC_FLOAT16)
            memcpy((uint16_t *)data + i, &half, 2);
        else
            memcpy((char *)data + i * gpucc_dtype_size(dtype), &bits, gpucc_dtype_size(dtype));
    }
}

static gpucc_array *image(gpucc_context *context, const struct scene *scene, const struct kind *kind)
{
    int64_t shape[4], count = kind->channels ? kind->channels : 1;
    const int ndim = scene->ndim + (kind->channels > 0);
    for (int d = 0; d < scene->ndim; d++)
        count *= shape[d] = scene->shape[d];
    shape[scene->ndim] = kind->channels;
    void *data = suite_alloc((size_t)count * gpucc_dtype_size(kind->dtype));
    gpucc_array *array;
    fill(kind->dtype, (size_t)count, data);
    MUST(gpucc_array_from_host(context, kind->dtype, ndim, shape, NULL, data, &array));
    free(data);
    return array;
}

/* ---- samples ---- */

static uint32_t sample_count(void)
{
    return (uint32_t)suite_most(SAMPLES);
}

struct samples {
    float at[3][SAMPLES];
    int32_t index[SAMPLES];
};

/* In and around the texture, on texels' edges and centres, far outside, and what is no number. */
static void place_samples(const struct scene *scene, int normalized, struct samples *samples)
{
    static const float odd[] = {-0.0f, -1e-10f, 1e-10f, 0.5f, 1, -1, 1e30f, -1e30f, INFINITY, -INFINITY, NAN};
    uint64_t state = 7;
    for (int i = 0; i < SAMPLES; i++) {
        for (int d = 0; d < 3; d++) {
            const int dims = scene->ndim - scene->layered;
            const float extent = d < dims ? (float)scene->shape[scene->ndim - 1 - d] : 1;
            const uint64_t bits = suite_random(&state);
            float x = ((float)(bits & 0xffffff) / 0x1000000 * 3 - 1) * extent;
            if (bits >> 60 == 0)
                x = (float)(int)(2 * x) / 2;
            if (bits >> 56 == 0x10)
                x = odd[(bits >> 32) % (sizeof odd / sizeof *odd)];
            samples->at[d][i] = normalized ? x / extent : x;
        }
        samples->index[i] = (int32_t)(suite_random(&state) % (scene->linear ? 120 : 5)) - (scene->linear ? 10 : 1);
    }
}

static gpucc_array *upload(gpucc_context *context, gpucc_dtype dtype, const void *data)
{
    gpucc_array *array;
    MUST(gpucc_array_from_host(context, dtype, 1, &(int64_t){SAMPLES}, NULL, data, &array));
    return array;
}

static void read_samples(gpucc_context *context, const struct scene *scene, const struct kind *kind,
                         const gpucc_texture_options *options, const struct samples *samples, void *out)
{
    char name[64];
    gpucc_kernel *kernel;
    gpucc_texture *texture;
    gpucc_array *texels = image(context, scene, kind), *arrays[5];
    snprintf(name, sizeof name, "%s_%s", scene->kernel, kind->type);
    MUST(gpucc_context_kernel(context, &gpucc_program_suite_textures, GPUCC_ABI_suite_textures, name, &kernel));
    MUST(gpucc_texture_create(texels, options, &texture));
    for (int d = 0; d < 3; d++)
        arrays[d] = upload(context, GPUCC_FLOAT32, samples->at[d]);
    arrays[3] = upload(context, GPUCC_INT32, samples->index);
    uint32_t n = sample_count();
    const int64_t bytes = n * (int64_t)kind->size;
    MUST(gpucc_array_create(context, GPUCC_UINT8, 1, &bytes, &arrays[4]));
    uint64_t object = gpucc_texture_object(texture);
    void *pointers[5], *parameters[7] = {&object, &n};
    for (int i = 0; i < 5; i++) {
        pointers[i] = gpucc_array_data(arrays[i]);
        parameters[2 + i] = &pointers[i];
    }
    const gpucc_launch launch = {.size = sizeof launch, .threads = {n}};
    MUST(gpucc_kernel_launch(kernel, &launch, parameters));
    MUST(gpucc_array_read(arrays[4], out, (size_t)bytes));
    for (int i = 0; i < 5; i++)
        gpucc_array_release(arrays[i]);
    gpucc_texture_release(texture);
    gpucc_array_release(texels);
}

/* ---- what differs ---- */

struct difference {
    long samples, different;
    double largest; /* of numbers */
};

static void add_difference(const struct kind *kind, const void *gpu, const void *cpu, struct difference *sum)
{
    const size_t words = sample_count() * kind->size / 4;
    for (size_t i = 0; i < words; i++) {
        float a, b;
        memcpy(&a, (const float *)gpu + i, 4);
        memcpy(&b, (const float *)cpu + i, 4);
        sum->samples++;
        if (memcmp(&a, &b, 4) == 0)
            continue;
        sum->different++;
        if (is_read_as_float(kind) && fabs((double)a - (double)b) > sum->largest)
            sum->largest = fabs((double)a - (double)b);
    }
}

static void compare_all(gpucc_filter filter, int normalized)
{
    static struct samples samples;
    struct difference difference = {0};
    char *gpu = suite_alloc(SAMPLES * LARGEST), *cpu = suite_alloc(SAMPLES * LARGEST);
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
        const struct scene *scene = &scenes[s];
        const int modes = scene->linear ? 1 : normalized ? 4 : 2;
        place_samples(scene, normalized, &samples);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds * (size_t)modes; k++) {
            const struct kind *kind = &kinds[k / (size_t)modes];
            const int m = (int)(k % (size_t)modes);
            gpucc_texture_options options = {
                .size = sizeof options, .channels = kind->channels, .layered = scene->layered,
                .linear = scene->linear, .normalized = normalized, .as_float = kind->as_float, .filter = filter,
                .address = {(gpucc_address_mode)m, (gpucc_address_mode)((m + 1) % modes), (gpucc_address_mode)m}};
            for (int c = 0; c < 4 && is_read_as_float(kind); c++)
                options.border[c] = 0.25f * (float)(c + 1);
            if ((filter && !is_read_as_float(kind)) || (scene->linear && (filter || normalized)))
                continue;
            read_samples(suite.gpu, scene, kind, &options, &samples, gpu);
            read_samples(suite.cpu, scene, kind, &options, &samples, cpu);
            add_difference(kind, gpu, cpu, &difference);
        }
    }
    free(gpu);
    free(cpu);
    CHECK(difference.samples > suite_most(100000), "only %ld were compared", difference.samples);
    CHECK(difference.different == 0, "%ld of %ld numbers differ, by up to %g", difference.different,
          difference.samples, difference.largest);
}

static void test_nearest(void)
{
    compare_all(GPUCC_FILTER_NEAREST, 0);
}

static void test_nearest_normalized(void)
{
    compare_all(GPUCC_FILTER_NEAREST, 1);
}

static void test_linear(void)
{
    compare_all(GPUCC_FILTER_LINEAR, 0);
}

static void test_linear_normalized(void)
{
    compare_all(GPUCC_FILTER_LINEAR, 1);
}

/* ---- surfaces ---- */

static gpucc_texture *surface(gpucc_context *context, int ndim, const int64_t *shape, int channels, int layered,
                              gpucc_dtype dtype, const void *data)
{
    gpucc_array *array;
    gpucc_texture *texture;
    const gpucc_texture_options options = {
        .size = sizeof options, .channels = channels, .layered = layered, .surface = 1};
    MUST(gpucc_array_from_host(context, dtype, ndim, shape, NULL, data, &array));
    MUST(gpucc_texture_create(array, &options, &texture));
    gpucc_array_release(array);
    return texture;
}

static gpucc_kernel *kernel_of(gpucc_context *context, const char *name)
{
    gpucc_kernel *kernel;
    MUST(gpucc_context_kernel(context, &gpucc_program_suite_textures, GPUCC_ABI_suite_textures, name, &kernel));
    return kernel;
}

static void read_back(gpucc_texture *texture, gpucc_context *context, int ndim, const int64_t *shape, gpucc_dtype dtype,
                      void *data, size_t size)
{
    gpucc_array *array;
    MUST(gpucc_array_create(context, dtype, ndim, shape, &array));
    MUST(gpucc_texture_read(texture, array));
    MUST(gpucc_array_read(array, data, size));
    gpucc_array_release(array);
}

static void turn(const char *type, gpucc_dtype dtype, int channels)
{
    enum { WIDTH = 23, HEIGHT = 9 };
    const int64_t shape[] = {HEIGHT, WIDTH, channels};
    const int ndim = channels ? 3 : 2;
    const size_t texel = gpucc_dtype_size(dtype) * (size_t)(channels ? channels : 1), size = WIDTH * HEIGHT * texel;
    char name[32], *before = suite_alloc(size), *after = suite_alloc(size);
    int32_t width = WIDTH, height = HEIGHT;
    for (size_t i = 0; i < size; i++)
        before[i] = (char)(i * 7 % 120);
    gpucc_texture *from = surface(suite.gpu, ndim, shape, channels, 0, dtype, before);
    memset(after, 0, size);
    gpucc_texture *to = surface(suite.gpu, ndim, shape, channels, 0, dtype, after);
    uint64_t objects[2] = {gpucc_texture_surface(to), gpucc_texture_surface(from)};
    const gpucc_launch launch = {.size = sizeof launch, .threads = {WIDTH * HEIGHT}};
    snprintf(name, sizeof name, "turn_%s", type);
    MUST(gpucc_kernel_launch(kernel_of(suite.gpu, name), &launch,
                             (void *[]){&objects[0], &objects[1], &width, &height}));
    read_back(to, suite.gpu, ndim, shape, dtype, after, size);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        CHECK(memcmp(after + i * texel, before + (WIDTH * HEIGHT - 1 - i) * texel, texel) == 0, "%s: texel %zu", type,
              i);
    gpucc_texture_release(from);
    gpucc_texture_release(to);
    free(before);
    free(after);
}

static void test_surfaces_of_each_size(void)
{
    turn("byte", GPUCC_UINT8, 0);
    turn("short", GPUCC_INT16, 0);
    turn("float", GPUCC_FLOAT32, 0);
    turn("float2", GPUCC_FLOAT32, 2);
    turn("float4", GPUCC_FLOAT32, 4);
    turn("float", GPUCC_UINT8, 4);
}

static void test_surfaces_beyond_their_edges(void)
{
    enum { WIDTH = 5, HEIGHT = 4, BY = 2, COLUMNS = WIDTH + 2 * BY, ROWS = HEIGHT + 2 * BY };
    const int64_t shape[] = {HEIGHT, WIDTH}, count = COLUMNS * ROWS;
    float texels[HEIGHT][WIDTH], after[HEIGHT][WIDTH], clamped[ROWS][COLUMNS], zero[ROWS][COLUMNS];
    int32_t width = WIDTH, height = HEIGHT, by = BY;
    gpucc_array *out[2];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            texels[y][x] = (float)(10 * y + x + 1);
    gpucc_texture *texture = surface(suite.gpu, 2, shape, 0, 0, GPUCC_FLOAT32, texels);
    uint64_t object = gpucc_texture_surface(texture);
    for (int i = 0; i < 2; i++)
        MUST(gpucc_array_create(suite.gpu, GPUCC_FLOAT32, 1, &count, &out[i]));
    void *pointers[] = {gpucc_array_data(out[0]), gpucc_array_data(out[1])};
    const gpucc_launch launch = {.size = sizeof launch, .threads = {COLUMNS * ROWS}};
    MUST(gpucc_kernel_launch(kernel_of(suite.gpu, "beyond"), &launch,
                             (void *[]){&object, &width, &height, &by, &pointers[0], &pointers[1]}));
    MUST(gpucc_array_read(out[0], clamped, sizeof clamped));
    MUST(gpucc_array_read(out[1], zero, sizeof zero));
    read_back(texture, suite.gpu, 2, shape, GPUCC_FLOAT32, after, sizeof after);
    CHECK(memcmp(after, texels, sizeof texels) == 0, "writes beyond the edges show");
    for (int y = -BY; y < HEIGHT + BY; y++)
        for (int x = -BY; x < WIDTH + BY; x++) {
            const int inside = x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT;
            const int near_x = x < 0 ? 0 : x >= WIDTH ? WIDTH - 1 : x;
            const int near_y = y < 0 ? 0 : y >= HEIGHT ? HEIGHT - 1 : y;
            CHECK(clamped[y + BY][x + BY] == texels[near_y][near_x], "clamped (%d, %d)", x, y);
            CHECK(zero[y + BY][x + BY] == (inside ? texels[near_y][near_x] : 0), "zero (%d, %d)", x, y);
        }
    gpucc_array_release(out[0]);
    gpucc_array_release(out[1]);
    gpucc_texture_release(texture);
}

static void test_surfaces_of_each_shape(void)
{
    enum { N = 6 };
    static const float nothing[N * N * N];
    const int64_t shape[] = {N, N, N};
    int32_t n = N, wrong = 0;
    gpucc_array *count;
    gpucc_texture *textures[] = {
        surface(suite.gpu, 1, shape, 0, 0, GPUCC_FLOAT32, nothing),
        surface(suite.gpu, 3, shape, 0, 0, GPUCC_FLOAT32, nothing),
        surface(suite.gpu, 2, shape, 0, 1, GPUCC_FLOAT32, nothing),
        surface(suite.gpu, 3, shape, 0, 1, GPUCC_FLOAT32, nothing),
    };
    uint64_t objects[4];
    for (int i = 0; i < 4; i++)
        objects[i] = gpucc_texture_surface(textures[i]);
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_INT32, 1, &(int64_t){1}, NULL, &wrong, &count));
    void *pointer = gpucc_array_data(count);
    const gpucc_launch launch = {.size = sizeof launch, .threads = {N * N * N}};
    void *parameters[] = {&objects[0], &objects[1], &objects[2], &objects[3], &n, &pointer};
    MUST(gpucc_kernel_launch(kernel_of(suite.gpu, "number"), &launch, parameters));
    MUST(gpucc_kernel_launch(kernel_of(suite.gpu, "count_wrong"), &launch, parameters));
    MUST(gpucc_array_read(count, &wrong, sizeof wrong));
    CHECK(wrong == 0, "%d are not what was written", wrong);
    float volume[N][N][N];
    read_back(textures[1], suite.gpu, 3, shape, GPUCC_FLOAT32, volume, sizeof volume);
    CHECK(volume[2][3][4] == 20304, "%g", (double)volume[2][3][4]);
    for (int i = 0; i < 4; i++)
        gpucc_texture_release(textures[i]);
    gpucc_array_release(count);
}

static const struct suite_test tests[] = {
    TEST(test_nearest),
    TEST(test_nearest_normalized),
    TEST(test_linear),
    TEST(test_linear_normalized),
    TEST(test_surfaces_of_each_size),
    TEST(test_surfaces_beyond_their_edges),
    TEST(test_surfaces_of_each_shape),
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
