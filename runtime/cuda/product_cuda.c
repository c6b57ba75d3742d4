/* Launches a product by warpgroups on Hopper: its matrices are described to the copy engine, after a copy with aligned
 * rows where they need one. */
#include "base/cpu_tensor_map.h"
#include "cuda/cuda_loops.h"
#include <string.h>

enum { ALIGNMENT = 16, ROW = 128 /* bytes that the rows of copies are multiples of */ };

/* A matrix for each of `count` outer indices, or one for all. */
struct matrices {
    char *data;
    int64_t rows, columns, count; /* as they lie: those of the transposed matrix where it is turned */
    int64_t strides[2];           /* bytes between rows and between columns, 0 where there is one */
    int64_t pitch, step;          /* bytes from row to row, and from matrix to matrix, of what is multiplied */
    bool is_turned;
    struct memory *copy; /* or null */
};

bool cuda_has_warpgroups(const struct gufunc_call *gufunc)
{
    enum { LARGEST = INT32_MAX - 512 }; /* the copy engine's coordinates are int, also of tiles across the end */
    const struct call *call = gufunc->call;
    bool fits = call->loop->warpgroups.name && driver.cuTensorMapEncodeTiled && call->ufunc->program->ptx_is_sm_90a;
    for (int d = 0; fits && d < gufunc->layout->dimension_count; d++)
        fits = gufunc->extents[d] > 0 && gufunc->extents[d] <= LARGEST;
    return fits;
}

/* The operands of matmul: the first two inputs that have two dimensions of the product's own. */
static void find_matrices(const struct gufunc_layout *layout, int *left, int *right)
{
    *left = *right = -1;
    for (int k = 0; k < layout->inputs && *right < 0; k++) {
        const struct core_operand *operand = &layout->operands[k];
        if (operand->rank == 2 && layout->dimensions[operand->dimensions[0]].target < 0 &&
            layout->dimensions[operand->dimensions[1]].target < 0)
            *(*left < 0 ? left : right) = k;
    }
}

/* Whether the matrices of all outer indices are `step` bytes apart, in order. */
static bool are_in_order(const struct nest *part, int k, int64_t *step)
{
    bool are = true, is_first = true;
    int64_t next = 0;
    *step = 0;
    for (int d = part->ndim; d-- > 0;) {
        if (part->shape[d] == 1)
            continue;
        if (is_first)
            *step = next = part->strides[k][d];
        are = are && part->strides[k][d] == next;
        next *= part->shape[d];
        is_first = false;
    }
    return are && *step >= 0;
}

static gpucc_status copy_aligned(const struct call *call, const struct nest *part, int k, struct matrices *it)
{
    struct nest pair;
    const gpucc_dtype type = call->loop->types[k];
    const int64_t size = (int64_t)dtypes[type].size;
    const bool varies = operand_varies(part, k);
    it->pitch = (it->columns * size + ROW - 1) & -ROW;
    it->step = it->rows * it->pitch;
    it->count = varies ? nest_count(part) : 1;
    gpucc_status status = memory_create(call->context, call->stream, (size_t)(it->count * it->step), &it->copy);
    if (status)
        return status;
    nest_begin(&pair, varies ? part->ndim + 2 : 2, 2);
    pair.data[0] = it->copy->base;
    pair.data[1] = part->data[k];
    pair.sizes[0] = pair.sizes[1] = (size_t)size;
    const int outer = varies ? part->ndim : 0;
    int64_t step = it->step;
    for (int d = outer; d-- > 0; step *= part->shape[d]) {
        pair.shape[d] = part->shape[d];
        pair.strides[0][d] = step;
        pair.strides[1][d] = part->strides[k][d];
    }
    pair.shape[outer] = it->rows;
    pair.strides[0][outer] = it->pitch;
    pair.strides[1][outer] = it->strides[0];
    pair.shape[outer + 1] = it->columns;
    pair.strides[0][outer + 1] = size;
    pair.strides[1][outer + 1] = it->strides[1];
    it->data = it->copy->base;
    return stream_operations(call->stream)->convert(call->stream, &pair, type, type);
}

