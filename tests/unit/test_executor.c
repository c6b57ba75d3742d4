/* The CPU executor, with kernels written as the compiler would lower them. */
#include "executor/cpu_launch.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENT(type, index) (*(type *)parameters[index])

/* Sanitizers are to let an allocation fail as the C library does. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static struct pool *pool_of(int threads)
{
    struct pool *pool;
    cr_assert(pool_create(threads, &pool) == GPUCC_OK, "%s", gpucc_last_error());
    return pool;
}

static void launch(struct pool *pool, void (*thread)(void **), struct gpucc_index grid, struct gpucc_index block,
                   size_t shared, size_t dynamic, void **parameters)
{
    struct cpu_launch launch = {.name = "test",
                                .grid = grid,
                                .block = block,
                                .shared = shared,
                                .dynamic_shared = dynamic,
                                .run_thread = thread,
                                .parameters = parameters};
    cr_assert(cpu_launch_run(pool, &launch) == GPUCC_OK, "%s", gpucc_last_error());
}

/* ---- kernels with barriers ---- */

/* (const int *in, int *sums): each block adds its blockDim.x elements */
static void reduce_thread(void **parameters)
{
    struct gpucc_cpu_thread *self = gpucc_cpu_self();
    int *partial = (int *)(void *)self->shared;
    unsigned t = self->thread_index.x;
    partial[t] = ARGUMENT(const int *, 0)[self->block_index.x * self->block_dim.x + t];
    gpucc_cpu_barrier(GPUCC_CPU_HERE);
    for (unsigned half = self->block_dim.x / 2; half > 0; half /= 2) {
        if (t < half)
            partial[t] += partial[t + half];
        gpucc_cpu_barrier(GPUCC_CPU_HERE);
    }
    if (t == 0)
        ARGUMENT(int *, 1)[self->block_index.x] = partial[0];
}

static void check_reduction(int threads, unsigned blocks, unsigned block)
{
    struct pool *pool = pool_of(threads);
    int *in = malloc(sizeof(int) * blocks * block), *sums = malloc(sizeof(int) * blocks);
    for (unsigned i = 0; i < blocks * block; i++)
        in[i] = (int)(i * 2654435761u >> 20);
    launch(pool, reduce_thread, (struct gpucc_index){blocks, 1, 1}, (struct gpucc_index){block, 1, 1},
           sizeof(int) * block, 0, (void *[]){&in, &sums});
    for (unsigned b = 0; b < blocks; b++) {
        int expected = 0;
        for (unsigned i = 0; i < block; i++)
            expected += in[b * block + i];
        cr_assert(sums[b] == expected, "block %u of %u threads: %d, expected %d", b, block, sums[b], expected);
    }
    free(in);
    free(sums);
    pool_destroy(pool);
}

Test(executor, block_reduction)
{
    check_reduction(1, 5, 64);
    check_reduction(2, 100, 256);
    check_reduction(3, 7, 1);
    check_reduction(2, 9, 1024);
}

Test(executor, many_blocks)
{
    check_reduction(4, 3000, 32);
}

enum { TILE = 16 };

/* (size_t rows, size_t columns, const float *in, float *out) */
static void transpose_thread(void **parameters)
{
    struct gpucc_cpu_thread *self = gpucc_cpu_self();
    size_t rows = ARGUMENT(size_t, 0), columns = ARGUMENT(size_t, 1);
    float(*tile)[TILE + 1] = (float(*)[TILE + 1])(void *)self->dynamic_shared;
    unsigned tx = self->thread_index.x, ty = self->thread_index.y;
    size_t x = (size_t)self->block_index.x * TILE + tx, y = (size_t)self->block_index.y * TILE + ty;
    if (x < columns && y < rows)
        tile[ty][tx] = ARGUMENT(const float *, 2)[y * columns + x];
    gpucc_cpu_barrier(GPUCC_CPU_HERE);
    x = (size_t)self->block_index.y * TILE + tx;
    y = (size_t)self->block_index.x * TILE + ty;
    if (x < rows && y < columns)
        ARGUMENT(float *, 3)[y * rows + x] = tile[tx][ty];
}

