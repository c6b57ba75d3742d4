/* setp and set: comparisons of integers and floating numbers. */
#include "ptx.h"

#include <math.h>

enum comparison { EQ, NE, LT, LE, GT, GE, EQU, NEU, LTU, LEU, GTU, GEU, NUM, NAN_, COMPARISON_COUNT };
enum combination { ALONE, AND, OR, XOR };

#define COMPARE(mode, a, b)                                                                                            \
    ((mode) == EQ ? (a) == (b) : (mode) == NE ? (a) != (b) : (mode) == LT ? (a) < (b) : (mode) == LE ? (a) <= (b)      \
     : (mode) == GT ? (a) > (b) : (a) >= (b))

/* An unordered comparison holds with NaNs too. */
static bool compare_floats(enum comparison mode, double a, double b)
{
    const bool is_unordered = isnan(a) || isnan(b);
    switch (mode) {
    case NUM: return !is_unordered;
    case NAN_: return is_unordered;
    case NE: return !is_unordered && a != b;
    case EQU:
    case NEU:
    case LTU:
    case LEU:
    case GTU:
    case GEU: return is_unordered || COMPARE(mode - EQU + EQ, a, b);
    default: return COMPARE(mode, a, b);
    }
}

bool is_equality_decided(struct reg a, struct reg b)
{
    return (a.value ^ b.value) & ~(a.undefined | b.undefined) ||
           (a.undefined == b.undefined && a.value == b.value);
}

static bool is_undecided(const struct instruction *i, struct reg a, struct reg b)
{
    if ((i->mode == EQ || i->mode == NE) && is_equality_decided(a, b))
        return false;
    return a.undefined | b.undefined;
}

static void finish(struct reg *r, const struct instruction *i, bool result, bool undefined)
{
    r[i->operand[0]] = (struct reg){result, undefined};
}

#define INTEGER(name, ctype, mode)                                                                                     \
    static void name(struct thread *t, struct reg *r, const struct instruction *i)                                     \
    {                                                                                                                  \
        const struct reg a = r[i->operand[1]], b = r[i->operand[2]];                                                   \
        (void)t;                                                                                                       \
        finish(r, i, COMPARE(mode, (ctype)a.value, (ctype)b.value),                                                    \
               a.undefined | b.undefined ? is_undecided(i, a, b) : 0);                                                 \
    }
