/* Hints for errors of Clang's that gpucc can explain. */
#include "frontend/frontend_internal.h"

#include <string.h>

/* Whether the word on this line stands between the parentheses of a macro that declares functions:
 * GPUCC_REAL_1(sin).  A letter there is a part of names. */
static bool is_made_by_macro(const char *line, const char *word)
{
    const char *at = word;
    if (!is_word(word[1]))
        return false;
    while (at > line && !strchr("()", *at))
        at--;
    while (at > line && is_word(at[-1]))
        at--;
    return begins(line, "GPUCC_") && begins(at, "GPUCC_");
}

/* Whether a device header that has this text declares the function, type or macro. */
static bool declares(const char *text, const char *name)
{
    static const char define[] = "#define ";
    size_t length = strlen(name);
    for (const char *word = text; (word = strstr(word, name)); word++) {
        const char *line = word;
        if ((word > text && is_word(word[-1])) || is_word(word[length]))
            continue;
        while (line > text && line[-1] != '\n')
            line--;
        bool is_macro = word == line + strlen(define);
        bool found = begins(line, "GPUCC_HOST ")          ? false /* which device code cannot call */
                     : begins(line, define)               ? is_macro
                     : begins(line, "typedef ")           ? strchr(",;", word[length]) != NULL
                     : strchr(",)", word[length]) != NULL ? is_made_by_macro(line, word)
                                                          : *line != ' ' && word[length] == '(';
        if (found && word[length])
            return true;
    }
    return false;
}

/* The header declares sin and sinf by one macro's use, which names sin. */
static bool declares_either(const struct parse *parse, const char *text, const char *name)
{
    size_t length = strlen(name);
    return declares(text, name) ||
           (length > 1 && name[length - 1] == 'f' && declares(text, arena_strndup(parse->arena, name, length - 1)));
}

bool is_math_function(const struct parse *parse, const char *name)
{
    static const char *const headers[] = {EMBEDDED_ROOT "include/math.h", EMBEDDED_ROOT "include/" MATH_EXTENSIONS};
    for (size_t i = 0; *name && i < sizeof headers / sizeof *headers; i++) {
        const struct source *source = source_open(parse->options->sources, headers[i]);
        if (source && declares_either(parse, source->text, name))
            return true;
    }
    return false;
}

/* ---- names that are not declared ---- */

/* "math.h", "gpucc/cuda.h": what a source includes it by; null of what is no device header. */
static const char *header_name(const char *path)
{
    static const char *const roots[] = {EMBEDDED_ROOT "include/", EMBEDDED_ROOT "language/"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (begins(path, roots[i]))
            return path + strlen(roots[i]);
    return NULL;
}

struct header_search {
    const char *header; /* "gpucc/cuda.h" */
    bool found;
};

static void see_header(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    (void)stack, (void)depth;
    struct header_search *search = data;
    CXString path = clang_getFileName(file);
    const char *name = header_name(clang_getCString(path));
    search->found |= name && !strcmp(name, search->header);
    clang_disposeString(path);
}

/* Whether the source includes this header of gpucc's. */
bool includes_header(const struct parse *parse, const char *header)
{
    struct header_search search = {header, parse->precompiled && precompiled_has(parse->precompiled, header)};
    clang_getInclusions(parse->tu, see_header, &search);
    return search.found;
}

/* Whether this is an annotation's name, and <gpucc.h> is not there, which is reported once. */
static bool report_missing_header(struct parse *parse, const struct source *source, struct place place, size_t offset)
{
    if (!is_annotation_name(source->text + offset, place.length) || source->text[offset] == '_') /* CUDA's */
        return false;
    bool found = includes_header(parse, "gpucc.h");
    if (found || parse->reported_header)
        return !found;
    parse->reported_header = true;
    diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL, "'%.*s' is gpucc's: #include <gpucc.h>",
             (int)place.length, source->text + offset);
    return true;
}

/* float4 and make_float4: <gpucc/vector.h> makes them of "float".  Null if the name is no such one. */
static const char *vector_stem(const struct parse *parse, const char *name)
{
    const char *at = begins(name, "make_") ? name + strlen("make_") : name;
    size_t length = strlen(at);
    return length && strchr("1234", at[length - 1]) ? arena_strndup(parse->arena, at, length - 1) : NULL;
}

