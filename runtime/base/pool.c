/* The CPU device's worker threads.
 *
 * A job is cut into one slot for each worker that takes part.  A worker empties its own slot in pieces, from the
 * front, then helps with the others', so that work which is repeated on the same memory tends to meet the same core,
 * and a worker that wakes late holds nobody up: the caller never waits for a worker that has not joined. */
#define _GNU_SOURCE
#include "base/common.h"
#include "base/floating_point.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    MAX_THREADS = 1024,
    SPINS = 400,    /* looks at a word before sleeping on it: some ten microseconds */
    WAKE_FANOUT = 2, /* sleepers that each waking thread wakes in turn */
    SIGNAL_STACK = 64 << 10,
};

/* The gate: how many workers are inside the job, and these two flags. */
enum { GATE_OPEN = 1 << 30, GATE_AWAITED = 1 << 29 };

struct slot {
    _Alignas(64) _Atomic uint64_t next;
    uint64_t end;
};

struct worker {
    struct pool *pool;
    int index;
    pthread_t thread;
    char *signal_stack;
};

struct pool {
    int size;
    int spins;
    struct worker *workers; /* [1, size) are threads of ours; 0 is whoever calls pool_run() */
    char *signal_stacks;
    struct slot *slots;
    pthread_mutex_t turn; /* held by the caller whose job runs */

    pool_work *work;
    void *data;
    struct findings *findings; /* where the caller's call has faults noted */
    uint64_t grain;
    int slot_count;

    _Alignas(64) _Atomic uint32_t signal; /* grows with each job; workers sleep on it */
    _Atomic int sleepers;
    _Atomic int to_wake;
    _Atomic bool stop;
    _Alignas(64) _Atomic uint32_t gate; /* the caller sleeps on it */
};

_Thread_local struct findings *call_findings;

/* The pool whose work this thread is doing. */
static _Thread_local struct place {
    struct pool *pool;
    int worker;
} inside;

static void futex_wait(_Atomic uint32_t *word, uint32_t expected)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- doing the work ---- */

/* Takes a piece off the front of the slot: large ones first, never less than a grain. */
static bool slot_claim(struct slot *slot, uint64_t grain, uint64_t *begin, uint64_t *end)
{
    uint64_t next = atomic_load_explicit(&slot->next, memory_order_relaxed), take;
    do {
        if (next >= slot->end)
            return false;
        uint64_t left = slot->end - next;
        take = left / 4 / grain * grain;
        take = take > 0 ? take : grain < left ? grain : left;
    } while (!atomic_compare_exchange_weak_explicit(&slot->next, &next, next + take, memory_order_relaxed,
                                                    memory_order_relaxed));
    *begin = next;
    *end = next + take;
    return true;
}

static void do_work(struct pool *pool, int worker)
{
    struct place outside = inside;
    struct findings *own = call_findings;
    inside = (struct place){pool, worker};
    call_findings = pool->findings;
    for (int i = 0; i < pool->slot_count; i++) {
        struct slot *slot = &pool->slots[(worker + i) % pool->slot_count];
        uint64_t begin, end;
        while (slot_claim(slot, pool->grain, &begin, &end))
            pool->work(pool->data, begin, end, worker);
    }
    call_findings = own;
    inside = outside;
}

/* ---- a worker's life ---- */

static bool gate_enter(struct pool *pool)
{
    uint32_t gate = atomic_load_explicit(&pool->gate, memory_order_relaxed);
    do {
        if (!(gate & GATE_OPEN))
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&pool->gate, &gate, gate + 1, memory_order_acquire,
                                                    memory_order_relaxed));
    return true;
}

static void gate_leave(struct pool *pool)
{
    uint32_t before = atomic_fetch_sub_explicit(&pool->gate, 1, memory_order_acq_rel);
    if (before == (GATE_AWAITED | 1))
        futex_wake(&pool->gate, 1);
}

/* Wakes a few sleepers while some are wanted: the woken wake others, so no thread pays for all of them. */
static void wake_some(struct pool *pool)
{
    int wanted = atomic_load(&pool->to_wake), count;
    do {
        if (wanted <= 0 || atomic_load(&pool->sleepers) == 0)
            return;
        count = wanted < WAKE_FANOUT ? wanted : WAKE_FANOUT;
    } while (!atomic_compare_exchange_weak(&pool->to_wake, &wanted, wanted - count));
    futex_wake(&pool->signal, count);
}

