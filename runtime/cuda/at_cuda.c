/* A ufunc on cells that indices name, on a GPU.  Where the order of a cell's operands does not show, atomic operations
 * work on the cells.  Else the indices are sorted by their cells, which keeps those of one cell in order, and a thread
 * for each cell folds its operands into it.  What does neither goes by rounds (at_rounds_cuda.c). */
#include "cuda/at_cuda.h"
#include "cuda/cuda_loops.h"
#include "cuda/reduce_cuda.h"
#include <string.h>

/* On its way, with the indices as kernels read them and the operand's strides along their dimensions. */
struct job {
    const struct scatter *scatter;
    struct gpucc_indices indices;
    struct gpucc_places operands;
    /* The operands of a fold: some in the order of their cells, and one that is the same for all, on the device. */
    uint64_t count;
    const uint64_t *cells;
    const int64_t *places;
    char *value;
};

/* Whether array, operand and loop are of one type, so that cells and operands are as the loop takes them. */
static bool is_of_one_type(const struct scatter *scatter)
{
    const struct call *call = &scatter->call;
    const gpucc_dtype *types = call->loop->types, type = scatter->array->dtype;
    const gpucc_array *operand = call->given[1];
    return call->ufunc->inputs == 2 && types[0] == type && types[1] == type && types[2] == type &&
           (operand->dtype == type || array_is_value(operand));
}

bool cuda_reads_indices(const struct scatter *scatter)
{
    const struct loop *loop = scatter->call.loop;
    const uint64_t cells = (uint64_t)scatter->array->shape[0];
    return has_own_kernels && is_of_one_type(scatter) && (loop->at.name || loop->fold.name) &&
           cells >> (64 - GPUCC_NUMBER_BITS) == 0;
}

static bool has_value(const struct scatter *scatter)
{
    return scatter->call.values >> 1 & 1;
}

static void fill_indices(struct job *job)
{
    struct nest nest;
    const struct scatter *scatter = job->scatter;
    const struct dtype *type = &dtypes[scatter->indices->dtype];
    struct gpucc_indices *indices = &job->indices;
    scatter_index_nest(scatter, &nest);
    indices->data = scatter->indices->data;
    indices->count = scatter->count;
    indices->cells = (uint64_t)scatter->array->shape[0];
    indices->size = type->size;
    indices->is_signed = type->kind == 'i';
    indices->dims = (uint32_t)nest.ndim;
    for (int d = 0; d < nest.ndim; d++) {
        indices->shape[d] = (uint64_t)nest.shape[d];
        indices->strides[d] = nest.strides[0][d];
        job->operands.strides[d] = nest.strides[1][d];
    }
}

/* ---- atomic operations ---- */

static gpucc_status update_part(void *data, const struct nest *part)
{
    const struct job *job = data;
    const struct call *call = &job->scatter->call;
    struct entry *entry = (struct entry *)(uintptr_t)&call->loop->at; /* preparing an entry is not seen from outside */
    struct gpucc_scatter record = {.indices = job->indices, .cells = part->data[0],
                                   .cell_step = job->scatter->cell_step, .elements = (uint64_t)nest_count(part),
                                   .dims = (uint32_t)part->ndim};
    struct shape3 grid, block;
    void *parameters[1] = {&record};
    if (has_value(job->scatter))
        record.value = call->value[1][0];
    else
        record.operand = part->data[1];
    memcpy(record.index_operand, job->operands.strides, sizeof record.index_operand);
    for (int d = 0; d < part->ndim; d++) {
        record.shape[d] = (uint64_t)part->shape[d];
        record.strides[d] = part->strides[0][d];
        record.operand_strides[d] = part->strides[1][d];
    }
    gpucc_status status = entry_prepare(call->ufunc->program, entry);
    if (status)
        return status;
    loop_grid(call->context, entry, record.indices.count * record.elements, &grid, &block);
    return entry_launch(call->stream, entry, grid, block, 0, parameters);
}

/* ---- folds ---- */

static gpucc_status fold_part(void *data, const struct nest *part)
{
    const struct job *job = data;
    const struct scatter *scatter = job->scatter;
    struct reduction reduction;
    memset(&reduction, 0, offsetof(struct reduction, kept));
    reduction.call = &scatter->call;
    reduction.reduced_dims = 1;
    reduction.outputs = (uint64_t)nest_count(part);
    reduction.length = job->count;
    reduction.size = dtypes[scatter->types[0]].size;
    nest_copy(&reduction.kept, part);
    struct stage stage = {.reduction = &reduction, .run = job->count, .runs = job->count};
    reduction.kept.data[0] = has_value(scatter) ? job->value : part->data[1];
    reduction.kept.data[1] = part->data[0];
    memcpy(reduction.kept.strides[0], part->strides[1], sizeof reduction.kept.strides[0]);
    memcpy(reduction.kept.strides[1], part->strides[0], sizeof reduction.kept.strides[1]);
    gpucc_status status = reduction_prepare(&reduction, &scatter->call.loop->fold, &stage.entry);
    if (status)
        return status;
    reduction_fill_record(&stage);
    stage.record.run_out = scatter->cell_step;
    stage.record.cells = job->cells;
    stage.record.places = job->places;
    return reduction_launch(&stage);
}

/* A thread reads its operands where they are, also one that is the same for all. */
static gpucc_status place_value(struct job *job, struct memory **out)
{
    const struct call *call = &job->scatter->call;
    *out = NULL;
    if (!has_value(job->scatter))
        return GPUCC_OK;
    gpucc_status status = memory_create(call->context, call->stream, sizeof call->value[1], out);
    if (status)
        return status;
    job->value = (*out)->base;
    return copy_to_device(call->stream, job->value, call->value[1], sizeof call->value[1]);
}

static gpucc_status fold(struct job *job)
{
    struct memory *value;
    struct sort sort = {.indices = job->indices, .operands = job->operands};
    gpucc_status status = sort_create(&sort, job->scatter);
    if (status)
        return status;
    status = place_value(job, &value);
    for (uint64_t first = 0; !status && first < job->indices.count; first += job->count) {
        const uint64_t left = job->indices.count - first;
        job->count = left < sort.most ? left : sort.most;
        status = sort_indices(&sort, first, job->count, &job->cells, &job->places);
        if (!status)
            status = nest_split(&job->scatter->inner, GPUCC_LOOP_DIMS, UINT32_MAX, fold_part, job);
    }
    if (value)
        memory_release(value);
    sort_free(&sort);
    return status;
}

/* ---- which ---- */

gpucc_status cuda_run_scatter(struct scatter *scatter)
{
    struct nest *inner = &scatter->inner;
    struct job job = {.scatter = scatter};
    nest_merge(inner); /* at least one dimension */
    if (scatter->cells)
        return cuda_run_rounds(scatter);
    fill_indices(&job);
    gpucc_status status = sort_check(scatter, &job.indices);
    if (status)
        return status;
    return scatter->call.loop->at.name ? nest_split(inner, GPUCC_LOOP_DIMS, UINT32_MAX, update_part, &job) : fold(&job);
}
