/* The command lines of `gpucc run` and `gpucc bench`. */
#include "../runtime/base/resolve.h"
#include "command/subcommand.h"
#include "run/run_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum option_id {
#define RUN_OPTION(id, command, spelling, value, argument, help) RUN_##id,
#include "run/run_options.def"
};

/* An option of the other command has no spelling. */
#define IN_RUN_RUN(...) {__VA_ARGS__},
#define IN_RUN_BENCH(...) {0},
#define IN_RUN_BOTH(...) {__VA_ARGS__},
#define IN_BENCH_RUN(...) {0},
#define IN_BENCH_BENCH(...) {__VA_ARGS__},
#define IN_BENCH_BOTH(...) {__VA_ARGS__},

static const struct subcommand_option run_list[] = {
#define RUN_OPTION(id, command, spelling, value, argument, help) IN_RUN_##command(spelling, argument, help, value)
#include "run/run_options.def"
};

static const struct subcommand_option bench_list[] = {
#define RUN_OPTION(id, command, spelling, value, argument, help) IN_BENCH_##command(spelling, argument, help, value)
#include "run/run_options.def"
};

enum { OPTION_COUNT = sizeof run_list / sizeof *run_list, DEFAULT_REPEATS = 20 };

static void introduce_options(void)
{
    puts("\nAn input, for each parameter in its order, is one of");
#define INPUT(form, help) printf("  %-26s %s\n", form, help);
#include "run/input_forms.def"
    puts("\nOptions, besides the compiler's ('gpucc --help')");
}

/* ---- values ---- */

static uint64_t parse_whole(const char *option, const char *text, uint64_t low, uint64_t high, const char **end)
{
    char *stop;
    errno = 0;
    unsigned long long number = strtoull(text, &stop, 10);
    if (*text < '0' || *text > '9' || (*stop && !end))
        usage_error("%s expects an integer, not '%s'", option, text);
    if (errno || number < low || number > high)
        usage_error("%s expects numbers from %llu to %llu, not '%s'", option, (unsigned long long)low,
                    (unsigned long long)high, text);
    if (end)
        *end = stop;
    return number;
}

/* 1920x1080: x first, as in CUDA */
static void parse_extents(const char *option, const char *text, uint64_t low, uint64_t high, uint64_t extents[3])
{
    const char *at = text;
    for (int d = 0; d < 3; d++)
        extents[d] = 1;
    for (int d = 0; d < 3; d++) {
        extents[d] = parse_whole(option, at, low, high, &at);
        if (!*at)
            return;
        if (*at++ != 'x')
            break;
    }
    usage_error("%s expects up to three numbers such as 64x8x4, not '%s'", option, text);
}

/* A suffix that belongs to another format is more likely a mistake than a name for a .npy file. */
static void check_result_name(const char *option, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *suffix = strrchr(name, '.');
    if (suffix && suffix > name && strcmp(suffix, ".npy") && !is_text_file(name))
        usage_error("unknown suffix in '%s %s'; results are saved as .npy, .csv or .txt", option, path);
}

static void add_output(struct run_options *options, const char *path)
{
    if (!*path)
        usage_error("-o needs a file name");
    options->outputs = arena_grow(options->compile.arena, options->outputs, options->output_count,
                                  sizeof *options->outputs);
    options->outputs[options->output_count++] = path;
}

/* NAME=VALUE; what stands behind the '=' is *value. */
static const char *split_name(const struct run_options *options, const char *option, const char *usage,
                              const char *text, const char **value)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        usage_error("%s takes %s, not '%s'", option, usage, text);
    *value = equals + 1;
    return arena_strndup(options->compile.arena, text, (size_t)(equals - text));
}

static void add_save(struct run_options *options, const char *text)
{
    struct save save = {0};
    save.name = split_name(options, "--save", "NAME=OUT.npy", text, &save.path);
    options->saves = arena_grow(options->compile.arena, options->saves, options->save_count, sizeof *options->saves);
    options->saves[options->save_count++] = save;
}

static void add_setting(struct run_options *options, const char *text)
{
    struct variable_setting setting;
    const char *value;
    setting.variable = split_name(options, "--set", "NAME=INPUT", text, &value);
    input_parse(&setting.input, value, options->set_count, options->compile.arena);
    options->sets = arena_grow(options->compile.arena, options->sets, options->set_count, sizeof *options->sets);
    options->sets[options->set_count++] = setting;
}

