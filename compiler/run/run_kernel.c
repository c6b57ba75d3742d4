/* gpucc run on a kernel: its parameters from inputs, its launch from --threads or --grid, its arrays read back. */
#include "../runtime/base/extent.h"
#include "run/run_internal.h"

#include <stdlib.h>
#include <string.h>

struct argument {
    const struct parameter *parameter;
    struct input *input;
    gpucc_array *array;      /* of a pointer */
    const char *path;        /* where to save it, or null */
    _Alignas(16) char value[16];
};

struct kernel_call {
    struct run *run;
    gpucc_array **arrays; /* of the parameters, or null */
    size_t count;
    const char *symbol;
    gpucc_kernel *kernel;
    gpucc_launch launch;
    void **parameters;
};

/* ---- which instance ---- */

static const char *prototype(struct arena *arena, const struct instance *instance)
{
    struct text text = {.arena = arena};
    text_printf(&text, "%s(", instance->symbol);
    for (size_t i = 0; i < instance->function->parameter_count; i++) {
        const struct parameter *parameter = &instance->function->parameters[i];
        const char *type = parameter->type.spelling;
        text_printf(&text, "%s%s%s%s", i ? ", " : "", type, type[strlen(type) - 1] == '*' ? "" : " ", parameter->name);
    }
    text_printf(&text, ")");
    return text.data;
}

/* Whether the types of the arrays given are those of the instance's pointers. */
static bool matches(const struct run_options *options, const struct instance *instance)
{
    for (size_t i = 0; i < instance->function->parameter_count && i < options->input_count; i++) {
        const struct type *type = &instance->function->parameters[i].type;
        enum dtype given = options->inputs[i].dtype;
        if (type->kind == TYPE_POINTER && type->dtype != DTYPE_NONE && given != DTYPE_NONE && given != type->dtype)
            return false;
    }
    return true;
}

static _Noreturn void no_such_instance(const struct run *run)
{
    struct text text = {.arena = run->arena};
    for (size_t i = 0; i < run->candidate_count; i++)
        text_printf(&text, "%s%s", i ? ", " : "", prototype(run->arena, run->candidates[i]));
    input_error("the dtypes of the arrays match none of %s", text.data);
}

static const struct instance *choose_instance(const struct run *run)
{
    const struct run_options *options = run->options;
    size_t count = run->candidates[0]->function->parameter_count;
    if (options->input_count != count)
        usage_error("'%s' takes %zu parameter%s, got %zu; it is %s", options->name, count, count == 1 ? "" : "s",
                    options->input_count, prototype(run->arena, run->candidates[0]));
    for (size_t i = 0; i < run->candidate_count; i++)
        if (matches(options, run->candidates[i]))
            return run->candidates[i];
    if (run->candidate_count > 1)
        no_such_instance(run);
    return run->candidates[0];
}

/* ---- parameters ---- */

static const char *argument_text(struct arena *arena, const struct input *input)
{
    if (input->kind == INPUT_NUMBER)
        return arena_printf(arena, "the number %s", input->text);
    return arena_printf(arena, "%s", input->text);
}

static _Noreturn void mismatch(const struct run *run, const struct argument *argument, const char *expected,
                               const char *given)
{
    input_error("parameter '%s' of '%s' takes %s, got %s", argument->parameter->name, run->options->name, expected,
                given);
}

static void parse_scalar(struct run *run, struct argument *argument)
{
    enum dtype dtype = argument->parameter->type.dtype;
    struct input *input = argument->input;
    if (input->kind != INPUT_NUMBER)
        mismatch(run, argument, arena_printf(run->arena, "a number (%s)", argument->parameter->type.spelling),
                 argument_text(run->arena, input));
    if (!number_store(&input->number, dtype, argument->value))
        mismatch(run, argument, dtype_name(dtype),
                 arena_printf(run->arena, "%s, which that type cannot hold", input->text));
}

