/* gpucc run: the program's variables, set before the function runs and saved when it has. */
#include "run/run_internal.h"

#include <string.h>

static const struct global *find_variable(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->program->global_count; i++)
        if (!strcmp(run->program->globals[i].name, name))
            return &run->program->globals[i];
    return NULL;
}

bool is_variable(const struct run *run, const char *name)
{
    return find_variable(run, name) != NULL;
}

const char *variable_list(const struct run *run)
{
    struct text list = {.arena = run->arena};
    for (size_t i = 0; i < run->program->global_count; i++)
        text_printf(&list, "%s%s", i ? ", " : "", run->program->globals[i].name);
    return list.size ? list.data : "none";
}

static _Noreturn void no_such_variable(const struct run *run, const char *name)
{
    const struct program *program = run->program;
    const char **names = arena_alloc(run->arena, (program->global_count + 1) * sizeof *names);
    for (size_t i = 0; i < program->global_count; i++)
        names[i] = program->globals[i].name;
    const char *near = nearest(name, strlen(name), names, program->global_count);
    usage_error("--set: the program has no variable '%s'%s%s%s Host-visible variables: %s", name,
                near ? "; did you mean '" : ".", near ? near : "", near ? "'?" : "", variable_list(run));
}

void check_variables(const struct run *run)
{
    const struct run_options *options = run->options;
    for (size_t i = 0; i < options->set_count; i++) {
        if (!is_variable(run, options->sets[i].variable))
            no_such_variable(run, options->sets[i].variable);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(options->sets[k].variable, options->sets[i].variable))
                usage_error("variable '%s' is set twice: to '%s' and to '%s'", options->sets[i].variable,
                            options->sets[k].input.text, options->sets[i].input.text);
    }
}

/* ---- setting ---- */

struct variable {
    const struct global *global;
    gpucc_array *array;
    size_t size; /* bytes */
};

static _Noreturn void mismatch(const struct variable *variable, const char *expected, const char *given)
{
    input_error("variable '%s' takes %s, got %s", variable->global->name, expected, given);
}

static struct variable open_variable(const struct run *run, const char *name)
{
    struct variable variable = {.global = find_variable(run, name)};
    check(gpucc_program_global(run->loaded, name, &variable.array), name);
    variable.size = (size_t)array_bytes(variable.array);
    return variable;
}

static const char *expected_array(const struct run *run, const struct variable *variable)
{
    return arena_printf(
        run->arena, "an array of shape %s, %zu bytes",
        shape_spelling(run->arena, gpucc_array_ndim(variable->array), gpucc_array_shape(variable->array)),
        variable->size);
}

static void set_number(const struct run *run, const struct variable *variable, const struct input *input)
{
    _Alignas(16) char value[16];
    enum dtype dtype = variable->global->type.dtype;
    if (dtype == DTYPE_NONE || gpucc_array_count(variable->array) != 1)
        mismatch(variable, expected_array(run, variable), arena_printf(run->arena, "the number %s", input->text));
    if (!number_store(&input->number, dtype, value))
        mismatch(variable, dtype_name(dtype), arena_printf(run->arena, "%s, which that type cannot hold", input->text));
    check(gpucc_array_write(variable->array, value, variable->size), variable->global->name);
}

/* As a kernel's pointer takes it: any array of its bytes, where the elements are no dtype. */
static void set_array(struct run *run, const struct variable *variable, struct input *input)
{
    const enum dtype dtype = variable->global->type.dtype;
    enum dtype given = input->dtype != DTYPE_NONE ? input->dtype : dtype;
    if (given == DTYPE_NONE || !input_fits(input, given))
        given = input_usual_dtype(input);
    if (dtype != DTYPE_NONE && given != dtype)
        mismatch(variable, dtype_name(dtype), arena_printf(run->arena, "%s (%s)", dtype_name(given), input->text));
    input_make(input, given);
    if (host_array_size(&input->array) != variable->size)
        mismatch(variable, expected_array(run, variable),
                 arena_printf(run->arena, "%zu bytes (%s)", host_array_size(&input->array), input->text));
    gpucc_array *values = device_array(run, input, given);
    char *bytes = arena_alloc(run->arena, variable->size); /* in C order, whatever the file's was */
    check(gpucc_array_read(values, bytes, variable->size), input->text);
    check(gpucc_array_write(variable->array, bytes, variable->size), variable->global->name);
    gpucc_array_release(values);
}

void set_variables(struct run *run)
{
    for (size_t i = 0; i < run->options->set_count; i++) {
        struct variable_setting *setting = &run->options->sets[i];
        struct variable variable = open_variable(run, setting->variable);
        if (setting->input.kind == INPUT_NUMBER)
            set_number(run, &variable, &setting->input);
        else
            set_array(run, &variable, &setting->input);
        gpucc_array_release(variable.array);
    }
}

/* ---- saving ---- */

void save_variables(struct run *run)
{
    for (size_t i = 0; i < run->options->save_count; i++) {
        const struct save *save = &run->options->saves[i];
        if (!save->is_variable)
            continue;
        struct variable variable = open_variable(run, save->name);
        result(run, save->name, variable.array, save->path);
        gpucc_array_release(variable.array);
    }
}
