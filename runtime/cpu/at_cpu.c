/* A ufunc on cells that indices name, on the CPU: each worker goes through all indices, and works on the cells that are
 * its own, so that every cell is worked on in the order of the indices. */
#include "base/floating_point.h"
#include "cpu/cpu_loops.h"
#include "nests/convert.h"
#include <string.h>

enum { BLOCK = 256, PART = 1024, LARGEST = 16, WORTH_WAKING = 32768 };

/* One index on its way. */
struct cell {
    const struct scatter *scatter;
    int64_t to, from; /* bytes from the first cell, and from the first operand */
    uint64_t elements; /* of a cell */
};

static void call_native(const struct loop *loop, int inputs, char *to, int64_t to_step, char *from, int64_t from_step,
                        char *out, int64_t out_step, int64_t n)
{
    char *args[3] = {to, inputs == 2 ? from : out, out};
    const intptr_t count = (intptr_t)n;
    const intptr_t steps[3] = {(intptr_t)to_step, (intptr_t)(inputs == 2 ? from_step : out_step), (intptr_t)out_step};
    loop->native(args, &count, steps, NULL);
}

/* Elements that the loop takes as other types; each result is converted at once, for the next to read. */
static void run_converted(const struct scatter *scatter, char **args, int64_t n, const int64_t *steps)
{
    _Alignas(16) char to[BLOCK * LARGEST], from[BLOCK * LARGEST], out[BLOCK * LARGEST];
    const struct loop *loop = scatter->call.loop;
    const int inputs = scatter->call.ufunc->inputs;
    const gpucc_dtype *types = loop->types;
    int64_t size[3];
    for (int i = 0; i <= inputs; i++)
        size[i] = dtypes[types[i]].size;
    for (int64_t at = 0; at < n; at += BLOCK) {
        const int64_t m = n - at < BLOCK ? n - at : BLOCK;
        char *cell = args[0] + at * steps[0];
        convert_row(types[0], to, size[0], scatter->types[0], cell, steps[0], m);
        if (inputs == 2)
            convert_row(types[1], from, size[1], scatter->types[1], args[1] + at * steps[1], steps[1], m);
        call_native(loop, inputs, to, size[0], from, size[1], out, size[inputs], m);
        convert_row(scatter->types[0], cell, steps[0], types[inputs], out, size[inputs], m);
    }
}

static bool converts(const struct scatter *scatter)
{
    const int inputs = scatter->call.ufunc->inputs;
    const gpucc_dtype *types = scatter->call.loop->types;
    return types[0] != scatter->types[0] || types[inputs] != scatter->types[0] ||
           (inputs == 2 && types[1] != scatter->types[1]);
}

static void run_row(void *data, char **args, int64_t n, const int64_t *steps)
{
    const struct cell *cell = data;
    const struct scatter *scatter = cell->scatter;
    const int inputs = scatter->call.ufunc->inputs;
    char *moved[2] = {args[0] + cell->to, inputs == 2 ? args[1] + cell->from : NULL};
    const int64_t moved_steps[2] = {steps[0], inputs == 2 ? steps[1] : 0};
    if (scatter->converts)
        run_converted(scatter, moved, n, moved_steps);
    else
        call_native(scatter->call.loop, inputs, moved[0], moved_steps[0], moved[1], moved_steps[1], moved[0],
                    moved_steps[0], n);
}

/* ---- a cell of one element, by the loop that goes through indices itself ---- */

/* A worker's batch for that loop: the indices of its cells, and their operands. */
struct batch {
    int64_t cells[BLOCK];
    _Alignas(16) char operands[BLOCK * LARGEST];
    int64_t count;
};

static void call_cells(const struct scatter *scatter, const int64_t *cells, const char *operands, int64_t step,
                       int64_t n)
{
    char *args[3] = {scatter->inner.data[0], (char *)(uintptr_t)cells, (char *)(uintptr_t)operands};
    const intptr_t count = (intptr_t)n;
    const intptr_t steps[3] = {(intptr_t)scatter->cell_step, sizeof *cells, (intptr_t)step};
    scatter->call.loop->native_cells(args, &count, steps, NULL);
}

/* Whether that loop takes cells and operands as they are. */
static bool has_loop(const struct scatter *scatter)
{
    return scatter->call.loop->native_cells && scatter->inner.ndim == 0 && !scatter->converts;
}

