/* Kernel launches: sizes chosen or checked against the kernel's and the device's limits. */
#include "devices/device_operations.h"
#include "devices/trace.h"
#include "executor/cpu_launch.h"
#include "programs/programs.h"
#include <string.h>

enum { CPU_BLOCK = 256 }; /* threads, where the launch leaves them to us */

int gpucc_kernel_parameter_count(const gpucc_kernel *kernel)
{
    return kernel ? kernel->parameter_count : 0;
}

size_t gpucc_kernel_parameter_size(const gpucc_kernel *kernel, int index)
{
    return kernel && index >= 0 && index < kernel->parameter_count ? kernel->parameters[index].size : 0;
}

/* With all blocks at once where `together` is true. */
static gpucc_status launch_entry(gpucc_stream *stream, struct entry *entry, struct shape3 grid, struct shape3 block,
                                 size_t shared, void **parameters, bool together)
{
    gpucc_context *context = stream->context;
    CUfunction function = atomic_load_explicit(&entry->function, memory_order_relaxed);
    TRACE(span, "launch", entry->name);
    trace_launch(&span, grid, block, shared);
    CUresult result = together
                          ? driver.cuLaunchCooperativeKernel(function, grid.x, grid.y, grid.z, block.x, block.y,
                                                             block.z, (unsigned)shared, stream->handle, parameters)
                          : driver.cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                  (unsigned)shared, stream->handle, parameters, NULL);
    if (__builtin_expect(result != CUDA_SUCCESS, 0)) {
        gpucc_status status =
            driver_failed(context, result, together ? "cuLaunchCooperativeKernel" : "cuLaunchKernel");
        if (result == CUDA_ERROR_INVALID_CLUSTER_SIZE)
            return fail(status, "%s: its clusters of %u x %u x %u blocks do not fit on this device: %s", entry->name,
                        entry->cluster.x, entry->cluster.y, entry->cluster.z, gpucc_last_error());
        return fail(status, "%s: %s", entry->name, gpucc_last_error());
    }
    if (__builtin_expect(!occupancy_judged(entry, grid), 0))
        occupancy_judge(context, entry, grid, block, shared);
    return GPUCC_OK;
}

gpucc_status entry_launch(gpucc_stream *stream, struct entry *entry, struct shape3 grid, struct shape3 block,
                          size_t shared, void **parameters)
{
    return launch_entry(stream, entry, grid, block, shared, parameters, entry->cooperative);
}

gpucc_status entry_launch_together(gpucc_stream *stream, struct entry *entry, struct shape3 grid, struct shape3 block,
                                   void **parameters)
{
    return launch_entry(stream, entry, grid, block, 0, parameters, true);
}

/* ---- limits, each reported with both numbers ---- */

static gpucc_status check_block(const gpucc_kernel *kernel, const struct device *device, struct shape3 block)
{
    static const char axes[] = "xyz";
    const unsigned sizes[3] = {block.x, block.y, block.z};
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    const char *name = kernel->name;
    unsigned most = (unsigned)device->info.max_threads_per_block;
    if (threads > most || block.x > most || block.y > most || block.z > most)
        return fail(GPUCC_BAD_LAUNCH, "%s: a block of %u x %u x %u = %llu threads; the device allows %u", name, block.x,
                    block.y, block.z, (unsigned long long)threads, most);
    if (kernel->launch_bounds && threads > kernel->launch_bounds)
        return fail(GPUCC_BAD_LAUNCH, "%s: a block of %u x %u x %u = %llu threads; its launch_bounds allow %u", name,
                    block.x, block.y, block.z, (unsigned long long)threads, kernel->launch_bounds);
    if (kernel->entry.max_threads && threads > (unsigned)kernel->entry.max_threads)
        return fail(GPUCC_BAD_LAUNCH, "%s: a block of %u x %u x %u = %llu threads; its %d registers a thread allow %d",
                    name, block.x, block.y, block.z, (unsigned long long)threads, kernel->entry.registers,
                    kernel->entry.max_threads);
    for (int d = 0; d < 3; d++) {
        if (sizes[d] > (unsigned)device->max_block[d])
            return fail(GPUCC_BAD_LAUNCH, "%s: a block of %u threads in %c; the device allows %d", name, sizes[d],
                        axes[d], device->max_block[d]);
    }
    return GPUCC_OK;
}

