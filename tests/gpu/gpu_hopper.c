/* Products by warpgroups and copies of tiles on a GPU of sm_90: right, and as on the CPU. */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suite_hopper.h>

static void need_hopper(void)
{
    if (suite.device.kind == GPUCC_DEVICE_CUDA && suite.device.arch != 90)
        suite_skip("the device is not sm_90");
}

static gpucc_kernel *find(gpucc_context *context, const char *name)
{
    gpucc_kernel *kernel;
    MUST(gpucc_context_kernel(context, &gpucc_program_suite_hopper, GPUCC_ABI_suite_hopper, name, &kernel));
    return kernel;
}

/* ---- products of small whole numbers, which every order of additions adds up exactly ---- */

/* The bits of a whole number from -8 to 8 in a format of a sign, `exponent` bits and `fraction` bits. */
static uint32_t encode(int x, int exponent, int fraction)
{
    const uint32_t sign = (uint32_t)(x < 0) << (exponent + fraction);
    const unsigned size = (unsigned)abs(x);
    int power = 0;
    while (size >> (power + 1))
        power++;
    if (x == 0)
        return 0;
    const uint32_t biased = (uint32_t)(power + (1 << (exponent - 1)) - 1);
    return sign | biased << fraction | ((size - (1u << power)) << fraction >> power);
}

struct format {
    const char *name;
    gpucc_dtype dtype, sum;
    int size, exponent, fraction; /* exponent 0: integers */
    bool is_signed;
    int b_exponent, b_fraction;   /* of B, where it has another one */
};

static const struct format formats[] = {
    {"f16", GPUCC_FLOAT16, GPUCC_FLOAT32, 2, 5, 10, true, 5, 10},
    {"bf16", GPUCC_BFLOAT16, GPUCC_FLOAT32, 2, 8, 7, true, 8, 7},
    {"tf32", GPUCC_FLOAT32, GPUCC_FLOAT32, 4, 8, 23, true, 8, 23},
    {"e4m3", GPUCC_UINT8, GPUCC_FLOAT32, 1, 4, 3, true, 4, 3},
    {"e5m2", GPUCC_UINT8, GPUCC_FLOAT32, 1, 5, 2, true, 5, 2},
    {"e4m3_e5m2", GPUCC_UINT8, GPUCC_FLOAT32, 1, 4, 3, true, 5, 2},
    {"e5m2_e4m3", GPUCC_UINT8, GPUCC_FLOAT32, 1, 5, 2, true, 4, 3},
    {"s8", GPUCC_INT8, GPUCC_INT32, 1, 0, 0, true, 0, 0},
    {"u8", GPUCC_UINT8, GPUCC_INT32, 1, 0, 0, false, 0, 0},
};

static int small_number(const struct format *format, uint32_t place)
{
    const int number = (int)((place * 2654435761u >> 16) % 17);
    return format->is_signed ? number - 8 : number;
}

/* Elements [i][k] of A or [j][k] of B, or [k][…] of them, in a tile of so many rows. */
static gpucc_array *tile(gpucc_context *context, const struct format *format, int64_t rows, int64_t columns,
                         bool is_across, bool is_b)
{
    unsigned char *bytes = suite_alloc((size_t)(rows * columns * format->size));
    gpucc_array *array;
    for (int64_t i = 0; i < rows * columns; i++) {
        const int64_t row = i / columns, column = i % columns, along = is_across ? row : column;
        const int64_t other = is_across ? column : row;
        const int x = small_number(format, (uint32_t)(other * 1000 + along + (is_b ? 500000 : 0)));
        const uint32_t bits = format->exponent == 0 ? (uint32_t)x
                              : is_b                ? encode(x, format->b_exponent, format->b_fraction)
                                                    : encode(x, format->exponent, format->fraction);
        memcpy(bytes + i * format->size, &bits, (size_t)format->size);
    }
    MUST(gpucc_array_from_host(context, format->dtype, 2, (int64_t[]){rows, columns}, NULL, bytes, &array));
    free(bytes);
    return array;
}

