/* Ufunc calls on the CPU whose operands the native loop does not take as they lie: of other types, in short rows, in
 * places that are faster packed; and masked ones.  They go through buffers that stay in the first-level cache, block by
 * block. */
#include "base/floating_point.h"
#include "cpu/cpu_loops.h"
#include "nests/convert.h"
#include <string.h>

enum {
    BLOCK = 1024,     /* elements at most */
    LARGEST = 16,     /* bytes of one */
    SHORT_ROW = 64,   /* elements of a row: several make a block */
    SPACE = 64 << 10, /* bytes of all buffers of a block: they are on a thread's stack */
};

struct buffered_call {
    const struct loop *loop;
    const struct nest *nest;
    int inputs, operands;
    bool is_masked; /* by the nest's last operand */
    bool backwards; /* the last block of a row comes first */
    operand_set shifted;      /* as the call has it */
    const gpucc_dtype *types; /* as the operands lie in memory */
    int64_t together;         /* elements of a block */
    uint64_t count;           /* of all short rows */
};

/* One block on its way: the operands as the loop sees them, in memory or in a buffer. */
struct block {
    const struct buffered_call *call;
    uint64_t first; /* element of the nest */
    char *memory[CALL_OPERANDS];
    int64_t memory_steps[CALL_OPERANDS];
    char *seen[CALL_OPERANDS];
    int64_t seen_steps[CALL_OPERANDS];
    bool is_scattered[CALL_OPERANDS]; /* its elements are not one row: the nest says where they are */
};

_Static_assert(SPACE / CALL_OPERANDS / LARGEST >= SHORT_ROW - 1, "a block holds a short row");

/* Operand i's part of the space. */
static char *buffer_of(const struct buffered_call *call, char *space, int i)
{
    return space + (size_t)i * (size_t)call->together * LARGEST;
}

static gpucc_dtype seen_type(const struct buffered_call *call, int i)
{
    return i < call->operands ? call->loop->types[i] : GPUCC_BOOLEAN;
}

/* Elements between an operand's memory and its buffer. */
struct transfer {
    gpucc_dtype type, seen_type;
    bool is_output;
    char *seen;
    int64_t seen_step;
    int64_t columns, step; /* of rows */
};

static void transfer_elements(void *data, char **args, int64_t n, const int64_t *steps)
{
    struct transfer *t = data;
    if (t->is_output)
        convert_row(t->type, args[0], steps[0], t->seen_type, t->seen, t->seen_step, n);
    else
        convert_row(t->seen_type, t->seen, t->seen_step, t->type, args[0], steps[0], n);
    t->seen += n * t->seen_step;
}

/* Operands of another type.  Short rows are gathered, as converting each would cost more than its elements. */
__attribute__((noinline)) static void convert_rows(struct transfer *t, char *memory, int64_t rows, int64_t row_step)
{
    char packed[4096];
    const int64_t size = dtypes[t->type].size, row = t->columns * size, most = (int64_t)sizeof packed / row;
    for (int64_t r = 0; r < rows && !most; r++)
        transfer_elements(t, &(char *){memory + r * row_step}, t->columns, &t->step);
    for (int64_t r = 0; r < rows && most; r += most) {
        const int64_t count = rows - r < most ? rows - r : most;
        char *const there = memory + r * row_step;
        if (!t->is_output)
            copy_plane((size_t)size, packed, row, size, there, row_step, t->step, count, t->columns);
        transfer_elements(t, &(char *){packed}, count * t->columns, &size);
        if (t->is_output)
            copy_plane((size_t)size, there, row_step, t->step, packed, row, size, count, t->columns);
    }
}

static void transfer_rows(void *data, char **args, int64_t rows, const int64_t *steps)
{
    struct transfer *t = data;
    const int64_t seen_row = t->columns * t->seen_step;
    const size_t size = dtypes[t->type].size;
    if (t->type != t->seen_type) {
        convert_rows(t, args[0], rows, steps[0]);
        return;
    }
    if (t->is_output)
        copy_plane(size, args[0], steps[0], t->step, t->seen, seen_row, t->seen_step, rows, t->columns);
    else
        copy_plane(size, t->seen, seen_row, t->seen_step, args[0], steps[0], t->step, rows, t->columns);
    t->seen += rows * seen_row;
}

