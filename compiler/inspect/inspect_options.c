/* The command line of `gpucc inspect`. */
#include "command/option_values.h"
#include "command/subcommand.h"
#include "inspect/inspect_internal.h"

#include <string.h>

enum option_id {
#define INSPECT_OPTION(id, spelling, argument, help) INSPECT_##id,
#include "inspect/inspect_options.def"
};

static const struct subcommand_option option_list[] = {
#define INSPECT_OPTION(id, spelling, argument, help) {spelling, argument, help, NEEDED},
#include "inspect/inspect_options.def"
};

static void introduce_options(void)
{
    puts("\nOptions");
}

static const struct subcommand subcommand = {
    .name = "inspect", .options = option_list, .option_count = sizeof option_list / sizeof *option_list,
    .introduce = introduce_options,
};

static void add_archs(struct arena *arena, struct inspect_options *options, const char *list)
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

static void apply(struct arena *arena, struct inspect_options *options, enum option_id id, const char *value)
{
    enum { MOST_SHARED = 1 << 20 };
    switch (id) {
    case INSPECT_ARCH: add_archs(arena, options, value); break;
    case INSPECT_OCCUPANCY: options->entry = value; break;
    case INSPECT_SHARED: options->shared = (size_t)parse_number("--shared", value, 0, MOST_SHARED); break;
    case INSPECT_REGISTERS: options->registers = parse_number("--registers", value, 1, 255); break;
    case INSPECT_SVG:
        claim_output(value);
        options->svg = value;
        break;
    }
}

static void add_path(struct inspect_options *options, const char *path)
{
    if (options->path)
        usage_error("gpucc inspect takes one file: a .ptx, .json or .o");
    options->path = path;
}

void inspect_options_parse(struct arena *arena, struct inspect_options *options, int argc, char **argv)
{
    *options = (struct inspect_options){0};
    struct command_line line = {.command = &subcommand, .words = argv, .count = argc};
    const char *value;
    for (int id; (id = command_line_next(&line, &value)) != LINE_END;) {
        if (id == LINE_OPERAND)
            add_path(options, value);
        else
            apply(arena, options, (enum option_id)id, value);
    }
    if (!options->path)
        usage_error("gpucc inspect takes one file: a .ptx, .json or .o");
    if (!options->entry && (options->svg || options->shared || options->registers))
        usage_error("--svg, --shared and --registers require --occupancy");
}
