/* Products of matrices: the bits that the CPU gives, and of 16-bit floating-point elements sums within the bound that
 * is stated, for sizes about those of tiles, with operands that broadcast, and outputs among bytes that must stay. */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suite_products.h>

struct sizes {
    int64_t count, m, k, n;
    bool is_turned; /* the right matrix lies transposed */
};

static gpucc_ufunc *find(gpucc_context *context, const char *name)
{
    gpucc_ufunc *ufunc;
    MUST(gpucc_context_ufunc(context, &gpucc_program_suite_products, GPUCC_ABI_suite_products, name, &ufunc));
    return ufunc;
}

static gpucc_array *matrices(gpucc_context *context, gpucc_dtype dtype, int64_t count, int64_t rows, int64_t columns,
                             const void *data)
{
    gpucc_array *array;
    MUST(gpucc_array_from_host(context, dtype, 3, (int64_t[]){count, rows, columns}, NULL, data, &array));
    return array;
}

static gpucc_array *right_matrix(gpucc_context *context, gpucc_dtype dtype, struct sizes s, const void *data)
{
    gpucc_array *array = matrices(context, dtype, 1, s.is_turned ? s.n : s.k, s.is_turned ? s.k : s.n, data), *turned;
    const int64_t size = (int64_t)gpucc_dtype_size(dtype);
    if (!s.is_turned)
        return array;
    MUST(gpucc_array_view(array, 3, (int64_t[]){1, s.k, s.n}, (int64_t[]){s.k * s.n * size, size, s.k * size}, 0,
                          &turned));
    gpucc_array_release(array);
    return turned;
}

/* The output's rows lie apart by one element, which keeps its value. */
static size_t call(gpucc_context *context, const char *name, gpucc_dtype dtype, struct sizes s, const void *const *data,
                   gpucc_dtype out, void *result)
{
    gpucc_array *memory, *view;
    const int64_t room = s.count * s.m * (s.n + 1) + 1, size = (int64_t)gpucc_dtype_size(out);
    const bool is_linear = strcmp(name, "linear") == 0;
    gpucc_array *const x = matrices(context, dtype, s.count, s.m, s.k, data[0]);
    gpucc_array *const w = right_matrix(context, dtype, s, data[1]);
    gpucc_array *const factor = matrices(context, dtype, 1, 1, s.k, data[0]);
    gpucc_array *const bias = matrices(context, dtype, 1, s.m, 1, data[1]);
    MUST(gpucc_array_from_host(context, out, 1, &room, NULL, data[2], &memory));
    MUST(gpucc_array_view(memory, 3, (int64_t[]){s.count, s.m, s.n},
                          (int64_t[]){s.m * (s.n + 1) * size, (s.n + 1) * size, size}, size, &view));
    const gpucc_array *const four[] = {x, factor, w, bias}, *const two[] = {x, w};
    MUST(gpucc_ufunc_call(find(context, name), is_linear ? four : two, &view, NULL));
    MUST(gpucc_array_read(memory, result, (size_t)(room * size)));
    gpucc_array *const arrays[] = {x, w, factor, bias, memory, view};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
    return (size_t)room;
}

static const struct sizes shapes[] = {
    {1, 128, 16, 128}, {1, 129, 33, 127}, {2, 65, 64, 63}, {1, 1, 1000, 300}, {1, 300, 1, 5}, {3, 257, 100, 130},
    {1, 40, 0, 50},    {70000, 3, 4, 5},  {1, 1000, 777, 1100},
};

static double next_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ldexp((double)(int64_t)*state, -63);
}

static void set_number(gpucc_dtype dtype, void *data, size_t i, double number)
{
    if (dtype == GPUCC_FLOAT64)
        ((double *)data)[i] = number;
    else if (dtype == GPUCC_FLOAT32)
        ((float *)data)[i] = (float)number;
    else
        ((unsigned char *)data)[i] = (unsigned char)(int)(number * 1024);
}

