/* "(::", on which Clang's parser of C never ends: an error before either pass parses the source. */
#include "bridge/bridge.h"
#include "frontend/frontend.h"

#include <string.h>

static void report_scope(void *data, const char *file, unsigned line, unsigned column, const char *message)
{
    (void)message;
    diagnose(data, SEVERITY_ERROR, (struct place){file, line, column, 2}, NULL,
             "names with '::' are C++: write the name alone");
}

/* Whether `include` is not followed by one of the compiler's own headers, which are the same for all. */
static bool is_foreign(const char *include)
{
    const char *name = include + strspn(include, " \t"), *end = *name == '<' ? strchr(name, '>') : NULL;
    char path[256];
    if (!end || (size_t)(end - name) > sizeof path - sizeof EMBEDDED_ROOT "language/")
        return true;
    int length = (int)(end - name) - 1;
    snprintf(path, sizeof path, EMBEDDED_ROOT "language/%.*s", length, name + 1);
    if (embedded_find(path))
        return false;
    snprintf(path, sizeof path, EMBEDDED_ROOT "include/%.*s", length, name + 1);
    return !embedded_find(path);
}

/* False only where no "::" can come about: its two colons stand together, are joined, or are in another file. */
static bool may_hold_scope(const struct options *options, const char *text)
{
    static const char *const signs[] = {"::", ":\\", "??", "##", "%:%:", "GPUCC_"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(text, signs[i]))
            return true;
    for (const char *p = text; (p = strstr(p, "include"));)
        if (is_foreign(p += strlen("include")))
            return true;
    for (size_t i = 0; i < options->clang_argument_count; i++)
        if (!strncmp(options->clang_arguments[i], "-i", 2) || !strcmp(options->clang_arguments[i], "-I") ||
            strchr(options->clang_arguments[i], ':'))
            return true;
    return false;
}

bool tell_scopes(const struct options *options, const struct unit *unit, enum target target, int arch,
                 const struct binding *binding, struct diagnostics *diagnostics)
{
    struct codegen_request request = {.path = unit->path, .text = unit->text, .size = unit->text_size,
                                      .report = report_scope, .report_data = diagnostics,
                                      .column = spelling_column, .spelling = unit->spelling};
    if (!may_hold_scope(options, unit->text))
        return false;
    request.files = (const struct codegen_file *)virtual_files(options, unit, &request.file_count);
    request.own_files =
        (const struct codegen_file *)spelled_headers(unit->spelling, options->arena, &request.own_count);
    request.arguments = cc1_arguments(options, target, arch, unit, binding, &request.argument_count);
    return codegen_tell_scopes(&request);
}
