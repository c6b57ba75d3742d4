/* Runs a ufunc's native loop, on all workers where there is enough to do. */
#include "internal.h"
#include <string.h>

static void run_native(void *data, char **args, int64_t n, const int64_t *steps)
{
    const struct loop *loop = data;
    intptr_t dimensions[1] = {(intptr_t)n};
    _Static_assert(sizeof(intptr_t) == sizeof(int64_t), "steps are passed as they are");
    loop->native(args, dimensions, (const intptr_t *)steps, NULL);
}

static gpucc_status fail_native(const struct call *call)
{
    return fail(GPUCC_UNSUPPORTED, "%s has no native code for these types", call->ufunc->name);
}

gpucc_status cpu_run_nest(const struct call *call, const struct nest *nest)
{
    if (!call->loop->native)
        return fail_native(call);
    nest_run(call->context->pool, nest, run_native, (void *)(uintptr_t)call->loop);
    return GPUCC_OK;
}

/* ---- operands of other types, and masks: through buffers, block by block ---- */

enum { BLOCK = 1024, LARGEST = 16 }; /* elements; bytes of one */

struct converted_call {
    const struct loop *loop;
    int inputs, operands;
    bool is_masked;
    gpucc_dtype types[GPUCC_LOOP_OPERANDS]; /* of the operands as they lie in memory */
};

/* One block on its way. */
struct block {
    char *args[CALL_OPERANDS]; /* in memory */
    char *seen[GPUCC_LOOP_OPERANDS]; /* as the native loop sees them, and the steps that it takes */
    int64_t seen_steps[GPUCC_LOOP_OPERANDS];
    const int64_t *steps;
};

static bool is_converted(const struct converted_call *call, int i)
{
    return call->types[i] != call->loop->types[i];
}

static void read_block(const struct converted_call *call, const struct block *block, int64_t n)
{
    for (int i = 0; i < call->inputs; i++)
        if (is_converted(call, i))
            convert_row(call->loop->types[i], block->seen[i], block->seen_steps[i], call->types[i], block->args[i],
                        block->steps[i], block->seen_steps[i] ? n : 1);
}

/* The loop over elements begin … end - 1, and its outputs to where they belong. */
static void run_part(const struct converted_call *call, const struct block *block, int64_t begin, int64_t end)
{
    char *args[GPUCC_LOOP_OPERANDS];
    for (int i = 0; i < call->operands; i++)
        args[i] = block->seen[i] + begin * block->seen_steps[i];
    run_native((void *)(uintptr_t)call->loop, args, end - begin, block->seen_steps);
    for (int o = call->inputs; o < call->operands; o++)
        if (is_converted(call, o))
            convert_row(call->types[o], block->args[o] + begin * block->steps[o], block->steps[o], call->loop->types[o],
                        args[o], block->seen_steps[o], end - begin);
}

/* Run by run of elements where the mask is true. */
static void run_masked(const struct converted_call *call, const struct block *block, int64_t n)
{
    const char *mask = block->args[call->operands];
    const int64_t step = block->steps[call->operands];
    for (int64_t end = 0; end < n;) {
        int64_t begin = end;
        while (begin < n && !mask[begin * step])
            begin++;
        for (end = begin; end < n && mask[end * step];)
            end++;
        if (begin < end)
            run_part(call, block, begin, end);
    }
}

static void run_converted(void *data, char **args, int64_t n, const int64_t *steps)
{
    const struct converted_call *call = data;
    _Alignas(64) char buffers[GPUCC_LOOP_OPERANDS][BLOCK * LARGEST];
    struct block block = {.steps = steps};
    for (int i = 0; i < call->operands; i++) {
        bool repeats = i < call->inputs && steps[i] == 0;
        int64_t size = dtypes[call->loop->types[i]].size;
        block.seen_steps[i] = !is_converted(call, i) ? steps[i] : repeats ? 0 : size;
    }
    for (int64_t at = 0; at < n; at += BLOCK) {
        int64_t count = n - at < BLOCK ? n - at : BLOCK;
        for (int i = 0; i < call->operands + call->is_masked; i++)
            block.args[i] = args[i] + at * steps[i];
        for (int i = 0; i < call->operands; i++)
            block.seen[i] = is_converted(call, i) ? buffers[i] : block.args[i];
        read_block(call, &block, count);
        if (call->is_masked)
            run_masked(call, &block, count);
        else
            run_part(call, &block, 0, count);
    }
}

gpucc_status cpu_run_call(const struct call *call, const struct nest *nest)
{
    bool is_plain = !call->is_masked;
    struct converted_call converted = {.loop = call->loop, .inputs = call->ufunc->inputs, .operands = call->operands,
                                       .is_masked = call->is_masked};
    for (int i = 0; i < call->operands; i++) {
        converted.types[i] = call->values >> i & 1 ? call->loop->types[i] : call->used[i]->dtype;
        is_plain = is_plain && !is_converted(&converted, i);
    }
    if (is_plain)
        return cpu_run_nest(call, nest);
    if (!call->loop->native)
        return fail_native(call);
    nest_run(call->context->pool, nest, run_converted, &converted);
    return GPUCC_OK;
}

gpucc_status cpu_run_contiguous(const struct call *call, char *const *data, uint64_t n)
{
    struct nest nest;
    nest.ndim = 1;
    nest.operands = call->operands;
    nest.values = 0;
    nest.shape[0] = (int64_t)n;
    for (int i = 0; i < call->operands; i++) {
        nest.data[i] = data[i];
        nest.sizes[i] = dtypes[call->loop->types[i]].size;
        nest.strides[i][0] = (int64_t)nest.sizes[i];
    }
    return cpu_run_nest(call, &nest);
}
