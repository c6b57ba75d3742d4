/* Element types: NumPy's casting rules and the conversions on the host. */
#include "base/common.h"
#include "nests/convert.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(dtype, has_names_and_sizes)
{
    cr_assert_eq(gpucc_dtype_size(GPUCC_COMPLEX128), 16);
    cr_assert_eq(gpucc_dtype_size(GPUCC_BFLOAT16), 2);
    cr_assert_eq(gpucc_dtype_size(GPUCC_DTYPE_COUNT), 0);
    cr_assert_str_eq(gpucc_dtype_name(GPUCC_FLOAT32), "float32");
    cr_assert_str_eq(gpucc_dtype_name((gpucc_dtype)-1), "?");
    for (int d = 0; d < GPUCC_DTYPE_COUNT; d++)
        cr_assert_eq(gpucc_dtype_from_name(gpucc_dtype_name((gpucc_dtype)d)), d);
    cr_assert_eq(gpucc_dtype_from_name("float"), GPUCC_DTYPE_COUNT);
    cr_assert_eq(gpucc_dtype_from_name(NULL), GPUCC_DTYPE_COUNT);
}

/* Linked programs and compiled loops have these numbers in them: a line here changes only with the SOVERSION. */
Test(dtype, values_are_those_of_linked_programs)
{
    static const char *const names[] = {"boolean", "int8",     "uint8",   "int16",   "uint16",
                                        "int32",   "uint32",   "int64",   "uint64",  "float16",
                                        "bfloat16", "float32", "float64", "complex64", "complex128",
                                        "float8_e4m3fn", "float8_e5m2"};
    const int known = sizeof(names) / sizeof(*names);
    cr_assert_geq(GPUCC_DTYPE_COUNT, known);
    for (int value = 0; value < known; value++)
        cr_expect_str_eq(gpucc_dtype_name((gpucc_dtype)value), names[value]);
}

/* numpy.can_cast(row, column), rows and columns in the order of dtypes.def; bfloat16, which NumPy lacks, as a float
 * of 8 bits of precision and float32's range, and the float8 types as floats that all others but integers hold. */
static const char *const safe[GPUCC_DTYPE_COUNT] = {
    /*          b i u i u i u i u f b f f c c e e */
    [0] = "11111111111111111", /* boolean */
    [1] = "01010101011111100", /* int8 */
    [2] = "00111111111111100", /* uint8 */
    [3] = "00010101000111100", /* int16 */
    [4] = "00001111100111100", /* uint16 */
    [5] = "00000101000010100", /* int32 */
    [6] = "00000011100010100", /* uint32 */
    [7] = "00000001000010100", /* int64 */
    [8] = "00000000100010100", /* uint64 */
    [9] = "00000000010111100", /* float16 */
    [10] = "00000000001111100", /* bfloat16 */
    [11] = "00000000000111100", /* float32 */
    [12] = "00000000000010100", /* float64 */
    [13] = "00000000000001100", /* complex64 */
    [14] = "00000000000000100", /* complex128 */
    [15] = "00000000011111110", /* float8_e4m3fn */
    [16] = "00000000011111101", /* float8_e5m2 */
};

Test(dtype, casts_safely_as_numpy_does)
{
    for (int from = 0; from < GPUCC_DTYPE_COUNT; from++) {
        for (int to = 0; to < GPUCC_DTYPE_COUNT; to++)
            cr_expect_eq(gpucc_can_cast((gpucc_dtype)from, (gpucc_dtype)to, GPUCC_CASTING_SAFE), safe[from][to] == '1',
                         "%s to %s", dtypes[from].name, dtypes[to].name);
    }
}

Test(dtype, casts_within_kinds)
{
    cr_expect(gpucc_can_cast(GPUCC_FLOAT64, GPUCC_FLOAT16, GPUCC_CASTING_SAME_KIND));
    cr_expect(gpucc_can_cast(GPUCC_INT64, GPUCC_INT8, GPUCC_CASTING_SAME_KIND));
    cr_expect(gpucc_can_cast(GPUCC_UINT64, GPUCC_INT8, GPUCC_CASTING_SAME_KIND));
    cr_expect(gpucc_can_cast(GPUCC_FLOAT64, GPUCC_COMPLEX64, GPUCC_CASTING_SAME_KIND));
    cr_expect_not(gpucc_can_cast(GPUCC_INT8, GPUCC_UINT64, GPUCC_CASTING_SAME_KIND));
    cr_expect_not(gpucc_can_cast(GPUCC_FLOAT32, GPUCC_INT64, GPUCC_CASTING_SAME_KIND));
    cr_expect_not(gpucc_can_cast(GPUCC_COMPLEX64, GPUCC_FLOAT64, GPUCC_CASTING_SAME_KIND));
    cr_expect_not(gpucc_can_cast(GPUCC_INT8, GPUCC_BOOLEAN, GPUCC_CASTING_SAME_KIND));
    cr_expect_not(gpucc_can_cast(GPUCC_INT8, GPUCC_DTYPE_COUNT, GPUCC_CASTING_SAME_KIND));
    cr_expect_not(gpucc_can_cast((gpucc_dtype)-1, GPUCC_FLOAT64, GPUCC_CASTING_SAFE));
}