static void check_sums(const struct format *format, const char *name, const void *sums, int n, int k)
{
    for (int i = 0; i < 64 * n; i++) {
        int expected = 0;
        for (int at = 0; at < k; at++)
            expected += small_number(format, (uint32_t)(i / n * 1000 + at)) *
                        small_number(format, (uint32_t)(i % n * 1000 + at + 500000));
        const double found = format->sum == GPUCC_INT32 ? ((const int32_t *)sums)[i] : ((const float *)sums)[i];
        CHECK(found == expected, "%s: sum [%d][%d] of %d is %g, not %d", name, i / n, i % n, k, found, expected);
    }
}

/* The kernel's 64 x n sums, of k steps. */
static void run_product(gpucc_context *context, const struct format *format, const char *name, gpucc_array *a,
                        gpucc_array *b, const size_t *a_box, const size_t *b_box, int swizzle, int n, int k)
{
    const gpucc_launch how = {.size = sizeof how, .grid = {1}, .block = {128}};
    const int64_t shape[] = {64, n};
    gpucc_tensor_map maps[2];
    gpucc_array *c;
    int32_t *sums = suite_alloc((size_t)(64 * n) * sizeof *sums);
    uint32_t bytes = (uint32_t)swizzle;
    MUST(gpucc_tensor_map_make(a, a_box, swizzle, &maps[0]));
    MUST(gpucc_tensor_map_make(b, b_box, swizzle, &maps[1]));
    memset(sums, 0xee, (size_t)(64 * n) * sizeof *sums);
    MUST(gpucc_array_from_host(context, format->sum, 2, shape, NULL, sums, &c));
    void *to = gpucc_array_data(c);
    const bool is_plain = strncmp(name, "product", 7) == 0;
    MUST(gpucc_kernel_launch(find(context, name), &how,
                             is_plain ? (void *[]){&maps[0], &maps[1], &bytes, &to}
                                      : (void *[]){&maps[0], &maps[1], &to}));
    MUST(gpucc_array_read(c, sums, (size_t)(64 * n) * sizeof *sums));
    check_sums(format, name, sums, n, k);
    gpucc_array_release(a);
    gpucc_array_release(b);
    gpucc_array_release(c);
    free(sums);
}

static void test_products(void)
{
    static const int columns[] = {8, 96, 256};
    gpucc_context *const contexts[] = {suite.cpu, suite.gpu};
    char name[64];
    need_hopper();
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (int i = 0; i < 3 * 3 * 2; i++) {
            const struct format *format = &formats[f];
            gpucc_context *context = contexts[i % 2];
            const int n = columns[i / 2 % 3], swizzle = 32 << i / 6, k = swizzle / format->size;
            snprintf(name, sizeof name, "product_%s_%d", format->name, n);
            run_product(context, format, name, tile(context, format, 64, k, false, false),
                        tile(context, format, n, k, false, true), (size_t[]){64, (size_t)k},
                        (size_t[]){(size_t)n, (size_t)k}, swizzle, n, k);
        }
}