/* Returns whether users include the header: not those for hosts, and not those that other headers include. */
static bool is_for_users(const char *header)
{
    static const char *const others[] = {"gpucc.h", "tgmath.h", "gpucc/cpu.h", "gpucc/loops.h", "gpucc/program.h",
                                         "gpucc/runtime.h"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(header, others[i]))
            return false;
    return true;
}

/* Returns the header that sources include to get the declarations of an internal one. */
static const char *public_name(const char *header)
{
    static const char *const names[][2] = {
        {"cuda_async.h", "cuda/barrier"}, {"group_members.h", "cooperative_groups.h"},
        {"group_copies.h", "cooperative_groups/memcpy_async.h"}, {"group_scans.h", "cooperative_groups/scan.h"},
        {"curand_poisson.h", "curand_kernel.h"}, {"curand_jumps.h", "curand_kernel.h"},
        {"hip_runtime.h", "hip/hip_runtime.h"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(header, names[i][0]))
            return names[i][1];
    return header;
}

/* The first header of this folder that declares the function, type or macro. */
static const char *header_in(const struct parse *parse, const char *folder, const char *name)
{
    for (size_t i = 0; i < embedded_files_count; i++) {
        const struct embedded_file *file = &embedded_files[i];
        const char *header = header_name(file->path), *base = header ? header + strlen(folder) : NULL;
        if (!header || !begins(header, folder) || strchr(base, '/'))
            continue;
        const char *sought = !strcmp(base, "vector.h") ? vector_stem(parse, name) : name;
        if (sought && is_for_users(header) && declares_either(parse, file->data, sought))
            return public_name(header);
    }
    return NULL;
}

/* The device header that declares it; null if none does. */
static const char *header_of(const struct parse *parse, const char *name)
{
    if (is_math_function(parse, name))
        return "math.h";
    const char *header = header_in(parse, "", name);
    return header ? header : header_in(parse, "gpucc/", name);
}

/* Appends the short names that a header of the language defines: "#define syncthreads() …". */
static void add_macros(struct arena *arena, const char *text, const char ***names, size_t *count)
{
    static const char define[] = "\n#define ";
    for (const char *at = text; (at = strstr(at, define));) {
        size_t length = 0;
        at += strlen(define);
        while (is_word(at[length]))
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
    for (size_t i = 0; i < embedded_files_count; i++)
        if (begins(embedded_files[i].path, EMBEDDED_ROOT "language/") && !strstr(embedded_files[i].path, "cuda"))
            add_macros(parse->arena, embedded_files[i].data, &names, &count);
    const char *near = nearest(name, strlen(name), names, count);
    return near && *near == *name ? near : NULL; /* of another beginning it is more likely another name */
}

/* The expansion of grid(n) and gridsize(n). */
static bool is_grid(const char *text)
{
    return begins(text, "call to undeclared function 'gpucc_grid");
}

/* CUDA's parts with this prefix that gpucc lacks; null for other names. */
static const char *absent_from_cuda(const char *name)
{
    if (begins(name, "cuda") && name[4] >= 'A' && name[4] <= 'Z')
        return "CUDA's runtime is for hosts: put host code under '#ifndef __GPUCC__' (docs/howto/port-cuda.md)";
    if (begins(name, "curandState"))
        return "curand_kernel.h is supported for the states of XORWOW, MRG32k3a and Philox: see docs/reference/cuda.md";
    return NULL;
}

/* Whether a header that is not there declares the name, which is reported. */
static bool report_header(const struct parse *parse, const char *name, struct place place)
{
    const char *header = header_of(parse, name);
    if (!header || includes_header(parse, header))
        return false;
    diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL, "'%s' is declared in <%s>: #include it", name, header);
    return true;
}

/* The place of the name, or of the macro in whose body it is. */
static void report_undeclared(const struct parse *parse, const char *name, const char *error, struct place place)
{
    const bool is_value = !begins(error, "call to") && strstr(error, arena_printf(parse->arena, "'%s'", name));
    const char *header = header_of(parse, name), *absent = header ? NULL : absent_from_cuda(name);
    const char *near = header || absent ? NULL : nearest_macro(parse, name);
    if (report_header(parse, name, place))
        return;
    if (header)
        diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL, "<%s> gives the name '%s' another meaning", header,
                 name);
    else if (absent)
        diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL, "%s", absent);
    else if (near && strcmp(near, name))
        diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL, "did you mean '%s'?", near);
    else if (near && !parse->options->no_short_names)
        diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL, "'%s' needs parentheses: write %s(...)", name, name);
    else if (is_value && parse->error_count == 1 && includes_header(parse, "gpucc/cuda.h"))
        diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL,
                 "'%s' is not declared here: if the program's build defines it, pass -D%s=... to gpucc too", name,
                 name);
}

