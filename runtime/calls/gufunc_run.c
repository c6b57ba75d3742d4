/* A gufunc's function at every outer index.  It takes C arrays, packed and of the loop's types: what is not so goes
 * through scratch memory, as many outer indices at a time as that has room for. */
#include "base/floating_point.h"
#include "calls/gufunc.h"
#include "devices/device_operations.h"
#include "nests/convert.h"
#include <stdlib.h>
#include <string.h>

enum {
    SCRATCH = 1 << 20,         /* bytes, unless one core takes more … */
    SCRATCH_GPU = 256 << 20,   /* … at most on a GPU, which runs short pieces in the time of a few launches each … */
    SCRATCH_SHARE = 64,        /* … and at most this part of the memory of the device … */
    SCRATCH_WORKER = 1 << 16,  /* … and of each worker on the CPU, whose second-level cache has more */
    ALIGNMENT = 256,
    GRAIN = 16384 /* elements that are worth another worker */
};

struct run {
    const struct gufunc_call *gufunc;
    struct core cores[GPUCC_LOOP_OPERANDS];
    unsigned staged;    /* cores of a block, where they go through shared memory, whatever their strides; else 0 */
    uint64_t indices;   /* outer ones that scratch memory has room for, at least 1 */
    int64_t scratch;    /* bytes that they take in all; 0: nothing is packed */
    char *memory;       /* those of the one who runs parts … */
    char **memories;    /* … or of each worker, where it has begun */
    atomic_bool lacks_memory;
    struct nest outer;
};

static const struct device_operations *device(const struct run *run)
{
    return stream_operations(run->gufunc->call->stream);
}

/* One part of the outer indices after another, each by all threads there are; else by workers with stretches of their
 * own. */
static bool runs_in_parts(const struct run *run)
{
    const struct call *call = run->gufunc->call;
    return call->context->kind == GPUCC_DEVICE_CUDA || call->loop->by_block;
}

static gpucc_dtype loop_type(const struct run *run, int k)
{
    return run->gufunc->call->loop->types[k];
}

static bool is_value(const struct run *run, int k)
{
    return run->gufunc->call->values >> k & 1;
}

/* ---- how operands lie ---- */

/* The outer dimensions' strides go to the nest, those of the function to its core. */
static void lay_out(struct run *run, int k)
{
    int axes[GPUCC_MAX_DIMS];
    struct call *call = run->gufunc->call;
    const struct core_shape *from = &run->gufunc->cores[k];
    struct core *core = &run->cores[k];
    const gpucc_array *array = call->used[k];
    core->rank = from->rank;
    core->size = (int64_t)dtypes[loop_type(run, k)].size;
    if (is_value(run, k)) {
        nest_set(&run->outer, k, (char *)call->value[k], dtypes[loop_type(run, k)].size, 0, NULL, NULL);
        return;
    }
    gufunc_nest_set(&run->outer, k, from, array);
    if (array->count == 0) { /* it may have any address */
        run->outer.data[k] = array->memory->base;
        memset(run->outer.strides[k], 0, (size_t)run->outer.ndim * sizeof *run->outer.strides[k]);
    }
    gufunc_axes(from, array->ndim, axes);
    for (int d = 0; d < from->rank; d++) {
        const int axis = axes[array->ndim - from->behind + d];
        core->shape[d] = run->gufunc->extents[from->dimensions[d]];
        core->strides[d] = array->shape[axis] == 1 ? 0 : array->strides[axis];
        core->size *= core->shape[d];
    }
}

/* Whether the function can take the operand where it lies. */
static bool is_direct(const struct run *run, int k)
{
    const struct nest *outer = &run->outer;
    const gpucc_dtype type = loop_type(run, k);
    uintptr_t bits = (uintptr_t)outer->data[k];
    if (is_value(run, k) || run->cores[k].size == 0)
        return true;
    for (int d = 0; d < outer->ndim; d++)
        bits |= (uintptr_t)outer->strides[k][d];
    return run->gufunc->call->used[k]->dtype == type && !dtype_misaligned(type, (const void *)bits) &&
           (run->staged || core_is_packed(&run->cores[k], dtypes[type].size) ||
            (device(run)->reads_core && device(run)->reads_core(run->gufunc, outer, k, &run->cores[k])));
}

