/* fmod remainder remquo: exact.  While the quotient is below 2^52 one division, corrected by its remainder; beyond,
 * long division in integers. */
#include "math64.h"

/* The quotient's integral part is right, or one too large, up to here. */
#define QUOTIENT_LIMIT 0x1p52

/* A positive finite number as significand * 2^(exponent - 1075), with bit 52 of the significand set. */
typedef struct {
    uint64_t significand;
    int32_t exponent;
} unpacked;

static inline unpacked unpack(double x)
{
    uint64_t bits = bits_of_double(x);
    int32_t exponent = (int32_t)(bits >> 52);
    uint64_t fraction = bits & FRACTION_MASK;
    if (exponent > 0)
        return (unpacked){ fraction | UINT64_C(1) << 52, exponent };
    int32_t shift = __builtin_clzll(fraction) - 11;
    return (unpacked){ fraction << shift, 1 - shift };
}

/* significand * 2^(exponent - 1075), exactly: the value is one that a double holds. */
static inline double pack(uint64_t significand, int32_t exponent)
{
    if (significand == 0)
        return 0.0;
    int32_t shift = __builtin_clzll(significand) - 11;
    significand <<= shift;
    exponent -= shift;
    if (exponent > 0)
        return double_of_bits(((uint64_t)exponent << 52) + (significand & FRACTION_MASK));
    return double_of_bits(significand >> (1 - exponent));
}

/* x modulo y for any positive x and y. */
static double long_division(double x, double y)
{
    unpacked a = unpack(x), b = unpack(y);
    uint64_t rest = a.significand;
    for (int32_t count = a.exponent - b.exponent; count > 0;) {
        int32_t step = count < 11 ? count : 11;
        rest = (rest % b.significand) << step;
        count -= step;
    }
    return pack(rest % b.significand, b.exponent);
}

/* Called where |x| >= |y| or one of them is NaN. */
SLOW_PATH double gpucc_slow_fmod(double x, double y)
{
    double size_x = ABS(x), size_y = ABS(y);
    if (!(size_x < INFINITY_D && size_y > 0))
        return is_nan(x) ? x : is_nan(y) ? y : NAN_D;
    return long_division(size_x, size_y);
}

double gpucc_fmod(double x, double y)
{
    double size_x = ABS(x), size_y = ABS(y);
    double quotient = size_x / size_y;
    double rest = size_x;
    if (UNLIKELY(!(size_x < size_y || quotient < QUOTIENT_LIMIT))) {
        rest = gpucc_slow_fmod(x, y);
    } else {
        double above = FMA(-__builtin_trunc(quotient), size_y, size_x);
        above = above < 0 ? above + size_y : above;
        rest = size_x < size_y ? size_x : above;
    }
    return __builtin_copysign(rest, x);
}

/* ---- remainder, remquo ---- */

/* x - quotient * y, quotient the integer nearest x/y, of which as many bits mean something as C asks for. */
typedef struct {
    double rest, quotient;
} division;

/* For |x/y| < 2^51 and a finite y that is not 0: the quotient rounded from a rounded x/y may be one off, and a tie
 * may not be one. */
INLINE division nearest_division(double x, double y)
{
    double quotient = __builtin_rint(x / y);
    double rest = FMA(-quotient, y, x);
    double size = ABS(rest), other = ABS(y) - size;
    double half = quotient * 0.5;
    bool odd = __builtin_rint(half) != half;
    bool away = size > other || (size == other && odd);
    bool up = (rest < 0) == (y < 0);
    double step = up ? 1.0 : -1.0;
    quotient = away ? quotient + step : quotient;
    rest = away ? FMA(-step, y, rest) : rest;
    return (division){ __builtin_copysign(rest, rest == 0 ? x : rest), quotient };
}

SLOW_PATH division gpucc_slow_remainder(double x, double y)
{
    double size_x = ABS(x), size_y = ABS(y);
    if (!(size_x < INFINITY_D && size_y > 0))
        return (division){ is_nan(x) ? x : is_nan(y) ? y : NAN_D, 0.0 };
    if (size_y == INFINITY_D)
        return (division){ x, 0.0 };
    /* neither the rest nor the quotient's last three bits change */
    double reduced = long_division(size_x, 8.0 * size_y);
    division d = nearest_division(__builtin_copysign(reduced, x), y);
    d.rest = __builtin_copysign(d.rest, d.rest == 0 ? x : d.rest);
    return d;
}

INLINE division divide(double x, double y)
{
    if (UNLIKELY(!(ABS(x / y) < 0x1p51 && ABS(y) < INFINITY_D)))
        return gpucc_slow_remainder(x, y);
    return nearest_division(x, y);
}

double gpucc_remainder(double x, double y)
{
    return divide(x, y).rest;
}

/* The last three bits of the quotient, with its sign. */
double gpucc_remquo(double x, double y, int *quotient)
{
    division d = divide(x, y);
    int bits = (int)(bits_of_double(ABS(d.quotient) + ROUND_MAGIC) & 7);
    bool negative = (bits_of_double(x) ^ bits_of_double(y)) >> 63;
    *quotient = negative ? -bits : bits;
    return d.rest;
}