static void compare_bits(const char *name, gpucc_dtype dtype, gpucc_dtype out, const struct sizes s, uint64_t state)
{
    char label[100];
    const size_t counts[] = {(size_t)(s.count * s.m * s.k + s.k), (size_t)(s.k * s.n + s.m),
                             (size_t)(s.count * s.m * (s.n + 1) + 1) * gpucc_dtype_size(out)};
    void *data[3], *const gpu = suite_alloc(counts[2]), *const cpu = suite_alloc(counts[2]);
    for (int k = 0; k < 3; k++) {
        const gpucc_dtype type = k < 2 ? dtype : GPUCC_UINT8;
        data[k] = suite_alloc(counts[k] * gpucc_dtype_size(type));
        for (size_t e = 0; e < counts[k]; e++)
            set_number(type, data[k], e, next_number(&state));
    }
    const size_t count = call(suite.gpu, name, dtype, s, (const void *const *)data, out, gpu);
    call(suite.cpu, name, dtype, s, (const void *const *)data, out, cpu);
    snprintf(label, sizeof label, "%lld of %lldx%lld by %lld, %s", (long long)s.count, (long long)s.m, (long long)s.k,
             (long long)s.n, gpucc_dtype_name(dtype));
    compare_elements(out, gpu, cpu, count, true, label);
    free(data[0]), free(data[1]), free(data[2]), free(gpu), free(cpu);
}

static void test_bits(void)
{
    for (size_t i = 0; i < 2 * sizeof shapes / sizeof *shapes; i++) {
        const gpucc_dtype dtype = i % 2 ? GPUCC_FLOAT64 : GPUCC_FLOAT32;
        compare_bits("linear", dtype, dtype, shapes[i / 2], i);
    }
}

/* By warpgroups on Hopper, for which a right matrix that is not transposed is copied. */
static void test_bytes(void)
{
    static const struct sizes wide[] = {
        {1, 2048, 48, 1024, true}, {1, 1536, 70, 320}, {3, 500, 40, 600}, {1, 1024, 260, 8, true}};
    const size_t common = sizeof shapes / sizeof *shapes, all = common + sizeof wide / sizeof *wide;
    for (size_t i = 0; i < 2 * all; i++) {
        struct sizes s = i / 2 < common ? shapes[i / 2] : wide[i / 2 - common];
        const bool is_signed = i % 2;
        compare_bits(is_signed ? "byte_sums" : "unsigned_sums", is_signed ? GPUCC_INT8 : GPUCC_UINT8,
                     is_signed ? GPUCC_INT32 : GPUCC_UINT32, s, i);
        s.is_turned = i % 4 < 2;
        compare_bits("bytes", GPUCC_INT8, GPUCC_INT8, s, i);
    }
}

/* A number that both 16-bit types have, in the given one: 7 significant bits. */
static uint16_t bits_of(float number, gpucc_dtype dtype)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    const uint32_t magnitude = bits & 0x7fffffff;
    if (dtype == GPUCC_BFLOAT16)
        return (uint16_t)(bits >> 16);
    return (uint16_t)((bits >> 16 & 0x8000) | (magnitude ? (magnitude - (112u << 23)) >> 13 : 0));
}

