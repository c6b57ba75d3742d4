/* Barriers of <gpucc/tma.h> on the CPU.  A thread that waits for one is made runnable when no other can run: then the
 * phases of all that wait are looked up (mbarrier_release()).  Blocks of a cooperative launch's cluster may run on
 * several OS threads, so a state changes atomically. */
#include "executor/executor.h"

#include <stdio.h>

/* A state: from the lowest bit the arrivals that the phase still waits for, the arrivals of each phase, the bytes that
 * it waits for plus BYTES_ZERO, the phase's parity, and that it is a state. */
enum { ARRIVAL_BITS = 20, BYTES_BITS = 22, BYTES_SHIFT = 2 * ARRIVAL_BITS, PARITY_SHIFT = BYTES_SHIFT + BYTES_BITS };
#define MOST_ARRIVALS ((1u << ARRIVAL_BITS) - 1)
#define BYTES_ZERO (1 << (BYTES_BITS - 1))
#define IS_STATE ((uint64_t)1 << 63)
enum { IS_MEETING = 2 }; /* of a parity: a warpgroup's threads wait for each other */

struct phase {
    unsigned pending, arrivals;
    int bytes;
    unsigned parity;
};

static struct phase unpack(uint64_t state)
{
    return (struct phase){.pending = (unsigned)(state & MOST_ARRIVALS),
                          .arrivals = (unsigned)(state >> ARRIVAL_BITS & MOST_ARRIVALS),
                          .bytes = (int)(state >> BYTES_SHIFT & ((1u << BYTES_BITS) - 1)) - BYTES_ZERO,
                          .parity = (unsigned)(state >> PARITY_SHIFT & 1)};
}

static uint64_t pack(struct phase phase)
{
    return IS_STATE | (uint64_t)phase.parity << PARITY_SHIFT |
           (uint64_t)(unsigned)(phase.bytes + BYTES_ZERO) << BYTES_SHIFT |
           (uint64_t)phase.arrivals << ARRIVAL_BITS | phase.pending;
}

static uint64_t load(const uint64_t *barrier)
{
    return __atomic_load_n(barrier, __ATOMIC_ACQUIRE);
}

/* The calling thread; null outside of kernels, where barriers do nothing. */
static struct fiber *calling_fiber(const uint64_t *barrier, const char *function)
{
    struct fiber *self = current_fiber;
    if (!is_fiber(self))
        return NULL;
    if (((uintptr_t)barrier & 7) != 0)
        fiber_fail(self, "%s(): the mbarrier's address is not a multiple of 8", function);
    return self;
}

/* Null where nothing is watched. */
static const struct engine_hooks *engine_of(const struct fiber *self)
{
    return self->workspace->watched != NULL ? self->workspace->hooks->engine : NULL;
}

static uint64_t valid_state(const struct fiber *self, const uint64_t *barrier, const char *function)
{
    const uint64_t state = load(barrier);
    const struct engine_hooks *engine = engine_of(self);
    if ((state & IS_STATE) == 0 || (engine != NULL && !engine->mbarrier_is_usable(self, barrier)))
        fiber_fail(self, "%s() of an mbarrier that no mbarrier_init() has initialized", function);
    return state;
}

