/* Warp operations on the CPU, and the errors of a launch that threads report. */
#include "executor/cpu_launch.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENT(type, index) (*(type *)parameters[index])

enum { BLOCKS = 7, FULL = -1 };

static struct pool *pool;

static void open_pool(void)
{
    cr_assert(pool_create(2, &pool) == GPUCC_OK, "%s", gpucc_last_error());
}

static void close_pool(void)
{
    pool_destroy(pool);
}

static gpucc_status launch(void (*thread)(void **), unsigned block, void **parameters)
{
    struct cpu_launch launch = {.name = "test",
                                .grid = {BLOCKS, 1, 1},
                                .block = {block, 1, 1},
                                .run_thread = thread,
                                .parameters = parameters};
    return cpu_launch_run(pool, &launch);
}

/* Runs `thread` with one parameter, where it notes what each thread of the grid got. */
static uint64_t *results(void (*thread)(void **), unsigned block)
{
    uint64_t *out = calloc(BLOCKS * block, sizeof *out);
    cr_assert(launch(thread, block, (void *[]){&out}) == GPUCC_OK, "%s", gpucc_last_error());
    return out;
}

static uint64_t *place(void **parameters)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    return &ARGUMENT(uint64_t *, 0)[self->block_index.x * self->block_dim.x + self->thread_index.x];
}

static unsigned thread(void)
{
    return gpucc_cpu_self()->thread_index.x;
}

#define WARP_TEST(name) Test(warp, name, .init = open_pool, .fini = close_pool, .timeout = 20)

/* Ten shuffles in a row, each lane reading its neighbour. */
static void rotate_thread(void **parameters)
{
    uint64_t value = thread();
    for (int i = 0; i < 10; i++)
        value = gpucc_cpu_warp_shuffle((unsigned)FULL, value, thread() % 32 + 1);
    *place(parameters) = value;
}

WARP_TEST(shuffle)
{
    uint64_t *out = results(rotate_thread, 256);
    for (unsigned i = 0; i < BLOCKS * 256; i++)
        cr_assert(out[i] == i % 256 / 32 * 32 + (i + 10) % 32, "%u: %lu", i, (unsigned long)out[i]);
    free(out);
}

/* One lane works for all that meet. */
static void sum_neighbours(void *const *operands, unsigned lanes)
{
    uint64_t before[32];
    for (unsigned i = 0; i < 32; i++)
        before[i] = lanes >> i & 1 ? *(uint64_t *)operands[i] : 0;
    for (unsigned i = 0; i < 32; i++)
        if (lanes >> i & 1)
            *(uint64_t *)operands[i] = before[i] + before[(i + 1) % 32];
}

static void together_thread(void **parameters)
{
    uint64_t value = thread() + 1;
    unsigned met = 0;
    for (int i = 0; i < 3; i++)
        met = gpucc_cpu_warp_together((unsigned)FULL, sum_neighbours, &value);
    *place(parameters) = value << 32 | met;
}

WARP_TEST(together)
{
    uint64_t *out = results(together_thread, 48), v[33];
    for (unsigned i = 0; i < BLOCKS * 48; i++) {
        unsigned first = i % 48 / 32 * 32, lanes = first ? 16 : 32;
        for (unsigned k = 0; k < 32; k++)
            v[k] = k < lanes ? first + k + 1 : 0;
        for (int round = 0; round < 3; round++) {
            v[32] = v[0];
            for (unsigned k = 0; k < lanes; k++)
                v[k] += v[k + 1];
        }
        uint64_t expected = v[i % 48 - first] << 32 | (lanes == 32 ? 0xffffffffu : 0xffffu);
        cr_assert(out[i] == expected, "%u: %lx, not %lx", i, (unsigned long)out[i], (unsigned long)expected);
    }
    free(out);
}

/* Lanes that are not there give nothing: one keeps one's own value. */
static void read_absent_thread(void **parameters)
{
    *place(parameters) = gpucc_cpu_warp_shuffle((unsigned)FULL, 100 + thread(), thread() + 3);
}

WARP_TEST(block_of_less_than_a_warp)
{
    uint64_t *out = results(read_absent_thread, 10);
    for (unsigned i = 0; i < 10; i++)
        cr_assert(out[i] == 100 + (i + 3 < 10 ? i + 3 : i), "%u: %lu", i, (unsigned long)out[i]);
    free(out);
}

static void vote_thread(void **parameters)
{
    *place(parameters) = gpucc_cpu_warp_vote((unsigned)FULL, thread() % 3 == 0);
}

