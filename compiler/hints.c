/* What is to be done about an error of Clang's, where that is gpucc's to know. */
#include "frontend.h"

#include <string.h>

static bool begins(const char *text, const char *beginning)
{
    return !strncmp(text, beginning, strlen(beginning));
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Whether the word stands in the text with one of these characters behind it. */
static bool has_word(const char *text, const char *word, const char *behind)
{
    size_t length = strlen(word);
    for (const char *p = text; (p = strstr(p, word)); p++)
        if ((p == text || !is_name(p[-1])) && p[length] && strchr(behind, p[length]))
            return true;
    return false;
}

bool is_math_function(const struct parse *parse, const char *name)
{
    const struct source *source = source_open(parse->options->sources, EMBEDDED_ROOT "include/math.h");
    size_t length = strlen(name);
    if (!source || !length)
        return false;
    /* The header declares sin and sinf by one macro's use, which names sin. */
    const char *stem = arena_strndup(parse->arena, name, length - (name[length - 1] == 'f'));
    return has_word(source->text, name, "(),") || has_word(source->text, stem, "),");
}

/* ---- names that are not declared ---- */

static void see_language_header(const char *path, CXSourceLocation from, bool is_system, void *found)
{
    (void)from, (void)is_system;
    *(bool *)found |= is_embedded(path) && !strcmp(strrchr(path, '/'), "/gpucc.h");
}

static void tell_missing_header(struct parse *parse, const struct source *source, struct place place, size_t offset)
{
    bool found = false;
    if (parse->told_header)
        return;
    if (!is_annotation_name(source->text + offset, place.length))
        return;
    clang_visit_includes(parse->tu, see_language_header, &found);
    if (found)
        return;
    parse->told_header = true;
    diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL, "'%.*s' is gpucc's: #include <gpucc.h>",
             (int)place.length, source->text + offset);
}

/* The device header that declares the function or macro; null where none does. */
static const char *header_of(const struct parse *parse, const char *name)
{
    static const char root[] = EMBEDDED_ROOT "include/";
    if (is_math_function(parse, name))
        return "math.h";
    for (size_t i = 0; i < embedded_file_count; i++) {
        const struct embedded_file *file = &embedded_files[i];
        const char *header = file->path + strlen(root);
        if (begins(file->path, root) && !strchr(header, '/') && strcmp(header, "gpucc.h") &&
            strcmp(header, "tgmath.h") && has_word(file->data, name, "("))
            return header;
    }
    return NULL;
}

/* Appends the short names that a header of the language defines: "#define syncthreads() …". */
static void add_macros(struct arena *arena, const char *text, const char ***names, size_t *count)
{
    static const char define[] = "\n#define ";
    for (const char *at = text; (at = strstr(at, define));) {
        size_t length = 0;
        at += strlen(define);
        while (is_name(at[length]))
            length++;
        if (*at == '_' || begins(at, "gpucc_") || begins(at, "GPUCC_"))
            continue;
        *names = arena_grow(arena, *names, *count, sizeof **names);
        (*names)[(*count)++] = arena_strndup(arena, at, length);
    }
}

/* Clang looks for misspelled functions, but not for macros, which is what gpucc's names are. */
static const char *nearest_macro(const struct parse *parse, const char *name)
{
    const char **names = NULL;
    size_t count = 0;
    for (size_t i = 0; i < embedded_file_count; i++)
        if (begins(embedded_files[i].path, EMBEDDED_ROOT "include/gpucc") && !strstr(embedded_files[i].path, "cuda"))
            add_macros(parse->arena, embedded_files[i].data, &names, &count);
    return nearest(name, strlen(name), names, count);
}

static void tell_undeclared(const struct parse *parse, const char *name, struct place place)
{
    const char *header = header_of(parse, name), *near = header ? NULL : nearest_macro(parse, name);
    if (header)
        diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL, "'%s' is declared in <%s>: #include it", name, header);
    else if (near && strcmp(near, name))
        diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL, "did you mean '%s'?", near);
}

static bool is_undeclared(const char *text)
{
    return begins(text, "call to undeclared function") || begins(text, "use of undeclared identifier") ||
           begins(text, "unknown type name") || begins(text, "type specifier missing");
}

/* ---- others ---- */

/* "'stdlib.h' file not found" */
static void tell_host_header(const struct parse *parse, const char *text, struct place place)
{
    static const char *const names[] = {"assert.h", "ctype.h", "errno.h", "fenv.h", "inttypes.h", "iso646.h",
                                        "locale.h", "omp.h", "pthread.h", "setjmp.h", "signal.h", "stdatomic.h",
                                        "stdlib.h", "threads.h", "time.h", "uchar.h", "unistd.h", "wchar.h",
                                        "wctype.h", "cuda.h", "cuda_runtime.h"};
    bool found = begins(text, "'sys/");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found |= *text == '\'' && begins(text + 1, names[i]) && begins(text + 1 + strlen(names[i]), "' file not found");
    if (found)
        diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL,
                 "device code has no such header; what only hosts need goes under '#ifndef __GPUCC__'");
}

void tell_hint(struct parse *parse, const struct diagnostic *error, size_t offset)
{
    struct place place = error->place;
    const struct source *source = place.file ? source_open(parse->options->sources, place.file) : NULL;
    if (!source)
        return;
    place.length = name_length(source, offset);
    if (begins(error->text, "variable length array declaration cannot have 'static' storage duration"))
        diagnose(parse->diagnostics, SEVERITY_NOTE, error->place, NULL,
                 "shared memory has a size known at compile time; where the launch decides, use "
                 "dynamic_shared(type, name)");
    else if (is_annotation_name(source->text + offset, place.length))
        tell_missing_header(parse, source, place, offset);
    else if (error->severity >= SEVERITY_ERROR && tell_cplusplus(parse, source, error, offset))
        return;
    else if (place.length && is_undeclared(error->text))
        tell_undeclared(parse, arena_strndup(parse->arena, source->text + offset, place.length), place);
    else
        tell_host_header(parse, error->text, error->place);
}