Test(executor, transpose_through_shared_memory)
{
    size_t rows = 83, columns = 131;
    float *in = malloc(rows * columns * sizeof *in), *out = malloc(rows * columns * sizeof *out);
    for (size_t i = 0; i < rows * columns; i++)
        in[i] = (float)i;
    struct pool *pool = pool_of(2);
    struct gpucc_index grid = {(unsigned)((columns + TILE - 1) / TILE), (unsigned)((rows + TILE - 1) / TILE), 1};
    launch(pool, transpose_thread, grid, (struct gpucc_index){TILE, TILE, 1}, 0, sizeof(float) * TILE * (TILE + 1),
           (void *[]){&rows, &columns, &in, &out});
    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < columns; x++)
            cr_assert(out[x * rows + y] == in[y * columns + x], "(%zu, %zu)", y, x);
    free(in);
    free(out);
    pool_destroy(pool);
}

/* A value goes once round the block, one place for each barrier; the barrier stands in a function that is called. */
static __attribute__((noinline)) void pass_on(int *ring, unsigned t, unsigned n, unsigned depth)
{
    if (depth > 0) {
        volatile char frame[256];
        frame[depth] = (char)depth;
        pass_on(ring, t, n, depth - 1);
        cr_assert(frame[depth] == (char)depth);
        return;
    }
    int mine = ring[t];
    gpucc_cpu_barrier(GPUCC_CPU_HERE);
    ring[(t + 1) % n] = mine;
    gpucc_cpu_barrier(GPUCC_CPU_HERE);
}

/* (int *out, unsigned rounds) */
static void rotate_thread(void **parameters)
{
    struct gpucc_cpu_thread *self = gpucc_cpu_self();
    unsigned t = self->thread_index.x, n = self->block_dim.x;
    int *ring = (int *)(void *)self->shared;
    ring[t] = (int)t;
    gpucc_cpu_barrier(GPUCC_CPU_HERE);
    for (unsigned round = 0; round < ARGUMENT(unsigned, 1); round++)
        pass_on(ring, t, n, round % 5);
    ARGUMENT(int *, 0)[self->block_index.x * n + t] = ring[t];
}

Test(executor, barrier_in_a_loop_and_in_a_called_function)
{
    enum { BLOCKS = 6, THREADS = 1024 };
    unsigned rounds = 37;
    int *out = malloc(sizeof(int) * BLOCKS * THREADS);
    struct pool *pool = pool_of(2);
    launch(pool, rotate_thread, (struct gpucc_index){BLOCKS, 1, 1}, (struct gpucc_index){THREADS, 1, 1},
           sizeof(int) * THREADS, 0, (void *[]){&out, &rounds});
    for (unsigned i = 0; i < BLOCKS * THREADS; i++)
        cr_assert(out[i] == (int)((i % THREADS + THREADS - rounds) % THREADS), "%u: %d", i, out[i]);
    free(out);
    pool_destroy(pool);
}

/* Thread t ends after t + 1 barriers.  Each counts those that are still there: all of them must be, on both sides. */
static void leave_early_thread(void **parameters)
{
    struct gpucc_cpu_thread *self = gpucc_cpu_self();
    unsigned t = self->thread_index.x, n = self->block_dim.x;
    int *present = (int *)(void *)self->shared; /* one count for each round */
    present[t] = 0;
    gpucc_cpu_barrier(GPUCC_CPU_HERE);
    for (unsigned round = 0; round <= t; round++) {
        present[round]++;
        gpucc_cpu_barrier(GPUCC_CPU_HERE);
        if (present[round] != (int)(n - round))
            atomic_fetch_add(ARGUMENT(atomic_int *, 0), 1);
    }
}