static void parse_map(const struct run *run, struct argument *argument)
{
    const struct type *type = &argument->parameter->type;
    struct input *input = argument->input;
    if (type->kind != TYPE_STRUCT || strcmp(type->spelling, "struct gpucc_tensor_map"))
        mismatch(run, argument, arena_printf(run->arena, "a '%s'", type->spelling), "a tensor map");
    input_make(input, DTYPE_NONE);
    if (input->array.ndim != input->box_count)
        mismatch(run, argument, arena_printf(run->arena, "an array of %d dimensions, as its box has", input->box_count),
                 input->text);
}

/* By value: the bytes of an array. */
static void parse_struct(struct run *run, struct argument *argument)
{
    const struct type *type = &argument->parameter->type;
    struct input *input = argument->input;
    const char *expected = arena_printf(run->arena, "the %zu bytes of a '%s'", type->size, type->spelling);
    if (input->kind == INPUT_NUMBER || input->dtype == DTYPE_NONE)
        mismatch(run, argument, expected, argument_text(run->arena, input));
    input_make(input, DTYPE_NONE);
    if (host_array_size(&input->array) != type->size)
        mismatch(run, argument, expected, arena_printf(run->arena, "%zu bytes (%s)", host_array_size(&input->array),
                                                       input->text));
}

struct scalars {
    const struct argument *arguments;
    size_t count;
};

static bool scalar_value(void *data, const char *name, size_t length, int64_t *value)
{
    const struct scalars *scalars = data;
    for (size_t i = 0; i < scalars->count; i++) {
        const struct argument *argument = &scalars->arguments[i];
        const struct number *number = &argument->input->number;
        if (strlen(argument->parameter->name) != length || memcmp(argument->parameter->name, name, length))
            continue;
        *value = (int64_t)number->magnitude;
        return argument->input->kind == INPUT_NUMBER && number->kind == NUMBER_INTEGER && !number->negative &&
               number->magnitude <= INT64_MAX;
    }
    return false;
}

/* If all extents of `float a[nx][ny]` are known, the array must have as many elements. */
static void check_extents(const struct run *run, const struct argument *arguments, size_t count,
                          const struct argument *argument)
{
    const struct type *type = &argument->parameter->type;
    int64_t shape[GPUCC_MAX_DIMS], bytes = (int64_t)type->element_size;
    size_t given = host_array_size(&argument->input->array);
    if (!type->dimension_count || type->dimension_count > GPUCC_MAX_DIMS)
        return;
    for (size_t d = 0; d < type->dimension_count; d++) {
        if (!extent_value(type->dimensions[d], scalar_value, &(struct scalars){arguments, count}, &shape[d]) ||
            __builtin_mul_overflow(bytes, shape[d], &bytes))
            return;
    }
    if ((size_t)bytes != given)
        mismatch(run, argument,
                 arena_printf(run->arena, "an array of shape %s, %lld bytes",
                              shape_spelling(run->arena, (int)type->dimension_count, shape), (long long)bytes),
                 arena_printf(run->arena, "%zu bytes (%s)", given, argument->input->text));
}

static void parse_pointer(struct run *run, struct argument *argument)
{
    const struct type *type = &argument->parameter->type;
    struct input *input = argument->input;
    enum dtype dtype = input->dtype != DTYPE_NONE ? input->dtype : type->dtype;
    if (input->kind == INPUT_NUMBER)
        mismatch(run, argument, arena_printf(run->arena, "an array (%s)", type->spelling),
                 argument_text(run->arena, input));
    if (dtype == DTYPE_NONE || !input_fits(input, dtype))
        dtype = input_usual_dtype(input);
    if (type->dtype != DTYPE_NONE && dtype != type->dtype)
        mismatch(run, argument, dtype_name(type->dtype),
                 arena_printf(run->arena, "%s (%s)", dtype_name(dtype), input->text));
    input_make(input, dtype);
    size_t size = host_array_size(&input->array);
    if (type->dtype == DTYPE_NONE && type->element_size && size % type->element_size)
        mismatch(run, argument, arena_printf(run->arena, "a '%s', a multiple of %zu bytes", type->spelling,
                                             type->element_size),
                 arena_printf(run->arena, "%zu bytes (%s)", size, input->text));
}

