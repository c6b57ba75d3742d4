/* Executes a warp's instructions on small matrices: mma.sync and ldmatrix; <gpucc/matrix.h> has their layouts.
 *
 * A sum begins with c, and adds one exact product after the other, each addition rounded, as the CPU device does.  The
 * hardware's order and precision are not known: correct programs do not depend on the last bits of inexact sums. */
#include "ptx.h"

#include <math.h>

enum { MOST_ROWS = 16, COLUMNS = 8, MOST_DEPTH = 32 };

void require_all_lanes(const struct group *g)
{
    for (int lane = 0; lane < WARP; lane++)
        if (g->mask >> lane & 1 && g->mask != UINT32_MAX)
            fault(g->lanes[lane], "lanes %#x take part, and all have to", g->mask);
}

/* ---- products: d, a, b, c ---- */

/* In registers: a has steps * halves, b steps, and c and d 2 * halves. */
struct shape {
    int halves, steps, each; /* each: elements in a register */
};

static struct shape shape_of(const struct instruction *i)
{
    const int halves = i->mode / 8, bits = i->from.bits == 19 ? 32 : i->from.bits;
    const int each = (bits == 64 ? 64 : 32) / bits;
    return (struct shape){halves, i->vector / (4 * each), each};
}

struct element {
    double number;
    int32_t whole;
    bool undefined;
};

static struct element element_of(const struct instruction *i, struct reg r, int index)
{
    const struct type type = i->from;
    const int bits = type.bits == 19 ? 32 : type.bits;
    const uint64_t mask = type_mask((struct type){BITS, (uint8_t)bits});
    const uint64_t word = r.value >> index * bits & mask;
    struct element e = {.undefined = r.undefined >> index * bits & mask};
    if (type.kind == SIGNED)
        e.whole = (int8_t)word;
    else if (type.kind == BFLOAT)
        e.number = brain_of(word);
    else if (bits == 64)
        e.number = double_of(word);
    else
        e.number = bits == 16 ? half_of(word) : (double)float_of(word & ~UINT64_C(0x1fff)); /* tf32 */
    return e;
}

struct matrices {
    struct element a[MOST_ROWS][MOST_DEPTH], b[MOST_DEPTH][COLUMNS];
};

static void gather(const struct group *g, struct shape s, int first, struct matrices *m)
{
    for (int lane = 0; lane < WARP; lane++) {
        const int group = lane / 4, thread = lane % 4;
        for (int k = 0; k < s.steps * s.halves; k++)
            for (int e = 0; e < s.each; e++)
                m->a[group + k % s.halves * 8][s.each * (thread + k / s.halves * 4) + e] =
                    element_of(g->i, *lane_operand(g, lane, first + k), e);
        for (int k = 0; k < s.steps; k++)
            for (int e = 0; e < s.each; e++)
                m->b[s.each * (thread + k * 4) + e][group] =
                    element_of(g->i, *lane_operand(g, lane, first + s.steps * s.halves + k), e);
    }
}

/* One element of the result; `depth` products. */
static struct reg sum_of(const struct instruction *i, const struct matrices *m, int row, int column, int depth,
                         struct reg c)
{
    float single = float_of(c.value);
    double number = double_of(c.value);
    uint32_t whole = (uint32_t)c.value;
    bool undefined = c.undefined;
    for (int k = 0; k < depth; k++) {
        const struct element a = m->a[row][k], b = m->b[k][column];
        undefined |= a.undefined | b.undefined;
        whole += (uint32_t)(a.whole * b.whole);
        single = (float)((double)single + a.number * b.number);
        number = fma(a.number, b.number, number);
    }
    const uint64_t lost = all_if(undefined, type_mask(i->type));
    if (i->type.kind == SIGNED)
        return (struct reg){whole, lost};
    if (i->type.bits == 64)
        return (struct reg){bits_of_double(number), lost};
    return (struct reg){isnan(single) ? 0x7fffffff : bits_of_float(single), lost};
}

