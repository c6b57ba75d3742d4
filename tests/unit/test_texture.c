/* Textures on the CPU: reads against the formulas of the CUDA C++ Programming Guide's "Texture Fetching", written down
 * here once more, and filters against what a GPU gave; what may be a texture; and what is an error of a launch. */
#include <gpucc/program.h>

extern const struct gpucc_program_image gpucc_program_suite_textures;
#define SCENE_PROGRAM gpucc_program_suite_textures
#include "cpu_scene.h"
#include "executor/texture_filter.h"

#include <math.h>
#include <stdio.h>

TestSuite(texture, .init = open_context, .fini = close_context);

enum { WIDTH = 7, HEIGHT = 5, DEPTH = 3, SAMPLES = 500, RANGE = 256 /* of the texels */ };

static float texels[DEPTH][HEIGHT][WIDTH];

static void fill(void)
{
    uint32_t state = 1;
    for (int i = 0; i < DEPTH * HEIGHT * WIDTH; i++) {
        state = state * 1664525u + 1013904223u;
        (&texels[0][0][0])[i] = (float)(int)(state >> 12) / 4096 - 100;
    }
}

static gpucc_kernel *find_kernel(const char *name)
{
    gpucc_kernel *kernel;
    OK(gpucc_program_kernel(program, name, &kernel));
    return kernel;
}

static gpucc_texture *texture_of(gpucc_array *array, gpucc_texture_options options)
{
    gpucc_texture *texture;
    options.size = sizeof options;
    OK(gpucc_texture_create(array, &options, &texture));
    gpucc_array_release(array);
    return texture;
}

static gpucc_status read_at(gpucc_texture *texture, const char *kernel, uint32_t n, const float at[3][SAMPLES],
                            const int32_t *index, void *out)
{
    uint64_t object = gpucc_texture_object(texture);
    const float *x = at[0], *y = at[1], *z = at[2];
    const gpucc_launch launch = {.size = sizeof launch, .threads = {n}};
    return gpucc_kernel_launch(find_kernel(kernel), &launch, (void *[]){&object, &n, &x, &y, &z, &index, &out});
}

/* ---- the guide's formulas ---- */

static const gpucc_address_mode modes[] = {GPUCC_ADDRESS_CLAMP, GPUCC_ADDRESS_BORDER, GPUCC_ADDRESS_WRAP,
                                           GPUCC_ADDRESS_MIRROR};

/* The coordinate that stands for texel i, 0 for the first, in a dimension of n; -1: none does. */
static int stands_for(int i, int n, gpucc_address_mode mode)
{
    switch (mode) {
    case GPUCC_ADDRESS_CLAMP: return i < 0 ? 0 : i > n - 1 ? n - 1 : i;
    case GPUCC_ADDRESS_BORDER: return i < 0 || i > n - 1 ? -1 : i;
    case GPUCC_ADDRESS_WRAP:
        while (i < 0)
            i += n;
        return i % n;
    default:
        while (i < 0)
            i += 2 * n;
        return i % (2 * n) < n ? i % (2 * n) : 2 * n - 1 - i % (2 * n);
    }
}

static long double texel(const int i[3], gpucc_address_mode mode, float border)
{
    const int x = stands_for(i[0], WIDTH, mode), y = stands_for(i[1], HEIGHT, mode), z = stands_for(i[2], DEPTH, mode);
    return x < 0 || y < 0 || z < 0 ? (long double)border : (long double)texels[z][y][x];
}

/* tex(x, y, z) = (1 - a)(1 - b)(1 - c) T[i, j, k] + a (1 - b)(1 - c) T[i + 1, j, k] + …, where i + a = x - 0.5, and a
 * is a multiple of 1/256. */