static gpucc_casting parse_casting(const char *text)
{
    for (gpucc_casting casting = GPUCC_CASTING_NO; casting <= GPUCC_CASTING_UNSAFE; casting++)
        if (!strcmp(casting_name(casting), text))
            return casting;
    usage_error("--casting does not take '%s'; it takes: no equiv safe same_kind unsafe", text);
}

/* "0,-2" or "all" */
static void parse_axes(struct run_options *options, const char *text)
{
    options->has_axes = true;
    options->axis_count = 0;
    options->all_axes = !strcmp(text, "all");
    for (const char *at = text; !options->all_axes;) {
        char *end;
        errno = 0;
        long axis = strtol(at, &end, 10);
        if (end == at || (*end && *end != ',') || errno || labs(axis) > GPUCC_MAX_DIMS)
            usage_error("--axis expects axes, such as 0,-1, or all; not '%s'", text);
        if (options->axis_count == GPUCC_MAX_DIMS)
            usage_error("--axis: an array has at most %d axes", GPUCC_MAX_DIMS);
        options->axes[options->axis_count++] = (int)axis;
        if (!*end)
            return;
        at = end + 1;
    }
}

/* 2e9 */
static double parse_operations(const char *text)
{
    struct number number;
    const bool is_number = number_parse(text, &number) && number.kind != NUMBER_COMPLEX && !number.infinite;
    const double value = !is_number                       ? 0
                         : number.kind == NUMBER_INTEGER ? (double)number.magnitude
                                                          : number.value[0];
    if (!(value > 0) || (number.kind == NUMBER_INTEGER && number.negative))
        usage_error("--operations expects a positive number, not '%s'", text);
    return value;
}

static void set_method(struct run_options *options, enum method method, const char *option)
{
    if (options->method != METHOD_CALL && options->method != method)
        usage_error("%s and %s exclude each other", options->method_option, option);
    options->method = method;
    options->method_option = option;
}

static void apply(struct run_options *options, enum option_id id, const char *value)
{
    switch (id) {
    case RUN_SAVE_OUTPUT: add_output(options, value); break;
    case RUN_SAVE: add_save(options, value); break;
    case RUN_SET: add_setting(options, value); break;
    case RUN_DEVICE: options->device = value; break;
    case RUN_TIME:
        options->repeats = value ? (int)parse_whole("--time", value, 1, 1000000, NULL) : DEFAULT_REPEATS;
        break;
    case RUN_CHECK:
        options->checked = true;
        options->compile.checks |= value ? parse_checks(&options->compile, "--check", value) : CHECK_ALL;
        break;
    case RUN_SCHEDULES: options->schedules = parse_whole("--schedules", value, 1, 1000000, NULL); break;
    case RUN_SEED: options->seed = parse_whole("--seed", value, 0, UINT64_MAX >> 1, NULL); break;
    case RUN_REPEATS: options->repeats = (int)parse_whole("--repeats", value, 1, 1000000, NULL); break;
    case RUN_OPERATIONS: options->operations = parse_operations(value); break;
    case RUN_JSON: options->json = parse_output_path("--json", value); break;
    case RUN_SVG: options->svg = parse_output_path("--svg", value); break;
    case RUN_THREADS:
        options->has_threads = true;
        parse_extents("--threads", value, 0, INT64_MAX, options->threads);
        break;
    case RUN_GRID:
        options->has_grid = true;
        parse_extents("--grid", value, 1, UINT32_MAX, options->grid);
        break;
    case RUN_BLOCK:
        options->has_block = true;
        parse_extents("--block", value, 1, UINT32_MAX, options->block);
        break;
    case RUN_SHARED:
        options->has_shared = true;
        options->shared = parse_whole("--shared", value, 0, UINT32_MAX, NULL);
        break;
    case RUN_OUTER: set_method(options, METHOD_OUTER, "--outer"); break;
    case RUN_WHERE:
        options->has_where = true;
        input_parse(&options->where, value, 0, options->compile.arena);
        break;
    case RUN_DTYPE:
        options->dtype = dtype_from_name(value, strlen(value));
        if (options->dtype == DTYPE_NONE)
            usage_error("--dtype: unknown type '%s'", value);
        break;
    case RUN_REDUCE: set_method(options, METHOD_REDUCE, "--reduce"); break;
    case RUN_ACCUMULATE: set_method(options, METHOD_ACCUMULATE, "--accumulate"); break;
    case RUN_REDUCEAT:
        set_method(options, METHOD_REDUCEAT, "--reduceat");
        input_parse(&options->indices, value, 0, options->compile.arena);
        break;
    case RUN_AT:
        set_method(options, METHOD_AT, "--at");
        input_parse(&options->indices, value, 0, options->compile.arena);
        break;
    case RUN_AXIS: parse_axes(options, value); break;
    case RUN_KEEPDIMS: options->keepdims = true; break;
    case RUN_INITIAL:
        options->initial = value;
        if (!number_parse(value, &options->initial_number))
            usage_error("--initial expects a number, not '%s'", value);
        break;
    case RUN_CASTING: options->casting = parse_casting(value); break;
    case RUN_HELP: break; /* command_line_next() prints it */
    }
}

