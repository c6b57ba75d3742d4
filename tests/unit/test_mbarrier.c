/* Barriers in shared memory and copies of tiles on the CPU: phases, boxes at the array's edges, and misuse. */
#include "base/cpu_tensor_map.h"
#include "executor/cpu_launch.h"

#include <criterion/criterion.h>
#include <string.h>

enum { THREADS = 64, SHARED = 8192 };

static gpucc_status launch(void (*thread)(void **), unsigned blocks, unsigned cluster, void *argument)
{
    struct pool *pool;
    cr_assert(pool_create(2, &pool) == GPUCC_OK);
    struct cpu_launch launch = {.name = "test",
                                .grid = {blocks, 1, 1},
                                .cluster = {cluster, 1, 1},
                                .block = {THREADS, 1, 1},
                                .shared = SHARED,
                                .run_thread = thread,
                                .parameters = (void *[]){argument}};
    const gpucc_status status = cpu_launch_run(pool, &launch);
    pool_destroy(pool);
    return status;
}

static unsigned thread_x(void)
{
    return gpucc_cpu_self()->thread_index.x;
}

/* The block's barriers, and its tile behind them. */
static uint64_t *barrier(unsigned i)
{
    return (uint64_t *)(void *)gpucc_cpu_self()->shared + i;
}

static char *tile(void)
{
    return gpucc_cpu_self()->shared + 1024;
}

static void init(unsigned arrivals)
{
    static const struct gpucc_cpu_place here = {"test.c", 1, 1};
    if (thread_x() == 0) {
        gpucc_cpu_mbarrier_init(barrier(0), arrivals);
        gpucc_cpu_mbarrier_init(barrier(1), arrivals);
    }
    gpucc_cpu_barrier(&here);
}

/* ---- phases ---- */

/* Thread 0 hands over numbers, and the others hand the place back: as many phases of each barrier. */
static void hand_over(void **parameters)
{
    static const struct gpucc_cpu_place here = {"test.c", 2, 1};
    unsigned *sums = parameters[0], sum = 0;
    volatile int *number = (volatile int *)(void *)tile();
    if (thread_x() == 0) {
        gpucc_cpu_mbarrier_init(barrier(0), 1);
        gpucc_cpu_mbarrier_init(barrier(1), THREADS - 1);
    }
    gpucc_cpu_barrier(&here);
    for (int i = 0; i < 100; i++) {
        if (thread_x() == 0) {
            gpucc_cpu_mbarrier_wait(barrier(1), (unsigned)(i + 1) & 1);
            *number = i * i;
            gpucc_cpu_mbarrier_arrive(barrier(0));
        } else {
            if (thread_x() % 2)
                gpucc_cpu_mbarrier_wait(barrier(0), (unsigned)i & 1);
            while (!gpucc_cpu_mbarrier_test(barrier(0), (unsigned)i & 1))
                ;
            sum = sum * 31 + (unsigned)*number;
            gpucc_cpu_mbarrier_arrive(barrier(1));
        }
    }
    sums[thread_x()] = sum;
}

Test(mbarrier, phases, .timeout = 60)
{
    unsigned sums[THREADS] = {0}, expected = 0;
    for (unsigned i = 0; i < 100; i++)
        expected = expected * 31 + i * i;
    cr_assert(launch(hand_over, 1, 1, sums) == GPUCC_OK, "%s", gpucc_last_error());
    for (int i = 1; i < THREADS; i++)
        cr_assert(sums[i] == expected, "thread %d: %u", i, sums[i]);
}

/* Block 0 of a cluster waits for a thread of block 1. */
static void across(void **parameters)
{
    int *found = parameters[0];
    init(1);
    gpucc_cpu_cluster_arrive();
    gpucc_cpu_cluster_wait();
    const unsigned block = gpucc_cpu_self()->block_index.x;
    if (block % 2 == 0)
        gpucc_cpu_mbarrier_wait(barrier(0), 0);
    else if (thread_x() == 5)
        gpucc_cpu_mbarrier_arrive(gpucc_cpu_cluster_map(barrier(0), 0));
    gpucc_cpu_cluster_arrive();
    gpucc_cpu_cluster_wait();
    found[block] = 1;
}