/* Sets the pitch of rows of contiguous elements, one after the other.  Returns whether there are such. */
static bool set_pitch(struct matrices *it, int64_t size)
{
    it->pitch = it->rows > 1 ? it->strides[0] : (it->columns * size + ALIGNMENT - 1) & -ALIGNMENT;
    return (it->columns == 1 || it->strides[1] == size) && it->pitch >= it->columns * size;
}

/* Finds the matrices of an operand, the right one or the left one.  Returns whether the copy engine can read them as
 * they lie: 16-bit elements are contiguous along rows or columns, others along k. */
static bool find_matrix(const struct gufunc_call *gufunc, const struct nest *part, int k, bool is_right,
                        const struct core *core, struct matrices *it)
{
    const struct core_operand *operand = &gufunc->layout->operands[k];
    const int64_t size = (int64_t)dtypes[gufunc->call->loop->types[k]].size;
    *it = (struct matrices){.data = part->data[k], .count = 1, .rows = gufunc->extents[operand->dimensions[0]],
                            .columns = gufunc->extents[operand->dimensions[1]]};
    const bool is_packed = core->rank != 2 || core->packs;
    it->strides[0] = is_packed ? it->columns * size : core->strides[0];
    it->strides[1] = is_packed ? size : core->strides[1];
    const bool is_free = size == 2;
    bool are_rows = (is_free || !is_right) && set_pitch(it, size);
    if (!are_rows && (is_free || is_right)) {
        const struct matrices turned = {.rows = it->columns, .columns = it->rows,
                                        .strides = {it->strides[1], it->strides[0]}, .data = it->data, .count = 1,
                                        .is_turned = true};
        *it = turned;
        are_rows = set_pitch(it, size);
    }
    const bool is_in_order = are_in_order(part, k, &it->step);
    if (it->step != 0)
        it->count = nest_count(part);
    else
        it->step = it->rows * it->pitch;
    return are_rows && is_in_order && (uintptr_t)it->data % ALIGNMENT == 0 && it->pitch % ALIGNMENT == 0 &&
           it->step % it->pitch == 0;
}

bool cuda_reads_matrix(const struct gufunc_call *gufunc, const struct nest *outer, int k, const struct core *core)
{
    int operands[2];
    struct matrices matrices;
    if (core->rank != 2 || !cuda_has_warpgroups(gufunc))
        return false;
    find_matrices(gufunc->layout, &operands[0], &operands[1]);
    return (k == operands[0] || k == operands[1]) && find_matrix(gufunc, outer, k, k == operands[1], core, &matrices);
}

/* The operand's matrices, or a copy of them that the copy engine can read. */
static gpucc_status find_rows(const struct gufunc_call *gufunc, const struct nest *part, int k, bool is_right,
                              const struct core *core, struct matrices *it)
{
    return find_matrix(gufunc, part, k, is_right, core, it) ? GPUCC_OK : copy_aligned(gufunc->call, part, k, it);
}

/* With boxes of so many rows and 128 bytes, which are the swizzle's row. */
static gpucc_status describe(const struct call *call, const struct matrices *it, int k, unsigned box_rows,
                             gpucc_tensor_map *out)
{
    const gpucc_dtype type = call->loop->types[k];
    const uint8_t size = (uint8_t)dtypes[type].size;
    const struct cpu_tensor_map map = {
        .data = it->data, .rank = 3, .dtype = (uint8_t)type, .element = size, .swizzle = 128,
        .extent = {(uint32_t)it->columns, (uint32_t)it->rows, (uint32_t)it->count},
        .pitch = {size, (uint64_t)it->pitch, (uint64_t)it->step}, .box = {128 / size, (uint16_t)box_rows, 1}};
    return tensor_map_encode(call->context, &map, out);
}

/* The width of tiles, in bands of 64 columns, with which the last one is done first.  `costs` has the time of a tile by
 * its bands: of 8-bit floating-point elements, whose sums are added in float32, four are made two by two. */
