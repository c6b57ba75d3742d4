/* Warp operations on the CPU.  The lanes of a warp are fibers; each lane that comes to an operation leaves its operands
 * and waits, and the last one computes the results of all, so the operation happens in lock step.  As on a GPU, lanes
 * that have ended are waited for by nobody. */

#include "executor/executor.h"
#include <stdio.h>
#include <string.h>

static struct warp *warp_of(const struct fiber *fiber)
{
    return &fiber->workspace->warps[thread_number(fiber) / WARP_SIZE];
}

static unsigned lane_of(const struct fiber *fiber)
{
    return (unsigned)thread_number(fiber) % WARP_SIZE;
}

/* The fiber of lane 0 of the same warp. */
static struct fiber *first_lane(const struct fiber *fiber)
{
    return &fiber->workspace->fibers[thread_number(fiber) / WARP_SIZE * WARP_SIZE];
}

static inline bool has_lane(unsigned mask, unsigned lane)
{
    return mask >> lane & 1;
}

#define FOR_LANES(lane, mask)                                                                                          \
    for (unsigned lane = 0; lane < WARP_SIZE; lane++)                                                                  \
        if (has_lane(mask, lane))

/* ---- results ---- */

/* On a GPU such a read gives anything. */
static void report_missing_value(const struct fiber *reader, unsigned source)
{
    char text[160];
    if (has_lane(reader->request->mask, source))
        snprintf(text, sizeof text, "a shuffle reads from lane %u, which has exited or does not exist", source);
    else
        snprintf(text, sizeof text, "a shuffle reads from lane %u, which is not in its mask 0x%08x", source,
                 reader->request->mask);
    reader->workspace->hooks->no_value(reader, text,
                                       "have all lanes of the warp call this, idle ones with a neutral value");
}

/* A lane that has ended, or was never there in a block of less than whole warps, has no value: the reader gets its own,
 * which nothing should depend on. */
static void shuffle(struct fiber *lanes, unsigned mask)
{
    FOR_LANES(lane, mask)
    {
        struct request *request = lanes[lane].request;
        unsigned source = request->argument % WARP_SIZE;
        request->result = has_lane(mask, source) ? lanes[source].request->value : request->value;
        if (!has_lane(mask, source) && lanes->workspace->watched != NULL)
            report_missing_value(&lanes[lane], source);
    }
}

/* Who says yes, and in the upper half who takes part. */
static void vote(struct fiber *lanes, unsigned mask)
{
    unsigned yes = 0;
    FOR_LANES(lane, mask)
        yes |= (unsigned)(lanes[lane].request->value != 0) << lane;
    FOR_LANES(lane, mask)
        lanes[lane].request->result = (uint64_t)mask << 32 | yes;
}

/* Who has the same value, and in the upper half who takes part. */
static void match(struct fiber *lanes, unsigned mask)
{
    unsigned left = mask;
    while (left != 0) {
        uint64_t value = lanes[__builtin_ctz(left)].request->value;
        unsigned equal = 0;
        FOR_LANES(lane, left)
            equal |= (unsigned)(lanes[lane].request->value == value) << lane;
        FOR_LANES(lane, equal)
            lanes[lane].request->result = (uint64_t)mask << 32 | equal;
        left &= ~equal;
    }
}

static uint64_t combine(enum gpucc_cpu_reduction reduction, uint64_t a, uint64_t b)
{
    switch (reduction) {
    case GPUCC_CPU_ADD:
        return a + b;
    case GPUCC_CPU_MIN:
        return (int64_t)a < (int64_t)b ? a : b;
    case GPUCC_CPU_MAX:
        return (int64_t)a > (int64_t)b ? a : b;
    case GPUCC_CPU_UMIN:
        return a < b ? a : b;
    case GPUCC_CPU_UMAX:
        return a > b ? a : b;
    case GPUCC_CPU_AND:
        return a & b;
    case GPUCC_CPU_OR:
        return a | b;
    case GPUCC_CPU_XOR:
        return a ^ b;
    }
    return 0;
}

static void reduce(struct fiber *lanes, unsigned mask, enum gpucc_cpu_reduction reduction)
{
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint64_t result = lanes[first].request->value;
    FOR_LANES(lane, mask & ~(1u << first))
        result = combine(reduction, result, lanes[lane].request->value);
    FOR_LANES(lane, mask)
        lanes[lane].request->result = result;
}

