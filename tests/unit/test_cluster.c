/* Clusters on the CPU: barriers of a cluster's blocks, one another's shared memory, and misuse of them. */
#include "executor/cpu_launch.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define ARGUMENT(type, index) (*(type *)parameters[index])

static gpucc_status launch_in(struct pool *pool, void (*thread)(void **), struct gpucc_index grid,
                              struct gpucc_index cluster, unsigned threads, void **parameters)
{
    struct cpu_launch launch = {.name = "test",
                                .grid = grid,
                                .cluster = cluster,
                                .block = {threads, 1, 1},
                                .shared = 1024 * sizeof(int),
                                .dynamic_shared = 64,
                                .run_thread = thread,
                                .parameters = parameters};
    return cpu_launch_run(pool, &launch);
}

static gpucc_status launch(struct pool *pool, void (*thread)(void **), unsigned blocks, unsigned cluster,
                           unsigned threads, void **parameters)
{
    return launch_in(pool, thread, (struct gpucc_index){blocks, 1, 1}, (struct gpucc_index){cluster, 1, 1}, threads,
                     parameters);
}

static struct pool *pool_of(int threads)
{
    struct pool *pool;
    cr_assert(pool_create(threads, &pool) == GPUCC_OK, "%s", gpucc_last_error());
    return pool;
}

static void cluster_sync(void)
{
    gpucc_cpu_cluster_arrive();
    gpucc_cpu_cluster_wait();
}

static unsigned thread_x(void)
{
    return gpucc_cpu_self()->thread_index.x;
}

/* In clusters along x alone. */
static unsigned rank(void)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    return self->block_index.x % self->cluster_dim.x;
}

static unsigned place(void)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    return self->block_index.x * self->block_dim.x + self->thread_index.x;
}

static int *tile(void)
{
    return (int *)(void *)gpucc_cpu_self()->shared;
}

static int *tile_of(unsigned other)
{
    return gpucc_cpu_cluster_map(tile(), other);
}

/* ---- what it is for ---- */

/* (int *out): rounds in which each block takes the next one's values. */
static void ring_thread(void **parameters)
{
    enum { ROUNDS = 5 };
    const unsigned size = gpucc_cpu_self()->cluster_dim.x, t = thread_x();
    int value = (int)place();
    for (int round = 0; round < ROUNDS; round++) {
        tile()[t] = value;
        cluster_sync();
        value = tile_of((rank() + 1) % size)[t];
        cluster_sync();
    }
    ARGUMENT(int *, 0)[place()] = value;
}

static void check_ring(struct pool *pool, unsigned blocks, unsigned cluster, unsigned threads)
{
    int out[4096], *pointer = out;
    cr_assert(launch(pool, ring_thread, blocks, cluster, threads, (void *[]){&pointer}) == GPUCC_OK, "%s",
              gpucc_last_error());
    for (unsigned i = 0; i < blocks * threads; i++) {
        unsigned block = i / threads, first = block / cluster * cluster, from = first + (block - first + 5) % cluster;
        cr_assert(out[i] == (int)(from * threads + i % threads), "%u of %u x %u: [%u] is %d", blocks, cluster, threads,
                  i, out[i]);
    }
}

Test(cluster, blocks_see_one_another, .timeout = 60)
{
    for (int workers = 1; workers <= 4; workers++) {
        struct pool *pool = pool_of(workers);
        check_ring(pool, 1, 1, 40);
        check_ring(pool, 12, 1, 40);
        check_ring(pool, 12, 4, 40);
        check_ring(pool, 64, 2, 64);
        check_ring(pool, 48, 16, 33);
        check_ring(pool, 3, 3, 1);
        check_ring(pool, 4, 4, 1024);
        pool_destroy(pool);
    }
}

/* (unsigned *out): the number of the block in the grid, as the block of rank `3 - mine` sees it. */
static void flat_thread(void **parameters)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    struct gpucc_index b = self->block_index, n = self->grid_dim;
    unsigned number = b.x + n.x * (b.y + n.y * b.z), mine = b.y % 2 + 2 * (b.z % 2);
    *tile() = (int)number;
    cluster_sync();
    ARGUMENT(unsigned *, 0)[number] = (unsigned)*tile_of(3 - mine);
    cluster_sync();
}

