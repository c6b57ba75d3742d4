/* gpucc run --reduce, --accumulate, --reduceat: a ufunc along axes of one input. */
#include "run/run_internal.h"

struct reduction {
    gpucc_ufunc *ufunc;
    gpucc_array *input, *indices, *output;
    gpucc_reduce_options how;
    gpucc_accumulate_options how_to_accumulate;
    gpucc_reduceat_options how_at;
};

static gpucc_status reduce(void *data)
{
    struct reduction *reduction = data;
    return gpucc_ufunc_reduce(reduction->ufunc, reduction->input, &reduction->output, &reduction->how);
}

static gpucc_status accumulate(void *data)
{
    struct reduction *reduction = data;
    return gpucc_ufunc_accumulate(reduction->ufunc, reduction->input, &reduction->output,
                                  &reduction->how_to_accumulate);
}

static gpucc_status reduceat(void *data)
{
    struct reduction *reduction = data;
    return gpucc_ufunc_reduceat(reduction->ufunc, reduction->input, reduction->indices, &reduction->output,
                                &reduction->how_at);
}

/* By the rule of a call with the input given twice, which by itself converts to --dtype whatever there is, as NumPy's
 * methods do. */
static const struct instance *loop_of_two(struct run *run)
{
    const struct instance *first = run->candidates[0];
    const struct run_options *options = run->options;
    const char *option = options->method_option;
    if (first->input_count != 2 || first->output_count != 1)
        usage_error("%s requires a ufunc with two inputs and one output, but '%s' has %zu input%s and %zu output%s",
                    option, options->name, first->input_count, first->input_count == 1 ? "" : "s",
                    first->output_count, first->output_count == 1 ? "" : "s");
    if (options->input_count != 1)
        usage_error("%s takes one input, got %zu", option, options->input_count);
    struct input both[2] = {options->inputs[0], options->inputs[0]};
    struct run_options twice = *options;
    struct run call = *run;
    twice.inputs = both;
    twice.input_count = 2;
    if (options->dtype != DTYPE_NONE && options->casting == GPUCC_CASTING_DEFAULT)
        twice.casting = GPUCC_CASTING_UNSAFE;
    call.options = &twice;
    const struct instance *loop = choose_loop(&call);
    run->loop = loop;
    if (!loop->folds)
        usage_error(dtype_is_stored(loop->outputs[0])
                        ? "%s of '%s': the type of its loop for this input, %s, has no arithmetic"
                        : "%s requires a loop of one type, but that of '%s' for this input, %s, has several",
                    option, options->name, loop->symbol);
    return loop;
}

static void read_initial(struct run *run, const struct instance *loop, gpucc_array **initial)
{
    _Alignas(16) char value[16];
    const struct run_options *options = run->options;
    if (!options->initial)
        return;
    if (!number_store(&options->initial_number, loop->inputs[0], value))
        usage_error("--initial=%s: %s cannot represent that number", options->initial, dtype_name(loop->inputs[0]));
    check(gpucc_array_scalar(run->context, (gpucc_dtype)loop->inputs[0], value, initial), "--initial");
}

/* Each element but the first of those that make a result, by the fewest steps there are. */
static uint64_t evaluations(const struct reduction *data, bool has_all)
{
    const uint64_t in = (uint64_t)gpucc_array_count(data->input), out = (uint64_t)gpucc_array_count(data->output);
    return has_all || in < out ? in : in - out;
}

static void run_and_report(struct run *run, struct reduction *data, gpucc_status (*work)(void *data))
{
    const struct run_options *options = run->options;
    check(gpucc_program_ufunc(run->loaded, options->name, &data->ufunc), options->name);
    guarded(run, work, data);
    save_variables(run);
    if (work != reduceat)
        run->evaluations = evaluations(data, work == accumulate);
    measure(run, work, data, array_bytes(data->input) + array_bytes(data->output));
    result(run, "out", data->output, output_path(options, 0));
    gpucc_array_release(data->output);
    gpucc_array_release(data->input);
}

