/* A ufunc on cells that indices name, on a GPU, where each step converts, or has one input.  The host sorts batches of
 * indices into rounds, of which the first has every cell's first index of the batch, the second the second, and so on.
 * The cells of a round differ: they are gathered, worked on side by side, and put back. */
#include "cuda/at_cuda.h"
#include "cuda/cuda_loops.h"
#include <stdlib.h>
#include <string.h>

enum {
    SCRATCH = 1 << 20,       /* bytes for a batch, at most, where a cell's part allows it */
    PART = 1 << 14,          /* elements of a cell that are worked on at a time */
    PART_DIMS = GPUCC_LOOP_DIMS - 1,
    LARGEST = 16,            /* bytes of an element */
    DIGIT = 8, DIGITS = 1 << DIGIT
};

/* Memory of both sides for a batch. */
struct batch {
    struct scatter *scatter;
    const struct nest *part; /* of a cell, of PART_DIMS dimensions */
    uint64_t elements;       /* of the part */
    uint64_t most, count;    /* indices that there is room for, and those of the batch */
    uint64_t first;          /* number of its first index */
    int64_t *tables;         /* cells, then the operands' offsets, in the order of the rounds */
    uint32_t *order, *spare, *ranks; /* numbers from `first` on; of each, how many of its cell came before */
    char *device;            /* the tables, then what is gathered */
};

/* ---- order ---- */

/* Sorts the batch's order by keys[], whose largest is `most`, and keeps that of equal ones. */
static void sort(struct batch *batch, uint64_t (*key_of)(const struct batch *batch, uint32_t number), uint64_t most)
{
    for (int shift = 0; shift < 64 && most >> shift; shift += DIGIT) {
        uint64_t starts[DIGITS + 1] = {0};
        for (uint64_t i = 0; i < batch->count; i++)
            starts[(key_of(batch, batch->order[i]) >> shift) % DIGITS + 1]++;
        for (int d = 0; d < DIGITS; d++)
            starts[d + 1] += starts[d];
        for (uint64_t i = 0; i < batch->count; i++)
            batch->spare[starts[(key_of(batch, batch->order[i]) >> shift) % DIGITS]++] = batch->order[i];
        uint32_t *sorted = batch->spare;
        batch->spare = batch->order;
        batch->order = sorted;
    }
}

static uint64_t cell_of(const struct batch *batch, uint32_t number)
{
    return (uint64_t)batch->scatter->cells[batch->first + number];
}

static uint64_t rank_of(const struct batch *batch, uint32_t number)
{
    return batch->ranks[number];
}

static void sort_by_cells(struct batch *batch)
{
    for (uint64_t i = 0; i < batch->count; i++)
        batch->order[i] = (uint32_t)i;
    sort(batch, cell_of, (uint64_t)batch->scatter->array->shape[0] - 1);
}

/* The batch's order becomes that of the rounds. */
static void make_rounds(struct batch *batch)
{
    uint32_t highest = 0;
    sort_by_cells(batch);
    for (uint64_t i = 0; i < batch->count; i++) {
        const uint32_t number = batch->order[i];
        const bool again = i > 0 && cell_of(batch, batch->order[i - 1]) == cell_of(batch, number);
        batch->ranks[number] = again ? batch->ranks[batch->order[i - 1]] + 1 : 0;
        highest = batch->ranks[number] > highest ? batch->ranks[number] : highest;
    }
    for (uint64_t i = 0; i < batch->count; i++)
        batch->order[i] = (uint32_t)i;
    sort(batch, rank_of, highest);
    for (uint64_t i = 0; i < batch->count; i++) {
        batch->tables[i] = (int64_t)cell_of(batch, batch->order[i]) * batch->scatter->cell_step;
        batch->tables[batch->most + i] = scatter_offset(batch->scatter, batch->first + batch->order[i]);
    }
}

/* ---- a round ---- */

/* Packed elements at `memory`, `count` parts of them, and those of memory that the table on the device names. */
struct move {
    char *packed;
    gpucc_dtype packed_type;
    int operand; /* of the part */
    const int64_t *table;
    bool gathers;
};

/* The size that strided_run() needs: a batch's indices times the elements of each, which are PART where it has one
 * index, and fill SCRATCH otherwise, go in one launch. */
_Static_assert(PART <= STRIDED_MOST && SCRATCH / (3 * LARGEST) <= STRIDED_MOST, "a table is never split");

