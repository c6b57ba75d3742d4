/* The arithmetic of linear filters. */
#include "base/common.h"
#include "base/numbers.h"
#include "executor/texture_filter.h"

#include <string.h>

/* ---- weights ---- */

/* The weight of the one that has `share`, halves up; the other has the rest, so that none of the whole is lost. */
static int part_of(int whole, int share)
{
    return (whole * share + WEIGHT_ONE / 2) >> WEIGHT_BITS;
}

/* First by z, then by x, and last by y, where the upper left and the lower right are rounded. */
void texture_weights(int dims, const int share[3], int weights[MAX_CORNERS])
{
    const int x = share[0], y = dims > 1 ? share[1] : 0, z = dims > 2 ? share[2] : 0;
    for (int k = 0; k < 2; k++) {
        int *slice = weights + 4 * k;
        const int whole = k ? z : WEIGHT_ONE - z, right = part_of(whole, x), left = whole - right;
        slice[3] = part_of(right, y);
        slice[1] = right - slice[3];
        slice[0] = part_of(left, WEIGHT_ONE - y);
        slice[2] = left - slice[0];
    }
}

/* ---- floating numbers ---- */

/* The value of the bits: significand × 2^(exponent - fraction_bits). */
struct number {
    int64_t significand; /* its magnitude: 0 of zero, and of float32's subnormal numbers, which are not seen */
    int exponent;
    bool negative, is_infinite, is_nan;
};

/* Bits that a sum has below the last one of its largest number; numbers of both z have LAST_BITS more to meet. */
enum { SUM_BITS = 4, LAST_BITS = 3 };

static int fraction_bits(gpucc_dtype dtype)
{
    return dtype == GPUCC_FLOAT16 ? FLOAT16_FRACTION : 23;
}

static struct number number_at(gpucc_dtype dtype, const char *at)
{
    uint32_t bits = 0;
    memcpy(&bits, at, dtypes[dtype].size);
    const int behind = fraction_bits(dtype), width = 8 * (int)dtypes[dtype].size;
    const int top = (1 << (width - 1 - behind)) - 1, field = (int)(bits >> behind) & top;
    const uint32_t fraction = bits & ((1u << behind) - 1);
    struct number number = {.significand = fraction, .exponent = 1 - top / 2, .negative = bits >> (width - 1) & 1};
    if (field == top) {
        number.is_nan = fraction != 0;
        number.is_infinite = !fraction;
    } else if (field) {
        number.significand |= (int64_t)1 << behind;
        number.exponent = field - top / 2;
    } else if (dtype == GPUCC_FLOAT32) {
        number.significand = 0;
    }
    return number;
}

/* units × 2^(exponent - fraction_bits - SUM_BITS). */
struct sum {
    int64_t units;
    int exponent;
};

static int64_t shifted_right(int64_t x, int by)
{
    return x >> (by < 63 ? by : 63);
}

/* For the corners of one z: each texel is truncated towards zero below the last bit of the largest. */
static struct sum sum_slice(const struct number *numbers, const struct corner *corners, int count)
{
    struct sum sum = {0, INT32_MIN};
    for (int k = 0; k < count; k++)
        if (corners[k].weight && numbers[k].significand && numbers[k].exponent > sum.exponent)
            sum.exponent = numbers[k].exponent;
    for (int k = 0; k < count; k++) {
        if (!corners[k].weight || !numbers[k].significand)
            continue;
        const int64_t kept = shifted_right(numbers[k].significand << SUM_BITS, sum.exponent - numbers[k].exponent);
        sum.units += (numbers[k].negative ? -kept : kept) * corners[k].weight;
    }
    return sum;
}

/* Downwards, here. */
static struct sum add_slices(struct sum near, struct sum far)
{
    if (near.exponent == INT32_MIN || far.exponent == INT32_MIN)
        return near.exponent == INT32_MIN ? far : near;
    const int exponent = near.exponent > far.exponent ? near.exponent : far.exponent;
    const int64_t one = (int64_t)1 << LAST_BITS;
    const int64_t first = shifted_right(near.units * one, exponent - near.exponent);
    const int64_t second = shifted_right(far.units * one, exponent - far.exponent);
    return (struct sum){first + second, exponent - LAST_BITS};
}