/* Float32 operands are multiplied as tf32, which has all bits of these numbers. */
static void compare_sums(gpucc_dtype dtype, const struct sizes s, uint64_t state)
{
    const size_t left = (size_t)(s.count * s.m * s.k + s.k), right = (size_t)(s.k * s.n + s.m);
    const size_t room = (size_t)(s.count * s.m * (s.n + 1) + 1);
    float *const x = suite_alloc(left * 4), *const w = suite_alloc(right * 4);
    float *const poison = suite_alloc(room * 4), *const out = suite_alloc(room * 4);
    uint16_t *const x_bits = suite_alloc(left * 2), *const w_bits = suite_alloc(right * 2);
    const bool is_half = dtype != GPUCC_FLOAT32;
    const void *const data[] = {is_half ? (void *)x_bits : x, is_half ? (void *)w_bits : w, poison};
    size_t wrong = 0;
    for (size_t i = 0; i < left + right; i++) {
        const float number = (float)(rint(next_number(&state) * 64) / 64);
        *(i < left ? &x[i] : &w[i - left]) = number;
        *(i < left ? &x_bits[i] : &w_bits[i - left]) = bits_of(number, dtype);
    }
    for (size_t i = 0; i < room; i++)
        poison[i] = (float)i;
    call(suite.gpu, dtype == GPUCC_FLOAT16 ? "half_sums" : is_half ? "brain_sums" : "tf32_sums", dtype, s, data,
         GPUCC_FLOAT32, out);
    for (size_t i = 0; i < room; i++) {
        const size_t at = i - 1, column = at % (size_t)(s.n + 1), row = at / (size_t)(s.n + 1);
        double sum = 0, size = 0;
        if (i == 0 || column == (size_t)s.n) {
            wrong += out[i] != poison[i];
            continue;
        }
        for (size_t l = 0; l < (size_t)s.k; l++) {
            const double product = (double)x[row * (size_t)s.k + l] * w[l * (size_t)s.n + column];
            sum += product;
            size += fabs(product);
        }
        wrong += !(fabs(out[i] - sum) <= size * (double)(s.k + 2) * (is_half ? 0x1p-23 : 0x1p-22));
    }
    CHECK(wrong == 0, "%zu of %zu sums of %s, %lldx%lld by %lld", wrong, room, gpucc_dtype_name(dtype),
          (long long)s.m, (long long)s.k, (long long)s.n);
    free(x), free(w), free(poison), free(out), free(x_bits), free(w_bits);
}

static void test_sums(void)
{
    for (size_t i = 0; i + 1 < sizeof shapes / sizeof *shapes; i++) {
        compare_sums(GPUCC_FLOAT16, shapes[i], i);
        compare_sums(GPUCC_BFLOAT16, shapes[i], i);
        compare_sums(GPUCC_FLOAT32, shapes[i], i);
    }
}

/* The number of these bits, which is normal or 0. */
static float value_of(uint16_t bits, gpucc_dtype dtype)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    const uint32_t wide = sign | (dtype == GPUCC_BFLOAT16 ? magnitude << 16
                                  : magnitude ? (magnitude << 13) + (112u << 23) : 0);
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* The same of products that are rounded to their operands' type: by warpgroups on Hopper, whose tiles have a width that
 * depends on the sizes. */
static void compare_products(gpucc_dtype dtype, const struct sizes s, uint64_t state)
{
    const size_t left = (size_t)(s.count * s.m * s.k + s.k), right = (size_t)(s.k * s.n + s.m);
    const size_t room = (size_t)(s.count * s.m * (s.n + 1) + 1);
    uint16_t *const x = suite_alloc(left * 2), *const w = suite_alloc(right * 2), *const out = suite_alloc(room * 2);
    uint16_t *const poison = suite_alloc(room * 2);
    double *const sums = suite_alloc((size_t)s.n * 2 * sizeof *sums);
    const double rounding = dtype == GPUCC_BFLOAT16 ? 0x1p-8 : 0x1p-11;
    size_t wrong = 0;
    for (size_t i = 0; i < left + right; i++)
        *(i < left ? &x[i] : &w[i - left]) = bits_of((float)(rint(next_number(&state) * 64) / 64), dtype);
    for (size_t i = 0; i < room; i++)
        poison[i] = (uint16_t)(0x7e00 + i % 64); /* no result */
    call(suite.gpu, dtype == GPUCC_FLOAT16 ? "half_product" : "brain_product", dtype, s,
         (const void *const[]){x, w, poison}, dtype, out);
    wrong += out[0] != poison[0];
    for (size_t row = 0; row < (size_t)(s.count * s.m); row++) {
        const uint16_t *const results = &out[1 + row * (size_t)(s.n + 1)];
        memset(sums, 0, (size_t)s.n * 2 * sizeof *sums);
        for (size_t l = 0; l < (size_t)s.k; l++)
            for (size_t column = 0; column < (size_t)s.n; column++) {
                const double product = (double)value_of(x[row * (size_t)s.k + l], dtype) *
                                       (double)value_of(w[l * (size_t)s.n + column], dtype);
                sums[2 * column] += product;
                sums[2 * column + 1] += fabs(product);
            }
        for (size_t column = 0; column < (size_t)s.n; column++)
            wrong += !(fabs(value_of(results[column], dtype) - sums[2 * column]) <=
                       sums[2 * column + 1] * (double)(s.k + 2) * 0x1p-22 + rounding * fabs(sums[2 * column]));
        wrong += results[s.n] != poison[1 + row * (size_t)(s.n + 1) + (size_t)s.n];
    }
    CHECK(wrong == 0, "%zu of %zu products of %s, %lld of %lldx%lld by %lld", wrong, room, gpucc_dtype_name(dtype),
          (long long)s.count, (long long)s.m, (long long)s.k, (long long)s.n);
    free(x), free(w), free(out), free(poison), free(sums);
}

