/* gpucc wrap: reads a library's headers and sources, decides and writes. */
#include "wrap/wrap_internal.h"

#include <fnmatch.h>
#include <string.h>

static struct diagnostics *new_diagnostics(const struct options *options)
{
    return diagnostics_new(&(struct diagnostic_settings){
        .arena = options->arena, .sources = options->sources, .arguments = options->clang_arguments,
        .argument_count = options->clang_argument_count, .warnings_are_errors = options->warnings_are_errors,
        .no_warnings = options->no_warnings, .json = options->json_diagnostics});
}

static bool is_selected(const struct wrap_options *options, const char *name)
{
    for (size_t i = 0; i < options->pattern_count; i++)
        if (!fnmatch(options->patterns[i], name, 0))
            return true;
    return !options->pattern_count;
}

/* A list that names what nobody wraps is a mistake; so is a pattern without a function. */
static void check_patterns(const struct wrap_options *options, const struct library *library)
{
    for (size_t i = 0; i < options->pattern_count; i++) {
        bool found = false;
        for (size_t k = 0; k < library->function_count && !found; k++)
            found = !fnmatch(options->patterns[i], library->functions[k].name, 0);
        if (!found)
            usage_error("--select=%s selects none of the %zu functions that the files declare", options->patterns[i],
                        library->function_count);
    }
}

static int write_wrapped(const struct wrap_options *options, const struct library *library, const struct list *list)
{
    struct arena *arena = options->compile.arena;
    struct wrapped *wrapped = arena_alloc(arena, (library->function_count + 1) * sizeof *wrapped);
    size_t count = 0, left_out = 0;
    for (size_t i = 0; i < library->function_count; i++)
        if (is_selected(options, library->functions[i].name)) {
            wrapped[count] = wrap_function(options, library, list, &library->functions[i]);
            left_out += wrapped[count++].reason != NULL;
        }
    if (!count)
        input_error("'%s' declares no function of external linkage", options->compile.inputs[0]);
    const struct bytes source = wrapped_source(options, wrapped, count);
    write_file(options->output, source.data, source.size, false);
    commit_files();
    fprintf(stderr, "gpucc: wrapped %zu of %zu functions; %zu left out\n", count - left_out, count, left_out);
    return EXIT_OK;
}

static int wrap_library(const struct wrap_options *options)
{
    struct library library;
    struct diagnostics *diagnostics = new_diagnostics(&options->compile);
    const bool read = read_library(&options->compile, &library, diagnostics);
    const struct list list = read_list(&options->compile, options->list, diagnostics);
    if (read)
        check_list(&list, &library, diagnostics);
    else
        diagnose(diagnostics, SEVERITY_NOTE, (struct place){0}, NULL,
                 "gpucc wrap parses the library's files as C: -I, -D and -include provide what they expect");
    diagnostics_summary(diagnostics);
    if (diagnostics_errors(diagnostics))
        return EXIT_INPUT;
    check_patterns(options, &library);
    return write_wrapped(options, &library, &list);
}

int command_wrap(int argc, char **argv)
{
    struct wrap_options options;
    wrap_options_parse(&options, argc, argv);
    const int status = wrap_library(&options);
    arena_free(options.compile.arena);
    return status;
}