WARP_TEST(vote)
{
    uint64_t *out = results(vote_thread, 40);
    for (unsigned i = 0; i < 40; i++) {
        unsigned first = i / 32 * 32, yes = 0, there = 0;
        for (unsigned t = first; t < first + 32 && t < 40; t++) {
            yes |= (unsigned)(t % 3 == 0) << t % 32;
            there |= 1u << t % 32;
        }
        cr_assert(out[i] == ((uint64_t)there << 32 | yes), "%u: %lx", i, (unsigned long)out[i]);
    }
    free(out);
}

static void match_thread(void **parameters)
{
    *place(parameters) = (uint32_t)gpucc_cpu_warp_match((unsigned)FULL, (uint64_t)(thread() % 5) << 40);
}

WARP_TEST(match)
{
    uint64_t *out = results(match_thread, 32);
    for (unsigned i = 0; i < 32; i++) {
        unsigned same = 0;
        for (unsigned t = i % 5; t < 32; t += 5)
            same |= 1u << t;
        cr_assert(out[i] == same, "%u: %lx", i, (unsigned long)out[i]);
    }
    free(out);
}

static void reduce_thread(void **parameters)
{
    uint64_t value = (uint64_t)((int64_t)thread() - 5), sum = 0;
    for (int r = GPUCC_CPU_ADD; r <= GPUCC_CPU_XOR; r++)
        sum = sum * 31 + gpucc_cpu_warp_reduce((unsigned)FULL, value, (enum gpucc_cpu_reduction)r);
    *place(parameters) = sum;
}

WARP_TEST(reduce)
{
    int64_t values[32];
    int64_t add = 0, all = -1, any = 0, odd = 0;
    for (int i = 0; i < 32; i++) {
        values[i] = i - 5;
        add += values[i], all &= values[i], any |= values[i], odd ^= values[i];
    }
    const int64_t expected[] = {add, -5, 26, 0, -1, all, any, odd};
    uint64_t sum = 0, *out = results(reduce_thread, 32);
    for (int r = 0; r < 8; r++)
        sum = sum * 31 + (uint64_t)expected[r];
    for (unsigned i = 0; i < 32; i++)
        cr_assert(out[i] == sum, "%u", i);
    free(out);
}

/* Each half goes its own way, in several meetings, before the whole warp meets. */
static void branches_thread(void **parameters)
{
    unsigned t = thread();
    uint64_t value = t;
    if (t < 16)
        for (int i = 0; i < 3; i++)
            value = gpucc_cpu_warp_shuffle(0x0000ffff, value, (t + 1) % 16);
    else
        value = gpucc_cpu_warp_shuffle(0xffff0000, value, 16 + (t + 5) % 16);
    *place(parameters) = gpucc_cpu_warp_shuffle((unsigned)FULL, value, 31 - t);
}

WARP_TEST(branches_meet_again)
{
    uint64_t *out = results(branches_thread, 32);
    for (unsigned i = 0; i < 32; i++) {
        unsigned from = 31 - i;
        cr_assert(out[i] == (from < 16 ? (from + 3) % 16 : 16 + (from + 5) % 16), "%u: %lu", i, (unsigned long)out[i]);
    }
    free(out);
}

static void active_thread(void **parameters)
{
    unsigned t = thread(), mask;
    if (t % 2 == 0)
        mask = gpucc_cpu_warp_active(1);
    else
        mask = gpucc_cpu_warp_active(2);
    gpucc_cpu_barrier(GPUCC_CPU_HERE);
    *place(parameters) = (uint64_t)gpucc_cpu_warp_active(3) << 32 | mask;
}

WARP_TEST(active_lanes_are_those_of_one_branch)
{
    uint64_t *out = results(active_thread, 64);
    for (unsigned i = 0; i < 64; i++)
        cr_assert(out[i] == (0xffffffff00000000 | (i % 2 ? 0xaaaaaaaa : 0x55555555)), "%u: %lx", i,
                  (unsigned long)out[i]);
    free(out);
}

/* The lanes that end are waited for by nobody, even where they end last. */
static void leave_thread(void **parameters)
{
    gpucc_cpu_barrier(GPUCC_CPU_HERE);
    if (thread() % 4 != 0)
        return;
    *place(parameters) = gpucc_cpu_warp_vote((unsigned)FULL, 1);
}

WARP_TEST(ended_lanes_do_not_count)
{
    uint64_t *out = results(leave_thread, 32);
    for (unsigned i = 0; i < 32; i++)
        cr_assert(out[i] == (i % 4 ? 0 : 0x1111111111111111), "%u: %lx", i, (unsigned long)out[i]);
    free(out);
}

static void count_thread(void **parameters)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < 5; i++)
        sum = sum * 100 + gpucc_cpu_barrier_count(GPUCC_CPU_HERE, thread() % 5 <= i);
    *place(parameters) = sum;
}