/* Elements begin … end - 1 of the block, which lie where the nest says. */
static void transfer_scattered(const struct block *block, int i, struct transfer *t, int64_t begin, int64_t end)
{
    const struct nest *nest = block->call->nest;
    struct nest lone;
    nest_begin(&lone, nest->ndim, 1);
    lone.data[0] = nest->data[i];
    memcpy(lone.shape, nest->shape, (size_t)nest->ndim * sizeof *lone.shape);
    memcpy(lone.strides[0], nest->strides[i], (size_t)nest->ndim * sizeof *lone.strides[0]);
    uint64_t first = block->first + (uint64_t)begin, last = block->first + (uint64_t)end;
    uint64_t columns = (uint64_t)nest->shape[nest->ndim - 1];
    if (first % columns || last % columns) {
        nest_walk(&lone, first, last, transfer_elements, t);
        return;
    }
    lone.ndim--;
    t->columns = (int64_t)columns;
    t->step = nest->strides[i][nest->ndim - 1];
    nest_walk(&lone, first / columns, last / columns, transfer_rows, t);
}

static void transfer(const struct block *block, int i, int64_t begin, int64_t end)
{
    const struct buffered_call *call = block->call;
    struct transfer t = {.type = call->types[i], .seen_type = seen_type(call, i),
                         .is_output = i >= call->inputs && i < call->operands,
                         .seen = block->seen[i] + begin * block->seen_steps[i], .seen_step = block->seen_steps[i]};
    char *row = block->memory[i] + begin * block->memory_steps[i];
    if (block->is_scattered[i])
        transfer_scattered(block, i, &t, begin, end);
    else
        transfer_elements(&t, &row, end - begin, &block->memory_steps[i]);
}

/* Operand i goes through a buffer. */
static void use_buffer(struct block *block, int i, char *buffer, bool is_one_value)
{
    block->seen[i] = buffer;
    block->seen_steps[i] = is_one_value ? 0 : dtypes[seen_type(block->call, i)].size;
}

static bool is_buffered(const struct block *block, int i)
{
    return block->seen[i] != block->memory[i];
}

/* The loop over elements begin … end - 1, and its outputs to where they belong. */
static void run_part(const struct block *block, int64_t begin, int64_t end)
{
    const struct buffered_call *call = block->call;
    char *args[GPUCC_LOOP_OPERANDS];
    for (int i = 0; i < call->operands; i++)
        args[i] = block->seen[i] + begin * block->seen_steps[i];
    cpu_run_native((void *)(uintptr_t)call->loop, args, end - begin, block->seen_steps);
    for (int o = call->inputs; o < call->operands; o++)
        if (is_buffered(block, o))
            transfer(block, o, begin, end);
}

/* The first element from `at` on where the mask is not `value`; eight at a time where they are adjacent. */
static int64_t skip(const char *mask, int64_t step, bool value, int64_t at, int64_t n)
{
    static const uint64_t words[2] = {0, 0x0101010101010101};
    for (uint64_t word; step == 1 && at + 8 <= n; at += 8) {
        memcpy(&word, mask + at, sizeof word);
        if (word != words[value])
            break;
    }
    while (at < n && (mask[at * step] != 0) == value)
        at++;
    return at;
}

/* The elements begin … end - 1 of the block where the mask is true. */
static int64_t find_chosen(const char *mask, int64_t step, int64_t begin, int64_t end, int16_t *chosen)
{
    int64_t count = 0;
    for (int64_t k = begin; k < end; k++) { /* without a branch that could be foretold wrongly */
        chosen[count] = (int16_t)k;
        count += mask[k * step] != 0;
    }
    return count;
}

#define MOVE_CHOSEN(size)                                                                                              \
    if (is_output)                                                                                                     \
        for (int64_t k = 0; k < count; k++)                                                                            \
            memcpy(row + chosen[k] * step, packed + k * (size), size);                                                 \
    else                                                                                                               \
        for (int64_t k = 0; k < count; k++)                                                                            \
            memcpy(packed + k * (size), row + chosen[k] * step, size);                                                 \
    break

/* The chosen elements of a row, from there to adjacent ones or back. */
static void move_chosen(bool is_output, int64_t size, char *row, int64_t step, char *packed, const int16_t *chosen,
                        int64_t count)
{
    switch (size) {
    case 1: MOVE_CHOSEN(1);
    case 2: MOVE_CHOSEN(2);
    case 4: MOVE_CHOSEN(4);
    case 8: MOVE_CHOSEN(8);
    default: MOVE_CHOSEN(16);
    }
}