#define ORDERED(suffix, ctype)                                                                                         \
    INTEGER(eq_##suffix, ctype, EQ)                                                                                    \
    INTEGER(ne_##suffix, ctype, NE)                                                                                    \
    INTEGER(lt_##suffix, ctype, LT)                                                                                    \
    INTEGER(le_##suffix, ctype, LE)                                                                                    \
    INTEGER(gt_##suffix, ctype, GT)                                                                                    \
    INTEGER(ge_##suffix, ctype, GE)
ORDERED(s16, int16_t)
ORDERED(s32, int32_t)
ORDERED(s64, int64_t)
ORDERED(unsigned, uint64_t)

static bool compare_any(const struct instruction *i, struct reg a, struct reg b)
{
    const struct type type = i->from;
    if (type.kind == FLOAT || type.kind == BFLOAT) {
        double x = type.kind == BFLOAT ? brain_of(a.value) : type.bits == 16 ? half_of(a.value)
                 : type.bits == 32 ? (double)float_of(a.value) : double_of(a.value);
        double y = type.kind == BFLOAT ? brain_of(b.value) : type.bits == 16 ? half_of(b.value)
                 : type.bits == 32 ? (double)float_of(b.value) : double_of(b.value);
        if (i->flags & FLUSH)
            x = (double)flush((float)x), y = (double)flush((float)y);
        return compare_floats(i->mode, x, y);
    }
    if (type.kind != SIGNED)
        return COMPARE(i->mode, a.value, b.value);
    const int shift = 64 - type.bits;
    return COMPARE(i->mode, (int64_t)(a.value << shift), (int64_t)(b.value << shift));
}

static void compare_plainly(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg a = r[i->operand[1]], b = r[i->operand[2]];
    (void)t;
    finish(r, i, compare_any(i, a, b), a.undefined | b.undefined);
}

static struct reg combine(const struct instruction *i, bool result, bool undefined, struct reg other)
{
    const bool c = (other.value & 1) ^ (i->flags & NEGATED ? 1 : 0), lost = other.undefined;
    switch ((enum combination)i->detail) {
    case AND: return (struct reg){result && c, (undefined && (c || lost)) || (lost && (result || undefined))};
    case OR: return (struct reg){result || c, (undefined && (!c || lost)) || (lost && (!result || undefined))};
    case XOR: return (struct reg){result ^ c, undefined || lost};
    case ALONE: break;
    }
    return (struct reg){result, undefined};
}

/* With two results, the second of the opposite comparison, and combined with a predicate. */
static void compare_combined(struct thread *t, struct reg *r, const struct instruction *i)
{
    const int first = i->flags & PAIR ? 2 : 1;
    const struct reg a = r[i->operand[first]], b = r[i->operand[first + 1]], c = r[i->operand[first + 2]];
    const bool result = compare_any(i, a, b), undefined = is_undecided(i, a, b);
    (void)t;
    if (i->flags & PAIR)
        r[i->operand[1]] = combine(i, !result, undefined, c);
    r[i->operand[0]] = combine(i, result, undefined, c);
}

/* set: all ones, or 1.0. */
static void set_value(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg a = r[i->operand[1]], b = r[i->operand[2]];
    const struct reg result = combine(i, compare_any(i, a, b), is_undecided(i, a, b), r[i->operand[3]]);
    const uint64_t mask = type_mask(i->type), one = i->type.kind == FLOAT ? 0x3f800000 : mask;
    (void)t;
    r[i->operand[0]] = (struct reg){result.value ? one : 0, all_if(result.undefined, mask)};
}

/* ---- decoding ---- */

static bool find_comparison(const struct parts *parts, uint8_t *mode)
{
    static const char *const names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                        "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    static const char *const unsigned_names[] = {"lo", "ls", "hi", "hs"};
    for (uint8_t k = 0; k < COMPARISON_COUNT; k++)
        if (part_is(parts, 1, names[k])) {
            *mode = k;
            return true;
        }
    for (uint8_t k = 0; k < 4; k++)
        if (part_is(parts, 1, unsigned_names[k])) {
            *mode = LT + k;
            return true;
        }
    return false;
}

static execute *integer_comparison(const struct instruction *i)
{
#define ALL(suffix) {eq_##suffix, ne_##suffix, lt_##suffix, le_##suffix, gt_##suffix, ge_##suffix}
    static execute *const all[][6] = {ALL(s16), ALL(s32), ALL(s64), ALL(unsigned)};
#undef ALL
    if (i->from.kind != SIGNED)
        return all[3][i->mode];
    return all[i->from.bits == 16 ? 0 : i->from.bits == 32 ? 1 : 2][i->mode];
}

bool decode_compare(const struct parts *parts, struct instruction *i)
{
    static const char *const combinations[] = {"", "and", "or", "xor"};
    const bool is_set = part_is(parts, 0, "set");
    if ((!is_set && !part_is(parts, 0, "setp")) || !find_comparison(parts, &i->mode) || i->type.bits == 0)
        return false;
    i->from = i->type;
    i->flags |= find_part(parts, "ftz") > 0 ? FLUSH : 0;
    for (uint8_t k = AND; k <= XOR; k++)
        if (find_part(parts, combinations[k]) > 0)
            i->detail = k;
    const bool is_float = i->from.kind == FLOAT || i->from.kind == BFLOAT;
    if (!is_float && i->mode > GE)
        return false;
    if (is_set) {
        const int at = parts->count - 2;
        i->run = set_value;
        return find_type(parts->text[at] - 1, parts->length[at] + 1, &i->type);
    }
    i->run = i->detail ? compare_combined : is_float || i->flags & FLUSH ? compare_plainly : integer_comparison(i);
    return true;
}