Test(mbarrier, other_blocks, .timeout = 60)
{
    int found[8] = {0};
    cr_assert(launch(across, 8, 2, found) == GPUCC_OK, "%s", gpucc_last_error());
    for (int i = 0; i < 8; i++)
        cr_assert(found[i] == 1);
}

/* ---- boxes ---- */

static float numbers[5][8];

static struct cpu_tensor_map map_of_numbers(unsigned swizzle)
{
    for (int i = 0; i < 40; i++)
        numbers[i / 8][i % 8] = (float)(i + 1);
    struct cpu_tensor_map map = {.data = (char *)numbers, .pitch = {4, 32}, .extent = {8, 5}, .box = {8, 4}, .rank = 2,
                                 .dtype = GPUCC_FLOAT32, .element = 4, .swizzle = (uint8_t)swizzle};
    map.magic = cpu_tensor_map_magic(&map);
    return map;
}

struct box_case {
    struct cpu_tensor_map map;
    float tile[32];
    int at[2], back[2];
    bool adds;
};

static void load_box(void **parameters)
{
    struct box_case *box = parameters[0];
    const struct gpucc_tensor_map *map = (const struct gpucc_tensor_map *)(void *)&box->map;
    init(1);
    if (thread_x() != 0)
        return;
    gpucc_cpu_mbarrier_expect(barrier(0), sizeof box->tile);
    gpucc_cpu_mbarrier_arrive(barrier(0));
    gpucc_cpu_tensor_load(tile(), map, barrier(0), 0, 2, box->at);
    gpucc_cpu_mbarrier_wait(barrier(0), 0);
    memcpy(box->tile, tile(), sizeof box->tile);
    gpucc_cpu_tensor_store(map, tile(), box->adds, 2, box->back);
}

Test(tensor_copy, edges)
{
    struct box_case box = {.map = map_of_numbers(0), .at = {-4, 2}, .back = {4, 3}};
    cr_assert(launch(load_box, 1, 1, &box) == GPUCC_OK, "%s", gpucc_last_error());
    for (int i = 0; i < 32; i++) {
        const int row = 2 + i / 8, column = i % 8 - 4;
        const float expected = row < 5 && column >= 0 ? (float)(row * 8 + column + 1) : 0;
        cr_assert(box.tile[i] == expected, "[%d][%d] is %g", i / 8, i % 8, (double)box.tile[i]);
    }
    for (int i = 0; i < 40; i++) { /* the tile's first two rows, and the first half of each, are stored */
        const bool is_stored = i / 8 >= 3 && i % 8 >= 4;
        const float expected = is_stored ? box.tile[(i / 8 - 3) * 8 + i % 8 - 4] : (float)(i + 1);
        cr_assert(numbers[i / 8][i % 8] == expected, "[%d][%d] is %g", i / 8, i % 8, (double)numbers[i / 8][i % 8]);
    }
}

Test(tensor_copy, swizzle_and_sums)
{
    struct box_case box = {.map = map_of_numbers(32), .adds = true};
    cr_assert(launch(load_box, 1, 1, &box) == GPUCC_OK, "%s", gpucc_last_error());
    for (int i = 0; i < 32; i++) { /* rows of 32 bytes: bit 7 of the place, from the fourth row on, swaps the halves */
        const int from = i / 8 / 4 % 2 ? i ^ 4 : i;
        cr_assert(box.tile[i] == (float)(from + 1), "[%d] is %g", i, (double)box.tile[i]);
        cr_assert(numbers[i / 8][i % 8] == (float)(2 * (i + 1)));
    }
}

/* ---- misuse ---- */

static void check_failure(void (*thread)(void **), const char *words)
{
    struct box_case box = {.map = map_of_numbers(0)};
    cr_assert(launch(thread, 2, 2, &box) == GPUCC_DEVICE_ERROR);
    cr_assert(strstr(gpucc_last_error(), words), "\"%s\" lacks \"%s\"", gpucc_last_error(), words);
}

static void forgets_init(void **parameters)
{
    (void)parameters;
    *barrier(0) = 0;
    gpucc_cpu_mbarrier_arrive(barrier(0));
}

static void arrives_too_often(void **parameters)
{
    (void)parameters;
    init(1);
    gpucc_cpu_mbarrier_expect(barrier(0), 16);
    gpucc_cpu_mbarrier_arrive(barrier(0));
}