static float filtered(const long double at[3], int dims, gpucc_address_mode mode, float border)
{
    int i[3] = {0, 0, 0};
    long double a[3] = {0, 0, 0}, sum = 0;
    for (int d = 0; d < dims; d++) {
        const long double extent = (long double[]){WIDTH, HEIGHT, DEPTH}[d];
        const long double x = mode == GPUCC_ADDRESS_CLAMP ? fminl(fmaxl(at[d], 0.5L), extent - 0.5L) : at[d];
        i[d] = (int)floorl(x - 0.5L);
        a[d] = floorl((x - 0.5L - i[d]) * 256 + 0.5L) / 256;
    }
    for (int k = 0; k < 1 << dims; k++) {
        long double weight = 1;
        int corner[3];
        for (int d = 0; d < 3; d++) {
            const int second = d < dims ? k >> d & 1 : 0;
            corner[d] = i[d] + second;
            weight *= d < dims ? (second ? a[d] : 1 - a[d]) : 1;
        }
        sum += weight * texel(corner, mode, border);
    }
    return (float)sum;
}

static float nearest(const long double at[3], int dims, gpucc_address_mode mode, float border)
{
    int i[3] = {0, 0, 0};
    for (int d = 0; d < dims; d++)
        i[d] = (int)floorl(at[d]);
    return (float)texel(i, mode, border);
}

/* From one texture's extent before the first texel to one behind the last. */
static void place_samples(const int extent[3], bool normalized, float at[3][SAMPLES])
{
    uint32_t state = 5;
    for (int i = 0; i < SAMPLES; i++)
        for (int d = 0; d < 3; d++) {
            state = state * 1664525u + 1013904223u;
            float x = ((float)(state >> 8) / 0x1000000 * 3 - 1) * (float)extent[d];
            x = i % 7 == 0 ? floorf(2 * x) / 2 : x;
            at[d][i] = normalized ? x / (float)extent[d] : x;
        }
}

static void compare_scene(int dims, gpucc_filter filter, bool normalized, gpucc_address_mode mode)
{
    static float at[3][SAMPLES], out[SAMPLES];
    static int32_t index[SAMPLES];
    const int extent[] = {WIDTH, HEIGHT, DEPTH};
    const int64_t shape[] = {DEPTH, HEIGHT, WIDTH};
    char kernel[32];
    const float border = 3.25f;
    gpucc_texture *texture = texture_of(from(GPUCC_FLOAT32, dims, shape + 3 - dims, texels),
                                        (gpucc_texture_options){.filter = filter, .normalized = normalized,
                                                                .address = {mode, mode, mode}, .border = {border}});
    place_samples(extent, normalized, at);
    snprintf(kernel, sizeof kernel, "sample_%dd_float", dims);
    OK(read_at(texture, kernel, SAMPLES, (const float(*)[SAMPLES])at, index, out));
    for (int i = 0; i < SAMPLES; i++) {
        long double position[3];
        for (int d = 0; d < 3; d++)
            position[d] = normalized ? floorl((long double)at[d][i] * 0x1p21L) / 0x1p21L * extent[d] : at[d][i];
        const float wanted =
            filter ? filtered(position, dims, mode, border) : nearest(position, dims, mode, border);
        /* Products of weights are rounded to 1/256. */
        const float rounding = filter && dims > 1 ? (float)(RANGE << (dims - 1)) / 512 : 0;
        cr_assert(fabsf(out[i] - wanted) <= fabsf(wanted) * 0x1p-23f + rounding,
                  "%d dimensions, mode %d, at %g %g %g: %.9g, not %.9g", dims, mode, (double)at[0][i],
                  (double)at[1][i], (double)at[2][i], (double)out[i], (double)wanted);
    }
    gpucc_texture_release(texture);
}

Test(texture, reads_as_in_the_programming_guide)
{
    fill();
    for (int dims = 1; dims <= 3; dims++)
        for (int m = 0; m < 4; m++)
            for (int filter = 0; filter < 2; filter++) {
                compare_scene(dims, (gpucc_filter)filter, true, modes[m]);
                if (m < 2)
                    compare_scene(dims, (gpucc_filter)filter, false, modes[m]);
            }
}

/* ---- a GPU's numbers ---- */

