/* float16 and bfloat16: arithmetic in float64, rounded once. */
#include "ptx.h"

#include <float.h>
#include <math.h>

struct format {
    int exponent, mantissa;
};
static const struct format half = {5, 10}, brain = {8, 7};

/* ---- conversions ---- */

static double widen(uint64_t bits, struct format f)
{
    const int width = f.exponent + f.mantissa, bias = (1 << (f.exponent - 1)) - 1;
    const int exponent = (int)(bits >> f.mantissa) & ((1 << f.exponent) - 1);
    const double fraction = (double)(bits & ((UINT64_C(1) << f.mantissa) - 1));
    double number;
    if (exponent == (1 << f.exponent) - 1)
        number = fraction != 0 ? NAN : HUGE_VAL;
    else if (exponent == 0)
        number = ldexp(fraction, 1 - bias - f.mantissa);
    else
        number = ldexp(fraction + ldexp(1, f.mantissa), exponent - bias - f.mantissa);
    return bits >> width & 1 ? -number : number;
}

double round_integer(double number, enum rounding rounding)
{
    switch (rounding) {
    case TO_NEAREST: return nearbyint(number);
    case TO_ZERO: return trunc(number);
    case DOWN: return floor(number);
    case UP: return ceil(number);
    case TO_NEAREST_AWAY: return round(number);
    }
    return number;
}

static uint64_t narrow(double number, struct format f, enum rounding rounding)
{
    const int bias = (1 << (f.exponent - 1)) - 1;
    const uint64_t sign = (uint64_t)signbit(number) << (f.exponent + f.mantissa);
    const uint64_t infinity = ((UINT64_C(1) << f.exponent) - 1) << f.mantissa;
    int exponent;
    if (isnan(number))
        return infinity | ((UINT64_C(1) << f.mantissa) - 1);
    if (number == 0 || isinf(number))
        return sign | (number == 0 ? 0 : infinity);
    frexp(number, &exponent);
    exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    const double units = fabs(round_integer(ldexp(number, f.mantissa - exponent), rounding));
    const double rounded = ldexp(units, exponent - f.mantissa), largest = ldexp(2 - ldexp(1, -f.mantissa), bias);
    if (rounded > largest) {
        const bool stays = rounding == TO_ZERO || (rounding == DOWN && number > 0) || (rounding == UP && number < 0);
        return sign | (stays ? infinity - 1 : infinity);
    }
    /* A carry out of the mantissa goes into the exponent. */
    return sign | (((uint64_t)(exponent + bias - 1) << f.mantissa) + (uint64_t)units);
}

double half_of(uint64_t bits)
{
    return widen(bits, half);
}

double brain_of(uint64_t bits)
{
    return widen(bits, brain);
}

uint64_t round_to_half(double number, enum rounding rounding)
{
    return narrow(number, half, rounding);
}

uint64_t round_to_brain(double number, enum rounding rounding)
{
    return narrow(number, brain, rounding);
}

uint64_t round_to_tf32(float number)
{
    const uint64_t bits = bits_of_float(number);
    if (isnan(number))
        return 0x7fffffff;
    return isinf(number) ? bits : (bits + 0x1000) & ~UINT64_C(0x1fff);
}

/* ---- arithmetic ---- */

/* a * b + c, whose product is exact: rounded to odd, so that a second rounding gives what one would. */
static double multiply_add(double a, double b, double c)
{
    const double product = a * b, sum = product + c, part = sum - product;
    const double error = (product - (sum - part)) + (c - part);
    uint64_t bits = bits_of_double(sum);
    if (!isfinite(sum) || error == 0 || bits & 1)
        return sum;
    return double_of(bits + ((error > 0) == (sum > 0) ? 1 : UINT64_MAX));
}

enum operation { ADD, SUB, MUL, FMA, MIN, MAX, EX2, TANH };

static double least(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a < b || (a == b && signbit(a)) ? a : b;
}

static double compute(const struct instruction *i, double a, double b, double c)
{
    if (i->flags & NAN_RESULT && (isnan(a) || isnan(b)))
        return NAN;
    switch ((enum operation)i->detail) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: return a * b;
    case FMA: return multiply_add(a, b, c);
    case MIN: return least(a, b);
    case MAX: return -least(-a, -b);
    case EX2: return exp2(a);
    case TANH: return tanh(a);
    }
    return 0;
}

static uint64_t compute_bits(const struct instruction *i, uint64_t a, uint64_t b, uint64_t c)
{
    const struct format f = i->type.kind == BFLOAT || i->type.kind == PACKED_BFLOAT ? brain : half;
    double result = compute(i, widen(a & MASK_16, f), widen(b & MASK_16, f), widen(c & MASK_16, f));
    if (i->flags & SATURATE)
        result = result > 0 ? (result < 1 ? result : 1) : 0;
    return narrow(result, f, TO_NEAREST);
}

/* One of them, or two in 32 bits. */
static void any_half(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg a = r[i->operand[1]], b = r[i->operand[2]], c = r[i->operand[3]];
    const uint64_t u = a.undefined | b.undefined | c.undefined;
    struct reg result = {0, 0};
    (void)t;
    for (int at = 0; at < i->type.bits; at += 16) {
        result.value |= compute_bits(i, a.value >> at, b.value >> at, c.value >> at) << at;
        result.undefined |= all_if(u >> at & MASK_16, MASK_16) << at;
    }
    r[i->operand[0]] = result;
}

bool decode_half(const struct parts *parts, struct instruction *i)
{
    static const char *const names[] = {"add", "sub", "mul", "fma", "min", "max", "ex2", "tanh"};
    const bool is_single = (i->type.kind == FLOAT || i->type.kind == BFLOAT) && i->type.bits == 16;
    if (!is_single && i->type.kind != PACKED && i->type.kind != PACKED_BFLOAT)
        return false;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (part_is(parts, 0, names[k])) {
            i->detail = (uint8_t)k;
            i->run = any_half;
        }
    i->flags |= find_part(parts, "sat") > 0 ? SATURATE : 0;
    i->flags |= find_part(parts, "NaN") > 0 ? NAN_RESULT : 0;
    return i->run != NULL && find_part(parts, "ftz") < 0;
}