Test(cluster, extends_in_three_dimensions, .timeout = 60)
{
    unsigned out[3 * 4 * 6], *pointer = out;
    struct pool *pool = pool_of(2);
    cr_assert(launch_in(pool, flat_thread, (struct gpucc_index){3, 4, 6}, (struct gpucc_index){1, 2, 2}, 1,
                        (void *[]){&pointer}) == GPUCC_OK,
              "%s", gpucc_last_error());
    for (unsigned i = 0; i < 3 * 4 * 6; i++) {
        unsigned x = i % 3, y = i / 3 % 4 ^ 1, z = i / 12 ^ 1;
        cr_assert(out[i] == x + 3 * (y + 4 * z), "[%u] is %u", i, out[i]);
    }
    pool_destroy(pool);
}

/* (int *out): dynamic shared memory maps too, and from one block to another. */
static void map_thread(void **parameters)
{
    struct gpucc_cpu_thread *self = gpucc_cpu_self();
    self->dynamic_shared[63] = (char)(rank() + 1);
    cluster_sync();
    const char *other = gpucc_cpu_cluster_map(self->dynamic_shared + 63, 2),
               *back = gpucc_cpu_cluster_map(other, rank());
    ARGUMENT(int *, 0)
    [place()] = *other == 3 && back == self->dynamic_shared + 63 && gpucc_cpu_cluster_rank(other) == 2 &&
                gpucc_cpu_cluster_rank(self->shared) == rank();
    cluster_sync();
}

Test(cluster, maps_all_shared_memory, .timeout = 60)
{
    int out[12], *pointer = out;
    struct pool *pool = pool_of(1);
    cr_assert(launch(pool, map_thread, 6, 3, 2, (void *[]){&pointer}) == GPUCC_OK, "%s", gpucc_last_error());
    for (int i = 0; i < 12; i++)
        cr_assert(out[i] == 1, "[%d]", i);
    pool_destroy(pool);
}

/* (int *out): between arriving and waiting, threads meet in their block; some end early. */
static void halves_thread(void **parameters)
{
    int sum = 0;
    for (int round = 0; round < 4; round++) {
        tile()[thread_x()] = (int)place() + round;
        gpucc_cpu_cluster_arrive();
        gpucc_cpu_barrier(GPUCC_CPU_HERE);
        sum += tile()[0];
        gpucc_cpu_cluster_wait();
        sum += tile_of(rank() ^ 1)[thread_x()];
        cluster_sync();
        if (thread_x() == 2 + (unsigned)round)
            break;
    }
    ARGUMENT(int *, 0)[place()] = sum;
}

Test(cluster, has_barriers_in_halves, .timeout = 60)
{
    enum { THREADS = 50 };
    int out[4 * THREADS], *pointer = out;
    struct pool *pool = pool_of(2);
    cr_assert(launch(pool, halves_thread, 4, 2, THREADS, (void *[]){&pointer}) == GPUCC_OK, "%s", gpucc_last_error());
    for (int b = 0; b < 4; b++)
        for (int t = 0; t < THREADS; t++) {
            int rounds = t >= 2 && t < 6 ? t - 1 : 4, sum = 0;
            for (int k = 0; k < rounds; k++)
                sum += b * THREADS + k + (b ^ 1) * THREADS + t + k;
            cr_assert(out[b * THREADS + t] == sum, "block %d, thread %d: %d", b, t, out[b * THREADS + t]);
        }
    pool_destroy(pool);
}