static const struct sample {
    gpucc_dtype dtype;
    int dims, share[3];
    uint32_t texels[8], result;
} samples[] = {
#define SAMPLE(dtype, dims, x, y, z, a, b, c, d, e, f, g, h, result)                                                   \
    {dtype, dims, {x, y, z}, {a, b, c, d, e, f, g, h}, result},
#include "texture_samples.def"
};

Test(texture, filters_as_a_gpu_does)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *s = &samples[i];
        struct corner corners[MAX_CORNERS];
        int weights[MAX_CORNERS];
        texture_weights(s->dims, s->share, weights);
        for (int k = 0; k < 1 << s->dims; k++)
            corners[k] = (struct corner){(const char *)&s->texels[k], weights[k], true};
        const bool is_float = s->dtype == GPUCC_FLOAT32 || s->dtype == GPUCC_FLOAT16;
        const uint32_t bits = is_float ? filter_numbers(s->dtype, corners, 1 << s->dims, 0)
                                       : filter_fractions(s->dtype, corners, 1 << s->dims, 0);
        cr_assert_eq(bits, s->result, "sample %zu of texture_samples.def: %08x, not %08x", i, bits, s->result);
    }
}

/* Between two elements of the type: 0.5 is 127, as halves round towards zero. */
Test(texture, border_is_an_element)
{
    const uint8_t texels_of_bytes[] = {0};
    const float at[3][SAMPLES] = {{-3}};
    int32_t index[1] = {0};
    const struct {
        float given, read;
    } borders[] = {{0.5f, 127.0f / 255}, {0.25f, 64.0f / 255}, {2, 1}, {-1, 0}, {NAN, 0}, {8.6f / 255, 9.0f / 255}};
    for (size_t i = 0; i < sizeof borders / sizeof *borders; i++) {
        float out[1];
        gpucc_texture *texture = texture_of(from(GPUCC_UINT8, 1, (int64_t[]){1}, texels_of_bytes),
                                            (gpucc_texture_options){.as_float = 1, .border = {borders[i].given},
                                                                    .address = {GPUCC_ADDRESS_BORDER}});
        OK(read_at(texture, "sample_1d_float", 1, at, index, out));
        cr_assert(out[0] == borders[i].read, "%g: %g", (double)borders[i].given, (double)out[0]);
        gpucc_texture_release(texture);
    }
}

/* ---- by hand ---- */

Test(texture, filters_in_steps_of_256)
{
    const float line[] = {0, 256};
    const float at[3][SAMPLES] = {{0.5f, 1, 1.5f, 0.5f + 1.0f / 256, 0.5f + 1.4f / 256, 0.5f + 1.5f / 256, -3, 9}};
    const float wanted[] = {0, 128, 256, 1, 1, 2, 0, 256};
    int32_t index[8] = {0};
    float out[8];
    gpucc_texture *texture = texture_of(from(GPUCC_FLOAT32, 1, (int64_t[]){2}, line),
                                        (gpucc_texture_options){.filter = GPUCC_FILTER_LINEAR});
    OK(read_at(texture, "sample_1d_float", 8, at, index, out));
    for (int i = 0; i < 8; i++)
        cr_assert(out[i] == wanted[i], "at %g: %g", (double)at[0][i], (double)out[i]);
}

Test(texture, reads_integers_as_numbers)
{
    const uint8_t bytes[] = {0, 255, 51, 255};
    const int8_t chars[] = {-128, -127, 127, 0};
    const float at[3][SAMPLES] = {{0.5f, 1.5f, 2.5f, 3.5f}};
    const float of_bytes[] = {0, 1, 0.2f, 1}, of_chars[] = {-1, -1, 1, 0};
    int32_t index[4] = {0};
    float out[4];
    gpucc_texture *texture =
        texture_of(from(GPUCC_UINT8, 1, (int64_t[]){4}, bytes), (gpucc_texture_options){.as_float = 1});
    OK(read_at(texture, "sample_1d_float", 4, at, index, out));
    cr_assert(memcmp(out, of_bytes, sizeof out) == 0);
    texture = texture_of(from(GPUCC_INT8, 1, (int64_t[]){4}, chars),
                         (gpucc_texture_options){.as_float = 1, .filter = GPUCC_FILTER_LINEAR});
    OK(read_at(texture, "sample_1d_float", 4, at, index, out));
    cr_assert(memcmp(out, of_chars, sizeof out) == 0);
}