/* The chosen elements alone, packed: the function is not to see others. */
static void run_chosen(const struct block *block, const int16_t *chosen, int64_t count)
{
    const struct buffered_call *call = block->call;
    _Alignas(64) char space[SPACE], converted[BLOCK * LARGEST];
    char *args[GPUCC_LOOP_OPERANDS];
    int64_t steps[GPUCC_LOOP_OPERANDS];
    for (int i = 0; i < call->operands; i++) {
        bool is_one_value = i < call->inputs && block->seen_steps[i] == 0;
        args[i] = is_one_value ? block->seen[i] : buffer_of(call, space, i);
        steps[i] = is_one_value ? 0 : dtypes[seen_type(call, i)].size;
        if (i < call->inputs && !is_one_value)
            move_chosen(false, steps[i], block->seen[i], block->seen_steps[i], args[i], chosen, count);
    }
    cpu_run_native((void *)(uintptr_t)call->loop, args, count, steps);
    for (int o = call->inputs; o < call->operands; o++) {
        const gpucc_dtype type = call->types[o], seen = seen_type(call, o);
        if (type != seen)
            convert_row(type, converted, dtypes[type].size, seen, args[o], steps[o], count);
        move_chosen(true, dtypes[type].size, block->memory[o], block->memory_steps[o],
                    type != seen ? converted : args[o], chosen, count);
    }
}

/* Whether all outputs of the block are rows. */
static bool has_rows(const struct block *block)
{
    for (int o = block->call->inputs; o < block->call->operands; o++)
        if (block->is_scattered[o])
            return false;
    return true;
}

/* Run by run of elements where the mask is true; where these prove short, what is left of the block at once. */
static void run_masked(const struct block *block, int64_t n)
{
    enum { SHORT_RUN = 16, RUNS = 4 };
    const char *mask = block->seen[block->call->operands];
    const int64_t step = block->seen_steps[block->call->operands];
    int16_t chosen[BLOCK + 1];
    int64_t runs = 0, elements = 0;
    for (int64_t end = 0; end < n;) {
        int64_t begin = skip(mask, step, false, end, n);
        end = skip(mask, step, true, begin, n);
        if (begin < end)
            run_part(block, begin, end);
        elements += end - begin;
        if (++runs == RUNS && elements < RUNS * SHORT_RUN && has_rows(block)) {
            run_chosen(block, chosen, find_chosen(mask, step, end, n, chosen));
            return;
        }
    }
}

static void run_block(const struct block *block, int64_t n)
{
    if (block->call->is_masked)
        run_masked(block, n);
    else
        run_part(block, 0, n);
}

/* A row with this stride: other types, and operands that are faster packed than one by one. */
static bool needs_buffer(const struct buffered_call *call, int i, const char *row, int64_t step)
{
    const int64_t size = dtypes[call->types[i]].size;
    const bool is_misaligned = step == size && dtype_misaligned(call->types[i], row);
    return call->types[i] != seen_type(call, i) || is_misaligned || (call->shifted >> i & 1);
}

/* A part of a long row. */
static void run_row(void *data, char **args, int64_t n, const int64_t *steps)
{
    const struct buffered_call *call = data;
    _Alignas(64) char space[SPACE];
    struct block block;
    block.call = call;
    block.first = 0;
    for (int64_t done = 0; done < n; done += call->together) {
        int64_t count = n - done < call->together ? n - done : call->together;
        int64_t at = call->backwards ? n - done - count : done;
        for (int i = 0; i < call->operands + call->is_masked; i++) {
            block.memory[i] = block.seen[i] = args[i] + at * steps[i];
            block.memory_steps[i] = block.seen_steps[i] = steps[i];
            block.is_scattered[i] = false;
            if (i == call->operands || !needs_buffer(call, i, args[i], steps[i]))
                continue;
            bool is_one_value = i < call->inputs && steps[i] == 0;
            use_buffer(&block, i, buffer_of(call, space, i), is_one_value);
            if (i < call->inputs)
                transfer(&block, i, 0, is_one_value ? 1 : count);
        }
        run_block(&block, count);
    }
}

