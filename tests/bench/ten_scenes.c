#include "ten_scenes.h"

#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = TEN_BLOCK, SIZE = 1 << 22, WIDTH = 2048, HEIGHT = 2000, BODIES = 4096, PRODUCT = 500 };

/* ---- parameters ---- */

static void *zeros(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

static struct scene_parameter *add(struct scene *scene, struct scene_parameter parameter)
{
    scene->parameters[scene->parameter_count] = parameter;
    return &scene->parameters[scene->parameter_count++];
}

static const float *add_input(struct scene *scene, size_t count, float low, float high)
{
    return add(scene, (struct scene_parameter){count * sizeof(float), bench_random(count, low, high), NULL, {0}})
        ->contents;
}

/* Its expected values, for the caller to fill in. */
static void *add_output(struct scene *scene, size_t count)
{
    return add(scene, (struct scene_parameter){count * 4, zeros(count * 4), zeros(count * 4), {0}})->expected;
}

static void add_integer(struct scene *scene, int32_t value)
{
    add(scene, (struct scene_parameter){.number.integer = value});
}

static void add_real(struct scene *scene, float value)
{
    add(scene, (struct scene_parameter){.number.real = value});
}

static void set_grid(struct scene *scene, uint32_t columns, uint32_t rows)
{
    const struct ten_shape *shape = scene->shape;
    scene->grid[0] = (columns + shape->tile[0] - 1) / shape->tile[0];
    scene->grid[1] = (rows + shape->tile[1] - 1) / shape->tile[1];
}

/* ---- the scenes ---- */

static void make_vector_add(struct scene *scene)
{
    const int n = SIZE - 3;
    set_grid(scene, SIZE - 3, 1);
    const float *a = add_input(scene, SIZE, -1, 1), *b = add_input(scene, SIZE, 0, 3);
    float *c = add_output(scene, SIZE);
    add_integer(scene, n);
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

static void make_saxpy(struct scene *scene)
{
    const int n = SIZE - 3;
    const float a = 0.37f;
    set_grid(scene, SIZE - 3, 1);
    add_integer(scene, n);
    add_real(scene, a);
    const float *x = add_input(scene, SIZE, -1, 1);
    float *y = add_output(scene, SIZE);
    for (int i = 0; i < n; i++)
        y[i] = a * x[i];
}

static void make_stencil(struct scene *scene)
{
    const float k = 0.2f;
    scene->tolerance = 1e-6;
    set_grid(scene, WIDTH, HEIGHT);
    const float *in = add_input(scene, (size_t)WIDTH * HEIGHT, 0, 1);
    float *out = add_output(scene, (size_t)WIDTH * HEIGHT);
    add_integer(scene, WIDTH);
    add_integer(scene, HEIGHT);
    add_real(scene, k);
    memcpy(out, in, sizeof(float) * WIDTH * HEIGHT);
    for (int y = 1; y < HEIGHT - 1; y++)
        for (int x = 1; x < WIDTH - 1; x++) {
            const float *at = in + y * WIDTH + x;
            out[y * WIDTH + x] = *at + k * (at[-1] + at[1] + at[-WIDTH] + at[WIDTH] - 4.0f * *at);
        }
}

static void make_matmul(struct scene *scene)
{
    const int m = PRODUCT, n = PRODUCT + 20, p = PRODUCT - 12;
    scene->tolerance = 1e-5;
    set_grid(scene, PRODUCT - 12, PRODUCT);
    const float *a = add_input(scene, (size_t)(m * n), 0, 1), *b = add_input(scene, (size_t)(n * p), 0, 1);
    float *c = add_output(scene, (size_t)(m * p));
    add_integer(scene, m);
    add_integer(scene, n);
    add_integer(scene, p);
    for (int y = 0; y < m; y++)
        for (int k = 0; k < n; k++)
            for (int x = 0; x < p; x++)
                c[y * p + x] += a[y * n + k] * b[k * p + x];
}

static void make_transpose(struct scene *scene)
{
    set_grid(scene, WIDTH, HEIGHT);
    const float *in = add_input(scene, (size_t)WIDTH * HEIGHT, 0, 1);
    float *out = add_output(scene, (size_t)WIDTH * HEIGHT);
    add_integer(scene, WIDTH);
    add_integer(scene, HEIGHT);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            out[x * HEIGHT + y] = in[y * WIDTH + x];
}

static void make_histogram(struct scene *scene)
{
    const int n = SIZE - 3;
    scene->integers = true;
    set_grid(scene, 256 * BLOCK, 1);
    float *random = bench_random(SIZE, 0, 1);
    uint8_t *data = zeros(SIZE);
    add(scene, (struct scene_parameter){.bytes = SIZE, .contents = data});
    uint32_t *counts = add_output(scene, 256);
    add_integer(scene, n);
    for (int i = 0; i < n; i++) {
        data[i] = (uint8_t)(random[i] * random[i] * 256);
        counts[data[i]]++;
    }
    free(random);
}

static void make_reduce(struct scene *scene)
{
    enum { BLOCKS = 256 };
    const int n = SIZE - 3;
    scene->tolerance = 1e-5;
    set_grid(scene, BLOCKS * BLOCK, 1);
    const float *in = add_input(scene, SIZE, 0, 1);
    float *out = add_output(scene, BLOCKS);
    add_integer(scene, n);
    for (int block = 0; block < BLOCKS; block++) {
        double sum = 0;
        for (int start = block * BLOCK; start < n; start += BLOCKS * BLOCK)
            for (int i = start; i < start + BLOCK && i < n; i++)
                sum += (double)in[i];
        out[block] = (float)sum;
    }
}

static void make_scan(struct scene *scene)
{
    const int n = SIZE - 3;
    scene->tolerance = 1e-5;
    set_grid(scene, SIZE - 3, 1);
    const float *in = add_input(scene, SIZE, 0, 1);
    float *out = add_output(scene, SIZE), *totals = add_output(scene, SIZE / BLOCK);
    add_integer(scene, n);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum = (double)in[i] + (i % BLOCK == 0 ? 0 : sum);
        out[i] = totals[i / BLOCK] = (float)sum;
    }
}

static void pull(const float *self, const float *other, double softening, double acceleration[3])
{
    double d[3], square = softening;
    for (int k = 0; k < 3; k++) {
        d[k] = (double)other[k] - (double)self[k];
        square += d[k] * d[k];
    }
    for (int k = 0; k < 3; k++)
        acceleration[k] += (double)other[3] * d[k] / (square * sqrt(square));
}

static void make_nbody(struct scene *scene)
{
    const int n = BODIES - 3;
    const float softening = 0.01f;
    scene->tolerance = 1e-3; /* 4000 terms of both signs, some 1000 times as large as their sum */
    set_grid(scene, BODIES - 3, 1);
    const float *bodies = add_input(scene, 4 * BODIES, 0, 1);
    float *accelerations = add_output(scene, 4 * BODIES);
    add_integer(scene, n);
    add_real(scene, softening);
    for (int i = 0; i < n; i++) {
        double sum[3] = {0};
        for (int j = 0; j < n; j++)
            pull(bodies + 4 * i, bodies + 4 * j, (double)softening, sum);
        for (int k = 0; k < 3; k++)
            accelerations[4 * i + k] = (float)sum[k];
    }
}

/* The kernel's approximation has an error of 7.5e-8, times prices of up to 100. */
static double normal_below(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

static void make_black_scholes(struct scene *scene)
{
    const int n = SIZE / 4 - 3;
    const float riskless = 0.02f, volatility = 0.3f;
    const double r = (double)riskless, v = (double)volatility;
    scene->tolerance = 1e-4;
    set_grid(scene, SIZE / 4 - 3, 1);
    const float *price = add_input(scene, SIZE / 4, 5, 30), *strike = add_input(scene, SIZE / 4, 1, 100),
                *years = add_input(scene, SIZE / 4, 0.25f, 10);
    float *call = add_output(scene, SIZE / 4), *put = add_output(scene, SIZE / 4);
    add_real(scene, riskless);
    add_real(scene, volatility);
    add_integer(scene, n);
    for (int i = 0; i < n; i++) {
        double s = (double)price[i], x = (double)strike[i], t = (double)years[i], spread = v * sqrt(t);
        double d1 = (log(s / x) + (r + 0.5 * v * v) * t) / spread, d2 = d1 - spread, present = x * exp(-r * t);
        call[i] = (float)(s * normal_below(d1) - present * normal_below(d2));
        put[i] = (float)(present * normal_below(-d2) - s * normal_below(-d1));
    }
}

void scene_make(int number, struct scene *scene)
{
    static void (*const makers[TEN_KERNELS])(struct scene *) = {
        make_vector_add, make_saxpy,  make_stencil, make_matmul, make_transpose,
        make_histogram,  make_reduce, make_scan,    make_nbody,  make_black_scholes,
    };
    *scene = (struct scene){.shape = &ten_shapes[number]};
    makers[number](scene);
}

void scene_free(struct scene *scene)
{
    for (int i = 0; i < scene->parameter_count; i++) {
        free(scene->parameters[i].contents);
        free(scene->parameters[i].expected);
    }
}

static bool is_near(const struct scene *scene, double value, double expected)
{
    return fabs(value - expected) <= scene->tolerance * fmax(1, fabs(expected));
}

bool scene_check(const struct scene *scene, int parameter, const void *result)
{
    const struct scene_parameter *array = &scene->parameters[parameter];
    for (size_t i = 0; i < array->bytes / 4; i++) {
        double value = (double)((const float *)result)[i], expected = (double)((const float *)array->expected)[i];
        if (scene->integers) {
            value = (double)((const uint32_t *)result)[i];
            expected = (double)((const uint32_t *)array->expected)[i];
        }
        if (!is_near(scene, value, expected)) {
            fprintf(stderr, "%s: parameter %d, element %zu: %.9g, expected %.9g\n", scene->shape->name, parameter, i,
                    value, expected);
            return false;
        }
    }
    return true;
}

bool scene_check_all(const struct scene *scene, void (*read)(void *data, int parameter, void *result), void *data)
{
    bool right = true;
    for (int i = 0; i < scene->parameter_count; i++) {
        if (scene->parameters[i].expected == NULL)
            continue;
        void *result = malloc(scene->parameters[i].bytes);
        if (result == NULL)
            exit(1);
        read(data, i, result);
        right = scene_check(scene, i, result) && right;
        free(result);
    }
    return right;
}