Test(texture, has_layers_and_channels)
{
    float layers[2][3][2];
    const float at[3][SAMPLES] = {{0.5f, 2.5f, 1, 1}};
    int32_t index[] = {0, 1, 1, 7};
    float out[4][2];
    for (int i = 0; i < 12; i++)
        (&layers[0][0][0])[i] = (float)i;
    gpucc_texture *texture =
        texture_of(from(GPUCC_FLOAT32, 3, (int64_t[]){2, 3, 2}, layers),
                   (gpucc_texture_options){.channels = 2, .layered = 1, .filter = GPUCC_FILTER_LINEAR});
    OK(read_at(texture, "sample_1d_layered_float2", 4, at, index, out));
    cr_assert(out[0][0] == 0 && out[0][1] == 1 && out[1][0] == 10 && out[1][1] == 11);
    cr_assert(out[2][0] == 7 && out[2][1] == 8 && out[3][0] == 7); /* the last layer stands for those that are not */
}

Test(texture, over_linear_memory_shows_what_the_array_becomes)
{
    float line[] = {1, 2, 3};
    const float at[3][SAMPLES] = {{0}};
    int32_t index[] = {-1, 0, 2, 3};
    float out[4];
    gpucc_array *array = from(GPUCC_FLOAT32, 1, (int64_t[]){3}, line);
    gpucc_texture *texture;
    const gpucc_texture_options linear = {.size = sizeof linear, .linear = 1};
    OK(gpucc_texture_create(array, &linear, &texture));
    line[2] = 7;
    OK(gpucc_array_write(array, line, sizeof line));
    gpucc_array_release(array);
    OK(read_at(texture, "fetch_float", 4, at, index, out));
    cr_assert(out[0] == 0 && out[1] == 1 && out[2] == 7 && out[3] == 0);
    gpucc_texture_release(texture);
}

Test(texture, is_written_and_read_by_arrays_of_any_layout)
{
    float picture[2][3] = {{1, 2, 3}, {4, 5, 6}}, turned[3][2], now[2][3];
    const int64_t shape[] = {2, 3}, strides[] = {4, 8};
    gpucc_array *array = from(GPUCC_FLOAT32, 2, shape, picture), *columns;
    gpucc_texture *texture = texture_of(array, (gpucc_texture_options){0});
    OK(gpucc_array_wrap(context, GPUCC_FLOAT32, 2, shape, strides, turned, GPUCC_MEMORY_HOST, &columns));
    OK(gpucc_texture_read(texture, columns));
    cr_assert(turned[0][0] == 1 && turned[0][1] == 4 && turned[2][1] == 6);
    turned[2][1] = 60;
    OK(gpucc_texture_write(texture, columns));
    array = from(GPUCC_FLOAT32, 2, shape, picture);
    OK(gpucc_texture_read(texture, array));
    OK(gpucc_array_read(array, now, sizeof now));
    cr_assert(now[1][2] == 60 && now[0][1] == 2);
    gpucc_array *other = from(GPUCC_FLOAT32, 2, (int64_t[]){3, 2}, picture);
    FAILS(GPUCC_BAD_SHAPE, "but the array has dtype float32 and shape (3, 2)", gpucc_texture_read(texture, other));
}

/* ---- what is no texture ---- */

static void refuse(gpucc_status status, const char *words, gpucc_dtype dtype, int ndim, const int64_t *shape,
                   gpucc_texture_options options)
{
    gpucc_array *array;
    gpucc_texture *texture = (gpucc_texture *)&options;
    options.size = sizeof options;
    OK(gpucc_array_create(context, dtype, ndim, shape, &array));
    FAILS(status, words, gpucc_texture_create(array, &options, &texture));
    cr_assert_null(texture);
    gpucc_array_release(array);
}

