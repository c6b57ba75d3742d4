/* Libclang's parse of a source, with precompiled headers where they fit, and the files that it read. */
#define _XOPEN_SOURCE 700
#include "frontend/frontend_internal.h"

#include <string.h>
#include <unistd.h>

/* The first time libclang puts its handlers over ours, without asking who else does.  Ours come back while no thread
 * has come further than here, so that LLVM finds them whenever it fails. */
CXIndex index_new(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static bool has_begun;
    lock(&mutex);
    CXIndex index = clang_createIndex(1, 0); /* what precompiled headers declare is not visited */
    if (!has_begun)
        crash_handlers_again();
    has_begun = true;
    unlock(&mutex);
    return index;
}

/* The virtual files, and behind them the source's own headers and the source. */
static struct CXUnsavedFile *unsaved_files(const struct options *options, const struct unit *unit, unsigned *count)
{
    size_t virtual_count, header_count;
    const struct embedded_file *virtual = virtual_files(options, unit, &virtual_count);
    const struct embedded_file *headers = spelled_headers(unit->spelling, options->arena, &header_count);
    struct CXUnsavedFile *files = arena_alloc(options->arena, (virtual_count + header_count + 1) * sizeof *files);
    *count = 0;
    for (size_t i = 0; i < virtual_count; i++)
        files[(*count)++] = (struct CXUnsavedFile){virtual[i].path, virtual[i].data, virtual[i].size};
    for (size_t i = 0; i < header_count; i++)
        files[(*count)++] = (struct CXUnsavedFile){headers[i].path, headers[i].data, headers[i].size};
    files[(*count)++] = (struct CXUnsavedFile){unit->path, unit->text, unit->text_size};
    return files;
}

/* `headers` is the path of precompiled ones, or null. */
static const char **parser_arguments(const struct options *options, const struct unit *unit,
                                     const struct binding *binding, const char *headers, size_t *count)
{
    size_t driver_count;
    const char **driver = driver_arguments(options, unit, binding, &driver_count);
    const char **arguments = arena_alloc(options->arena, (driver_count + 6) * sizeof *arguments);
    *count = 0;
    arguments[(*count)++] = options->program;
    for (size_t i = 0; i < driver_count; i++)
        arguments[(*count)++] = driver[i];
    arguments[(*count)++] = "-xc";
    arguments[(*count)++] = "-ferror-limit=21"; /* beyond the limit of diagnostics.c, which counts ours too */
    if (headers) {
        arguments[(*count)++] = "-include-pch";
        arguments[(*count)++] = headers;
    }
    return arguments;
}

static enum CXErrorCode parse_with(struct parse *parse, CXIndex index, const struct binding *binding,
                                   const char *headers, unsigned flags)
{
    const struct unit *unit = parse->unit;
    size_t count;
    unsigned file_count;
    const char **arguments = parser_arguments(parse->options, unit, binding, headers, &count);
    struct CXUnsavedFile *files = unsaved_files(parse->options, unit, &file_count);
    return clang_parseTranslationUnit2FullArgv(index, unit->path, arguments, (int)count, files, file_count,
                                               CXTranslationUnit_DetailedPreprocessingRecord | flags, &parse->tu);
}

const char *libclang_version(struct arena *arena)
{
    const struct parse parse = {.arena = arena};
    return copy_string(&parse, clang_getClangVersion());
}

/* Precompiled headers are for the libclang that made them. */
static bool is_same_libclang(struct arena *arena)
{
    const struct embedded_file *maker = precompiled_find("libclang");
    return maker && !strcmp(libclang_version(arena), maker->data);
}

