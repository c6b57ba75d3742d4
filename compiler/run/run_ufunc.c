/* gpucc run on a ufunc: which loop, with which inputs, and what comes out. */
#include "../runtime/base/resolve.h"
#include "run/run_internal.h"

#include <gpucc/loops.h>
#include <string.h>
#include <sys/mman.h>

struct ufunc_call {
    gpucc_ufunc *ufunc;
    const gpucc_array **inputs;
    gpucc_array **outputs;
    gpucc_call_options how;
    bool outer;
};

/* ---- the loop ---- */

static const char *signature_text(struct arena *arena, const struct instance *instance)
{
    struct text text = {.arena = arena};
    bool several = instance->output_count != 1;
    text_printf(&text, several ? "(" : "");
    for (size_t i = 0; i < instance->output_count; i++)
        text_printf(&text, "%s%s", i ? ", " : "", dtype_name(instance->outputs[i]));
    text_printf(&text, several ? ")(" : "(");
    for (size_t i = 0; i < instance->input_count; i++)
        text_printf(&text, "%s%s", i ? ", " : "", dtype_name(instance->inputs[i]));
    text_printf(&text, ")");
    return text.data;
}

static const char *all_signatures(const struct run *run)
{
    struct text text = {.arena = run->arena};
    for (size_t i = 0; i < run->candidate_count; i++)
        text_printf(&text, "%s%s", i ? ", " : "", signature_text(run->arena, run->candidates[i]));
    return text.data;
}

static gpucc_casting casting_of(const struct run_options *options)
{
    return resolve_casting(options->casting, options->dtype != DTYPE_NONE);
}

/* Whether the input can be cast to the loop's type; a number's value decides. */
static bool accepts(const struct input *input, enum dtype dtype, gpucc_casting casting)
{
    if (input->dtype == DTYPE_NONE)
        return input_fits(input, dtype);
    return gpucc_can_cast((gpucc_dtype)input->dtype, (gpucc_dtype)dtype, casting);
}

static bool makes(const struct instance *instance, enum dtype dtype)
{
    for (size_t i = 0; dtype != DTYPE_NONE && i < instance->output_count; i++)
        if (instance->outputs[i] != dtype)
            return false;
    return true;
}

/* The first input that the loop does not accept, or input_count. */
static size_t first_refused(const struct run *run, const struct instance *loop, gpucc_casting casting)
{
    size_t i = 0;
    while (i < loop->input_count && accepts(&run->options->inputs[i], loop->inputs[i], casting))
        i++;
    return i;
}

/* "float32 (x.npy)", "2.5" */
static const char *argument_text(struct arena *arena, const struct input *input)
{
    if (input->dtype == DTYPE_NONE)
        return input->text;
    return arena_printf(arena, "%s (%s)", dtype_name(input->dtype), input->text);
}

/* Input k is not what the loop takes. */
static _Noreturn void refuse_input(const struct run *run, const struct instance *loop, size_t k)
{
    const struct input *input = &run->options->inputs[k];
    enum dtype given = input->dtype, wanted = loop->inputs[k];
    const char *remark = "";
    if (given == DTYPE_NONE)
        remark = ", which that type cannot hold";
    else if (run->options->casting != GPUCC_CASTING_DEFAULT)
        remark = ", which --casting forbids to convert";
    else if (gpucc_can_cast((gpucc_dtype)given, (gpucc_dtype)wanted, GPUCC_CASTING_SAME_KIND))
        remark = arena_printf(run->arena, "; --dtype=%s converts it", dtype_name(loop->outputs[0]));
    input_error("parameter '%s' of '%s' takes %s, got %s%s", loop->function->parameters[first_operand(loop) + k].name,
                run->options->name,
                dtype_name(wanted), argument_text(run->arena, input), remark);
}