Test(executor, ended_threads_do_not_count_at_barriers, .timeout = 20)
{
    atomic_int wrong = 0, *counter = &wrong;
    struct pool *pool = pool_of(2);
    launch(pool, leave_early_thread, (struct gpucc_index){20, 1, 1}, (struct gpucc_index){128, 1, 1},
           sizeof(int) * 128, 0, (void *[]){&counter});
    cr_assert(wrong == 0);
    pool_destroy(pool);
}

/* Half of the threads return at once, and the first and the last are among them or not. */
static void some_return_thread(void **parameters)
{
    struct gpucc_cpu_thread *self = gpucc_cpu_self();
    if ((self->thread_index.x + self->block_index.x) % 2 == 0)
        return;
    for (int i = 0; i < 3; i++)
        gpucc_cpu_barrier(GPUCC_CPU_HERE);
    atomic_fetch_add(ARGUMENT(atomic_int *, 0), 1);
}

Test(executor, early_exit_threads, .timeout = 20)
{
    atomic_int done = 0, *counter = &done;
    struct pool *pool = pool_of(2);
    launch(pool, some_return_thread, (struct gpucc_index){50, 1, 1}, (struct gpucc_index){33, 1, 1}, 0, 0,
           (void *[]){&counter});
    cr_assert(done == 25 * 16 + 25 * 17);
    pool_destroy(pool);
}

static void launch_fails(void (*thread)(void **), void (*block)(void **), const char *message)
{
    struct pool *pool = pool_of(2);
    struct cpu_launch launch = {
        .name = "test", .grid = {10, 1, 1}, .block = {50, 2, 1}, .run_thread = thread, .run_block = block};
    cr_assert(cpu_launch_run(pool, &launch) == GPUCC_DEVICE_ERROR);
    cr_assert(strstr(gpucc_last_error(), message) != NULL, "%s", gpucc_last_error());
    pool_destroy(pool);
}

/* Threads that repeat the loop are at another barrier than those that have left it. */
static void diverge_thread(void **parameters)
{
    static const struct gpucc_cpu_place within = {"a.c", 12, 9}, behind = {"a.c", 15, 0};
    (void)parameters;
    for (unsigned i = 0; i < (gpucc_cpu_self()->thread_index.x == 7); i++)
        gpucc_cpu_barrier(&within);
    gpucc_cpu_barrier(&behind);
}

/* Two that stand in one line. */
static void part_thread(void **parameters)
{
    (void)parameters;
    gpucc_cpu_self()->thread_index.x == 7 ? gpucc_cpu_barrier(GPUCC_CPU_HERE) : gpucc_cpu_barrier(GPUCC_CPU_HERE);
}

Test(executor, different_barriers_are_an_error, .timeout = 20)
{
    launch_fails(
        diverge_thread, NULL,
        "thread (7, 0, 0): it is at the barrier of a.c:12:9, while 7 threads of the block, (0, 0, 0) first, wait "
        "at that of a.c:15");
    launch_fails(part_thread, NULL, "thread (7, 0, 0): it is at the barrier of ");
}

/* ---- what functions for whole blocks call ---- */

static const struct gpucc_cpu_place place_3 = {"b.c", 3, 1}, place_9 = {"b.c", 9, 1};
static const struct gpucc_cpu_place *const places[] = {&place_3, &place_9};

static void disagree_block(void **parameters)
{
    (void)parameters;
    int *next = (int *)(void *)gpucc_cpu_scratch(100 * sizeof *next);
    for (int i = 0; i < 100; i++)
        next[i] = i < 10 ? 0 : 1 + (i >= 60);
    int ended;
    gpucc_cpu_agree(next, 100, places, &ended);
}

Test(executor, disagreement_is_an_error, .timeout = 20)
{
    launch_fails(
        reduce_thread, disagree_block,
        "thread (10, 1, 0): it is at the barrier of b.c:9:1, while 50 threads of the block, (10, 0, 0) first, wait "
        "at that of b.c:3:1");
}