/* Lanes of one meeting bring one function, unless they have branched apart. */
static void run_together(struct fiber *lanes, unsigned mask)
{
    const struct request *first = lanes[__builtin_ctz(mask)].request;
    void *operands[WARP_SIZE] = {0};
    FOR_LANES(lane, mask)
    {
        if (lanes[lane].request->compute != first->compute)
            fiber_fail(&lanes[lane], "the lanes of its warp call different warp operations");
        operands[lane] = (void *)(uintptr_t)lanes[lane].request->value;
    }
    first->compute(operands, mask);
    FOR_LANES(lane, mask)
        lanes[lane].request->result = mask;
}

static void carry_out(struct fiber *lanes, int operation, unsigned mask)
{
    if (operation == WARP_SHUFFLE)
        shuffle(lanes, mask);
    else if (operation == WARP_VOTE)
        vote(lanes, mask);
    else if (operation == WARP_MATCH)
        match(lanes, mask);
    else if (operation == WARP_TOGETHER)
        run_together(lanes, mask);
    else if (operation >= WARP_REDUCE)
        reduce(lanes, mask, (enum gpucc_cpu_reduction)(operation - WARP_REDUCE));
}

/* ---- meetings ---- */

static struct meeting *meeting_for(struct warp *warp, int operation, unsigned mask)
{
    for (int i = 0; i < warp->meeting_count; i++)
        if (warp->meetings[i].operation == operation && warp->meetings[i].mask == mask)
            return &warp->meetings[i];
    struct meeting *meeting = &warp->meetings[warp->meeting_count++];
    *meeting = (struct meeting){.operation = operation, .mask = mask};
    return meeting;
}

/* Everybody is there: results for all, and all but `self`, which runs, become runnable. */
static void complete_meeting(struct warp *warp, struct meeting *meeting, struct fiber *lanes, const struct fiber *self)
{
    const struct meeting held = *meeting;
    *meeting = warp->meetings[--warp->meeting_count];
    carry_out(lanes, held.operation, held.arrived);
    /* Other operations order nothing in memory. */
    if (self->workspace->watched != NULL && (held.operation == WARP_SYNC || held.operation == WARP_TOGETHER))
        self->workspace->hooks->warp_synced(lanes, held.arrived);
    FOR_LANES(lane, held.arrived)
    {
        lanes[lane].request = NULL;
        if (&lanes[lane] != self)
            list_append(&self->workspace->runnable, &lanes[lane]);
    }
}

static const char *operation_name(int operation)
{
    static const char *const names[] = {"syncwarp", "activemask", "a vote", "a match", "a shuffle",
                                        "an operation of the warp"};
    return operation < WARP_REDUCE ? names[operation] : "a reduction";
}

/* The lane has ended, and lanes wait for it to come where it was last, but by another mask. */
static void check_mask(const struct fiber *ended, const struct meeting *meeting)
{
    unsigned mask;
    if (!has_lane(meeting->mask, lane_of(ended)))
        return;
    const struct fiber *waiting = &first_lane(ended)[__builtin_ctz(meeting->arrived)];
    if (ended->workspace->hooks->warp_met(ended, waiting, &mask) && mask != meeting->mask)
        fiber_fail(waiting, "the mask 0x%08x of %s names lane %u, which came here with the mask 0x%08x", meeting->mask,
                   operation_name(meeting->operation), lane_of(ended), mask);
}

void warp_leave(struct fiber *fiber)
{
    struct warp *warp = warp_of(fiber);
    warp->lanes &= ~(1u << lane_of(fiber));
    for (int i = 0; fiber->workspace->watched != NULL && i < warp->meeting_count; i++)
        check_mask(fiber, &warp->meetings[i]);
    for (int i = warp->meeting_count - 1; i >= 0; i--) {
        struct meeting *meeting = &warp->meetings[i];
        if (meeting->arrived == (meeting->mask & warp->lanes))
            complete_meeting(warp, meeting, first_lane(fiber), fiber);
    }
}