/* No loop takes the inputs; this one makes what is asked for. */
static _Noreturn void refuse(const struct run *run, const struct instance *loop)
{
    const struct input *inputs = run->options->inputs;
    if (run->candidate_count == 1)
        refuse_input(run, loop, first_refused(run, loop, casting_of(run->options)));
    struct text list = {.arena = run->arena};
    for (size_t i = 0; i < loop->input_count; i++)
        text_printf(&list, "%s%s", i ? ", " : "", argument_text(run->arena, &inputs[i]));
    if (run->options->casting != GPUCC_CASTING_DEFAULT)
        text_printf(&list, " under --casting=%s", casting_name(run->options->casting));
    if (run->options->dtype != DTYPE_NONE)
        text_printf(&list, " and makes %s", dtype_name(run->options->dtype));
    input_error("no loop of '%s' matches %s; it has: %s", run->options->name, list.data, all_signatures(run));
}

/* The loops that make what --dtype asks for, and the types of their inputs. */
struct loops {
    const struct instance **items;
    gpucc_dtype (*types)[GPUCC_LOOP_OPERANDS];
    int count;
};

static struct loops possible_loops(const struct run *run)
{
    struct loops loops = {.items = arena_alloc(run->arena, run->candidate_count * sizeof *loops.items),
                          .types = arena_alloc(run->arena, run->candidate_count * sizeof *loops.types)};
    for (size_t i = 0; i < run->candidate_count; i++) {
        const struct instance *loop = run->candidates[i];
        if (!makes(loop, run->options->dtype))
            continue;
        for (size_t k = 0; k < loop->input_count; k++)
            loops.types[loops.count][k] = (gpucc_dtype)loop->inputs[k];
        loops.items[loops.count++] = loop;
    }
    return loops;
}

/* By the rule of every call; null if no loop takes all inputs. */
static const struct instance *loop_by_types(const struct run *run, const struct loops *loops)
{
    struct input_type given[GPUCC_LOOP_OPERANDS];
    size_t count = run->options->input_count;
    const struct choice choice = {.types = loops->types[0], .stride = sizeof *loops->types, .count = loops->count,
                                  .inputs = (int)count};
    for (size_t i = 0; i < count; i++) {
        const struct input *input = &run->options->inputs[i];
        given[i].dtype = (gpucc_dtype)(input->dtype == DTYPE_NONE ? input_usual_dtype(input) : input->dtype);
        given[i].is_number = input->dtype == DTYPE_NONE && given[i].dtype != GPUCC_BOOLEAN; /* as Python's True */
    }
    int k = resolve_loop(&choice, given, casting_of(run->options));
    return k < 0 ? NULL : loops->items[k];
}

/* Numbers alone may be of any type that holds them where no loop takes the types that they have by themselves. */
static const struct instance *loop_by_value(const struct run *run, const struct loops *loops, gpucc_casting casting)
{
    for (int k = 0; k < loops->count; k++)
        if (first_refused(run, loops->items[k], casting) == loops->items[k]->input_count)
            return loops->items[k];
    return NULL;
}

const struct instance *choose_loop(const struct run *run)
{
    size_t inputs = run->candidates[0]->input_count;
    if (run->options->input_count != inputs)
        usage_error("'%s' takes %zu input%s, got %zu; it is %s", run->options->name, inputs, inputs == 1 ? "" : "s",
                    run->options->input_count, all_signatures(run));
    struct loops loops = possible_loops(run);
    if (!loops.count)
        usage_error("--dtype=%s: '%s' has no such loop, but %s", dtype_name(run->options->dtype), run->options->name,
                    all_signatures(run));
    const struct instance *loop = loop_by_types(run, &loops);
    loop = loop ? loop : loop_by_value(run, &loops, casting_of(run->options));
    if (!loop)
        refuse(run, loops.items[0]);
    for (size_t i = 0; i < inputs; i++)
        if (run->options->inputs[i].dtype == DTYPE_NONE && !input_fits(&run->options->inputs[i], loop->inputs[i]))
            refuse_input(run, loop, i);
    return loop;
}

/* ---- outputs that are files while they are made ---- */

enum {
    MAPPED_FROM = 256 << 20,    /* bytes: smaller results are written when they are there */
    CONVERTED_BELOW = 64 << 20, /* smaller inputs are of the loop's types when the call gets them */
};

/* A result's file in memory; null: the call makes the array. */
struct mapped {
    char *memory;
    size_t size;
};

