/* Explains C++ constructs that C lacks: a note on Clang's error names the construct and its replacement in C. */
#include "spelling/spelling.h"

#include <ctype.h>
#include <string.h>

/* `word` in the source, with the errors that it leads to. */
struct feature {
    const char *word, *note;
};

#define CONVERSIONS                                                                                                    \
    "a conversion or a constructor written as a call is C++: write (type)value, or (type){values}"
#define MEMBERS "member functions and constructors are C++: write a function that takes the struct"
#define LAUNCHES                                                                                                       \
    "launches with <<<...>>> are C++, and host code: launch through the generated header, or `gpucc run`"
#define LIBRARY "the namespace std is C++: use C's functions"

#define GROUPS                                                                                                         \
    "the cooperative groups are thread_block, grid_group, thread_block_tile, coalesced_group and thread_group; "       \
    "docs/reference/cuda.md lists their functions"

#define FRAGMENTS                                                                                                      \
    "unsupported WMMA fragment: docs/reference/cuda.md lists the supported ones, which need <mma.h> included in this " \
    "file; <gpucc/matrix.h> has others"
#define TEXTURES                                                                                                       \
    "unsupported texture or surface access: <gpucc/texture.h> lists the functions; a type is float, an integer of up " \
    "to 32 bits, or a vector of them; mipmaps and cube maps are unsupported"

static const struct feature words[] = {
    {"template", "templates are C++: write the function for each type, or let typevar(T, ...) do it"},
    {"typename", "templates are C++: write the function for each type, or let typevar(T, ...) do it"},
    {"class", "classes are C++: use a struct, and functions that take it"},
    {"public", "access to members is C++: in a C struct all are public"},
    {"private", "access to members is C++: in a C struct all are public"},
    {"this", "'this' is C++: pass the struct"},
    {"using", "this use of 'using' is C++: use typedef"},
    {"namespace", "this namespace is C++: leave it out"},
    {"constexpr", "'if constexpr' is C++: write if, or #if"},
    {"operator", "user-defined operators are C++: use a function"},
    {"new", "'new' is C++: use arrays of fixed size, or shared memory"},
    {"delete", "'delete' is C++"},
    {"static_cast", "a cast to such a type is C++: write (type)value, or *(type *)&value for a reference"},
    {"reinterpret_cast", "a cast to such a type is C++: write (type)value, or *(type *)&value for a reference"},
    {"const_cast", "a cast to such a type is C++: write (type)value, or *(type *)&value for a reference"},
    {"std", LIBRARY},
    {"cg", GROUPS},
    {"cooperative_groups", GROUPS},
    {"wmma", FRAGMENTS},
    {"fragment", FRAGMENTS},
    {"nvcuda", FRAGMENTS},
    {"texture", TEXTURES},
    {"surface", TEXTURES},
    {"cudaTextureObject_t", TEXTURES},
    {"cudaSurfaceObject_t", TEXTURES},
    {"thrust", "Thrust is C++"},
    {"cub", "CUB is C++: use warp operations, atomics and shared memory"},
};

/* Types of C++'s library that stand without their scope where `using` brings them. */
static const char *const library_types[] = {"string", "vector", "map", "set", "pair", "list", "function", "ostream",
                                            "unordered_map", "initializer_list", "tuple"};

/* Prefixes of functions that read or write textures and surfaces. */
static const char *const accesses[] = {"tex1D", "tex2D", "tex3D", "texCubemap", "surf1D", "surf2D", "surf3D",
                                       "surfCubemap"};

static const struct feature headers[] = {
    {"'cooperative_groups/", GROUPS},
    {"'cuda/std/", "<cuda/std/...> is supported for C's headers, such as <cuda/std/cstdint>; the others are C++"},
    {"'thrust/", "Thrust is C++"},
    {"'cub/", "CUB is C++: use warp operations, atomics and shared memory"},
    {"'iostream'", "<iostream> is C++: host code belongs to a file of its own"},
    {"'vector'", "<vector> is C++: host code belongs to a file of its own"},
    {"'string'", "<string> is C++: host code belongs to a file of its own"},
};

/* The word that ends before `p`, blanks apart; empty if there is none. */
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
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
        if (begins(word, accesses[i]))
            return TEXTURES;
    return NULL;
}

