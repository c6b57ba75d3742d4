/* The barriers of blocks and of clusters. */
#include "ptx.h"

enum operation { SYNC, ARRIVE, RED_POPC, RED_AND, RED_OR };

struct tally {
    unsigned count, expected, votes;
    const struct thread *last;
};

/* All lanes of a warp reach an aligned barrier by the same instruction. */
static void check_alignment(struct thread *t, const struct tally *tally)
{
    if (t->waiting->mode && tally->last && tally->last->number / WARP == t->number / WARP &&
        tally->last->waiting != t->waiting)
        fault(t, "lanes of a warp wait for one aligned barrier at different instructions");
    if (tally->last && tally->last->expected != t->expected)
        fault(t, "threads wait for barrier %u of %u and of %u threads", t->barrier, t->expected, tally->last->expected);
}

static bool vote_of(struct thread *t)
{
    const struct instruction *i = t->waiting;
    if (i->detail < RED_POPC)
        return false;
    const struct reg p = t->current[i->operand[i->count - 1]];
    if (p.undefined)
        fault(t, "the predicate of a barrier is undefined");
    return (p.value & 1) ^ (i->flags & NEGATED ? 1 : 0);
}

static void leave_barrier(struct thread *t, const struct tally *tally)
{
    uint64_t result = 0;
    switch ((enum operation)t->waiting->detail) {
    case RED_POPC: result = tally->votes; break;
    case RED_AND: result = tally->votes == tally->count; break;
    case RED_OR: result = tally->votes > 0; break;
    default: break;
    }
    if (t->waiting->detail >= RED_POPC)
        t->current[t->waiting->operand[0]] = (struct reg){result, 0};
    t->state = RUNNING;
}

static bool release_barrier(struct block *block, unsigned number)
{
    struct tally tally = {block->arrived[number], 0, 0, NULL};
    for (unsigned k = 0; k < block->thread_count; k++) {
        struct thread *t = &block->threads[k];
        if (t->state != AT_BARRIER || t->barrier != number)
            continue;
        check_alignment(t, &tally);
        tally.last = t;
        tally.count++;
        tally.votes += vote_of(t);
        tally.expected = t->expected;
    }
    const unsigned live = block->thread_count - block->done;
    if (!tally.last || tally.count < (tally.expected && tally.expected < live ? tally.expected : live))
        return false;
    for (unsigned k = 0; k < block->thread_count; k++)
        if (block->threads[k].state == AT_BARRIER && block->threads[k].barrier == number)
            leave_barrier(&block->threads[k], &tally);
    block->arrived[number] = 0;
    return true;
}

/* A thread that arrives may be ahead of those that wait, who are only released when nobody runs. */
static void arrive(struct thread *t)
{
    struct block *block = t->block;
    if (t->expected == 0)
        fault(t, "an arrival that has no number of threads");
    release_barrier(block, t->barrier);
    if (++block->arrived[t->barrier] > t->expected)
        fault(t, "more than %u threads arrive at barrier %u", t->expected, t->barrier);
}

/* Operands: [result,] number [, threads] [, [!]predicate]. */
static void wait_barrier(struct thread *t, struct reg *r, const struct instruction *i)
{
    const int first = i->detail >= RED_POPC ? 1 : 0, predicate = i->detail >= RED_POPC ? i->count - 1 : i->count;
    const struct reg number = r[i->operand[first]];
    const struct reg threads = first + 1 < predicate ? r[i->operand[first + 1]] : (struct reg){0, 0};
    if (number.undefined | threads.undefined)
        fault(t, "the number of a barrier is undefined");
    if (number.value >= MOST_BARRIERS || threads.value % WARP != 0 || threads.value > 1024)
        fault(t, "barrier %llu of %llu threads", (unsigned long long)number.value, (unsigned long long)threads.value);
    t->barrier = (uint32_t)number.value;
    t->expected = (uint32_t)threads.value;
    t->waiting = i;
    if (i->detail == ARRIVE)
        arrive(t);
    else
        t->state = AT_BARRIER;
}

bool release_barriers(struct block *block)
{
    bool is_released = false;
    block->done = 0;
    for (unsigned k = 0; k < block->thread_count; k++)
        block->done += block->threads[k].state == DONE;
    for (unsigned number = 0; number < ALL_BARRIERS; number++)
        is_released |= release_barrier(block, number);
    return is_released;
}

/* ---- clusters ---- */

static void arrive_cluster(struct thread *t, struct reg *r, const struct instruction *i)
{
    (void)r, (void)i;
    t->arrivals++;
}

static void wait_cluster(struct thread *t, struct reg *r, const struct instruction *i)
{
    (void)r;
    t->waiting = i;
    t->state = AT_CLUSTER;
}

bool release_cluster(struct block *blocks, unsigned count)
{
    uint64_t least = UINT64_MAX;
    bool is_released = false;
    for (unsigned b = 0; b < count; b++)
        for (unsigned k = 0; k < blocks[b].thread_count; k++)
            if (blocks[b].threads[k].state != DONE && blocks[b].threads[k].arrivals < least)
                least = blocks[b].threads[k].arrivals;
    for (unsigned b = 0; b < count; b++)
        for (unsigned k = 0; k < blocks[b].thread_count; k++) {
            struct thread *t = &blocks[b].threads[k];
            if (t->state == AT_CLUSTER && t->arrivals <= least) {
                t->state = RUNNING;
                is_released = true;
            }
        }
    return is_released;
}

/* ---- decoding ---- */

bool decode_barrier(const struct parts *parts, struct instruction *i)
{
    const bool is_short = part_is(parts, 0, "bar");
    if (!is_short && !part_is(parts, 0, "barrier"))
        return false;
    if (part_is(parts, 1, "cluster")) {
        i->run = part_is(parts, 2, "arrive") ? arrive_cluster : part_is(parts, 2, "wait") ? wait_cluster : NULL;
        return i->run;
    }
    i->mode = is_short || find_part(parts, "aligned") > 0;
    i->from = (struct type){BITS, 32}; /* of constants */
    i->run = wait_barrier;
    if (find_part(parts, "red") > 0)
        i->detail = find_part(parts, "popc") > 0 ? RED_POPC : find_part(parts, "and") > 0 ? RED_AND : RED_OR;
    else
        i->detail = find_part(parts, "arrive") > 0 ? ARRIVE : SYNC;
    return i->detail != SYNC || find_part(parts, "sync") > 0;
}
