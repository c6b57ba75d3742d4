/* cvt, in all its forms, and cvta. */
#include "ptx.h"

#include <fenv.h>
#include <math.h>

typedef __int128 int128;

/* ---- integers ---- */

static int64_t sign_extend(uint64_t value, int bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* A narrow result stands extended in a wider register. */
static uint64_t in_register(const struct instruction *i, uint64_t value)
{
    value &= type_mask(i->type);
    if (i->type.kind == SIGNED)
        value = (uint64_t)sign_extend(value, i->type.bits);
    return i->width >= 64 ? value : value & ((UINT64_C(1) << i->width) - 1);
}

static void integer_to_integer(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg a = r[i->operand[1]];
    const uint64_t from = type_mask(i->from);
    uint64_t value = a.value & from, undefined = a.undefined & from;
    (void)t;
    if (i->from.kind == SIGNED) {
        value = (uint64_t)sign_extend(value, i->from.bits);
        undefined = (uint64_t)sign_extend(undefined, i->from.bits);
    }
    r[i->operand[0]] = (struct reg){in_register(i, value), in_register(i, undefined)};
}

static int128 integer_value(const struct instruction *i, uint64_t bits)
{
    bits &= type_mask(i->from);
    return i->from.kind == SIGNED ? (int128)sign_extend(bits, i->from.bits) : (int128)bits;
}

static int128 lowest_of(struct type type)
{
    return type.kind == SIGNED ? -((int128)1 << (type.bits - 1)) : 0;
}

static int128 highest_of(struct type type)
{
    return ((int128)1 << (type.kind == SIGNED ? type.bits - 1 : type.bits)) - 1;
}

static int128 saturate(const struct instruction *i, int128 value)
{
    const int128 low = lowest_of(i->type), high = highest_of(i->type);
    return value < low ? low : value > high ? high : value;
}

static void integer_saturated(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg a = r[i->operand[1]];
    (void)t;
    r[i->operand[0]] =
        (struct reg){in_register(i, (uint64_t)saturate(i, integer_value(i, a.value))), all_if(a.undefined, MASK_64)};
}

/* ---- floating values ---- */

static double floating_value(struct type type, uint64_t bits)
{
    if (type.kind == BFLOAT)
        return brain_of(bits & MASK_16);
    return type.bits == 16 ? half_of(bits & MASK_16) : type.bits == 32 ? (double)float_of(bits) : double_of(bits);
}

static __attribute__((noinline)) float narrow_to_float(volatile double number, enum rounding rounding)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    fesetround(modes[rounding]);
    const volatile float result = (float)number;
    fesetround(FE_TONEAREST);
    return result;
}

static uint64_t to_format(const struct instruction *i, double number)
{
    const enum rounding rounding = i->mode;
    if (i->flags & SATURATE)
        number = number > 0 ? (number < 1 ? number : 1) : 0;
    if (i->type.kind == BFLOAT)
        return round_to_brain(number, rounding);
    if (i->type.bits == 16)
        return round_to_half(number, rounding);
    if (i->type.bits == 64)
        return bits_of_double(number);
    const float result = i->from.bits == 64 ? narrow_to_float(number, rounding) : (float)number;
    if (isnan(result))
        return 0x7fffffff;
    return bits_of_float(i->flags & FLUSH ? flush(result) : result);
}

/* A NaN becomes 0, or the lowest number where 64 bits take part. */
static int128 not_a_number(const struct instruction *i)
{
    if (i->from.bits == 64 || i->type.bits == 64)
        return i->type.bits == 64 ? -((int128)1 << 63) : i->type.bits == 32 ? -((int128)1 << 31) : 0;
    return 0;
}

static void float_to_integer(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg a = r[i->operand[1]];
    double number = floating_value(i->from, a.value);
    int128 result;
    (void)t;
    if (i->flags & FLUSH)
        number = (double)flush((float)number);
    number = round_integer(number, i->mode);
    if (isnan(number))
        result = not_a_number(i);
    else if (fabs(number) >= 0x1p65)
        result = number < 0 ? lowest_of(i->type) : highest_of(i->type);
    else
        result = saturate(i, (int128)number);
    r[i->operand[0]] = (struct reg){in_register(i, (uint64_t)result), all_if(a.undefined, type_mask(i->type))};
}

static __attribute__((noinline)) double integer_to_double(int128 value, enum rounding rounding)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    const bool is_negative = value < 0;
    const volatile uint64_t size = (uint64_t)(is_negative ? -value : value);
    static const enum rounding mirrored[] = {TO_NEAREST, TO_ZERO, UP, DOWN, TO_NEAREST_AWAY};
    fesetround(modes[is_negative ? mirrored[rounding] : rounding]);
    const volatile double result = (double)size;
    fesetround(FE_TONEAREST);
    return is_negative ? -result : result;
}

