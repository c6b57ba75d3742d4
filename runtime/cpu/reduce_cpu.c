/* Reductions on the CPU.  In the fixed tree, long ones are cut into aligned runs of a power of two, whose results are
 * reduced again; outputs and runs are shared out to the workers.  How they are cut never shows in the bits. */
#include "base/floating_point.h"
#include "cpu/cpu_loops.h"
#include <stdlib.h>
#include <string.h>

enum {
    UNIT = 64,           /* outputs that go together */
    LEAST_RUN = 64,
    GATHERED_RUN = 2048, /* elements of several dimensions that are copied to one buffer */
    WORTH_WAKING = 32768 /* elements: fewer are not worth waking anybody for */
};

/* One pass over runs of elements. */
struct pass {
    const struct reduction *reduction;
    struct nest kept; /* operand 1: where the results of the first run go; those of the next are `apart` bytes on */
    int64_t apart;
    uint64_t run, runs; /* elements in a run, and how many there are */
    uint64_t units;     /* of outputs */
};

/* A run of all outputs, on its way to the loop. */
struct piece {
    const struct reduction *reduction;
    uint64_t begin, count; /* elements */
};

static void call_reduce(const struct reduction *reduction, char **args, int64_t outputs, uint64_t count,
                        const int64_t *steps, int64_t along)
{
    intptr_t dimensions[2] = {(intptr_t)outputs, (intptr_t)count};
    intptr_t all[3] = {(intptr_t)steps[0], (intptr_t)steps[1], (intptr_t)along};
    reduction->call->loop->native_reduce(args, dimensions, all, NULL);
}

static void reduce_outputs(void *data, char **args, int64_t n, const int64_t *steps)
{
    const struct piece *piece = data;
    call_reduce(piece->reduction, args, n, piece->count, steps, piece->reduction->reduced_strides[0]);
}

/* Elements begin … begin + count - 1 of one output, row by row of the innermost dimension. */
static void gather(const struct piece *piece, const char *first, char *buffer)
{
    const struct reduction *reduction = piece->reduction;
    const int last = reduction->reduced_dims - 1;
    const uint64_t inner = (uint64_t)reduction->reduced_shape[last], end = piece->begin + piece->count;
    const int64_t stride = reduction->reduced_strides[last];
    const size_t size = reduction->size;
    for (uint64_t at = piece->begin; at < end;) {
        const char *from = first + reduction_offset(reduction, at);
        uint64_t left = inner - at % inner, n = left < end - at ? left : end - at;
        for (uint64_t i = 0; i < n; i++, buffer += size, from += stride)
            memcpy(buffer, from, size);
        at += n;
    }
}

static void gather_outputs(void *data, char **args, int64_t n, const int64_t *steps)
{
    _Alignas(16) char buffer[GATHERED_RUN * 16];
    const struct piece *piece = data;
    const int64_t none[2] = {0, 0};
    for (int64_t i = 0; i < n; i++) {
        char *one[2] = {buffer, args[1] + i * steps[1]};
        gather(piece, args[0] + i * steps[0], buffer);
        call_reduce(piece->reduction, one, 1, piece->count, none, (int64_t)piece->reduction->size);
    }
}

/* Units begin … end - 1 of all runs' outputs, those of one run together. */
static void run_units(void *data, uint64_t begin, uint64_t end, int worker)
{
    const struct pass *pass = data;
    const struct reduction *reduction = pass->reduction;
    const bool in_place = reduction->reduced_dims == 1;
    (void)worker;
    unsigned modes = fp_enter();
    while (begin < end) {
        uint64_t k = begin / pass->units, unit = begin % pass->units;
        uint64_t n = pass->units - unit < end - begin ? pass->units - unit : end - begin;
        struct piece piece = {reduction, k * pass->run, pass->run};
        struct nest kept;
        if (piece.count > reduction->length - piece.begin)
            piece.count = reduction->length - piece.begin;
        nest_copy(&kept, &pass->kept);
        if (in_place)
            kept.data[0] += (int64_t)piece.begin * reduction->reduced_strides[0];
        kept.data[1] += (int64_t)k * pass->apart;
        uint64_t last = (unit + n) * UNIT < reduction->outputs ? (unit + n) * UNIT : reduction->outputs;
        nest_walk(&kept, unit * UNIT, last, in_place ? reduce_outputs : gather_outputs, &piece);
        begin += n;
    }
    fp_leave(modes);
}

