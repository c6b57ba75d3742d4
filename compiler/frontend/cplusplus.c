/* What C++ has and C has not: where Clang's error stands at such a thing, a note names it and says what to do in C. */
#include "frontend/frontend_internal.h"

#include <ctype.h>
#include <string.h>

/* `word` in the source, with the errors that it leads to. */
struct feature {
    const char *word, *note;
};

static const struct feature words[] = {
    {"template", "templates are C++: write the function for each type, or let typevar(T, ...) do it"},
    {"typename", "templates are C++: write the function for each type, or let typevar(T, ...) do it"},
    {"class", "classes are C++: use a struct, and functions that take it"},
    {"public", "access to members is C++: in a C struct all are public"},
    {"private", "access to members is C++: in a C struct all are public"},
    {"this", "'this' is C++: pass the struct"},
    {"using", "'using' is C++: use typedef"},
    {"namespace", "namespaces are C++"},
    {"constexpr", "'constexpr' is C++: use enum, or a macro"},
    {"operator", "operators of one's own are C++: use a function"},
    {"new", "'new' is C++: use arrays of fixed size, or shared memory"},
    {"delete", "'delete' is C++"},
    {"static_cast", "'static_cast' is C++: write (type)value"},
    {"reinterpret_cast", "'reinterpret_cast' is C++: write (type)value"},
    {"const_cast", "'const_cast' is C++: write (type)value"},
    {"std", "the namespace std is C++: use C's functions"},
    {"cg", "cooperative groups are C++: use syncthreads(), syncwarp(mask), grid_sync() and the warp operations"},
    {"cooperative_groups",
     "cooperative groups are C++: use syncthreads(), syncwarp(mask), grid_sync() and the warp operations"},
    {"wmma", "WMMA's fragments are C++: use those of <gpucc/matrix.h>"},
    {"nvcuda", "the namespace nvcuda is C++: for its fragments, use those of <gpucc/matrix.h>"},
    {"thrust", "Thrust is C++"},
    {"cub", "CUB is C++: use the warp operations, atomics and shared memory"},
};

static const struct feature headers[] = {
    {"'cooperative_groups",
     "cooperative groups are C++: use syncthreads(), syncwarp(mask), grid_sync() and the warp operations"},
    {"'mma.h'", "WMMA's fragments are C++: use those of <gpucc/matrix.h>"},
    {"'thrust/", "Thrust is C++"},
    {"'cub/", "CUB is C++: use the warp operations, atomics and shared memory"},
    {"'curand_kernel.h'", "for random numbers in kernels, #include <gpucc/random.h>"},
    {"'cmath'", "<cmath> is C++: #include <math.h>"},
    {"'cstdio'", "<cstdio> is C++: #include <stdio.h>"},
    {"'cstdint'", "<cstdint> is C++: #include <stdint.h>"},
    {"'cstring'", "<cstring> is C++: #include <string.h>"},
    {"'iostream'", "<iostream> is C++: host code belongs to a file of its own"},
    {"'vector'", "<vector> is C++: host code belongs to a file of its own"},
    {"'algorithm'", "<algorithm> is C++"},
};

/* The word that ends before `p`, blanks apart; empty where there is none. */
static const char *word_before(const char *start, const char *p, size_t *length)
{
    while (p > start && (p[-1] == ' ' || p[-1] == '\t'))
        p--;
    const char *end = p;
    while (p > start && is_word(p[-1]))
        p--;
    *length = (size_t)(end - p);
    return p;
}

static const char *note_of(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == length && !strncmp(words[i].word, word, length))
            return words[i].note;
    return NULL;
}

/* What the error's own words say. */
static const char *by_message(const char *text, const char *before, size_t length)
{
    if (begins(text, "type specifier missing") && length == 4 && !strncmp(before, "auto", 4))
        return "a type that 'auto' finds by itself is C++: write the type, or __auto_type";
    if (begins(text, "C does not support default arguments"))
        return "default arguments are C++: give every argument where the function is called";
    if (begins(text, "field '") && strstr(text, "declared as a function"))
        return "member functions are C++: write a function that takes the struct";
    for (size_t i = 0; strstr(text, "file not found") && i < sizeof headers / sizeof *headers; i++)
        if (begins(text, headers[i].word))
            return headers[i].note;
    return NULL;
}

/* What stands at the error's place. */
static const char *by_source(const char *text, const char *start, const char *at)
{
    size_t length = 0;
    if (at - start >= 2 && *at == '<' && at[-1] == '<' && at[-2] == '<')
        return "launches with <<<...>>> are C++, and host code: launch through the generated header, or `gpucc run`";
    if (*at == '&' && (begins(text, "expected ')'") || begins(text, "expected identifier")))
        return "references are C++: pass a pointer";
    while (is_word(at[length]))
        length++;
    const char *note = note_of(at, length);
    if (note)
        return note;
    const char *word = word_before(start, at, &length);
    if (length == 8 && !strncmp(word, "operator", 8))
        return note_of(word, length);
    return !strncmp(at, "::", 2) ? "names with '::' are C++" : NULL;
}

bool tell_cplusplus(const struct parse *parse, const struct source *source, const struct diagnostic *error,
                    size_t offset)
{
    size_t length;
    const char *at = source->text + offset, *before = word_before(source->text, at, &length);
    const char *note = by_message(error->text, before, length);
    if (!note)
        note = by_source(error->text, source->text, at);
    if (note && !is_embedded(source->path))
        diagnose(parse->diagnostics, SEVERITY_NOTE, error->place, NULL, "%s", note);
    return note != NULL;
}