static uint64_t meet(struct request request)
{
    struct fiber *self = current_fiber;
    struct warp *warp = warp_of(self);
    if (!has_lane(request.mask, lane_of(self)))
        fiber_fail(self, "the mask 0x%08x of %s leaves out the calling lane, %u", request.mask,
                   operation_name(request.operation), lane_of(self));
    if (self->workspace->watched != NULL)
        self->workspace->hooks->warp_arrived(self, request.mask);
    struct meeting *meeting = meeting_for(warp, request.operation, request.mask);
    meeting->arrived |= 1u << lane_of(self);
    self->request = &request;
    if (meeting->arrived == (meeting->mask & warp->lanes))
        complete_meeting(warp, meeting, first_lane(self), self);
    else
        fiber_wait(self);
    return request.result;
}

/* ---- who is active: the lanes that come to the same place in the program before anything else makes them wait ---- */

static void report_active(struct workspace *workspace, struct fiber *lanes, int count)
{
    for (int i = 0; i < count; i++) {
        struct request *request = lanes[i].request;
        if (request == NULL || request->operation != WARP_ACTIVE || request->result != 0)
            continue;
        unsigned same = 0;
        for (int k = i; k < count; k++)
            if (lanes[k].request != NULL && lanes[k].request->operation == WARP_ACTIVE &&
                lanes[k].request->argument == request->argument)
                same |= 1u << k;
        FOR_LANES(lane, same)
        {
            lanes[lane].request->result = same;
            list_append(&workspace->runnable, &lanes[lane]);
        }
    }
}

bool warp_converge(struct workspace *workspace)
{
    if (workspace->converging == 0)
        return false;
    for (int i = 0; i < workspace->threads; i += WARP_SIZE) {
        int rest = workspace->threads - i;
        report_active(workspace, &workspace->fibers[i], rest < WARP_SIZE ? rest : WARP_SIZE);
    }
    workspace->converging = 0;
    return true;
}

GPUCC_API unsigned gpucc_cpu_warp_active(unsigned place)
{
    struct fiber *self = current_fiber;
    struct request request = {.operation = WARP_ACTIVE, .argument = place};
    self->request = &request;
    self->workspace->converging++;
    fiber_wait(self);
    self->request = NULL;
    return (unsigned)request.result;
}

/* ---- what kernels call ---- */

GPUCC_API void gpucc_cpu_warp_sync(unsigned mask)
{
    meet((struct request){.operation = WARP_SYNC, .mask = mask});
}

GPUCC_API uint64_t gpucc_cpu_warp_shuffle(unsigned mask, uint64_t value, unsigned source)
{
    return meet((struct request){.operation = WARP_SHUFFLE, .mask = mask, .value = value, .argument = source});
}

GPUCC_API uint64_t gpucc_cpu_warp_vote(unsigned mask, int predicate)
{
    return meet((struct request){.operation = WARP_VOTE, .mask = mask, .value = predicate != 0});
}

GPUCC_API uint64_t gpucc_cpu_warp_match(unsigned mask, uint64_t value)
{
    return meet((struct request){.operation = WARP_MATCH, .mask = mask, .value = value});
}

GPUCC_API uint64_t gpucc_cpu_warp_reduce(unsigned mask, uint64_t value, enum gpucc_cpu_reduction reduction)
{
    return meet((struct request){.operation = WARP_REDUCE + (int)reduction, .mask = mask, .value = value});
}

GPUCC_API unsigned gpucc_cpu_warp_together(unsigned mask, void (*compute)(void *const *operands, unsigned lanes),
                                           void *operand)
{
    return (unsigned)meet((struct request){
        .operation = WARP_TOGETHER, .mask = mask, .value = (uintptr_t)operand, .compute = compute});
}

/* ---- messages ---- */

void warp_describe_wait(const struct fiber *fiber, char *text, size_t size)
{
    const struct request *request = fiber->request;
    const struct warp *warp = warp_of(fiber);
    for (int i = 0; i < warp->meeting_count; i++) {
        const struct meeting *meeting = &warp->meetings[i];
        if (meeting->operation != request->operation || meeting->mask != request->mask)
            continue;
        unsigned missing = meeting->mask & warp->lanes & ~meeting->arrived;
        const struct fiber *other = &first_lane(fiber)[__builtin_ctz(missing)];
        snprintf(text, size, "it waits in %s with mask 0x%08x, but lanes 0x%08x do not arrive: lane %u is in %s%s",
                 operation_name(request->operation), request->mask, missing, lane_of(other),
                 other->at_barrier ? "a barrier of the block" : operation_name(other->request->operation),
                 other->at_barrier ? "" : " with another mask or of another kind");
        return;
    }
    snprintf(text, size, "it waits for others");
}
