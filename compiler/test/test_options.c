/* The command line of `gpucc test`. */
#include "command/subcommand.h"
#include "test/test_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum option_id {
#define TEST_OPTION(id, spelling, argument, help) TEST_##id,
#include "test/test_options.def"
};

static const struct subcommand_option option_list[] = {
#define TEST_OPTION(id, spelling, argument, help) {spelling, argument, help, NEEDED},
#include "test/test_options.def"
};

static void introduce_options(void)
{
    puts("\nOptions, besides the compiler's ('gpucc --help')");
}

static const struct subcommand subcommand = {
    .name = "test", .options = option_list, .option_count = sizeof option_list / sizeof *option_list,
    .introduce = introduce_options,
};

static uint64_t parse_number(const char *option, const char *text, uint64_t low, uint64_t high)
{
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || number < low || number > high)
        usage_error("%s expects a number from %llu to %llu, not '%s'", option, (unsigned long long)low,
                    (unsigned long long)high, text);
    return number;
}

static enum report_format parse_format(const char *text)
{
    static const char *const names[] = {[FORMAT_TEXT] = "text", [FORMAT_TAP] = "tap", [FORMAT_JUNIT] = "junit"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], text))
            return (enum report_format)i;
    usage_error("--format expects text, tap or junit, not '%s'", text);
}

static void apply(struct test_options *options, enum option_id id, const char *value)
{
    enum { COUNT_MOST = 100000000, TIME_MOST = 1000000 };
    switch (id) {
    case TEST_DEVICE: options->devices = value; break;
    case TEST_CHECK:
        options->check = value;
        options->checks = strcmp(value, "none") ? parse_checks(&options->compile, "--check", value) : 0;
        break;
    case TEST_SEED: options->seed = parse_number("--seed", value, 0, UINT64_MAX); break;
    case TEST_COUNT: options->count = parse_number("--count", value, 1, COUNT_MOST); break;
    case TEST_INTEGERS: options->integers = parse_number("--integers", value, 1, INT64_MAX); break;
    case TEST_TIME:
        options->time = (unsigned)parse_number("--time", value, 0, TIME_MOST);
        options->has_time = true;
        break;
    case TEST_FORMAT: options->format = parse_format(value); break;
    case TEST_OUTPUT: options->output = parse_output_path("--output", value); break;
    case TEST_SVG: options->svg = parse_output_path("--svg", value); break;
    case TEST_KEEP: options->keep = *value ? value : "."; break;
    }
}

/* Sources first, then names. */
static void add_word(struct test_options *options, const char *word)
{
    const char *dot = strrchr(word, '.');
    const bool is_source = (dot && !strcmp(dot, ".c")) || is_linkable(word);
    if (!options->compile.input_count || (is_source && !options->function_count)) {
        options_add_input(&options->compile, word);
        return;
    }
    options->functions = arena_grow(options->compile.arena, options->functions, options->function_count,
                                    sizeof *options->functions);
    options->functions[options->function_count++] = word;
}

void test_options_parse(struct test_options *options, int argc, char **argv)
{
    enum { USUAL_COUNT = 20000, USUAL_TIME = 60, ELEMENTS_A_SECOND = 10000 };
    *options = (struct test_options){.checks = CHECK_ALL, .seed = 1, .count = USUAL_COUNT, .keep = "gpucc-failures"};
    options->compile.native_targets = native_targets_here(); /* unless the command line says otherwise */
    options->compile.tests = true;
    char **words = options_extract(&options->compile, &argc, argv);
    struct command_line line = {.command = &subcommand, .words = words, .count = argc};
    const char *value;
    for (int id; (id = command_line_next(&line, &value)) != LINE_END;) {
        if (id == LINE_OPERAND)
            add_word(options, value);
        else
            apply(options, (enum option_id)id, value);
    }
    if (!options->has_time)
        options->time = USUAL_TIME + (unsigned)(options->count / ELEMENTS_A_SECOND);
    if (!options->compile.input_count)
        usage_error("no source file: gpucc test FILE.c… [NAME…] [options]");
}