/* Tiles of 64 x 64 elements, of which some have their rows across k, and A in registers. */
static void test_columns(void)
{
    gpucc_context *const contexts[] = {suite.cpu, suite.gpu};
    static const struct {
        const char *name;
        bool a_across, b_across;
    } kinds[] = {{"columns_%s_b", false, true}, {"columns_%s_a", true, false}, {"columns_%s_both", true, true},
                 {"parts_%s_a", false, false},  {"parts_%s_b", false, true}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    need_hopper();
    for (int i = 0; i < 2 * KINDS * 2; i++) {
        const struct format *format = &formats[i / (2 * KINDS)];
        gpucc_context *context = contexts[i % 2];
        const int kind = i / 2 % KINDS;
        char name[64];
        snprintf(name, sizeof name, kinds[kind].name, format->name);
        run_product(context, format, name, tile(context, format, 64, 64, kinds[kind].a_across, false),
                    kinds[kind].b_across ? tile(context, format, 64, 128, true, true)
                                         : tile(context, format, 128, 64, false, true),
                    (size_t[]){64, 64}, (size_t[]){64, 64}, 128, 128, 64);
    }
}

/* ---- copies ---- */

struct move {
    gpucc_dtype dtype;
    int ndim, swizzle;
    int64_t shape[5];
    size_t box[5];
    int at[10]; /* of the load, innermost first, and from 5 on of the store */
    bool adds;
};

static const struct move moves[] = {
    {GPUCC_UINT8, 1, 0, {1008}, {256}, {-112, 0, 0, 0, 0, 800}, false},
    {GPUCC_FLOAT32, 2, 0, {37, 44}, {9, 20}, {32, 33, 0, 0, 0, 28, 30}, false},
    {GPUCC_FLOAT32, 2, 0, {37, 44}, {9, 20}, {-8, -3, 0, 0, 0, 40, 36}, false},
    {GPUCC_BFLOAT16, 2, 128, {70, 200}, {64, 64}, {152, -5, 0, 0, 0, 8, 30}, false},
    {GPUCC_INT16, 2, 64, {40, 40}, {16, 32}, {-8, -1, 0, 0, 0, 16, 33}, false},
    {GPUCC_FLOAT64, 2, 32, {40, 10}, {8, 4}, {4, 35, 0, 0, 0, 8, 2}, false},
    {GPUCC_INT64, 3, 0, {9, 10, 12}, {3, 5, 6}, {8, -2, 7, 0, 0, 2, 6, 2}, false},
    {GPUCC_UINT16, 4, 0, {5, 6, 7, 16}, {2, 3, 4, 8}, {8, 5, -1, 4, 0, 8, 2, 5, 4}, false},
    {GPUCC_COMPLEX64, 5, 0, {3, 4, 3, 4, 8}, {2, 3, 2, 3, 4}, {6, 2, -1, 3, 2, 2, 0, 2, 3, 1}, false},
    {GPUCC_FLOAT32, 2, 0, {37, 44}, {9, 20}, {32, 33, 0, 0, 0, 28, 30}, true},
    {GPUCC_INT32, 3, 0, {9, 10, 12}, {3, 5, 4}, {8, -2, 7, 0, 0, 4, 6, 2}, true},
    {GPUCC_UINT64, 1, 0, {100}, {64}, {70, 0, 0, 0, 0, 60}, true},
    {GPUCC_FLOAT16, 2, 0, {16, 64}, {8, 32}, {40, 12, 0, 0, 0, 48, 3}, true},
    {GPUCC_BFLOAT16, 2, 0, {16, 64}, {8, 32}, {40, 12, 0, 0, 0, 48, 3}, true},
};

/* A number from -8 to 8, or of unsigned types from 0 to 16. */
static void put_number(gpucc_dtype dtype, void *element, uint32_t place)
{
    const int number = (int)((place * 2654435761u >> 16) % 17);
    const int64_t whole = dtype == GPUCC_INT16 || dtype == GPUCC_INT32 || dtype == GPUCC_INT64 ? number - 8 : number;
    uint64_t bits = (uint64_t)whole;
    if (dtype == GPUCC_FLOAT16)
        bits = encode(number - 8, 5, 10);
    else if (dtype == GPUCC_BFLOAT16)
        bits = encode(number - 8, 8, 7);
    else if (dtype == GPUCC_FLOAT32 || dtype == GPUCC_COMPLEX64)
        bits = encode(number - 8, 8, 23);
    else if (dtype == GPUCC_FLOAT64)
        memcpy(&bits, &(double){number - 8}, sizeof bits);
    memcpy(element, &bits, gpucc_dtype_size(dtype));
}

static void fill(gpucc_context *context, const struct move *move, uint32_t seed, gpucc_array **out)
{
    const size_t size = gpucc_dtype_size(move->dtype);
    int64_t count = 1;
    for (int d = 0; d < move->ndim; d++)
        count *= move->shape[d];
    unsigned char *elements = suite_alloc((size_t)count * size);
    for (int64_t i = 0; i < count; i++)
        put_number(move->dtype, elements + (size_t)i * size, (uint32_t)i + seed);
    MUST(gpucc_array_from_host(context, move->dtype, move->ndim, move->shape, NULL, elements, out));
    free(elements);
}

static void *run_move(gpucc_context *context, const struct move *move, size_t *size)
{
    const gpucc_launch how = {.size = sizeof how, .grid = {1}, .block = {32}, .shared = 40000};
    gpucc_tensor_map maps[2];
    gpucc_array *from, *to, *at;
    char name[16];
    uint32_t bytes = 1;
    int32_t adds = move->adds;
    int64_t count = 10;
    fill(context, move, 1, &from);
    fill(context, move, 1000, &to);
    MUST(gpucc_array_from_host(context, GPUCC_INT32, 1, &count, NULL, move->at, &at));
    MUST(gpucc_tensor_map_make(from, move->box, move->swizzle, &maps[0]));
    MUST(gpucc_tensor_map_make(to, move->box, move->swizzle, &maps[1]));
    *size = gpucc_dtype_size(move->dtype);
    bytes = (uint32_t)*size;
    for (int d = 0; d < move->ndim; d++) {
        *size *= (size_t)move->shape[d];
        bytes *= (uint32_t)move->box[d];
    }
    snprintf(name, sizeof name, "move_%d", move->ndim);
    void *places = gpucc_array_data(at), *result = suite_alloc(*size);
    MUST(gpucc_kernel_launch(find(context, name), &how, (void *[]){&maps[0], &maps[1], &places, &bytes, &adds}));
    MUST(gpucc_array_read(to, result, *size));
    gpucc_array_release(from);
    gpucc_array_release(to);
    gpucc_array_release(at);
    return result;
}

static void test_moves(void)
{
    need_hopper();
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        size_t size, changed = 0;
        unsigned char *cpu = run_move(suite.cpu, &moves[i], &size), *gpu = run_move(suite.gpu, &moves[i], &size);
        for (size_t k = 0; k < size; k++)
            changed += cpu[k] != gpu[k];
        CHECK(changed == 0, "move %zu: %zu of %zu bytes differ", i, changed, size);
        free(cpu);
        free(gpu);
    }
}

