/* Kernels as functions for whole blocks, and thread by thread on stacks of their own: the same results. */
#include "executor/cpu_launch.h"

#include <criterion/criterion.h>
#include <gpucc/program.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct gpucc_program_image gpucc_program_suite_blocks;

enum { BLOCKS = 3, MOST = BLOCKS * 256 };

typedef void native_function(void **parameters);

static native_function *find(const char *name, const char *kind)
{
    char full[100];
    snprintf(full, sizeof full, "%s_%s", name, kind);
    const struct gpucc_native_code *code = gpucc_cpu_code(&gpucc_program_suite_blocks);
    for (uint64_t i = 0; i < code->native_count; i++)
        if (strcmp(code->natives[i].name, full) == 0)
            return (native_function *)code->natives[i].function;
    return NULL;
}

static void run(struct pool *pool, const char *name, native_function *block, struct gpucc_index shape, uint32_t *out)
{
    uint32_t in[MOST], *input = in, n = BLOCKS * shape.x * shape.y * shape.z - 7;
    for (uint32_t i = 0; i < MOST; i++)
        in[i] = (i * 1664525u + 1013904223u) >> 9;
    memset(out, 0, MOST * sizeof *out);
    struct cpu_launch launch = {.name = name,
                                .grid = {BLOCKS, 1, 1},
                                .block = shape,
                                .shared = 1 << 16,
                                .run_thread = find(name, "thread"),
                                .run_block = block,
                                .parameters = (void *[]){&n, &input, &out}};
    cr_assert(launch.run_thread != NULL);
    cr_assert(cpu_launch_run(pool, &launch) == GPUCC_OK, "%s: %s", name, gpucc_last_error());
}

static void compare(const char *name)
{
    static const struct gpucc_index shapes[] = {{1, 1, 1},   {32, 1, 1}, {33, 1, 1}, {256, 1, 1}, {100, 1, 1},
                                                {16, 16, 1}, {3, 5, 7},  {1, 64, 2}, {8, 4, 8}};
    struct pool *pool;
    cr_assert(pool_create(2, &pool) == GPUCC_OK);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        uint32_t threads[MOST], blocks[MOST];
        run(pool, name, NULL, shapes[s], threads);
        run(pool, name, find(name, "block"), shapes[s], blocks);
        for (int i = 0; i < MOST; i++)
            cr_assert(threads[i] == blocks[i], "%s, block (%u, %u, %u), element %d: %u by threads, %u by blocks", name,
                      shapes[s].x, shapes[s].y, shapes[s].z, i, threads[i], blocks[i]);
    }
    pool_destroy(pool);
}

#define KERNEL(name)                                                                                                   \
    Test(blocks, name, .timeout = 60)                                                                                  \
    {                                                                                                                  \
        cr_assert(find(#name, "block") != NULL);                                                                       \
        compare(#name);                                                                                                \
    }
KERNEL(no_barrier)
KERNEL(reverse)
KERNEL(prefix_sum)
KERNEL(nested_loops)
KERNEL(uniform_arms)
KERNEL(loaded_condition)
KERNEL(uniform_return)
KERNEL(some_return)
KERNEL(break_and_continue)
KERNEL(many_values)
KERNEL(votes)
KERNEL(called_barriers)
KERNEL(loops_in_step)
KERNEL(loops_of_some)
KERNEL(left_behind)
KERNEL(swap)
KERNEL(atomics)
KERNEL(own_stack)

Test(blocks, only_stacks_where_barriers_are_out_of_line)
{
    cr_assert(find("barriers_out_of_line", "thread") != NULL);
    cr_assert(find("barriers_out_of_line", "block") == NULL);
}
