/* An element of one type as one of another, on the GPU, bit for bit as runtime/nests/convert.c does it on the host: for
 * the loops that convert what they read and write (conversions.c), and for the runtime's kernel that casts
 * (stdlib/runtime/cast.c).  Types are known when a loop runs, so there is one path for all integers and one for both
 * small floating types: a `record` says a dtype and its size (GPUCC_OPERAND_RECORD). */
#ifndef GPUCC_CONVERSIONS_H
#define GPUCC_CONVERSIONS_H

#include "../../include/gpucc/float8.h"
#include "../../runtime/base/numbers.h"
#include "../loops/element.h"
#include <stdbool.h>
#include <stdint.h>

enum dtype {
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits) DTYPE_##name,
#include "../../include/gpucc/dtypes.def"
    DTYPE_COUNT
};
_Static_assert(DTYPE_int8 == 1 && DTYPE_uint64 == 8 && DTYPE_uint8 % 2 == 0, "integers are told apart by their number");
_Static_assert(DTYPE_boolean == 0 && DTYPE_float64 == 12 && DTYPE_complex64 == 13 && DTYPE_complex128 == 14,
               "GPUCC_INPUT_RECORD() knows their numbers");
_Static_assert(DTYPE_float8_e4m3fn == 15 && DTYPE_float8_e5m2 == 16 && DTYPE_COUNT == 17, "is_complex(), is_byte()");

#define CONVERSION static inline __attribute__((always_inline))

CONVERSION enum dtype dtype_of(unsigned record)
{
    return (enum dtype)(record & 255);
}

CONVERSION int bits_of(unsigned record)
{
    return (int)(record >> 8 & 255) * 8;
}

/* ---- what an element is ---- */

/* In the widest type of its kind.  Which fields there are, the dtype says. */
struct number {
    uint64_t whole; /* negative ones as C converts them */
    double real, imaginary;
    float single; /* of a float16, bfloat16 or float8 type, in place of `real` */
};

CONVERSION bool is_whole(enum dtype dtype)
{
    return dtype <= DTYPE_uint64;
}

/* All of which are some int32. */
CONVERSION bool is_small(enum dtype dtype)
{
    return dtype <= DTYPE_int32;
}

CONVERSION bool is_short(enum dtype dtype)
{
    return dtype == DTYPE_float16 || dtype == DTYPE_bfloat16;
}

CONVERSION bool is_complex(enum dtype dtype)
{
    return dtype == DTYPE_complex64 || dtype == DTYPE_complex128;
}

/* A float8 type. */
CONVERSION bool is_byte(enum dtype dtype)
{
    return dtype >= DTYPE_float8_e4m3fn;
}

CONVERSION uint64_t whole_of(unsigned record, uint64_t bits)
{
    const int unused = 64 - bits_of(record);
    if (dtype_of(record) == DTYPE_boolean)
        return bits != 0;
    return dtype_of(record) % 2 ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
}

/* A float16 or bfloat16; a NaN keeps its sign alone. */
CONVERSION float float_of_short(enum dtype dtype, uint32_t bits)
{
    const bool is_half = dtype == DTYPE_float16;
    const uint32_t magnitude = bits & 0x7fff, infinity = is_half ? 0x7c00 : 0x7f80, sign = (bits & 0x8000) << 16;
    const float x = float_of_bits(magnitude << (is_half ? 13 : 16)) * (is_half ? 0x1p112f : 1.0f);
    const uint32_t special = magnitude > infinity ? 0x7fc00000 : 0x7f800000;
    return float_of_bits(sign | (magnitude < infinity ? bits_of_float(x) : special));
}

CONVERSION struct number number_of(unsigned record, struct gpucc_element element)
{
    const enum dtype dtype = dtype_of(record);
    const uint32_t low = (uint32_t)element.low;
    if (is_whole(dtype))
        return (struct number){.whole = whole_of(record, element.low)};
    if (dtype == DTYPE_float64 || dtype == DTYPE_complex128)
        return (struct number){.real = double_of_bits(element.low), .imaginary = double_of_bits(element.high)};
    if (is_short(dtype))
        return (struct number){.single = float_of_short(dtype, low)};
    if (is_byte(dtype))
        return (struct number){.single = dtype == DTYPE_float8_e4m3fn ? gpucc_float_of_e4m3_bits((uint8_t)low)
                                                                    : gpucc_float_of_e5m2_bits((uint8_t)low)};
    return (struct number){.real = double_of_float(float_of_bits(low)),
                           .imaginary = double_of_float(float_of_bits((uint32_t)(element.low >> 32)))};
}