#define CONVERT(to_type, to, from, ...)                                                                                \
    ({                                                                                                                 \
        to_type result_;                                                                                               \
        convert_value(to, &result_, from, &(__VA_ARGS__));                                                             \
        result_;                                                                                                       \
    })

/* float16's values by their definition. */
static double float16_value(unsigned bits)
{
    unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                       : exponent == 0 ? fraction * 0x1p-24
                                       : (1024 + fraction) * exp2((int)exponent - 25);
    return bits >> 15 ? -magnitude : magnitude;
}

Test(convert, float16_to_double_and_back_is_the_identity)
{
    for (unsigned bits = 0; bits < 65536; bits++) {
        uint16_t half = (uint16_t)bits;
        double wide = CONVERT(double, GPUCC_FLOAT64, GPUCC_FLOAT16, half);
        double expected = float16_value(bits);
        cr_assert(isnan(expected) ? isnan(wide) : wide == expected, "%04x is %g, not %g", bits, wide, expected);
        if (!isnan(expected))
            cr_assert_eq(CONVERT(uint16_t, GPUCC_FLOAT16, GPUCC_FLOAT64, wide), half, "%04x", bits);
    }
}

/* Between two neighbours the nearer is taken, and the even one half-way. */
Test(convert, rounds_doubles_to_float16)
{
    for (unsigned bits = 0; bits < 0x7bff; bits++) {
        double low = float16_value(bits), high = float16_value(bits + 1), middle = (low + high) / 2;
        double below = nextafter(middle, 0), above = nextafter(middle, INFINITY);
        cr_assert_eq(CONVERT(uint16_t, GPUCC_FLOAT16, GPUCC_FLOAT64, middle), bits + (bits & 1), "%04x", bits);
        cr_assert_eq(CONVERT(uint16_t, GPUCC_FLOAT16, GPUCC_FLOAT64, below), bits, "%04x", bits);
        cr_assert_eq(CONVERT(uint16_t, GPUCC_FLOAT16, GPUCC_FLOAT64, above), bits + 1, "%04x", bits);
    }
    cr_assert_eq(CONVERT(uint16_t, GPUCC_FLOAT16, GPUCC_FLOAT64, (double){65520}), 0x7c00);
    cr_assert_eq(CONVERT(uint16_t, GPUCC_FLOAT16, GPUCC_FLOAT64, (double){65519.999}), 0x7bff);
    cr_assert_eq(CONVERT(uint16_t, GPUCC_FLOAT16, GPUCC_FLOAT64, (double){-0.0}), 0x8000);
    cr_assert_eq(CONVERT(uint16_t, GPUCC_FLOAT16, GPUCC_FLOAT64, (double){1e-300}), 0);
    cr_assert_eq(CONVERT(uint16_t, GPUCC_FLOAT16, GPUCC_FLOAT32, (float){-INFINITY}), 0xfc00);
}

static double float8_value(unsigned code, bool is_e4m3)
{
    const int places = is_e4m3 ? 3 : 2, bias = is_e4m3 ? 7 : 15;
    const int exponent = (int)(code & 0x7f) >> places, fraction = (int)code & ((1 << places) - 1);
    double magnitude = exponent ? ldexp((1 << places) + fraction, exponent - bias - places)
                                : ldexp(fraction, 1 - bias - places);
    if (is_e4m3 ? (code & 0x7f) == 0x7f : (code & 0x7f) > 0x7b)
        magnitude = !is_e4m3 && (code & 0x7f) == 0x7c ? INFINITY : NAN;
    return code & 0x80 ? -magnitude : magnitude;
}