/* Counts arrivals and bytes; the phase ends when it waits for none. */
static void count(const struct fiber *self, uint64_t *barrier, unsigned arrivals, int bytes, const char *function)
{
    uint64_t state = valid_state(self, barrier, function), next;
    const struct engine_hooks *engine = engine_of(self);
    struct phase phase, before;
    if (engine != NULL && arrivals > 0)
        engine->mbarrier_arrive(self, barrier);
    do {
        phase = before = unpack(state);
        if (arrivals > phase.pending)
            fiber_fail(self, "%s(): more arrivals at an mbarrier than the %u of its phase", function, phase.arrivals);
        phase.pending -= arrivals;
        phase.bytes += bytes;
        if (phase.bytes >= BYTES_ZERO || phase.bytes < -BYTES_ZERO)
            fiber_fail(self, "%s(): more than %d bytes are expected or copied in one phase of an mbarrier", function,
                       BYTES_ZERO - 1);
        if (phase.pending == 0 && phase.bytes == 0) {
            phase.pending = phase.arrivals;
            phase.parity ^= 1;
        }
        next = pack(phase);
    } while (!__atomic_compare_exchange_n(barrier, &state, next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    if (engine != NULL && phase.parity != before.parity)
        engine->mbarrier_completed(self, barrier, before.parity);
}

static bool has_ended(const uint64_t *barrier, unsigned parity)
{
    return unpack(load(barrier)).parity != (parity & 1);
}

void mbarrier_count_bytes(const struct fiber *self, uint64_t *barrier, unsigned bytes, const char *function)
{
    count(self, barrier, 0, -(int)bytes, function);
}

void mbarrier_check(const struct fiber *self, const uint64_t *barrier, const char *function)
{
    valid_state(self, barrier, function);
}

bool mbarrier_release(struct workspace *workspace)
{
    struct fiber_list waiting = workspace->mbarrier_waits;
    bool any = false;
    workspace->mbarrier_waits.first = NULL;
    for (struct fiber *fiber = waiting.first, *next; fiber != NULL; fiber = next) {
        next = fiber->next;
        const bool ended = has_ended(fiber->mbarrier, fiber->parity);
        list_append(ended ? &workspace->runnable : &workspace->mbarrier_waits, fiber);
        any |= ended;
    }
    return any;
}

void mbarrier_describe_wait(const struct fiber *fiber, char *text, size_t size)
{
    const struct phase phase = unpack(load(fiber->mbarrier));
    if (fiber->parity & IS_MEETING)
        snprintf(text, size, "it waits at wgmma_commit() for ever: %u of the %u threads of its warpgroup do not come",
                 phase.pending, phase.arrivals);
    else
        snprintf(text, size,
                 "it waits at mbarrier_wait() for parity %u for ever: the phase still waits for %u of %u arrivals and "
                 "for %d bytes",
                 fiber->parity & 1, phase.pending, phase.arrivals, phase.bytes);
}

/* Until the phase has ended that the thread waits for. */
static void wait_for(struct fiber *self, const uint64_t *barrier, unsigned parity)
{
    while (!has_ended(barrier, parity)) {
        self->mbarrier = barrier;
        self->parity = parity;
        list_append(&self->workspace->mbarrier_waits, self);
        fiber_wait(self);
        self->mbarrier = NULL;
    }
}

void mbarrier_meet(struct fiber *self)
{
    uint64_t *meeting = &self->workspace->commits[thread_number(self) / WARPGROUP];
    struct phase phase = unpack(load(meeting));
    if (*meeting == 0)
        phase = (struct phase){.pending = WARPGROUP, .arrivals = WARPGROUP};
    const unsigned parity = phase.parity;
    if (--phase.pending == 0) {
        phase.pending = WARPGROUP;
        phase.parity ^= 1;
    }
    *meeting = pack(phase);
    wait_for(self, meeting, parity | IS_MEETING);
}

/* ---- what kernels call ---- */

GPUCC_API void gpucc_cpu_mbarrier_init(uint64_t *barrier, unsigned arrivals)
{
    struct fiber *self = calling_fiber(barrier, "mbarrier_init");
    if (self == NULL)
        return;
    if (engine_of(self) != NULL)
        engine_of(self)->mbarrier_init(self, barrier);
    if (arrivals == 0 || arrivals > MOST_ARRIVALS)
        fiber_fail(self, "mbarrier_init() for %u arrivals: expected 1 to %u", arrivals, MOST_ARRIVALS);
    __atomic_store_n(barrier, pack((struct phase){.pending = arrivals, .arrivals = arrivals}), __ATOMIC_RELEASE);
}

GPUCC_API void gpucc_cpu_mbarrier_expect(uint64_t *barrier, unsigned bytes)
{
    const struct fiber *self = calling_fiber(barrier, "mbarrier_expect");
    if (self == NULL)
        return;
    if (bytes > MOST_ARRIVALS)
        fiber_fail(self, "mbarrier_expect() of %u bytes: expected at most %u", bytes, MOST_ARRIVALS);
    count(self, barrier, 0, (int)bytes, "mbarrier_expect");
}

GPUCC_API void gpucc_cpu_mbarrier_arrive(uint64_t *barrier)
{
    const struct fiber *self = calling_fiber(barrier, "mbarrier_arrive");
    if (self != NULL)
        count(self, barrier, 1, 0, "mbarrier_arrive");
}

/* A product is all threads' of a warpgroup: none goes on before all have come. */
GPUCC_API void gpucc_cpu_mbarrier_meet(void)
{
    struct fiber *self = current_fiber;
    if (is_fiber(self))
        mbarrier_meet(self);
}

static void note_waited(const struct fiber *self, const uint64_t *barrier, unsigned parity)
{
    if (engine_of(self) != NULL)
        engine_of(self)->mbarrier_waited(self, barrier, parity);
}

GPUCC_API void gpucc_cpu_mbarrier_wait(uint64_t *barrier, unsigned parity)
{
    struct fiber *self = calling_fiber(barrier, "mbarrier_wait");
    if (self == NULL)
        return;
    valid_state(self, barrier, "mbarrier_wait");
    wait_for(self, barrier, parity & 1);
    note_waited(self, barrier, parity);
}

GPUCC_API int gpucc_cpu_mbarrier_test(uint64_t *barrier, unsigned parity)
{
    struct fiber *self = calling_fiber(barrier, "mbarrier_test");
    if (self == NULL)
        return 1;
    valid_state(self, barrier, "mbarrier_test");
    if (!has_ended(barrier, parity))
        gpucc_cpu_warp_yield(); /* a thread that asks again lets others run */
    if (!has_ended(barrier, parity)) {
        if (engine_of(self) != NULL)
            engine_of(self)->mbarrier_polled(self, barrier);
        return 0;
    }
    note_waited(self, barrier, parity);
    return 1;
}
