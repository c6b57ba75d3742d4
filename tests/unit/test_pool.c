/* The worker pool: every index once, whatever the sizes, callers and nesting. */
#include "base/common.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    atomic_uchar *hits; /* for each index */
    uint64_t count, grain;
    int workers;
    atomic_int bad; /* ranges or workers out of bounds, ranges too short */
};

static void mark(void *data, uint64_t begin, uint64_t end, int worker)
{
    struct tally *tally = data;
    bool last = end == tally->count;
    if (begin >= end || end > tally->count || worker < 0 || worker >= tally->workers ||
        (end - begin < tally->grain && !last))
        atomic_fetch_add(&tally->bad, 1);
    for (uint64_t i = begin; i < end; i++)
        atomic_fetch_add(&tally->hits[i], 1);
}

static void check_cover(struct pool *pool, uint64_t count, uint64_t grain)
{
    struct tally tally = {calloc(count + 1, 1), count, grain, pool_size(pool), 0};
    pool_run(pool, count, grain, mark, &tally);
    for (uint64_t i = 0; i < count; i++)
        cr_assert(tally.hits[i] == 1, "index %zu of %zu, grain %zu: %d times", (size_t)i, (size_t)count, (size_t)grain,
                  tally.hits[i]);
    cr_assert(tally.bad == 0, "count %zu, grain %zu: %d bad ranges", (size_t)count, (size_t)grain, tally.bad);
    free(tally.hits);
}

Test(pool, covers_every_index_once)
{
    static const uint64_t counts[] = {0, 1, 2, 3, 7, 64, 1000, 4099, 100003};
    static const uint64_t grains[] = {0, 1, 2, 5, 64, 1000, 200000};
    for (int threads = 1; threads <= 9; threads += 4) {
        struct pool *pool;
        cr_assert(pool_create(threads, &pool) == GPUCC_OK);
        cr_assert(pool_size(pool) == threads);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t g = 0; g < sizeof grains / sizeof *grains; g++)
                check_cover(pool, counts[c], grains[g]);
        pool_destroy(pool);
    }
}

static void sum_lengths(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    atomic_fetch_add((_Atomic uint64_t *)data, end - begin);
}

Test(pool, counts_beyond_32_bits)
{
    struct pool *pool;
    cr_assert(pool_create(4, &pool) == GPUCC_OK);
    _Atomic uint64_t sum = 0;
    uint64_t count = ((uint64_t)1 << 62) + 12345;
    pool_run(pool, count, 4096, sum_lengths, &sum);
    cr_assert(sum == count);
    pool_destroy(pool);
}

static void many_short_jobs(int threads, int jobs)
{
    struct pool *pool;
    cr_assert(pool_create(threads, &pool) == GPUCC_OK);
    _Atomic uint64_t sum = 0;
    for (int i = 0; i < jobs; i++)
        pool_run(pool, (uint64_t)(i % 17), 1, sum_lengths, &sum);
    uint64_t expected = 0;
    for (int i = 0; i < jobs; i++)
        expected += (uint64_t)(i % 17);
    cr_assert(sum == expected);
    pool_destroy(pool);
}

Test(pool, many_short_jobs)
{
    many_short_jobs(2, 20000);
}

/* More threads than cores: workers sleep rather than spin, and are woken in a chain. */
Test(pool, many_short_jobs_oversubscribed)
{
    many_short_jobs(24, 3000);
}

/* Work on two workers at the same time, or it never ends: each waits for the other. */
static void meet(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    atomic_int *arrived = data;
    for (uint64_t i = begin; i < end; i++) {
        atomic_fetch_add(arrived, 1);
        while (atomic_load(arrived) < 2)
            sched_yield();
    }
}

Test(pool, workers_run_at_the_same_time, .timeout = 20)
{
    struct pool *pool;
    cr_assert(pool_create(2, &pool) == GPUCC_OK);
    for (int i = 0; i < 200; i++) {
        atomic_int arrived = 0;
        pool_run(pool, 2, 1, meet, &arrived);
        cr_assert(arrived == 2);
    }
    pool_destroy(pool);
}

struct nested {
    struct pool *pool;
    _Atomic uint64_t sum;
    atomic_int elsewhere; /* inner work that ran on another thread */
    pthread_t *outer;
};

static void inner(void *data, uint64_t begin, uint64_t end, int worker)
{
    struct nested *nested = data;
    if (!pthread_equal(nested->outer[worker], pthread_self()))
        atomic_fetch_add(&nested->elsewhere, 1);
    atomic_fetch_add(&nested->sum, end - begin);
}

static void outer(void *data, uint64_t begin, uint64_t end, int worker)
{
    struct nested *nested = data;
    nested->outer[worker] = pthread_self();
    for (uint64_t i = begin; i < end; i++)
        pool_run(nested->pool, 10, 1, inner, nested);
}

Test(pool, nested_calls_run_inline, .timeout = 20)
{
    struct pool *pool;
    cr_assert(pool_create(4, &pool) == GPUCC_OK);
    pthread_t threads[4];
    struct nested nested = {pool, 0, 0, threads};
    pool_run(pool, 100, 1, outer, &nested);
    cr_assert(nested.sum == 1000);
    cr_assert(nested.elsewhere == 0);
    pool_destroy(pool);
}

