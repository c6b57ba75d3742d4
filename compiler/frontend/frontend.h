/* The source as libclang sees it: annotated functions, their types, comments and places. */
#ifndef GPUCC_FRONTEND_H
#define GPUCC_FRONTEND_H

#include "bridge/bridge.h"
#include "command/command.h"

/* ---- frontend.c: libclang (frontend.h says what its files share) ---- */

/* What the type variables stand for in one pass over the file. */
struct binding {
    size_t count;
    struct bound {
        const char *name; /* of the type variable */
        enum dtype dtype;
    } *variables;
};

enum type_kind { TYPE_VOID, TYPE_SCALAR, TYPE_POINTER, TYPE_STRUCT, TYPE_OTHER };

struct type {
    enum type_kind kind;
    const char *spelling;     /* C, after decay and binding: "const float *", "struct params" */
    enum dtype dtype;         /* of a scalar, or of the element that a pointer or array leads to; else NONE */
    const char *variable;     /* the type variable that dtype comes from, or null */
    size_t size, align;       /* bytes */
    size_t element_size;      /* of a pointer: bytes of its innermost element; 0 for void or incomplete */
    bool is_const;            /* what the pointer points to */
    size_t dimension_count;   /* of an array parameter */
    const char **dimensions;  /* outermost first: a parameter's name, a number, an expression; "": not in the type */
    const struct record *record; /* the struct that it is, or points to; or null */
};

/* A struct that has a name. */
struct record {
    const char *name, *spelling; /* "point", and "struct point" or, without a tag, "point" */
    bool has_tag;
    bool in_source;              /* defined in the source itself, not in a header */
    bool plain;                  /* a host's compiler lays these members out alike */
    size_t size, align;          /* bytes */
    struct member *members;
    size_t member_count;
};

struct member {
    const char *name; /* "" of an unnamed struct or union */
    struct type type; /* of a pointer: no more than that it is one */
    size_t offset;    /* bytes; of a bit-field, of the byte in which it begins */
    bool is_bit_field;
};

/* reference(NAME), reference(inverse(NAME), within(2)) */
struct reference {
    const char *name;
    bool is_inverse;
    double within;      /* units in the last place; negative: not said */
    struct place place; /* of the name */
};

struct parameter {
    const char *name; /* "" where the prototype has none */
    struct type type;
    struct place place;
};

enum function_kind { FUNCTION_UFUNC, FUNCTION_GUFUNC, FUNCTION_KERNEL, FUNCTION_DEVICE };

struct function {
    enum function_kind kind;
    const char *name;
    const char *doc;             /* the comment above, without its marks; "" where there is none */
    struct place place;          /* of the name */
    const char *annotation;      /* what stands in vectorize(…), as written; "" for kernels */
    /* Of the first character inside the parentheses.  Where the text is not in the source, because a macro wrote
     * the annotation, this is that macro's use, and `length` its name's. */
    struct place annotation_place;
    const char *identity;        /* what stands in identity(…), or null where there is none */
    struct place identity_place, reorderable_place, cooperative_place; /* of the annotations; no file: none */
    const struct reference *reference; /* or null */
    bool is_plain;               /* not annotated, but what a reference(…) names, where that is asked for */
    struct type result;
    struct parameter *parameters;
    size_t parameter_count;
    size_t parameter_bytes;      /* of a kernel: what its parameters take in all */
    bool expect_low_occupancy, fast_math, has_launch_bounds, has_max_registers, has_cluster;
    bool invalid;                /* Clang found fault with it: no further complaints */
    struct place assembly;       /* inline assembly, its own or of what it calls; no file: none */
    const char *assembly_in;     /* the function where that stands */
    const char **variables;      /* the type variables it uses, itself or through what it calls */
    size_t variable_count;
    const char *prototype;       /* its type as C has it, with every size that is no number as '*' */
    const char *by;              /* of a fused reduction: the function that combines the elements it makes; else null */
};

/* fuse(name, expression) */
struct fuse {
    const char *name, *expression;
    const char *doc;    /* the comment above */
    const char *by;     /* of reduce(by, …); else null */
    struct place place; /* of `fuse` */
    struct place start; /* of the expression; of `fuse` where the text is not in the source */
    bool is_in_source;
};

/* ---- test(name, kernel(arguments…), clauses…) ---- */

/* C, whose value the test's driver (test_drivers.c) writes where `cell` says. */
struct test_value {
    const char *text;
    struct place place;
    const char *type; /* as C has it */
    size_t cell;      /* bytes behind the beginning of the cells */
};