/* An input that is the same at every outer index is packed once. */
static gpucc_status pack_for_all(struct run *run, int i)
{
    gpucc_array *view, *packed;
    struct core *core = &run->cores[i];
    struct call *call = run->gufunc->call;
    const int64_t offset = run->outer.data[i] - call->used[i]->data;
    gpucc_status status =
        gpucc_array_view(call->used[i], core->rank, core->shape, core->strides, offset, &view);
    if (status)
        return status;
    status = call_make_temporary(call, loop_type(run, i), core->rank, core->shape, &packed);
    if (!status)
        status = array_copy(call->stream, packed, view);
    gpucc_array_release(view);
    if (status)
        return status;
    memcpy(core->strides, packed->strides, (size_t)core->rank * sizeof *core->strides);
    run->outer.data[i] = packed->data;
    run->outer.sizes[i] = dtypes[loop_type(run, i)].size;
    call->used[i] = packed;
    return GPUCC_OK;
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Bytes of scratch memory.  On a GPU a piece of the calls must fill the device. */
static int64_t scratch_room(const struct run *run)
{
    const gpucc_context *context = run->gufunc->call->context;
    if (!runs_in_parts(run))
        return SCRATCH_WORKER;
    if (context->kind != GPUCC_DEVICE_CUDA)
        return SCRATCH;
    int64_t room = lesser(SCRATCH_GPU, (int64_t)(context->device.info.memory / SCRATCH_SHARE));
    if (context->memory_limit && context->memory_limit < SCRATCH_GPU)
        room = lesser(room, (int64_t)context->memory_limit);
    return room > SCRATCH ? room : SCRATCH;
}

/* How many outer indices have room in scratch memory if each takes so many bytes. */
static void plan_scratch(struct run *run, int64_t bytes)
{
    const int64_t room = scratch_room(run), count = nest_count(&run->outer);
    run->indices = bytes == 0 || bytes >= room ? 1 : (uint64_t)lesser(room / bytes, count);
    run->scratch = bytes * (int64_t)run->indices;
}

static gpucc_status plan(struct run *run, operand_set made)
{
    struct call *call = run->gufunc->call;
    const int inputs = call->ufunc->inputs;
    gpucc_status status = GPUCC_OK;
    run->outer.ndim = call->ndim;
    run->outer.operands = call->operands;
    run->outer.values = call->values;
    memcpy(run->outer.shape, call->shape, (size_t)call->ndim * sizeof *call->shape);
    for (int k = 0; k < call->operands; k++)
        lay_out(run, k);
    nest_simplify(&run->outer, inputs);
    run->staged = device(run)->staged_cores(run->gufunc, &run->outer, run->cores);
    int64_t bytes = 0;
    for (int k = 0; !status && k < call->operands; k++) {
        struct core *core = &run->cores[k];
        core->packs = !is_direct(run, k);
        core->reads = k < inputs || !((made | call->loop->overwrites) >> (k - inputs) & 1);
        if (core->packs && k < inputs && !operand_varies(&run->outer, k)) {
            status = pack_for_all(run, k);
            core->packs = false;
        }
        if (core->packs)
            bytes += (core->size + ALIGNMENT - 1) & -ALIGNMENT;
    }
    plan_scratch(run, bytes);
    return status;
}

/* ---- a part of the outer indices ---- */

/* The operand's cores at the part's indices, and packed ones in scratch memory, operand `to` of the pair;
 * `packed` has the strides of the latter along the part's dimensions. */
static void pair_up(const struct run *run, const struct nest *part, int k, char *scratch, int to, struct nest *pair,
                    int64_t *packed)
{
    const int from = 1 - to;
    const struct core *core = &run->cores[k];
    int64_t step = core->size, inner = (int64_t)dtypes[loop_type(run, k)].size;
    pair->ndim = 0;
    pair->operands = 2;
    pair->values = 0;
    pair->data[to] = scratch;
    pair->data[from] = part->data[k];
    pair->sizes[to] = dtypes[loop_type(run, k)].size;
    pair->sizes[from] = part->sizes[k];
    for (int d = part->ndim; d-- > 0;) {
        packed[d] = part->strides[k][d] ? step : 0;
        step *= part->strides[k][d] ? part->shape[d] : 1;
    }
    for (int d = 0; d < part->ndim; d++) {
        if (!packed[d])
            continue;
        pair->shape[pair->ndim] = part->shape[d];
        pair->strides[to][pair->ndim] = packed[d];
        pair->strides[from][pair->ndim++] = part->strides[k][d];
    }
    pair->ndim += core->rank;
    for (int d = core->rank; d-- > 0; inner *= core->shape[d]) {
        const int at = pair->ndim - core->rank + d;
        pair->shape[at] = core->shape[d];
        pair->strides[to][at] = inner;
        pair->strides[from][at] = core->strides[d];
    }
}

/* Operand 1 of the nest to operand 0. */
static gpucc_status copy(const struct run *run, struct nest *pair, gpucc_dtype to, gpucc_dtype from)
{
    if (runs_in_parts(run))
        return device(run)->convert(run->gufunc->call->stream, pair, to, from);
    convert_nest(NULL, pair, to, from); /* workers do their own */
    return GPUCC_OK;
}

static gpucc_status run_loop(const struct run *run, const struct nest *part)
{
    const struct gufunc_call *gufunc = run->gufunc;
    return run->staged ? device(run)->run_staged_outer(gufunc, part, run->cores, run->staged)
                       : device(run)->run_outer(gufunc, part, run->cores);
}

/* Through scratch memory, where the operands that need it lie behind one another. */
static gpucc_status run_packed(const struct run *run, const struct nest *part, char *scratch)
{
    struct nest pair, moved;
    const struct call *call = run->gufunc->call;
    const uint64_t indices = (uint64_t)nest_count(part);
    gpucc_status status = GPUCC_OK;
    nest_copy(&moved, part);
    for (int k = 0; !status && k < call->operands; k++) {
        const struct core *core = &run->cores[k];
        if (!core->packs)
            continue;
        pair_up(run, part, k, scratch, 0, &pair, moved.strides[k]);
        moved.data[k] = scratch;
        scratch += (core->size * (int64_t)indices + ALIGNMENT - 1) & -ALIGNMENT;
        if (core->reads)
            status = copy(run, &pair, loop_type(run, k), call->used[k]->dtype);
    }
    if (!status)
        status = run_loop(run, &moved);
    for (int k = call->ufunc->inputs; !status && k < call->operands; k++) {
        if (!run->cores[k].packs)
            continue;
        pair_up(run, part, k, moved.data[k], 1, &pair, moved.strides[k]);
        status = copy(run, &pair, call->used[k]->dtype, loop_type(run, k));
    }
    return status;
}

static gpucc_status run_part(void *data, const struct nest *part)
{
    const struct run *run = data;
    return run->scratch ? run_packed(run, part, run->memory) : run_loop(run, part);
}

/* ---- all of them ---- */

/* Less of it if the device has no room for all of it. */
static gpucc_status allocate_scratch(struct run *run, struct memory **memory)
{
    const struct call *call = run->gufunc->call;
    gpucc_status status = memory_create(call->context, call->stream, (size_t)run->scratch, memory);
    while (status == GPUCC_NO_MEMORY && run->indices > 1) {
        run->scratch = run->scratch / (int64_t)run->indices * (int64_t)(run->indices / 2);
        run->indices /= 2;
        status = memory_create(call->context, call->stream, (size_t)run->scratch, memory);
    }
    return status;
}

static gpucc_status run_in_parts(struct run *run)
{
    struct memory *memory = NULL;
    gpucc_status status = GPUCC_OK;
    if (run->scratch)
        status = allocate_scratch(run, &memory);
    if (status)
        return status;
    run->memory = memory ? memory->base : NULL;
    const uint64_t most = run->scratch ? run->indices : UINT32_MAX;
    status = nest_split(&run->outer, GPUCC_LOOP_DIMS, most, run_part, run);
    if (memory)
        memory_release(memory);
    return status;
}

/* A run of outer indices, on the CPU. */
struct stretch {
    struct run *run;
    char *scratch;
};

static void run_stretch(void *data, char **args, int64_t n, const int64_t *steps)
{
    struct stretch *stretch = data;
    struct run *run = stretch->run;
    struct nest part;
    nest_begin(&part, 1, run->outer.operands);
    part.values = run->outer.values;
    for (int k = 0; k < part.operands; k++) {
        part.data[k] = args[k];
        part.sizes[k] = run->outer.sizes[k];
        part.strides[k][0] = steps[k];
    }
    const int64_t most = run->scratch ? (int64_t)run->indices : n;
    for (int64_t at = 0; at < n; at += most) {
        part.shape[0] = n - at < most ? n - at : most;
        if (run->scratch)
            run_packed(run, &part, stretch->scratch); /* on the CPU nothing fails */
        else
            run_loop(run, &part);
        for (int k = 0; k < part.operands; k++)
            part.data[k] += most * steps[k];
    }
}

static void run_worker(void *data, uint64_t begin, uint64_t end, int worker)
{
    struct run *run = data;
    struct stretch stretch = {run, NULL};
    if (run->scratch && !run->memories[worker])
        run->memories[worker] = aligned_alloc(ALIGNMENT, (size_t)run->scratch);
    if (run->scratch)
        stretch.scratch = run->memories[worker];
    if (run->scratch && !stretch.scratch) {
        atomic_store(&run->lacks_memory, true);
        return;
    }
    unsigned modes = fp_enter();
    nest_walk(&run->outer, begin, end, run_stretch, &stretch);
    fp_leave(modes);
}

/* ---- the rows of a product, which workers share ---- */

struct rows {
    const struct run *run;
    int dimension; /* the rows of the output, and outermost in each operand that has it */
};

/* The dimension of the rows; -1 if one worker is to compute them all. */
static int row_dimension(const struct run *run, int workers)
{
    enum { LEAST = 8, PRODUCTS = 1 << 17 };
    const struct gufunc_call *gufunc = run->gufunc;
    const struct core_shape *out = &gufunc->cores[gufunc->layout->inputs];
    int64_t products = 1;
    for (int d = 0; d < gufunc->layout->dimension_count; d++)
        products *= gufunc->layout->dimensions[d].target < 0 ? gufunc->extents[d] : 1;
    const bool is_shared = gufunc->call->loop->tiles.name && out->rank == 2 && !run->scratch && workers > 1 &&
                           nest_count(&run->outer) < workers && products >= PRODUCTS && !call_findings;
    return is_shared && gufunc->extents[out->dimensions[0]] >= LEAST * workers ? out->dimensions[0] : -1;
}

/* The loop for the rows from `begin` to `end`, of every outer index. */
static void run_rows(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const struct rows *rows = data;
    const struct run *run = rows->run;
    const struct gufunc_layout *layout = run->gufunc->layout;
    const int64_t all = run->gufunc->extents[rows->dimension];
    struct gufunc_call part = *run->gufunc;
    struct run shared = *run;
    shared.gufunc = &part;
    for (int k = 0; k < part.call->operands; k++) {
        const int first = run->cores[k].rank ? run->gufunc->cores[k].dimensions[0] : -1;
        const bool has_rows = first == rows->dimension ||
                              (first >= 0 && layout->dimensions[first].target == rows->dimension &&
                               run->gufunc->extents[first] == all);
        if (!has_rows)
            continue;
        shared.outer.data[k] += (int64_t)begin * (run->cores[k].size / all);
        part.extents[first] = (int64_t)(end - begin);
    }
    struct stretch stretch = {&shared, NULL};
    unsigned modes = fp_enter();
    nest_walk(&shared.outer, 0, (uint64_t)nest_count(&shared.outer), run_stretch, &stretch);
    fp_leave(modes);
}

static gpucc_status run_in_stretches(struct run *run)
{
    const struct call *call = run->gufunc->call;
    struct pool *pool = call->context->pool;
    const int workers = pool_size(pool);
    struct rows rows = {run, row_dimension(run, workers)};
    if (rows.dimension >= 0) {
        const uint64_t height = (uint64_t)run->gufunc->extents[rows.dimension];
        pool_run(pool, height, divide_up(height, (uint64_t)workers * 4), run_rows, &rows);
        return GPUCC_OK;
    }
    int64_t elements = 1;
    if (run->scratch)
        run->memories = calloc((size_t)workers, sizeof *run->memories);
    if (run->scratch && !run->memories)
        return fail_memory((size_t)workers * sizeof *run->memories, "a gufunc's workers");
    for (int k = 0; k < call->operands; k++)
        elements += run->cores[k].size / (int64_t)dtypes[loop_type(run, k)].size;
    const uint64_t count = (uint64_t)nest_count(&run->outer), grain = divide_up(GRAIN, (uint64_t)elements);
    if (grain > 1 ? count <= 2 * grain : count == 1)
        run_worker(run, 0, count, 0);
    else
        pool_run(pool, count, grain, run_worker, run);
    for (int w = 0; run->memories && w < workers; w++)
        free(run->memories[w]);
    free(run->memories);
    return run->lacks_memory ? fail_memory((size_t)run->scratch, "a gufunc's scratch memory") : GPUCC_OK;
}

gpucc_status gufunc_run(const struct gufunc_call *gufunc, operand_set made)
{
    struct run run;
    memset(&run, 0, offsetof(struct run, outer));
    run.gufunc = gufunc;
    const struct call *call = gufunc->call;
    for (int d = 0; d < call->ndim; d++)
        if (call->shape[d] == 0)
            return GPUCC_OK;
    gpucc_status status = stream_operations(call->stream)->check_loop(call);
    if (!status)
        status = plan(&run, made);
    if (status || stream_is_dry(call->stream))
        return status;
    for (int k = 0; k < call->operands; k++)
        memory_use(call->used[k]->memory, call->stream);
    if (run.outer.ndim == 0) { /* one index is a row of one */
        run.outer.ndim = 1;
        run.outer.shape[0] = 1;
        for (int k = 0; k < call->operands; k++)
            run.outer.strides[k][0] = 0;
    }
    return runs_in_parts(&run) ? run_in_parts(&run) : run_in_stretches(&run);
}