static void agree_block(void **parameters)
{
    int next[64], ended = -1;
    for (int i = 0; i < 64; i++)
        next[i] = i % 3 ? 2 : 0;
    ARGUMENT(int *, 0)[0] = gpucc_cpu_agree(next, 64, places, &ended) + 10 * ended;
    for (int i = 0; i < 64; i++)
        next[i] = 1;
    ARGUMENT(int *, 0)[3] = gpucc_cpu_agree(next, 64, places, &ended) + 10 * ended;
    memset(next, 0, sizeof next);
    ARGUMENT(int *, 0)[1] = gpucc_cpu_agree(next, 64, places, &ended) + 10 * ended;
    char *scratch = gpucc_cpu_scratch(1 << 20);
    memset(scratch, 1, 1 << 20);
    ARGUMENT(int *, 0)[2] = (uintptr_t)scratch % 128 == 0 && gpucc_cpu_scratch(100) == scratch;
}

Test(executor, ended_threads_agree_with_all, .timeout = 20)
{
    int results[4] = {-1, -1, -1, -1}, *out = results;
    struct pool *pool = pool_of(1);
    struct cpu_launch launch = {.name = "test",
                                .grid = {1, 1, 1},
                                .block = {64, 1, 1},
                                .run_block = agree_block,
                                .parameters = (void *[]){&out}};
    cr_assert(cpu_launch_run(pool, &launch) == GPUCC_OK, "%s", gpucc_last_error());
    cr_assert(results[0] == 12 && results[1] == 10 && results[2] == 1 && results[3] == 1);
    pool_destroy(pool);
}

/* ---- indices ---- */

static unsigned linear(struct gpucc_index index, struct gpucc_index extent)
{
    return index.x + extent.x * (index.y + extent.y * index.z);
}

/* (atomic_uchar *hits): one place for each thread of the grid */
static void hit(void **parameters)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    unsigned threads = self->block_dim.x * self->block_dim.y * self->block_dim.z;
    unsigned place = linear(self->block_index, self->grid_dim) * threads + linear(self->thread_index, self->block_dim);
    atomic_fetch_add(&ARGUMENT(atomic_uchar *, 0)[place], 1);
}

static void hit_block(void **parameters)
{
    struct gpucc_cpu_thread *self = gpucc_cpu_self();
    struct gpucc_index *t = &self->thread_index;
    for (t->z = 0; t->z < self->block_dim.z; t->z++)
        for (t->y = 0; t->y < self->block_dim.y; t->y++)
            for (t->x = 0; t->x < self->block_dim.x; t->x++)
                hit(parameters);
}

static void check_indices(void (*run_block)(void **))
{
    struct gpucc_index grid = {3, 4, 5}, block = {4, 3, 2};
    enum { TOTAL = 3 * 4 * 5 * 4 * 3 * 2 };
    atomic_uchar hits[TOTAL] = {0}, *pointer = hits;
    struct pool *pool = pool_of(3);
    struct cpu_launch launch = {.name = "hit",
                                .grid = grid,
                                .block = block,
                                .run_thread = hit,
                                .run_block = run_block,
                                .parameters = (void *[]){&pointer}};
    cr_assert(cpu_launch_run(pool, &launch) == GPUCC_OK);
    for (int i = 0; i < TOTAL; i++)
        cr_assert(hits[i] == 1, "thread %d of the grid ran %d times", i, hits[i]);
    pool_destroy(pool);
}

Test(executor, three_dimensions_on_fibers)
{
    check_indices(NULL);
}

Test(executor, three_dimensions_by_the_block)
{
    check_indices(hit_block);
}

/* (unsigned *order, unsigned *used) */
static void note_order(void **parameters)
{
    struct gpucc_cpu_thread *self = gpucc_cpu_self();
    ARGUMENT(unsigned *, 0)[(*ARGUMENT(unsigned *, 1))++] = self->block_index.x * 8 + self->thread_index.x;
    gpucc_cpu_barrier(GPUCC_CPU_HERE);
}