/* Returns once the signal is no longer `seen`, with its new value. */
static uint32_t await_signal(struct pool *pool, uint32_t seen)
{
    uint32_t now;
    for (int i = 0; i < pool->spins; i++) {
        if ((now = atomic_load(&pool->signal)) != seen)
            return now;
        relax();
    }
    atomic_fetch_add(&pool->sleepers, 1);
    while ((now = atomic_load(&pool->signal)) == seen)
        futex_wait(&pool->signal, seen);
    atomic_fetch_sub(&pool->sleepers, 1);
    return now;
}

/* Signals for the thread's own faults reach the host's handlers, on a stack of their own: the one that it is on may
 * have overflowed.  A sanitizer gives each thread one, and takes it back itself. */
static void set_signal_stack(char *stack)
{
    stack_t alternative = {.ss_sp = stack, .ss_size = SIGNAL_STACK}, present;
    if (sigaltstack(NULL, &present) == 0 && (present.ss_flags & SS_DISABLE))
        sigaltstack(&alternative, NULL);
}

static void *worker_main(void *data)
{
    struct worker *worker = data;
    struct pool *pool = worker->pool;
    char name[16];
    set_signal_stack(worker->signal_stack);
    snprintf(name, sizeof name, "gpucc-%d", worker->index);
    pthread_setname_np(pthread_self(), name);
    fp_enter();
    uint32_t seen = 0;
    for (;;) {
        seen = await_signal(pool, seen);
        if (atomic_load(&pool->stop))
            return NULL;
        wake_some(pool);
        if (gate_enter(pool)) {
            do_work(pool, worker->index);
            gate_leave(pool);
        }
    }
}

/* ---- the caller ---- */

/* Cuts [0, count) at multiples of the grain, so that only the very last piece can be shorter. */
static void cut(struct pool *pool, uint64_t count, uint64_t grain)
{
    uint64_t grains = count / grain + (count % grain != 0);
    uint64_t slots = grains < (uint64_t)pool->size ? grains : (uint64_t)pool->size;
    uint64_t share = grains / slots, rest = grains % slots, next = 0;
    for (uint64_t i = 0; i < slots; i++) {
        uint64_t end = next + share + (i < rest);
        atomic_store_explicit(&pool->slots[i].next, next * grain, memory_order_relaxed);
        pool->slots[i].end = i + 1 == slots ? count : end * grain;
        next = end;
    }
    pool->slot_count = (int)slots;
}

/* Shuts the gate and returns when the last worker has left. */
static void await_workers(struct pool *pool)
{
    uint32_t gate = atomic_fetch_sub_explicit(&pool->gate, GATE_OPEN, memory_order_acq_rel) - GATE_OPEN;
    for (int i = 0; gate != 0 && i < pool->spins; i++) {
        relax();
        gate = atomic_load_explicit(&pool->gate, memory_order_acquire);
    }
    if (gate == 0)
        return;
    gate = atomic_fetch_add_explicit(&pool->gate, GATE_AWAITED, memory_order_acq_rel) + GATE_AWAITED;
    while (gate != GATE_AWAITED) {
        futex_wait(&pool->gate, gate);
        gate = atomic_load_explicit(&pool->gate, memory_order_acquire);
    }
    atomic_store_explicit(&pool->gate, 0, memory_order_relaxed);
}

static void run_job(struct pool *pool, uint64_t count, uint64_t grain, pool_work *work, void *data)
{
    cut(pool, count, grain);
    pool->work = work;
    pool->data = data;
    pool->findings = call_findings;
    pool->grain = grain;
    atomic_store_explicit(&pool->gate, GATE_OPEN, memory_order_release);
    atomic_store(&pool->to_wake, pool->slot_count - 1);
    atomic_fetch_add(&pool->signal, 1);
    wake_some(pool);
    do_work(pool, 0);
    await_workers(pool);
}

static void run_alone(struct pool *pool, uint64_t count, pool_work *work, void *data)
{
    struct place outside = inside;
    inside = (struct place){pool, 0};
    work(data, 0, count, 0);
    inside = outside;
}

/* The caller has taken its turn, which ends here. */
static void run_exclusively(struct pool *pool, uint64_t count, uint64_t grain, pool_work *work, void *data)
{
    unsigned modes = fp_enter();
    if (pool->size == 1 || count <= grain)
        run_alone(pool, count, work, data);
    else
        run_job(pool, count, grain > 0 ? grain : 1, work, data);
    pthread_mutex_unlock(&pool->turn);
    fp_leave(modes);
}

void pool_run(struct pool *pool, uint64_t count, uint64_t grain, pool_work *work, void *data)
{
    if (count == 0)
        return;
    if (inside.pool == pool) {
        work(data, 0, count, inside.worker);
        return;
    }
    pthread_mutex_lock(&pool->turn);
    run_exclusively(pool, count, grain, work, data);
}