/* Elements in a run: so many that the loop takes them, and so few that every worker gets some. */
static uint64_t choose_run(const struct reduction *reduction, uint64_t units)
{
    const uint64_t workers = (uint64_t)pool_size(reduction->call->context->pool);
    const uint64_t wanted = workers > 1 ? 4 * workers : 1, length = reduction->length;
    uint64_t run = reduction->reduced_dims > 1 ? GATHERED_RUN : GPUCC_REDUCE_NATIVE_MOST;
    while (divide_up(length, run) * units < wanted && run * reduction->outputs > WORTH_WAKING && run > LEAST_RUN)
        run /= 2;
    return run;
}

/* The results of runs, next to one another as the outputs are, run after run. */
static void send_to(struct pass *pass, char *results)
{
    int64_t step = (int64_t)pass->reduction->size;
    pass->kept.data[1] = results;
    for (int d = pass->kept.ndim; d-- > 0;) {
        pass->kept.strides[1][d] = step;
        step *= pass->kept.shape[d];
    }
    pass->apart = step;
}

static void run_pass(struct pass *pass)
{
    const struct reduction *reduction = pass->reduction;
    if (reduction->outputs * reduction->length < WORTH_WAKING)
        run_units(pass, 0, pass->units * pass->runs, 0);
    else
        pool_run(reduction->call->context->pool, pass->units * pass->runs, 1, run_units, pass);
}

static void begin_pass(struct pass *pass, const struct reduction *reduction)
{
    pass->reduction = reduction;
    pass->apart = 0;
    pass->units = divide_up(reduction->outputs, UNIT);
    nest_copy(&pass->kept, &reduction->kept);
}

void cpu_reduce_runs(const struct reduction *reduction, uint64_t run, char *results)
{
    struct pass pass;
    begin_pass(&pass, reduction);
    pass.run = run;
    pass.runs = divide_up(reduction->length, run);
    send_to(&pass, results);
    run_pass(&pass);
}

static gpucc_status run_tree(const struct reduction *reduction);

/* Reduces further what send_to() left. */
static gpucc_status reduce_results(const struct pass *pass)
{
    struct reduction rest;
    reduction_copy(&rest, pass->reduction);
    rest.kept.data[0] = pass->kept.data[1];
    memcpy(rest.kept.strides[0], pass->kept.strides[1], sizeof rest.kept.strides[0]);
    rest.reduced_dims = 1;
    rest.length = pass->runs;
    rest.reduced_shape[0] = (int64_t)pass->runs;
    rest.reduced_strides[0] = pass->apart;
    return run_tree(&rest);
}

static gpucc_status run_tree(const struct reduction *reduction)
{
    struct pass pass;
    begin_pass(&pass, reduction);
    pass.run = choose_run(reduction, pass.units);
    pass.runs = divide_up(reduction->length, pass.run);
    char *results = NULL;
    if (pass.runs > 1) {
        size_t size;
        if (__builtin_mul_overflow(pass.runs * reduction->size, reduction->outputs, &size) || !(results = malloc(size)))
            return fail_memory(pass.runs * reduction->outputs * reduction->size, "a reduction");
        send_to(&pass, results);
    }
    run_pass(&pass);
    gpucc_status status = results ? reduce_results(&pass) : GPUCC_OK;
    free(results);
    return status;
}

/* ---- from the left ---- */

/* The first of the elements of n outputs, or what comes before it; returns how many elements are done with that. */
static uint64_t begin_fold(const struct reduction *reduction, char **args, int64_t n, const int64_t *steps)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(args[1] + i * steps[1], reduction->initial ? reduction->initial : args[0] + i * steps[0],
               reduction->size);
    return reduction->initial ? 0 : 1;
}

