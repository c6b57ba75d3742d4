/* Indices on a GPU: checked, and sorted by the cells that they name, by kernels that libgpucc carries
 * (stdlib/runtime/sort.c). */
#include "cuda/at_cuda.h"
#include "cuda/cuda_loops.h"
#include "nests/convert.h"
#include <string.h>

enum {
    MOST = 1 << GPUCC_NUMBER_BITS, /* indices at a time … */
    SHARE = 256,                   /* … whose words take no more than this part of the device's memory */
    BUFFERS = 2,
    THREADS = 256,
    PACKED_BYTES = 16 /* of indices that lie side by side, by one access */
};

/* ---- the kernels ---- */

struct sort_launch {
    const char *kernel;
    uint64_t blocks;
    unsigned threads;
    void **parameters;
};

static gpucc_status launch(gpucc_stream *stream, const struct sort_launch *launch)
{
    gpucc_kernel *kernel;
    gpucc_context *context = stream->context;
    const struct gpucc_program_image *image = own_image(OWN_SORT);
    if (!image)
        return fail(GPUCC_NO_MEMORY, "out of memory for the kernels that sort indices");
    gpucc_status status = gpucc_context_kernel(context, image, image->abi, launch->kernel, &kernel);
    if (!status)
        status = entry_prepare(kernel->program, &kernel->entry);
    if (status)
        return status;
    const struct shape3 grid = capped_grid(context, launch->blocks), block = {launch->threads, 1, 1};
    return entry_launch(stream, &kernel->entry, grid, block, 0, launch->parameters);
}

/* ---- the check ---- */

/* Reports the element at this number, which is out of range. */
static gpucc_status report_unread(const struct scatter *scatter, uint64_t number)
{
    char element[sizeof(uint64_t)];
    int64_t index;
    const gpucc_array *indices = scatter->indices;
    struct nest nest;
    const char *from = indices->data;
    nest_begin(&nest, indices->ndim, 1);
    nest_set(&nest, 0, indices->data, dtypes[indices->dtype].size, indices->ndim, indices->shape, indices->strides);
    for (int d = indices->ndim; d-- > 0; number /= (uint64_t)indices->shape[d])
        from += (int64_t)(number % (uint64_t)indices->shape[d]) * nest.strides[0][d];
    gpucc_status status = copy_to_host(scatter->call.stream, element, from, dtypes[indices->dtype].size);
    if (status)
        return status;
    convert_value(GPUCC_INT64, &index, indices->dtype, element);
    return scatter_fail_index(scatter, index);
}

/* Whether they lie side by side, and as check_packed_indices() reads them. */
static bool are_packed(const struct gpucc_indices *indices)
{
    return indices->dims == 1 && indices->strides[0] == (int64_t)indices->size && indices->size >= sizeof(uint32_t) &&
           (uintptr_t)indices->data % PACKED_BYTES == 0;
}

gpucc_status sort_check(const struct scatter *scatter, const struct gpucc_indices *indices)
{
    enum { ACCESSES = 4 }; /* of a thread */
    const bool is_packed = are_packed(indices);
    const unsigned each = ACCESSES * (is_packed ? PACKED_BYTES / indices->size : 1);
    const uint64_t none = UINT64_MAX;
    uint64_t wrong = none;
    struct memory *memory;
    struct gpucc_indices record = *indices;
    gpucc_stream *stream = scatter->call.stream;
    gpucc_status status = memory_create(stream->context, stream, sizeof none, &memory);
    if (status)
        return status;
    void *parameters[2] = {&record, &memory->base};
    status = copy_to_device(stream, memory->base, &none, sizeof none);
    if (!status)
        status = launch(stream, &(struct sort_launch){is_packed ? "check_packed_indices" : "check_indices",
                                                      divide_up(record.count, THREADS * each), THREADS, parameters});
    if (!status)
        status = copy_to_host(stream, &wrong, memory->base, sizeof wrong);
    memory_release(memory);
    return status || wrong == none ? status : report_unread(scatter, wrong);
}

/* ---- the sort ---- */

/* Two buffers of words, the tiles' counts of each digit, and the digits' totals. */
static uint64_t counts_of(uint64_t words)
{
    return SORT_DIGITS * divide_up(words, SORT_TILE);
}

gpucc_status sort_create(struct sort *sort, const struct scatter *scatter)
{
    const gpucc_context *context = scatter->call.context;
    uint64_t most = context->device.info.memory / SHARE / (BUFFERS * sizeof(uint64_t));
    most = most > MOST ? MOST : most ? most : 1;
    sort->stream = scatter->call.stream;
    sort->most = most < sort->indices.count ? most : sort->indices.count;
    const uint64_t size = BUFFERS * sort->most * sizeof(uint64_t) +
                          (counts_of(sort->most) + SORT_DIGITS) * sizeof(uint32_t);
    return memory_create(scatter->call.context, sort->stream, size, &sort->memory);
}

void sort_free(struct sort *sort)
{
    memory_release(sort->memory);
}

static gpucc_status sort_digit(struct sort *sort, struct gpucc_sorting *record)
{
    static const char *const kernels[] = {"count_digits", "sum_counts", "move_words"};
    void *parameters[1] = {record};
    gpucc_status status = GPUCC_OK;
    for (size_t k = 0; !status && k < sizeof kernels / sizeof *kernels; k++)
        status = launch(sort->stream, &(struct sort_launch){kernels[k], k == 1 ? SORT_DIGITS : record->tiles,
                                                              SORT_THREADS, parameters});
    uint64_t *const sorted = record->to;
    record->to = record->from;
    record->from = sorted;
    record->shift += record->bits;
    record->makes_words = false;
    return status;
}

/* The parameters of S_fold, in place of the words and of their sources. */
static gpucc_status finish(struct sort *sort, struct gpucc_sorting *record)
{
    void *parameters[2] = {record, &sort->operands};
    struct sort_launch step = {"find_cells", divide_up(record->count, THREADS), THREADS, parameters};
    gpucc_status status = launch(sort->stream, &step);
    step.kernel = "place_operands";
    return status ? status : launch(sort->stream, &step);
}

/* Bits of the largest cell's number, one at least. */
static unsigned cell_bits(uint64_t cells)
{
    unsigned bits = 1;
    while (bits < 64 && (cells - 1) >> bits)
        bits++;
    return bits;
}

gpucc_status sort_indices(struct sort *sort, uint64_t first, uint64_t count, const uint64_t **cells,
                        const int64_t **places)
{
    uint64_t *const words = (uint64_t *)(void *)sort->memory->base;
    const unsigned bits = cell_bits(sort->indices.cells), digits = (bits + SORT_DIGIT_BITS - 1) / SORT_DIGIT_BITS;
    struct gpucc_sorting record = {.indices = sort->indices, .first = first, .from = words, .to = words + sort->most,
                                   .count = (uint32_t)count, .tiles = (uint32_t)divide_up(count, SORT_TILE),
                                   .shift = GPUCC_NUMBER_BITS, .bits = (bits + digits - 1) / digits,
                                   .makes_words = true};
    record.counts = (uint32_t *)(void *)(words + BUFFERS * sort->most);
    record.totals = record.counts + counts_of(sort->most);
    gpucc_status status = GPUCC_OK;
    for (unsigned digit = 0; !status && digit < digits; digit++)
        status = sort_digit(sort, &record);
    if (!status)
        status = finish(sort, &record);
    *cells = record.to;
    *places = (const int64_t *)(const void *)record.from;
    return status;
}
