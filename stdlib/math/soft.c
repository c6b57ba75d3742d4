/* Software versions, with the same bits, of instructions that processors of x86-64-v2 lack: fused multiply-adds, and
 * conversions between float16 and float. */
#include "math64.h"

/* The product is exact in double; the sum is rounded to odd, which the rounding to float cannot tell from the exact
 * one (Boldo and Melquiond, as in narrowing.c). */
float gpucc_soft_fmaf(float x, float y, float z)
{
    double product = (double)x * y;
    double_pair sum = two_sum(product, z);
    bool inexact = (sum.lo > 0) | (sum.lo < 0); /* infinities leave NaN there */
    uint64_t bits = bits_of_double(sum.hi), step = inexact & ~bits & 1;
    return (float)double_of_bits((sum.lo > 0) == (sum.hi > 0) ? bits + step : bits - step);
}

typedef unsigned __int128 wide;

/* significand * 2^exponent */
struct parts {
    wide significand;
    int exponent;
};

INLINE int leading_zeros(wide x)
{
    uint64_t high = (uint64_t)(x >> 64);
    return high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)x | 1);
}

/* A magnitude that is neither 0 nor infinite: its 53 bits, the highest of them set. */
INLINE struct parts split_double(double x)
{
    uint64_t bits = bits_of_double(x) & ~SIGN_BIT, fraction = bits & 0xfffffffffffff;
    int exponent = (int)(bits >> 52);
    if (exponent)
        return (struct parts){fraction | 1ull << 52, exponent - 1075};
    int shift = __builtin_clzll(fraction) - 11;
    return (struct parts){fraction << shift, -1074 - shift};
}

/* With the larger exponent; what is lost leaves its lowest bit set. */
INLINE wide shifted(struct parts x, int exponent)
{
    int by = exponent - x.exponent;
    if (by > 127)
        return 1;
    wide rest = x.significand & (((wide)1 << by) - 1);
    return x.significand >> by | (rest != 0);
}

/* To nearest, ties to even: the bits of a magnitude that is not 0 and below 2^127 units. */
INLINE uint64_t put_together(struct parts x)
{
    int top = 127 - leading_zeros(x.significand) + x.exponent, lowest = top - 52 < -1074 ? -1074 : top - 52;
    int by = lowest - x.exponent;
    uint64_t kept;
    if (by <= 0) {
        kept = (uint64_t)x.significand << -by;
    } else if (by > 127) {
        kept = 0;
    } else {
        wide rest = x.significand & (((wide)1 << by) - 1), half = (wide)1 << (by - 1);
        kept = (uint64_t)(x.significand >> by);
        kept += rest > half || (rest == half && kept & 1);
    }
    /* The highest of 53 bits counts as one in the exponent. */
    return top > 1023 ? bits_of_double(INFINITY_D) : ((uint64_t)(lowest + 1074) << 52) + kept;
}

__attribute__((noinline)) double gpucc_soft_fma(double x, double y, double z)
{
    double product = x * y;
    if (!(ABS(x) < INFINITY_D) || !(ABS(y) < INFINITY_D) || x == 0 || y == 0)
        return product + z; /* the product is exact */
    if (!(ABS(z) < INFINITY_D))
        return z + z;
    if (z == 0)
        return product;
    /* Both in the highest bits but two, so that what is shifted out lies far below a rounded sum's last bit. */
    struct parts a = split_double(x), b = split_double(y), c = split_double(z);
    struct parts p = {(a.significand * b.significand) << 20, a.exponent + b.exponent - 20};
    c = (struct parts){c.significand << 72, c.exponent - 72};
    int exponent = p.exponent > c.exponent ? p.exponent : c.exponent;
    wide more = shifted(p, exponent), less = shifted(c, exponent);
    uint64_t sign = (bits_of_double(x) ^ bits_of_double(y)) & SIGN_BIT, other = bits_of_double(z) & SIGN_BIT;
    if (sign == other)
        return double_of_bits(sign | put_together((struct parts){more + less, exponent}));
    if (more == less)
        return 0;
    return more > less ? double_of_bits(sign | put_together((struct parts){more - less, exponent}))
                       : double_of_bits(other | put_together((struct parts){less - more, exponent}));
}

/* ---- float16 ---- */

INLINE uint32_t bits_of_half(_Float16 x)
{
    union { _Float16 value; uint16_t bits; } u = { .value = x };
    return u.bits;
}

INLINE _Float16 half_of_bits(uint32_t bits)
{
    union { uint16_t bits; _Float16 value; } u = { .bits = (uint16_t)bits };
    return u.value;
}

enum { EXPONENTS_APART = (127 - 15) << 23, HALF_INFINITY = 0x7c00 };

/* NaN becomes quiet, and keeps its other bits. */
float gpucc_soft_extend(_Float16 x)
{
    uint32_t bits = bits_of_half(x), sign = (bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    if (magnitude < 0x400)
        return float_of_bits(sign | bits_of_float((float)(int)magnitude * 0x1p-24f));
    if (magnitude < HALF_INFINITY)
        return float_of_bits(sign | ((magnitude << 13) + EXPONENTS_APART));
    uint32_t quiet = magnitude > HALF_INFINITY ? 0x400000 : 0;
    return float_of_bits(sign | 0x7f800000 | magnitude << 13 | quiet);
}

_Float16 gpucc_soft_truncate(float x)
{
    uint32_t bits = bits_of_float(x), sign = bits >> 16 & 0x8000, magnitude = bits & ~SIGN_BIT_F;
    if (magnitude > 0x7f800000)
        return half_of_bits(sign | HALF_INFINITY | 0x200 | (magnitude >> 13 & 0x3ff));
    if (magnitude >= bits_of_float(65520.0f)) /* which would be rounded to 65536 */
        return half_of_bits(sign | HALF_INFINITY);
    if (magnitude < bits_of_float(0x1p-14f)) /* units of 2^-24, as 0.5f has them */
        return half_of_bits(sign | (bits_of_float(float_of_bits(magnitude) + 0.5f) - bits_of_float(0.5f)));
    return half_of_bits(sign | (magnitude + 0xfff + (magnitude >> 13 & 1) - EXPONENTS_APART) >> 13);
}