/* ---- as an element of another type ---- */

/* Rounded to float64 where that is the type, else so that rounding once more gives what one rounding would. */
CONVERSION double real_of(enum dtype from, struct number x, bool is_exact)
{
    if (!is_whole(from))
        return is_short(from) || is_byte(from) ? (double)x.single : x.real;
    if (is_small(from))
        return (int32_t)x.whole;
    if (from == DTYPE_uint64)
        return is_exact ? (double)x.whole : odd_double(x.whole);
    return is_exact ? (double)(int64_t)x.whole : odd_signed_double((int64_t)x.whole);
}

CONVERSION uint64_t as_float(enum dtype from, struct number x)
{
    if (!is_whole(from))
        return bits_of_float(is_short(from) || is_byte(from) ? x.single : float_of_double(x.real));
    if (is_small(from))
        return bits_of_float((float)(int32_t)x.whole);
    return bits_of_float(from == DTYPE_uint64 ? (float)x.whole : (float)(int64_t)x.whole);
}

/* All but 0 is true. */
CONVERSION bool as_truth(enum dtype from, struct number x)
{
    return is_whole(from) ? x.whole != 0 : real_of(from, x, true) != 0 || (is_complex(from) && x.imaginary != 0);
}

CONVERSION uint64_t as_whole(enum dtype from, unsigned record, struct number x)
{
    const int bits = bits_of(record);
    if (is_whole(from))
        return x.whole;
    const double real = real_of(from, x, true);
    return dtype_of(record) % 2 ? (uint64_t)signed_of_double(real, bits) : unsigned_of_double(real, bits);
}

/* As narrow() makes it, where the processor rounds. */
CONVERSION uint16_t float16_of_float(float x)
{
    const _Float16 rounded = (_Float16)x;
    uint16_t bits;
    __builtin_memcpy(&bits, &rounded, sizeof bits);
    return x == x ? bits : (uint16_t)((bits_of_float(x) >> 31 << 15) | 0x7e00);
}

/* The same; it has the exponents of float32. */
CONVERSION uint16_t bfloat16_of_float(float x)
{
    const uint32_t bits = bits_of_float(x), rounded = bits + 0x7fff + (bits >> 16 & 1);
    return (uint16_t)(x == x ? rounded >> 16 : (bits >> 31 << 15) | 0x7fc0);
}

/* The bits above the element are any. */
CONVERSION struct gpucc_element element_of(unsigned record, enum dtype from, struct number x)
{
    const enum dtype dtype = dtype_of(record);
    const double imaginary = is_complex(from) ? x.imaginary : 0;
    if (dtype == DTYPE_boolean)
        return (struct gpucc_element){as_truth(from, x), 0};
    if (is_whole(dtype))
        return (struct gpucc_element){as_whole(from, record, x), 0};
    if (is_short(dtype))
        return (struct gpucc_element){
            narrow(real_of(from, x, false), dtype == DTYPE_float16 ? FLOAT16_FRACTION : BFLOAT16_FRACTION), 0};
    if (is_byte(dtype)) {
        const double real = real_of(from, x, false);
        return (struct gpucc_element){
            dtype == DTYPE_float8_e4m3fn ? gpucc_e4m3_bits_of_double(real) : gpucc_e5m2_bits_of_double(real), 0};
    }
    if (dtype == DTYPE_float64 || dtype == DTYPE_complex128)
        return (struct gpucc_element){bits_of_double(real_of(from, x, true)), bits_of_double(imaginary)};
    return (struct gpucc_element){as_float(from, x) | (uint64_t)bits_of_float(float_of_double(imaginary)) << 32, 0};
}

CONVERSION struct gpucc_element converted(unsigned to, unsigned from, struct gpucc_element x)
{
    const float single = float_of_bits((uint32_t)x.low);
    if (dtype_of(from) == DTYPE_float32 && dtype_of(to) == DTYPE_float16)
        return (struct gpucc_element){float16_of_float(single), 0};
    if (dtype_of(from) == DTYPE_float32 && dtype_of(to) == DTYPE_bfloat16)
        return (struct gpucc_element){bfloat16_of_float(single), 0};
    return element_of(to, dtype_of(from), number_of(from, x));
}

#endif
