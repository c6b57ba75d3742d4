/* Cooperative launches on the CPU: barriers of the whole grid. */
#define _GNU_SOURCE
#include "executor/cpu_launch.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARGUMENT(type, index) (*(type *)parameters[index])

static gpucc_status launch(struct pool *pool, void (*thread)(void **), unsigned blocks, unsigned threads,
                           void **parameters)
{
    struct cpu_launch launch = {.name = "test",
                                .grid = {blocks, 1, 1},
                                .block = {threads, 1, 1},
                                .shared = 128,
                                .run_thread = thread,
                                .parameters = parameters,
                                .cooperative = true};
    return cpu_launch_run(pool, &launch);
}

static struct pool *pool_of(int threads)
{
    struct pool *pool;
    cr_assert(pool_create(threads, &pool) == GPUCC_OK, "%s", gpucc_last_error());
    return pool;
}

static unsigned place(void)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    return self->block_index.x * self->block_dim.x + self->thread_index.x;
}

static unsigned extent(void)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    return self->grid_dim.x * self->block_dim.x;
}

/* (int *a, int *b): rounds in which each thread takes its neighbours' values, of other blocks too. */
static void shift_thread(void **parameters)
{
    enum { ROUNDS = 10 };
    int *from = ARGUMENT(int *, 0), *to = ARGUMENT(int *, 1);
    unsigned i = place(), n = extent();
    for (int round = 0; round < ROUNDS; round++) {
        int *swap = from;
        to[i] = from[(i + 1) % n];
        gpucc_cpu_barrier_grid();
        from = to;
        to = swap;
    }
}

static void check_shift(int workers, unsigned blocks, unsigned threads)
{
    enum { MOST = 4096 };
    int a[MOST], b[MOST], *first = a, *second = b;
    unsigned n = blocks * threads;
    struct pool *pool = pool_of(workers);
    for (unsigned i = 0; i < n; i++)
        a[i] = (int)i;
    cr_assert(launch(pool, shift_thread, blocks, threads, (void *[]){&first, &second}) == GPUCC_OK, "%s",
              gpucc_last_error());
    for (unsigned i = 0; i < n; i++)
        cr_assert(a[i] == (int)((i + 10) % n), "%d workers, %u x %u: [%u] is %d", workers, blocks, threads, i, a[i]);
    pool_destroy(pool);
}

