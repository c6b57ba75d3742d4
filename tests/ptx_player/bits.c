/* Moves, selections, logic, shifts and bit fields. */
#include "ptx.h"

#define A r[i->operand[1]]
#define B r[i->operand[2]]
#define C r[i->operand[3]]
#define RUN(name) static void name(struct thread *t, struct reg *r, const struct instruction *i)
#define SET(result, lost) r[i->operand[0]] = (struct reg){result, lost}

/* ---- moves ---- */

void run_move(struct thread *t, struct reg *r, const struct instruction *i)
{
    (void)t;
    r[i->operand[0]] = A;
}

/* The first element lies lowest. */
void run_pack(struct thread *t, struct reg *r, const struct instruction *i)
{
    const int bits = i->type.bits / (i->count - 1);
    struct reg whole = {0, 0};
    (void)t;
    for (int k = 1; k < i->count; k++) {
        whole.value |= r[i->operand[k]].value << (k - 1) * bits;
        whole.undefined |= r[i->operand[k]].undefined << (k - 1) * bits;
    }
    r[i->operand[0]] = whole;
}

void run_unpack(struct thread *t, struct reg *r, const struct instruction *i)
{
    const int count = i->count - 1, bits = i->type.bits / count;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    const struct reg whole = r[i->operand[count]];
    (void)t;
    for (int k = 0; k < count; k++)
        r[i->operand[k]] = (struct reg){whole.value >> k * bits & mask, whole.undefined >> k * bits & mask};
}

RUN(select)
{
    const struct reg a = A, b = B, p = C;
    (void)t;
    if (p.undefined)
        SET(a.value, a.undefined | b.undefined | (a.value ^ b.value));
    else
        r[i->operand[0]] = p.value ? a : b;
}

/* By the sign of the third operand. */
RUN(select_by_sign)
{
    const struct reg a = A, b = B, c = C;
    const bool is_float = i->mode;
    const bool takes_first = is_float ? float_of(c.value) >= 0 : (int32_t)c.value >= 0;
    (void)t;
    if (c.undefined)
        SET(a.value, type_mask(i->type));
    else
        r[i->operand[0]] = takes_first ? a : b;
}

/* ---- logic ---- */

RUN(and_bits)
{
    const struct reg a = A, b = B;
    (void)t;
    SET(a.value & b.value, (a.undefined | b.undefined) & (a.value | a.undefined) & (b.value | b.undefined));
}

RUN(or_bits)
{
    const struct reg a = A, b = B;
    (void)t;
    SET(a.value | b.value, (a.undefined | b.undefined) & (~a.value | a.undefined) & (~b.value | b.undefined));
}

RUN(xor_bits)
{
    (void)t;
    SET(A.value ^ B.value, A.undefined | B.undefined);
}

RUN(not_bits)
{
    (void)t;
    SET(~A.value & type_mask(i->type), A.undefined);
}

RUN(logical_not)
{
    (void)t;
    SET(A.value == 0, A.undefined ? type_mask(i->type) : 0);
}

RUN(lop3)
{
    const uint64_t a = A.value, b = B.value, c = C.value, table = r[i->operand[4]].value;
    const uint64_t u = A.undefined | B.undefined | C.undefined;
    uint64_t result = 0;
    (void)t;
    for (int k = 0; k < 32; k++)
        result |= (table >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1)) & 1) << k;
    SET(result, u);
}

/* ---- shifts; amounts beyond the width shift everything out ---- */

RUN(shift_left)
{
    const uint64_t mask = type_mask(i->type), by = B.value & MASK_32;
    (void)t;
    if (B.undefined)
        SET(0, mask);
    else if (by >= i->type.bits)
        SET(0, 0);
    else
        SET(A.value << by & mask, A.undefined << by & mask);
}

RUN(shift_right)
{
    const uint64_t by = B.value & MASK_32;
    (void)t;
    if (B.undefined)
        SET(0, type_mask(i->type));
    else if (by >= i->type.bits)
        SET(0, 0);
    else
        SET(A.value >> by, A.undefined >> by);
}