static gpucc_status move_parts(const struct batch *batch, const struct move *move, uint64_t count)
{
    struct nest nest;
    const struct nest *part = batch->part;
    const gpucc_dtype type = batch->scatter->types[move->operand];
    const int packed = move->gathers ? 0 : 1, named = 1 - packed, missing = PART_DIMS - part->ndim;
    const gpucc_dtype types[2] = {move->gathers ? move->packed_type : type, move->gathers ? type : move->packed_type};
    const int64_t *tables[2] = {NULL, NULL};
    nest_begin(&nest, GPUCC_LOOP_DIMS, 2);
    nest.shape[0] = (int64_t)count;
    nest.data[packed] = move->packed;
    nest.data[named] = part->data[move->operand];
    nest.sizes[packed] = dtypes[move->packed_type].size;
    nest.sizes[named] = dtypes[type].size;
    for (int d = 0; d < PART_DIMS; d++) {
        nest.shape[d + 1] = d < missing ? 1 : part->shape[d - missing];
        nest.strides[named][d + 1] = d < missing ? 0 : part->strides[move->operand][d - missing];
    }
    int64_t step = (int64_t)nest.sizes[packed];
    for (int d = GPUCC_LOOP_DIMS; d-- > 0; step *= nest.shape[d])
        nest.strides[packed][d] = step;
    nest.strides[named][0] = 1; /* the table has bytes */
    tables[named] = move->table;
    return cast_named_on_cuda(batch->scatter->call.stream, &nest, types, tables);
}

static gpucc_status run_round(const struct batch *batch, uint64_t begin, uint64_t count)
{
    const struct scatter *scatter = batch->scatter;
    const struct call *call = &scatter->call;
    const gpucc_dtype *types = call->loop->types;
    const int inputs = call->ufunc->inputs;
    const bool has_value = inputs == 2 && call->values >> 1 & 1;
    const int64_t *cells = (const int64_t *)(const void *)batch->device + begin, *operands = cells + batch->most;
    const uint64_t room = batch->most * batch->elements * LARGEST;
    char *packed = batch->device + 2 * batch->most * sizeof(int64_t);
    struct nest nest;
    nest_begin(&nest, 1, inputs + 1);
    nest.values = has_value ? operand_bit(1) : 0;
    nest.shape[0] = (int64_t)(count * batch->elements);
    for (int i = 0; i <= inputs; i++)
        nest_set(&nest, i, packed + (uint64_t)i * room, dtypes[types[i]].size, 1, nest.shape,
                 (const int64_t[]){dtypes[types[i]].size});
    if (has_value)
        nest_set(&nest, 1, (char *)(uintptr_t)call->value[1], dtypes[types[1]].size, 0, NULL, NULL);
    const struct move take = {nest.data[0], types[0], 0, cells, true};
    const struct move operand = {nest.data[1], types[1], 1, operands, true};
    const struct move put = {nest.data[inputs], types[inputs], 0, cells, false};
    gpucc_status status = move_parts(batch, &take, count);
    if (!status && inputs == 2 && !has_value)
        status = move_parts(batch, &operand, count);
    if (!status)
        status = cuda_run_nest(call, call->stream, &nest);
    return status ? status : move_parts(batch, &put, count);
}

static gpucc_status run_batch(struct batch *batch)
{
    make_rounds(batch);
    gpucc_status status = copy_to_device(batch->scatter->call.stream, batch->device, batch->tables,
                                         2 * batch->most * sizeof *batch->tables);
    for (uint64_t begin = 0, end = 0; !status && begin < batch->count; begin = end) {
        const uint32_t rank = batch->ranks[batch->order[begin]];
        while (end < batch->count && batch->ranks[batch->order[end]] == rank)
            end++;
        status = run_round(batch, begin, end - begin);
    }
    return status;
}

/* ---- batches ---- */

static gpucc_status run_part(void *data, const struct nest *part)
{
    struct memory *memory;
    struct scatter *scatter = data;
    const struct call *call = &scatter->call;
    struct batch batch = {.scatter = scatter, .part = part, .elements = (uint64_t)nest_count(part)};
    const uint64_t each = 2 * sizeof(int64_t) + 3 * LARGEST * batch.elements; /* bytes for an index */
    batch.most = SCRATCH / each ? SCRATCH / each : 1;
    batch.most = batch.most < scatter->count ? batch.most : scatter->count;
    const uint64_t tables = batch.most * 2 * sizeof *batch.tables;
    char *host = calloc(tables + batch.most * 3 * sizeof *batch.order, 1);
    if (!host)
        return fail_memory(tables, "sorting indices");
    batch.tables = (int64_t *)(void *)host;
    batch.order = (uint32_t *)(void *)(host + tables);
    batch.spare = batch.order + batch.most;
    batch.ranks = batch.spare + batch.most;
    gpucc_status status = memory_create(call->context, call->stream, batch.most * each + LARGEST, &memory);
    if (status)
        goto free_host;
    batch.device = memory->base;
    for (; !status && batch.first < scatter->count; batch.first += batch.count) {
        const uint64_t left = scatter->count - batch.first;
        batch.count = left < batch.most ? left : batch.most;
        status = run_batch(&batch);
    }
    memory_release(memory);
free_host:
    free(host);
    return status;
}

gpucc_status cuda_run_rounds(struct scatter *scatter)
{
    return nest_split(&scatter->inner, PART_DIMS, PART, run_part, scatter);
}