/* The cells first … last - 1 of those that n indices from number `begin` on name. */
static void choose_cells(const struct scatter *scatter, struct batch *batch, const int64_t *cells, uint64_t begin,
                         int64_t n, int64_t first, int64_t last)
{
    const struct nest *inner = &scatter->inner;
    const int64_t size = (int64_t)inner->sizes[1];
    for (int64_t i = 0; i < n; i++) {
        if (cells[i] < first || cells[i] >= last)
            continue;
        batch->cells[batch->count] = cells[i];
        memcpy(batch->operands + batch->count * size, inner->data[1] + scatter_offset(scatter, begin + (uint64_t)i),
               (size_t)size);
        if (++batch->count == BLOCK) {
            call_cells(scatter, batch->cells, batch->operands, size, BLOCK);
            batch->count = 0;
        }
    }
}

/* The operands of cells first … last - 1. */
static void run_cells(const struct scatter *scatter, int64_t first, int64_t last)
{
    struct batch batch;
    int64_t buffer[PART];
    char *const operands = scatter->inner.data[1];
    const bool as_they_lie = scatter->index_ndim <= 1 && scatter->shares == 1;
    const int64_t step = scatter->index_ndim == 1 ? scatter->index_strides[0] : 0;
    batch.count = 0;
    for (uint64_t at = 0; at < scatter->count; at += PART) {
        const int64_t n = scatter->count - at < PART ? (int64_t)(scatter->count - at) : PART;
        const int64_t *const cells = scatter_cells(scatter, at, n, buffer);
        if (as_they_lie)
            call_cells(scatter, cells, operands + (int64_t)at * step, step, n);
        else
            choose_cells(scatter, &batch, cells, at, n, first, last);
    }
    call_cells(scatter, batch.cells, batch.operands, (int64_t)scatter->inner.sizes[1], batch.count);
}

/* ---- any other cell, by a call for each index ---- */

static void call_one(const struct scatter *scatter, int64_t number, uint64_t index)
{
    const struct nest *inner = &scatter->inner;
    struct cell cell = {scatter, number * scatter->cell_step, scatter_offset(scatter, index),
                        (uint64_t)nest_count(inner)};
    const int64_t none[2] = {0, 0};
    if (inner->ndim == 0)
        run_row(&cell, (char **)(uintptr_t)inner->data, 1, none);
    else
        nest_walk(inner, 0, cell.elements, run_row, &cell);
}

static void run_calls(const struct scatter *scatter, int64_t first, int64_t last)
{
    int64_t buffer[PART];
    for (uint64_t at = 0; at < scatter->count; at += PART) {
        const int64_t n = scatter->count - at < PART ? (int64_t)(scatter->count - at) : PART;
        const int64_t *const cells = scatter_cells(scatter, at, n, buffer);
        for (int64_t i = 0; i < n; i++)
            if (cells[i] >= first && cells[i] < last)
                call_one(scatter, cells[i], at + (uint64_t)i);
    }
}

/* Shares begin … end - 1 of the cells. */
static void run_share(void *data, uint64_t begin, uint64_t end, int worker)
{
    const struct scatter *scatter = data;
    const uint64_t cells = (uint64_t)scatter->array->shape[0];
    const int64_t first = (int64_t)(cells * begin / scatter->shares), last = (int64_t)(cells * end / scatter->shares);
    (void)worker;
    unsigned modes = fp_enter();
    (has_loop(scatter) ? run_cells : run_calls)(scatter, first, last);
    fp_leave(modes);
}

gpucc_status cpu_run_scatter(struct scatter *scatter)
{
    struct pool *pool = scatter->call.context->pool;
    const uint64_t elements = scatter->count * (uint64_t)nest_count(&scatter->inner);
    gpucc_status status = cpu_check_native(&scatter->call);
    if (status)
        return status;
    scatter->converts = converts(scatter);
    scatter->shares = elements < WORTH_WAKING ? 1 : (uint64_t)pool_size(pool);
    if (scatter->shares == 1)
        run_share(scatter, 0, 1, 0);
    else
        pool_run(pool, scatter->shares, 1, run_share, scatter);
    return GPUCC_OK;
}
