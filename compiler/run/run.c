/* gpucc run: compile in memory, run one function on real data, save or summarise what comes out. */
#define _XOPEN_SOURCE 700
#include "run/run_internal.h"

#include <gpucc/program.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void check(gpucc_status status, const char *what)
{
    const char *reason = gpucc_last_error(), *separator = ": ";
    size_t length = strlen(what);
    if (!strncmp(reason, what, length) && strchr(":_,", reason[length]))
        what = separator = ""; /* the message names it already, or its entry */
    switch (status) {
    case GPUCC_OK: return;
    case GPUCC_BAD_SHAPE:
    case GPUCC_BAD_AXIS:
    case GPUCC_BAD_INDEX:
    case GPUCC_BAD_NUMBER:
    case GPUCC_BAD_TYPE: input_error("%s%s%s", what, separator, reason);
    case GPUCC_INVALID_ARGUMENT:
    case GPUCC_BAD_LAUNCH: usage_error("%s%s%s", what, separator, reason);
    default: fatal("%s%s%s", what, separator, reason);
    }
}

/* ---- the device, and what to compile for it ---- */

static void choose_device(struct run *run)
{
    struct options *compile = &run->options->compile;
    const char *device = run->options->device;
    run->device.size = sizeof run->device;
    check(gpucc_device_query(device, &run->device), arena_printf(run->arena, "--device=%s", device ? device : "auto"));
    if (run->device.kind == GPUCC_DEVICE_CPU && !compile->counts)
        compile->arch_count = 0; /* no PTX: nothing here would read it */
    else if (!run->options->arch_given)
        compile->archs[0] = own_arch(run->device.arch); /* may use all that the device has */
}

/* Parts of a call whose arrays stay on the host. */
static void show_part(void *data, uint64_t done, uint64_t parts)
{
    const struct run *run = data;
    if (done == 1)
        progress_begin(run->options->name, parts);
    progress_add(1);
    if (done == parts)
        progress_end();
}

/* Arrays stay on the host if several devices share the call, or if it exceeds one device's memory. */
static bool stays_on_host(const struct run *run)
{
    size_t bytes = 0;
    const struct run_options *options = run->options;
    const bool is_cut = options->method != METHOD_REDUCEAT && options->method != METHOD_AT;
    for (size_t i = 0; i < options->input_count; i++) {
        const struct input *input = &options->inputs[i];
        const size_t size = dtype_size(input->dtype == DTYPE_NONE ? DTYPE_float64 : input->dtype);
        bytes += input->kind == INPUT_NUMBER ? 0 : host_array_count(&input->array) * size;
    }
    return has_loops(run->candidates[0]) && is_cut && gpucc_context_in_parts(run->context, bytes);
}

static void create_context(struct run *run)
{
    const gpucc_context_options options = {
        .size = sizeof options, .device = run->options->device, .progress = show_part, .progress_data = run};
    check(gpucc_context_create(&options, &run->context), run->device.name);
    run->on_host = run->device.kind == GPUCC_DEVICE_CUDA && stays_on_host(run);
}

/* ---- the function ---- */

static const char *kind_name(enum function_kind kind)
{
    static const char *const names[] = {"ufunc", "gufunc", "kernel", "device function"};
    return names[kind];
}

/* Returns the name by which the user calls the instance: kernels of several types have a name for each. */
static const char *callable_name(const struct instance *instance)
{
    return instance->function->kind == FUNCTION_KERNEL ? instance->symbol : instance->function->name;
}

struct name_list {
    const char **names;
    size_t count;
    struct text text; /* "trig (ufunc), diffuse (kernel)" */
};

static void list_name(struct name_list *list, const struct instance *instance)
{
    const char *name = callable_name(instance);
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->names[i], name))
            return;
    list->names = arena_grow(list->text.arena, list->names, list->count, sizeof *list->names);
    list->names[list->count++] = name;
    text_printf(&list->text, "%s%s (%s)", list->count > 1 ? ", " : "", name, kind_name(instance->function->kind));
}

static struct name_list list_names(const struct run *run)
{
    struct name_list list = {.text = {.arena = run->arena}};
    text_append(&list.text, "", 0);
    for (size_t i = 0; i < run->program->written_count; i++)
        list_name(&list, written_instance(run->program, i));
    return list;
}

static _Noreturn void no_such_function(const struct run *run)
{
    const char *name = run->options->name, *file = run->options->compile.inputs[0];
    struct name_list list = list_names(run);
    if (!list.count)
        usage_error("no function to run in %s: none is marked vectorize or kernel", file);
    if (!name)
        usage_error("which function of %s? It has: %s", file, list.text.data);
    const char *near = nearest(name, strlen(name), list.names, list.count);
    usage_error("no function '%s' in %s%s%s%s It has: %s", name, file, near ? "; did you mean '" : ".",
                near ? near : "", near ? "'?" : "", list.text.data);
}

