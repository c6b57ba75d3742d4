/* The command line of `gpucc wrap`. */
#include "wrap/wrap_internal.h"

#include <stdlib.h>
#include <string.h>

enum option_id {
#define WRAP_OPTION(id, spelling, argument, help) WRAP_##id,
#include "wrap/wrap_options.def"
    OPTION_COUNT
};

static const struct {
    const char *spelling, *argument, *help;
} option_list[] = {
#define WRAP_OPTION(id, spelling, argument, help) {spelling, argument, help},
#include "wrap/wrap_options.def"
};

static bool is_long(enum option_id id)
{
    return option_list[id].spelling[1] == '-';
}

static _Noreturn void print_help(void)
{
    print_usage("wrap");
    puts("\nHeaders name the functions, sources have their bodies. LIST.toml says what neither does.\n\n"
         "Options, besides -I, -D and the compiler's others ('gpucc --help')");
    for (enum option_id id = 0; id < OPTION_COUNT; id++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", option_list[id].spelling, is_long(id) ? "=" : " ",
                 option_list[id].argument);
        print_option(left, option_list[id].help);
    }
    finish_standard_output();
    exit(EXIT_OK);
}

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
    case OPTION_COUNT: break;
    }
}

/* The option of the word, and its value: in the word, or else null. */
static enum option_id find_option(const char *word, const char **value)
{
    const char *spellings[OPTION_COUNT];
    for (enum option_id id = 0; id < OPTION_COUNT; id++) {
        const size_t length = strlen(option_list[id].spelling);
        spellings[id] = option_list[id].spelling;
        if (strncmp(word, spellings[id], length) != 0 || (is_long(id) && word[length] && word[length] != '='))
            continue;
        *value = word[length] ? word + length + is_long(id) : NULL;
        return id;
    }
    const char *near = nearest(word, strcspn(word, "="), spellings, OPTION_COUNT);
    if (near)
        usage_error("unknown option '%s'; did you mean '%s'?", word, near);
    usage_error("unknown option '%s'; 'gpucc wrap --help' lists them", word);
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
    for (int i = 1; i < argc; i++) {
        const char *word = words[i], *value;
        if (!strcmp(word, "--help"))
            print_help();
        if (word[0] != '-' || !word[1]) {
            add_file(options, word);
            continue;
        }
        const enum option_id id = find_option(word, &value);
        if (!value && i + 1 == argc)
            usage_error("%s needs a value: %s", option_list[id].spelling, option_list[id].argument);
        apply(options, id, value ? value : words[++i]);
    }
    if (!options->compile.input_count)
        usage_error("no header or source: gpucc wrap HEADER.h… [FILE.c…] [LIST.toml] [options]");
}