/* (int *out): a thread looks again and again for what another block writes after its own barrier. */
static void spin_thread(void **parameters)
{
    atomic_int *flag = (atomic_int *)(void *)tile();
    if (thread_x() == 0)
        atomic_store(flag, 0);
    cluster_sync();
    if (rank() == 1) {
        gpucc_cpu_barrier(GPUCC_CPU_HERE);
        atomic_fetch_add((atomic_int *)(void *)tile_of(0), 1);
    } else {
        while (atomic_load(flag) < 3)
            gpucc_cpu_warp_yield();
    }
    cluster_sync();
    ARGUMENT(int *, 0)[place()] = *tile_of(0);
    cluster_sync();
}

Test(cluster, yields_to_other_blocks, .timeout = 60)
{
    int out[6], *pointer = out;
    struct pool *pool = pool_of(1);
    cr_assert(launch(pool, spin_thread, 2, 2, 3, (void *[]){&pointer}) == GPUCC_OK, "%s", gpucc_last_error());
    for (int i = 0; i < 6; i++)
        cr_assert(out[i] == 3, "[%d] is %d", i, out[i]);
    pool_destroy(pool);
}

/* (int *out): barriers of the grid and of clusters in turn. */
static void both_thread(void **parameters)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    int *out = ARGUMENT(int *, 0), value = (int)place();
    const unsigned n = self->grid_dim.x * self->block_dim.x;
    for (int round = 0; round < 3; round++) {
        tile()[thread_x()] = value;
        cluster_sync();
        out[place()] = tile_of(rank() ^ 1)[thread_x()];
        gpucc_cpu_cluster_arrive();
        gpucc_cpu_barrier_grid();
        value = out[(place() + 1) % n];
        gpucc_cpu_cluster_wait();
        gpucc_cpu_barrier_grid();
    }
    out[place()] = value;
}

Test(cluster, works_with_barriers_of_the_grid, .timeout = 60)
{
    enum { THREADS = 20, BLOCKS = 6, N = THREADS * BLOCKS };
    for (int workers = 1; workers <= 3; workers++) {
        int out[N], before[N], after[N], *pointer = out;
        struct pool *pool = pool_of(workers);
        struct cpu_launch both = {.name = "test",
                                  .grid = {BLOCKS, 1, 1},
                                  .cluster = {2, 1, 1},
                                  .block = {THREADS, 1, 1},
                                  .shared = THREADS * sizeof(int),
                                  .run_thread = both_thread,
                                  .parameters = (void *[]){&pointer},
                                  .cooperative = true};
        cr_assert(cpu_launch_run(pool, &both) == GPUCC_OK, "%s", gpucc_last_error());
        for (int i = 0; i < N; i++)
            before[i] = i;
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < N; i++) {
                int next = (i + 1) % N, block = next / THREADS ^ 1;
                after[i] = before[block * THREADS + next % THREADS];
            }
            memcpy(before, after, sizeof after);
        }
        cr_assert(memcmp(out, before, sizeof out) == 0, "%d workers", workers);
        pool_destroy(pool);
    }
}

/* ---- misuse ---- */

static void arrives_twice(void **parameters)
{
    (void)parameters;
    gpucc_cpu_cluster_arrive();
    gpucc_cpu_cluster_arrive();
}

static void waits_alone(void **parameters)
{
    (void)parameters;
    gpucc_cpu_cluster_wait();
}

static void strays(void **parameters)
{
    (void)parameters;
    if (place() == 5)
        gpucc_cpu_barrier(GPUCC_CPU_HERE);
    cluster_sync();
}

static void waits_in_warp(void **parameters)
{
    (void)parameters;
    if (place() == 6)
        gpucc_cpu_warp_sync(0xf);
    cluster_sync();
}

static void maps_far(void **parameters)
{
    (void)parameters;
    cluster_sync();
    if (place() == 2)
        tile_of(2);
    cluster_sync();
}

static void maps_others(void **parameters)
{
    if (place() == 3)
        gpucc_cpu_cluster_map(parameters, 0);
    cluster_sync();
}

static void queries_other_blocks(void **parameters)
{
    if (place() == 3)
        gpucc_cpu_cluster_rank(parameters);
    cluster_sync();
}

/* The block of rank 0 ends while the other one reads its memory. */
static void leaves_early(void **parameters)
{
    (void)parameters;
    cluster_sync();
    if (rank() == 1)
        tile_of(0)[thread_x()]++;
}