Test(executor, one_worker_runs_in_order)
{
    unsigned order[80], used = 0, *orders = order, *count = &used;
    struct pool *pool = pool_of(1);
    launch(pool, note_order, (struct gpucc_index){10, 1, 1}, (struct gpucc_index){8, 1, 1}, 0, 0,
           (void *[]){&orders, &count});
    cr_assert(used == 80);
    for (unsigned i = 0; i < 80; i++)
        cr_assert(order[i] == i);
    pool_destroy(pool);
}

/* ---- memory ---- */

/* (atomic_int *wrong): both kinds of shared memory are aligned, apart, and the same for the whole block */
static void shared_thread(void **parameters)
{
    struct gpucc_cpu_thread *self = gpucc_cpu_self();
    unsigned t = self->thread_index.x, n = self->block_dim.x;
    bool good = (uintptr_t)self->shared % 128 == 0 && (uintptr_t)self->dynamic_shared % 128 == 0;
    self->shared[t] = (char)t;
    self->dynamic_shared[t] = (char)(t + 100);
    gpucc_cpu_barrier(GPUCC_CPU_HERE);
    unsigned other = (t + 7) % n;
    good = good && self->shared[other] == (char)other && self->dynamic_shared[other] == (char)(other + 100);
    if (!good)
        atomic_fetch_add(ARGUMENT(atomic_int *, 0), 1);
}

Test(executor, shared_memory)
{
    atomic_int wrong = 0, *counter = &wrong;
    struct pool *pool = pool_of(2);
    for (unsigned n = 1; n <= 1000; n += 333)
        launch(pool, shared_thread, (struct gpucc_index){8, 1, 1}, (struct gpucc_index){n, 1, 1}, n, n,
               (void *[]){&counter});
    cr_assert(wrong == 0);
    pool_destroy(pool);
}

Test(executor, out_of_memory_is_a_status)
{
    struct pool *pool = pool_of(2);
    atomic_int wrong = 0, *counter = &wrong;
    struct cpu_launch launch = {.name = "greedy",
                                .grid = {4, 1, 1},
                                .block = {2, 1, 1},
                                .dynamic_shared = (size_t)1 << 61,
                                .run_thread = shared_thread,
                                .parameters = (void *[]){&counter}};
    cr_assert(cpu_launch_run(pool, &launch) == GPUCC_NO_MEMORY);
    cr_assert(strstr(gpucc_last_error(), "greedy") != NULL, "%s", gpucc_last_error());
    launch.dynamic_shared = SIZE_MAX;
    cr_assert(cpu_launch_run(pool, &launch) == GPUCC_NO_MEMORY);
    launch.shared = launch.dynamic_shared = 64;
    cr_assert(cpu_launch_run(pool, &launch) == GPUCC_OK, "works again: %s", gpucc_last_error());
    cr_assert(wrong == 0);
    pool_destroy(pool);
}

static unsigned __attribute__((noinline)) use_stack(unsigned bytes)
{
    volatile char frame[1024];
    frame[bytes % sizeof frame] = (char)bytes;
    unsigned deeper = bytes > sizeof frame ? use_stack(bytes - (unsigned)sizeof frame) : 0;
    return deeper + (unsigned)frame[bytes % sizeof frame];
}

/* (unsigned bytes) */
static void deep_thread(void **parameters)
{
    use_stack(ARGUMENT(unsigned, 0));
    gpucc_cpu_barrier(GPUCC_CPU_HERE);
}

static void launch_deep(unsigned bytes)
{
    struct pool *pool = pool_of(1);
    launch(pool, deep_thread, (struct gpucc_index){1, 1, 1}, (struct gpucc_index){4, 1, 1}, 0, 0, (void *[]){&bytes});
    pool_destroy(pool);
}

Test(executor, default_stack_has_48_kilobytes)
{
    launch_deep(48 << 10);
}

