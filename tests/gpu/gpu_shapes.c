/* How operands lie in memory: broadcast, strided, transposed, reversed, misaligned, in place, overlapping. */
#include "compare.h"

#include <complex.h>
#include <stdio.h>
#include <string.h>
#include <suite_elementwise.h>
#include <suite_types.h>

/* A ufunc of two inputs and an output, all of one type. */
struct binary {
    const struct gpucc_program_image *image;
    const char *name;
    gpucc_dtype dtype;
    reference_function *reference;
};

#define ADD(type)                                                                                                      \
    static void add_##type(const void *const *in, void *const *out)                                                    \
    {                                                                                                                  \
        *(type *)out[0] = (type)(*(const type *)in[0] + *(const type *)in[1]);                                         \
    }
typedef double complex complex128;
ADD(float)
ADD(double)
ADD(uint8_t)
ADD(uint16_t)
ADD(complex128)

static const struct binary binaries[] = {
    {&gpucc_program_suite_elementwise, "add", GPUCC_FLOAT32, add_float},
    {&gpucc_program_suite_types, "plus", GPUCC_UINT8, add_uint8_t},
    {&gpucc_program_suite_types, "plus", GPUCC_UINT16, add_uint16_t},
    {&gpucc_program_suite_types, "plus", GPUCC_FLOAT64, add_double},
    {&gpucc_program_suite_types, "plus", GPUCC_COMPLEX128, add_complex128},
};
enum { BINARY_COUNT = sizeof binaries / sizeof *binaries };

struct layout {
    const char *name;
    struct view x, y, out;
};

static void run_layout(const struct binary *binary, const struct layout *layout, uint64_t seed)
{
    struct comparison c = {binary->image, binary->name, 2, 1, .dtypes = {binary->dtype, binary->dtype, binary->dtype},
                           .views = {layout->x, layout->y, layout->out}, .seed = seed, .reference = binary->reference};
    char label[160];
    snprintf(label, sizeof label, "%s of %s", layout->name, gpucc_dtype_name(binary->dtype));
    compare(&c, label);
}

static void run_layouts(const struct layout *layouts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int b = 0; b < BINARY_COUNT; b++)
            run_layout(&binaries[b], &layouts[i], i + 1);
}

#define RUN(layouts) run_layouts(layouts, sizeof layouts / sizeof *layouts)
#define MATRIX {2, {300, 777}, {777, 1}}

static void test_broadcast(void)
{
    static const struct layout layouts[] = {
        {"matrix + row", MATRIX, {1, {777}, {1}}, MATRIX},
        {"row + matrix", {2, {1, 777}, {777, 1}}, MATRIX, MATRIX},
        {"matrix + column", MATRIX, {2, {300, 1}, {1, 1}}, MATRIX},
        {"column + row", {2, {300, 1}, {1, 1}}, {1, {777}, {1}}, MATRIX},
        {"matrix + an array without dimensions", MATRIX, {0}, MATRIX},
        {"matrix + one element in two dimensions", MATRIX, {2, {1, 1}, {1, 1}}, MATRIX},
        {"matrix + number", MATRIX, {.place = AS_VALUE}, MATRIX},
        {"matrix + broadcast view", MATRIX, {2, {300, 777}, {0, 1}}, MATRIX},
        {"planes + row", {3, {7, 30, 100}, {3000, 100, 1}}, {1, {100}, {1}}, {3, {7, 30, 100}, {3000, 100, 1}}},
        {"planes + columns", {3, {7, 30, 100}, {3000, 100, 1}}, {3, {7, 30, 1}, {30, 1, 1}},
         {3, {7, 30, 100}, {3000, 100, 1}}},
        {"planes + middle", {3, {7, 1, 100}, {100, 100, 1}}, {3, {1, 30, 1}, {30, 1, 1}},
         {3, {7, 30, 100}, {3000, 100, 1}}},
        {"narrow matrix + column", {2, {100000, 3}, {3, 1}}, {2, {100000, 1}, {1, 1}}, {2, {100000, 3}, {3, 1}}},
        {"tall matrix + row", {2, {70000, 5}, {5, 1}}, {1, {5}, {1}}, {2, {70000, 5}, {5, 1}}},
        {"wide matrix + column", {2, {3, 100001}, {100001, 1}}, {2, {3, 1}, {1, 1}}, {2, {3, 100001}, {100001, 1}}},
    };
    RUN(layouts);
}

/* The output's shape is larger than what the inputs make together: they repeat over it. */
static void test_broadcast_into_output(void)
{
    static const struct layout layouts[] = {
        {"rows into a matrix", {1, {5}, {1}}, {1, {5}, {1}}, {2, {400, 5}, {5, 1}}},
        {"column into a matrix", {2, {300, 1}, {1, 1}}, {.place = AS_VALUE}, MATRIX},
        {"number + number into a matrix", {.place = AS_VALUE}, {.place = AS_VALUE}, MATRIX},
    };
    RUN(layouts);
}