struct test_values {
    struct test_value *items;
    size_t count;
};

/* What an array is filled with. */
enum test_fill {
#define TEST_FILL(id, word, least, most, kinds, usage) TEST_FILL_##id,
#include "frontend/test_fills.def"
    TEST_FILL_FILE
};

struct test_array {
    enum test_fill fill;
    const char *path;            /* of a file */
    struct test_values numbers;  /* in the parentheses: float64 */
    struct test_values extents;  /* in the brackets; none: what the parameter's type says */
    struct place place;
};

struct test_argument {
    bool is_array;
    struct test_value value; /* of a scalar or a struct */
    struct test_array array;
};

/* How far numbers may be apart: by none of these, not at all; else what one of them allows is enough. */
struct tolerance {
    bool any; /* by as much as they like */
    struct test_values ulps, absolute, relative; /* one, or none */
};

/* A plain function of the file that works on a test's arrays. */
struct test_function {
    const char *name;
    const struct parameter *parameters;
    size_t parameter_count;
    int step;                  /* of the driver, which calls it */
    const enum dtype *dtypes;  /* of the kernel's parameters: what it takes them as; NONE: as the kernel does */
};

enum test_clause {
#define TEST_CLAUSE(id, word, least, most, usage) TEST_CLAUSE_##id,
#include "frontend/test_clauses.def"
    TEST_CLAUSE_COUNT
};

/* What must hold after the launch. */
struct test_claim {
    enum test_clause clause;       /* REFERENCE, HOLDS, EXPECT */
    struct place place;
    struct test_function function; /* of the first two */
    size_t parameter;              /* of EXPECT: the kernel's */
    struct test_array array;
    struct tolerance within;
};

struct test_axis {
    const char *name;
    bool is_any;                /* any(…): whole numbers from the first value to the second one */
    struct test_values values;
    struct test_value told; /* the one of a case, as float64 */
};

struct test {
    const char *name, *text;         /* the text: all between the parentheses */
    struct place place, start;       /* of `test`, and of the text */
    const struct function *kernel;
    struct test_argument *arguments; /* of each parameter */
    struct test_axis *axes;          /* each(…) and any(…) */
    size_t axis_count;
    struct test_values threads, grid, block, shared, seed, schedules;
    struct test_function *prepares;
    size_t prepare_count;
    struct test_claim *claims;
    size_t claim_count;
    struct tolerance devices;        /* how far they may be apart */
    bool unchecked;                  /* checks(none) */
    unsigned checks;                 /* enum check; 0: all */
    int step_count;
    size_t cell_size, verdict_cell;  /* bytes; where the driver writes whether a property holds: an int */
    const char *driver;              /* the name of the function that test_drivers.c writes */
};

struct typevar {
    const char *name;
    enum dtype *dtypes;
    size_t dtype_count;
    struct place place;
};

struct definition {
    const char *name;
    struct place place;
    bool is_variable, is_private; /* private: static, or inline */
};

/* A variable at file scope that hosts reach by name. */
struct global {
    const char *name, *doc;
    struct place place;
    struct type type; /* as type_of_variable() has it */
    bool is_constant; /* in constant memory */
};

/* A function or variable that device code uses and that this file only declares. */
struct external {
    const char *name;
    const char *prototype;     /* as in struct function; of a variable "" */
    struct place use, place;   /* the first use, the declaration */
    bool is_variable;
    bool is_math;              /* <math.h> has one of that name */
};

/* A function of Clang's own that device code uses. */
struct builtin {
    const char *name; /* "__builtin_nanf" */
    struct place use; /* the first */
};

/* One in constant memory. */
struct constant {
    const char *name;
    struct place place;
    size_t size, align;
};