static void check_float8(gpucc_dtype dtype, bool is_e4m3)
{
    const unsigned most = is_e4m3 ? 0x7e : 0x7b;
    for (unsigned code = 0; code < 256; code++) {
        const uint8_t given = (uint8_t)code;
        const double expected = float8_value(code, is_e4m3);
        const double wide = CONVERT(double, GPUCC_FLOAT64, dtype, given);
        const float single = CONVERT(float, GPUCC_FLOAT32, dtype, given);
        cr_assert(isnan(expected) ? isnan(wide) : wide == expected, "%02x is %g, not %g", code, wide, expected);
        cr_assert(isnan(expected) ? isnan(single) : (double)single == expected, "%02x", code);
        if (isfinite(expected))
            cr_assert_eq(CONVERT(uint8_t, dtype, GPUCC_FLOAT64, wide), code, "%02x", code);
    }
    for (unsigned code = 0; code < most; code++) {
        const double low = float8_value(code, is_e4m3), high = float8_value(code + 1, is_e4m3);
        const double middle = (low + high) / 2, below = nextafter(middle, 0), above = nextafter(middle, INFINITY);
        const float single = (float)middle;
        cr_assert_eq(CONVERT(uint8_t, dtype, GPUCC_FLOAT64, middle), code + (code & 1), "%02x", code);
        cr_assert_eq(CONVERT(uint8_t, dtype, GPUCC_FLOAT32, single), code + (code & 1), "%02x", code);
        cr_assert_eq(CONVERT(uint8_t, dtype, GPUCC_FLOAT64, below), code, "%02x", code);
        cr_assert_eq(CONVERT(uint8_t, dtype, GPUCC_FLOAT64, above), code + 1, "%02x", code);
    }
    cr_assert_eq(CONVERT(uint8_t, dtype, GPUCC_FLOAT64, (double){1e300}), most);
    cr_assert_eq(CONVERT(uint8_t, dtype, GPUCC_FLOAT32, (float){-INFINITY}), most | 0x80);
    cr_assert_eq(CONVERT(uint8_t, dtype, GPUCC_FLOAT32, (float){-NAN}), 0x7f);
    cr_assert_eq(CONVERT(uint8_t, dtype, GPUCC_FLOAT64, (double){-0.0}), 0x80);
    cr_assert_eq(CONVERT(uint8_t, dtype, GPUCC_INT64, (int64_t){INT64_MIN}), most | 0x80);
    cr_assert_eq(CONVERT(uint8_t, dtype, GPUCC_INT8, (int8_t){3}), CONVERT(uint8_t, dtype, GPUCC_FLOAT32, (float){3}));
}

Test(convert, float8_types_are_rounded_once_and_saturate)
{
    check_float8(GPUCC_FLOAT8_E4M3FN, true);
    check_float8(GPUCC_FLOAT8_E5M2, false);
}

/* bfloat16 is float32's upper half. */
Test(convert, rounds_floats_to_bfloat16)
{
    uint32_t state = 1;
    for (int i = 0; i < 200000; i++) {
        state = state * 1664525u + 1013904223u;
        uint32_t bits = state ^ state >> 15, upper = bits >> 16, lower = bits & 0xffff;
        float value;
        memcpy(&value, &bits, sizeof value);
        if (isnan(value))
            continue;
        uint16_t expected = (uint16_t)(upper + (lower > 0x8000 || (lower == 0x8000 && (upper & 1))));
        cr_assert_eq(CONVERT(uint16_t, GPUCC_BFLOAT16, GPUCC_FLOAT32, value), expected, "%08x", bits);
        uint16_t short_bits = (uint16_t)upper;
        float back = CONVERT(float, GPUCC_FLOAT32, GPUCC_BFLOAT16, short_bits);
        uint32_t back_bits;
        memcpy(&back_bits, &back, sizeof back_bits);
        if (!isnan(back))
            cr_assert_eq(back_bits, upper << 16);
    }
}

enum { PIECE = 4096 };

/* Elements of `from` as `to`: straight, and by way of float64, which both fit in. */
static void compare_paths(gpucc_dtype to, gpucc_dtype from, void *elements)
{
    double wide[PIECE];
    uint32_t straight[PIECE], around[PIECE];
    const int64_t size = dtypes[to].size, from_size = dtypes[from].size;
    convert_row(to, (char *)straight, size, from, elements, from_size, PIECE);
    convert_row(GPUCC_FLOAT64, (char *)wide, sizeof *wide, from, elements, from_size, PIECE);
    convert_row(to, (char *)around, size, GPUCC_FLOAT64, (char *)wide, sizeof *wide, PIECE);
    for (int64_t i = 0; i < PIECE; i++)
        if (memcmp((char *)straight + i * size, (char *)around + i * size, (size_t)size) != 0) {
            uint32_t bits = 0;
            memcpy(&bits, (char *)elements + i * from_size, (size_t)from_size);
            cr_assert_fail("%s %#x as %s", dtypes[from].name, bits, dtypes[to].name);
        }
}