/* Checked all of them before any is copied to the device. */
static void parse_arguments(struct run *run, struct argument *arguments, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (arguments[i].input->box_count) {
            parse_map(run, &arguments[i]);
            continue;
        }
        switch (arguments[i].parameter->type.kind) {
        case TYPE_SCALAR: parse_scalar(run, &arguments[i]); break;
        case TYPE_POINTER: parse_pointer(run, &arguments[i]); break;
        default: parse_struct(run, &arguments[i]);
        }
    }
    for (size_t i = 0; i < count; i++)
        if (arguments[i].parameter->type.kind == TYPE_POINTER)
            check_extents(run, arguments, count, &arguments[i]);
}

/* The tensor map of an input, whose array is on the device then. */
static void *device_map(struct run *run, struct argument *argument)
{
    struct input *input = argument->input;
    gpucc_tensor_map *map = arena_alloc(run->arena, 2 * sizeof *map); /* the second half: its alignment */
    map = (gpucc_tensor_map *)(((uintptr_t)map + _Alignof(gpucc_tensor_map) - 1) & -_Alignof(gpucc_tensor_map));
    argument->array = device_array(run, input, input->array.dtype);
    if (gpucc_tensor_map_make(argument->array, input->box, input->swizzle, map))
        input_error("%s", gpucc_last_error());
    return map;
}