/* Exact in float64, or rounded to odd there, for a second rounding. */
static double integer_to_odd(int128 value)
{
    const double truncated = integer_to_double(value, TO_ZERO);
    if ((int128)truncated == value)
        return truncated;
    return double_of(bits_of_double(truncated) | 1);
}

static void integer_to_float(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg a = r[i->operand[1]];
    const int128 value = integer_value(i, a.value);
    uint64_t bits;
    (void)t;
    if (i->type.bits == 64) {
        bits = bits_of_double(integer_to_double(value, i->mode));
    } else if (i->type.bits == 32) {
        bits = bits_of_float(narrow_to_float(integer_to_odd(value), i->mode));
    } else {
        bits = to_format(i, integer_to_odd(value));
    }
    r[i->operand[0]] = (struct reg){bits, all_if(a.undefined & type_mask(i->from), type_mask(i->type))};
}

/* A NaN keeps its sign and what it carries. */
static uint64_t quiet_double(struct type from, uint64_t bits)
{
    if (from.bits == 64)
        return bits | UINT64_C(1) << 51;
    return from.bits == 32 ? (bits & 0x80000000) << 32 | UINT64_C(0x7ff8000000000000) | (bits & 0x7fffff) << 29
                           : UINT64_C(0x7fffffffe0000000);
}

/* detail: rounds to an integer. */
static void float_to_float(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg a = r[i->operand[1]];
    double number = floating_value(i->from, a.value);
    uint64_t bits;
    (void)t;
    if (i->flags & FLUSH)
        number = (double)flush((float)number);
    if (i->detail)
        number = round_integer(number, i->mode);
    if (isnan(number) && i->type.bits == 64)
        bits = quiet_double(i->from, a.value);
    else
        bits = to_format(i, number);
    r[i->operand[0]] = (struct reg){bits, all_if(a.undefined & type_mask(i->from), type_mask(i->type))};
}

static void float_to_tf32(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg a = r[i->operand[1]];
    (void)t;
    r[i->operand[0]] = (struct reg){round_to_tf32(float_of(a.value)), all_if(a.undefined, MASK_32)};
}

/* Two numbers into one register; the first becomes the upper half. */
static void floats_to_packed(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg a = r[i->operand[1]], b = r[i->operand[2]];
    const double upper = (double)float_of(a.value), lower = (double)float_of(b.value);
    const bool is_brain = i->type.kind == PACKED_BFLOAT;
    const uint64_t high = is_brain ? round_to_brain(upper, i->mode) : round_to_half(upper, i->mode);
    const uint64_t low = is_brain ? round_to_brain(lower, i->mode) : round_to_half(lower, i->mode);
    (void)t;
    r[i->operand[0]] = (struct reg){high << 16 | low,
                                    all_if(a.undefined, MASK_16) << 16 | all_if(b.undefined, MASK_16)};
}

/* ---- numbers of 8 bits, two in a register of 16 bits; detail: they have 3 places, not 2 ---- */

static double eight_of(unsigned magnitude, bool is_e4m3)
{
    const int places = is_e4m3 ? 3 : 2, bias = is_e4m3 ? 7 : 15;
    const int exponent = (int)(magnitude >> places), fraction = (int)magnitude & ((1 << places) - 1);
    if (is_e4m3 ? magnitude == 0x7f : magnitude > 0x7c)
        return (double)NAN;
    if (!is_e4m3 && magnitude == 0x7c)
        return (double)INFINITY;
    return exponent ? ldexp((1 << places) + fraction, exponent - bias - places) : ldexp(fraction, 1 - bias - places);
}

/* To the nearest, ties to even, by searching through all magnitudes. */
static uint64_t round_to_eight(float number, bool is_e4m3)
{
    const int most = is_e4m3 ? 0x7e : 0x7b;
    const double size = fabs((double)number);
    int low = 0;
    if (isnan(number))
        return 0x7f;
    while (low < most && eight_of((unsigned)low + 1, is_e4m3) <= size)
        low++;
    if (low < most) {
        const double below = size - eight_of((unsigned)low, is_e4m3);
        const double above = eight_of((unsigned)low + 1, is_e4m3) - size;
        low += above < below || (above == below && low % 2);
    }
    return (uint64_t)low | (uint64_t)(signbit(number) != 0) << 7;
}

static void floats_to_eights(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg a = r[i->operand[1]], b = r[i->operand[2]];
    (void)t;
    r[i->operand[0]] = (struct reg){
        round_to_eight(float_of(a.value), i->detail) << 8 | round_to_eight(float_of(b.value), i->detail),
        all_if(a.undefined, 0xff) << 8 | all_if(b.undefined, 0xff)};
}

