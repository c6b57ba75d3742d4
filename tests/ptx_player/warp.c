/* Executes instructions of a whole warp: shuffles, votes, matches, reductions and their barrier. */
#include "ptx.h"

enum operation { BARRIER, SHUFFLE, VOTE, MATCH, REDUCE, ACTIVE, PRODUCT, LOAD_MATRIX };
enum shuffle { INDEX, UPWARD, DOWNWARD, BUTTERFLY };
enum vote { ALL, ANY, UNIFORM, BALLOT };
enum match { MATCH_ANY, MATCH_ALL };
enum reduction { ADD, MIN, MAX, AND, OR, XOR };

#define FOR_LANES(k, group)                                                                                            \
    for (int k = 0; k < WARP; k++)                                                                                     \
        if ((group)->mask >> k & 1)

static struct reg defined(const struct group *g, int lane, int k, const char *what)
{
    const struct reg value = *lane_operand(g, lane, k);
    if (value.undefined)
        fault(g->lanes[lane], "%s is undefined", what);
    return value;
}

/* ---- shuffles: d[|p], a, b, c, members ---- */

static int source_lane(const struct instruction *i, int lane, uint32_t b, uint32_t c, bool *is_inside)
{
    const int clamp = (int)(c & 31), segment = (int)(c >> 8 & 31);
    const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int from = lane;
    b &= 31;
    switch ((enum shuffle)i->mode) {
    case INDEX: from = least | ((int)b & ~segment); break;
    case UPWARD: from = lane - (int)b; break;
    case DOWNWARD: from = lane + (int)b; break;
    case BUTTERFLY: from = lane ^ (int)b; break;
    }
    *is_inside = i->mode == UPWARD ? from >= most : from <= most;
    return *is_inside ? from : lane;
}

static void shuffle(const struct group *g)
{
    const int first = g->i->flags & PAIR ? 2 : 1;
    struct reg results[WARP] = {0};
    bool inside[WARP] = {0};
    FOR_LANES (lane, g) {
        const struct reg b = defined(g, lane, first + 1, "the lane of a shuffle");
        const struct reg c = defined(g, lane, first + 2, "the segment of a shuffle");
        const int from = source_lane(g->i, lane, (uint32_t)b.value, (uint32_t)c.value, &inside[lane]);
        results[lane] = from >= 0 && from < WARP && g->mask >> from & 1 ? *lane_operand(g, from, first)
                                                                        : (struct reg){0, MASK_32};
    }
    FOR_LANES (lane, g) {
        *lane_operand(g, lane, 0) = results[lane];
        if (g->i->flags & PAIR)
            *lane_operand(g, lane, 1) = (struct reg){inside[lane], 0};
    }
}

/* ---- votes: d, p, members ---- */

static uint32_t ballot(const struct group *g)
{
    uint32_t votes = 0;
    FOR_LANES (lane, g) {
        const uint64_t value = defined(g, lane, 1, "the predicate of a vote").value & 1;
        votes |= (uint32_t)(value ^ (g->i->flags & NEGATED ? 1 : 0)) << lane;
    }
    return votes;
}

static void vote(const struct group *g)
{
    const uint32_t votes = ballot(g);
    uint64_t result = votes;
    switch ((enum vote)g->i->mode) {
    case ALL: result = votes == g->mask; break;
    case ANY: result = votes != 0; break;
    case UNIFORM: result = votes == g->mask || votes == 0; break;
    case BALLOT: break;
    }
    FOR_LANES (lane, g)
        *lane_operand(g, lane, 0) = (struct reg){result, 0};
}

/* ---- matches: d[|p], a, members ---- */

static void match(const struct group *g)
{
    const bool is_all = g->i->mode == MATCH_ALL;
    const int first = g->i->flags & PAIR ? 2 : 1;
    uint32_t same[WARP] = {0};
    FOR_LANES (lane, g)
        FOR_LANES (other, g)
            if (defined(g, lane, first, "a matched value").value == defined(g, other, first, "a matched value").value)
                same[lane] |= UINT32_C(1) << other;
    FOR_LANES (lane, g) {
        const bool holds = same[lane] == g->mask;
        *lane_operand(g, lane, 0) = (struct reg){!is_all || holds ? same[lane] : 0, 0};
        if (g->i->flags & PAIR)
            *lane_operand(g, lane, 1) = (struct reg){holds, 0};
    }
}

/* ---- reductions: d, a, members ---- */

static uint32_t reduce_two(const struct instruction *i, uint32_t a, uint32_t b)
{
    const bool is_less = i->type.kind == SIGNED ? (int32_t)a < (int32_t)b : a < b;
    switch ((enum reduction)i->mode) {
    case ADD: return a + b;
    case MIN: return is_less ? a : b;
    case MAX: return is_less ? b : a;
    case AND: return a & b;
    case OR: return a | b;
    case XOR: return a ^ b;
    }
    return 0;
}

