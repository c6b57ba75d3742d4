/* The command line of `gpucc inspect`. */
#include "inspect/inspect_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum option_id {
#define INSPECT_OPTION(id, spelling, argument, help) INSPECT_##id,
#include "inspect/inspect_options.def"
    OPTION_COUNT
};

static const struct {
    const char *spelling, *argument, *help;
} option_list[] = {
#define INSPECT_OPTION(id, spelling, argument, help) {spelling, argument, help},
#include "inspect/inspect_options.def"
};

static _Noreturn void print_help(void)
{
    print_usage("inspect");
    puts("\nOptions");
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s=%s", option_list[i].spelling, option_list[i].argument);
        print_option(left, option_list[i].help);
    }
    finish_standard_output();
    exit(EXIT_OK);
}

static void parse_archs(struct arena *arena, struct inspect_options *options, const char *list)
{
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        const int arch = arch_from_name(at, length);
        if (!arch)
            usage_error("--arch expects architectures such as sm_80,sm_90, not '%s'", list);
        options->archs = arena_grow(arena, options->archs, options->arch_count, sizeof *options->archs);
        options->archs[options->arch_count++] = arch;
        at += length;
        if (!*at)
            return;
    }
}

static long parse_number(const char *option, const char *text, long low, long high)
{
    char *end;
    errno = 0;
    const long number = strtol(text, &end, 10);
    if (end == text || *end || errno || number < low || number > high)
        usage_error("%s expects a number from %ld to %ld, not '%s'", option, low, high, text);
    return number;
}

static void apply(struct arena *arena, struct inspect_options *options, enum option_id id, const char *value)
{
    enum { MOST_SHARED = 1 << 20 };
    switch (id) {
    case INSPECT_ARCH: parse_archs(arena, options, value); break;
    case INSPECT_OCCUPANCY: options->entry = value; break;
    case INSPECT_SHARED: options->shared = (size_t)parse_number("--shared", value, 0, MOST_SHARED); break;
    case INSPECT_REGISTERS: options->registers = (int)parse_number("--registers", value, 1, 255); break;
    case INSPECT_SVG:
        claim_output(value);
        options->svg = value;
        break;
    case OPTION_COUNT: break;
    }
}

/* The option of the word, and its value: behind an equals sign, or else null. */
static enum option_id find_option(const char *word, const char **value)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const size_t length = strlen(option_list[i].spelling);
        if (strncmp(word, option_list[i].spelling, length) != 0 || (word[length] && word[length] != '='))
            continue;
        *value = word[length] ? word + length + 1 : NULL;
        return (enum option_id)i;
    }
    usage_error("unknown option '%s'; 'gpucc inspect --help' lists them", word);
}

void inspect_options_parse(struct arena *arena, struct inspect_options *options, int argc, char **argv)
{
    *options = (struct inspect_options){0};
    if (argc == 2 && !strcmp(argv[1], "--help"))
        print_help();
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value;
        if (word[0] != '-' || !word[1]) {
            if (options->path)
                usage_error("gpucc inspect takes one file: a .ptx, .json or .o");
            options->path = word;
            continue;
        }
        const enum option_id id = find_option(word, &value);
        if (!value && i + 1 == argc)
            usage_error("%s needs a value: %s", option_list[id].spelling, option_list[id].argument);
        apply(arena, options, id, value ? value : argv[++i]);
    }
    if (!options->path)
        usage_error("gpucc inspect takes one file: a .ptx, .json or .o");
    if (!options->entry && (options->svg || options->shared || options->registers))
        usage_error("--svg, --shared and --registers require --occupancy");
}
