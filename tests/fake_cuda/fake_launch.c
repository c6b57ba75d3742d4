/* Launches: functions' limits, occupancy, and kernels run natively on an executor. */
#define _GNU_SOURCE
#include "executor/cpu_launch.h"
#include "fake.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

const char *fake_cuda_path(void)
{
    Dl_info info;
    return dladdr((void *)fake_cuda_path, &info) ? info.dli_fname : NULL;
}

/* ---- native code ---- */

struct native {
    struct native *next;
    const char *name;
    void (*thread)(void **);
    void (*block)(void **);
    size_t shared;
};
static struct native *natives;

void fake_cuda_register(const char *name, void (*thread)(void **), void (*block)(void **), size_t shared)
{
    ENTER_LOCK;
    struct native *native = calloc(1, sizeof *native);
    *native = (struct native){natives, name, thread, block, shared};
    natives = native;
}

static void *find_symbol(const struct function *function, const char *suffix)
{
    char symbol[512];
    snprintf(symbol, sizeof symbol, "%s%s", function->name, suffix);
    return native_symbol(function->module, symbol);
}

static const struct native *registered(const struct function *function)
{
    const struct native *native = natives;
    while (native && strcmp(native->name, function->name) != 0)
        native = native->next;
    return native;
}

static struct native native_of(const struct function *function)
{
    if (registered(function))
        return *registered(function);
    /* The shared variables of a whole program follow one another there, of which the module may be a part. */
    enum { PROGRAM_SHARED = 512 << 10 };
    struct native found = {.name = function->name, .shared = function->module->shared + PROGRAM_SHARED};
    *(void **)&found.thread = find_symbol(function, "_thread");
    *(void **)&found.block = find_symbol(function, "_block");
    return found;
}

/* ---- the executor: ours, unless the program hands over its own ---- */

static gpucc_status (*executor_create)(int threads, struct pool **out) = pool_create;
static gpucc_status (*executor_run)(struct pool *pool, const struct cpu_launch *launch) = cpu_launch_run;
static struct pool *executor_pool;

void fake_cuda_use_executor(gpucc_status (*create)(int threads, struct pool **out),
                            gpucc_status (*run)(struct pool *pool, const struct cpu_launch *launch))
{
    ENTER_LOCK;
    if (executor_pool)
        die("fake_cuda_use_executor() comes after the first launch");
    executor_create = create;
    executor_run = run;
}

/* The executor's copy here reports failures through this. */
static char executor_message[512];

gpucc_status fail(gpucc_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(executor_message, sizeof executor_message, format, arguments);
    va_end(arguments);
    return status;
}

gpucc_status fail_memory(size_t bytes, const char *what)
{
    return fail(GPUCC_NO_MEMORY, "no memory for %zu bytes of %s", bytes, what);
}

/* ---- what a function may have ---- */

static CUresult function_of(CUfunction handle, struct function **out)
{
    struct context *context;
    CUresult result = context_owning(handle, FUNCTION, &context);
    *out = (struct function *)handle;
    return result;
}

enum { CLUSTERS_SINCE = 11080, PORTABLE_CLUSTER = 8, LARGEST_CLUSTER = 16, CLUSTER_GROUP = 16 /* multiprocessors */ };

static unsigned cluster_blocks(const struct function *function)
{
    return function->cluster[0] * function->cluster[1] * function->cluster[2];
}