static void reduce(const struct group *g)
{
    bool has_first = false;
    uint32_t result = 0;
    FOR_LANES (lane, g) {
        const uint32_t value = (uint32_t)defined(g, lane, 1, "a reduced value").value;
        result = has_first ? reduce_two(g->i, result, value) : value;
        has_first = true;
    }
    FOR_LANES (lane, g)
        *lane_operand(g, lane, 0) = (struct reg){result, 0};
}

static void active(const struct group *g)
{
    FOR_LANES (lane, g)
        *lane_operand(g, lane, 0) = (struct reg){g->mask, 0};
}

static void execute_group(const struct group *g)
{
    static void (*const all[])(const struct group *) = {
        [SHUFFLE] = shuffle, [VOTE] = vote, [MATCH] = match, [REDUCE] = reduce, [ACTIVE] = active,
        [PRODUCT] = run_product, [LOAD_MATRIX] = run_load_matrix};
    if (g->i->flags & LISTED)
        run_part_product(g);
    else if (g->i->detail != BARRIER)
        all[g->i->detail](g);
    FOR_LANES (lane, g)
        g->lanes[lane]->state = RUNNING;
}

/* ---- who takes part ---- */

/* Matrices take all lanes. */
static void wait(struct thread *t, struct reg *r, const struct instruction *i)
{
    if (i->detail >= PRODUCT) {
        t->expected = UINT32_MAX;
    } else if (i->detail != ACTIVE) {
        const struct reg members = r[i->operand[i->count - 1]];
        if (members.undefined)
            fault(t, "the mask of lanes is undefined");
        if (!(members.value >> t->number % WARP & 1))
            fault(t, "the mask of lanes %#llx is without this lane", (unsigned long long)members.value);
        t->expected = (uint32_t)members.value;
    }
    t->waiting = i;
    t->state = AT_WARP;
}

/* Lanes that have ended, or that the block does not have, are not waited for. */
static bool find_group(struct thread *threads, unsigned count, unsigned lane, struct group *g)
{
    const struct thread *asks = &threads[lane];
    *g = (struct group){.i = asks->waiting};
    for (unsigned k = 0; k < count; k++) {
        struct thread *other = &threads[k];
        const bool is_there = other->state == AT_WARP && other->waiting == asks->waiting;
        const bool is_member = asks->waiting->detail == ACTIVE ? is_there : asks->expected >> k & 1;
        if (!is_member || other->state == DONE)
            continue;
        if (!is_there || (asks->waiting->detail != ACTIVE && other->expected != asks->expected))
            return false;
        g->lanes[k] = other;
        g->mask |= UINT32_C(1) << k;
    }
    return true;
}

bool release_warp(struct thread *threads, unsigned count)
{
    bool is_released = false;
    struct group g;
    for (unsigned lane = 0; lane < count; lane++)
        if (threads[lane].state == AT_WARP && find_group(threads, count, lane, &g)) {
            execute_group(&g);
            is_released = true;
        }
    return is_released;
}

/* ---- decoding ---- */

static bool find_mode(const struct parts *parts, const char *const *names, struct instruction *i)
{
    for (uint8_t k = 0; names[k]; k++)
        if (find_part(parts, names[k]) > 0) {
            i->mode = k;
            return true;
        }
    return false;
}

bool decode_warp(const struct parts *parts, struct instruction *i)
{
    static const char *const shuffles[] = {"idx", "up", "down", "bfly", NULL}, *const matches[] = {"any", "all", NULL},
                             *const votes[] = {"all", "any", "uni", "ballot", NULL},
                             *const reductions[] = {"add", "min", "max", "and", "or", "xor", NULL};
    static const struct {
        const char *name;
        enum operation operation;
        const char *const *modes;
    } all[] = {{"shfl", SHUFFLE, shuffles}, {"vote", VOTE, votes},        {"match", MATCH, matches},
               {"redux", REDUCE, reductions}, {"activemask", ACTIVE, NULL}, {"bar", BARRIER, NULL},
               {"mma", PRODUCT, NULL}, {"ldmatrix", LOAD_MATRIX, NULL}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (!part_is(parts, 0, all[k].name) || (all[k].operation != ACTIVE && find_part(parts, "sync") < 0))
            continue;
        if (all[k].operation == BARRIER && !part_is(parts, 1, "warp"))
            continue;
        i->detail = all[k].operation;
        i->run = wait;
        if (all[k].operation >= PRODUCT)
            return decode_matrix(parts, i);
        i->from = (struct type){BITS, 64}; /* of constants */
        return !all[k].modes || find_mode(parts, all[k].modes, i);
    }
    return decode_barrier(parts, i);
}
