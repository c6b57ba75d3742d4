/* Contexts: a device with its streams, memory pool and worker threads, opened and closed. */
#define _GNU_SOURCE
#include "devices/checked.h"
#include "devices/trace.h"
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

gpucc_status context_check(const gpucc_context *context)
{
    if (__builtin_expect(context_is_ours(context), 1))
        return GPUCC_OK;
    return fail(GPUCC_INVALID_ARGUMENT, "the context was created before fork(): a child process must create its own");
}

void context_log(gpucc_context *context, gpucc_log_level level, const char *format, ...)
{
    char message[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    context->log(context->log_data, level, message);
}

static void log_to_stderr(void *data, gpucc_log_level level, const char *message)
{
    static const char *const names[] = {"info", "warning", "error"};
    (void)data;
    fprintf(stderr, "gpucc: %s: %s\n", (unsigned)level < 3 ? names[level] : "message", message);
}

static gpucc_status fail_lost(gpucc_context *context)
{
    return fail(GPUCC_DEVICE_ERROR,
                "the device context is unusable since %s reported %s: destroy it and restart the process",
                atomic_load(&context->lost_call), driver_error_name(atomic_load(&context->lost)));
}

gpucc_status context_enter(gpucc_context *context, CUcontext *previous)
{
    *previous = context->cuda;
    gpucc_status status = context_check(context);
    if (status || context->kind == GPUCC_DEVICE_CPU)
        return status;
    if (__builtin_expect(atomic_load_explicit(&context->lost, memory_order_relaxed), 0))
        return fail_lost(context);
    status = CU(context, cuCtxGetCurrent, previous);
    if (status || *previous == context->cuda)
        return status;
    return CU(context, cuCtxSetCurrent, context->cuda);
}

/* A thread that had none keeps ours, so that its next call finds it. */
void context_leave(gpucc_context *context, CUcontext previous)
{
    if (previous && previous != context->cuda)
        driver.cuCtxSetCurrent(previous);
}

/* For good, before the context goes: a thread that kept it would stumble over it later, so that a failure is not
 * taken for an answer. */
static void make_current(CUcontext cuda)
{
    if (driver.cuCtxSetCurrent(cuda) != CUDA_SUCCESS)
        driver.cuCtxSetCurrent(cuda);
}

void context_lost(gpucc_context *context, CUresult result, const char *call)
{
    int none = 0;
    const char *no_call = NULL;
    atomic_compare_exchange_strong(&context->lost_call, &no_call, call);
    atomic_compare_exchange_strong(&context->lost, &none, result);
}

/* Copying is done by a few threads: more do not make memory faster. */
static int copying_threads(const gpucc_context *context)
{
    enum { ENOUGH = 12 };
    cpu_set_t set;
    if (context->cpu_threads > 0 || getenv("GPUCC_CPU_THREADS"))
        return context->cpu_threads;
    int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    cores = cores > context->sharers ? cores / context->sharers : 1;
    return cores < ENOUGH ? cores : ENOUGH;
}

gpucc_status context_pool(gpucc_context *context, struct pool **out)
{
    gpucc_status status = GPUCC_OK;
    if (context->kind == GPUCC_DEVICE_CUDA) {
        pthread_mutex_lock(&context->lock);
        if (!context->pool)
            status = pool_create(copying_threads(context), &context->pool);
        pthread_mutex_unlock(&context->lock);
    }
    *out = context->pool;
    return status;
}

static void use_memory_pool(gpucc_context *context)
{
    struct device *device = &context->device;
    uint64_t keep_all = UINT64_MAX;
    if (!device->has_pools || !driver.cuDeviceGetDefaultMemPool || !driver.cuMemPoolSetAttribute)
        return;
    if (driver.cuDeviceGetDefaultMemPool(&context->memory_pool, device->handle) != CUDA_SUCCESS) {
        context->memory_pool = NULL;
        return;
    }
    driver.cuMemPoolSetAttribute(context->memory_pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep_all);
}

/* The device that the caller's own context is on. */
static gpucc_status adopt_context(gpucc_context *context, CUcontext cuda)
{
    CUcontext previous;
    CUdevice handle;
    context->cuda = cuda;
    gpucc_status status = driver_open();
    if (!status)
        status = context_enter(context, &previous);
    if (status)
        return status;
    status = CU(context, cuCtxGetDevice, &handle);
    if (!status)
        status = device_describe_cuda(handle, handle, &context->device);
    context_leave(context, previous);
    return status;
}

static gpucc_status retain_primary(gpucc_context *context, int ordinal)
{
    gpucc_status status = device_query(GPUCC_DEVICE_CUDA, ordinal, &context->device);
    if (!status)
        status = CU(context, cuDevicePrimaryCtxRetain, &context->cuda, context->device.handle);
    context->retained = status == GPUCC_OK;
    return status;
}

static void release_primary(gpucc_context *context)
{
    if (context->retained)
        driver.cuDevicePrimaryCtxRelease(context->device.handle);
}

static gpucc_status open_cuda(gpucc_context *context, int ordinal, CUcontext cuda, CUstream stream)
{
    CUcontext previous;
    gpucc_status status = cuda ? adopt_context(context, cuda) : retain_primary(context, ordinal);
    if (status)
        return status;
    status = context_enter(context, &previous);
    if (status)
        goto release;
    use_memory_pool(context);
    status = stream_open(context, &context->stream, stream);
    if (!status)
        trace_open(context->cuda);
    context_leave(context, previous);
    if (status)
        goto release;
    return GPUCC_OK;

release:
    /* a context that is about to go must not stay current */
    if (context->retained && previous != context->cuda)
        make_current(previous);
    release_primary(context);
    return status;
}

static gpucc_status open_cpu(gpucc_context *context)
{
    gpucc_status status = device_query(GPUCC_DEVICE_CPU, 0, &context->device);
    if (!status)
        status = pool_create(context->cpu_threads, &context->pool);
    if (status)
        return status;
    context->device.info.multiprocessors = pool_size(context->pool);
    return stream_open(context, &context->stream, NULL);
}

static bool has_occupancy_warnings(void)
{
    const char *setting = getenv("GPUCC_LOW_OCCUPANCY_WARNINGS");
    return !setting || strcmp(setting, "0") != 0;
}

static gpucc_context *context_new(void)
{
    gpucc_context *context = calloc(1, sizeof *context);
    if (!context)
        return NULL;
    pthread_mutex_init(&context->lock, NULL);
    pthread_mutex_init(&context->loading, NULL);
    struct link *lists[] = {&context->streams, &context->events, &context->arrays, &context->memories,
                            &context->lent,    &context->textures, &context->programs, &context->quarantine,
                            &context->graphs};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        list_init(lists[i]);
    atomic_init(&context->references, 1);
    context->sharers = 1;
    context->forks = atomic_load(&process_forks);
    context->log = log_to_stderr;
    context->warns_of_occupancy = has_occupancy_warnings();
    return context;
}

static void context_free(gpucc_context *context)
{
    pthread_mutex_destroy(&context->loading);
    pthread_mutex_destroy(&context->lock);
    free(context);
}

/* Bytes, by the options or the environment; 0: nothing is said. */
static gpucc_status read_memory_limit(const gpucc_context_options *options, size_t *limit)
{
    char *end;
    const char *setting = getenv("GPUCC_MEMORY_LIMIT");
    *limit = options->memory_limit;
    if (*limit || !setting || !*setting)
        return GPUCC_OK;
    errno = 0;
    const unsigned long long bytes = strtoull(setting, &end, 10);
    if (*setting < '0' || *setting > '9' || *end || errno)
        return fail(GPUCC_INVALID_ARGUMENT, "GPUCC_MEMORY_LIMIT is \"%.60s\": expected a number of bytes", setting);
    *limit = bytes;
    return GPUCC_OK;
}

gpucc_status context_open(const gpucc_context_options *options, const struct device_operations *operations,
                          gpucc_device_kind kind, int ordinal, gpucc_context **out)
{
    gpucc_context *context = context_new();
    if (!context)
        return fail_memory(sizeof *context, "a context");
    context->cpu_threads = options->cpu_threads;
    if (options->log)
        context->log = options->log;
    context->log_data = options->log_data;
    context->progress = options->progress;
    context->progress_data = options->progress_data;
    context->interrupt = options->interrupt;
    context->interrupt_data = options->interrupt_data;
    trace_start();
    trace_complain(context);
    context->kind = kind;
    context->operations = operations;
    gpucc_status status = read_memory_limit(options, &context->memory_limit);
    if (!status)
        status = kind == GPUCC_DEVICE_CPU
                     ? open_cpu(context)
                     : open_cuda(context, ordinal, options->cuda_context, options->cuda_stream);
    if (status)
        context_free(context);
    else
        *out = context;
    return status;
}

/* Memory that the pool keeps for later is of use to nobody now. */
static void trim_memory_pool(gpucc_context *context)
{
    if (context->memory_pool && driver.cuMemPoolTrimTo)
        driver.cuMemPoolTrimTo(context->memory_pool, 0);
}

/* Errors are of no use to anybody here, and a lost device must not keep the host's memory. */
void context_begin_freeing(gpucc_context *context, CUcontext *previous)
{
    *previous = NULL;
    if (context->kind == GPUCC_DEVICE_CPU)
        return;
    driver.cuCtxGetCurrent(previous);
    make_current(context->cuda);
    driver.cuCtxSynchronize();
}

void context_end_freeing(gpucc_context *context, CUcontext previous)
{
    if (context->kind == GPUCC_DEVICE_CUDA)
        make_current(context->retained && previous == context->cuda ? NULL : previous);
}

gpucc_context *context_retain(gpucc_context *context)
{
    atomic_fetch_add_explicit(&context->references, 1, memory_order_relaxed);
    return context;
}

/* The device's primary context stays where others hold it too; so does their thread's current context then. */
static void release_device(gpucc_context *context, CUcontext previous)
{
    int active = 0;
    unsigned flags;
    context_end_freeing(context, previous);
    release_primary(context);
    if (!context->retained || previous != context->cuda || !driver.cuDevicePrimaryCtxGetState)
        return;
    if (driver.cuDevicePrimaryCtxGetState(context->device.handle, &flags, &active) == CUDA_SUCCESS && active)
        make_current(previous);
}

void context_close(gpucc_context *context, CUcontext previous)
{
    if (context->kind == GPUCC_DEVICE_CUDA) {
        driver.cuStreamSynchronize(context->stream.handle);
        trace_close(context->cuda);
        stream_close(&context->stream);
        trim_memory_pool(context);
    }
    release_device(context, previous);
    context_free(context);
}

gpucc_status gpucc_context_info(gpucc_context *context, gpucc_device_info *info)
{
    if (!context || !info || info->size < sizeof info->size)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_context_info: context or info is null, or info's size is not set");
    CUcontext previous;
    gpucc_status status = context_enter(context, &previous);
    if (status)
        return status;
    gpucc_device_info now = context->device.info;
    long pages = sysconf(_SC_AVPHYS_PAGES);
    now.memory_free = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    if (context->kind == GPUCC_DEVICE_CUDA) {
        size_t free_bytes = 0, total = 0;
        status = CU(context, cuMemGetInfo, &free_bytes, &total);
        context_leave(context, previous);
        if (status)
            return status;
        now.memory_free = free_bytes;
    }
    device_copy_info(&now, info);
    return GPUCC_OK;
}

void *gpucc_context_cuda_stream(gpucc_context *context)
{
    return context ? context->stream.handle : NULL;
}

void context_watch(gpucc_context *context, const struct watch_settings *settings)
{
    context->watch = settings;
}