/* Returns the rank of the broadcast shape of inputs and mask; -1 if they do not broadcast, which the call reports. */
static int broadcast_shape(gpucc_array *const *arrays, size_t count, int64_t *shape)
{
    int ndim = 0;
    for (size_t i = 0; i < count; i++)
        ndim = arrays[i] && gpucc_array_ndim(arrays[i]) > ndim ? gpucc_array_ndim(arrays[i]) : ndim;
    for (int d = 0; d < ndim; d++)
        shape[d] = 1;
    for (size_t i = 0; i < count; i++) {
        const int before = arrays[i] ? ndim - gpucc_array_ndim(arrays[i]) : ndim;
        for (int d = before; d < ndim; d++) {
            const int64_t extent = gpucc_array_shape(arrays[i])[d - before];
            if (extent != 1 && shape[d] != 1 && extent != shape[d])
                return -1;
            shape[d] = extent != 1 ? extent : shape[d];
        }
    }
    return ndim;
}

/* A large output of a ufunc goes to its file as it is made, so that it may exceed the machine's memory. */
static gpucc_array *map_output(struct run *run, const char *path, enum dtype dtype, int ndim, const int64_t *shape,
                               struct mapped *mapped)
{
    char header[HOST_ARRAY_HEADROOM];
    struct host_array host;
    gpucc_array *array;
    if (!path || is_text_file(path) || ndim < 0 || !host_array_lay_out(&host, dtype, ndim, shape, false))
        return NULL;
    const size_t start = npy_header(&host, header), size = host_array_size(&host);
    if (size == 0 || (!run->on_host && (run->device.kind != GPUCC_DEVICE_CPU || size < MAPPED_FROM)))
        return NULL;
    *mapped = (struct mapped){map_file(path, start + size), start + size};
    if (!mapped->memory)
        return NULL;
    memcpy(mapped->memory, header, start);
    check(gpucc_array_wrap(run->context, (gpucc_dtype)dtype, ndim, shape, NULL, mapped->memory + start,
                           GPUCC_MEMORY_HOST, &array), path);
    return array;
}

/* ---- the call ---- */

/* A large file is converted by the call, part by part, where that needs no more memory for it. */
static gpucc_array *call_input(struct run *run, struct input *input, enum dtype dtype)
{
    const struct host_array *host = &input->array;
    const bool stays = run->on_host || run->device.kind == GPUCC_DEVICE_CPU;
    const bool by_default = !run->options->casting && run->options->dtype == DTYPE_NONE; /* safe: the same bits */
    const bool is_large = input->kind == INPUT_FILE && host_array_size(host) >= CONVERTED_BELOW;
    return device_array(run, input, stays && is_large && by_default ? host->dtype : dtype);
}

static gpucc_status call(void *data)
{
    struct ufunc_call *call = data;
    return call->outer ? gpucc_ufunc_outer(call->ufunc, call->inputs, call->outputs, &call->how)
                       : gpucc_ufunc_call(call->ufunc, call->inputs, call->outputs, &call->how);
}

uint64_t array_bytes(const gpucc_array *array)
{
    return (uint64_t)gpucc_array_count(array) * gpucc_dtype_size(gpucc_array_dtype(array));
}

gpucc_array *mask_of(struct run *run)
{
    struct input *where = &run->options->where;
    return run->options->has_where ? device_array(run, where, where->dtype == DTYPE_NONE ? DTYPE_boolean : where->dtype)
                                   : NULL;
}

gpucc_array *indices_array(struct run *run)
{
    struct input *indices = &run->options->indices;
    return device_array(run, indices, indices->dtype == DTYPE_NONE ? DTYPE_int64 : indices->dtype);
}

static const char *output_name(const struct instance *loop, size_t k)
{
    if (loop->results_by_value)
        return "out";
    return loop->function->parameters[first_operand(loop) + loop->input_count + k].name;
}