static uint64_t half_of_eight(uint64_t bits, bool is_e4m3)
{
    const double size = eight_of((unsigned)bits & 0x7f, is_e4m3);
    return isnan(size) ? 0x7fff : round_to_half(bits & 0x80 ? -size : size, TO_NEAREST);
}

static void eights_to_halves(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg a = r[i->operand[1]];
    (void)t;
    r[i->operand[0]] = (struct reg){
        half_of_eight(a.value >> 8, i->detail) << 16 | half_of_eight(a.value, i->detail),
        all_if(a.undefined & 0xff00, MASK_16) << 16 | all_if(a.undefined & 0xff, MASK_16)};
}

static bool decode_eights(const struct parts *parts, struct instruction *i)
{
    const int to = parts->count - 2, from = parts->count - 1;
    i->detail = part_is(parts, to, "e4m3x2") || part_is(parts, from, "e4m3x2");
    if (find_part(parts, "rn") < 0 || find_part(parts, "relu") > 0)
        return false;
    if (part_is(parts, to, "f16x2"))
        i->run = eights_to_halves;
    else if (part_is(parts, from, "f32") && find_part(parts, "satfinite") > 0)
        i->run = floats_to_eights;
    return i->run != NULL;
}

/* ---- addresses ---- */

static const uint64_t windows[SPACE_COUNT] = {[SHARED] = SHARED_WINDOW, [LOCAL] = LOCAL_WINDOW, [PARAM] = PARAM_WINDOW};

static void to_generic(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg a = r[i->operand[1]];
    (void)t;
    r[i->operand[0]] = (struct reg){a.value + windows[i->space], spread_up(a.undefined)};
}

/* Converts a null pointer too, which nothing reads. */
static void from_generic(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg a = r[i->operand[1]];
    (void)t;
    r[i->operand[0]] = (struct reg){a.value - windows[i->space], spread_up(a.undefined)};
}

static void is_in_space(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg a = r[i->operand[1]];
    bool is_inside = a.value - windows[i->space] < WINDOW_SIZE;
    (void)t;
    if (i->space == GLOBAL)
        is_inside = a.value - SHARED_WINDOW >= WINDOW_SIZE && a.value - LOCAL_WINDOW >= WINDOW_SIZE &&
                    a.value - PARAM_WINDOW >= WINDOW_SIZE;
    r[i->operand[0]] = (struct reg){is_inside, all_if(a.undefined, 1)};
}

static bool decode_address(const struct parts *parts, struct instruction *i)
{
    static const char *const names[] = {"", "global", "const", "shared", "local", "param"};
    i->space = SPACE_COUNT;
    for (int k = GLOBAL; k < SPACE_COUNT; k++)
        if (find_part(parts, names[k]) > 0)
            i->space = (uint8_t)k;
    if (part_is(parts, 0, "isspacep"))
        i->run = is_in_space;
    else
        i->run = part_is(parts, 1, "to") ? from_generic : to_generic;
    return i->space < SPACE_COUNT;
}

/* ---- decoding: the last two parts are types ---- */

static bool part_type(const struct parts *parts, int index, struct type *type)
{
    return index > 0 && find_type(parts->text[index] - 1, parts->length[index] + 1, type);
}

static bool is_floating(struct type type)
{
    return type.kind == FLOAT || type.kind == BFLOAT;
}

bool decode_convert(const struct parts *parts, struct instruction *i)
{
    enum rounding rounding = TO_NEAREST;
    if (part_is(parts, 0, "cvta") || part_is(parts, 0, "isspacep"))
        return decode_address(parts, i);
    if (part_is(parts, 0, "cvt") && (find_part(parts, "e4m3x2") > 0 || find_part(parts, "e5m2x2") > 0))
        return decode_eights(parts, i);
    if (!part_is(parts, 0, "cvt") || !part_type(parts, parts->count - 1, &i->from) ||
        !part_type(parts, parts->count - 2, &i->type) || find_part(parts, "relu") > 0)
        return false;
    const bool is_rounded = find_rounding(parts, &rounding);
    const int to_integer = is_rounded && parts->text[1][parts->length[1] - 1] == 'i';
    i->mode = (uint8_t)rounding;
    i->detail = to_integer;
    i->flags |= find_part(parts, "sat") > 0 ? SATURATE : 0;
    i->flags |= find_part(parts, "ftz") > 0 ? FLUSH : 0;
    if (i->type.bits == 19)
        i->run = float_to_tf32;
    else if (i->type.kind == PACKED || i->type.kind == PACKED_BFLOAT)
        i->run = floats_to_packed;
    else if (is_floating(i->type))
        i->run = is_floating(i->from) ? float_to_float : integer_to_float;
    else if (is_floating(i->from))
        i->run = float_to_integer;
    else
        i->run = i->flags & SATURATE ? integer_saturated : integer_to_integer;
    return !(i->run == float_to_integer && !is_rounded);
}