Test(convert, converts_short_floats_to_float32_and_back_as_through_float64)
{
    static const gpucc_dtype shorts[] = {GPUCC_FLOAT16, GPUCC_BFLOAT16};
    enum { STEP = 4099 }; /* odd, so that fractions of all kinds come up */
    for (int k = 0; k < 2; k++) {
        for (uint32_t first = 0; first < 1 << 16; first += PIECE) {
            uint16_t halves[PIECE];
            for (uint32_t i = 0; i < PIECE; i++)
                halves[i] = (uint16_t)(first + i);
            compare_paths(GPUCC_FLOAT32, shorts[k], halves);
        }
        for (uint64_t first = 0; first < (uint64_t)1 << 32; first += (uint64_t)PIECE * STEP) {
            uint32_t floats[PIECE];
            for (uint32_t i = 0; i < PIECE; i++) /* and neighbours of those between two halves */
                floats[i] = (uint32_t)(first + (uint64_t)i * STEP) & (i % 2 ? ~0x0fffu : ~0u);
            for (uint32_t i = 2; i < PIECE; i += 3)
                floats[i] = floats[i - 1] + (i % 2 ? 1 : -1);
            compare_paths(shorts[k], GPUCC_FLOAT32, floats);
        }
    }
}

Test(convert, rounds_integers_once)
{
    uint64_t state = 12345;
    for (int i = 0; i < 200000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        int64_t value = (int64_t)(state >> (state >> 58));
        uint64_t unsigned_value = (uint64_t)value;
        cr_assert_eq(CONVERT(float, GPUCC_FLOAT32, GPUCC_INT64, value), (float)value, "%lld", (long long)value);
        cr_assert_eq(CONVERT(float, GPUCC_FLOAT32, GPUCC_UINT64, unsigned_value), (float)unsigned_value);
        cr_assert_eq(CONVERT(double, GPUCC_FLOAT64, GPUCC_INT64, value), (double)value);
        cr_assert_eq(CONVERT(double, GPUCC_FLOAT64, GPUCC_UINT64, unsigned_value), (double)unsigned_value);
    }
    cr_assert_eq(CONVERT(float, GPUCC_FLOAT32, GPUCC_INT64, (int64_t){INT64_MIN}), -0x1p63f);
    /* 2^24 + 1 and a bit far below: rounding twice would go to the even neighbour */
    cr_assert_eq(CONVERT(float, GPUCC_FLOAT32, GPUCC_INT64, (int64_t){0x4000004000000001}), 0x4000008000000000p0f);
}

Test(convert, widens_to_complex_and_integers)
{
    double pair[2];
    float real = 2.5f;
    convert_value(GPUCC_COMPLEX128, pair, GPUCC_FLOAT32, &real);
    cr_assert(pair[0] == 2.5 && pair[1] == 0);
    float single[2] = {1, -2};
    convert_value(GPUCC_COMPLEX128, pair, GPUCC_COMPLEX64, single);
    cr_assert(pair[0] == 1 && pair[1] == -2);
    cr_assert_eq(CONVERT(int64_t, GPUCC_INT64, GPUCC_INT8, (int8_t){-5}), -5);
    cr_assert_eq(CONVERT(int64_t, GPUCC_INT64, GPUCC_UINT32, (uint32_t){4000000000u}), 4000000000);
    cr_assert_eq(CONVERT(int8_t, GPUCC_INT8, GPUCC_INT64, (int64_t){-129}), 127);
    cr_assert_eq(CONVERT(uint8_t, GPUCC_UINT8, GPUCC_BOOLEAN, (uint8_t){1}), 1);
    cr_assert_eq(CONVERT(double, GPUCC_FLOAT64, GPUCC_BOOLEAN, (uint8_t){1}), 1);
}

/* Whole blocks, and what is left of one, with strides. */
Test(convert, converts_layouts)
{
    enum { ROWS = 7, COLUMNS = 611 };
    static short from[COLUMNS][ROWS];
    static double to[ROWS][COLUMNS][2];
    struct nest nest = {.ndim = 2, .operands = 2, .shape = {ROWS, COLUMNS}};
    const int64_t to_strides[] = {COLUMNS * 16, 16}, from_strides[] = {2, ROWS * 2};
    for (int i = 0; i < ROWS * COLUMNS; i++)
        from[i / ROWS][i % ROWS] = (short)(i * 31);
    nest_set(&nest, 0, (char *)to, 16, 2, nest.shape, to_strides);
    nest_set(&nest, 1, (char *)from, 2, 2, nest.shape, from_strides);
    convert_nest(NULL, &nest, GPUCC_COMPLEX128, GPUCC_INT16);
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLUMNS; c++)
            cr_assert(to[r][c][0] == from[c][r] && to[r][c][1] == 0, "[%d][%d]", r, c);
    }
}