static int64_t sign_extend(uint64_t value, int bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

RUN(shift_arithmetic)
{
    const int bits = i->type.bits;
    const uint64_t mask = type_mask(i->type), asked = B.value & MASK_32;
    const uint64_t by = asked < (uint64_t)bits ? asked : bits - 1U;
    (void)t;
    if (B.undefined)
        SET(0, mask);
    else
        SET((uint64_t)(sign_extend(A.value, bits) >> by) & mask,
            (uint64_t)(sign_extend(A.undefined, bits) >> by) & mask);
}

/* mode: 1 to the right, 2 clamped */
RUN(funnel)
{
    const uint64_t asked = C.value & MASK_32, by = i->mode & 2 ? (asked < 32 ? asked : 32) : asked & 31;
    const uint64_t both = B.value << 32 | A.value, lost = B.undefined << 32 | A.undefined;
    (void)t;
    if (C.undefined)
        SET(0, MASK_32);
    else if (i->mode & 1)
        SET(both >> by & MASK_32, lost >> by & MASK_32);
    else
        SET(both << by >> 32 | (by == 32 ? A.value : 0), by == 32 ? A.undefined : lost << by >> 32);
}

/* ---- bit fields ---- */

RUN(extract_field)
{
    const int bits = i->type.bits, from = (int)(B.value & 255), length = (int)(C.value & 255);
    const uint64_t mask = type_mask(i->type);
    (void)t;
    if (B.undefined | C.undefined) {
        SET(0, mask);
        return;
    }
    const int end = from + length < bits ? from + length : bits;
    const bool is_signed = i->type.kind == SIGNED;
    if (length == 0) {
        SET(0, 0);
    } else if (from >= bits) {
        const bool sign = A.value >> (bits - 1) & 1, lost = A.undefined >> (bits - 1) & 1;
        SET(is_signed && sign ? mask : 0, is_signed && lost ? mask : 0);
    } else if (is_signed) {
        SET((uint64_t)((int64_t)(A.value << (64 - end)) >> (64 - end + from)) & mask,
            (uint64_t)((int64_t)(A.undefined << (64 - end)) >> (64 - end + from)) & mask);
    } else {
        SET(A.value << (64 - end) >> (64 - end + from), A.undefined << (64 - end) >> (64 - end + from));
    }
}

RUN(insert_field)
{
    const int bits = i->type.bits, from = (int)(C.value & 255), length = (int)(r[i->operand[4]].value & 255);
    const uint64_t mask = type_mask(i->type);
    (void)t;
    if (C.undefined | r[i->operand[4]].undefined) {
        SET(0, mask);
        return;
    }
    uint64_t field = length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1;
    field = from >= bits ? 0 : field << from & mask;
    const uint64_t value = from >= bits ? 0 : A.value << from, lost = from >= bits ? 0 : A.undefined << from;
    SET((B.value & ~field) | (value & field), (B.undefined & ~field) | (lost & field));
}

RUN(population)
{
    (void)t;
    SET((uint64_t)__builtin_popcountll(A.value), A.undefined ? MASK_32 : 0);
}

RUN(leading_zeros)
{
    const int bits = i->type.bits;
    (void)t;
    SET(A.value ? (uint64_t)(__builtin_clzll(A.value) - (64 - bits)) : (uint64_t)bits, A.undefined ? MASK_32 : 0);
}

static uint64_t reverse(uint64_t value, int bits)
{
    uint64_t result = 0;
    for (int k = 0; k < bits; k++)
        result |= (value >> k & 1) << (bits - 1 - k);
    return result;
}

RUN(reverse_bits)
{
    (void)t;
    SET(reverse(A.value, i->type.bits), reverse(A.undefined, i->type.bits));
}

RUN(find_highest)
{
    const int bits = i->type.bits;
    uint64_t value = A.value;
    (void)t;
    if (i->type.kind == SIGNED && value >> (bits - 1) & 1)
        value = ~value & type_mask(i->type);
    SET(value ? (uint64_t)(63 - __builtin_clzll(value)) : MASK_32, A.undefined ? MASK_32 : 0);
}

static uint64_t permute(uint64_t bytes, uint64_t selector, bool has_signs)
{
    uint64_t result = 0;
    for (int k = 0; k < 4; k++) {
        const uint64_t which = selector >> 4 * k & 15, byte = bytes >> 8 * (which & 7) & 255;
        result |= (has_signs && which & 8 ? (byte & 128 ? 255 : 0) : byte) << 8 * k;
    }
    return result;
}

RUN(permute_bytes)
{
    (void)t;
    if (C.undefined)
        SET(0, MASK_32);
    else
        SET(permute(B.value << 32 | A.value, C.value, true), permute(B.undefined << 32 | A.undefined, C.value, true));
}

/* ---- the table ---- */

#define ALL_TYPES(stem, run)                                                                                           \
    {stem ".b16", run, {BITS, 16}, 0}, {stem ".u16", run, {UNSIGNED, 16}, 0}, {stem ".s16", run, {SIGNED, 16}, 0},     \
    {stem ".b32", run, {BITS, 32}, 0}, {stem ".u32", run, {UNSIGNED, 32}, 0}, {stem ".s32", run, {SIGNED, 32}, 0},     \
    {stem ".b64", run, {BITS, 64}, 0}, {stem ".u64", run, {UNSIGNED, 64}, 0}, {stem ".s64", run, {SIGNED, 64}, 0},     \
    {stem ".f32", run, {FLOAT, 32}, 0}, {stem ".f64", run, {FLOAT, 64}, 0},
#define BIT_TYPES(stem, run)                                                                                           \
    {stem ".b16", run, {BITS, 16}, 0}, {stem ".b32", run, {BITS, 32}, 0}, {stem ".b64", run, {BITS, 64}, 0},
#define LOGIC(stem, run) BIT_TYPES(stem, run) {stem ".pred", run, {PREDICATE, 1}, 0},
#define SIGNS(stem, run)                                                                                               \
    {stem ".u32", run, {UNSIGNED, 32}, 0}, {stem ".s32", run, {SIGNED, 32}, 0}, {stem ".u64", run, {UNSIGNED, 64}, 0}, \
    {stem ".s64", run, {SIGNED, 64}, 0},
#define WIDE(stem, run) {stem ".b32", run, {BITS, 32}, 0}, {stem ".b64", run, {BITS, 64}, 0},

const struct opcode bit_opcodes[] = {
    ALL_TYPES("mov", run_move)
    {"mov.pred", run_move, {PREDICATE, 1}, 0},
    {"mov.f16", run_move, {FLOAT, 16}, 0},
    ALL_TYPES("selp", select)
    {"selp.f16", select, {FLOAT, 16}, 0},
    {"slct.s32.s32", select_by_sign, {SIGNED, 32}, 0},
    {"slct.u32.s32", select_by_sign, {UNSIGNED, 32}, 0},
    {"slct.b32.s32", select_by_sign, {BITS, 32}, 0},
    {"slct.f32.s32", select_by_sign, {FLOAT, 32}, 0},
    {"slct.b64.s32", select_by_sign, {BITS, 64}, 0},
    {"slct.u64.s32", select_by_sign, {UNSIGNED, 64}, 0},
    {"slct.s64.s32", select_by_sign, {SIGNED, 64}, 0},
    {"slct.f64.s32", select_by_sign, {FLOAT, 64}, 0},
    {"slct.f32.f32", select_by_sign, {FLOAT, 32}, 1},
    {"slct.b32.f32", select_by_sign, {BITS, 32}, 1},
    LOGIC("and", and_bits)
    LOGIC("or", or_bits)
    LOGIC("xor", xor_bits)
    LOGIC("not", not_bits)
    BIT_TYPES("cnot", logical_not)
    {"lop3.b32", lop3, {BITS, 32}, 0},
    BIT_TYPES("shl", shift_left)
    BIT_TYPES("shr", shift_right)
    {"shr.u16", shift_right, {UNSIGNED, 16}, 0},
    {"shr.u32", shift_right, {UNSIGNED, 32}, 0},
    {"shr.u64", shift_right, {UNSIGNED, 64}, 0},
    {"shr.s16", shift_arithmetic, {SIGNED, 16}, 0},
    {"shr.s32", shift_arithmetic, {SIGNED, 32}, 0},
    {"shr.s64", shift_arithmetic, {SIGNED, 64}, 0},
    {"shf.l.wrap.b32", funnel, {BITS, 32}, 0},
    {"shf.r.wrap.b32", funnel, {BITS, 32}, 1},
    {"shf.l.clamp.b32", funnel, {BITS, 32}, 2},
    {"shf.r.clamp.b32", funnel, {BITS, 32}, 3},
    SIGNS("bfe", extract_field)
    WIDE("bfi", insert_field)
    WIDE("popc", population)
    WIDE("clz", leading_zeros)
    WIDE("brev", reverse_bits)
    SIGNS("bfind", find_highest)
    {"prmt.b32", permute_bytes, {BITS, 32}, 0},
    {NULL, NULL, {0, 0}, 0},
};
