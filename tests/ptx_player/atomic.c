/* atom and red: threads run one after the other, so that each is atomic. */
#include "ptx.h"

#include <string.h>

enum operation { ADD, MIN, MAX, AND, OR, XOR, EXCH, CAS, INC, DEC };

static int64_t as_signed(uint64_t value, int bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* In global memory the hardware adds float32 without denormals. */
static uint64_t add_floats(const struct instruction *i, uint64_t a, uint64_t b, bool flushes)
{
    uint64_t result = 0;
    if (i->type.kind == FLOAT && i->type.bits == 64)
        return bits_of_double(double_of(a) + double_of(b));
    if (i->type.kind == FLOAT && i->type.bits == 32) {
        const float x = float_of(a), y = float_of(b), sum = flushes ? flush(flush(x) + flush(y)) : x + y;
        return sum != sum ? 0x7fffffff : bits_of_float(sum);
    }
    for (int at = 0; at < i->type.bits; at += 16) {
        const uint64_t x = a >> at & MASK_16, y = b >> at & MASK_16;
        result |= (i->type.kind == BFLOAT || i->type.kind == PACKED_BFLOAT
                       ? round_to_brain(brain_of(x) + brain_of(y), TO_NEAREST)
                       : round_to_half(half_of(x) + half_of(y), TO_NEAREST)) << at;
    }
    return result;
}

static uint64_t combine(const struct instruction *i, uint64_t old, uint64_t b, uint64_t c, bool is_global)
{
    const int bits = i->type.bits;
    const bool is_signed = i->type.kind == SIGNED;
    const bool is_less = is_signed ? as_signed(b, bits) < as_signed(old, bits) : b < old;
    switch ((enum operation)i->detail) {
    case ADD: return i->type.kind > BITS ? add_floats(i, old, b, is_global) : old + b;
    case MIN: return is_less ? b : old;
    case MAX: return is_less ? old : b;
    case AND: return old & b;
    case OR: return old | b;
    case XOR: return old ^ b;
    case EXCH: return b;
    case CAS: return old == b ? c : old;
    case INC: return old >= b ? 0 : old + 1;
    case DEC: return old == 0 || old > b ? b : old - 1;
    }
    return old;
}

/* mode: 1 where it has a result. */
static void atomic(struct thread *t, struct reg *r, const struct instruction *i)
{
    const int first = i->mode;
    const size_t size = i->type.bits / 8;
    const struct place place = find_place(t, i->space, address_of(t, r, i, first), size, true);
    const struct reg old = load_place(place, size), b = r[i->operand[first + 1]], c = r[i->operand[first + 2]];
    const uint64_t mask = type_mask(i->type);
    struct reg result = {combine(i, old.value, b.value & mask, c.value & mask, place.is_global) & mask, 0};
    if (i->detail == CAS && is_equality_decided(old, (struct reg){b.value & mask, b.undefined & mask}))
        result.undefined = (old.value == (b.value & mask) ? c : old).undefined & mask;
    else
        result.undefined = all_if(((i->detail == EXCH ? 0 : old.undefined) | b.undefined) & mask, mask);
    store_place(t, place, size, result);
    if (i->mode)
        r[i->operand[0]] = old;
}

bool decode_atomic(const struct parts *parts, struct instruction *i)
{
    static const char *const names[] = {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"};
    const bool has_result = part_is(parts, 0, "atom");
    if ((!has_result && !part_is(parts, 0, "red")) || i->type.bits < 16)
        return false;
    i->mode = has_result;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (find_part(parts, names[k]) > 0) {
            i->detail = (uint8_t)k;
            i->run = atomic;
        }
    return i->run != NULL;
}