Test(executor, stack_size_from_environment)
{
    setenv("GPUCC_CPU_STACK", "4000000", 1);
    launch_deep(2 << 20);
}

Test(executor, stack_overflow_meets_the_guard_page, .signal = SIGSEGV)
{
    signal(SIGSEGV, SIG_DFL); /* a sanitizer would report it its own way */
    launch_deep(1 << 20);
}

Test(executor, wrong_stack_size_is_reported)
{
    setenv("GPUCC_CPU_STACK", "much", 1);
    struct pool *pool = pool_of(1);
    struct cpu_launch launch = {.name = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}, .run_thread = deep_thread};
    cr_assert(cpu_launch_run(pool, &launch) == GPUCC_INVALID_ARGUMENT);
    cr_assert(strstr(gpucc_last_error(), "much") != NULL);
    pool_destroy(pool);
}

/* ---- what else a launch may meet ---- */

Test(executor, limits)
{
    struct pool *pool = pool_of(1);
    atomic_int wrong = 0, *counter = &wrong;
    struct cpu_launch good = {.name = "limited",
                              .grid = {1, 1, 1},
                              .block = {1, 1, 1},
                              .run_thread = some_return_thread,
                              .parameters = (void *[]){&counter}};
    cr_assert(cpu_launch_run(pool, &good) == GPUCC_OK);
    static const struct gpucc_index blocks[] = {{0, 1, 1}, {1025, 1, 1}, {32, 33, 1}, {65536, 65536, 1}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        struct cpu_launch bad = good;
        bad.block = blocks[i];
        cr_assert(cpu_launch_run(pool, &bad) == GPUCC_BAD_LAUNCH, "block %zu", i);
        cr_assert(strstr(gpucc_last_error(), "limited") != NULL);
    }
    static const struct gpucc_index grids[] = {{1, 0, 1}, {0x80000000u, 1, 1}, {1, 65536, 1}, {1, 1, 65536}};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        struct cpu_launch bad = good;
        bad.grid = grids[i];
        cr_assert(cpu_launch_run(pool, &bad) == GPUCC_BAD_LAUNCH, "grid %zu", i);
    }
    pool_destroy(pool);
}

/* (struct pool *pool, int *status) */
static void launching_thread(void **parameters)
{
    struct cpu_launch inner = {.name = "inner", .grid = {1, 1, 1}, .block = {1, 1, 1}, .run_thread = deep_thread};
    *ARGUMENT(int *, 1) = cpu_launch_run(ARGUMENT(struct pool *, 0), &inner);
}

Test(executor, kernels_launch_no_kernels)
{
    struct pool *pool = pool_of(1);
    int status = -1, *pointer = &status;
    launch(pool, launching_thread, (struct gpucc_index){1, 1, 1}, (struct gpucc_index){1, 1, 1}, 0, 0,
           (void *[]){&pool, &pointer});
    cr_assert(status == GPUCC_UNSUPPORTED);
    pool_destroy(pool);
}

/* (atomic_int *wrong): a thread's rounding direction is its own, across barriers */
static void rounding_thread(void **parameters)
{
    unsigned t = gpucc_cpu_self()->thread_index.x;
    int mode = t % 2 ? FE_UPWARD : FE_DOWNWARD;
    fesetround(mode);
    for (int i = 0; i < 4; i++) {
        gpucc_cpu_barrier(GPUCC_CPU_HERE);
        if (fegetround() != mode)
            atomic_fetch_add(ARGUMENT(atomic_int *, 0), 1);
    }
    fesetround(FE_TONEAREST);
}

Test(executor, rounding_modes_survive_barriers)
{
    atomic_int wrong = 0, *counter = &wrong;
    struct pool *pool = pool_of(2);
    launch(pool, rounding_thread, (struct gpucc_index){4, 1, 1}, (struct gpucc_index){16, 1, 1}, 0, 0,
           (void *[]){&counter});
    cr_assert(wrong == 0);
    cr_assert(fegetround() == FE_TONEAREST);
    pool_destroy(pool);
}

