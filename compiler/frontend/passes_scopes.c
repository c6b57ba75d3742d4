/* Sources that Clang's parser of C would never finish: "(::", in which only C++ has a meaning, and includes of devices
 * and FIFOs: errors before either pass parses the source. */
#include "bridge/bridge.h"
#include "frontend/frontend.h"

#include <ctype.h>
#include <string.h>

static void report_scope(void *data, const char *file, unsigned line, unsigned column, const char *message)
{
    if (*message)
        diagnose(data, SEVERITY_ERROR, (struct place){file, line, column, 0}, NULL, "%s", message);
    else
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

/* Whether a backslash at the end of a line may stand in the name of a directive. */
static bool splits_name(const char *text)
{
    for (const char *p = text; (p = strchr(p, '\\'));) {
        const char *next = p + 1 + strspn(p + 1, " \t\r\f\v");
        if (*next == '\n' && p > text && islower((unsigned char)p[-1]) && islower((unsigned char)next[1]))
            return true;
        p++;
    }
    return false;
}

/* False only where the compiler's own headers alone are read, and no "::" can come about: its two colons stand
 * together, are joined, or are in another file. */
static bool may_be_endless(const struct options *options, const char *text)
{
    static const char *const signs[] = {"::", ":\\", "??", "##", "%:%:", "GPUCC_", "embed", "import", "dependency"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(text, signs[i]))
            return true;
    if (splits_name(text))
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

bool report_scopes(const struct options *options, const struct unit *unit, enum target target, int arch,
                   const struct binding *binding, struct diagnostics *diagnostics)
{
    struct codegen_request request = {.path = unit->path, .text = unit->text, .size = unit->text_size,
                                      .report = report_scope, .report_data = diagnostics,
                                      .column = spelling_column, .spelling = unit->spelling};
    if (!may_be_endless(options, unit->text))
        return false;
    request.files = (const struct codegen_file *)virtual_files(options, unit, &request.file_count);
    request.own_files =
        (const struct codegen_file *)spelled_headers(unit->spelling, options->arena, &request.own_count);
    request.arguments = cc1_arguments(options, target, arch, unit, binding, &request.argument_count);
    return codegen_report_scopes(&request);
}