static void fails_in_one(void **parameters)
{
    (void)parameters;
    cluster_sync();
    if (place() == 7)
        gpucc_cpu_fail("no more", "kernel.c", 7);
    cluster_sync();
}

/* Two clusters of two blocks of four threads; afterwards the same workers run what is right. */
static void check_failure(void (*thread)(void **), const char *words)
{
    for (int workers = 1; workers < 4; workers++) {
        struct pool *pool = pool_of(workers);
        void *none = NULL;
        cr_assert(launch(pool, thread, 4, 2, 4, &none) == GPUCC_DEVICE_ERROR);
        cr_assert(strstr(gpucc_last_error(), words), "\"%s\" lacks \"%s\"", gpucc_last_error(), words);
        check_ring(pool, 8, 4, 40);
        pool_destroy(pool);
    }
}

Test(cluster, reports_misuse, .timeout = 60)
{
    check_failure(arrives_twice, "cluster_arrive() is called twice without cluster_wait() in between");
    check_failure(waits_alone, "cluster_wait() is called without cluster_arrive() before it");
    check_failure(strays, "it waits for its cluster, but block (1, 0, 0), thread (1, 0, 0) does not arrive: it is in a "
                          "barrier of the block");
    check_failure(waits_in_warp, "but block (1, 0, 0), thread (2, 0, 0) does not arrive: it waits for other lanes");
    check_failure(maps_far,
                  "thread (2, 0, 0): map_shared_rank() for rank 2, out of range: the cluster has 2 blocks");
    check_failure(maps_others, "thread (3, 0, 0): map_shared_rank() of an address outside the cluster's shared");
    check_failure(queries_other_blocks, "shared_rank() of an address outside the cluster's shared memory");
    check_failure(leaves_early, "map_shared_rank() for rank 0, block (");
    check_failure(fails_in_one, "block (1, 0, 0), thread (3, 0, 0): kernel.c:7: no more");
}

/* One cluster waits for a block that waits for the grid. */
static void grid_and_cluster(void **parameters)
{
    (void)parameters;
    if (place() / 4 == 1)
        gpucc_cpu_barrier_grid();
    cluster_sync();
}

Test(cluster, reports_who_waits_for_the_grid, .timeout = 60)
{
    for (int workers = 1; workers < 4; workers++) {
        struct pool *pool = pool_of(workers);
        struct cpu_launch launch = {.name = "test",
                                    .grid = {4, 1, 1},
                                    .cluster = {2, 1, 1},
                                    .block = {4, 1, 1},
                                    .run_thread = grid_and_cluster,
                                    .cooperative = true};
        cr_assert(cpu_launch_run(pool, &launch) == GPUCC_DEVICE_ERROR);
        cr_assert(strstr(gpucc_last_error(),
                         "it waits for its cluster, but block (1, 0, 0), thread (0, 0, 0) does not "
                         "arrive: it is in grid_sync()"),
                  "%s", gpucc_last_error());
        pool_destroy(pool);
    }
}

Test(cluster, must_divide_the_grid, .timeout = 60)
{
    struct pool *pool = pool_of(1);
    cr_assert(launch(pool, ring_thread, 6, 4, 1, NULL) == GPUCC_BAD_LAUNCH);
    cr_assert(strstr(gpucc_last_error(), "grid (6, 1, 1) is not a multiple of the cluster (4, 1, 1)"), "%s",
              gpucc_last_error());
    cr_assert(launch(pool, ring_thread, 17, 17, 1, NULL) == GPUCC_BAD_LAUNCH);
    pool_destroy(pool);
}

static void *launch_often(void *data)
{
    for (int i = 0; i < 10; i++)
        check_ring(data, 16, 8, 16);
    return NULL;
}

Test(cluster, several_at_once, .timeout = 60)
{
    pthread_t threads[3];
    struct pool *pool = pool_of(2);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, launch_often, pool);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    pool_destroy(pool);
}