void run_product(const struct group *g)
{
    const struct shape s = shape_of(g->i);
    const int sums = 2 * s.halves, third = sums + s.steps * s.halves + s.steps;
    struct matrices m;
    require_all_lanes(g);
    gather(g, s, sums, &m);
    for (int lane = 0; lane < WARP; lane++)
        for (int k = 0; k < sums; k++)
            *lane_operand(g, lane, k) = sum_of(g->i, &m, lane / 4 + k / 2 * 8, lane % 4 * 2 + k % 2, g->i->vector,
                                               *lane_operand(g, lane, third + k));
}

/* ---- ldmatrix: {words}, [row]; a group of 8 lanes has the rows of each matrix of 8 x 8 elements of 16 bits ---- */

static struct place find_row(const struct group *g, int lane, int words)
{
    struct thread *t = g->lanes[lane];
    return find_place(t, SHARED, address_of(t, t->current, g->i, words), 16, false);
}

void run_load_matrix(const struct group *g)
{
    const int words = g->i->vector;
    struct place rows[WARP];
    require_all_lanes(g);
    for (int lane = 0; lane < 8 * words; lane++)
        rows[lane] = find_row(g, lane, words);
    for (int lane = 0; lane < WARP; lane++)
        for (int k = 0; k < words; k++) {
            struct reg word = {0, 0};
            for (int e = 0; e < 2; e++) {
                const int row = g->i->mode ? lane % 4 * 2 + e : lane / 4, at = g->i->mode ? lane / 4 : lane % 4 * 2 + e;
                const struct place from = rows[8 * k + row];
                const struct reg x = load_place((struct place){from.bytes + 2 * at, from.undefined + 2 * at, false}, 2);
                word.value |= x.value << 16 * e;
                word.undefined |= x.undefined << 16 * e;
            }
            *lane_operand(g, lane, k) = word;
        }
}

/* ---- decoding ---- */

/* from: the type of a and b; mode: rows; vector: products that an element adds. */
static bool decode_product(const struct parts *parts, struct instruction *i)
{
    static const struct {
        const char *shape, *sum, *element;
        uint8_t rows, depth;
        struct type type;
    } products[] = {
        {"m16n8k16", "f32", "f16", 16, 16, {FLOAT, 16}}, {"m16n8k16", "f32", "bf16", 16, 16, {BFLOAT, 16}},
        {"m16n8k8", "f32", "tf32", 16, 8, {FLOAT, 19}},  {"m16n8k32", "s32", "s8", 16, 32, {SIGNED, 8}},
        {"m8n8k4", "f64", "f64", 8, 4, {FLOAT, 64}},     {"m16n8k8", "f64", "f64", 16, 8, {FLOAT, 64}},
    };
    for (size_t k = 0; k < sizeof products / sizeof *products; k++)
        if (parts->count == 10 && part_is(parts, 3, products[k].shape) && part_is(parts, 4, "row") &&
            part_is(parts, 5, "col") && part_is(parts, 6, products[k].sum) && part_is(parts, 7, products[k].element) &&
            part_is(parts, 8, products[k].element) && part_is(parts, 9, products[k].sum)) {
            i->mode = products[k].rows;
            i->vector = products[k].depth;
            i->from = products[k].type;
            return true;
        }
    return false;
}

/* mode: transposed; vector: matrices. */
bool decode_matrix(const struct parts *parts, struct instruction *i)
{
    if (part_is(parts, 0, "mma"))
        return part_is(parts, 2, "aligned") && decode_product(parts, i);
    i->mode = find_part(parts, "trans") > 0;
    i->vector = find_part(parts, "x4") > 0 ? 4 : find_part(parts, "x2") > 0 ? 2 : 1;
    return find_part(parts, "m8n8") > 0 && find_part(parts, "shared") > 0 && find_part(parts, "b16") > 0;
}