static void fold_one(const struct piece *piece, char *in, char *out, uint64_t first)
{
    const int64_t stride = piece->reduction->reduced_strides[0];
    char *args[3] = {out, in + (int64_t)first * stride, out};
    intptr_t count = (intptr_t)(piece->count - first), steps[3] = {0, (intptr_t)stride, 0};
    if (count > 0)
        piece->reduction->call->loop->native(args, &count, steps, NULL);
}

/* Row after row joins all outputs where these lie closer together than the elements of one. */
static void fold_outputs(void *data, char **args, int64_t n, const int64_t *steps)
{
    enum { FEW = 4, BLOCK = 1024 };
    const struct piece *piece = data;
    const struct reduction *reduction = piece->reduction;
    const int64_t stride = reduction->reduced_strides[0];
    const bool in_rows = n >= FEW && llabs(steps[0]) <= llabs(stride);
    for (int64_t at = 0; at < n; at += BLOCK) {
        intptr_t m = (intptr_t)(n - at < BLOCK ? n - at : BLOCK);
        char *block[2] = {args[0] + at * steps[0], args[1] + at * steps[1]};
        uint64_t first = begin_fold(reduction, block, m, steps);
        for (int64_t i = 0; !in_rows && i < m; i++)
            fold_one(piece, block[0] + i * steps[0], block[1] + i * steps[1], first);
        intptr_t all[3] = {(intptr_t)steps[1], (intptr_t)steps[0], (intptr_t)steps[1]};
        for (uint64_t r = first; in_rows && r < piece->count; r++) {
            char *row[3] = {block[1], block[0] + (int64_t)r * stride, block[1]};
            reduction->call->loop->native(row, &m, all, NULL);
        }
    }
}

/* Outputs on their way to a body. */
struct outputs {
    const struct reduction *reduction;
    uint64_t unit;
    nest_body *body;
    void *data;
};

static void walk_outputs(void *data, uint64_t begin, uint64_t end, int worker)
{
    const struct outputs *outputs = data;
    const uint64_t all = outputs->reduction->outputs, last = end * outputs->unit;
    (void)worker;
    unsigned modes = fp_enter();
    nest_walk(&outputs->reduction->kept, begin * outputs->unit, last < all ? last : all, outputs->body, outputs->data);
    fp_leave(modes);
}

void cpu_walk_outputs(const struct reduction *reduction, uint64_t unit, nest_body *body, void *data)
{
    struct outputs outputs = {reduction, unit, body, data};
    uint64_t units = divide_up(reduction->outputs, unit), each = unit * reduction->length;
    if (reduction->outputs * reduction->length < WORTH_WAKING)
        walk_outputs(&outputs, 0, units, 0);
    else
        pool_run(reduction->call->context->pool, units, each < WORTH_WAKING ? WORTH_WAKING / each : 1, walk_outputs,
                 &outputs);
}

gpucc_status cpu_run_reduction(const struct reduction *reduction)
{
    const struct call *call = reduction->call;
    const bool is_tree = call->ufunc->reorderable;
    if (!call->loop->native || (is_tree && !call->loop->native_reduce))
        return fail(GPUCC_UNSUPPORTED, "%s has no native code for reductions of these types", call->ufunc->name);
    if (is_tree)
        return run_tree(reduction);
    struct piece piece = {reduction, 0, reduction->length};
    cpu_walk_outputs(reduction, UNIT, fold_outputs, &piece);
    return GPUCC_OK;
}

/* ---- slices ---- */

bool slice_is_long(const struct gpucc_slice *slice, uint64_t outputs)
{
    return slice->count > GPUCC_REDUCE_NATIVE_MOST || slice->count * outputs >= 2 * WORTH_WAKING;
}

gpucc_status cpu_divide_slices(const struct slices *slices)
{
    gpucc_status status = GPUCC_OK;
    uint64_t elements = 0;
    void *data = (void *)(uintptr_t)slices->data;
    for (uint64_t k = 0; !status && k < slices->count; k++) {
        elements += slices->slices[k].count * slices->outputs;
        if (slice_is_long(&slices->slices[k], slices->outputs))
            status = slices->run_long(data, &slices->slices[k]);
    }
    if (status)
        return status;
    if (elements < WORTH_WAKING)
        slices->run_short(data, 0, slices->count, 0);
    else
        pool_run(slices->pool, slices->count, 1 + WORTH_WAKING * slices->count / (elements + 1), slices->run_short,
                 data);
    return GPUCC_OK;
}