/* Runs a kernel of words on both devices. */
static void compare_words(const char *name, int64_t in_rows, int64_t in_columns, int64_t out_count, gpucc_launch how,
                          bool by_map, int rounds)
{
    gpucc_context *const contexts[] = {suite.cpu, suite.gpu};
    uint32_t *out[2];
    need_hopper();
    for (int d = 0; d < 2; d++) {
        const struct move words = {.dtype = GPUCC_UINT32, .ndim = 2, .shape = {in_rows, in_columns}};
        gpucc_tensor_map map = {0};
        gpucc_array *in, *to;
        out[d] = suite_alloc((size_t)out_count * sizeof *out[d]);
        memset(out[d], 0xee, (size_t)out_count * sizeof *out[d]);
        fill(contexts[d], &words, 5, &in);
        MUST(gpucc_array_from_host(contexts[d], GPUCC_UINT32, 1, &out_count, NULL, out[d], &to));
        void *from = gpucc_array_data(in), *result = gpucc_array_data(to);
        if (by_map)
            MUST(gpucc_tensor_map_make(in, (size_t[]){1, 64}, 0, &map));
        MUST(gpucc_kernel_launch(find(contexts[d], name), &how,
                                 by_map   ? (void *[]){&map, &result}
                                 : rounds ? (void *[]){&from, &result, &rounds}
                                          : (void *[]){&result}));
        MUST(gpucc_array_read(to, out[d], (size_t)out_count * sizeof *out[d]));
        gpucc_array_release(in);
        gpucc_array_release(to);
    }
    compare_elements(GPUCC_UINT32, out[1], out[0], out_count, true, name);
    free(out[0]);
    free(out[1]);
}

static void test_multicast(void)
{
    compare_words("spread", 32, 64, 32 * 4 * 64,
                  (gpucc_launch){.size = sizeof(gpucc_launch), .grid = {32}, .block = {64}}, true, 0);
}

static void test_pipeline(void)
{
    compare_words("pipeline", 20 * 17, 256, 20 * 32,
                  (gpucc_launch){.size = sizeof(gpucc_launch), .grid = {20}, .block = {64}}, false, 17);
}

static void test_written(void)
{
    compare_words("written", 1, 64, 50 * 256,
                  (gpucc_launch){.size = sizeof(gpucc_launch), .grid = {50}, .block = {256}}, false, 0);
}

static const struct suite_test tests[] = {
    TEST(test_products),  TEST(test_columns),  TEST(test_moves),
    TEST(test_multicast), TEST(test_pipeline), TEST(test_written),
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