WARP_TEST(counting_barrier)
{
    uint64_t *out = results(count_thread, 90);
    for (unsigned i = 0; i < BLOCKS * 90; i++)
        cr_assert(out[i] == 1836547290, "%u: %lu", i, (unsigned long)out[i]);
    free(out);
}

/* One thread waits in a loop for what the next one writes. */
static void poll_thread(void **parameters)
{
    volatile uint64_t *mine = place(parameters);
    if (thread() + 1 < gpucc_cpu_self()->block_dim.x)
        while (mine[1] == 0)
            gpucc_cpu_warp_yield();
    *mine = 1;
}

WARP_TEST(yield_lets_others_run)
{
    uint64_t *out = results(poll_thread, 50);
    for (unsigned i = 0; i < BLOCKS * 50; i++)
        cr_assert(out[i] == 1);
    free(out);
}

/* ---- mistakes: errors of the launch, after which the next one works ---- */

static void check_mistake(void (*wrong)(void **), unsigned block, const char *message)
{
    for (int i = 0; i < 3; i++) {
        uint64_t *out = calloc(BLOCKS * block, sizeof *out);
        cr_assert(launch(wrong, block, (void *[]){&out}) == GPUCC_DEVICE_ERROR);
        cr_assert(strstr(gpucc_last_error(), message) != NULL, "%s", gpucc_last_error());
        cr_assert(strncmp(gpucc_last_error(), "test, block (", 13) == 0, "%s", gpucc_last_error());
        free(out);
        free(results(rotate_thread, 256));
    }
}

static void leave_oneself_out_thread(void **parameters)
{
    *place(parameters) = gpucc_cpu_warp_vote(0xfffffff7, 1);
}

WARP_TEST(mask_without_the_caller)
{
    check_mistake(leave_oneself_out_thread, 32,
                  "thread (3, 0, 0): the mask 0xfffffff7 of a vote leaves out the calling lane, 3");
}

static void stay_away_thread(void **parameters)
{
    if (thread() == 5)
        gpucc_cpu_barrier(GPUCC_CPU_HERE);
    else
        gpucc_cpu_warp_sync((unsigned)FULL);
    *place(parameters) = 1;
}

WARP_TEST(lane_at_a_barrier)
{
    check_mistake(stay_away_thread, 64,
                  "it waits in syncwarp with mask 0xffffffff, but lanes 0x00000020 do not arrive: lane 5 is in a "
                  "barrier of the block");
}

static void disagree_thread(void **parameters)
{
    *place(parameters) = gpucc_cpu_warp_vote(thread() < 8 ? 0xff : (unsigned)FULL, 1);
    if (thread() < 8)
        *place(parameters) = gpucc_cpu_warp_match((unsigned)FULL, 1);
}

WARP_TEST(different_operations)
{
    check_mistake(disagree_thread, 32, "lanes 0xffffff00 do not arrive: lane 8 is in a vote");
}

static void read_ended_thread(void **parameters)
{
    if (thread() >= 20)
        return;
    *place(parameters) = gpucc_cpu_warp_shuffle((unsigned)FULL, thread() + 5, thread() + 1);
}

WARP_TEST(shuffle_from_an_ended_lane)
{
    uint64_t *out = results(read_ended_thread, 32);
    for (unsigned i = 0; i < BLOCKS * 32; i++)
        if (i % 32 < 20)
            cr_assert(out[i] == i % 32 + (i % 32 < 19 ? 6 : 5), "%u: %lu", i, (unsigned long)out[i]);
    free(out);
}

static void fail_thread(void **parameters)
{
    gpucc_cpu_barrier(GPUCC_CPU_HERE);
    if (thread() == 9)
        gpucc_cpu_fail("broken", "file.c", 12);
    gpucc_cpu_barrier(GPUCC_CPU_HERE);
    *place(parameters) = 1;
}

WARP_TEST(failure_between_barriers)
{
    check_mistake(fail_thread, 100, "thread (9, 0, 0): file.c:12: broken");
}

static void fail_at_once(void **parameters)
{
    (void)parameters;
    gpucc_cpu_fail("no", "file.c", 1);
}

WARP_TEST(failure_on_the_workers_stack)
{
    struct cpu_launch launch = {.name = "plain", .grid = {3, 1, 1}, .block = {4, 1, 1}, .run_thread = fail_at_once,
                                .run_block = fail_at_once};
    for (int i = 0; i < 3; i++) {
        cr_assert(cpu_launch_run(pool, &launch) == GPUCC_DEVICE_ERROR);
        cr_assert(strstr(gpucc_last_error(), "file.c:1: no") != NULL, "%s", gpucc_last_error());
    }
}
