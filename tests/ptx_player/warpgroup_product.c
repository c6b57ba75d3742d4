/* Products of warpgroups: wgmma.  Each thread computes its own sums, from tiles in shared memory, in the order and with
 * the roundings that the CPU device has (see matrix.c). */
#include "ptx.h"

#include <math.h>

enum { WARPGROUP = 128, BYTES_ALONG_K = 32 };

/* A tile as its descriptor has it. */
struct tile {
    uint64_t start, next, stride; /* from 64 columns to the next ones; of eight rows */
    unsigned swizzle;
    bool is_columns;
};

static struct tile tile_of(struct thread *t, struct reg descriptor, bool is_columns)
{
    static const unsigned swizzles[] = {0, 128, 64, 32};
    const uint64_t d = descriptor.value;
    if (descriptor.undefined)
        fault(t, "the descriptor of a tile is undefined");
    if (d >> 62 == 0)
        fault(t, "a tile without a swizzle");
    return (struct tile){(d & 0x3fff) << 4, (d >> 16 & 0x3fff) << 4, (d >> 32 & 0x3fff) << 4, swizzles[d >> 62],
                         is_columns};
}

/* The element at that byte along k, in a row of A or a column of B. */
static struct reg element_at(struct thread *t, const struct tile *tile, unsigned byte, unsigned row, size_t size)
{
    const uint64_t k = byte / size, across = row * size;
    const uint64_t address = tile->is_columns
                                 ? tile->start + across / 128 * tile->next + k / 8 * tile->stride + k % 8 * 128 +
                                       across % 128
                                 : tile->start + row / 8 * tile->stride + (uint64_t)(row % 8) * tile->swizzle + byte;
    return load_place(find_place(t, SHARED, address ^ (address >> 3 & (tile->swizzle - 16)), size, false), size);
}

static double e4m3_of(uint64_t bits)
{
    const int exponent = (int)(bits >> 3 & 15), fraction = (int)(bits & 7);
    const double size = (bits & 127) == 127 ? NAN
                        : exponent          ? ldexp(8 + fraction, exponent - 10)
                                            : ldexp(fraction, -9);
    return bits & 128 ? -size : size;
}

enum element { HALF, BRAIN, TF32, E4M3, E5M2, SIGNED_BYTE, UNSIGNED_BYTE };

static double number_of(uint64_t bits, enum element element)
{
    switch (element) {
    case HALF: return half_of(bits);
    case BRAIN: return brain_of(bits);
    case TF32: return (double)float_of(bits & ~UINT64_C(0x1fff));
    case E4M3: return e4m3_of(bits);
    case E5M2: return half_of(bits << 8);
    case SIGNED_BYTE: return (int8_t)bits;
    default: return (uint8_t)bits;
    }
}

/* A: a tile, or, if that is null, 64 x 16 elements in the registers of the warps' threads. */
struct left {
    const struct tile *tile;
    const struct group *warp;
};

/* Eight elements of 16 bits lie in four registers of each thread, as sums do. */
static struct reg part_at(const struct group *warp, unsigned byte, unsigned row)
{
    const unsigned k = byte / 2, lane = row % 8 * 4 + k % 8 / 2, word = k / 8 * 2 + row % 16 / 8;
    const struct reg both = *lane_operand(warp, (int)lane, (int)word);
    return (struct reg){both.value >> k % 2 * 16 & 0xffff, both.undefined >> k % 2 * 16 & 0xffff};
}

static struct reg sum_of(struct thread *t, const struct instruction *i, struct left a, const struct tile *b,
                         unsigned row, unsigned column, struct reg c)
{
    const size_t size = i->from.bits / 8;
    float single = float_of(c.value);
    uint32_t whole = (uint32_t)c.value;
    uint64_t undefined = c.undefined;
    for (unsigned byte = 0; byte < BYTES_ALONG_K; byte += (unsigned)size) {
        const struct reg x = a.tile ? element_at(t, a.tile, byte, row, size) : part_at(a.warp, byte, row);
        const struct reg y = element_at(t, b, byte, column, size);
        const double product = number_of(x.value, i->mode) * number_of(y.value, i->detail);
        undefined |= x.undefined | y.undefined;
        if (i->type.kind == FLOAT)
            single = (float)((double)single + product);
        else
            whole += (uint32_t)(int32_t)product;
    }
    const uint64_t bits = i->type.kind != FLOAT ? whole : isnan(single) ? 0x7fffffff : bits_of_float(single);
    return (struct reg){bits, all_if(undefined, MASK_32)};
}