/* One source file. */
struct unit {
    const char *path;
    const char *text; /* what the parsers read as that file's: C, with nothing but C++'s spellings elsewhere, and fused
                         functions behind */
    size_t text_size;
    const struct spelling *spelling; /* how the texts of the source and of its own headers differ from the files; null,
                                        like `namespaces`, where they are not read as CUDA's */
    struct namespaces *namespaces; /* of the scopes that the texts have no more */
    const struct lookups *lookups; /* which headers of its own were looked for on the way */
    bool is_bare_cuda;     /* a .cu file without a header of CUDA's, which CUDA's compiler includes by itself */
    const char *own_names; /* what <gpucc/cuda.h> ends with for this program's sake; null: nothing */
    struct definition *definitions; /* every function and file-scope variable that the user's files define */
    size_t definition_count;
    struct external *externals;     /* each once */
    size_t external_count;
    struct builtin *builtins;       /* each once */
    size_t builtin_count;
    struct function *functions; /* the annotated ones, in the order of their definitions */
    size_t function_count;
    struct typevar *typevars;
    size_t typevar_count;
    struct fuse *fuses;
    size_t fuse_count;
    struct test *tests;
    size_t test_count;
    size_t source_size;    /* bytes of the text that are the source's; behind them stands what was written for it */
    struct global *globals;
    size_t global_count;
    struct constant *constants;
    size_t constant_count;
    struct declaration *declarations; /* the annotated functions and the globals, as texts (bridge.h) */
    size_t declaration_count;
    bool fast_math;        /* a function is marked so */
    struct include *includes; /* files read, the source first, then in order; none of the compiler's own */
    size_t include_count;
};

/* Parses one source under a binding (null: none).  Tells Clang's diagnostics and those about annotations that need
 * no signature; `quiet` tells errors only (for the passes after the first).  Null when nothing can be made of the file;
 * after lesser errors the unit is there, so that more can be told in one go: ask diagnostics_errors(). */
struct unit *frontend(const struct options *options, const char *path, const struct binding *binding, bool quiet,
                      struct diagnostics *diagnostics);
/* ---- spelling.c ---- */

/* Sets what the parsers read of the source and its own headers: the unit's text, spelling, lookups, namespaces and
 * own_names, in the arena. */
void spell_as_c(const struct options *options, const struct source *source, struct unit *unit, struct arena *arena);

/* ---- own_headers.c: paths are as Clang has them; what no file of the spelling is stays ---- */

struct insertions;

/* The source with the headers of its own, as one text in which each stands where it is first included. */
struct spelling *spelling_new(const struct options *options, const struct source *source, struct arena *arena);
struct source spelling_whole(const struct spelling *all);
/* Makes the files' texts of what has become of the whole, as long, with insertions (null: none) into it. */
void spelling_cut(struct spelling *all, const char *text, const struct insertions *insertions);
/* The source's text; NUL-terminated. */
const char *spelling_text(const struct spelling *all, size_t *size);
const struct lookups *spelling_lookups(const struct spelling *all);
/* The headers' texts, by each path that leads there; of null none. */
struct embedded_file *spelled_headers(const struct spelling *all, struct arena *arena, size_t *count);
/* Where in the file that stands which is there in its text. */
unsigned spelling_column(const void *spelling, const char *path, unsigned line, unsigned column);
size_t spelling_offset(const struct spelling *all, const char *path, size_t offset);
/* Where it stands in the whole; SIZE_MAX in no file of the spelling. */
size_t spelling_place(const void *spelling, const char *path, size_t offset);
/* Whether something was inserted there in the file. */
bool spelling_inserts(const struct spelling *all, const char *path, size_t offset);

/* ---- namespaces.c: offsets are bytes into the whole of a spelling; texts live as long as the arena ---- */

/* The namespaces without which the compiler's own headers declare what C++ has in them. */
#define KNOWN_NAMESPACES {"std", "cooperative_groups", "cuda", "nvcuda", "wmma", "precision", "thread_scope"}

struct namespaces *namespaces_new(struct arena *arena);
/* The same to be asked with another arena, by another thread; null of null. */
struct namespaces *namespaces_for(const struct namespaces *all, struct arena *arena);
/* `namespace name { … }`: the braces' places; an outer one first. */
void namespaces_add_block(struct namespaces *all, const char *name, size_t begin, size_t end, bool is_inline);
/* `namespace name = scope;` */
void namespaces_add_alias(struct namespaces *all, const char *name, const char *scope, size_t at);
/* `using scope::name;`, or `using namespace scope;` (null), in a function's block that ends there, or SIZE_MAX. */
void namespaces_add_using(struct namespaces *all, const char *scope, const char *name, size_t at, size_t end);
/* A name behind a scope: "a::b", or "::". */
void namespaces_add_name(struct namespaces *all, const char *scope, size_t at);
/* Those names have come to stand at `to`. */
void namespaces_move_names(struct namespaces *all, size_t from, size_t end, size_t to);
/* For codegen(), whose data are the namespaces: what is wrong with a name, as C has none; null: nothing. */
const char *misnamed(void *data, const struct codegen_name *name);

