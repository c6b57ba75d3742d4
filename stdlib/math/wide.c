/* Between integers of 128 bits and floating numbers. */
#include "math64.h"

typedef __int128 int128_t;
typedef unsigned __int128 uint128_t;

/* By how many bits x is longer than 64. */
INLINE int excess(uint128_t x)
{
    uint64_t high = (uint64_t)(x >> 64);
    return high ? 64 - __builtin_clzll(high) : 0;
}

/* x / 2^shift, for its excess, whose lowest bit is 1 where anything is lost: rounded to up to 62 bits it gives what x
 * gives. */
INLINE uint64_t leading_bits(uint128_t x, int shift)
{
    bool lost = shift > 0 && (uint64_t)x << (64 - shift) != 0;
    return (uint64_t)(x >> shift) | (lost ? 1 : 0);
}

double gpucc_double_from_u128(uint128_t x)
{
    int shift = excess(x);
    return (double)leading_bits(x, shift) * exp2_int(shift);
}

/* To 42 bits or more, the last of which is 1 where x has more: rounding that to float or less is as good as rounding x
 * (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008). */
double gpucc_odd_double_from_u128(uint128_t x)
{
    int shift = excess(x);
    uint64_t leading = leading_bits(x, shift);
    bool lost = (leading & 0x7ff) != 0;
    uint64_t odd = leading >> 53 ? (leading & ~(uint64_t)0x7ff) | (lost ? 0x800 : 0) : leading;
    return (double)odd * exp2_int(shift);
}

INLINE uint128_t magnitude(int128_t x)
{
    return x < 0 ? -(uint128_t)x : (uint128_t)x;
}

double gpucc_double_from_i128(int128_t x)
{
    double size = gpucc_double_from_u128(magnitude(x));
    return x < 0 ? -size : size;
}

double gpucc_odd_double_from_i128(int128_t x)
{
    double size = gpucc_odd_double_from_u128(magnitude(x));
    return x < 0 ? -size : size;
}

/* The integer part of x, which is not negative and below 2^128. */
INLINE uint128_t whole(double x)
{
    uint64_t bits = bits_of_double(x);
    int exponent = (int)(bits >> 52) - 1023;
    uint64_t significand = (bits & 0xfffffffffffff) | (uint64_t)1 << 52;
    if (exponent < 52)
        return exponent < 0 ? 0 : significand >> (52 - exponent);
    return (uint128_t)significand << (exponent - 52);
}

/* Saturated out of range, 0 for NaN, as other conversions are. */
uint128_t gpucc_u128_from_double(double x)
{
    uint128_t most = ~(uint128_t)0;
    return x >= 0x1p128 ? most : x > 0 ? whole(x) : 0;
}

int128_t gpucc_i128_from_double(double x)
{
    uint128_t most = ~(uint128_t)0 >> 1;
    uint128_t size = x >= 0x1p127 ? most : x <= -0x1p127 ? most + 1 : x == x ? whole(ABS(x)) : 0;
    return (int128_t)(x < 0 ? -size : size);
}