static void multiply(struct thread *t, struct reg *r, const struct instruction *i, struct left a, const struct tile *b,
                     struct reg keeps)
{
    const unsigned lane = t->number % WARP, first = t->number % WARPGROUP / WARP * 16 + lane / 4;
    if (keeps.undefined)
        fault(t, "whether a product is added is undefined");
    for (unsigned k = 0; k < i->vector; k++) {
        struct reg *sum = &r[i->list[k]];
        *sum = sum_of(t, i, a, b, first + k / 2 % 2 * 8, k / 4 * 8 + lane % 4 * 2 + k % 2,
                      keeps.value & 1 ? *sum : (struct reg){0, 0});
    }
}

enum { PART_OPERANDS = 9 };

/* {sums}, a, b, keeps [, 1, 1 [, a is columns, b is columns]].  With a part, {a0, a1, a2, a3} for a and b's flag alone:
 * then the warp's threads meet. */
static void run_multiply(struct thread *t, struct reg *r, const struct instruction *i)
{
    if (i->count == PART_OPERANDS) {
        t->expected = UINT32_MAX;
        t->waiting = i;
        t->state = AT_WARP;
        return;
    }
    const bool has_columns = i->count > 6;
    const struct tile a = tile_of(t, r[i->operand[0]], has_columns && r[i->operand[5]].value);
    const struct tile b = tile_of(t, r[i->operand[1]], has_columns && r[i->operand[6]].value);
    multiply(t, r, i, (struct left){.tile = &a}, &b, r[i->operand[2]]);
}

void run_part_product(const struct group *g)
{
    require_all_lanes(g);
    for (int lane = 0; lane < WARP; lane++) {
        struct thread *t = g->lanes[lane];
        const struct tile b = tile_of(t, *lane_operand(g, lane, 4), lane_operand(g, lane, 8)->value);
        multiply(t, t->current, g->i, (struct left){.warp = g}, &b, *lane_operand(g, lane, 5));
    }
}

/* All threads of a warpgroup meet, as the tiles are free then for all. */
static void commit(struct thread *t, struct reg *r, const struct instruction *i)
{
    (void)r;
    if (t->number / WARPGROUP * WARPGROUP + WARPGROUP > t->block->thread_count)
        fault(t, "a warpgroup of fewer than %d threads", WARPGROUP);
    t->barrier = MOST_BARRIERS + t->number / WARPGROUP;
    t->expected = WARPGROUP;
    t->waiting = i;
    t->state = AT_BARRIER;
}

/* mode and detail: the elements of a and b. */
static bool decode_product(const struct parts *parts, struct instruction *i)
{
    static const struct {
        const char *name;
        enum element element;
        uint8_t bits;
    } elements[] = {{"f16", HALF, 16}, {"bf16", BRAIN, 16}, {"tf32", TF32, 32},         {"e4m3", E4M3, 8},
                    {"e5m2", E5M2, 8}, {"s8", SIGNED_BYTE, 8}, {"u8", UNSIGNED_BYTE, 8}};
    bool has_a = false, has_b = false;
    for (size_t k = 0; k < sizeof elements / sizeof *elements; k++) {
        if (part_is(parts, 6, elements[k].name)) {
            i->mode = (uint8_t)elements[k].element;
            i->from = (struct type){BITS, elements[k].bits};
            has_a = true;
        }
        if (part_is(parts, 7, elements[k].name)) {
            i->detail = (uint8_t)elements[k].element;
            has_b = true;
        }
    }
    i->type = part_is(parts, 5, "f32") ? (struct type){FLOAT, 32} : (struct type){SIGNED, 32};
    i->flags |= LISTED;
    i->run = run_multiply;
    return parts->count == 8 && has_a && has_b && (part_is(parts, 5, "f32") || part_is(parts, 5, "s32"));
}

bool decode_warpgroup(const struct parts *parts, struct instruction *i)
{
    if (!part_is(parts, 0, "wgmma"))
        return false;
    if (part_is(parts, 1, "mma_async"))
        return decode_product(parts, i);
    i->run = part_is(parts, 1, "commit_group") ? commit : run_nothing;
    return i->run == commit || part_is(parts, 1, "fence") || part_is(parts, 1, "wait_group");
}
