/* Integers of 128 bits: quotients, and conversions to and from floating numbers. */
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

/* ---- quotients ---- */

typedef struct {
    uint128_t quotient, remainder;
} division_t;

/* Returns the quotient of high * 2^64 + low and y.  high is less than y, and y's highest bit is set.  Two digits of 32
 * bits, each estimated by y's leading digit (Knuth, "The Art of Computer Programming" 2, 4.3.1, algorithm D). */
INLINE uint64_t quotient_of_two(uint64_t high, uint64_t low, uint64_t y)
{
    const uint64_t leading = y >> 32, trailing = y & 0xffffffff;
    uint64_t rest = high, quotient = 0;
    for (int shift = 32; shift >= 0; shift -= 32) {
        uint64_t digit = rest / leading, left = rest % leading, next = low >> shift & 0xffffffff;
        while (digit >> 32 || digit * trailing > (left << 32 | next)) {
            digit--;
            left += leading;
            if (left >> 32)
                break;
        }
        rest = (rest << 32 | next) - digit * y;
        quotient = quotient << 32 | digit;
    }
    return quotient;
}

/* By y of up to 64 bits. */
INLINE division_t divide_by_one(uint128_t x, uint64_t y)
{
    const uint64_t first = (uint64_t)(x >> 64) / y;
    const int shift = __builtin_clzll(y);
    const uint128_t rest = (x - ((uint128_t)(first * y) << 64)) << shift; /* less than y * 2^(64 + shift) */
    const uint64_t second = quotient_of_two((uint64_t)(rest >> 64), (uint64_t)rest, y << shift);
    const uint128_t quotient = (uint128_t)first << 64 | second;
    return (division_t){quotient, x - quotient * y};
}

/* By y of more than 64 bits: y's leading 64 estimate the quotient to one. */
INLINE division_t divide_by_two(uint128_t x, uint128_t y)
{
    const int shift = __builtin_clzll((uint64_t)(y >> 64));
    const uint128_t half = x >> 1;
    uint64_t quotient = quotient_of_two((uint64_t)(half >> 64), (uint64_t)half, (uint64_t)(y << shift >> 64));
    quotient = (uint64_t)((uint128_t)quotient << shift >> 63);
    quotient -= quotient != 0;
    const uint128_t rest = x - quotient * y;
    const bool is_more = rest >= y;
    return (division_t){quotient + is_more, is_more ? rest - y : rest};
}

static __attribute__((noinline, const)) division_t divide_long(uint128_t x, uint128_t y)
{
    return y >> 64 ? divide_by_two(x, y) : divide_by_one(x, (uint64_t)y);
}

/* By zero 0, and so is the remainder. */
INLINE division_t divide(uint128_t x, uint128_t y)
{
    if (!y)
        return (division_t){0, 0};
    if (!((x | y) >> 64))
        return (division_t){(uint64_t)x / (uint64_t)y, (uint64_t)x % (uint64_t)y};
    return divide_long(x, y);
}

uint128_t gpucc_udiv_u128(uint128_t x, uint128_t y)
{
    return divide(x, y).quotient;
}

uint128_t gpucc_urem_u128(uint128_t x, uint128_t y)
{
    return divide(x, y).remainder;
}

/* The least number by -1 wraps. */
int128_t gpucc_sdiv_i128(int128_t x, int128_t y)
{
    const uint128_t quotient = divide(magnitude(x), magnitude(y)).quotient;
    return (int128_t)((x < 0) != (y < 0) ? -quotient : quotient);
}

int128_t gpucc_srem_i128(int128_t x, int128_t y)
{
    const uint128_t remainder = divide(magnitude(x), magnitude(y)).remainder;
    return (int128_t)(x < 0 ? -remainder : remainder);
}
