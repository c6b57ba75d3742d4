/* The command line of `gpucc wrap`. */
#include "command/subcommand.h"
#include "wrap/wrap_internal.h"

#include <stdlib.h>
#include <string.h>

enum option_id {
#define WRAP_OPTION(id, spelling, argument, help) WRAP_##id,
#include "wrap/wrap_options.def"
};

static const struct subcommand_option option_list[] = {
#define WRAP_OPTION(id, spelling, argument, help) {spelling, argument, help, NEEDED},
#include "wrap/wrap_options.def"
};

static void introduce_options(void)
{
    puts("\nHeaders name the functions, sources have their bodies. LIST.toml says what neither does.\n\n"
         "Options, besides -I, -D and the compiler's others ('gpucc --help')");
}

static const struct subcommand subcommand = {
    .name = "wrap", .options = option_list, .option_count = sizeof option_list / sizeof *option_list,
    .introduce = introduce_options,
};

enum result result_from_name(const char *name)
{
    static const char *const names[] = {[RESULT_VALUE] = "value", [RESULT_STATUS] = "status",
                                        [RESULT_MASK] = "mask", [RESULT_NONE] = "none"};
    for (size_t i = RESULT_VALUE; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return (enum result)i;
    return RESULT_DEFAULT;
}

static enum result parse_status(const char *name)
{
    const enum result found = strcmp(name, "output") ? result_from_name(name) : RESULT_STATUS;
    if (found == RESULT_DEFAULT || found == RESULT_VALUE || !strcmp(name, "status"))
        usage_error("--status expects output, mask or none, not '%s'", name);
    return found;
}

static void add_patterns(struct wrap_options *options, const char *list)
{
    struct arena *arena = options->compile.arena;
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        options->patterns = arena_grow(arena, options->patterns, options->pattern_count, sizeof *options->patterns);
        options->patterns[options->pattern_count++] = arena_strndup(arena, at, length);
        at += length;
        if (!*at)
            return;
    }
}

static void apply(struct wrap_options *options, enum option_id id, const char *value)
{
    switch (id) {
    case WRAP_OUTPUT: options->output = parse_output_path("-o", value); break;
    case WRAP_SELECT: add_patterns(options, value); break;
    case WRAP_STRIP: options->prefix = value; break;
    case WRAP_STATUS: options->status = parse_status(value); break;
    }
}

static void add_file(struct wrap_options *options, const char *path)
{
    const char *dot = strrchr(path, '.');
    if (!strcmp(path, "-"))
        usage_error("gpucc wrap cannot read standard input: what it writes includes headers by their names");
    if (!dot || strcmp(dot, ".toml") != 0) {
        options_add_input(&options->compile, path);
        return;
    }
    if (options->list)
        usage_error("gpucc wrap reads one list: '%s' or '%s'", options->list, path);
    protect_file(path, "is read");
    options->list = path;
}

void wrap_options_parse(struct wrap_options *options, int argc, char **argv)
{
    *options = (struct wrap_options){.output = "-", .prefix = "", .status = RESULT_STATUS};
    char **words = options_extract(&options->compile, &argc, argv);
    struct command_line line = {.command = &subcommand, .words = words, .count = argc};
    const char *value;
    for (int id; (id = command_line_next(&line, &value)) != LINE_END;) {
        if (id == LINE_OPERAND)
            add_file(options, value);
        else
            apply(options, (enum option_id)id, value);
    }
    if (!options->compile.input_count)
        usage_error("no header or source: gpucc wrap HEADER.h… [FILE.c…] [LIST.toml] [options]");
}