static size_t static_shared(const struct function *function)
{
    return registered(function) ? registered(function)->shared : function->shared;
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction handle)
{
    ENTER("cuFuncGetAttribute", CUDA_ERROR_UNKNOWN);
    struct function *function;
    CUresult result = function_of(handle, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = (int)function->max_threads; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)static_shared(function); break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = (int)function->registers; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = (int)function->dynamic_limit; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH + 1:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH + 2:
        if (settings.driver < CLUSTERS_SINCE)
            return CUDA_ERROR_INVALID_VALUE;
        *value = cluster_blocks(function) > 1
                     ? (int)function->cluster[attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH]
                     : 0;
        break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction handle, int attribute, int value)
{
    ENTER("cuFuncSetAttribute", CUDA_ERROR_UNKNOWN);
    struct function *function;
    CUresult result = function_of(handle, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED && settings.driver >= CLUSTERS_SINCE) {
        function->non_portable = value != 0;
        return CUDA_SUCCESS;
    }
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
        (size_t)value + static_shared(function) > SHARED_OPTIN)
        return CUDA_ERROR_INVALID_VALUE;
    function->dynamic_limit = (size_t)value;
    return CUDA_SUCCESS;
}

static int smaller(size_t a, size_t b)
{
    return (int)(a < b ? a : b);
}