/* Two kernels take turns on the same fibers: the second finds no trace of the first. */
Test(executor, launches_follow_one_another)
{
    struct pool *pool = pool_of(2);
    atomic_int wrong = 0, done = 0, *counter = &wrong, *ends = &done;
    for (int i = 0; i < 50; i++) {
        unsigned n = 1 + (unsigned)(i * 37 % 200);
        launch(pool, shared_thread, (struct gpucc_index){3, 1, 1}, (struct gpucc_index){n, 1, 1}, n, n,
               (void *[]){&counter});
        launch(pool, some_return_thread, (struct gpucc_index){2, 1, 1}, (struct gpucc_index){64, 1, 1}, 0, 0,
               (void *[]){&ends});
    }
    cr_assert(wrong == 0);
    cr_assert(done == 50 * 64);
    pool_destroy(pool);
}

static void *launch_often(void *data)
{
    struct pool *pool = data;
    enum { BLOCKS = 12, THREADS = 64 };
    int in[BLOCKS * THREADS], sums[BLOCKS], *input = in, *output = sums;
    for (int i = 0; i < BLOCKS * THREADS; i++)
        in[i] = i;
    long wrong = 0;
    for (int round = 0; round < 30; round++) {
        memset(sums, 0, sizeof sums);
        struct cpu_launch launch = {.name = "reduce",
                                    .grid = {BLOCKS, 1, 1},
                                    .block = {THREADS, 1, 1},
                                    .shared = sizeof(int) * THREADS,
                                    .run_thread = reduce_thread,
                                    .parameters = (void *[]){&input, &output}};
        wrong += cpu_launch_run(pool, &launch) != GPUCC_OK;
        for (int b = 0; b < BLOCKS; b++)
            wrong += sums[b] != THREADS * (2 * b * THREADS + THREADS - 1) / 2;
    }
    return (void *)wrong;
}

static void check_two_threads(struct pool *first, struct pool *second)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, launch_often, first);
    pthread_create(&threads[1], NULL, launch_often, second);
    for (int i = 0; i < 2; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        cr_assert(wrong == NULL, "thread %d: %ld wrong results", i, (long)wrong);
    }
}

Test(executor, two_host_threads_launch_at_once, .timeout = 60)
{
    struct pool *pool = pool_of(3);
    check_two_threads(pool, pool);
    pool_destroy(pool);
}

Test(executor, two_pools_at_once, .timeout = 60)
{
    struct pool *first = pool_of(2), *second = pool_of(2);
    check_two_threads(first, second);
    pool_destroy(first);
    pool_destroy(second);
}

/* (size_t from, size_t to): bytes of shared memory that the block's first thread writes, counted from its beginning */
static void scribble_thread(void **parameters)
{
    struct gpucc_cpu_thread *self = gpucc_cpu_self();
    volatile char *shared = self->shared;
    if (self->thread_index.x == 0)
        for (ptrdiff_t i = ARGUMENT(ptrdiff_t, 0); i < ARGUMENT(ptrdiff_t, 1); i++)
            shared[i] = (char)i;
}

static gpucc_status scribble(struct pool *pool, struct cpu_launch how, ptrdiff_t from, ptrdiff_t to)
{
    how.name = "scribble";
    how.run_thread = scribble_thread;
    how.parameters = (void *[]){&from, &to};
    return cpu_launch_run(pool, &how);
}