Test(texture, is_of_what_GPUs_can_read)
{
    const int64_t shape[] = {4, 4, 3, 2, 2}, empty[] = {0, 3}, long_one[] = {131073};
    refuse(GPUCC_BAD_TYPE, "not float64", GPUCC_FLOAT64, 2, shape, (gpucc_texture_options){0});
    refuse(GPUCC_BAD_TYPE, "not int32", GPUCC_INT32, 2, shape, (gpucc_texture_options){.as_float = 1});
    refuse(GPUCC_BAD_SHAPE, "does not have a texture's", GPUCC_FLOAT32, 4, shape, (gpucc_texture_options){0});
    refuse(GPUCC_BAD_SHAPE, "does not have layers of", GPUCC_FLOAT32, 4, shape, (gpucc_texture_options){.layered = 1});
    refuse(GPUCC_BAD_SHAPE, "differs from the number of channels", GPUCC_FLOAT32, 2, shape,
           (gpucc_texture_options){.channels = 2});
    refuse(GPUCC_BAD_SHAPE, "has no texels", GPUCC_FLOAT32, 2, empty, (gpucc_texture_options){0});
    refuse(GPUCC_BAD_SHAPE, "exceeds the largest", GPUCC_UINT8, 1, long_one, (gpucc_texture_options){0});
    refuse(GPUCC_BAD_SHAPE, "is not one-dimensional", GPUCC_UINT8, 2, shape, (gpucc_texture_options){.linear = 1});
    refuse(GPUCC_INVALID_ARGUMENT, "not 3", GPUCC_UINT8, 3, shape, (gpucc_texture_options){.channels = 3});
    refuse(GPUCC_INVALID_ARGUMENT, "cannot be filtered linearly", GPUCC_UINT8, 1, shape,
           (gpucc_texture_options){.filter = GPUCC_FILTER_LINEAR});
    refuse(GPUCC_INVALID_ARGUMENT, "normalized", GPUCC_UINT8, 1, shape,
           (gpucc_texture_options){.address = {GPUCC_ADDRESS_WRAP}});
    refuse(GPUCC_INVALID_ARGUMENT, "invalid address mode", GPUCC_UINT8, 1, shape,
           (gpucc_texture_options){.address = {(gpucc_address_mode)4}});
    refuse(GPUCC_INVALID_ARGUMENT, "border of an", GPUCC_UINT8, 1, shape, (gpucc_texture_options){.border = {1}});
    refuse(GPUCC_INVALID_ARGUMENT, "linear texture cannot have", GPUCC_UINT8, 1, shape,
           (gpucc_texture_options){.linear = 1, .surface = 1});
}

Test(texture, read_as_another_type_ends_the_launch)
{
    const float at[3][SAMPLES] = {{0}};
    int32_t index[1] = {0};
    float out[4];
    const int64_t shape[] = {4, 4};
    gpucc_texture *texture = texture_of(from(GPUCC_FLOAT32, 2, shape, at), (gpucc_texture_options){.surface = 1});
    FAILS(GPUCC_DEVICE_ERROR, "tex3D of a texture of 2 dimensions",
          read_at(texture, "sample_3d_float", 1, at, index, out));
    FAILS(GPUCC_DEVICE_ERROR, "suite_textures.c:", read_at(texture, "sample_3d_float", 1, at, index, out));
    FAILS(GPUCC_DEVICE_ERROR, "the texture has 1 of float32", read_at(texture, "sample_2d_float4", 1, at, index, out));
    FAILS(GPUCC_DEVICE_ERROR, "of kind int", read_at(texture, "sample_2d_int4", 1, at, index, out));
    FAILS(GPUCC_DEVICE_ERROR, "the object is 0", read_at(NULL, "sample_2d_float", 1, at, index, out));
    uint64_t object = gpucc_texture_object(texture), surface = gpucc_texture_surface(texture);
    int32_t width = 4, height = 4, wide = 5;
    const gpucc_launch launch = {.size = sizeof launch, .threads = {20}};
    FAILS(GPUCC_DEVICE_ERROR, "expected a surface object, got a texture object",
          gpucc_kernel_launch(find_kernel("turn_float"), &launch, (void *[]){&object, &object, &width, &height}));
    FAILS(GPUCC_DEVICE_ERROR, "is not a texel's of the surface",
          gpucc_kernel_launch(find_kernel("turn_float"), &launch, (void *[]){&surface, &surface, &wide, &height}));
    FAILS(GPUCC_DEVICE_ERROR, "of 4 bytes is accessed with a type of 16",
          gpucc_kernel_launch(find_kernel("turn_float4"), &launch, (void *[]){&surface, &surface, &width, &height}));
}