static struct gpucc_tiling choose_tiling(const struct call *call, gpucc_dtype type, int64_t m, int64_t n,
                                         uint64_t count)
{
    const bool promotes = type == GPUCC_FLOAT8_E4M3FN || type == GPUCC_FLOAT8_E5M2;
    const unsigned costs[] = {0, 15, 23, 31, promotes ? 42 : 40};
    const uint64_t clusters = (uint64_t)call->context->device.info.multiprocessors / 2;
    struct gpucc_tiling best = {.row_pairs = (uint32_t)divide_up((uint64_t)m, 256)};
    uint64_t least = UINT64_MAX;
    for (uint32_t bands = 4; bands > 0; bands--) {
        const uint64_t columns = divide_up((uint64_t)n, 64 * bands);
        const uint64_t cost = divide_up(columns * best.row_pairs * count, clusters) * costs[bands];
        if (cost < least) {
            least = cost;
            best.bands = bands;
            best.columns = (uint32_t)columns;
        }
    }
    return best;
}

static gpucc_status launch(const struct gufunc_call *gufunc, const struct nest *part, const int operands[2],
                           const struct matrices matrices[2])
{
    const struct call *call = gufunc->call;
    struct outer_records records;
    gpucc_tensor_map maps[2];
    void *parameters[GPUCC_LOOP_OPERANDS + 5];
    struct entry *entry = (struct entry *)(uintptr_t)&call->loop->warpgroups;
    outer_records_fill(&records, gufunc, part);
    const uint64_t count = records.loop.iteration.count;
    const int64_t m = matrices[0].is_turned ? matrices[0].columns : matrices[0].rows;
    const int64_t n = matrices[1].is_turned ? matrices[1].rows : matrices[1].columns;
    struct gpucc_tiling tiling = choose_tiling(call, call->loop->types[operands[0]], m, n, count);
    tiling.left_varies = matrices[0].count > 1;
    tiling.right_varies = matrices[1].count > 1;
    tiling.turned = (uint8_t)(matrices[0].is_turned | matrices[1].is_turned << 1);
    gpucc_status status = entry_prepare(call->ufunc->program, entry);
    if (!status)
        status = entry_opt_in(call->ufunc->program, entry, GPUCC_WARPGROUP_SHARED);
    if (!status)
        status = describe(call, &matrices[0], operands[0], matrices[0].is_turned ? 64 : 128, &maps[0]);
    if (!status)
        status = describe(call, &matrices[1], operands[1], tiling.bands % 2 ? 32 : 64, &maps[1]);
    if (status)
        return status;
    memcpy(parameters, records.parameters, ((size_t)call->operands + 2) * sizeof *parameters);
    parameters[call->operands + 2] = &maps[0];
    parameters[call->operands + 3] = &maps[1];
    parameters[call->operands + 4] = &tiling;
    const uint64_t pairs = (uint64_t)tiling.row_pairs * tiling.columns * count;
    const uint64_t clusters = (uint64_t)call->context->device.info.multiprocessors / 2;
    const struct shape3 grid = {2 * (unsigned)(pairs < clusters ? pairs : clusters), 1, 1};
    const struct shape3 block = {GPUCC_WARPGROUP_THREADS, 1, 1};
    return entry_launch(call->stream, entry, grid, block, GPUCC_WARPGROUP_SHARED, parameters);
}

gpucc_status cuda_run_warpgroups(const struct gufunc_call *gufunc, const struct nest *part, const struct core *cores)
{
    int operands[2];
    struct matrices matrices[2] = {0};
    find_matrices(gufunc->layout, &operands[0], &operands[1]);
    gpucc_status status = GPUCC_OK;
    const bool is_empty = nest_count(part) == 0;
    for (int i = 0; !status && !is_empty && i < 2; i++)
        status = find_rows(gufunc, part, operands[i], i == 1, &cores[operands[i]], &matrices[i]);
    if (!status && !is_empty)
        status = launch(gufunc, part, operands, matrices);
    for (int i = 0; i < 2; i++)
        if (matrices[i].copy)
            memory_release(matrices[i].copy);
    return status;
}