Test(executor, reports_writes_beside_shared_memory)
{
    static const struct cpu_launch launches[] = {
        {.grid = {8, 1, 1}, .block = {4, 1, 1}, .shared = 100, .dynamic_shared = 24},
        {.grid = {8, 1, 1}, .block = {4, 1, 1}, .shared = 100, .dynamic_shared = 24, .run_block = scribble_thread},
        {.grid = {8, 1, 1}, .block = {4, 1, 1}, .shared = 100, .dynamic_shared = 24, .cooperative = true},
        {.grid = {8, 1, 1}, .block = {4, 1, 1}, .shared = 100, .dynamic_shared = 24, .cluster = {4, 1, 1}},
    };
    struct pool *pool = pool_of(4);
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        const struct cpu_launch how = launches[i];
        struct cpu_launch only_static = how;
        only_static.dynamic_shared = 0;
        const ptrdiff_t end = 128 + 24;
        cr_assert_eq(scribble(pool, how, 0, end), GPUCC_OK, "%s", gpucc_last_error());
        cr_assert_eq(scribble(pool, how, end, end + 1), GPUCC_DEVICE_ERROR, "%zu", i);
        cr_assert_str_eq(gpucc_last_error(),
                         "scribble: a thread wrote beyond its block's shared memory of 100 bytes "
                         "static and 24 dynamic");
        cr_assert_eq(scribble(pool, how, 0, end), GPUCC_OK, "%s", gpucc_last_error());
        cr_assert_eq(scribble(pool, how, 0, 48 << 10), GPUCC_DEVICE_ERROR, "%zu", i);
        cr_assert_eq(scribble(pool, how, -1, 0), GPUCC_DEVICE_ERROR, "%zu", i);
        cr_assert(strstr(gpucc_last_error(), "wrote before its block's"), "%s", gpucc_last_error());
        cr_assert_eq(scribble(pool, only_static, 0, 100), GPUCC_OK, "%s", gpucc_last_error());
        cr_assert_eq(scribble(pool, only_static, 99, 101), GPUCC_DEVICE_ERROR, "%zu", i);
    }
    pool_destroy(pool);
}

/* ---- launches that the host ends ---- */

/* (atomic_uint *blocks): each takes some milliseconds */
static void slow_thread(void **parameters)
{
    struct timespec pause = {.tv_nsec = 5000000};
    nanosleep(&pause, NULL);
    atomic_fetch_add(ARGUMENT(atomic_uint *, 0), 1);
}

struct questions {
    int asked, refused; /* which is the last one that lets the launch go on */
    pthread_t asker;
    bool elsewhere; /* asked by another thread than the one that launched */
};

static int answer(void *data)
{
    struct questions *questions = data;
    questions->elsewhere |= !pthread_equal(pthread_self(), questions->asker);
    return ++questions->asked > questions->refused;
}

/* Returns how many blocks have ended. */
static unsigned launch_until(struct pool *pool, struct questions *questions, bool cooperative, unsigned blocks,
                             gpucc_status expected)
{
    atomic_uint done = 0, *pointer = &done;
    questions->asker = pthread_self();
    const struct cpu_launch launch = {.name = "slow",
                                      .grid = {blocks, 1, 1},
                                      .block = {1, 1, 1},
                                      .run_thread = slow_thread,
                                      .parameters = (void *[]){&pointer},
                                      .cooperative = cooperative,
                                      .interrupt = answer,
                                      .interrupt_data = questions};
    const gpucc_status status = cpu_launch_run(pool, &launch);
    cr_assert(status == expected, "%d: %s", status, gpucc_last_error());
    return atomic_load(&done);
}

Test(executor, host_ends_launch)
{
    struct pool *pool = pool_of(2);
    for (int cooperative = 0; cooperative < 2; cooperative++) {
        struct questions ends = {.refused = 1}, none = {.refused = 1000};
        const unsigned some = launch_until(pool, &ends, cooperative, 2000, GPUCC_INTERRUPTED);
        cr_assert(strstr(gpucc_last_error(), "slow: the host ended the launch"), "%s", gpucc_last_error());
        cr_assert(some > 0 && some < 2000 && ends.asked == 2 && !ends.elsewhere, "%u blocks, asked %d times", some,
                  ends.asked);
        cr_assert(launch_until(pool, &none, cooperative, 100, GPUCC_OK) == 100);
        cr_assert(none.asked > 0, "never asked in %d ms", 100 * 5 / 2);
    }
    pool_destroy(pool);
}
