/* The sides that run functions: a whole call on a device, or a call on the CPU for each element. */
#include "test/test_internal.h"

#include <string.h>

enum { AROUND = 0x3c }; /* bytes around an input's elements: none of those that outputs hold before */

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

/* Notes that the operand's memory is not as it was where it was to be. */
static void stray(struct results *results, const struct test_case *test, size_t k, struct arena *arena)
{
    results->strayed = arena_printf(
        arena, k < test->loop->input_count ? "writes into its input '%s'" : "writes beside the elements of '%s'",
        operand_name(test->loop, k));
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

/* The operand's memory: elements of an input, or bytes that an output holds before the call. */
static void place(const struct side *side, const struct operand *operand, int before, struct arena *arena,
                  struct placed *placed)
{
    placed->laid = lay_out(operand);
    const int64_t size = (int64_t)placed->laid.size;
    placed->before = arena_alloc(arena, placed->laid.size);
    memset(placed->before, operand->values ? AROUND : before, placed->laid.size);
    if (operand->values)
        spread(operand, &placed->laid, operand->values, placed->before);
    check(gpucc_array_from_host(side->context, GPUCC_UINT8, 1, &size, NULL, placed->before, &placed->bytes),
          side->name);
    placed->array = view(side, operand, placed);
}

static void unplace(const struct placed *placed)
{
    gpucc_array_release(placed->array);
    gpucc_array_release(placed->bytes);
}

/* The output's elements, and whether the rest of its memory is as it was. */
static void fetch(const struct test_case *test, size_t k, const struct operand *operand, const struct placed *placed,
                  struct arena *arena, struct results *results)
{
    char *memory = arena_alloc(arena, placed->laid.size);
    char *was = arena_alloc(arena, (element_count(operand) + 1) * dtype_size(operand->dtype));
    char *out = arena_alloc(arena, (element_count(operand) + 1) * dtype_size(operand->dtype));
    if (failed(results, arena, gpucc_array_read(placed->bytes, memory, placed->laid.size)))
        return;
    results->outputs[k - test->loop->input_count] = out;
    gather(operand, &placed->laid, memory, out);
    gather(operand, &placed->laid, placed->before, was);
    spread(operand, &placed->laid, was, memory);
    if (memcmp(memory, placed->before, placed->laid.size) != 0)
        stray(results, test, k, arena);
}

/* Whether an input, and what is around it, is as it was. */
static void check_unchanged(const struct test_case *test, size_t k, const struct placed *placed, struct arena *arena,
                            struct results *results)
{
    char *memory = arena_alloc(arena, placed->laid.size);
    if (!failed(results, arena, gpucc_array_read(placed->bytes, memory, placed->laid.size)) &&
        memcmp(memory, placed->before, placed->laid.size) != 0)
        stray(results, test, k, arena);
}

static void call_whole(const struct side *side, const struct test_case *test, int before, struct arena *arena,
                       struct results *results)
{
    struct placed placed[GPUCC_LOOP_OPERANDS];
    const gpucc_array *inputs[GPUCC_LOOP_OPERANDS];
    gpucc_array *outputs[GPUCC_LOOP_OPERANDS];
    const struct instance *loop = test->loop;
    const size_t first = loop->input_count, count = operand_count(loop);
    const size_t shared = test->in_place < 0 ? count : first; /* the output that is in an input's place */
    for (size_t k = 0; k < count; k++) {
        if (k == shared)
            placed[k] = placed[test->in_place];
        else
            place(side, &test->operands[k], before, arena, &placed[k]);
        if (k < first)
            inputs[k] = placed[k].array;
        else
            outputs[k - first] = placed[k].array;
    }
    const gpucc_call_options how = {.size = sizeof how};
    if (!failed(results, arena, gpucc_ufunc_call(find(side, loop), inputs, outputs, &how)))
        failed(results, arena, gpucc_context_synchronize(side->context));
    for (size_t k = count; k-- > 0 && !results->status;)
        if (k >= first)
            fetch(test, k, &test->operands[k == shared ? (size_t)test->in_place : k], &placed[k], arena, results);
        else if (k != (size_t)test->in_place)
            check_unchanged(test, k, &placed[k], arena, results);
    for (size_t k = 0; k < count; k++)
        if (k != shared)
            unplace(&placed[k]);
}

/* ---- a call for each outer index ---- */

/* The operand at one outer index, packed in memory of its own. */
struct core {
    struct placed placed;
    size_t at, size; /* bytes: where its elements are in there, and how many */
    char *memory;
};

static void place_core(const struct side *side, const struct operand *operand, int before, struct arena *arena,
                       struct core *core)
{
    struct operand packed = {.dtype = operand->dtype, .ndim = operand->ndim - operand->outer,
                             .values = element_count(operand) ? operand->values : NULL};
    memcpy(packed.shape, operand->shape + operand->outer, (size_t)packed.ndim * sizeof *packed.shape);
    place(side, &packed, before, arena, &core->placed);
    core->at = (size_t)core->placed.laid.offset;
    core->size = element_count(&packed) * dtype_size(packed.dtype);
    core->memory = gpucc_array_data(core->placed.bytes); /* the CPU's */
}

/* Whether the memory is as it was, without the elements of an output. */
static bool is_untouched(const struct core *core, bool is_input)
{
    const char *was = core->placed.before, *is = core->memory;
    const size_t behind = core->at + core->size;
    return memcmp(is, was, core->at) == 0 && memcmp(is + behind, was + behind, core->placed.laid.size - behind) == 0 &&
           (!is_input || memcmp(is + core->at, was + core->at, core->size) == 0);
}

static void call_at(const struct test_case *test, const int64_t *index, gpucc_ufunc *ufunc, struct core *cores,
                    struct arena *arena, struct results *results)
{
    const gpucc_array *inputs[GPUCC_LOOP_OPERANDS];
    gpucc_array *outputs[GPUCC_LOOP_OPERANDS];
    const size_t first = test->loop->input_count, count = operand_count(test->loop);
    for (size_t k = 0; k < count; k++) {
        struct core *core = &cores[k];
        if (k < first) {
            inputs[k] = core->placed.array;
            memcpy(core->placed.before + core->at, test->operands[k].values + core_at(&test->operands[k], index),
                   core->size);
        } else {
            outputs[k - first] = core->placed.array;
        }
        memcpy(core->memory, core->placed.before, core->placed.laid.size);
    }
    const gpucc_call_options how = {.size = sizeof how};
    if (failed(results, arena, gpucc_ufunc_call(ufunc, inputs, outputs, &how)))
        return;
    for (size_t k = 0; k < count; k++) {
        if (k >= first)
            memcpy(results->outputs[k - first] + core_at(&test->operands[k], index), cores[k].memory + cores[k].at,
                   cores[k].size);
        if (!results->strayed && !is_untouched(&cores[k], k < first))
            stray(results, test, k, arena);
    }
}

static void call_each(const struct side *side, const struct test_case *test, int before, struct arena *arena,
                      struct results *results)
{
    struct core cores[GPUCC_LOOP_OPERANDS];
    const size_t first = test->loop->input_count, count = operand_count(test->loop);
    int64_t index[OUTER_MOST] = {0};
    size_t indices = 1;
    for (int d = 0; d < test->outer; d++)
        indices *= (size_t)test->extents[d];
    for (size_t k = 0; k < count; k++) {
        const struct operand *operand = &test->operands[k];
        place_core(side, operand, before, arena, &cores[k]);
        if (k >= first)
            results->outputs[k - first] = arena_alloc(arena, (element_count(operand) + 1) * dtype_size(operand->dtype));
    }
    gpucc_ufunc *ufunc = find(side, test->loop);
    for (size_t i = 0; i < indices && !results->status; i++) {
        call_at(test, index, ufunc, cores, arena, results);
        next_index(test, index);
    }
    failed(results, arena, gpucc_context_synchronize(side->context));
    for (size_t k = 0; k < count; k++)
        unplace(&cores[k].placed);
}

void call_on(const struct side *side, const struct test_case *test, int before, struct arena *arena,
             struct results *results)
{
    *results = (struct results){0};
    if (side->faults)
        *side->faults = (struct faults){.text = {.arena = arena}};
    if (side->one_by_one)
        call_each(side, test, before, arena, results);
    else
        call_whole(side, test, before, arena, results);
}