static void test_strides(void)
{
    static const struct layout layouts[] = {
        {"every second", {1, {1000}, {2}, 1}, {1, {1000}, {1}}, {1, {1000}, {1}}},
        {"into every third", {1, {1000}, {1}}, {1, {1000}, {1}}, {1, {1000}, {3}, 2}},
        {"reversed", {1, {1000}, {-1}, 999}, {1, {1000}, {1}}, {1, {1000}, {1}}},
        {"into reversed", {1, {1000}, {1}}, {1, {1000}, {-2}, 1998}, {1, {1000}, {-1}, 999}},
        {"transposed", {2, {300, 777}, {1, 300}}, MATRIX, MATRIX},
        {"transposed all", {2, {300, 777}, {1, 300}}, {2, {300, 777}, {1, 300}}, {2, {300, 777}, {1, 300}}},
        {"into transposed", MATRIX, MATRIX, {2, {300, 777}, {1, 300}}},
        {"upside down", {2, {300, 777}, {-777, 1}, 777 * 299}, MATRIX, MATRIX},
        {"mirrored", {2, {300, 777}, {777, -1}, 776}, MATRIX, MATRIX},
        {"part of a matrix", {2, {100, 200}, {777, 1}, 777 * 7 + 13}, {2, {100, 200}, {200, 1}},
         {2, {100, 200}, {777, 1}, 5}},
        {"rows of whole vectors", {2, {100, 256}, {512, 1}}, {2, {100, 256}, {256, 1}}, {2, {100, 256}, {1024, 1}}},
        {"axes turned", {3, {11, 13, 17}, {1, 11, 143}}, {3, {11, 13, 17}, {221, 17, 1}},
         {3, {11, 13, 17}, {17, 187, 1}}},
        {"sizes of one", {4, {1, 30, 1, 7}, {1, 7, 1, 1}}, {4, {1, 30, 1, 7}, {99, 7, 3, 1}},
         {4, {1, 30, 1, 7}, {0, 14, 0, 2}}},
        {"ten dimensions", {10, {2, 3, 2, 2, 3, 2, 2, 2, 2, 3}, {1, 2, 6, 12, 24, 72, 144, 288, 576, 1152}},
         {10, {2, 3, 2, 2, 3, 2, 2, 2, 2, 3}, {1728, 576, 288, 144, 48, 24, 12, 6, 3, 1}},
         {10, {2, 3, 2, 2, 3, 2, 2, 2, 2, 3}, {1728, 576, 288, 144, 48, 24, 12, 6, 3, 1}}},
        {"no elements", {2, {0, 5}, {5, 1}}, {1, {5}, {1}}, {2, {0, 5}, {5, 1}}},
        {"one element", {0}, {0}, {0}},
    };
    RUN(layouts);
}

/* Every combination of offsets within 16 bytes, at sizes around a vector's. */
static void test_misaligned(void)
{
    static const int64_t sizes[] = {1, 3, 4, 5, 16, 17, 1000, 4099};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int64_t k = 0; k < 64; k++) {
            struct layout layout = {"misaligned", view_1d(sizes[s]), view_1d(sizes[s]), view_1d(sizes[s])};
            layout.x.offset = k & 3;
            layout.y.offset = k >> 2 & 3;
            layout.out.offset = k >> 4 & 3;
            run_layout(&binaries[0], &layout, (uint64_t)k);
            if (k % 7 == 0)
                run_layout(&binaries[1], &layout, (uint64_t)k);
        }
}

static void test_misaligned_large(void)
{
    for (int b = 0; b < BINARY_COUNT; b++)
        for (int64_t k = 1; k < 4; k++) {
            struct layout layout = {"misaligned, large", view_1d(1000003), view_1d(1000003), view_1d(1000003)};
            layout.x.offset = k == 2 ? 0 : 1;
            layout.out.offset = k == 1 ? 0 : 1;
            layout.y.offset = k == 3 ? 1 : 0;
            run_layout(&binaries[b], &layout, (uint64_t)k);
        }
}