/* ---- short rows: several make a block ---- */

/* Whether an operand's elements are one row from the first to the last. */
static bool is_one_row(const struct nest *nest, int i)
{
    const int64_t *strides = nest->strides[i];
    for (int d = nest->ndim - 1; d > 0; d--)
        if (strides[d - 1] != strides[d] * nest->shape[d])
            return false;
    return true;
}

/* Whether every row is the same one. */
static bool repeats_row(const struct nest *nest, int i)
{
    for (int d = 0; d < nest->ndim - 1; d++)
        if (nest->strides[i][d] != 0)
            return false;
    return true;
}

static void place_operand(struct block *block, int i, char *buffer, bool is_first, int64_t count)
{
    const struct buffered_call *call = block->call;
    const struct nest *nest = call->nest;
    const int64_t step = nest->strides[i][nest->ndim - 1];
    const bool is_input = i < call->inputs || i == call->operands;
    block->is_scattered[i] = !is_one_row(nest, i);
    block->memory[i] = block->seen[i] = nest->data[i] + (int64_t)block->first * step;
    block->memory_steps[i] = block->seen_steps[i] = step;
    if (!block->is_scattered[i] && !needs_buffer(call, i, nest->data[i], step))
        return;
    use_buffer(block, i, buffer, false);
    if (is_input && (is_first || !repeats_row(nest, i)))
        transfer(block, i, 0, count);
}

static void run_rows(void *data, uint64_t begin, uint64_t end, int worker)
{
    const struct buffered_call *call = data;
    _Alignas(64) char space[SPACE];
    struct block block;
    block.call = call;
    unsigned modes = fp_enter();
    (void)worker;
    for (uint64_t k = begin; k < end; k++) {
        const uint64_t together = (uint64_t)call->together;
        block.first = k * together;
        uint64_t left = call->count - block.first, count = left < together ? left : together;
        for (int i = 0; i < call->operands + call->is_masked; i++)
            place_operand(&block, i, buffer_of(call, space, i), k == begin, (int64_t)count);
        run_block(&block, (int64_t)count);
    }
    fp_leave(modes);
}

static bool has_short_rows(const struct nest *nest)
{
    return nest->ndim > 1 && nest->shape[nest->ndim - 1] < SHORT_ROW;
}

static void run_short_rows(struct pool *pool, struct buffered_call *call)
{
    const int64_t row = call->nest->shape[call->nest->ndim - 1];
    call->count = (uint64_t)nest_count(call->nest);
    call->together = call->together / row * row; /* a nest of no elements has one dimension */
    const uint64_t blocks = divide_up(call->count, (uint64_t)call->together);
    if (!pool || call->count < INLINE_BELOW)
        run_rows(call, 0, blocks, 0);
    else
        pool_run(pool, blocks, 16, run_rows, call);
}

gpucc_status cpu_run_call(const struct call *call, struct nest *nest)
{
    nest_transpose_for_most(nest);
    bool is_plain = !call->is_masked && !has_short_rows(nest);
    gpucc_dtype types[CALL_OPERANDS];
    struct buffered_call buffered = {.loop = call->loop, .nest = nest, .types = types, .inputs = call->ufunc->inputs,
                                     .operands = call->operands, .is_masked = call->is_masked,
                                     .shifted = call->shifted, .backwards = call->backwards};
    struct pool *pool = call->forwards || call->backwards ? NULL : call->context->pool; /* in this order */
    const int64_t room = SPACE / LARGEST / (call->operands + 1);
    buffered.together = room < BLOCK ? room : BLOCK;
    types[call->operands] = GPUCC_BOOLEAN;
    for (int i = 0; i < call->operands; i++) {
        int64_t step = nest->ndim ? nest->strides[i][nest->ndim - 1] : 0;
        types[i] = call->values >> i & 1 ? call->loop->types[i] : call->used[i]->dtype;
        is_plain = is_plain && !needs_buffer(&buffered, i, nest->data[i], step);
    }
    if (is_plain)
        return cpu_run_nest(call, nest);
    gpucc_status status = cpu_check_native(call);
    if (status)
        return status;
    if (has_short_rows(nest))
        run_short_rows(pool, &buffered);
    else
        nest_run(pool, nest, run_row, &buffered);
    return GPUCC_OK;
}