/* Returns the options of the command line; release_options() releases their arrays. */
static gpucc_reduce_options reduce_options(struct run *run, const struct instance *loop)
{
    const struct run_options *options = run->options;
    gpucc_array *initial = NULL;
    check_ufunc_options(run, 1);
    read_initial(run, loop, &initial);
    return (gpucc_reduce_options){.size = sizeof(gpucc_reduce_options),
                                  .axes = options->has_axes && !options->all_axes ? options->axes : NULL,
                                  .axis_count = options->all_axes ? GPUCC_ALL_AXES : options->axis_count,
                                  .keepdims = options->keepdims,
                                  .initial = initial,
                                  .where = mask_of(run)};
}

static void release_options(const gpucc_reduce_options *options)
{
    gpucc_array_release((gpucc_array *)(uintptr_t)options->initial);
    gpucc_array_release((gpucc_array *)(uintptr_t)options->where);
}

void run_reduction(struct run *run)
{
    struct run_options *options = run->options;
    const struct instance *loop = loop_of_two(run);
    const gpucc_dtype dtype = (gpucc_dtype)loop->inputs[0];
    struct reduction data = {.how = reduce_options(run, loop)};
    data.input = device_array(run, &options->inputs[0], loop->inputs[0]);
    data.how.dtype = &dtype;
    run_and_report(run, &data, reduce);
    release_options(&data.how);
}

/* ---- fused reductions ---- */

struct fused {
    gpucc_ufunc *reduction;
    gpucc_array **inputs, *output;
    gpucc_reduce_options how;
};

static gpucc_status reduce_fused(void *data)
{
    struct fused *fused = data;
    return gpucc_reduction_call(fused->reduction, (const gpucc_array *const *)fused->inputs, &fused->output,
                                &fused->how);
}

void run_fused_reduction(struct run *run)
{
    struct run_options *options = run->options;
    const struct instance *loop = choose_loop(run);
    struct fused data = {.how = reduce_options(run, loop->by)};
    uint64_t bytes = 0;
    data.inputs = arena_alloc(run->arena, loop->input_count * sizeof *data.inputs);
    for (size_t i = 0; i < loop->input_count; i++) {
        data.inputs[i] = device_array(run, &options->inputs[i], loop->inputs[i]);
        bytes += options->inputs[i].kind == INPUT_NUMBER ? 0 : array_bytes(data.inputs[i]);
    }
    check(gpucc_program_ufunc(run->loaded, options->name, &data.reduction), options->name);
    guarded(run, reduce_fused, &data);
    save_variables(run);
    measure(run, reduce_fused, &data, bytes + array_bytes(data.output));
    result(run, "out", data.output, output_path(options, 0));
    gpucc_array_release(data.output);
    for (size_t i = 0; i < loop->input_count; i++)
        gpucc_array_release(data.inputs[i]);
    release_options(&data.how);
}

void run_accumulation(struct run *run)
{
    struct run_options *options = run->options;
    const struct instance *loop = loop_of_two(run);
    const gpucc_dtype dtype = (gpucc_dtype)loop->inputs[0];
    check_ufunc_options(run, 1);
    struct reduction data = {.input = device_array(run, &options->inputs[0], loop->inputs[0])};
    data.how_to_accumulate = (gpucc_accumulate_options){.size = sizeof data.how_to_accumulate,
                                                        .axis = options->has_axes ? options->axes[0] : 0,
                                                        .dtype = &dtype};
    run_and_report(run, &data, accumulate);
}

void run_reduceat(struct run *run)
{
    struct run_options *options = run->options;
    const struct instance *loop = loop_of_two(run);
    const gpucc_dtype dtype = (gpucc_dtype)loop->inputs[0];
    check_ufunc_options(run, 1);
    struct reduction data = {.input = device_array(run, &options->inputs[0], loop->inputs[0])};
    data.indices = indices_array(run);
    data.how_at = (gpucc_reduceat_options){.size = sizeof data.how_at,
                                           .axis = options->has_axes ? options->axes[0] : 0,
                                           .dtype = &dtype};
    run_and_report(run, &data, reduceat);
    gpucc_array_release(data.indices);
}