/* The output is an input, or overlaps with it: as though the inputs had been copied first. */
static void test_overlap(void)
{
    static const struct layout layouts[] = {
        {"in place", {1, {100000}, {1}}, {1, {100000}, {1}}, {1, {100000}, {1}, .shares = 1}},
        {"in place on the second", {1, {100000}, {1}}, {1, {100000}, {1}}, {1, {100000}, {1}, .shares = 2}},
        {"with itself in place", {1, {100000}, {1}}, {1, {100000}, {1}, .shares = 1}, {1, {100000}, {1}, .shares = 1}},
        {"shifted up", {1, {100000}, {1}}, {1, {100000}, {1}}, {1, {100000}, {1}, 1, .shares = 1}},
        {"shifted down", {1, {100000}, {1}, 1}, {1, {100000}, {1}}, {1, {100000}, {1}, .shares = 1}},
        {"shifted by half", {1, {100000}, {1}}, {1, {100000}, {1}}, {1, {100000}, {1}, 50000, .shares = 1}},
        {"reversed in place", {1, {100000}, {-1}, 99999}, {1, {100000}, {1}}, {1, {100000}, {1}, .shares = 1}},
        {"transposed in place", {2, {300, 300}, {1, 300}}, {2, {300, 300}, {300, 1}},
         {2, {300, 300}, {300, 1}, .shares = 1}},
        {"row into its matrix", {2, {300, 100}, {0, 1}, 29900}, {2, {300, 100}, {100, 1}, .shares = 1},
         {2, {300, 100}, {100, 1}, .shares = 1}},
        {"even and odd", {1, {1000}, {2}}, {1, {1000}, {2}, 1, .shares = 1}, {1, {1000}, {2}, 1, .shares = 1}},
    };
    RUN(layouts);
}

/* Five operands of one, two, four and eight bytes. */
static void test_mixed_sizes(void)
{
    struct comparison c = {&gpucc_program_suite_elementwise, "mixed", 2, 3,
                           .dtypes = {GPUCC_FLOAT32, GPUCC_INT16, GPUCC_FLOAT64, GPUCC_INT16, GPUCC_UINT8}, .seed = 3};
    for (int64_t k = 0; k < 32; k++) {
        for (int i = 0; i < 5; i++) {
            c.views[i] = view_1d(1003);
            c.views[i].offset = k >> i & 1;
        }
        compare(&c, "misaligned");
    }
    const int64_t shape[] = {50, 70};
    for (int i = 0; i < 5; i++)
        c.views[i] = view_contiguous(2, shape);
    c.views[1] = (struct view){2, {50, 1}, {1, 1}};
    c.views[3] = (struct view){2, {50, 70}, {1, 50}};
    compare(&c, "broadcast and transposed");
}

static void weigh_reference(const void *const *in, void *const *out)
{
    int whole = 0;
    float real = *(const float *)in[60];
    for (int i = 0; i < 50; i++)
        whole += *(const int16_t *)in[i];
    for (int i = 50; i < 60; i++)
        real += *(const float *)in[i];
    *(int16_t *)out[0] = (int16_t)(*(const bool *)in[61] ? -whole : whole);
    *(double *)out[1] = (double)real;
}

/* As many as a function may have. */
static void test_many_operands(void)
{
    enum { INPUTS = 62, OPERANDS = 64 };
    const int64_t shape[] = {60, 130};
    struct comparison c = {&gpucc_program_suite_elementwise, "weigh", INPUTS, 2, .reference = weigh_reference};
    for (int i = 0; i < OPERANDS; i++) {
        c.dtypes[i] = i < 50 ? GPUCC_INT16 : i < 61 ? GPUCC_FLOAT32 : GPUCC_BOOLEAN;
        c.views[i] = view_1d(10007);
    }
    c.dtypes[62] = GPUCC_INT16;
    c.dtypes[63] = GPUCC_FLOAT64;
    compare(&c, "64 operands, adjacent");
    for (int i = 0; i < OPERANDS; i++) {
        c.views[i] = view_contiguous(2, shape);
        if (i < INPUTS && i % 4 == 1)
            c.views[i] = (struct view){2, {60, 1}, {1, 1}};
        if (i < INPUTS && i % 4 == 2)
            c.views[i] = (struct view){.place = AS_VALUE};
    }
    compare(&c, "64 operands in rows");
    for (int i = 0; i < OPERANDS; i += 3)
        c.views[i] = (struct view){2, {60, 130}, {1, 60}};
    compare(&c, "64 operands with strides");
    c.reference = NULL;
    c.dtypes[0] = GPUCC_INT8;
    c.dtypes[60] = GPUCC_FLOAT16;
    compare(&c, "64 operands, some converted");
}

/* ---- more than 2^32 elements ---- */

enum { BEYOND = 1004 };
#define MANY ((INT64_C(1) << 32) + BEYOND)

/* Values are stored and checked here: at the ends, and around 2^31 and 2^32. */
static const int64_t places[] = {0, 1, (INT64_C(1) << 31) - 1, INT64_C(1) << 31, (INT64_C(1) << 32) - 1,
                                 INT64_C(1) << 32, (INT64_C(1) << 32) + 1, MANY - 2, MANY - 1};