/* ---- insertions.c: a text made of a source by what is inserted within its lines ---- */

struct insertions *insertions_new(struct arena *arena);
/* Puts two pieces, either may be empty, around what stands there in the source: inside of what was put there before.
 * Offsets are bytes; the pieces have no newlines and live as long as the arena. */
void insert_around(struct insertions *all, size_t begin, size_t end, const char *before, const char *after);
/* The text, in the arena.  Nothing can be inserted afterwards. */
const char *insertions_apply(struct insertions *all, const char *source, size_t size, size_t *new_size);
/* Where in the source that stands which is there in the text: of a piece, where it was inserted.  Columns are bytes
 * from 1.  Nothing (null) was inserted in a text that is the source. */
unsigned source_column(const struct insertions *all, unsigned line, unsigned column);
size_t source_offset(const struct insertions *all, size_t offset);
/* Whether a piece was inserted there in the source. */
bool is_inserted_at(const struct insertions *all, size_t source_offset);
/* Puts each into those that `place` gives, at the offset that it makes of the one here: before they are applied. */
void insertions_spread(const struct insertions *all, struct insertions *(*place)(void *data, size_t *at, bool is_end),
                       void *data);

/* ---- type_names.c ---- */

/* The gpucc name of a type that C spells so ("float" is "float32"), or null. */
const char *c_type_meaning(const char *name);
/* Null where the unit (or null) has none of this name. */
const struct typevar *find_typevar(const struct unit *unit, const char *name);
/* The nearest of the known type names and the unit's type variables to `name`, or null when none is near. */
const char *nearest_type_name(const char *name, const struct unit *unit);

/* ---- scopes.c ---- */

/* Reports each "(::", and each device and FIFO that is included, in the reading of the file for this target.  Returns
 * whether there was one: then neither libclang nor the code generator may be given the file. */
bool tell_scopes(const struct options *options, const struct unit *unit, enum target target, int arch,
                 const struct binding *binding, struct diagnostics *diagnostics);

/* ---- lookups.c ---- */

/* Both copy the path, and leave out the compiler's own headers. */
void lookups_add(struct arena *arena, struct lookups *lookups, enum lookup_kind kind, const char *path);
void lookups_see(struct arena *arena, struct lookups *lookups, enum codegen_sight sight, const char *path);
/* Preprocesses the source as libclang reads it, which does not tell what it looks for, with the type variables bound so
 * or (null) free, and calls the request's `look` and, for what is embedded, its `include`; the rest of the request but
 * `told` is filled in here. */
void look_up(const struct options *options, const struct unit *unit, const struct binding *binding,
             struct codegen_request request);

/* ---- clang_arguments.c ---- */

/* The arguments with which libclang's driver reads a file (as for the CPU), and those with which clang -cc1 compiles
 * it for `target` (and compute capability `arch`).  They come from the same list, so both see the same file.  What is
 * for the CPU is read as for the lowest architecture that is asked for. */
const char **driver_arguments(const struct options *options, const struct unit *unit, const struct binding *binding,
                              size_t *count);
const char **cc1_arguments(const struct options *options, enum target target, int arch, const struct unit *unit,
                           const struct binding *binding, size_t *count);
/* The files that are no files: the compiler's own headers, and what the unit adds to them. */
const struct embedded_file *virtual_files(const struct options *options, const struct unit *unit, size_t *count);

/* ---- precompiled.c ---- */

/* What was made with this name below PRECOMPILED_ROOT, or null. */
const struct embedded_file *precompiled_find(const char *name);
/* The precompiled headers that say what the unit's first lines say, for a reading ("sm_75", and "tree-" or "cpu-" and
 * the native target); null where there are none, or where other headers could come of the options. */
const struct embedded_file *precompiled_headers(const struct options *options, const struct unit *unit,
                                                const char *reading);
/* Whether that header is among them: "math.h". */
bool precompiled_has(const struct embedded_file *file, const char *header);
/* Makes such a file, for the native target's tree, of a unit of nothing but includes; false: not a file, or none that
 * counts. */
bool precompile_tree(const struct options *options, const struct unit *unit, const char *out);
/* Of libclang as it is loaded, in the arena. */
const char *libclang_version(struct arena *arena);
/* Its bytes as a file without a name, for the caller to close; negative where there can be none. */
int file_in_memory(const struct embedded_file *file);

#endif