static void test_products(void)
{
    static const struct sizes wide[] = {{1, 2048, 72, 2048}, {1, 1536, 70, 2112}, {3, 700, 40, 800}, {1, 1024, 130, 8}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        compare_products(i % 2 ? GPUCC_FLOAT16 : GPUCC_BFLOAT16, shapes[i], i);
    for (size_t i = 0; i < 2 * sizeof wide / sizeof *wide; i++)
        compare_products(i % 2 ? GPUCC_FLOAT16 : GPUCC_BFLOAT16, wide[i / 2], i);
}

static void call_picked(gpucc_context *context, const int32_t *x, const int32_t *base, const float *w, struct sizes s,
                        float *result)
{
    gpucc_array *const in[] = {matrices(context, GPUCC_INT32, 1, s.m, s.k, x),
                               matrices(context, GPUCC_INT32, 1, 1, s.k, base),
                               matrices(context, GPUCC_FLOAT32, 1, s.k, s.n, w)};
    gpucc_array *const out = matrices(context, GPUCC_FLOAT32, 1, s.m, s.n, result);
    MUST(gpucc_ufunc_call(find(context, "picked"), (const gpucc_array *const *)in, &out, NULL));
    MUST(gpucc_array_read(out, result, (size_t)(s.m * s.n) * sizeof *result));
    gpucc_array_release(in[0]), gpucc_array_release(in[1]), gpucc_array_release(in[2]), gpucc_array_release(out);
}

/* Functions in a product are given elements that belong together, at the edges of tiles too. */
static void test_places(void)
{
    enum { M = 10, MOST_K = 24, N = 10 };
    static float w[MOST_K * N], gpu[M * N], cpu[M * N];
    static int32_t x[M * MOST_K], base[MOST_K];
    uint64_t state = 1;
    for (int i = 0; i < MOST_K * N; i++)
        w[i] = (float)next_number(&state);
    for (int k = 17; k <= MOST_K; k++) {
        for (int i = 0; i < M * k; i++) {
            base[i % k] = i % k << 26; /* far apart: an element of two columns is at no address */
            x[i] = base[i % k] + i % 3;
        }
        call_picked(suite.gpu, x, base, w, (struct sizes){1, M, k, N, false}, gpu);
        call_picked(suite.cpu, x, base, w, (struct sizes){1, M, k, N, false}, cpu);
        compare_elements(GPUCC_FLOAT32, gpu, cpu, sizeof cpu / sizeof *cpu, true, "picked");
    }
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {TEST(test_bits), TEST(test_bytes), TEST(test_sums), TEST(test_products),
                                               TEST(test_places)};
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