static gpucc_status check_grid(const gpucc_kernel *kernel, const struct device *device, const uint64_t grid[3])
{
    static const char axes[] = "xyz";
    for (int d = 0; d < 3; d++) {
        uint64_t most = (uint64_t)device->max_grid[d];
        if (grid[d] > most)
            return fail(GPUCC_BAD_LAUNCH, "%s: a grid of %llu blocks in %c; the device allows %llu", kernel->name,
                        (unsigned long long)grid[d], axes[d], (unsigned long long)most);
    }
    return GPUCC_OK;
}

static gpucc_status check_shared(const gpucc_kernel *kernel, const struct device *device, size_t static_shared,
                                 size_t dynamic)
{
    size_t most = device->info.max_shared_per_block;
    if (kernel->dynamic_shared && dynamic == 0)
        return fail(GPUCC_BAD_LAUNCH,
                    "%s: it uses dynamic shared memory, but the launch requests 0 bytes: set gpucc_launch.shared, or "
                    "--shared of gpucc run",
                    kernel->name);
    if (static_shared <= most && dynamic <= most - static_shared)
        return GPUCC_OK;
    return fail(GPUCC_BAD_LAUNCH,
                "%s: %zu bytes of shared memory a block (%zu static + %zu dynamic); the device allows %zu",
                kernel->name, static_shared + dynamic, static_shared, dynamic, most);
}

gpucc_status entry_opt_in(gpucc_program *program, struct entry *entry, size_t dynamic)
{
    gpucc_context *context = program->context;
    if (entry->shared + dynamic <= context->device.max_shared ||
        dynamic <= atomic_load_explicit(&entry->opted_in, memory_order_acquire))
        return GPUCC_OK;
    gpucc_status status = GPUCC_OK;
    pthread_mutex_lock(&program->lock);
    if (dynamic > atomic_load_explicit(&entry->opted_in, memory_order_relaxed)) {
        status = CU(context, cuFuncSetAttribute, atomic_load(&entry->function),
                    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)dynamic);
        if (!status)
            atomic_store_explicit(&entry->opted_in, dynamic, memory_order_release);
    }
    pthread_mutex_unlock(&program->lock);
    return status;
}

/* ---- the launch as it is asked for ---- */

static unsigned at_least_one(unsigned n)
{
    return n ? n : 1;
}

static bool all_zero(const uint32_t n[3])
{
    return (n[0] | n[1] | n[2]) == 0;
}

/* Unused dimensions may be 0; the first may not be, or nothing is wanted. */
static void total_threads(const gpucc_launch *launch, uint64_t threads[3])
{
    threads[0] = launch->threads[0];
    for (int d = 1; d < 3; d++)
        threads[d] = launch->threads[d] ? launch->threads[d] : 1;
}

static gpucc_status choose_block(gpucc_kernel *kernel, const gpucc_launch *launch, bool from_threads,
                                 const uint64_t threads[3], struct shape3 *block)
{
    gpucc_context *context = kernel->program->context;
    unsigned most = CPU_BLOCK;
    gpucc_status status = GPUCC_OK;
    if (context->kind == GPUCC_DEVICE_CUDA)
        status = occupancy_block(kernel, launch->shared, &most);
    else if (kernel->launch_bounds && kernel->launch_bounds < most)
        most = kernel->launch_bounds;
    if (status)
        return status;
    if (from_threads) {
        uint64_t total;
        if (__builtin_mul_overflow(threads[0], threads[1], &total) || __builtin_mul_overflow(total, threads[2], &total))
            total = UINT64_MAX;
        *block = occupancy_shape(occupancy_spread(context, most, total), threads, context->device.max_block);
    } else {
        *block = (struct shape3){most, 1, 1};
    }
    return GPUCC_OK;
}

/* ---- cooperative launches, whose blocks all run at once ---- */