/* Checks which options suit ufuncs and which suit gufuncs. A fused reduction takes all options of reductions. */
static void check_axes(const struct run_options *options, bool is_gufunc, bool is_reduction)
{
    if (is_reduction && options->method != METHOD_CALL)
        usage_error("'%s' is a fused reduction; %s is supported for ufuncs only",
                    options->name, options->method_option);
    if (is_reduction)
        return;
    if (options->method == METHOD_CALL && options->initial)
        usage_error("--initial requires --reduce");
    if (is_gufunc && (options->method_option || options->has_where))
        usage_error("'%s' is a gufunc; %s is supported for ufuncs only", options->name,
                    options->method_option ? options->method_option : "--where");
    if (options->method >= METHOD_REDUCE && options->method != METHOD_AT)
        return;
    if (options->all_axes)
        usage_error("--axis=all requires --reduce");
    if (!is_gufunc && (options->has_axes || options->keepdims))
        usage_error("--axis requires --reduce, --accumulate, --reduceat or a gufunc; --keepdims requires --reduce or a "
                    "gufunc");
}

static void find_function(struct run *run)
{
    const char *name = run->options->name;
    for (size_t i = 0; name && i < run->program->written_count; i++) {
        const struct instance *instance = written_instance(run->program, i);
        if (!is_called(instance->function, instance->symbol, name))
            continue;
        run->candidates = arena_grow(run->arena, run->candidates, run->candidate_count, sizeof *run->candidates);
        run->candidates[run->candidate_count++] = instance;
    }
    if (!run->candidate_count)
        no_such_function(run);
    enum function_kind kind = run->candidates[0]->function->kind;
    check_axes(run->options, kind == FUNCTION_GUFUNC, run->candidates[0]->by != NULL);
    if (kind == FUNCTION_DEVICE)
        usage_error("'%s' is a device function; gpucc run supports ufuncs and kernels", name);
}

/* ---- what ufuncs and kernels have in common ---- */

static void convert_input(struct input *input, enum dtype dtype)
{
    struct host_array converted = {0}, *array = &input->array;
    if (!host_array_lay_out(&converted, dtype, array->ndim, array->shape, !host_array_is_contiguous(array)))
        input_error("'%s' as %s exceeds the address space", input->text, dtype_name(dtype));
    host_array_allocate(&converted, input->text);
    elements_convert(dtype, converted.data, array->dtype, array->data, host_array_count(array));
    host_array_free(array);
    *array = converted;
}

gpucc_array *device_array(struct run *run, struct input *input, enum dtype dtype)
{
    struct host_array *host = &input->array;
    gpucc_array *array;
    if (input->kind == INPUT_NUMBER) {
        _Alignas(16) char value[16];
        number_store(&input->number, dtype, value);
        check(gpucc_array_scalar(run->context, (gpucc_dtype)dtype, value, &array), input->text);
        return array;
    }
    input_make(input, dtype);
    gpucc_dtype type = (gpucc_dtype)dtype;
    if (host->dtype != dtype)
        convert_input(input, dtype);
    if (run->on_host) {
        check(gpucc_array_wrap(run->context, type, host->ndim, host->shape, host->strides, host->data,
                               GPUCC_MEMORY_HOST, &array), input->text);
        return array;
    }
    if (input->is_empty && run->options->checked) {
        check(gpucc_array_create(run->context, type, host->ndim, host->shape, &array), input->text);
        return array;
    }
    if (run->device.kind == GPUCC_DEVICE_CPU && host_array_is_contiguous(host)) {
        check(gpucc_array_wrap(run->context, type, host->ndim, host->shape, NULL, host->data, GPUCC_MEMORY_DEVICE,
                               &array), input->text);
    } else {
        check(gpucc_array_from_host(run->context, type, host->ndim, host->shape, host->strides, host->data, &array),
              input->text);
        host_array_free(host);
    }
    return array;
}

static char guarded_name[101];
static bool guarded_ended;

/* ---- of a signal handler ---- */

static void on_crash(int number)
{
    static char message[256];
    static const char *const what[] = {[SIGABRT] = "called abort()", [SIGFPE] = "divided by zero",
                                       [SIGSEGV] = "touched memory outside its arrays, or has more local variables "
                                                   "than its stack holds (GPUCC_CPU_STACK)",
                                       [SIGBUS] = "touched memory outside its arrays",
                                       [SIGILL] = "reached a trap (a failed assertion?)",
                                       [SIGTRAP] = "reached a breakpoint() without a debugger"};
    crash_begin();
    int length = snprintf(message, sizeof message, "gpucc: error: %s'%s' %s\n",
                          guarded_ended ? "memory is damaged: " : "", guarded_name,
                          guarded_ended ? "probably wrote outside its arrays" : what[number]);
    ssize_t written = write(STDERR_FILENO, message, (size_t)length);
    (void)written;
    discard_files();
    leave_last_words();
    _exit(EXIT_INPUT);
}

static unsigned time_limit; /* seconds; 0: none */

static void on_time_limit(int number)
{
    static char message[384];
    (void)number;
    crash_begin();
    const int length = snprintf(message, sizeof message,
                                "gpucc: error: '%s' did not return within %u s; if its time grows with an integer "
                                "input, bound them with --integers=N, else set a longer limit with --time=SECONDS\n",
                                guarded_name, time_limit);
    const ssize_t written = write(STDERR_FILENO, message, (size_t)length);
    (void)written;
    discard_files();
    leave_last_words();
    _exit(EXIT_INPUT);
}