enum { PLACES = sizeof places / sizeof *places };

static gpucc_array *view_at(const gpucc_array *array, int64_t place)
{
    gpucc_array *view;
    MUST(gpucc_array_view(array, 1, &(int64_t){1}, NULL, place, &view));
    return view;
}

static void put(gpucc_array *array, int64_t place, uint8_t value)
{
    gpucc_array *view = view_at(array, place);
    MUST(gpucc_array_write(view, &value, 1));
    gpucc_array_release(view);
}

static uint8_t get(const gpucc_array *array, int64_t place)
{
    uint8_t value;
    gpucc_array *view = view_at(array, place);
    MUST(gpucc_array_read(view, &value, 1));
    gpucc_array_release(view);
    return value;
}

/* x + hundred into `out`.  Both lie over MANY bytes; `backwards`: x is the last byte first. */
static void add_to_many(const gpucc_array *x, const gpucc_array *hundred, gpucc_array *out, bool backwards)
{
    gpucc_ufunc *plus;
    const int64_t first = backwards ? MANY - 1 : 0, step = backwards ? -1 : 1;
    MUST(gpucc_context_ufunc(suite.gpu, &gpucc_program_suite_types, GPUCC_ABI_suite_types, "plus", &plus));
    put(out, 0, 0);
    put(out, MANY - 1, 0);
    MUST(gpucc_ufunc_call(plus, (const gpucc_array *[]){x, hundred}, &out, NULL));
    for (int i = 0; i < PLACES; i++) {
        uint8_t value = get(out, first + step * places[i]), expected = (uint8_t)(3 * i + 101);
        CHECK(value == expected, "at %lld: %d, not %d", (long long)places[i], value, expected);
    }
}

static void test_many_elements(void)
{
    const int64_t n = MANY, back = -1, matrix[] = {2, MANY / 2}, column[] = {2, 1};
    const uint8_t hundred[2] = {100, 100};
    gpucc_array *x, *out, *backwards, *x_rows, *out_rows, *one, *two;
    suite_needs_memory(2 * (uint64_t)MANY);
    MUST(gpucc_array_create(suite.gpu, GPUCC_UINT8, 1, &n, &x));
    MUST(gpucc_array_create(suite.gpu, GPUCC_UINT8, 1, &n, &out));
    MUST(gpucc_array_scalar(suite.gpu, GPUCC_UINT8, hundred, &one));
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_UINT8, 2, column, NULL, hundred, &two));
    MUST(gpucc_array_view(x, 1, &n, &back, MANY - 1, &backwards));
    MUST(gpucc_array_view(x, 2, matrix, NULL, 0, &x_rows));
    MUST(gpucc_array_view(out, 2, matrix, NULL, 0, &out_rows));
    for (int i = 0; i < PLACES; i++)
        put(x, places[i], (uint8_t)(3 * i + 1));
    add_to_many(x, one, out, false);         /* contiguous */
    add_to_many(x_rows, two, out_rows, false); /* rows */
    add_to_many(backwards, one, out, true);  /* strided */
    gpucc_array *const arrays[] = {x, out, backwards, x_rows, out_rows, one, two};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
}

/* Shapes that do not fit are refused, and nothing is written. */
static void test_refusals(void)
{
    int64_t three = 3, four = 4;
    gpucc_array *x, *y, *out = NULL;
    gpucc_ufunc *ufunc;
    const float data[4] = {1, 2, 3, 4};
    float result[4] = {0};
    MUST(gpucc_context_ufunc(suite.gpu, &gpucc_program_suite_elementwise, GPUCC_ABI_suite_elementwise, "add", &ufunc));
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_FLOAT32, 1, &three, NULL, data, &x));
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_FLOAT32, 1, &four, NULL, data, &y));
    MUST_FAIL(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){x, y}, &out, NULL), GPUCC_BAD_SHAPE, "3");
    CHECK(!out, "an array was made");
    out = y;
    MUST_FAIL(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){x, x}, &out, NULL), GPUCC_BAD_SHAPE, "4");
    MUST(gpucc_array_read(y, result, sizeof result));
    CHECK(memcmp(result, data, sizeof data) == 0, "the output was written to");
    gpucc_array_release(x);
    gpucc_array_release(y);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {
        TEST(test_broadcast),        TEST(test_broadcast_into_output),
        TEST(test_strides),          TEST(test_misaligned),
        TEST(test_misaligned_large), TEST(test_overlap),
        TEST(test_mixed_sizes),      TEST(test_many_operands),
        TEST(test_many_elements),    TEST(test_refusals),
    };
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