void check_ufunc_options(const struct run *run, size_t outputs)
{
    const struct run_options *options = run->options;
    if (options->has_threads || options->has_grid || options->has_block || options->has_shared)
        usage_error("'%s' is a %s; --threads, --grid, --block and --shared require a kernel", options->name,
                    run->candidates[0]->layout ? "gufunc" : "ufunc");
    for (size_t i = 0; i < options->save_count; i++) {
        options->saves[i].is_variable = is_variable(run, options->saves[i].name);
        if (!options->saves[i].is_variable)
            usage_error("'%s' is a ufunc: save its output by -o (--save is for kernels and variables)", options->name);
    }
    if (options->output_count > outputs)
        usage_error("'%s' has %zu output%s, but -o is given %zu times", options->name, outputs, outputs == 1 ? "" : "s",
                    options->output_count);
    if (options->method == METHOD_OUTER && options->input_count < 2)
        usage_error("--outer requires a ufunc with two or more inputs");
}

static const gpucc_dtype *loop_types(const struct run *run, const struct instance *loop)
{
    gpucc_dtype *types = arena_alloc(run->arena, (loop->input_count + loop->output_count) * sizeof *types);
    for (size_t i = 0; i < loop->input_count; i++)
        types[i] = (gpucc_dtype)loop->inputs[i];
    for (size_t k = 0; k < loop->output_count; k++)
        types[loop->input_count + k] = (gpucc_dtype)loop->outputs[k];
    return types;
}

void run_ufunc(struct run *run)
{
    struct run_options *options = run->options;
    const struct instance *loop = choose_loop(run);
    check_ufunc_options(run, loop->output_count);
    gpucc_array **inputs = arena_alloc(run->arena, (loop->input_count + 1) * sizeof *inputs);
    struct ufunc_call data = {.inputs = (const gpucc_array **)inputs, .outer = options->method == METHOD_OUTER};
    data.outputs = arena_alloc(run->arena, loop->output_count * sizeof *data.outputs);
    check(gpucc_program_ufunc(run->loaded, options->name, &data.ufunc), options->name);
    uint64_t bytes = 0;
    bool is_converted = false;
    for (size_t i = 0; i < loop->input_count; i++) {
        inputs[i] = call_input(run, &options->inputs[i], loop->inputs[i]);
        is_converted = is_converted || gpucc_array_dtype(inputs[i]) != (gpucc_dtype)loop->inputs[i];
        bytes += options->inputs[i].kind == INPUT_NUMBER ? 0 : array_bytes(inputs[i]);
    }
    gpucc_array *mask = mask_of(run);
    data.how = (gpucc_call_options){.size = sizeof data.how, .where = mask, .keepdims = options->keepdims};
    data.how.signature = is_converted ? loop_types(run, loop) : NULL;
    if (options->axis_count == 1) /* of every operand */
        data.how.axis = options->axes;
    else if (options->has_axes)
        data.how.axes = options->axes;
    data.how.axis_count = options->axis_count;
    struct mapped *mapped = arena_alloc(run->arena, loop->output_count * sizeof *mapped);
    int64_t shape[GPUCC_MAX_DIMS];
    inputs[loop->input_count] = mask;
    const int ndim = data.outer || loop->layout ? -1 : broadcast_shape(inputs, loop->input_count + 1, shape);
    for (size_t k = 0; k < loop->output_count; k++)
        data.outputs[k] = map_output(run, output_path(options, k), loop->outputs[k], ndim, shape, &mapped[k]);
    guarded(run, call, &data);
    save_variables(run);
    for (size_t k = 0; k < loop->output_count; k++)
        bytes += array_bytes(data.outputs[k]);
    run->loop = loop;
    run->evaluations = loop->layout || mask ? 0 : (uint64_t)gpucc_array_count(data.outputs[0]);
    measure(run, call, &data, bytes);
    for (size_t k = 0; k < loop->output_count; k++) {
        if (!mapped[k].memory)
            result(run, output_name(loop, k), data.outputs[k], output_path(options, k));
        gpucc_array_release(data.outputs[k]);
        if (mapped[k].memory)
            munmap(mapped[k].memory, mapped[k].size);
    }
    for (size_t i = 0; i < loop->input_count; i++)
        gpucc_array_release(inputs[i]);
    gpucc_array_release(mask);
}