/* How many blocks can run at once.  An automatic grid on the CPU gets no more than keep its workers busy. */
static gpucc_status most_together(gpucc_kernel *kernel, const struct launch_plan *plan, bool automatic, uint64_t *most)
{
    enum { THREADS_EACH = 2048 }; /* as a multiprocessor holds */
    const gpucc_device_info *info = &kernel->program->context->device.info;
    unsigned threads = (unsigned)shape_volume(plan->block);
    if (info->kind == GPUCC_DEVICE_CUDA)
        return occupancy_resident(kernel->program->context, &kernel->entry, plan->block, plan->shared, most);
    *most = CPU_COOPERATIVE_THREADS / threads;
    uint64_t enough = THREADS_EACH / threads * (uint64_t)info->multiprocessors;
    if (automatic && enough < *most)
        *most = enough;
    return GPUCC_OK;
}

/* Takes blocks away, along z first, until there are `most`: whole clusters. */
static void shrink_grid(uint64_t grid[3], const unsigned cluster[3], uint64_t most)
{
    for (int d = 0; d < 3; d++) {
        grid[d] /= cluster[d];
        most /= cluster[d];
    }
    for (int d = 2; d >= 0; d--) {
        uint64_t others = 1;
        for (int k = 0; k < d; k++)
            others = grid[k] > most / others ? most + 1 : others * grid[k];
        uint64_t fit = others > most ? 1 : most / others;
        if (grid[d] > fit)
            grid[d] = fit;
    }
    for (int d = 0; d < 3; d++)
        grid[d] *= cluster[d];
}

/* A grid from `threads` is made to fit: its kernel goes through the elements in steps of gridsize(). */
static gpucc_status fit_grid(gpucc_kernel *kernel, const struct launch_plan *plan, bool from_threads,
                             const unsigned cluster[3], uint64_t grid[3])
{
    const struct device *device = &kernel->program->context->device;
    uint64_t most, blocks;
    if (__builtin_mul_overflow(grid[0], grid[1], &blocks) || __builtin_mul_overflow(blocks, grid[2], &blocks))
        blocks = UINT64_MAX;
    gpucc_status status = most_together(kernel, plan, from_threads, &most);
    if (status)
        return status;
    if (from_threads && most > 0) {
        shrink_grid(grid, cluster, most);
        return GPUCC_OK;
    }
    if (blocks <= most)
        return GPUCC_OK;
    return fail(GPUCC_BAD_LAUNCH,
                "%s: its grid_sync() needs all blocks to run at once: a grid of %llu blocks of %llu threads; the "
                "device runs %llu of them at a time, on %d %s",
                kernel->name, (unsigned long long)blocks, (unsigned long long)shape_volume(plan->block),
                (unsigned long long)most, device->info.multiprocessors,
                device->info.kind == GPUCC_DEVICE_CUDA ? "multiprocessors" : "workers");
}

/* Blocks for so many threads, in whole clusters. */
static uint64_t blocks_for(uint64_t threads, unsigned block, unsigned cluster)
{
    uint64_t blocks = threads / block + (threads % block != 0), rest = blocks % cluster;
    return rest == 0 || blocks > UINT64_MAX - cluster ? blocks - rest : blocks - rest + cluster;
}

static gpucc_status check_clusters(const gpucc_kernel *kernel, const unsigned cluster[3], const uint64_t grid[3])
{
    if (grid[0] % cluster[0] == 0 && grid[1] % cluster[1] == 0 && grid[2] % cluster[2] == 0)
        return GPUCC_OK;
    return fail(GPUCC_BAD_LAUNCH,
                "%s: a grid of %llu x %llu x %llu blocks is not a multiple of its clusters of %u x %u x %u",
                kernel->name,
                (unsigned long long)grid[0], (unsigned long long)grid[1], (unsigned long long)grid[2], cluster[0],
                cluster[1], cluster[2]);
}

static gpucc_status choose_grid(gpucc_kernel *kernel, const gpucc_launch *launch, bool from_threads,
                                const uint64_t threads[3], struct launch_plan *plan)
{
    const unsigned block[3] = {plan->block.x, plan->block.y, plan->block.z};
    const unsigned cluster[3] = {kernel->entry.cluster.x, kernel->entry.cluster.y, kernel->entry.cluster.z};
    uint64_t grid[3];
    for (int d = 0; d < 3; d++)
        grid[d] = from_threads ? blocks_for(threads[d], block[d], cluster[d]) : at_least_one(launch->grid[d]);
    gpucc_status status = check_clusters(kernel, cluster, grid);
    if (!status && kernel->entry.cooperative)
        status = fit_grid(kernel, plan, from_threads, cluster, grid);
    if (!status)
        status = check_grid(kernel, &kernel->program->context->device, grid);
    plan->grid = (struct shape3){(unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2]};
    return status;
}