Test(cooperative, blocks_see_what_others_wrote, .timeout = 60)
{
    static const unsigned shapes[][2] = {{1, 1}, {1, 33}, {7, 1}, {16, 32}, {5, 100}, {64, 64}};
    for (int workers = 1; workers <= 4; workers++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            check_shift(workers, shapes[i][0], shapes[i][1]);
}

/* (int *sums): barriers of the block between those of the grid; shared memory lasts from one to the next. */
static void mixed_thread(void **parameters)
{
    struct gpucc_cpu_thread *self = gpucc_cpu_self();
    int *mine = (int *)(void *)self->shared, *sums = ARGUMENT(int *, 0);
    if (self->thread_index.x == 0)
        *mine = (int)self->block_index.x + 1;
    gpucc_cpu_barrier(GPUCC_CPU_HERE);
    gpucc_cpu_barrier_grid();
    if (self->thread_index.x == self->block_dim.x - 1)
        sums[self->block_index.x] = *mine;
    gpucc_cpu_barrier_grid();
    if (place() == 0)
        for (unsigned i = 1; i < self->grid_dim.x; i++)
            sums[0] += sums[i];
}

Test(cooperative, barriers_of_blocks_and_shared_memory, .timeout = 60)
{
    int sums[20], *pointer = sums;
    struct pool *pool = pool_of(3);
    cr_assert(launch(pool, mixed_thread, 20, 40, (void *[]){&pointer}) == GPUCC_OK, "%s", gpucc_last_error());
    cr_assert(sums[0] == 20 * 21 / 2);
    pool_destroy(pool);
}

/* (unsigned *order, unsigned *count): who comes when */
static void order_thread(void **parameters)
{
    unsigned *order = ARGUMENT(unsigned *, 0), *count = ARGUMENT(unsigned *, 1);
    order[(*count)++] = place();
    gpucc_cpu_barrier_grid();
    order[(*count)++] = place();
}

Test(cooperative, one_worker_has_a_fixed_order, .timeout = 60)
{
    unsigned orders[2][600], *pointer, count, *counter = &count;
    struct pool *pool = pool_of(1);
    for (int i = 0; i < 2; i++) {
        count = 0;
        pointer = orders[i];
        cr_assert(launch(pool, order_thread, 10, 30, (void *[]){&pointer, &counter}) == GPUCC_OK);
        cr_assert(count == 600);
    }
    cr_assert(memcmp(orders[0], orders[1], sizeof orders[0]) == 0);
    pool_destroy(pool);
}

/* (unsigned who): this thread ends without coming */
static void absent_thread(void **parameters)
{
    if (place() != ARGUMENT(unsigned, 0))
        gpucc_cpu_barrier_grid();
}

static void absent_block_thread(void **parameters)
{
    if (gpucc_cpu_self()->block_index.x != ARGUMENT(unsigned, 0))
        gpucc_cpu_barrier_grid();
}

static void stray_thread(void **parameters)
{
    if (place() == ARGUMENT(unsigned, 0))
        gpucc_cpu_barrier(GPUCC_CPU_HERE);
    else
        gpucc_cpu_barrier_grid();
}

static void failing_thread(void **parameters)
{
    gpucc_cpu_barrier_grid();
    if (place() == ARGUMENT(unsigned, 0))
        gpucc_cpu_fail("no more", "kernel.c", 7);
    gpucc_cpu_barrier_grid();
}

static void check_failure(struct pool *pool, void (*thread)(void **), unsigned who, gpucc_status status,
                          const char *words)
{
    cr_assert(launch(pool, thread, 4, 8, (void *[]){&who}) == status);
    cr_assert(strstr(gpucc_last_error(), words), "\"%s\" lacks \"%s\"", gpucc_last_error(), words);
}

Test(cooperative, reports_who_does_not_arrive, .timeout = 60)
{
    for (int workers = 1; workers < 4; workers++) {
        struct pool *pool = pool_of(workers);
        check_failure(pool, absent_thread, 13, GPUCC_DEVICE_ERROR,
                      "block (1, 0, 0), thread (0, 0, 0): it waits in grid_sync(), but thread (5, 0, 0) does not "
                      "arrive: it has ended");
        check_failure(pool, absent_block_thread, 2, GPUCC_DEVICE_ERROR, "but block (2, 0, 0) does not arrive");
        check_failure(pool, stray_thread, 31, GPUCC_DEVICE_ERROR,
                      "thread (7, 0, 0) does not arrive: it is in a barrier of the block");
        check_failure(pool, failing_thread, 20, GPUCC_DEVICE_ERROR,
                      "block (2, 0, 0), thread (4, 0, 0): kernel.c:7: no more");
        pool_destroy(pool);
    }
}

Test(cooperative, is_limited, .timeout = 60)
{
    unsigned none = UINT32_MAX;
    struct pool *pool = pool_of(2);
    struct cpu_launch plain = {.name = "test", .grid = {2, 1, 1}, .block = {2, 1, 1}, .run_thread = absent_thread,
                               .parameters = (void *[]){&none}};
    cr_assert(launch(pool, absent_thread, 65, 1024, (void *[]){&none}) == GPUCC_BAD_LAUNCH);
    cr_assert(strstr(gpucc_last_error(), "grid of 66560 threads; the CPU runs at most 65536 at once"), "%s",
              gpucc_last_error());
    cr_assert(cpu_launch_run(pool, &plain) == GPUCC_DEVICE_ERROR);
    cr_assert(strstr(gpucc_last_error(), "not cooperative"), "%s", gpucc_last_error());
    cr_assert(launch(pool, absent_thread, 3, 4, (void *[]){&none}) == GPUCC_OK); /* as before */
    pool_destroy(pool);
}

static bool is_old; /* as if the system were Linux 6.12 */

/* In the place of the C library's. */
int madvise(void *address, size_t size, int advice)
{
    enum { GUARD_INSTALL = 102 };
    return is_old && advice == GUARD_INSTALL ? -1 : (int)syscall(SYS_madvise, address, size, advice);
}

#ifdef __SANITIZE_THREAD__
enum { HOLDS_ALL_THREADS = 0 }; /* ThreadSanitizer knows 8128 stacks */
#else
enum { HOLDS_ALL_THREADS = 1 };
#endif

/* Each stack's guard costs two of a process's 65530 mappings. */
Test(cooperative, has_more_threads_than_the_system_guards, .timeout = 60, .disabled = !HOLDS_ALL_THREADS)
{
    unsigned none = UINT32_MAX;
    struct pool *pool = pool_of(2);
    is_old = true;
    for (int i = 0; i < 2; i++)
        cr_assert(launch(pool, absent_thread, 34, 1024, (void *[]){&none}) == GPUCC_OK, "%s", gpucc_last_error());
    pool_destroy(pool);
}

static void *launch_often(void *data)
{
    long wrong = 0;
    for (int i = 0; i < 10; i++) {
        int sums[8], *pointer = sums;
        wrong += launch(data, mixed_thread, 8, 16, (void *[]){&pointer}) != GPUCC_OK || sums[0] != 8 * 9 / 2;
    }
    return (void *)wrong;
}

Test(cooperative, several_at_once, .timeout = 60)
{
    pthread_t threads[3];
    struct pool *pool = pool_of(2);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, launch_often, pool);
    for (int i = 0; i < 3; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        cr_assert(wrong == NULL);
    }
    pool_destroy(pool);
}