/* The pointers that the launch takes, with the arrays on the device. */
static void **parameter_list(struct run *run, struct argument *arguments, size_t count, uint64_t *bytes)
{
    void **list = arena_alloc(run->arena, (count + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++) {
        struct argument *argument = &arguments[i];
        list[i] = argument->value;
        if (argument->input->box_count) {
            *bytes += host_array_size(&argument->input->array);
            list[i] = device_map(run, argument);
        } else if (argument->parameter->type.kind == TYPE_POINTER) {
            *bytes += host_array_size(&argument->input->array);
            argument->array = device_array(run, argument->input, argument->input->array.dtype);
            memcpy(argument->value, &(void *){gpucc_array_data(argument->array)}, sizeof(void *));
        } else if (argument->parameter->type.kind != TYPE_SCALAR) {
            list[i] = argument->input->array.data;
        }
    }
    return list;
}

/* ---- outputs ---- */

static bool is_output(const struct argument *argument)
{
    return argument->parameter->type.kind == TYPE_POINTER && !argument->parameter->type.is_const;
}

static const char *output_list(const struct run *run, const struct argument *arguments, size_t count)
{
    struct text text = {.arena = run->arena};
    for (size_t i = 0; i < count; i++)
        if (is_output(&arguments[i]))
            text_printf(&text, "%s%s", text.size ? ", " : "", arguments[i].parameter->name);
    return text.size ? text.data : "none";
}

static void assign_path(const struct run *run, struct argument *argument, const char *path)
{
    if (argument->path)
        usage_error("parameter '%s' of '%s' is saved twice: to '%s' and to '%s'", argument->parameter->name,
                    run->options->name, argument->path, path);
    argument->path = path;
}

/* --save by name, unless it is a variable's; -o in the order of the arrays that the kernel may write. */
static void assign_paths(const struct run *run, struct argument *arguments, size_t count)
{
    const struct run_options *options = run->options;
    for (size_t k = 0; k < options->save_count; k++) {
        const char *wanted = options->saves[k].name;
        size_t i = 0;
        while (i < count && (!is_output(&arguments[i]) || strcmp(arguments[i].parameter->name, wanted)))
            i++;
        options->saves[k].is_variable = i == count && is_variable(run, wanted);
        if (i == count && !options->saves[k].is_variable)
            usage_error("--save: '%s' does not write an array '%s'; it may write: %s; variables of the program: %s",
                        options->name, wanted, output_list(run, arguments, count), variable_list(run));
        if (i < count)
            assign_path(run, &arguments[i], options->saves[k].path);
    }
    size_t k = 0;
    for (size_t i = 0; i < count; i++) {
        const char *path = is_output(&arguments[i]) ? output_path(options, k++) : NULL;
        if (path)
            assign_path(run, &arguments[i], path);
    }
    if (k < options->output_count)
        usage_error("'%s' writes %zu array%s, but -o is given %zu times", options->name, k, k == 1 ? "" : "s",
                    options->output_count);
}

/* ---- the launch ---- */

static gpucc_status launch(void *data)
{
    struct kernel_call *call = data;
    return gpucc_kernel_launch(call->kernel, &call->launch, call->parameters);
}

static gpucc_status find_and_launch(void *data)
{
    struct kernel_call *call = data;
    gpucc_status status = gpucc_program_kernel(call->run->loaded, call->symbol, &call->kernel);
    return status ? status : launch(call);
}

static gpucc_status first_launch(void *data)
{
    struct kernel_call *call = data;
    return call->run->options->checked ? launch_checked(call->run, find_and_launch, call, call->arrays, call->count)
                                       : find_and_launch(call);
}

static void set_launch(const struct run_options *options, gpucc_launch *launch)
{
    const char *foreign = options->method_option ? options->method_option
                          : options->has_where   ? "--where"
                          : options->dtype != DTYPE_NONE ? "--dtype" : NULL;
    if (foreign)
        usage_error("'%s' is a kernel; %s is supported for ufuncs only", options->name, foreign);
    if (!options->has_threads && !options->has_grid)
        usage_error("'%s' is a kernel: set its threads by --threads=N, or by --grid=N and --block=N",
                    options->name);
    launch->size = sizeof *launch;
    launch->shared = options->shared;
    for (int d = 0; d < 3; d++) {
        launch->threads[d] = options->has_threads ? options->threads[d] : 0;
        launch->grid[d] = options->has_grid ? (uint32_t)options->grid[d] : 0;
        launch->block[d] = options->has_block ? (uint32_t)options->block[d] : 0;
    }
    if (!launch->threads[1] || !launch->threads[2])
        launch->threads[0] = 0; /* none in one dimension are none at all, where the runtime takes 0 for unused */
}

void run_kernel(struct run *run)
{
    struct run_options *options = run->options;
    const struct instance *instance = choose_instance(run);
    struct kernel_call call = {0};
    set_launch(options, &call.launch);
    size_t count = instance->function->parameter_count;
    struct argument *arguments = arena_alloc(run->arena, (count + 1) * sizeof *arguments);
    for (size_t i = 0; i < count; i++) {
        arguments[i].parameter = &instance->function->parameters[i];
        arguments[i].input = &options->inputs[i];
    }
    assign_paths(run, arguments, count);
    parse_arguments(run, arguments, count);
    uint64_t bytes = 0;
    call.parameters = parameter_list(run, arguments, count, &bytes);
    call.run = run;
    call.symbol = instance->symbol;
    call.count = count;
    call.arrays = arena_alloc(run->arena, (count + 1) * sizeof(gpucc_array *));
    for (size_t i = 0; i < count; i++)
        call.arrays[i] = arguments[i].array;
    guarded(run, first_launch, &call);
    /* Results first: each timed launch works on what the one before left. */
    for (size_t i = 0; i < count; i++)
        if (is_output(&arguments[i]))
            result(run, arguments[i].parameter->name, arguments[i].array, arguments[i].path);
    save_variables(run);
    measure(run, launch, &call, bytes);
    for (size_t i = 0; i < count; i++)
        gpucc_array_release(arguments[i].array);
}