static gpucc_status make_plan(gpucc_kernel *kernel, const gpucc_launch *launch, struct launch_plan *plan)
{
    const struct device *device = &kernel->program->context->device;
    uint64_t threads[3];
    bool from_threads = all_zero(launch->grid);
    total_threads(launch, threads);
    plan->empty = from_threads && threads[0] == 0;
    plan->shared = launch->shared;
    size_t static_shared = device->info.kind == GPUCC_DEVICE_CUDA ? kernel->entry.shared : kernel->shared;
    gpucc_status status = check_shared(kernel, device, static_shared, launch->shared);
    if (status || plan->empty)
        return status;
    if (device->info.kind == GPUCC_DEVICE_CUDA)
        status = entry_opt_in(kernel->program, &kernel->entry, launch->shared);
    if (status)
        return status;
    if (all_zero(launch->block))
        status = choose_block(kernel, launch, from_threads, threads, &plan->block);
    else
        plan->block = (struct shape3){at_least_one(launch->block[0]), at_least_one(launch->block[1]),
                                      at_least_one(launch->block[2])};
    if (!status)
        status = check_block(kernel, device, plan->block);
    return status ? status : choose_grid(kernel, launch, from_threads, threads, plan);
}

/* ---- a launch ---- */

static gpucc_status launch_entered(gpucc_kernel *kernel, const gpucc_launch *launch, void *const *parameters)
{
    struct launch_plan plan;
    gpucc_context *context = kernel->program->context;
    gpucc_status status = stream_resolve(context, launch->stream, &plan.stream);
    if (!status && context->kind == GPUCC_DEVICE_CUDA)
        status = entry_prepare(kernel->program, &kernel->entry);
    if (!status)
        status = make_plan(kernel, launch, &plan);
    if (status || plan.empty)
        return status;
    return stream_operations(plan.stream)->launch(kernel, &plan, parameters);
}

static gpucc_status check_sizes(const gpucc_kernel *kernel, const size_t *sizes)
{
    for (int i = 0; i < kernel->parameter_count; i++) {
        const struct manifest_parameter *parameter = &kernel->parameters[i];
        if (sizes[i] != parameter->size)
            return fail(GPUCC_INVALID_ARGUMENT, "%s: parameter %d, %s, takes %zu bytes, got %zu",
                        kernel->name, i, parameter->name, parameter->size, sizes[i]);
    }
    return GPUCC_OK;
}

static gpucc_status check_parameters(const gpucc_kernel *kernel, void *const *parameters, const size_t *sizes)
{
    if (kernel->parameter_count > 0 && !parameters)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: expected %d arguments, got none", kernel->name,
                    kernel->parameter_count);
    for (int i = 0; i < kernel->parameter_count; i++) {
        if (!parameters[i])
            return fail(GPUCC_INVALID_ARGUMENT, "%s: the pointer to parameter %d, %s, is null", kernel->name, i,
                        kernel->parameters[i].name);
    }
    return sizes ? check_sizes(kernel, sizes) : GPUCC_OK;
}

gpucc_status gpucc_kernel_launch(gpucc_kernel *kernel, const gpucc_launch *launch, void *const *parameters)
{
    gpucc_launch copy;
    CUcontext previous;
    if (!kernel || !launch || launch->size < sizeof launch->size)
        return fail(GPUCC_INVALID_ARGUMENT,
                    "gpucc_kernel_launch: kernel or launch is null, or launch's size is not set");
    if (launch->size < sizeof copy) { /* an older caller's record lacks what was added since */
        memset(&copy, 0, sizeof copy);
        memcpy(&copy, launch, launch->size);
        launch = &copy;
    }
    gpucc_status status = check_parameters(kernel, parameters, launch->sizes);
    if (!status)
        status = context_enter(kernel->program->context, &previous);
    if (status)
        return status;
    status = launch_entered(kernel, launch, parameters);
    context_leave(kernel->program->context, previous);
    return recording_note(kernel->program->context, status,
                          &(struct recorded){.kind = RECORDED_LAUNCH, .function = kernel, .options = launch,
                                             .parameters = parameters});
}