/* Scratch memory of a worker is its own, whoever calls. */
struct scratch {
    struct pool *pool;
    int owner[4];
    atomic_int clashes;
};

static void use_scratch(void *data, uint64_t begin, uint64_t end, int worker)
{
    struct scratch *scratch = data;
    for (uint64_t i = begin; i < end; i++)
        if (scratch->owner[worker]++ != 0 || --scratch->owner[worker] != 0)
            atomic_fetch_add(&scratch->clashes, 1);
}

static void *call_often(void *data)
{
    struct scratch *scratch = data;
    for (int i = 0; i < 500; i++)
        pool_run(scratch->pool, (uint64_t)(i % 20), 1, use_scratch, scratch);
    return NULL;
}

Test(pool, concurrent_callers_are_serialised, .timeout = 30)
{
    struct scratch scratch = {.clashes = 0};
    cr_assert(pool_create(4, &scratch.pool) == GPUCC_OK);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, call_often, &scratch);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    cr_assert(scratch.clashes == 0);
    pool_destroy(scratch.pool);
}

static void append_ranges(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    uint64_t *next = data;
    cr_assert(begin == *next);
    *next = end;
}

Test(pool, one_worker_runs_in_order)
{
    struct pool *pool;
    cr_assert(pool_create(1, &pool) == GPUCC_OK);
    uint64_t next = 0;
    pool_run(pool, 1000, 7, append_ranges, &next);
    cr_assert(next == 1000);
    pool_destroy(pool);
}

#if defined(__SSE__)
static void note_modes(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)begin, (void)end, (void)worker;
    if ((__builtin_ia32_stmxcsr() & 0xffc0) != 0x1f80)
        atomic_store((atomic_bool *)data, true);
}

/* Work keeps denormals even where the host flushes them, and the host gets its modes back. */
Test(pool, work_has_ieee_arithmetic)
{
    enum { FLUSH = 0x8040 | 0x1f80 };
    __builtin_ia32_ldmxcsr(FLUSH); /* threads inherit the modes of the thread that makes them */
    struct pool *pool;
    cr_assert(pool_create(3, &pool) == GPUCC_OK);
    atomic_bool flushed = false;
    for (int i = 0; i < 100; i++)
        pool_run(pool, 50, 1, note_modes, &flushed);
    unsigned after = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1f80);
    cr_assert(!flushed);
    cr_assert((after & 0xffc0) == (FLUSH & 0xffc0));
    pool_destroy(pool);
}
#endif

Test(pool, size_from_environment)
{
    struct pool *pool;
    setenv("GPUCC_CPU_THREADS", "3", 1);
    cr_assert(pool_create(0, &pool) == GPUCC_OK);
    cr_assert(pool_size(pool) == 3);
    pool_destroy(pool);
    cr_assert(pool_create(2, &pool) == GPUCC_OK);
    cr_assert(pool_size(pool) == 2, "a number given goes before the environment");
    pool_destroy(pool);
    static const char *const wrong[] = {"x", "-1", "3x", "100000"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("GPUCC_CPU_THREADS", wrong[i], 1);
        cr_assert(pool_create(0, &pool) == GPUCC_INVALID_ARGUMENT);
        cr_assert(strstr(gpucc_last_error(), wrong[i]) != NULL, "%s", gpucc_last_error());
    }
    setenv("GPUCC_CPU_THREADS", "", 1);
    cr_assert(pool_create(0, &pool) == GPUCC_OK);
    cr_assert(pool_size(pool) >= 1);
    pool_destroy(pool);
}

Test(pool, refuses_absurd_sizes)
{
    struct pool *pool;
    cr_assert(pool_create(-1, &pool) == GPUCC_INVALID_ARGUMENT);
    cr_assert(pool_create(1000000, &pool) == GPUCC_INVALID_ARGUMENT);
    cr_assert(strstr(gpucc_last_error(), "1000000") != NULL);
    pool_destroy(NULL);
}

/* In every worker at once: faults are delivered, on a stack of their own, and nothing else is. */
static void check_signals(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)end;
    atomic_int *state = data;
    sigset_t blocked;
    stack_t stack;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    sigaltstack(NULL, &stack);
    if (worker != 0 && (sigismember(&blocked, SIGSEGV) || sigismember(&blocked, SIGFPE) ||
                        !sigismember(&blocked, SIGINT) || (stack.ss_flags & SS_DISABLE)))
        atomic_fetch_add(&state[1], 1);
    atomic_fetch_add(&state[0], 1);
    while (begin < 4 && atomic_load(&state[0]) < 4)
        sched_yield();
}

Test(pool, leaves_faults_to_the_host)
{
    struct pool *pool;
    atomic_int state[2] = {0};
    cr_assert(pool_create(4, &pool) == GPUCC_OK);
    pool_run(pool, 4, 1, check_signals, state);
    cr_assert(state[0] == 4 && state[1] == 0, "%d ranges, %d wrong", state[0], state[1]);
    pool_destroy(pool);
}
