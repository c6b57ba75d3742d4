/* Checks a kernel's launch_bounds, max_registers and cluster against the limits of any launch. */
#include "lower/lower_internal.h"

/* The error in a kernel's cluster(…), or null. */
static const char *wrong_cluster(const struct options *options, const struct instance *kernel)
{
    const long long x = kernel->cluster[0], y = kernel->cluster[1], z = kernel->cluster[2];
    const char *name = kernel->function->name;
    if (kernel->cluster_count > 3)
        return arena_printf(options->arena, "cluster(…) for '%s' has %u numbers, but a grid has 3 dimensions", name,
                            kernel->cluster_count);
    if (x < 1 || y < 1 || z < 1)
        return arena_printf(options->arena,
                            "cluster(%lld, %lld, %lld) for '%s', but a cluster has at least one block in each "
                            "dimension", x, y, z, name);
    if (x > GPUCC_CLUSTER_BLOCKS_MOST || y > GPUCC_CLUSTER_BLOCKS_MOST || z > GPUCC_CLUSTER_BLOCKS_MOST ||
        x * y * z > GPUCC_CLUSTER_BLOCKS_MOST)
        return arena_printf(options->arena,
                            "cluster(%lld, %lld, %lld) for '%s' has too many blocks: every device with clusters "
                            "supports %d, some support %d",
                            x, y, z, name, GPUCC_CLUSTER_BLOCKS, GPUCC_CLUSTER_BLOCKS_MOST);
    return NULL;
}

/* The error in a kernel's options, or null. */
static const char *wrong_option(const struct options *options, const struct instance *kernel)
{
    const struct function *function = kernel->function;
    const long long threads = kernel->launch_threads, blocks = kernel->launch_blocks;
    const long long registers = kernel->max_registers;
    struct arena *arena = options->arena;
    if (function->has_launch_bounds && (threads < 1 || threads > GPUCC_BLOCK_THREADS))
        return arena_printf(arena, "launch_bounds(%lld) for '%s', but a block has 1 to %d threads", threads,
                            function->name, GPUCC_BLOCK_THREADS);
    if (function->has_launch_bounds && (blocks < 0 || blocks > GPUCC_MULTIPROCESSOR_BLOCKS))
        return arena_printf(arena, "launch_bounds(%lld, %lld) for '%s', but a multiprocessor holds at most %d blocks",
                            threads, blocks, function->name, GPUCC_MULTIPROCESSOR_BLOCKS);
    if (function->has_max_registers &&
        (registers < GPUCC_THREAD_REGISTERS_LEAST || registers > GPUCC_THREAD_REGISTERS_MOST))
        return arena_printf(arena, "max_registers(%lld) for '%s', but a thread can have %d to %d registers", registers,
                            function->name, GPUCC_THREAD_REGISTERS_LEAST, GPUCC_THREAD_REGISTERS_MOST);
    if (function->has_max_registers && blocks)
        return arena_printf(arena,
                            "'%s' has both max_registers(%lld) and launch_bounds(%lld, %lld), whose second number "
                            "limits registers too: remove one",
                            function->name, registers, threads, blocks);
    return function->has_cluster ? wrong_cluster(options, kernel) : NULL;
}

/* Their values are constants of C, known when Clang has made code. */
bool check_kernel_options(const struct options *options, const struct pass *pass,
                                 struct diagnostics *diagnostics)
{
    bool right = true;
    for (size_t i = 0; i < pass->instance_count; i++) {
        const struct instance *instance = &pass->instances[i];
        const char *wrong = instance->function->kind == FUNCTION_KERNEL ? wrong_option(options, instance) : NULL;
        if (wrong)
            diagnose(diagnostics, SEVERITY_ERROR, instance->function->place, NULL, "%s", wrong);
        right &= !wrong;
    }
    return right;
}