static double power_of_two(int exponent)
{
    return double_of_bits((uint64_t)(exponent + 1023) << 52);
}

/* Rounded to the texels' own type, halves away from zero; what float32 cannot hold as a normal number is 0. */
static double rounded(struct sum sum, gpucc_dtype dtype)
{
    const int behind = fraction_bits(dtype), lowest = dtype == GPUCC_FLOAT16 ? -14 : -126;
    const int unit = sum.exponent - behind - SUM_BITS - WEIGHT_BITS; /* units are multiples of 2^unit */
    uint64_t magnitude = (uint64_t)(sum.units < 0 ? -sum.units : sum.units);
    const int exponent = 63 - __builtin_clzll(magnitude) + unit;
    const int drop = (exponent > lowest ? exponent : lowest) - behind - unit;
    if (drop > 0)
        magnitude = drop > 62 ? 0 : (magnitude + ((uint64_t)1 << (drop - 1))) >> drop;
    const double value = (double)magnitude * power_of_two(unit + (drop > 0 ? drop : 0));
    const bool vanishes = dtype == GPUCC_FLOAT32 && value < 0x1p-126;
    return (sum.units < 0 ? -1 : 1) * (vanishes ? 0 : value);
}

uint32_t texel_bits(double x)
{
    const float number = float_of_double(x);
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* A NaN, or an infinity, where a texel is one: else 0. */
static uint32_t special_bits(gpucc_dtype dtype, const struct number *numbers, const struct corner *corners, int count)
{
    const uint32_t nan = dtype == GPUCC_FLOAT16 ? 0x7fffe000 : 0x7fffffff;
    uint32_t bits = 0;
    for (int k = 0; k < count; k++) {
        if (!corners[k].touched || !(numbers[k].is_nan || numbers[k].is_infinite))
            continue;
        const uint32_t infinity = numbers[k].negative ? 0xff800000 : 0x7f800000;
        bits = numbers[k].is_nan || (bits && bits != infinity) ? nan : infinity;
        if (bits == nan)
            return nan;
    }
    return bits;
}

uint32_t filter_numbers(gpucc_dtype dtype, const struct corner *corners, int count, int channel)
{
    struct number numbers[MAX_CORNERS];
    bool negative = true; /* all of which something is taken */
    for (int k = 0; k < count; k++) {
        numbers[k] = number_at(dtype, corners[k].texel + (size_t)channel * dtypes[dtype].size);
        negative &= !corners[k].weight || numbers[k].negative;
    }
    const uint32_t special = special_bits(dtype, numbers, corners, count);
    if (special)
        return special;
    const int near = count < 4 ? count : 4;
    const struct sum sum = add_slices(sum_slice(numbers, corners, near),
                                      sum_slice(numbers + near, corners + near, count - near));
    return texel_bits(sum.units ? rounded(sum, dtype) : negative ? -0.0 : 0.0);
}

/* ---- fractions ---- */

/* The integers are weighed exactly, and become 16 bits wide; 65535, or 32767, is 1. */
uint32_t filter_fractions(gpucc_dtype dtype, const struct corner *corners, int count, int channel)
{
    int64_t sum = 0; /* in 1/256 */
    for (int k = 0; k < count; k++) {
        const char *at = corners[k].texel + (size_t)channel * dtypes[dtype].size;
        uint16_t bits = 0;
        memcpy(&bits, at, dtypes[dtype].size);
        const int element = dtype == GPUCC_INT8 ? (int8_t)bits : dtype == GPUCC_INT16 ? (int16_t)bits : bits;
        sum += (int64_t)element * corners[k].weight;
    }
    /* 65535 / 255 = 257; 32767 / 127 = 258.008 is nearly 258 + 1/128, of which three bits count. */
    const int64_t wide = dtype == GPUCC_UINT8  ? 257 * sum
                         : dtype == GPUCC_INT8 ? 258 * sum + ((sum >> 12) * 32)
                                               : sum;
    const int64_t one = dtypes[dtype].kind == 'i' ? INT16_MAX : UINT16_MAX;
    const int64_t result = (wide + WEIGHT_ONE / 2) >> WEIGHT_BITS;
    return texel_bits((double)(result < -one ? -one : result) / (double)one);
}
