/* Every element type, every size, several outputs, numbers by value, conversions. */
#include "compare.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <suite_elementwise.h>
#include <suite_types.h>

static const int64_t sizes[] = {0, 1, 31, 1000, 1000003};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };

/* ---- references ---- */

#define REFERENCE(name) static void name(const void *const *in, void *const *out)
#define IN(type, k) (*(const type *)in[k])
#define OUT(type, k) (*(type *)out[k])

#define PLUS(dtype, type, wide)                                                                                        \
    REFERENCE(plus_##dtype) { OUT(type, 0) = (type)((wide)IN(type, 0) + (wide)IN(type, 1)); }
PLUS(boolean, _Bool, int)
PLUS(int8, int8_t, int)
PLUS(uint8, uint8_t, int)
PLUS(int16, int16_t, int)
PLUS(uint16, uint16_t, int)
PLUS(int32, int32_t, int64_t)
PLUS(uint32, uint32_t, uint32_t)
PLUS(int64, int64_t, int64_t)
PLUS(uint64, uint64_t, uint64_t)
PLUS(float16, _Float16, float)
PLUS(float32, float, double)
PLUS(float64, double, double)
PLUS(complex64, float complex, float complex)
PLUS(complex128, double complex, double complex)

static float bfloat16_value(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* A sum of two, exact in double, rounded to nearest even once. */
static uint16_t bfloat16_of(double value)
{
    float near = (float)value;
    uint32_t bits;
    memcpy(&bits, &near, sizeof bits);
    if (near != near)
        return 0x7fc0;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

REFERENCE(plus_bfloat16)
{
    OUT(uint16_t, 0) = bfloat16_of((double)bfloat16_value(IN(uint16_t, 0)) + (double)bfloat16_value(IN(uint16_t, 1)));
}

/* Types with arithmetic are in front of those without. */
enum { COMPUTED = GPUCC_FLOAT8_E4M3FN };
#define plus_float8_e4m3fn NULL
#define plus_float8_e5m2 NULL
static reference_function *const plus_references[] = {
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits) plus_##name,
#include <gpucc/dtypes.def>
};

REFERENCE(trig_reference)
{
    double c = cos((double)IN(float, 0)), s = sin((double)IN(float, 0));
    OUT(float, 0) = (float)(c * c + s * s);
}

REFERENCE(split_reference)
{
    OUT(float, 0) = truncf(IN(float, 0));
    OUT(float, 1) = IN(float, 0) - OUT(float, 0);
}

REFERENCE(mixed_reference)
{
    OUT(double, 0) = (double)IN(float, 0) * IN(int16_t, 1);
    OUT(int16_t, 1) = (int16_t)(IN(int16_t, 1) + 3);
    OUT(uint8_t, 2) = (uint8_t)IN(int16_t, 1);
}

REFERENCE(quotient_f32) { OUT(float, 0) = IN(float, 0) / IN(float, 1); }
REFERENCE(quotient_f64) { OUT(double, 0) = IN(double, 0) / IN(double, 1); }
REFERENCE(contracted_f32) { OUT(float, 0) = fmaf(IN(float, 0), IN(float, 1), IN(float, 2)); }
REFERENCE(contracted_f64) { OUT(double, 0) = fma(IN(double, 0), IN(double, 1), IN(double, 2)); }
REFERENCE(less_f32) { OUT(_Bool, 0) = IN(float, 0) < IN(float, 1); }
REFERENCE(less_f64) { OUT(_Bool, 0) = IN(double, 0) < IN(double, 1); }
REFERENCE(narrow_reference) { OUT(float, 0) = (float)IN(double, 0); }
REFERENCE(to_float16_reference) { OUT(_Float16, 0) = (_Float16)IN(double, 0); }
REFERENCE(from_int64_reference) { OUT(float, 0) = (float)IN(int64_t, 0); }

/* Out of range is the nearest that there is, and no number is 0. */
REFERENCE(to_int32_reference)
{
    double x = (double)IN(float, 0);
    OUT(int32_t, 0) = x != x ? 0 : x >= 0x1p31 ? INT32_MAX : x <= -0x1p31 ? INT32_MIN : (int32_t)x;
}

REFERENCE(to_uint8_reference)
{
    float x = IN(float, 0);
    OUT(uint8_t, 0) = x != x || x <= 0 ? 0 : x >= 255 ? 255 : (uint8_t)x;
}

REFERENCE(to_int64_reference)
{
    double x = IN(double, 0);
    OUT(int64_t, 0) = x != x ? 0 : x >= 0x1p63 ? INT64_MAX : x <= -0x1p63 ? INT64_MIN : (int64_t)x;
}

REFERENCE(to_uint64_reference)
{
    double x = IN(double, 0);
    OUT(uint64_t, 0) = x != x || x <= 0 ? 0 : x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
}

/* As many single steps as said. */
REFERENCE(shift_left_reference) { OUT(uint32_t, 0) = IN(uint32_t, 1) > 31 ? 0 : IN(uint32_t, 0) << IN(uint32_t, 1); }
REFERENCE(shift_right_reference) { OUT(int32_t, 0) = IN(int32_t, 0) >> (IN(uint32_t, 1) > 31 ? 31 : IN(uint32_t, 1)); }

/* By zero it is zero. */
REFERENCE(divide_reference)
{
    int64_t x = IN(int32_t, 0), y = IN(int32_t, 1);
    OUT(int32_t, 0) = y ? (int32_t)(x / y) : 0;
    OUT(int32_t, 1) = y ? (int32_t)(x % y) : 0;
}

REFERENCE(total_reference)
{
    OUT(double, 0) = IN(int8_t, 0) + IN(uint8_t, 1) + IN(int16_t, 2) + IN(uint16_t, 3) + (double)IN(int32_t, 4) +
                     IN(uint32_t, 5) + (double)IN(float, 6) + IN(double, 7);
}

/* ---- calls ---- */

static void run_sizes(struct comparison c, bool make_outputs)
{
    char label[128];
    c.make_outputs = make_outputs;
    for (int s = 0; s < SIZE_COUNT; s++) {
        for (int i = 0; i < c.inputs + c.outputs; i++)
            c.views[i] = view_1d(sizes[s]);
        c.seed = (uint64_t)s + 1;
        snprintf(label, sizeof label, "%lld elements", (long long)sizes[s]);
        compare(&c, label);
    }
}

static void test_plus(void)
{
    for (int t = 0; t < COMPUTED; t++) {
        gpucc_dtype dtype = (gpucc_dtype)t;
        struct comparison c = {&gpucc_program_suite_types, "plus", 2, 1, .dtypes = {dtype, dtype, dtype},
                               .reference = plus_references[t]};
        run_sizes(c, false);
        run_sizes(c, true);
    }
}

static void test_two_outputs(void)
{
    for (int t = 0; t < COMPUTED; t++) {
        gpucc_dtype dtype = (gpucc_dtype)t;
        struct comparison c = {&gpucc_program_suite_types, "swap", 2, 2, .dtypes = {dtype, dtype, dtype, dtype}};
        run_sizes(c, false);
    }
}

static void test_boolean_output(void)
{
    for (int t = 0; t < COMPUTED; t++) {
        gpucc_dtype dtype = (gpucc_dtype)t;
        struct comparison c = {&gpucc_program_suite_types, "same", 2, 1, .dtypes = {dtype, dtype, GPUCC_BOOLEAN}};
        run_sizes(c, true);
    }
}

/* Each operand in turn is a number by value, and then both. */
static void test_values(void)
{
    const int64_t n = 1001;
    for (int t = 0; t < COMPUTED; t++)
        for (int which = 1; which < 4; which++) {
            gpucc_dtype dtype = (gpucc_dtype)t;
            struct comparison c = {&gpucc_program_suite_types, "plus", 2, 1, .dtypes = {dtype, dtype, dtype},
                                   .reference = plus_references[t], .seed = (uint64_t)t};
            for (int i = 0; i < 2; i++)
                c.views[i] = which >> i & 1 ? (struct view){.place = AS_VALUE} : view_1d(n);
            c.views[2] = which == 3 ? (struct view){0} : view_1d(n);
            compare(&c, "by value");
        }
}

#define F32 GPUCC_FLOAT32
#define F64 GPUCC_FLOAT64

static void test_elementwise(void)
{
    static const struct comparison cases[] = {
        {NULL, "add", 2, 1, {F32, F32, F32}, .reference = plus_float32},
        {NULL, "trig", 1, 1, {F32, F32}, .reference = trig_reference, .tolerance = 4},
        {NULL, "selu", 1, 1, {F32, F32}, .reference = NULL},
        {NULL, "discriminant", 3, 1, {F32, F32, F32, F32}, .reference = NULL},
        {NULL, "split", 1, 2, {F32, F32, F32}, .reference = split_reference},
        {NULL, "mixed", 2, 3, {F32, GPUCC_INT16, F64, GPUCC_INT16, GPUCC_UINT8}, .reference = mixed_reference},
        {NULL, "quotient", 2, 1, {F32, F32, F32}, .reference = quotient_f32},
        {NULL, "quotient", 2, 1, {F64, F64, F64}, .reference = quotient_f64},
        {NULL, "contracted", 3, 1, {F32, F32, F32, F32}, .reference = contracted_f32},
        {NULL, "contracted", 3, 1, {F64, F64, F64, F64}, .reference = contracted_f64},
        {NULL, "less", 2, 1, {F32, F32, GPUCC_BOOLEAN}, .reference = less_f32},
        {NULL, "less", 2, 1, {F64, F64, GPUCC_BOOLEAN}, .reference = less_f64},
        {NULL, "to_int32", 1, 1, {F32, GPUCC_INT32}, .reference = to_int32_reference},
        {NULL, "to_uint8", 1, 1, {F32, GPUCC_UINT8}, .reference = to_uint8_reference},
        {NULL, "to_int64", 1, 1, {F64, GPUCC_INT64}, .reference = to_int64_reference},
        {NULL, "to_uint64", 1, 1, {F64, GPUCC_UINT64}, .reference = to_uint64_reference},
        {NULL, "from_int64", 1, 1, {GPUCC_INT64, F32}, .reference = from_int64_reference},
        {NULL, "narrow", 1, 1, {F64, F32}, .reference = narrow_reference},
        {NULL, "shift_left", 2, 1, {GPUCC_UINT32, GPUCC_UINT32, GPUCC_UINT32}, .reference = shift_left_reference},
        {NULL, "shift_right", 2, 1, {GPUCC_INT32, GPUCC_UINT32, GPUCC_INT32}, .reference = shift_right_reference},
        {NULL, "divide", 2, 2, {GPUCC_INT32, GPUCC_INT32, GPUCC_INT32, GPUCC_INT32}, .reference = divide_reference},
        {NULL, "total", 8, 1,
         {GPUCC_INT8, GPUCC_UINT8, GPUCC_INT16, GPUCC_UINT16, GPUCC_INT32, GPUCC_UINT32, F32, F64, F64},
         .reference = total_reference},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct comparison c = cases[i];
        c.image = &gpucc_program_suite_elementwise;
        run_sizes(c, false);
    }
}

/* Two-byte floats, whose arithmetic and conversions every target does in steps of its own. */
static void test_halves(void)
{
    static const gpucc_dtype halves[] = {GPUCC_FLOAT16, GPUCC_BFLOAT16};
    for (int h = 0; h < 2; h++) {
        gpucc_dtype half = halves[h];
        struct comparison blend = {&gpucc_program_suite_types, "blend", 3, 1, .dtypes = {half, half, half, half}};
        run_sizes(blend, false);
    }
}

static void test_narrowing(void)
{
    static const struct comparison cases[] = {
        {&gpucc_program_suite_types, "to_float16", 1, 1, {F64, GPUCC_FLOAT16}, .reference = to_float16_reference},
        {&gpucc_program_suite_types, "to_bfloat16", 1, 1, {F64, GPUCC_BFLOAT16}},
        {&gpucc_program_suite_types, "int64_to_float16", 1, 1, {GPUCC_INT64, GPUCC_FLOAT16}},
        {&gpucc_program_suite_types, "int64_to_bfloat16", 1, 1, {GPUCC_INT64, GPUCC_BFLOAT16}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_sizes(cases[i], false);
}

/* int16 + float32 takes the float32 loop: the first one to which both cast safely.  Arrays of the host and numbers
 * are cast on their way to the GPU. */
static void test_casting(void)
{
    struct comparison c = {&gpucc_program_suite_types, "plus", 2, 1, .dtypes = {GPUCC_INT16, F32, F32}, .seed = 5,
                           .make_outputs = true};
    for (int i = 0; i < 3; i++)
        c.views[i] = view_1d(1000);
    c.views[0].place = ON_HOST;
    compare(&c, "int16 of the host + float32");
    c.views[0] = (struct view){.place = AS_VALUE};
    compare(&c, "int16 by value + float32");
    c.dtypes[0] = GPUCC_FLOAT32;
    c.dtypes[1] = GPUCC_COMPLEX128;
    c.dtypes[2] = GPUCC_COMPLEX128;
    compare(&c, "float32 by value + complex128");
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {
        TEST(test_plus),        TEST(test_two_outputs), TEST(test_boolean_output), TEST(test_values),
        TEST(test_elementwise), TEST(test_halves),      TEST(test_narrowing),      TEST(test_casting),
    };
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
