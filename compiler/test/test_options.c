/* The command line of `gpucc test`. */
#include "test/test_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum option_id {
#define TEST_OPTION(id, spelling, argument, help) TEST_##id,
#include "test/test_options.def"
    OPTION_COUNT
};

static const struct {
    const char *spelling, *argument, *help;
} option_list[] = {
#define TEST_OPTION(id, spelling, argument, help) {spelling, argument, help},
#include "test/test_options.def"
};

static _Noreturn void print_help(void)
{
    print_usage("test");
    puts("\nOptions, besides the compiler's ('gpucc --help')");
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s=%s", option_list[i].spelling, option_list[i].argument);
        print_option(left, option_list[i].help);
    }
    finish_standard_output();
    exit(EXIT_OK);
}

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
    enum { COUNT_MOST = 100000000 };
    switch (id) {
    case TEST_DEVICE: options->devices = value; break;
    case TEST_CHECK:
        options->check = value;
        options->checks = strcmp(value, "none") ? parse_checks(&options->compile, "--check", value) : 0;
        break;
    case TEST_SEED: options->seed = parse_number("--seed", value, 0, UINT64_MAX); break;
    case TEST_COUNT: options->count = parse_number("--count", value, 1, COUNT_MOST); break;
    case TEST_FORMAT: options->format = parse_format(value); break;
    case TEST_OUTPUT: options->output = parse_output_path("--output", value); break;
    case TEST_SVG: options->svg = parse_output_path("--svg", value); break;
    case TEST_KEEP: options->keep = *value ? value : "."; break;
    case OPTION_COUNT: break;
    }
}

/* The option of the word, and its value: behind an equals sign, or else null. */
static enum option_id find_option(const char *word, const char **value)
{
    const char *spellings[OPTION_COUNT];
    for (int i = 0; i < OPTION_COUNT; i++) {
        const size_t length = strlen(option_list[i].spelling);
        spellings[i] = option_list[i].spelling;
        if (strncmp(word, option_list[i].spelling, length) != 0 || (word[length] && word[length] != '='))
            continue;
        *value = word[length] ? word + length + 1 : NULL;
        return (enum option_id)i;
    }
    const char *near = nearest(word, strcspn(word, "="), spellings, OPTION_COUNT);
    if (near)
        usage_error("unknown option '%s'; did you mean '%s'?", word, near);
    usage_error("unknown option '%s'; 'gpucc test --help' lists them", word);
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
    enum { USUAL_COUNT = 20000 };
    *options = (struct test_options){.checks = CHECK_ALL, .seed = 1, .count = USUAL_COUNT, .keep = "gpucc-failures"};
    options->compile.native_targets = native_targets_here(); /* unless the command line says otherwise */
    options->compile.tests = true;
    char **words = options_extract(&options->compile, &argc, argv);
    for (int i = 1; i < argc; i++) {
        const char *word = words[i], *value;
        if (!strcmp(word, "--help"))
            print_help();
        if (word[0] != '-' || !word[1]) {
            add_word(options, word);
            continue;
        }
        const enum option_id id = find_option(word, &value);
        if (!value && i + 1 == argc)
            usage_error("%s needs a value: %s", option_list[id].spelling, option_list[id].argument);
        apply(options, id, value ? value : words[++i]);
    }
    if (!options->compile.input_count)
        usage_error("no source file: gpucc test FILE.c… [NAME…] [options]");
}
