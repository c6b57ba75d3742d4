/* Integer arithmetic. */
#include "ptx.h"

#include <stdlib.h>

typedef __int128 int128;
typedef unsigned __int128 uint128;

#define A r[i->operand[1]]
#define B r[i->operand[2]]
#define C r[i->operand[3]]

/* `a`, `b`, `c` in a type of these bits; the result's undefined bits are `lost`. */
#define BINARY(name, ctype, bits, lost, expression)                                                                    \
    static void name(struct thread *t, struct reg *r, const struct instruction *i)                                     \
    {                                                                                                                  \
        const ctype a = (ctype)A.value, b = (ctype)B.value;                                                            \
        const uint64_t u = A.undefined | B.undefined;                                                                  \
        (void)t, (void)a, (void)b, (void)u;                                                                            \
        r[i->operand[0]] = (struct reg){(uint##bits##_t)(expression), (lost) & MASK_##bits};                           \
    }
#define UNARY(name, ctype, bits, lost, expression)                                                                     \
    static void name(struct thread *t, struct reg *r, const struct instruction *i)                                     \
    {                                                                                                                  \
        const ctype a = (ctype)A.value;                                                                                \
        const uint64_t u = A.undefined;                                                                                \
        (void)t, (void)a;                                                                                              \
        r[i->operand[0]] = (struct reg){(uint##bits##_t)(expression), (lost) & MASK_##bits};                           \
    }
#define TERNARY(name, ctype, bits, lost, expression)                                                                   \
    static void name(struct thread *t, struct reg *r, const struct instruction *i)                                     \
    {                                                                                                                  \
        const ctype a = (ctype)A.value, b = (ctype)B.value, c = (ctype)C.value;                                        \
        const uint64_t u = A.undefined | B.undefined | C.undefined;                                                    \
        (void)t, (void)a, (void)b, (void)c;                                                                            \
        r[i->operand[0]] = (struct reg){(uint##bits##_t)(expression), (lost) & MASK_##bits};                           \
    }
#define CARRIES spread_up(u)
#define ALL all_if(u, MASK_64)
/* A division by zero has no value. */
#define DIVIDES all_if(u | (b == 0), MASK_64)

/* Returns the undefined bits of a product: those from the lowest undefined bit on; a power of two only shifts them. */
static uint64_t lost_by_product(struct reg a, struct reg b)
{
    if (a.undefined == 0) {
        const struct reg swapped = a;
        a = b;
        b = swapped;
    }
    if (b.undefined == 0 && (b.value & (b.value - 1)) == 0)
        return a.undefined * b.value;
    return spread_up(a.undefined | b.undefined);
}
#define PRODUCT lost_by_product(A, B)

#define SIZES(OPERATION)                                                                                               \
    OPERATION(16)                                                                                                      \
    OPERATION(32)                                                                                                      \
    OPERATION(64)

#define ARITHMETIC(bits)                                                                                               \
    BINARY(add_##bits, uint64_t, bits, CARRIES, a + b)                                                                 \
    BINARY(sub_##bits, uint64_t, bits, CARRIES, a - b)                                                                 \
    BINARY(mul_##bits, uint64_t, bits, PRODUCT, a * b)                                                                 \
    TERNARY(mad_##bits, uint64_t, bits, CARRIES, a * b + c)                                                            \
    UNARY(neg_##bits, uint64_t, bits, CARRIES, 0 - a)                                                                  \
    UNARY(abs_##bits, int##bits##_t, bits, ALL, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)                                 \
    BINARY(div_u##bits, uint##bits##_t, bits, DIVIDES, b ? a / b : 0)                                                  \
    BINARY(rem_u##bits, uint##bits##_t, bits, DIVIDES, b ? a % b : 0)                                                  \
    BINARY(div_s##bits, int##bits##_t, bits, DIVIDES, b == -1 ? 0 - (uint64_t)a : (uint64_t)(b ? a / b : 0))           \
    BINARY(rem_s##bits, int##bits##_t, bits, DIVIDES, b == -1 || b == 0 ? 0 : a % b)                                   \
    BINARY(min_u##bits, uint##bits##_t, bits, ALL, a < b ? a : b)                                                      \
    BINARY(max_u##bits, uint##bits##_t, bits, ALL, a > b ? a : b)                                                      \
    BINARY(min_s##bits, int##bits##_t, bits, ALL, a < b ? a : b)                                                       \
    BINARY(max_s##bits, int##bits##_t, bits, ALL, a > b ? a : b)                                                       \
    BINARY(mul_hi_u##bits, uint##bits##_t, bits, ALL, (uint128)a * b >> bits)                                          \
    BINARY(mul_hi_s##bits, int##bits##_t, bits, ALL, (int128)a * b >> bits)                                            \
    TERNARY(mad_hi_u##bits, uint##bits##_t, bits, ALL, ((uint128)a * b >> bits) + c)                                   \
    TERNARY(mad_hi_s##bits, int##bits##_t, bits, ALL, ((int128)a * b >> bits) + c)                                     \
    TERNARY(sad_u##bits, uint##bits##_t, bits, ALL, (uint64_t)c + (a < b ? b - a : a - b))                             \
    TERNARY(sad_s##bits, int##bits##_t, bits, ALL,                                                                     \
            (uint64_t)c + (a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b))
SIZES(ARITHMETIC)

BINARY(mul_wide_u16, uint16_t, 32, PRODUCT, (uint32_t)a *b)
BINARY(mul_wide_s16, int16_t, 32, ALL, (int32_t)a *b)
BINARY(mul_wide_u32, uint32_t, 64, PRODUCT, (uint64_t)a *b)
BINARY(mul_wide_s32, int32_t, 64, ALL, (int64_t)a *b)
TERNARY(mad_wide_u32, uint64_t, 64, ALL, (a & MASK_32) * (b & MASK_32) + c)
TERNARY(mad_wide_s32, int64_t, 64, ALL, (uint64_t)((int64_t)(int32_t)a * (int32_t)b) + (uint64_t)c)
TERNARY(mad_wide_u16, uint32_t, 32, ALL, (a & MASK_16) * (b & MASK_16) + c)
TERNARY(mad_wide_s16, int32_t, 32, ALL, (uint32_t)((int16_t)a * (int16_t)b) + (uint32_t)c)
BINARY(mul24_u32, uint32_t, 32, ALL, (a & 0xffffff) * (uint64_t)(b & 0xffffff))
BINARY(mul24_s32, int32_t, 32, ALL, (int64_t)((int32_t)((uint32_t)a << 8) >> 8) * ((int32_t)((uint32_t)b << 8) >> 8))
BINARY(add_sat_s32, int32_t, 32, ALL,
       (int64_t)a + b > INT32_MAX ? INT32_MAX : (int64_t)a + b < INT32_MIN ? INT32_MIN : a + b)
BINARY(sub_sat_s32, int32_t, 32, ALL,
       (int64_t)a - b > INT32_MAX ? INT32_MAX : (int64_t)a - b < INT32_MIN ? INT32_MIN : a - b)

static uint32_t dot(uint32_t a, uint32_t b, uint32_t c, bool is_signed)
{
    for (int k = 0; k < 32; k += 8)
        c += is_signed ? (uint32_t)((int8_t)(a >> k) * (int8_t)(b >> k))
                       : (uint32_t)((uint8_t)(a >> k) * (uint8_t)(b >> k));
    return c;
}
TERNARY(dp4a_u32, uint32_t, 32, ALL, dot(a, b, c, false))
TERNARY(dp4a_s32, uint32_t, 32, ALL, dot(a, b, c, true))

/* ---- with the carry flag; mode: 1 reads it, 2 writes it ---- */

enum { READS = 1, WRITES = 2 };

static void set_carried(struct thread *t, struct reg *r, const struct instruction *i, uint128 sum, uint64_t undefined)
{
    const uint64_t mask = type_mask(i->type);
    if (i->mode & WRITES)
        t->carry = sum >> i->type.bits & 1;
    if (undefined)
        fault(t, "an undefined value in arithmetic with carry");
    r[i->operand[0]] = (struct reg){(uint64_t)sum & mask, 0};
}

static void add_carry(struct thread *t, struct reg *r, const struct instruction *i)
{
    const bool carry = i->mode & READS && t->carry;
    set_carried(t, r, i, (uint128)A.value + B.value + carry, A.undefined | B.undefined);
}

/* The flag is the borrow. */
static void sub_carry(struct thread *t, struct reg *r, const struct instruction *i)
{
    const bool borrow = i->mode & READS && t->carry;
    set_carried(t, r, i, (uint128)A.value - B.value - borrow, A.undefined | B.undefined);
}

static void mad_carry(struct thread *t, struct reg *r, const struct instruction *i, bool high)
{
    const uint64_t mask = type_mask(i->type);
    uint128 product = (uint128)A.value * B.value;
    if (i->type.kind == SIGNED && i->type.bits == 64)
        product = (uint128)((int128)(int64_t)A.value * (int64_t)B.value);
    else if (i->type.kind == SIGNED)
        product = (uint128)((int128)(int32_t)A.value * (int32_t)B.value);
    const uint64_t part = (uint64_t)(high ? product >> i->type.bits : product) & mask;
    const bool carry = i->mode & READS && t->carry;
    set_carried(t, r, i, (uint128)part + C.value + carry, A.undefined | B.undefined | C.undefined);
}

static void mad_low_carry(struct thread *t, struct reg *r, const struct instruction *i)
{
    mad_carry(t, r, i, false);
}

static void mad_high_carry(struct thread *t, struct reg *r, const struct instruction *i)
{
    mad_carry(t, r, i, true);
}

/* ---- the table ---- */

#define FOR_TYPE(name, run, kind, bits) {name, run, {kind, bits}, 0},
#define ANY_SIGN(stem, run, bits)                                                                                      \
    FOR_TYPE(stem ".u" #bits, run, UNSIGNED, bits) FOR_TYPE(stem ".s" #bits, run, SIGNED, bits)
#define BY_SIGN(stem, run, bits)                                                                                       \
    FOR_TYPE(stem ".u" #bits, run##_u##bits, UNSIGNED, bits) FOR_TYPE(stem ".s" #bits, run##_s##bits, SIGNED, bits)
#define ROWS(bits)                                                                                                     \
    ANY_SIGN("add", add_##bits, bits)                                                                                  \
    ANY_SIGN("sub", sub_##bits, bits)                                                                                  \
    ANY_SIGN("mul.lo", mul_##bits, bits)                                                                               \
    ANY_SIGN("mad.lo", mad_##bits, bits)                                                                               \
    FOR_TYPE("neg.s" #bits, neg_##bits, SIGNED, bits)                                                                  \
    FOR_TYPE("abs.s" #bits, abs_##bits, SIGNED, bits)                                                                  \
    BY_SIGN("div", div, bits)                                                                                          \
    BY_SIGN("rem", rem, bits)                                                                                          \
    BY_SIGN("min", min, bits)                                                                                          \
    BY_SIGN("max", max, bits)                                                                                          \
    BY_SIGN("mul.hi", mul_hi, bits)                                                                                    \
    BY_SIGN("mad.hi", mad_hi, bits)                                                                                    \
    BY_SIGN("sad", sad, bits)
#define CARRY(stem, run, mode)                                                                                         \
    {stem ".u32", run, {UNSIGNED, 32}, mode}, {stem ".s32", run, {SIGNED, 32}, mode},                                  \
    {stem ".u64", run, {UNSIGNED, 64}, mode}, {stem ".s64", run, {SIGNED, 64}, mode},

const struct opcode integer_opcodes[] = {
    SIZES(ROWS)
    BY_SIGN("mul24.lo", mul24, 32)
    {"mul.wide.u16", mul_wide_u16, {UNSIGNED, 16}, 0},
    {"mul.wide.s16", mul_wide_s16, {SIGNED, 16}, 0},
    {"mul.wide.u32", mul_wide_u32, {UNSIGNED, 32}, 0},
    {"mul.wide.s32", mul_wide_s32, {SIGNED, 32}, 0},
    {"mad.wide.u16", mad_wide_u16, {UNSIGNED, 32}, 0},
    {"mad.wide.s16", mad_wide_s16, {SIGNED, 32}, 0},
    {"mad.wide.u32", mad_wide_u32, {UNSIGNED, 64}, 0},
    {"mad.wide.s32", mad_wide_s32, {SIGNED, 64}, 0},
    {"add.sat.s32", add_sat_s32, {SIGNED, 32}, 0},
    {"sub.sat.s32", sub_sat_s32, {SIGNED, 32}, 0},
    {"dp4a.u32.u32", dp4a_u32, {UNSIGNED, 32}, 0},
    {"dp4a.s32.s32", dp4a_s32, {SIGNED, 32}, 0},
    CARRY("add.cc", add_carry, WRITES)
    CARRY("addc", add_carry, READS)
    CARRY("addc.cc", add_carry, READS | WRITES)
    CARRY("sub.cc", sub_carry, WRITES)
    CARRY("subc", sub_carry, READS)
    CARRY("subc.cc", sub_carry, READS | WRITES)
    CARRY("mad.lo.cc", mad_low_carry, WRITES)
    CARRY("mad.hi.cc", mad_high_carry, WRITES)
    CARRY("madc.lo", mad_low_carry, READS)
    CARRY("madc.hi", mad_high_carry, READS)
    CARRY("madc.lo.cc", mad_low_carry, READS | WRITES)
    CARRY("madc.hi.cc", mad_high_carry, READS | WRITES)
    {NULL, NULL, {0, 0}, 0},
};