/* Blocks of this many threads on one multiprocessor. */
static int resident(const struct function *function, int block, size_t dynamic)
{
    enum { WARP = 32, SYSTEM_SHARED = 1024 };
    if (block < 1 || (unsigned)block > function->max_threads)
        return 0;
    size_t warps = ((size_t)block + WARP - 1) / WARP;
    size_t shared = static_shared(function) + dynamic + SYSTEM_SHARED;
    int blocks = smaller(MULTIPROCESSOR_BLOCKS, MULTIPROCESSOR_THREADS / (warps * WARP));
    blocks = smaller((size_t)blocks, MULTIPROCESSOR_REGISTERS / (warps * WARP * function->registers));
    return smaller((size_t)blocks, MULTIPROCESSOR_SHARED / shared);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction handle, int block, size_t shared)
{
    ENTER("cuOccupancyMaxActiveBlocksPerMultiprocessor", CUDA_ERROR_UNKNOWN);
    struct function *function;
    CUresult result = function_of(handle, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (!blocks || block < 1)
        return CUDA_ERROR_INVALID_VALUE;
    *blocks = resident(function, block, shared);
    return CUDA_SUCCESS;
}

/* A cluster's blocks lie in one group of multiprocessors; an incomplete group holds none. */
static int resident_clusters(const struct function *function, int block, size_t shared)
{
    int each = resident(function, block, shared) * CLUSTER_GROUP / (int)cluster_blocks(function);
    return settings.multiprocessors / CLUSTER_GROUP * each;
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction handle, const CUlaunchConfig *config)
{
    ENTER("cuOccupancyMaxActiveClusters", CUDA_ERROR_UNKNOWN);
    struct function *function;
    CUresult result = function_of(handle, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (!clusters || !config || config->numAttrs || cluster_blocks(function) == 1)
        return CUDA_ERROR_INVALID_VALUE;
    *clusters = resident_clusters(function, (int)(config->blockDimX * config->blockDimY * config->blockDimZ),
                                  config->sharedMemBytes);
    return CUDA_SUCCESS;
}

/* The largest block among those with the most threads on a multiprocessor. */
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction handle, size_t (*shared_of_block)(int),
                                          size_t shared, int limit)
{
    ENTER("cuOccupancyMaxPotentialBlockSize", CUDA_ERROR_UNKNOWN);
    struct function *function;
    int best = 0;
    CUresult result = function_of(handle, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (!grid || !block || limit < 0)
        return CUDA_ERROR_INVALID_VALUE;
    *grid = *block = 0;
    for (int threads = (int)function->max_threads; threads > 0; threads = (threads - 1) / 32 * 32) {
        int blocks = resident(function, threads, shared_of_block ? shared_of_block(threads) : shared);
        if ((limit > 0 && threads > limit) || blocks * threads <= best)
            continue;
        best = blocks * threads;
        *block = threads;
        *grid = blocks * settings.multiprocessors;
    }
    return CUDA_SUCCESS;
}

/* ---- running ---- */

struct launch {
    struct function *function;
    struct gpucc_index grid, block;
    size_t shared;
    bool cooperative;
    char *values;      /* the parameters, each at its offset */
    void **parameters; /* into `values` */
    struct allocation **used;
    int used_count;
};

static const char *kernel_now;
static int broken; /* what the next kernel ends in */
static struct fake_cuda_launch last_launch;

const char *running_kernel(void)
{
    return kernel_now;
}

void fake_cuda_break_kernel(int result)
{
    ENTER_LOCK;
    broken = result;
}

struct fake_cuda_launch fake_cuda_last_launch(void)
{
    ENTER_LOCK;
    return last_launch;
}

static void note_launch(const struct launch *launch)
{
    last_launch = (struct fake_cuda_launch){
        launch->function->name,
        {launch->grid.x, launch->grid.y, launch->grid.z},
        {launch->block.x, launch->block.y, launch->block.z},
        launch->shared,
        launch->cooperative,
        {launch->function->cluster[0], launch->function->cluster[1], launch->function->cluster[2]},
    };
}

static void run_natively(const struct launch *launch)
{
    struct native native = native_of(launch->function);
    const unsigned *cluster = launch->function->cluster;
    if (!native.thread)
        die("there is no native code for it: no fake_cuda_register(\"%s\", …), no %s_thread", native.name, native.name);
    struct cpu_launch run = {
        .name = native.name,
        .grid = launch->grid,
        .block = launch->block,
        .shared = native.shared,
        .dynamic_shared = launch->shared,
        .run_thread = native.thread,
        .run_block = native.block,
        .parameters = launch->parameters,
        .cooperative = launch->cooperative && !native.block, /* such a function waits for no other block */
        .cluster = {cluster[0], cluster[1], cluster[2]},
    };
    if (!executor_pool && executor_create(0, &executor_pool) != GPUCC_OK)
        die("cannot create the executor's threads: %s", executor_message);
    variables_enter(launch->function->module);
    if (executor_run(executor_pool, &run) != GPUCC_OK)
        die("the executor failed: %s", executor_message);
    variables_leave(launch->function->module);
}

static void run_ptx(const struct launch *launch)
{
    const unsigned *cluster = launch->function->cluster;
    const struct ptx_launch run = {
        .entry = launch->function->name,
        .grid = {launch->grid.x, launch->grid.y, launch->grid.z},
        .block = {launch->block.x, launch->block.y, launch->block.z},
        .cluster = {cluster[0], cluster[1], cluster[2]},
        .dynamic_shared = launch->shared,
        .cooperative = launch->cooperative,
        .parameters = launch->parameters,
    };
    play_launch(launch->function->module, &run);
}

static void run_launch(struct op *op)
{
    struct launch *launch = *(struct launch **)(void *)op->data;
    struct context *context = launch->function->object.context;
    kernel_now = launch->function->name;
    for (int i = 0; i < launch->used_count; i++)
        allocation_require(launch->used[i]);
    note_launch(launch);
    if (broken)
        context->error = broken;
    else if (launch->function->module->played)
        run_ptx(launch);
    else
        run_natively(launch);
    broken = 0;
    kernel_now = NULL;
    launch_free(launch);
}

void launch_free(struct launch *launch)
{
    free(launch->values);
    free(launch->parameters);
    free(launch->used);
    free(launch);
}

/* ---- launching ---- */

static size_t value_offset(const struct function *function, int index)
{
    size_t offset = 0;
    for (int i = 0; i <= index; i++) {
        size_t align = function->parameters[i].align;
        offset = (offset + align - 1) / align * align;
        if (i < index)
            offset += function->parameters[i].size;
    }
    return offset;
}

/* Whether something of the host lies at this address.  Lower ones may as well be numbers. */
static bool is_host_memory(uint64_t address)
{
    const uint64_t lowest = (uint64_t)1 << 40, highest = (uint64_t)1 << 47;
    unsigned char resident_pages;
    if (address < lowest || address >= highest || address_is_pinned(address))
        return false;
    return mincore((void *)(uintptr_t)(address & ~(uint64_t)4095), 1, &resident_pages) == 0;
}

static void note_use(struct launch *launch, struct allocation *allocation)
{
    launch->used = realloc(launch->used, (size_t)(launch->used_count + 1) * sizeof(struct allocation *));
    launch->used[launch->used_count++] = allocation;
}

/* Any word of a parameter may be a texture or a pointer: into device memory it must point to some that is there, and to
 * the host's it must not point at all. */
static void find_pointers(struct launch *launch, int index, const char *value, size_t size)
{
    for (size_t offset = 0; offset + 8 <= size; offset += 8) {
        uint64_t word;
        memcpy(&word, value + offset, sizeof word);
        struct allocation *texels = texture_memory(launch->function->object.context, word);
        if (texels)
            note_use(launch, texels);
        if (texels || !address_is_device(word)) {
            if (!texels && is_host_memory(word))
                die("%s: parameter %d holds %#llx, an address of the host's memory", launch->function->name, index,
                    (unsigned long long)word);
            continue;
        }
        struct allocation *allocation = allocation_find(word, 0);
        if (!allocation)
            die("%s: parameter %d holds the device address %#llx, where nothing is allocated", launch->function->name,
                index, (unsigned long long)word);
        if (!allocation_is_reached(allocation, launch->function->object.context))
            die("%s: parameter %d points to another device's memory, which it does not reach", launch->function->name,
                index);
        note_use(launch, allocation);
    }
}

static void copy_parameters(struct launch *launch, void **parameters)
{
    const struct function *function = launch->function;
    int count = function->parameter_count;
    size_t bytes = count > 0 ? value_offset(function, count - 1) + function->parameters[count - 1].size : 0;
    launch->values = aligned_alloc(64, (bytes + 64) / 64 * 64);
    launch->parameters = calloc((size_t)count + 1, sizeof *launch->parameters);
    if (!launch->values || !launch->parameters)
        die("the host is out of memory");
    for (int i = 0; i < count; i++) {
        char *value = launch->values + value_offset(function, i);
        if (!parameters[i])
            die("%s: the pointer to parameter %d is null", function->name, i);
        memcpy(value, parameters[i], function->parameters[i].size);
        launch->parameters[i] = value;
        find_pointers(launch, i, value, function->parameters[i].size);
    }
}

static CUresult check_limits(const struct function *function, struct gpucc_index grid, struct gpucc_index block,
                             size_t shared)
{
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > INT32_MAX || grid.y > 65535 || grid.z > 65535)
        return CUDA_ERROR_INVALID_VALUE;
    if (block.x == 0 || block.y == 0 || block.z == 0 || block.x > 1024 || block.y > 1024 || block.z > 64 ||
        threads > 1024)
        return CUDA_ERROR_INVALID_VALUE;
    if (threads > function->max_threads)
        return threads * function->registers > MULTIPROCESSOR_REGISTERS ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
                                                                        : CUDA_ERROR_INVALID_VALUE;
    size_t own = static_shared(function);
    bool fits = function->dynamic_limit > SHARED_DEFAULT ? shared <= function->dynamic_limit
                                                         : own + shared <= SHARED_DEFAULT;
    return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult check_clusters(const struct function *function, const struct launch *launch)
{
    struct gpucc_index grid = launch->grid, block = launch->block;
    const unsigned *cluster = function->cluster, size = cluster_blocks(function);
    bool divides = grid.x % cluster[0] == 0 && grid.y % cluster[1] == 0 && grid.z % cluster[2] == 0;
    bool is_allowed = size <= (function->non_portable ? LARGEST_CLUSTER : PORTABLE_CLUSTER);
    bool fits = size == 1 || resident_clusters(function, (int)(block.x * block.y * block.z), launch->shared) > 0;
    return divides && is_allowed && fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

/* All blocks must fit at once. */
static CUresult check_together(const struct function *function, const struct launch *launch)
{
    struct gpucc_index grid = launch->grid, block = launch->block;
    const unsigned size = cluster_blocks(function);
    const int threads = (int)(block.x * block.y * block.z);
    uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    int most = size > 1 ? resident_clusters(function, threads, launch->shared) * (int)size
                        : resident(function, threads, launch->shared) * settings.multiprocessors;
    return blocks <= (uint64_t)most ? CUDA_SUCCESS : CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

static struct launch *launch_new(const struct launch *asked, struct function *function, void **parameters)
{
    struct launch *launch = calloc(1, sizeof *launch);
    if (!launch)
        die("the host is out of memory");
    *launch = (struct launch){.function = function, .grid = asked->grid, .block = asked->block,
                              .shared = asked->shared, .cooperative = asked->cooperative};
    copy_parameters(launch, parameters);
    return launch;
}

struct launch *launch_copy(const struct launch *launch)
{
    return launch_new(launch, launch->function, launch->parameters);
}

struct launch *launch_from(const struct launch *launch, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    const struct launch asked = {
        .grid = {parameters->gridDimX, parameters->gridDimY, parameters->gridDimZ},
        .block = {parameters->blockDimX, parameters->blockDimY, parameters->blockDimZ},
        .shared = parameters->sharedMemBytes,
        .cooperative = launch->cooperative,
    };
    return launch_new(&asked, (struct function *)parameters->func, parameters->kernelParams);
}

void launch_describe(const struct launch *launch, CUDA_KERNEL_NODE_PARAMS *parameters)
{
    *parameters = (CUDA_KERNEL_NODE_PARAMS){
        .func = (CUfunction)launch->function,
        .gridDimX = launch->grid.x,
        .gridDimY = launch->grid.y,
        .gridDimZ = launch->grid.z,
        .blockDimX = launch->block.x,
        .blockDimY = launch->block.y,
        .blockDimZ = launch->block.z,
        .sharedMemBytes = (unsigned)launch->shared,
        .kernelParams = launch->parameters,
    };
}

void launch_enqueue(struct stream *stream, struct launch *launch, const char *call)
{
    enqueue(stream, call, run_launch, &launch, sizeof(struct launch *));
}

/* Launches of either kind; the device will run `*asked`. */
static CUresult launch(CUfunction handle, const struct launch *asked, CUstream stream_handle, void **parameters,
                       const char *call)
{
    struct function *function;
    struct stream *stream;
    CUresult result = function_of(handle, &function);
    if (result == CUDA_SUCCESS)
        result = stream_of(function->object.context, stream_handle, &stream);
    if (result == CUDA_SUCCESS)
        result = check_limits(function, asked->grid, asked->block, asked->shared);
    if (result == CUDA_SUCCESS)
        result = check_clusters(function, asked);
    if (result == CUDA_SUCCESS && asked->cooperative)
        result = check_together(function, asked);
    if (result != CUDA_SUCCESS)
        return result;
    if (!parameters && function->parameter_count > 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct launch *launch = launch_new(asked, function, parameters);
    if (stream->capture)
        graph_add_launch(stream, launch);
    else
        launch_enqueue(stream, launch, call);
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **parameters,
                        void **extra)
{
    ENTER("cuLaunchKernel", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    struct launch asked = {
        .grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}, .shared = shared};
    if (extra)
        die("the fake takes no `extra`");
    return launch(handle, &asked, stream, parameters, "cuLaunchKernel");
}

CUresult cuLaunchCooperativeKernel(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                   CUstream stream, void **parameters)
{
    ENTER("cuLaunchCooperativeKernel", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    struct launch asked = {.grid = {grid_x, grid_y, grid_z},
                           .block = {block_x, block_y, block_z},
                           .shared = shared,
                           .cooperative = true};
    return launch(handle, &asked, stream, parameters, "cuLaunchCooperativeKernel");
}
