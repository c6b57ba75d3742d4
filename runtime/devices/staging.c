/* Large host operands in chunks, so that copies and kernels overlap: through pinned buffers, or directly if they are
 * pinned themselves. */
#include "devices/recording.h"
#include "devices/devices.h"
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* While one slot's chunk is copied on the host, another's crosses the bus and a third's is computed.  trig of 4 GiB of
 * float32, there and back, GB/s each way on an H100 with slots of 8, 16 and 32 MiB (2026-11-25): 26, 35 and 41, on two
 * of one host 38, 43 and 44; but sums there, which send alone, 72 to 78, 75 to 80 and 60 to 65. */
enum {
    SLOTS = 3,
    SLOT_SIZE = 16 << 20,  /* bytes pinned on the host, and as many of scratch on the device */
    CHUNK_UNIT = 1024,     /* elements: every operand of a slot begins at a multiple of 1 KiB */
    CHUNK_MIN = 64 * 1024, /* elements: below this a chunk costs more than it overlaps */
    CHUNKS_WANTED = 6,     /* where n is too small to fill the slots */
    PAGE = 4096,
    PAGES_PER_WORKER = 16,
};

struct slot {
    gpucc_stream stream;
    char *host;
    CUdeviceptr device;
    bool open;
    uint64_t first, n; /* the chunk in flight; n = 0: none */
    bool is_direct[GPUCC_LOOP_OPERANDS]; /* the chunk's operands that are pinned, which do not use `host` */
};

struct staging {
    pthread_mutex_t turn; /* one call at a time has the slots */
    struct slot slots[SLOTS];
};

struct run {
    gpucc_context *context;
    struct pool *pool;
    const struct staged *operands;
    int count;
    uint64_t chunk; /* elements */
    uint64_t n;
    bool has_updates; /* an operand is input and output */
    staged_launch *launch;
    void *data;
};

/* ---- memory copied by all workers ---- */

struct host_copy {
    char *to;
    const char *from;
    size_t size;
    bool streams; /* past the caches */
};

/* The workers copy these at once: results of the chunk that a slot had, and inputs of the one that it gets. */
struct host_copies {
    struct host_copy each[2 * GPUCC_LOOP_OPERANDS];
    int count;
};

static uint64_t page_count(const struct host_copy *copy)
{
    return (copy->size + PAGE - 1) / PAGE;
}

static void add_copy(struct host_copies *copies, struct host_copy copy)
{
    copies->each[copies->count++] = copy;
}

/* For what nobody reads soon: its lines are not read before they are written.  Results that go so make trig there and
 * back 1.22 to 1.24 times as fast on one H100, 1.12 times on two; inputs, which the bus reads at once, would make it
 * slower. */