/* Whether the error's text speaks of 'float4' or another of <gpucc/vector.h>'s types, which are structs. */
static bool is_vector_name(const char *text)
{
    static const char *const names[] = {"char", "short", "int", "long", "longlong", "float", "double"};
    static const char kind[] = "struct ";
    for (const char *name = text; (name = strstr(name, kind)); name++) {
        const char *at = name + strlen(kind), *stem = at + (*at == 'u');
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (begins(stem, names[i]) && stem[strlen(names[i])] && strchr("1234", stem[strlen(names[i])]) &&
                stem[strlen(names[i]) + 1] == '\'')
                return true;
    }
    return false;
}

static bool is_about_operands(const char *text)
{
    return begins(text, "invalid operands to binary expression") ||
           (begins(text, "invalid argument type") && strstr(text, "unary expression"));
}

/* Finds the construct by the error's text. */
static const char *by_message(bool is_cuda, const char *text)
{
    if (strstr(text, "'__auto_type'") || strstr(text, "variable with type '__auto_type"))
        return "'auto' for a parameter, or without a value, is C++: write the type";
    if (begins(text, "at most one overload for a given name") ||
        (begins(text, "conflicting types for") && is_cuda))
        return "overloaded functions are C++: give each function its own name";
    if (begins(text, "invalid operands to binary expression") && strstr(text, "2' (aka 'union gpucc_"))
        return "operators of pairs are C++: write __hadd2(a, b), __hsub2, __hmul2, __hfma2(a, b, c)";
    if (is_about_operands(text) && is_vector_name(text))
        return "operators of vector types are C++: compute with their members";
    if (is_about_operands(text) && strstr(text, "struct "))
        return "operators of structs are C++: compute with their members, or call a function";
    if (begins(text, "C does not support default arguments"))
        return "default arguments that are not constants, or of overloaded functions, are C++: write every argument in "
               "the call";
    if (strstr(text, "'__half_raw'") || strstr(text, "'__nv_bfloat16_raw'"))
        return "conversions between a 16-bit float and its bits are C++: write __ushort_as_half(bits), "
               "__ushort_as_bfloat16(bits), __half_as_ushort(x), __bfloat16_as_ushort(x)";
    if (strstr(text, "'__nv_fp8"))
        return "cuda_fp8.h's types do not convert themselves: write __nv_cvt_fp8_to_halfraw(x.__x, __NV_E4M3) and kin";
    if (begins(text, "field '") && strstr(text, "declared as a function"))
        return MEMBERS;
    if (strstr(text, "'enum class'") || strstr(text, "'enum struct'"))
        return "scoped enumerations are C++: write enum, with constants of distinct names";
    if (begins(text, "unknown type name 'GPUCC_BARRIER_OF_"))
        return "<cuda/barrier> is supported as barrier<thread_scope_block>; use grid_sync() between blocks";
    if (begins(text, "unknown type name 'namespace'"))
        return "a namespace opened by a macro with parameters is C++: write it without the macro";
    if (begins(text, "no matching function for call to 'gpucc_member_"))
        return "such a call is one of a group's member; of a struct's own function pointer, write (s.name)(...)";
    for (size_t i = 0; strstr(text, "file not found") && i < sizeof headers / sizeof *headers; i++)
        if (begins(text, headers[i].word))
            return headers[i].note;
    return NULL;
}

/* Whether a struct's body is around this place: `struct NAME {`. */
static bool is_in_struct(const char *start, const char *at)
{
    static const char kind[] = "struct";
    for (int depth = 0; at > start && depth >= 0;) {
        at--;
        depth += (*at == '}') - (*at == '{');
    }
    while (at > start && !strchr(";{}()=", at[-1])) {
        at--;
        if (begins(at, kind) && !is_word(at[strlen(kind)]))
            return true;
    }
    return false;
}

/* Names the construct of `for (auto x : list)` or `if (int x = f(); x > 0)`, if `at` is in its parentheses; or null. */
static const char *in_head(const char *start, const char *at)
{
    const char *open = at;
    int depth = 0;
    while (open > start && open[-1] != '\n' && depth >= 0) {
        open--;
        depth += (*open == ')') - (*open == '(');
    }
    size_t length, size = 1;
    const char *word = word_before(start, open, &length);
    for (depth = 1; *open == '(' && open[size] && open[size] != '\n' && depth; size++)
        depth += (open[size] == '(') - (open[size] == ')');
    const char *colon = memchr(open, ':', size), *semicolon = memchr(open, ';', size);
    if (length == 3 && !strncmp(word, "for", 3) && colon && !semicolon)
        return "a loop over the elements of an array is C++: write for (int i = 0; i < n; i++)";
    if (length == 2 && !strncmp(word, "if", 2) && semicolon)
        return "an 'if' with a declaration is C++: declare the variable before it";
    return NULL;
}

