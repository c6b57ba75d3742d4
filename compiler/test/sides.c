/* Where functions run: a whole call on a device, or a call on the CPU for each element. */
#include "test/test_internal.h"

#include <string.h>

enum { UNTOUCHED = 0xa5 }; /* bytes of an output before the call */

/* An operand in the side's memory. */
struct placed {
    struct laid laid;
    char *before;        /* what is in the memory */
    gpucc_array *bytes;  /* all of it */
    gpucc_array *array;  /* the operand */
};

static bool failed(struct results *results, struct arena *arena, gpucc_status status)
{
    if (status && !results->status) {
        results->status = status;
        results->reason = arena_strdup(arena, gpucc_last_error());
    }
    return results->status != GPUCC_OK;
}

static gpucc_ufunc *find(const struct side *side, const struct instance *loop)
{
    gpucc_ufunc *ufunc;
    check(gpucc_program_ufunc(side->program, loop->function->name, &ufunc), loop->function->name);
    return ufunc;
}

/* ---- a whole call ---- */

static gpucc_array *view(const struct side *side, const struct operand *operand, const struct placed *placed)
{
    gpucc_array *array;
    check(gpucc_array_wrap(side->context, (gpucc_dtype)operand->dtype, operand->ndim, operand->shape,
                           placed->laid.strides, (char *)gpucc_array_data(placed->bytes) + placed->laid.offset,
                           GPUCC_MEMORY_DEVICE, &array), side->name);
    return array;
}

static void place(const struct side *side, const struct operand *operand, struct arena *arena, struct placed *placed)
{
    placed->laid = lay_out(operand);
    const int64_t size = (int64_t)placed->laid.size;
    placed->before = arena_alloc(arena, placed->laid.size);
    memset(placed->before, UNTOUCHED, placed->laid.size);
    if (operand->values)
        spread(operand, &placed->laid, operand->values, placed->before);
    check(gpucc_array_from_host(side->context, GPUCC_UINT8, 1, &size, NULL, placed->before, &placed->bytes),
          side->name);
    placed->array = view(side, operand, placed);
}

/* The output's elements, and whether the rest of its memory is as it was. */
static void fetch(const struct operand *operand, const struct placed *placed, struct arena *arena, char **out,
                  struct results *results)
{
    char *memory = arena_alloc(arena, placed->laid.size);
    char *was = arena_alloc(arena, (element_count(operand) + 1) * dtype_size(operand->dtype));
    *out = arena_alloc(arena, (element_count(operand) + 1) * dtype_size(operand->dtype));
    if (failed(results, arena, gpucc_array_read(placed->bytes, memory, placed->laid.size)))
        return;
    gather(operand, &placed->laid, memory, *out);
    gather(operand, &placed->laid, placed->before, was);
    spread(operand, &placed->laid, was, memory);
    results->strayed |= memcmp(memory, placed->before, placed->laid.size) != 0;
}

static void call_whole(const struct side *side, const struct test_case *test, struct arena *arena,
                       struct results *results)
{
    struct placed placed[GPUCC_LOOP_OPERANDS];
    const gpucc_array *inputs[GPUCC_LOOP_OPERANDS];
    gpucc_array *outputs[GPUCC_LOOP_OPERANDS];
    const struct instance *loop = test->loop;
    const size_t first = loop->input_count, count = operand_count(loop);
    for (size_t k = 0; k < count; k++) {
        if (k == first && test->in_place >= 0)
            placed[k] = placed[test->in_place];
        else
            place(side, &test->operands[k], arena, &placed[k]);
        if (k < first)
            inputs[k] = placed[k].array;
        else
            outputs[k - first] = placed[k].array;
    }
    const gpucc_call_options how = {.size = sizeof how};
    if (!failed(results, arena, gpucc_ufunc_call(find(side, loop), inputs, outputs, &how)))
        failed(results, arena, gpucc_context_synchronize(side->context));
    for (size_t k = 0; k < count; k++) {
        const bool shared = k == first && test->in_place >= 0;
        const struct operand *operand = &test->operands[shared ? (size_t)test->in_place : k];
        if (k >= first && !results->status)
            fetch(operand, &placed[k], arena, &results->outputs[k - first], results);
    }
    for (size_t k = 0; k < count; k++)
        if (!(k == first && test->in_place >= 0)) {
            gpucc_array_release(placed[k].array);
            gpucc_array_release(placed[k].bytes);
        }
}

/* ---- a call for each outer index ---- */

/* Where the operand's elements for an outer index are in its packed ones. */
static size_t core_at(const struct operand *operand, const int64_t *index)
{
    size_t at = 0;
    for (int d = 0; d < operand->ndim; d++) {
        const bool is_outer = d < operand->outer;
        at = at * (size_t)operand->shape[d] + (is_outer && operand->shape[d] > 1 ? (size_t)index[operand->axes[d]] : 0);
    }
    return at * dtype_size(operand->dtype);
}

static void call_at(const struct side *side, const struct test_case *test, const int64_t *index, gpucc_ufunc *ufunc,
                    struct arena *arena, struct results *results)
{
    gpucc_array *arrays[GPUCC_LOOP_OPERANDS] = {0};
    const struct instance *loop = test->loop;
    const size_t first = loop->input_count, count = operand_count(loop);
    for (size_t k = 0; k < count; k++) {
        const struct operand *operand = &test->operands[k];
        char *packed = k < first ? operand->values : results->outputs[k - first];
        check(gpucc_array_wrap(side->context, (gpucc_dtype)operand->dtype, operand->ndim - operand->outer,
                               operand->shape + operand->outer, NULL, packed + core_at(operand, index),
                               GPUCC_MEMORY_DEVICE, &arrays[k]), side->name);
    }
    const gpucc_call_options how = {.size = sizeof how};
    failed(results, arena, gpucc_ufunc_call(ufunc, (const gpucc_array **)arrays, arrays + first, &how));
    for (size_t k = 0; k < count; k++)
        gpucc_array_release(arrays[k]);
}

static void call_each(const struct side *side, const struct test_case *test, struct arena *arena,
                      struct results *results)
{
    int64_t index[OUTER_MOST] = {0};
    size_t indices = 1;
    for (int d = 0; d < test->outer; d++)
        indices *= (size_t)test->extents[d];
    for (size_t k = 0; k < test->loop->output_count; k++) {
        const struct operand *operand = &test->operands[test->loop->input_count + k];
        const size_t size = (element_count(operand) + 1) * dtype_size(operand->dtype);
        results->outputs[k] = arena_alloc(arena, size);
        memset(results->outputs[k], UNTOUCHED, size);
    }
    gpucc_ufunc *ufunc = find(side, test->loop);
    for (size_t i = 0; i < indices && !results->status; i++) {
        call_at(side, test, index, ufunc, arena, results);
        for (int d = test->outer; d-- > 0;) {
            if (++index[d] < test->extents[d])
                break;
            index[d] = 0;
        }
    }
    failed(results, arena, gpucc_context_synchronize(side->context));
}

void call_on(const struct side *side, const struct test_case *test, struct arena *arena, struct results *results)
{
    *results = (struct results){0};
    if (side->one_by_one)
        call_each(side, test, arena, results);
    else
        call_whole(side, test, arena, results);
}