static void copy_streaming(char *to, const char *from, size_t size)
{
#if defined(__SSE2__)
    enum { LINE = 64 };
    const size_t head = (size_t)(-(uintptr_t)to % LINE) < size ? (size_t)(-(uintptr_t)to % LINE) : size;
    memcpy(to, from, head);
    to += head, from += head, size -= head;
    for (; size >= LINE; to += LINE, from += LINE, size -= LINE) {
        for (int i = 0; i < LINE; i += (int)sizeof(__m128i))
            _mm_stream_si128((__m128i *)(void *)(to + i), _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
    }
    _mm_sfence();
#endif
    memcpy(to, from, size);
}

/* Pages begin … end - 1 of all of them, one after another. */
static void copy_pages(void *data, uint64_t begin, uint64_t end, int worker)
{
    const struct host_copies *copies = data;
    (void)worker;
    uint64_t before = 0; /* pages of the copies before this one */
    for (int i = 0; i < copies->count; i++) {
        const struct host_copy *copy = &copies->each[i];
        const uint64_t pages = page_count(copy);
        const size_t first = begin > before ? (begin - before) * PAGE : 0;
        const size_t last = end - before < pages ? (end - before) * PAGE : copy->size;
        if (first < last && copy->streams)
            copy_streaming(copy->to + first, copy->from + first, last - first);
        else if (first < last)
            memcpy(copy->to + first, copy->from + first, last - first);
        before += pages;
        if (before >= end)
            break;
    }
}

static void copy_in_parallel(struct pool *pool, const struct host_copies *copies)
{
    uint64_t pages = 0;
    for (int i = 0; i < copies->count; i++)
        pages += page_count(&copies->each[i]);
    if (pages)
        pool_run(pool, pages, PAGES_PER_WORKER, copy_pages, (void *)(uintptr_t)copies);
}

/* ---- slots ---- */

static gpucc_status slot_open(gpucc_context *context, struct slot *slot)
{
    void *host;
    gpucc_status status = stream_open(context, &slot->stream, NULL);
    if (status)
        return status;
    status = CU(context, cuMemAllocHost, &host, SLOT_SIZE);
    if (status)
        goto close_stream;
    status = CU(context, cuMemAlloc, &slot->device, SLOT_SIZE);
    if (status)
        goto free_host;
    slot->host = host;
    slot->open = true;
    return GPUCC_OK;

free_host:
    driver.cuMemFreeHost(host);
close_stream:
    stream_close(&slot->stream);
    return status;
}

static void slot_close(struct slot *slot)
{
    if (!slot->open)
        return;
    driver.cuMemFree(slot->device);
    driver.cuMemFreeHost(slot->host);
    stream_close(&slot->stream);
    slot->open = false;
}

static struct staging *staging_get(gpucc_context *context)
{
    pthread_mutex_lock(&context->lock);
    struct staging *staging = context->staging;
    if (!staging && (staging = calloc(1, sizeof *staging)) != NULL) {
        pthread_mutex_init(&staging->turn, NULL);
        context->staging = staging;
    }
    pthread_mutex_unlock(&context->lock);
    return staging;
}

void staging_destroy(gpucc_context *context)
{
    struct staging *staging = context->staging;
    if (!staging)
        return;
    for (int i = 0; i < SLOTS; i++)
        slot_close(&staging->slots[i]);
    pthread_mutex_destroy(&staging->turn);
    free(staging);
    context->staging = NULL;
}

/* ---- one chunk ---- */

/* The offset of operand i's part of the chunk in the slot, on the host and on the device alike. */
static size_t slot_offset(const struct run *run, int i)
{
    size_t offset = 0;
    for (int k = 0; k < i; k++)
        offset += run->operands[k].host ? run->operands[k].size * run->chunk : 0;
    return offset;
}

static CUdeviceptr device_address(const struct run *run, const struct slot *slot, int i)
{
    const struct staged *operand = &run->operands[i];
    return operand->device ? (CUdeviceptr)(uintptr_t)operand->device + slot->first * operand->size
                           : slot->device + slot_offset(run, i);
}

static char *host_address(const struct run *run, const struct slot *slot, int i)
{
    const struct staged *operand = &run->operands[i];
    return slot->is_direct[i] ? operand->host + slot->first * operand->size : slot->host + slot_offset(run, i);
}

static void gather_inputs(const struct run *run, const struct slot *slot, struct host_copies *copies)
{
    for (int i = 0; i < run->count; i++) {
        const struct staged *operand = &run->operands[i];
        if (operand->host && operand->input && !slot->is_direct[i])
            add_copy(copies, (struct host_copy){.to = slot->host + slot_offset(run, i),
                                                .from = operand->host + slot->first * operand->size,
                                                .size = operand->size * slot->n});
    }
}

static void scatter_outputs(const struct run *run, const struct slot *slot, struct host_copies *copies)
{
    for (int i = 0; i < run->count; i++) {
        const struct staged *operand = &run->operands[i];
        if (operand->host && operand->output && !slot->is_direct[i])
            add_copy(copies, (struct host_copy){.to = operand->host + slot->first * operand->size,
                                                .from = slot->host + slot_offset(run, i),
                                                .size = operand->size * slot->n,
                                                .streams = true});
    }
}

static gpucc_status send_inputs(const struct run *run, struct slot *slot)
{
    for (int i = 0; i < run->count; i++) {
        const struct staged *operand = &run->operands[i];
        if (!operand->host || !operand->input)
            continue;
        gpucc_status status = CU(run->context, cuMemcpyHtoDAsync, device_address(run, slot, i),
                                 host_address(run, slot, i), operand->size * slot->n, slot->stream.handle);
        if (status)
            return status;
    }
    return GPUCC_OK;
}

static gpucc_status launch_chunk(const struct run *run, struct slot *slot)
{
    char *pointers[GPUCC_LOOP_OPERANDS];
    if (!run->launch)
        return GPUCC_OK;
    for (int i = 0; i < run->count; i++)
        pointers[i] = (char *)(uintptr_t)device_address(run, slot, i);
    return run->launch(run->data, &slot->stream, pointers, slot->n);
}

static gpucc_status fetch_outputs(const struct run *run, struct slot *slot)
{
    for (int i = 0; i < run->count; i++) {
        const struct staged *operand = &run->operands[i];
        if (!operand->host || !operand->output)
            continue;
        gpucc_status status = CU(run->context, cuMemcpyDtoHAsync, host_address(run, slot, i),
                                 device_address(run, slot, i), operand->size * slot->n, slot->stream.handle);
        if (status)
            return status;
    }
    return GPUCC_OK;
}

static gpucc_status find_direct(const struct run *run, struct slot *slot)
{
    gpucc_status status = GPUCC_OK;
    for (int i = 0; !status && i < run->count; i++) {
        const struct staged *operand = &run->operands[i];
        if (operand->host)
            status = pinned_find(run->context, operand->host + slot->first * operand->size, operand->size * slot->n,
                                 &slot->is_direct[i]);
    }
    return status;
}

/* Waits for the slot's chunk, gives its outputs to the caller, and brings the inputs of the next, from element `first`
 * on, which is n if there is none.  An operand that is both input and output has one place in the slot: then one
 * after the other. */
static gpucc_status run_slot(const struct run *run, struct slot *slot, uint64_t first)
{
    struct host_copies copies = {.count = 0};
    if (slot->n) {
        gpucc_status status = CU(run->context, cuStreamSynchronize, slot->stream.handle);
        if (status)
            return status;
        scatter_outputs(run, slot, &copies);
    }
    slot->n = 0;
    if (run->has_updates || first == run->n) {
        copy_in_parallel(run->pool, &copies);
        copies.count = 0;
    }
    if (first == run->n)
        return GPUCC_OK;
    slot->first = first;
    slot->n = run->n - first < run->chunk ? run->n - first : run->chunk;
    gpucc_status status = find_direct(run, slot);
    if (status)
        return status;
    gather_inputs(run, slot, &copies);
    copy_in_parallel(run->pool, &copies);
    status = send_inputs(run, slot);
    if (!status)
        status = launch_chunk(run, slot);
    return status ? status : fetch_outputs(run, slot);
}

/* ---- all chunks ---- */

static uint64_t chunk_elements(const struct staged *operands, int count, uint64_t n)
{
    size_t element = 0;
    for (int i = 0; i < count; i++)
        element += operands[i].host ? operands[i].size : 0;
    uint64_t most = SLOT_SIZE / element / CHUNK_UNIT * CHUNK_UNIT;
    uint64_t wanted = (n / CHUNKS_WANTED / CHUNK_UNIT + 1) * CHUNK_UNIT;
    if (wanted < CHUNK_MIN)
        wanted = CHUNK_MIN;
    return wanted < most ? wanted : most;
}

static gpucc_status open_slots(struct staging *staging, gpucc_stream *stream)
{
    gpucc_status status = GPUCC_OK;
    for (int i = 0; !status && i < SLOTS; i++) {
        struct slot *slot = &staging->slots[i];
        if (!slot->open)
            status = slot_open(stream->context, slot);
        if (!status)
            status = stream_follow(&slot->stream, stream);
    }
    return status;
}

static gpucc_status run_chunks(const struct run *run, struct staging *staging)
{
    gpucc_status status = GPUCC_OK;
    int next = 0;
    for (uint64_t first = 0; !status && first < run->n; first += run->chunk) {
        status = run_slot(run, &staging->slots[next], first);
        next = (next + 1) % SLOTS;
    }
    for (int i = 0; !status && i < SLOTS; i++)
        status = run_slot(run, &staging->slots[(next + i) % SLOTS], run->n);
    return status;
}

/* After a failure nothing may still be at work in the slots. */
static void quieten(struct staging *staging)
{
    for (int i = 0; i < SLOTS; i++) {
        if (staging->slots[i].open)
            driver.cuStreamSynchronize(staging->slots[i].stream.handle);
        staging->slots[i].n = 0;
    }
}

gpucc_status staging_run(gpucc_stream *stream, const struct staged *operands, int count, uint64_t n,
                         staged_launch *launch, void *data)
{
    gpucc_status live = stream_check_live(stream, HOST_COPIES);
    if (live)
        return live;
    struct run run = {
        .context = stream->context,
        .operands = operands,
        .count = count,
        .chunk = chunk_elements(operands, count, n),
        .n = n,
        .launch = launch,
        .data = data,
    };
    for (int i = 0; i < count; i++)
        run.has_updates |= operands[i].host && operands[i].input && operands[i].output;
    gpucc_status status = context_pool(stream->context, &run.pool);
    if (status)
        return status;
    struct staging *staging = staging_get(stream->context);
    if (!staging)
        return fail_memory(sizeof *staging, "staging");
    pthread_mutex_lock(&staging->turn);
    status = open_slots(staging, stream);
    if (!status)
        status = run_chunks(&run, staging);
    if (status)
        quieten(staging);
    pthread_mutex_unlock(&staging->turn);
    return status;
}