/* ---- words ---- */

/* A negative number is an input, and so is whatever has no dash. */
static bool is_input(const char *word)
{
    struct number number;
    return word[0] != '-' || !word[1] || number_parse(word, &number);
}

static const struct subcommand run_command = {"run", run_list, OPTION_COUNT, introduce_options, is_input};
static const struct subcommand bench_command = {"bench", bench_list, OPTION_COUNT, introduce_options, is_input};

/* Behind the first source, another one or already the function's name. */
static bool is_source(const char *word)
{
    const char *dot = strrchr(word, '.');
    return (dot && !strcmp(dot, ".c")) || is_linkable(word);
}

static void add_word(struct run_options *options, const char *word)
{
    if (!options->compile.input_count || (!options->name && is_source(word))) {
        options_add_input(&options->compile, word);
    } else if (!options->name) {
        options->name = word;
    } else {
        options->inputs = arena_grow(options->compile.arena, options->inputs, options->input_count,
                                     sizeof *options->inputs);
        input_parse(&options->inputs[options->input_count], word, options->input_count, options->compile.arena);
        options->input_count++;
    }
}

const char *output_path(const struct run_options *options, size_t k)
{
    return k < options->output_count ? options->outputs[k] : NULL;
}

static void check_method(const struct run_options *options)
{
    const enum method method = options->method;
    if (method != METHOD_REDUCE && method != METHOD_CALL && options->initial)
        usage_error("--initial requires --reduce");
    const bool is_along_one = method == METHOD_ACCUMULATE || method == METHOD_REDUCEAT;
    if (is_along_one && options->keepdims)
        usage_error("--keepdims requires --reduce, not %s", options->method_option);
    if (is_along_one && (options->all_axes || options->axis_count > 1))
        usage_error("%s supports one axis", options->method_option);
    if (method > METHOD_REDUCE && options->has_where)
        usage_error("--where applies to calls and --reduce, not to %s", options->method_option);
}

static void check_combination(const struct run_options *options)
{
    if (!options->compile.input_count)
        usage_error("no source file: gpucc %s FILE.c… NAME INPUT… [options]", options->is_bench ? "bench" : "run");
    check_method(options);
    if (options->has_grid && options->has_threads)
        usage_error("--grid and --threads exclude each other");
    if (options->has_grid && !options->has_block)
        usage_error("--grid needs --block");
    for (size_t i = 0; i < options->output_count; i++) {
        claim_output(options->outputs[i]);
        check_result_name("-o", options->outputs[i]);
    }
    for (size_t i = 0; i < options->save_count; i++) {
        claim_output(options->saves[i].path);
        check_result_name("--save", options->saves[i].path);
    }
}

unsigned native_targets_here(void)
{
    const char *best = gpucc_native_target();
    for (int i = 0; best && i < GPUCC_NATIVE_COUNT; i++)
        if (!strcmp(native_target(i)->name, best))
            return 1u << i;
    return 0;
}

void run_options_parse(struct run_options *options, int argc, char **argv)
{
    *options = (struct run_options){.dtype = DTYPE_NONE, .is_bench = !strcmp(argv[0], "bench")};
    for (int i = 1; i < argc; i++)
        options->arch_given |= !strncmp(argv[i], "--arch", strlen("--arch"));
    options->compile.native_targets = native_targets_here(); /* unless the command line says otherwise */
    char **words = options_extract(&options->compile, &argc, argv);
    options->compile.counts = options->is_bench;
    const struct subcommand *command = options->is_bench ? &bench_command : &run_command;
    struct command_line line = {.command = command, .words = words, .count = argc};
    const char *value;
    for (int id; (id = command_line_next(&line, &value)) != LINE_END;) {
        if (id == LINE_OPERAND)
            add_word(options, value);
        else
            apply(options, (enum option_id)id, value);
    }
    check_combination(options);
}