static void waits_for_bytes(void **parameters)
{
    struct box_case *box = parameters[0];
    init(1);
    if (thread_x() == 0) {
        gpucc_cpu_mbarrier_expect(barrier(0), 100);
        gpucc_cpu_mbarrier_arrive(barrier(0));
        gpucc_cpu_tensor_load(tile(), (const struct gpucc_tensor_map *)(void *)&box->map, barrier(0), 0, 2, box->at);
    }
    gpucc_cpu_mbarrier_wait(barrier(0), 0);
}

static void waits_for_next_phase(void **parameters)
{
    (void)parameters;
    init(THREADS);
    gpucc_cpu_mbarrier_arrive(barrier(0));
    gpucc_cpu_mbarrier_wait(barrier(0), 1);
    gpucc_cpu_mbarrier_wait(barrier(0), 0);
    gpucc_cpu_mbarrier_wait(barrier(0), 1);
}

static void loads_aslant(void **parameters)
{
    struct box_case *box = parameters[0];
    init(1);
    gpucc_cpu_tensor_load(tile() + 64, (const struct gpucc_tensor_map *)(void *)&box->map, barrier(0), 0, 2, box->at);
}

static void loads_too_far(void **parameters)
{
    struct box_case *box = parameters[0];
    init(1);
    gpucc_cpu_tensor_load(gpucc_cpu_self()->shared + SHARED, (const struct gpucc_tensor_map *)(void *)&box->map,
                          barrier(0), 0, 2, box->at);
}

static void loads_other_rank(void **parameters)
{
    struct box_case *box = parameters[0];
    init(1);
    gpucc_cpu_tensor_load(tile(), (const struct gpucc_tensor_map *)(void *)&box->map, barrier(0), 0, 1, box->at);
}

static void loads_without_map(void **parameters)
{
    static const gpucc_tensor_map none = {{0}};
    struct box_case *box = parameters[0];
    init(1);
    gpucc_cpu_tensor_load(tile(), &none, barrier(0), 0, 2, box->at);
}

static void loads_from_odd_bytes(void **parameters)
{
    struct box_case *box = parameters[0];
    init(1);
    gpucc_cpu_tensor_load(tile(), (const struct gpucc_tensor_map *)(void *)&box->map, barrier(0), 0, 2, (int[]){3, 0});
}

static void stores_before_the_array(void **parameters)
{
    struct box_case *box = parameters[0];
    init(1);
    gpucc_cpu_tensor_store((const struct gpucc_tensor_map *)(void *)&box->map, tile(), 0, 2, (int[]){4, -1});
}

static void copies_odd_bytes(void **parameters)
{
    struct box_case *box = parameters[0];
    init(1);
    gpucc_cpu_bulk_copy(tile(), box->tile, 24, barrier(0));
}

Test(mbarrier, reports_misuse, .timeout = 60)
{
    check_failure(forgets_init, "mbarrier_arrive() of an mbarrier that no mbarrier_init() has initialized");
    check_failure(arrives_too_often, "mbarrier_arrive(): more arrivals at an mbarrier than the 1 of its phase");
    check_failure(waits_for_bytes, "it waits at mbarrier_wait() for parity 0 for ever: the phase still waits for 0 of "
                                   "1 arrivals and for -28 bytes");
    check_failure(waits_for_next_phase, "it waits at mbarrier_wait() for parity 1 for ever: the phase still waits for "
                                        "64 of 64 arrivals and for 0 bytes");
}

Test(tensor_copy, reports_misuse, .timeout = 60)
{
    check_failure(loads_aslant, "tma_load(): the tile's address is not a multiple of 128 bytes");
    check_failure(loads_too_far, "tma_load(): the tile of 128 bytes is not within the block's shared memory");
    check_failure(loads_other_rank, "tma_load(): 1 coordinate, but the tensor map has 2 dimensions");
    check_failure(loads_without_map, "tma_load(): the tensor map is not as gpucc_tensor_map_make() made it for the "
                                     "CPU: it is another device's, or the kernel has changed it");
    check_failure(loads_from_odd_bytes, "tma_load(): the box begins at coordinate 3, of 4 bytes: expected a multiple "
                                        "of 16 bytes");
    check_failure(stores_before_the_array, "tma_store(): coordinate 1 is -1: a store must not begin before the array");
    check_failure(copies_odd_bytes, "bulk_load(): an address or the number of bytes is not a multiple of 16");
}