/* A short slice of outputs, on its way to the loop. */
struct slice {
    struct piece piece;
    int64_t in, out; /* bytes from an output's first element, and first result */
};

static void reduce_slice(void *data, char **args, int64_t n, const int64_t *steps)
{
    struct slice *slice = data;
    char *moved[2] = {args[0] + slice->in, args[1] + slice->out};
    const bool is_tree = slice->piece.reduction->call->ufunc->reorderable;
    (is_tree ? reduce_outputs : fold_outputs)(&slice->piece, moved, n, steps);
}

/* How many slices from the first of these on are as long as that, one as far behind another. */
static uint64_t count_alike(const struct gpucc_slice *slices, uint64_t most)
{
    uint64_t n = 1;
    while (n < most && slices[n].count == slices[0].count &&
           slices[n].begin - slices[n - 1].begin == slices[1].begin - slices[0].begin &&
           slices[n].place - slices[n - 1].place == slices[1].place - slices[0].place)
        n++;
    return n;
}

/* For one output: equal slices are that many outputs. */
static uint64_t reduce_alike(const struct reduction *reduction, const struct gpucc_slice *slices, uint64_t most)
{
    const uint64_t n = count_alike(slices, most);
    const int64_t one = n > 1, stride = reduction->reduced_strides[0];
    const int64_t steps[2] = {(int64_t)(slices[one].begin - slices[0].begin) * stride,
                              (int64_t)(slices[one].place - slices[0].place) * reduction->each_out};
    char *args[2] = {reduction->kept.data[0] + (int64_t)slices->begin * stride,
                     reduction->kept.data[1] + (int64_t)slices->place * reduction->each_out};
    struct piece piece = {reduction, 0, slices->count};
    if (reduction->call->ufunc->reorderable)
        call_reduce(reduction, args, (int64_t)n, slices->count, steps, stride);
    else
        fold_outputs(&piece, args, (int64_t)n, steps);
    return n;
}

static void run_short_slices(void *data, uint64_t begin, uint64_t end, int worker)
{
    const struct reduction *reduction = data;
    (void)worker;
    unsigned modes = fp_enter();
    for (uint64_t k = begin; k < end;) {
        const struct gpucc_slice *from = &reduction->slices[k];
        uint64_t done = 1;
        const bool is_long = slice_is_long(from, reduction->outputs);
        if (!is_long && reduction->outputs == 1) {
            done = reduce_alike(reduction, from, end - k);
        } else if (!is_long) {
            struct slice slice = {{reduction, 0, from->count},
                                  (int64_t)from->begin * reduction->reduced_strides[0],
                                  (int64_t)from->place * reduction->each_out};
            nest_walk(&reduction->kept, 0, reduction->outputs, reduce_slice, &slice);
        }
        k += done;
    }
    fp_leave(modes);
}

static gpucc_status run_long_slice(const void *data, const struct gpucc_slice *slice)
{
    const struct reduction *reduction = data;
    struct reduction one;
    reduction_copy(&one, reduction);
    one.length = slice->count;
    one.kept.data[0] = reduction->kept.data[0] + (int64_t)slice->begin * reduction->reduced_strides[0];
    one.kept.data[1] = reduction->kept.data[1] + (int64_t)slice->place * reduction->each_out;
    one.reduced_shape[0] = (int64_t)slice->count;
    return cpu_run_reduction(&one);
}

gpucc_status cpu_run_slices(const struct reduction *reduction)
{
    const gpucc_status status = cpu_check_native(reduction->call);
    const struct slices slices = {reduction->slices, reduction->slice_count, reduction->outputs,
                                  reduction->call->context->pool, run_long_slice, run_short_slices, reduction};
    return status ? status : cpu_divide_slices(&slices);
}