/* Hints by the source at the error's place. */
static const char *by_source(const char *text, const char *start, const char *at)
{
    size_t length = 0;
    if (at - start >= 2 && *at == '<' && at[-1] == '<' && at[-2] == '<')
        return LAUNCHES;
    if (begins(text, "expected ") && in_head(start, at))
        return in_head(start, at);
    if (*at == '&' && (begins(text, "expected ')'") || begins(text, "expected identifier") ||
                       begins(text, "expected member name")))
        return "this reference is C++, as are references in members and in kernel parameters, and '&&': write a "
               "pointer";
    while (is_word(at[length]))
        length++;
    if (length && begins(at + length + strspn(at + length, " "), "<<<"))
        return LAUNCHES;
    const char *note = note_of(at, length);
    if (!note && length && !strncmp(at + length, "::", 2))
        return begins(text, "variable has incomplete type") ? MEMBERS : "names with '::' are C++";
    if (!note && length && strstr(text, "expected expression") && at[length + strspn(at + length, " ")] == '(')
        return CONVERSIONS;
    if (!note && at - start >= 2 && !strncmp(at - 2, "::", 2)) { /* of which the parser has read the name alone */
        size_t scope_length;
        const char *scope = word_before(start, at - 2, &scope_length);
        note = note_of(scope, scope_length);
    }
    if (note)
        return note;
    const char *word = word_before(start, at, &length);
    if (length == 8 && !strncmp(word, "operator", 8))
        return note_of(word, length);
    return !strncmp(at, "::", 2) ? "names with '::' are C++" : NULL;
}

/* Hints for CUDA sources on errors that C programs may have too. */
static const char *in_cuda(const char *text, const char *start, const char *at)
{
    static const char unknown[] = "unknown type name '";
    if (begins(text, "expected expression") && *at == '[' && at[1] && strchr("&=]", at[1]))
        return "lambda expressions are C++: write a function, or a macro";
    if (begins(text, "expected expression") && *at == '{')
        return "braces without a type are C++ here: write (type){...}";
    if (is_in_struct(start, at) && (begins(text, "expected ')'") || begins(text, "type name requires") ||
                                    begins(text, "field has incomplete type")))
        return MEMBERS;
    if (begins(text, "type name does not allow") || begins(text, "expected member name or ';'"))
        return MEMBERS;
    if ((begins(text, "used type") || begins(text, "operand of type")) &&
        strstr(text, "arithmetic or pointer type is required"))
        return CONVERSIONS;
    if (begins(text, "expected ';' at end of declaration list"))
        return "default member initializers are C++: initialize each variable";
    if (begins(text, "initializer element is not a compile-time constant"))
        return "constexpr is C++: write the value, or a macro";
    for (size_t i = 0; begins(text, unknown) && i < sizeof library_types / sizeof *library_types; i++) {
        const char *name = text + strlen(unknown);
        if (begins(name, library_types[i]) && name[strlen(library_types[i])] == '\'')
            return LIBRARY;
    }
    return NULL;
}

/* Whether an address is taken there that the source does not take, and cannot be. */
static bool is_about_reference(const struct spelling *spelling, const struct source *source, const char *text,
                               size_t offset)
{
    return (begins(text, "controlling expression type") || begins(text, "cannot take the address of") ||
            begins(text, "address of bit-field")) &&
           spelling_inserts(spelling, source->path, offset);
}

const char *cplusplus_note(const struct spelling *spelling, bool is_cuda, const struct source *source,
                           const char *error, size_t offset)
{
    const char *at = source->text + offset, *note = by_message(is_cuda, error);
    if (!note)
        note = by_source(error, source->text, at);
    if (!note && is_cuda)
        note = in_cuda(error, source->text, at);
    if (!note && is_about_reference(spelling, source, error, offset))
        note = "a non-const reference must refer to a variable of its own type";
    return note;
}