bool pool_try_run(struct pool *pool, uint64_t count, uint64_t grain, pool_work *work, void *data)
{
    if (pool->size == 1 || count <= grain || inside.pool || pthread_mutex_trylock(&pool->turn))
        return false;
    run_exclusively(pool, count, grain, work, data);
    return true;
}

/* ---- making and ending a pool ---- */

/* A container may hold fewer cores' time than it may run on; 0 if there is no such limit. */
static int quota(void)
{
    long long limit, period;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (file == NULL)
        return 0;
    int fields = fscanf(file, "%lld %lld", &limit, &period); /* or "max 100000" */
    fclose(file);
    return fields == 2 && period > 0 ? (int)((limit + period - 1) / period) : 0;
}

static int cores(void)
{
    cpu_set_t set;
    long count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    int most = quota();
    if (most > 0 && count > most)
        count = most;
    return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : (int)count;
}

static gpucc_status choose_size(int threads, int *out)
{
    const char *text = getenv("GPUCC_CPU_THREADS");
    if (threads == 0 && text != NULL && *text != '\0') {
        char *end;
        errno = 0;
        long value = strtol(text, &end, 10);
        if (errno != 0 || *end != '\0' || value < 0 || value > MAX_THREADS)
            return fail(GPUCC_INVALID_ARGUMENT, "GPUCC_CPU_THREADS is \"%s\": expected a number from 0 to %d", text,
                        MAX_THREADS);
        threads = (int)value;
    }
    if (threads < 0 || threads > MAX_THREADS)
        return fail(GPUCC_INVALID_ARGUMENT, "%d CPU threads: expected 0 (all cores) to %d", threads, MAX_THREADS);
    *out = threads > 0 ? threads : cores();
    return GPUCC_OK;
}

static void join_workers(struct pool *pool, int started)
{
    atomic_store(&pool->stop, true);
    atomic_fetch_add(&pool->signal, 1);
    futex_wake(&pool->signal, INT_MAX);
    for (int i = 1; i < started; i++)
        pthread_join(pool->workers[i].thread, NULL);
}

/* The host's signals are for the host's own threads, except those that report faults: blocked, these end the
 * process. */
static void block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&others, faults[i]);
    pthread_sigmask(SIG_SETMASK, &others, before);
}

static gpucc_status start_workers(struct pool *pool)
{
    sigset_t before;
    block_signals(&before);
    int started = 1, error = 0;
    for (; started < pool->size; started++) {
        struct worker *worker = &pool->workers[started];
        *worker = (struct worker){.pool = pool, .index = started};
        worker->signal_stack = pool->signal_stacks + (size_t)started * SIGNAL_STACK;
        if ((error = pthread_create(&worker->thread, NULL, worker_main, worker)) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0)
        return GPUCC_OK;
    join_workers(pool, started);
    return fail(GPUCC_NO_MEMORY, "cannot start CPU worker thread %d of %d: %s", started, pool->size, strerror(error));
}

static void release(struct pool *pool)
{
    pthread_mutex_destroy(&pool->turn);
    free(pool->slots);
    free(pool->signal_stacks);
    free(pool->workers);
    free(pool);
}

gpucc_status pool_create(int threads, struct pool **out)
{
    int size = 0;
    gpucc_status status = choose_size(threads, &size);
    if (status != GPUCC_OK)
        return status;
    struct pool *pool = aligned_alloc(_Alignof(struct pool), sizeof *pool);
    if (pool == NULL)
        return fail(GPUCC_NO_MEMORY, "out of memory for the CPU device's thread pool");
    memset(pool, 0, sizeof *pool);
    pool->size = size;
    pool->spins = size <= cores() ? SPINS : 0;
    pthread_mutex_init(&pool->turn, NULL);
    pool->workers = calloc((size_t)size, sizeof *pool->workers);
    pool->signal_stacks = malloc((size_t)size * SIGNAL_STACK);
    pool->slots = aligned_alloc(_Alignof(struct slot), (size_t)size * sizeof *pool->slots);
    if (pool->workers == NULL || pool->signal_stacks == NULL || pool->slots == NULL)
        status = fail(GPUCC_NO_MEMORY, "out of memory for %d CPU worker threads", size);
    else
        status = start_workers(pool);
    if (status == GPUCC_OK)
        *out = pool;
    else
        release(pool);
    return status;
}

void pool_destroy(struct pool *pool)
{
    if (pool == NULL)
        return;
    join_workers(pool, pool->size);
    release(pool);
}

int pool_size(const struct pool *pool)
{
    return pool->size;
}