void guard_time(unsigned seconds)
{
    const struct sigaction action = {.sa_handler = on_time_limit};
    time_limit = seconds;
    sigaction(SIGALRM, &action, NULL);
}

void guard(const char *name)
{
    static const int numbers[] = {SIGABRT, SIGFPE, SIGSEGV, SIGBUS, SIGILL, SIGTRAP};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_NODEFER};
    snprintf(guarded_name, sizeof guarded_name, "%s", name);
    guarded_ended = false;
    for (int i = 0; i < COUNT; i++)
        sigaction(numbers[i], &action, NULL);
    alarm(time_limit);
}

void guarded(struct run *run, gpucc_status (*work)(void *data), void *data)
{
    if (run->device.kind == GPUCC_DEVICE_CPU)
        guard(run->options->name);
    watch_run(run);
    gpucc_status status = work(data);
    if (!status)
        status = gpucc_context_synchronize(run->context);
    guarded_ended = true;
    end_if_faulty(run);
    if (status == GPUCC_DEVICE_ERROR && run->device.kind == GPUCC_DEVICE_CPU)
        input_error("%s", gpucc_last_error()); /* what the function itself did wrong: nothing else fails there */
    check(status, run->options->name);
}

/* ---- the command ---- */

const struct gpucc_program_image *describe_images(const struct run *run)
{
    const struct program *program = run->program;
    struct gpucc_image *images = arena_alloc(run->arena, (program->image_count + 1) * sizeof *images);
    struct gpucc_program_image *descriptor = arena_alloc(run->arena, sizeof *descriptor);
    for (size_t i = 0; i < program->image_count; i++)
        images[i] = (struct gpucc_image){(uint32_t)arch_capability(program->images[i].arch),
                                         (uint32_t)program->images[i].isa, program->images[i].text.data,
                                         program->images[i].text.size};
    *descriptor = (struct gpucc_program_image){
        .version = GPUCC_PROGRAM_VERSION,
        .image_count = (uint32_t)program->image_count,
        .abi = program->abi,
        .name = program->source,
        .manifest = program->made[ARTEFACT_JSON].data,
        .manifest_size = program->made[ARTEFACT_JSON].size,
        .images = images,
    };
    return descriptor;
}

static void run_method(struct run *run)
{
    switch (run->options->method) {
    case METHOD_CALL:
    case METHOD_OUTER: run_ufunc(run); break;
    case METHOD_REDUCE: run_reduction(run); break;
    case METHOD_ACCUMULATE: run_accumulation(run); break;
    case METHOD_REDUCEAT: run_reduceat(run); break;
    case METHOD_AT: run_at(run); break;
    }
}

void load_program(struct run *run)
{
    gpucc_program_release(run->loaded);
    if (run->jit)
        jit_free(run->jit);
    const bool debugs = run->options->compile.debug != DEBUG_NONE;
    run->jit = run->device.kind == GPUCC_DEVICE_CPU ? jit_load(run->program->made[ARTEFACT_OBJECT], debugs) : NULL;
    const struct gpucc_program_image *image =
        run->jit ? jit_symbol(run->jit, arena_printf(run->arena, "gpucc_program_%s", run->program->stem))
                 : describe_images(run);
    check(gpucc_program_load(run->context, image, &run->loaded), run->options->compile.inputs[0]);
    set_variables(run);
}

static void run_program(struct run *run)
{
    create_context(run);
    load_program(run);
    if (run->candidates[0]->by)
        run_fused_reduction(run);
    else if (has_loops(run->candidates[0]))
        run_method(run);
    else
        run_kernel(run);
    gpucc_context_destroy(run->context);
    if (run->jit)
        jit_free(run->jit);
}

int command_run(int argc, char **argv)
{
    struct run_options options;
    run_options_parse(&options, argc, argv);
    struct run run = {.options = &options, .arena = options.compile.arena};
    prepare_check(&options);
    choose_device(&run);
    for (size_t i = 0; i < options.input_count; i++)
        input_open(&options.inputs[i]);
    for (size_t i = 0; i < options.set_count; i++)
        input_open(&options.sets[i].input);
    if (options.method == METHOD_REDUCEAT || options.method == METHOD_AT)
        input_open(&options.indices);
    if (options.has_where)
        input_open(&options.where);
    options.compile.only = options.name;
    enum artefact code = run.device.kind == GPUCC_DEVICE_CPU ? ARTEFACT_OBJECT : ARTEFACT_PTX;
    run.program = compile(&options.compile, options.name ? 1u << code : 0);
    if (!run.program)
        return EXIT_INPUT;
    find_function(&run);
    check_variables(&run);
    run_program(&run);
    commit_files();
    for (size_t i = 0; i < options.input_count; i++)
        host_array_free(&options.inputs[i].array);
    for (size_t i = 0; i < options.set_count; i++)
        host_array_free(&options.sets[i].input.array);
    finish_standard_output();
    sources_free(options.compile.sources);
    arena_free(options.compile.arena);
    return EXIT_OK;
}