/* ---- objects of no texture ---- */

static gpucc_status sample_object(uint64_t object)
{
    const float at[3] = {0.5f, 0.5f, 0.5f};
    const float *x = &at[0], *y = &at[1], *z = &at[2];
    const int32_t first = 0, *index = &first;
    const uint32_t n = 1;
    float texel, *out = &texel;
    const gpucc_launch launch = {.size = sizeof launch, .threads = {1}};
    return gpucc_kernel_launch(find_kernel("sample_2d_float"), &launch,
                               (void *[]){&object, (void *)&n, &x, &y, &z, &index, &out});
}

static gpucc_status copy_surface(uint64_t object)
{
    int32_t side = 1;
    const gpucc_launch launch = {.size = sizeof launch, .threads = {1}};
    return gpucc_kernel_launch(find_kernel("turn_float"), &launch, (void *[]){&object, &object, &side, &side});
}

static void refuse_object(uint64_t object)
{
    FAILS(GPUCC_DEVICE_ERROR, "suite_textures.c:", sample_object(object));
    FAILS(GPUCC_DEVICE_ERROR, "tex2D of an object of no texture, or of one that has been released",
          sample_object(object));
    FAILS(GPUCC_DEVICE_ERROR, "surf2D of an object of no surface, or of one that has been released",
          copy_surface(object));
}

Test(texture, numbers_that_are_no_objects_end_the_launch)
{
    static const uint64_t other[64];
    const uint64_t address = (uintptr_t)other;
    const uint64_t numbers[] = {1, 2, 3, 8, 4096, 0x7fffffff, 0xffffffff, 0x100000000, 0x1ffffffff, 0x7fff00000000,
                                1ull << 63, UINT64_MAX, UINT64_MAX - 7, address, address + 1};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        refuse_object(numbers[i]);
    for (uint64_t bit = 0; bit < 64; bit++)
        refuse_object(1ull << bit);
}

static gpucc_texture *written_texture(void)
{
    const int64_t shape[] = {1, 1};
    const float one[1] = {1};
    return texture_of(from(GPUCC_FLOAT32, 2, shape, one), (gpucc_texture_options){.surface = 1});
}

/* Objects are numbers: those next to one that is there are none, and a later texture never has an earlier one's. */
Test(texture, objects_end_with_their_texture)
{
    gpucc_texture *there = written_texture();
    const uint64_t object = gpucc_texture_object(there), surface = gpucc_texture_surface(there);
    OK(sample_object(object));
    OK(copy_surface(surface));
    FAILS(GPUCC_DEVICE_ERROR, "of an object of no texture", sample_object(object + (1ull << 32)));
    FAILS(GPUCC_DEVICE_ERROR, "of an object of no texture", sample_object(object + (1ull << 20)));
    gpucc_texture_release(there);
    refuse_object(object);
    refuse_object(surface);
    for (int i = 0; i < 1000; i++) {
        gpucc_texture *next = written_texture();
        cr_assert(gpucc_texture_object(next) != object && gpucc_texture_surface(next) != surface);
        OK(sample_object(gpucc_texture_object(next)));
        if (i % 100 == 0)
            refuse_object(object);
        if (i % 2)
            gpucc_texture_release(next);
    }
    refuse_object(object);
}

Test(texture, objects_end_with_their_context)
{
    gpucc_texture *there = written_texture();
    const uint64_t object = gpucc_texture_object(there), surface = gpucc_texture_surface(there);
    close_context();
    open_context();
    refuse_object(object);
    refuse_object(surface);
}