static enum CXErrorCode parse_once(struct parse *parse, CXIndex index, const struct binding *binding)
{
    const struct options *options = parse->options;
    const char *pass_name =
        arena_printf(parse->arena, "tree-%s", native_target(first_target(options->native_targets))->name);
    parse->precompiled = precompiled_headers(options, parse->unit, pass_name);
    int file = parse->precompiled && is_same_libclang(parse->arena) ? file_in_memory(parse->precompiled) : -1;
    if (file >= 0) {
        const char *path = arena_printf(parse->arena, "/proc/self/fd/%d", file); /* libclang opens what has a name */
        enum CXErrorCode error = parse_with(parse, index, binding, path, CXTranslationUnit_None);
        close(file);
        if (error == CXError_Success)
            return error;
    }
    parse->precompiled = NULL;
    return parse_with(parse, index, binding, NULL, CXTranslationUnit_None);
}

bool parse_source(struct parse *parse, CXIndex index, const struct binding *binding)
{
    const char *path = parse->unit->path;
    if (report_scopes(parse->options, parse->unit, TARGET_CPU, 0, binding, parse->diagnostics))
        return false;
    enum CXErrorCode error = parse_once(parse, index, binding);
    while (error == CXError_Success &&
           (name_tags(parse) || find_own_functions(parse) || allow_later_annotations(parse))) {
        clang_disposeTranslationUnit(parse->tu);
        error = parse_once(parse, index, binding);
    }
    if (error == CXError_Success) {
        parse->main_file = clang_getFile(parse->tu, path);
        return true;
    }
    diagnose(parse->diagnostics, SEVERITY_ERROR, (struct place){.file = path}, NULL,
             error == CXError_Crashed ? "the C parser failed on this file"
                                      : "this file cannot be parsed with these options");
    return false;
}

/* ---- the files read ---- */

static void add_include(struct parse *parse, const char *path, bool is_system)
{
    struct unit *unit = parse->unit;
    for (size_t i = 0; i < unit->include_count; i++)
        if (!strcmp(unit->includes[i].path, path))
            return;
    unit->includes = arena_grow(parse->arena, unit->includes, unit->include_count, sizeof *unit->includes);
    unit->includes[unit->include_count++] = (struct include){path, is_system};
}

/* Whether the nearest of the folders that -I and -isystem name above the header is one of the latter.  libclang could
 * tell by a place in the file, but takes without end to make that where calls of macros nest deeply in it. */
static bool is_system_header(const struct options *options, const char *path)
{
    size_t longest = 0;
    bool found = false;
    for (size_t i = 0; i + 1 < options->clang_argument_count; i++) {
        const char *folder = options->clang_arguments[i + 1];
        bool system = !strcmp(options->clang_arguments[i], "-isystem");
        if (!system && strcmp(options->clang_arguments[i], "-I"))
            continue;
        size_t length = strlen(folder);
        while (length > 1 && folder[length - 1] == '/')
            length--;
        if (strncmp(path, folder, length) || path[length] != '/' || length < longest)
            continue;
        found = system || (found && length == longest);
        longest = length;
    }
    return found;
}

static void see_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    struct parse *parse = data;
    const char *path = copy_string(parse, clang_getFileName(file));
    struct place from = depth ? place_of(parse, stack[0], NULL) : (struct place){0};
    if (from.file && !is_embedded(path)) /* of headers that are precompiled, Clang does not tell where */
        diagnostics_included(parse->diagnostics, path, from);
    if (!is_embedded(path))
        add_include(parse, path, is_system_header(parse->options, path));
}

void note_inclusions(struct parse *parse)
{
    clang_getInclusions(parse->tu, see_inclusion, parse);
}

bool precompile_tree(const struct options *options, const struct unit *unit, const char *out)
{
    struct unit copy = *unit;
    struct parse parse = {.options = options, .arena = options->arena, .unit = &copy};
    CXIndex index = index_new();
    const enum CXErrorCode error = parse_with(&parse, index, NULL, NULL,
                                              CXTranslationUnit_ForSerialization | CXTranslationUnit_Incomplete);
    bool saved = error == CXError_Success && clang_getNumDiagnostics(parse.tu) == 0 &&
                 clang_saveTranslationUnit(parse.tu, out, CXSaveTranslationUnit_None) == CXSaveError_None;
    if (error == CXError_Success)
        clang_disposeTranslationUnit(parse.tu);
    clang_disposeIndex(index);
    return saved;
}