static bool is_undeclared(const char *text)
{
    return begins(text, "call to undeclared function") || begins(text, "use of undeclared identifier") ||
           begins(text, "unknown type name") || begins(text, "type specifier missing");
}

/* Whether it is written as `a::name`, which says that a function is meant. */
static bool is_scoped(const char *text, size_t offset)
{
    return offset >= 2 && begins(text + offset - 2, "::");
}

/* ---- others ---- */

/* "'pthread.h' file not found" */
static void report_host_header(const struct parse *parse, const char *text, struct place place)
{
    static const char *const names[] = {"omp.h", "pthread.h", "threads.h", "uchar.h"};
    bool found = begins(text, "'sys/");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found |= *text == '\'' && begins(text + 1, names[i]) && begins(text + 1 + strlen(names[i]), "' file not found");
    if (found)
        diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL,
                 "device code has no such header; what only hosts need goes under '#ifndef __GPUCC__'");
}

/* Whether Clang refuses a number of 8 bits in an expression, or in the place of another type. */
static bool report_float8(const struct parse *parse, const char *text, struct place place)
{
    const bool is_e4m3 = strstr(text, "float8_e4m3fn"), is_e5m2 = strstr(text, "float8_e5m2");
    if ((!is_e4m3 && !is_e5m2) || strstr(text, "__nv_fp8_"))
        return false; /* CUDA's names have their own hint */
    diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL,
             "%s has no arithmetic: 'float_from_float8(x)' gives its value, '%s_from(x)' converts a float",
             is_e4m3 ? "float8_e4m3fn" : "float8_e5m2", is_e4m3 ? "float8_e4m3fn" : "float8_e5m2");
    return true;
}

static bool report_cplusplus(const struct parse *parse, const struct source *source, const struct diagnostic *error,
                             size_t offset)
{
    const bool is_cuda = includes_header(parse, "gpucc/cuda.h");
    const char *note = cplusplus_note(parse->unit->spelling, is_cuda, source, error->text, offset);
    if (note && !is_embedded(source->path))
        diagnose(parse->diagnostics, SEVERITY_NOTE, error->place, NULL, "%s", note);
    return note != NULL;
}

void report_hint(struct parse *parse, const struct diagnostic *error, size_t offset)
{
    struct place place = error->place;
    const struct source *source = place.file ? source_open(parse->options->sources, place.file) : NULL;
    if (!source)
        return;
    place.length = name_length(source, offset);
    const char *name = arena_strndup(parse->arena, source->text + offset, place.length);
    if (begins(error->text, "variable length array declaration cannot have 'static' storage duration"))
        diagnose(parse->diagnostics, SEVERITY_NOTE, error->place, NULL,
                 "shared memory needs a size known at compile time; if the launch decides it, use dynamic_shared(type, "
                 "name)");
    else if (report_missing_header(parse, source, place, offset))
        return;
    else if (is_undeclared(error->text) && is_scoped(source->text, offset) && report_header(parse, name, place))
        return;
    else if (error->severity >= SEVERITY_ERROR && report_float8(parse, error->text, error->place))
        return;
    else if (error->severity >= SEVERITY_ERROR && report_cplusplus(parse, source, error, offset))
        return;
    else if (is_grid(error->text))
        diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL,
                 "grid(n) and gridsize(n) take 1, 2 or 3, written as a number");
    else if (place.length && is_undeclared(error->text))
        report_undeclared(parse, name, error->text, place);
    else
        report_host_header(parse, error->text, error->place);
}
