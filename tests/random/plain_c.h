/* For the references of random programs, which gcc compiles: what docs/reference/numbers.md defines beyond C.
 *
 *   shift_left_T shift_right_T divide_T modulo_T   for T of i32 u32 i64 u64 i128 u128
 *   convert_f64_T                                  a number that is exact in double, to the nearest value of T
 *   add_T subtract_T multiply_T                    for T of f32 f64 c64 c128: even at -O0 gcc makes -(x * y) of
 *   divide_T                                       (-x) * y, and (float)-i of 0 - (float)i, which is another zero
 *   bfloat16_of_double bfloat16_of_integer         not every gcc has __bf16: a bfloat16 is a float that holds one
 */
#ifndef GPUCC_TESTS_RANDOM_PLAIN_C_H
#define GPUCC_TESTS_RANDOM_PLAIN_C_H

#include <complex.h>
#include <gpucc.h>
#include <gpucc/arithmetic.h>
#include <math.h>
#include <string.h>

#define UNUSED __attribute__((unused))
#define bfloat16 float
typedef unsigned __int128 uint128;
typedef __int128 int128;

#define DEFINE_INTEGER(code, type, other, bits, lowest)                                                                \
    static UNUSED type shift_left_##code(type x, uint128 n)                                                            \
    {                                                                                                                  \
        return n < bits ? (type)((other)x << n) : 0;                                                                   \
    }                                                                                                                  \
    static UNUSED type shift_right_##code(type x, uint128 n)                                                           \
    {                                                                                                                  \
        return n < bits ? x >> n : x < 0 ? (type)-1 : 0;                                                               \
    }                                                                                                                  \
    static UNUSED type divide_##code(type x, type y)                                                                   \
    {                                                                                                                  \
        return y == 0 ? 0 : lowest != 0 && y == (type)-1 ? (type)(0 - (other)x) : x / y;                               \
    }                                                                                                                  \
    static UNUSED type modulo_##code(type x, type y)                                                                   \
    {                                                                                                                  \
        return y == 0 || (lowest != 0 && y == (type)-1) ? 0 : x % y;                                                   \
    }
DEFINE_INTEGER(i32, int32, uint32, 32, INT32_MIN)
DEFINE_INTEGER(u32, uint32, uint32, 32, 0)
DEFINE_INTEGER(i64, int64, uint64, 64, INT64_MIN)
DEFINE_INTEGER(u64, uint64, uint64, 64, 0)
DEFINE_INTEGER(i128, int128, uint128, 128, 1)
DEFINE_INTEGER(u128, uint128, uint128, 128, 0)

#define DEFINE_ARITHMETIC(code, type)                                                                                  \
    static UNUSED type add_##code(type x, type y)                                                                      \
    {                                                                                                                  \
        return x + y;                                                                                                  \
    }                                                                                                                  \
    static UNUSED type subtract_##code(type x, type y)                                                                 \
    {                                                                                                                  \
        return x - y;                                                                                                  \
    }                                                                                                                  \
    static UNUSED type multiply_##code(type x, type y)                                                                 \
    {                                                                                                                  \
        return x * y;                                                                                                  \
    }                                                                                                                  \
    static UNUSED type divide_##code(type x, type y)                                                                   \
    {                                                                                                                  \
        return x / y;                                                                                                  \
    }
DEFINE_ARITHMETIC(f32, float)
DEFINE_ARITHMETIC(f64, double)
DEFINE_ARITHMETIC(c64, complex64)
DEFINE_ARITHMETIC(c128, complex128)

/* `low` is the type's lowest value, `end` is 2^n, the first value that is too large. */
#define DEFINE_CONVERSION(code, type, low, end)                                                                        \
    static UNUSED type convert_f64_##code(double x)                                                                    \
    {                                                                                                                  \
        const type highest = (type)((uint128)(end) - 1), lowest = (type)(low);                                         \
        return x != x ? 0 : x >= (double)(end) ? highest : x <= (double)(low) ? lowest : (type)x;                      \
    }
DEFINE_CONVERSION(i8, int8, -128, 128)
DEFINE_CONVERSION(i16, int16, -32768, 32768)
DEFINE_CONVERSION(i32, int32, -2147483648.0, 2147483648ul)
DEFINE_CONVERSION(i64, int64, -0x1p63, (uint128)1 << 63)
DEFINE_CONVERSION(u8, uint8, 0, 256)
DEFINE_CONVERSION(u16, uint16, 0, 65536)
DEFINE_CONVERSION(u32, uint32, 0, 4294967296ul)
DEFINE_CONVERSION(u64, uint64, 0, (uint128)1 << 64)

static UNUSED int128 convert_f64_i128(double x)
{
    const int128 highest = (int128)(((uint128)1 << 127) - 1);
    return x != x ? 0 : x >= 0x1p127 ? highest : x <= -0x1p127 ? -highest - 1 : (int128)x;
}

static UNUSED uint128 convert_f64_u128(double x)
{
    return x != x || x <= 0 ? 0 : x >= 0x1p128 ? ~(uint128)0 : (uint128)x;
}

static UNUSED uint32 bits_of_float(float x)
{
    uint32 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static UNUSED float float_of_bits(uint32 bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* double to the float at or beside it whose last bit is 1 where it is not exact: rounding that again is as good as
 * rounding once. */
static UNUSED float odd_float_of_double(double x)
{
    const float nearest = (float)x;
    uint32 bits = bits_of_float(nearest);
    if (x != x || (double)nearest == x)
        return nearest;
    return float_of_bits((fabs((double)nearest) > fabs(x) ? bits - 1 : bits) | 1);
}

static UNUSED bfloat16 bfloat16_of_double(double x)
{
    const float odd = odd_float_of_double(x);
    const uint32 bits = bits_of_float(odd);
    return x != x ? NAN : float_of_bits((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u);
}

/* |x| cut to 32 bits of which the last tells whether more were set is exact in double. */
static UNUSED bfloat16 bfloat16_of_integer(int is_negative, uint128 magnitude)
{
    int shift = 0;
    uint128 lost = 0;
    for (; magnitude >> 32; shift++) {
        lost |= magnitude & 1;
        magnitude >>= 1;
    }
    const double x = ldexp((double)(uint32)(magnitude | (lost != 0)), shift);
    return bfloat16_of_double(is_negative ? -x : x);
}

/* Loads and stores of a reference's loops.  A NaN has one pattern. */
static UNUSED bfloat16 load_bfloat16(const void *at)
{
    uint16 bits;
    memcpy(&bits, at, sizeof bits);
    return float_of_bits((uint32)bits << 16);
}

static UNUSED void store_bfloat16(void *at, bfloat16 x)
{
    const uint16 bits = x != x ? 0x7fc0 : bits_of_float(x) >> 16;
    memcpy(at, &bits, sizeof bits);
}

#endif
