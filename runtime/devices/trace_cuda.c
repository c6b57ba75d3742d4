/* A trace of a GPU's work: copies and launches between two of its events, which are read when they have come to
 * pass, so that nobody waits for them; waits as the host has them. */
#include "devices/trace.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct driver real; /* before its entries were replaced */

/* A copy or a launch in a stream. */
struct work {
    struct link link;
    CUevent begin, end;
    CUstream stream;
    uint64_t number, enqueued, bytes;
    const char *category;
    char *name; /* ours; or null */
    const struct trace_span *call; /* whose launch it is, until that returns and says what it worked on */
    struct shape3 grid, block;
    size_t shared;
};

struct lane {
    CUstream handle;
    uint64_t last; /* when what it did last was done: slices of a stream do not overlap */
};

/* A device context, in which events are compared with one of which the host's time is known. */
struct gpu {
    struct gpu *next;
    CUcontext cuda;
    int number, contexts; /* ours that are on it: several share a primary one */
    CUevent base;
    uint64_t base_time, calibrated;
    struct link pending, idle; /* work */
    struct lane *lanes;
    int lane_count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gpu *gpus;
static int gpu_count;
static uint64_t last_number;

/* ---- the device's time ---- */

/* The host's time of an event in a stream of its own, which waits for nobody's work: the best of a few. */
static void calibrate(struct gpu *gpu)
{
    enum { TRIES = 3 };
    CUstream stream;
    CUevent event;
    uint64_t best = UINT64_MAX;
    if (real.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
        return;
    for (int i = 0; i < TRIES && real.cuEventCreate(&event, CU_EVENT_DEFAULT) == CUDA_SUCCESS; i++) {
        const uint64_t before = trace_clock();
        const bool known = real.cuEventRecord(event, stream) == CUDA_SUCCESS &&
                           real.cuEventSynchronize(event) == CUDA_SUCCESS;
        const uint64_t after = trace_clock();
        CUevent worse = event;
        if (known && after - before < best) {
            best = after - before;
            worse = gpu->base;
            gpu->base = event;
            gpu->base_time = gpu->calibrated = before + best / 2;
        }
        if (worse)
            real.cuEventDestroy(worse);
    }
    real.cuStreamDestroy(stream);
}

static bool time_of(const struct gpu *gpu, CUevent event, uint64_t *time)
{
    float milliseconds;
    if (!gpu->base || real.cuEventElapsedTime(&milliseconds, gpu->base, event) != CUDA_SUCCESS)
        return false;
    *time = gpu->base_time + (uint64_t)(int64_t)((double)milliseconds * 1e6);
    return true;
}

/* ---- work ---- */

static struct gpu *gpu_of(CUcontext cuda)
{
    char model[100] = "", name[128];
    CUdevice device;
    for (struct gpu *gpu = gpus; gpu; gpu = gpu->next) {
        if (gpu->cuda == cuda)
            return gpu;
    }
    struct gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu)
        return NULL;
    gpu->cuda = cuda;
    gpu->number = gpu_count++;
    list_init(&gpu->pending);
    list_init(&gpu->idle);
    gpu->next = gpus;
    gpus = gpu;
    if (real.cuCtxGetDevice(&device) != CUDA_SUCCESS || real.cuDeviceGetName(model, sizeof model, device) != 0)
        device = -1;
    snprintf(name, sizeof name, "GPU %d, %s", (int)device, model);
    trace_name(gpu->number, -1, name);
    return gpu;
}

static int lane_of(struct gpu *gpu, CUstream handle)
{
    char name[32];
    for (int i = 0; i < gpu->lane_count; i++) {
        if (gpu->lanes[i].handle == handle)
            return i;
    }
    struct lane *lanes = realloc(gpu->lanes, (size_t)(gpu->lane_count + 1) * sizeof *lanes);
    if (!lanes)
        return -1;
    gpu->lanes = lanes;
    lanes[gpu->lane_count] = (struct lane){.handle = handle};
    snprintf(name, sizeof name, "stream %d", gpu->lane_count);
    trace_name(gpu->number, gpu->lane_count, name);
    return gpu->lane_count++;
}

static void work_free(struct work *work)
{
    free(work->name);
    if (work->begin)
        real.cuEventDestroy(work->begin);
    if (work->end)
        real.cuEventDestroy(work->end);
    free(work);
}

static struct work *work_new(struct gpu *gpu)
{
    if (gpu->idle.next != &gpu->idle) {
        struct work *work = CONTAINER(gpu->idle.next, struct work, link);
        list_remove(&work->link);
        return work;
    }
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    if (real.cuEventCreate(&work->begin, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
        real.cuEventCreate(&work->end, CU_EVENT_DEFAULT) == CUDA_SUCCESS)
        return work;
    work_free(work);
    return NULL;
}

static void work_write(struct gpu *gpu, const struct work *work)
{
    struct trace_slice slice = {.category = work->category, .name = work->name, .on_gpu = true, .gpu = gpu->number,
                                .stream = lane_of(gpu, work->stream), .bytes = work->bytes, .from = work->number,
                                .grid = work->grid, .block = work->block, .shared = work->shared};
    if (slice.stream < 0 || !work->name || !time_of(gpu, work->begin, &slice.begin) ||
        !time_of(gpu, work->end, &slice.end))
        return;
    struct lane *lane = &gpu->lanes[slice.stream];
    if (slice.begin < lane->last)
        slice.begin = lane->last;
    if (slice.end < slice.begin)
        slice.end = slice.begin;
    lane->last = slice.end;
    trace_write(&slice);
}

/* Tells what is done by now: in the order of enqueueing, up to what is not, or beyond that too. */
static void collect(struct gpu *gpu, bool all)
{
    struct link *next;
    for (struct link *link = gpu->pending.next; link != &gpu->pending; link = next) {
        struct work *work = CONTAINER(link, struct work, link);
        next = link->next;
        const CUresult result = work->call ? CUDA_ERROR_NOT_READY : real.cuEventQuery(work->end);
        if (result == CUDA_ERROR_NOT_READY) {
            if (!all)
                return;
            continue;
        }
        if (result == CUDA_SUCCESS)
            work_write(gpu, work);
        list_remove(link);
        list_insert(&gpu->idle, link);
    }
}

static void collect_current(void)
{
    CUcontext cuda;
    pthread_mutex_lock(&lock);
    if (real.cuCtxGetCurrent(&cuda) == CUDA_SUCCESS) {
        for (struct gpu *gpu = gpus; gpu; gpu = gpu->next) {
            if (gpu->cuda == cuda)
                collect(gpu, true);
        }
    }
    pthread_mutex_unlock(&lock);
}

/* Clocks drift apart, and a float has few digits: from time to time, while nothing is timed, they are compared
 * again. */
static struct work *work_in(CUstream stream)
{
    enum { SECOND = 1000000000 };
    CUcontext cuda;
    struct gpu *gpu = real.cuCtxGetCurrent(&cuda) == CUDA_SUCCESS && cuda ? gpu_of(cuda) : NULL;
    if (!gpu)
        return NULL;
    collect(gpu, false);
    if (!gpu->base || (gpu->pending.next == &gpu->pending && trace_clock() - gpu->calibrated > SECOND))
        calibrate(gpu);
    struct work *work = work_new(gpu);
    if (work && real.cuEventRecord(work->begin, stream) != CUDA_SUCCESS) {
        list_insert(&gpu->idle, &work->link);
        return NULL;
    }
    return work;
}

/* Work of a stream under capture runs at launches of the graph, and has no times of its own. */
static bool is_captured(CUstream stream)
{
    int state = 0;
    size_t count = 0;
    unsigned long long id = 0;
    CUgraph graph = NULL;
    const CUgraphNode *last = NULL;
    return real.cuStreamGetCaptureInfo &&
           real.cuStreamGetCaptureInfo(stream, &state, &id, &graph, &last, &count) == CUDA_SUCCESS && state != 0;
}

static struct work *work_begin(CUstream stream, const char *category, const char *name, uint64_t bytes)
{
    if (is_captured(stream))
        return NULL;
    pthread_mutex_lock(&lock);
    struct work *work = work_in(stream);
    const uint64_t number = ++last_number;
    pthread_mutex_unlock(&lock);
    if (!work)
        return NULL;
    work->stream = stream;
    work->number = number;
    work->category = category;
    free(work->name);
    work->name = strdup(name);
    work->bytes = bytes;
    work->grid = work->block = (struct shape3){0, 0, 0};
    work->shared = 0;
    work->call = NULL;
    work->enqueued = trace_clock();
    return work;
}

/* Tells of the call on the host, and lets the work wait until it is done. */
static CUresult work_end(struct work *work, CUstream stream, const char *call, CUresult result)
{
    CUcontext cuda;
    if (!work)
        return result;
    const uint64_t now = trace_clock();
    const bool done = result == CUDA_SUCCESS && real.cuEventRecord(work->end, stream) == CUDA_SUCCESS;
    trace_write(&(struct trace_slice){.category = "driver", .name = call, .begin = work->enqueued, .end = now,
                                      .bytes = work->bytes, .from = done ? work->number : 0});
    pthread_mutex_lock(&lock);
    struct gpu *gpu = real.cuCtxGetCurrent(&cuda) == CUDA_SUCCESS ? gpu_of(cuda) : NULL;
    if (gpu)
        list_insert(done ? gpu->pending.previous : &gpu->idle, &work->link);
    pthread_mutex_unlock(&lock);
    return result;
}

void trace_return(const struct trace_span *call)
{
    pthread_mutex_lock(&lock);
    for (struct gpu *gpu = gpus; gpu; gpu = gpu->next) {
        for (struct link *link = gpu->pending.next; link != &gpu->pending; link = link->next) {
            struct work *work = CONTAINER(link, struct work, link);
            if (work->call == call) {
                work->bytes = call->launches == 1 ? call->bytes : 0;
                work->call = NULL;
            }
        }
    }
    pthread_mutex_unlock(&lock);
}

/* ---- in the driver's place ---- */

#define COPY(name, direction, parameters, size, stream, ...)                                                           \
    static CUresult traced_##name parameters                                                                           \
    {                                                                                                                  \
        struct work *work = work_begin(stream, "copy", direction, size);                                               \
        return work_end(work, stream, #name, real.name(__VA_ARGS__));                                                  \
    }

COPY(cuMemcpyHtoDAsync, "copy to device", (CUdeviceptr to, const void *from, size_t size, CUstream stream), size,
     stream, to, from, size, stream)
COPY(cuMemcpyDtoHAsync, "copy to host", (void *to, CUdeviceptr from, size_t size, CUstream stream), size, stream, to,
     from, size, stream)
COPY(cuMemcpyDtoDAsync, "copy on device", (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream), size,
     stream, to, from, size, stream)
COPY(cuMemcpyPeerAsync, "copy from a peer",
     (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size, CUstream stream),
     size, stream, to, to_context, from, from_context, size, stream)
COPY(cuMemsetD8Async, "fill", (CUdeviceptr to, unsigned char byte, size_t size, CUstream stream), size, stream, to,
     byte, size, stream)
COPY(cuMemcpy2DAsync,
     copy->srcMemoryType == CU_MEMORYTYPE_HOST   ? "copy rows to device"
     : copy->dstMemoryType == CU_MEMORYTYPE_HOST ? "copy rows to host"
                                                 : "copy rows on device",
     (const CUDA_MEMCPY2D *copy, CUstream stream), copy->WidthInBytes * copy->Height, stream, copy, stream)

static struct work *launch_begin(CUstream stream, struct shape3 grid, struct shape3 block, size_t shared)
{
    struct trace_span *span = trace_current;
    struct work *work = work_begin(stream, "kernel", span ? span->name : "kernel", 0);
    if (!work)
        return NULL;
    work->grid = grid;
    work->block = block;
    work->shared = shared;
    while (span && span->outer)
        span = span->outer;
    work->call = span;
    if (span)
        span->launches++;
    return work;
}

#define LAUNCH(name, parameters, ...)                                                                                  \
    static CUresult traced_##name parameters                                                                           \
    {                                                                                                                  \
        struct work *work = launch_begin(stream, (struct shape3){grid_x, grid_y, grid_z},                              \
                                         (struct shape3){block_x, block_y, block_z}, shared);                          \
        return work_end(work, stream, #name, real.name(__VA_ARGS__));                                                  \
    }

LAUNCH(cuLaunchKernel,
       (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
        unsigned block_z, unsigned shared, CUstream stream, void **parameters, void **extra),
       function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters, extra)
LAUNCH(cuLaunchCooperativeKernel,
       (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
        unsigned block_z, unsigned shared, CUstream stream, void **parameters),
       function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters)

static CUresult traced_cuGraphLaunch(CUgraphExec executable, CUstream stream)
{
    struct work *work = work_begin(stream, "kernel", "graph", 0);
    return work_end(work, stream, "cuGraphLaunch", real.cuGraphLaunch(executable, stream));
}

/* A wait of the host, after which some of the work is done. */
#define WAIT(category_, name_, parameters, ...)                                                                        \
    static CUresult traced_##name_ parameters                                                                          \
    {                                                                                                                  \
        const uint64_t begin = trace_clock();                                                                          \
        const CUresult result = real.name_(__VA_ARGS__);                                                               \
        trace_write(&(struct trace_slice){                                                                             \
            .category = category_, .name = #name_, .begin = begin, .end = trace_clock()});                             \
        collect_current();                                                                                             \
        return result;                                                                                                 \
    }

WAIT("wait", cuStreamSynchronize, (CUstream stream), stream)
WAIT("wait", cuEventSynchronize, (CUevent event), event)
WAIT("wait", cuCtxSynchronize, (void))
WAIT("load", cuModuleLoadDataEx, (CUmodule *module, const void *image, unsigned count, int *options, void **values),
     module, image, count, options, values)

/* ---- from the first to the last ---- */

/* A program may end without having waited for everything, or destroyed its contexts. */
static void at_exit(void)
{
    CUcontext previous;
    pthread_mutex_lock(&lock);
    for (struct gpu *gpu = gpus; gpu; gpu = gpu->next) {
        if (gpu->pending.next == &gpu->pending || real.cuCtxGetCurrent(&previous) != CUDA_SUCCESS ||
            real.cuCtxSetCurrent(gpu->cuda) != CUDA_SUCCESS)
            continue;
        collect(gpu, true);
        real.cuCtxSetCurrent(previous);
    }
    pthread_mutex_unlock(&lock);
}

/* A child cannot use its parent's GPU. */
static void in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    gpus = NULL;
}

void trace_wrap(struct driver *entries)
{
    static bool watched;
    static struct fork_handler handler = {.in_child = in_child};
    trace_start();
    if (!tracing())
        return;
    real = *entries;
    entries->cuMemcpyHtoDAsync = traced_cuMemcpyHtoDAsync;
    entries->cuMemcpyDtoHAsync = traced_cuMemcpyDtoHAsync;
    entries->cuMemcpyDtoDAsync = traced_cuMemcpyDtoDAsync;
    entries->cuMemsetD8Async = traced_cuMemsetD8Async;
    entries->cuMemcpyPeerAsync = traced_cuMemcpyPeerAsync;
    entries->cuMemcpy2DAsync = traced_cuMemcpy2DAsync;
    entries->cuLaunchKernel = traced_cuLaunchKernel;
    entries->cuLaunchCooperativeKernel = traced_cuLaunchCooperativeKernel;
    if (real.cuGraphLaunch)
        entries->cuGraphLaunch = traced_cuGraphLaunch;
    entries->cuStreamSynchronize = traced_cuStreamSynchronize;
    entries->cuEventSynchronize = traced_cuEventSynchronize;
    entries->cuCtxSynchronize = traced_cuCtxSynchronize;
    entries->cuModuleLoadDataEx = traced_cuModuleLoadDataEx;
    if (!watched && process_on_fork(&handler) == GPUCC_OK)
        watched = atexit(at_exit) == 0;
}

static void free_all(struct link *head)
{
    while (head->next != head) {
        struct work *work = CONTAINER(head->next, struct work, link);
        list_remove(&work->link);
        work_free(work);
    }
}

void trace_open(CUcontext cuda)
{
    if (!tracing())
        return;
    pthread_mutex_lock(&lock);
    struct gpu *gpu = gpu_of(cuda);
    if (gpu)
        gpu->contexts++;
    pthread_mutex_unlock(&lock);
}

void trace_close(CUcontext cuda)
{
    if (!tracing())
        return;
    pthread_mutex_lock(&lock);
    for (struct gpu **place = &gpus; *place; place = &(*place)->next) {
        struct gpu *gpu = *place;
        if (gpu->cuda != cuda)
            continue;
        collect(gpu, true);
        if (gpu->contexts-- > 1)
            break;
        free_all(&gpu->pending);
        free_all(&gpu->idle);
        if (gpu->base)
            real.cuEventDestroy(gpu->base);
        *place = gpu->next;
        free(gpu->lanes);
        free(gpu);
        break;
    }
    pthread_mutex_unlock(&lock);
}
