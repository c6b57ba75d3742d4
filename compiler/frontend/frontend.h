/* The source as libclang sees it: annotated functions, their types, comments and places. Units live in the options'
 * arena; strings of theirs do too. Errors are diagnostics with a place. One thread parses one source. */
#ifndef GPUCC_FRONTEND_H
#define GPUCC_FRONTEND_H

#include "bridge/bridge.h"
#include "command/command.h"
#include "spelling/spelling.h"

/* ---- frontend.c: libclang (frontend_internal.h declares what its files share) ---- */

/* The types of the type variables in one pass over the file. */
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

/* The statements that make a ufunc of others. */
enum fuse_kind { FUSE_EXPRESSION, FUSE_GRADIENT, FUSE_TANGENT, FUSE_ADJOINT };

enum function_kind { FUNCTION_UFUNC, FUNCTION_GUFUNC, FUNCTION_KERNEL, FUNCTION_DEVICE };

struct function {
    enum function_kind kind;
    const char *name;
    const char *doc;             /* the comment above, without its marks; "" if there is none */
    struct place place;          /* of the name */
    const char *annotation;      /* what stands in vectorize(…), as written; "" for kernels */
    /* The place of the first character inside the parentheses.  Where the text is not in the source, because a macro
     * wrote the annotation, this is that macro's use, and `length` its name's. */
    struct place annotation_place;
    const char *identity;        /* what stands in identity(…), or null if there is none */
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
    const char *tiles;           /* of a product: the function by which blocks of threads make its tiles; else null */
    const char *warpgroups;      /* of a product: the function of a tile on Hopper; null where it has none */
    bool multiplies_tf32;        /* a product, of float32 elements without their last 13 bits */
    bool multiplies_plain;       /* a product, of matrices as they lie */
    const char *derivative_of;   /* of gradient(…), tangent(…), adjoint(…): the function that is derived; else null */
    enum fuse_kind derivative;   /* which of these */
    const char **partials;       /* the functions that derivative(…) names */
    size_t partial_count;
    struct place partials_place; /* of the annotation; no file: none */
    bool is_declared;            /* only a prototype, which is annotated: the body is in another file */
    const char **externals;      /* functions and variables of other files that it reaches */
    size_t external_count;
    struct place static_write;   /* the first write of a static or global variable that it reaches; no file: none */
    const char *written;         /* that variable */
    const char *for_kernels;     /* what it reaches in this file that only threads of a grid have, or null */
};

/* Before the number and name of the function of a reduction inside a fused expression. */
#define REDUCTION_PREFIX "gpuccreduce"

/* fuse(name, expression), gradient(name, f) … */
struct fuse {
    enum fuse_kind kind;
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

/* The contents of an array. */
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

/* The claims about the result of a launch. */
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
    struct test_value as_real; /* the one of a case, as float64 */
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
    bool is_weak;                 /* a definition in another file takes its place */
    const char *prototype;        /* as in struct function, of a program of several files; of a variable its type */
};

/* A variable at file scope that hosts reach by name. */
struct global {
    const char *name, *doc;
    struct place place;
    struct type type; /* as type_of_variable() has it */
    bool is_constant; /* in constant memory */
};

/* The calls by which an annotated function reaches another function, the innermost first. */
struct chain {
    const char *function;     /* that is reached */
    struct place call;        /* the call of it, in next->function; no file: the function is annotated */
    const struct chain *next; /* or null */
};

/* A function or variable that device code uses and that this file only declares. */
struct external {
    const char *name;
    const char *prototype;     /* as in struct function; of a variable its type */
    struct place use, place;   /* the first use, the declaration */
    const struct chain *chain; /* of the function that the first use stands in; or null */
    bool is_variable;
    bool is_math;              /* <math.h> has one of that name */
    bool is_host;              /* C's library has it on hosts alone */
    bool is_annotated;         /* the declaration has an annotation, which is the first use */
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
    const struct lookups *lookups; /* which headers of its own were looked up on the way */
    bool is_bare_cuda;     /* a .cu file without a header of CUDA's, which CUDA's compiler includes by itself */
    bool has_later_annotations; /* of functions whose body comes before; the text ends what <gpucc/later.h> begins */
    const char *own_names; /* what <gpucc/cuda.h> ends with for this program's sake; null: nothing */
    const char *own_functions; /* what <math_extensions.h> begins and ends with for its sake; null: nothing */
    struct definition *definitions; /* every function and file-scope variable that the user's files define */
    size_t definition_count;
    struct external *externals;     /* each once */
    size_t external_count;
    size_t followed;                /* externals that were looked up in the program's other files */
    struct builtin *builtins;       /* each once */
    size_t builtin_count;
    struct function *functions; /* the annotated ones, in the order of their definitions */
    size_t function_count;
    struct function *reached;   /* plain ones, and variables, that other files reach */
    size_t reached_count;
    struct parse *parse;        /* libclang's, of a program of several files: until close_unit(); else null */
    struct typevar *typevars;
    size_t typevar_count;
    const char *tiles;  /* C text that goes before the loops: functions of products' tiles; or null */
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

/* Parses one source under a binding (null: none).  Reports Clang's diagnostics and those about annotations that need no
 * signature; `quiet` reports errors only (for the passes after the first).  Null when nothing can be made of the file;
 * after lesser errors the unit is there, so that more can be reported in one go: ask diagnostics_errors(). */
struct unit *frontend(const struct options *options, const char *path, const struct binding *binding, bool quiet,
                      struct diagnostics *diagnostics);
/* Follows what another file's use of `name` reaches in this unit, whose parse is still there, and notes that in
 * unit->reached.  Tells what device code cannot do. */
void reach_unit(struct unit *unit, const char *name, const struct external *from);
/* Frees what libclang holds for the unit. */
void close_unit(struct unit *unit);
/* Tells that each element or call of this ufunc or gufunc is one thread's, if `what`, which it reaches, needs more;
 * whether it was reported. */
bool report_for_kernels(const struct function *function, const char *what, struct diagnostics *diagnostics);

/* Warns of a ufunc or gufunc that reaches the `writer`'s write of a static variable; whether it did. */
bool report_static_write(struct function *function, const struct function *writer, struct diagnostics *diagnostics);

/* ---- declared.c: the functions of a plain C library, for `gpucc wrap` ---- */

/* The accesses of a body, and of the bodies that it calls, to what a pointer parameter points to. */
struct effects {
    bool is_known;    /* a body was read, and every use of the pointer in it is understood */
    bool reads, writes;
    bool reads_first; /* some path reads before it writes */
    bool is_returned; /* the function returns the pointer */
    long long length; /* of elements that are accessed; 0: unknown */
};

/* The type of a scalar, or of an array's innermost element. */
struct written_type {
    const char *spelling;  /* as the source has it: "int64_t" */
    const char *canonical; /* without typedefs: "long" */
};

struct declared_parameter {
    const char *name;       /* "x2" of the second one, where no declaration names it */
    struct type type;
    struct written_type written;
    struct effects effects; /* of a pointer */
};

/* A function of external linkage. */
struct declared {
    const char *name, *doc;
    struct place place;
    struct type result;
    struct written_type result_written;
    struct declared_parameter *parameters;
    size_t parameter_count;
    bool is_variadic, has_prototype, has_body;
    const char *host_only; /* "'f', which calls 'malloc', which exists only on hosts": its first such call; or null */
};

struct library {
    struct declared *functions; /* of the headers, if there are any, else of the sources; each once */
    size_t function_count;
    struct names *names;        /* 1 for each function that any file declares */
};

/* Parses every input.  False after reporting errors. */
bool read_library(const struct options *options, struct library *library, struct diagnostics *diagnostics);
/* Whether the path is a header's: it does not end in .c or .cu. */
bool is_header_path(const char *path);

/* ---- derivatives.c ---- */

/* "gradient" */
const char *fuse_kind_name(enum fuse_kind kind);
/* Whether the unit has gradient(…), tangent(…) or adjoint(…). */
bool has_derivatives(const struct unit *unit);

/* ---- type_names.c ---- */

/* The gpucc name of a type that C spells so ("float" is "float32"), or null. */
const char *c_type_meaning(const char *name);
/* Null if the unit (or null) has none of this name. */
const struct typevar *find_typevar(const struct unit *unit, const char *name);
/* The nearest of the known type names and the unit's type variables to `name`, or null when none is near. */
const char *nearest_type_name(const char *name, const struct unit *unit);

/* ---- passes_scopes.c ---- */

/* Reports each "(::", and each device and FIFO that is included, in the pass over the file for this target.  Returns
 * whether there was one: then neither libclang nor the code generator may be given the file. */
bool report_scopes(const struct options *options, const struct unit *unit, enum target target, int arch,
                   const struct binding *binding, struct diagnostics *diagnostics);

/* ---- passes_lookups.c ---- */

/* Adds what the code generator's pass looked up, by lookups_add(). */
void lookups_see(struct arena *arena, struct lookups *lookups, enum codegen_probe_kind kind, const char *path);
/* Preprocesses the source as libclang reads it, which does not report its look-ups, with the type variables bound so
 * or (null) free, and calls the request's `look` and, for what is embedded, its `include`; the rest of the request but
 * `told` is filled in here. */
void look_up(const struct options *options, const struct unit *unit, const struct binding *binding,
             struct codegen_request request);

/* ---- passes_arguments.c ---- */

/* The arguments with which libclang's driver reads a file (as for the CPU), and those with which clang -cc1 compiles
 * it for `target` (and compute capability `arch`).  They come from the same list, so both see the same file.  What is
 * for the CPU is read as for the lowest architecture that is asked for. */
const char **driver_arguments(const struct options *options, const struct unit *unit, const struct binding *binding,
                              size_t *count);
const char **cc1_arguments(const struct options *options, enum target target, int arch, const struct unit *unit,
                           const struct binding *binding, size_t *count);
/* The files that are no files: the compiler's own headers, and what the unit adds to them. */
const struct embedded_file *virtual_files(const struct options *options, const struct unit *unit, size_t *count);

/* ---- later.c ---- */

/* The compiler parses this header before a unit that has later annotations. */
extern const char later_header[];

/* ---- precompiled.c ---- */

/* The precompiled header of this name below PRECOMPILED_ROOT, or null. */
const struct embedded_file *precompiled_find(const char *name);
/* The precompiled headers for the unit's first lines, in a pass ("sm_75", and "tree-" or "cpu-" and
 * the native target); null if there are none, or where other headers could come of the options. */
const struct embedded_file *precompiled_headers(const struct options *options, const struct unit *unit,
                                                const char *pass_name);
/* Whether that header is among them: "math.h". */
bool precompiled_has(const struct embedded_file *file, const char *header);
/* Makes such a file, for the native target's tree, of a unit of nothing but includes; false: not a file, or none that
 * counts. */
bool precompile_tree(const struct options *options, const struct unit *unit, const char *out);
/* The version of the loaded libclang, in the arena. */
const char *libclang_version(struct arena *arena);
/* Its bytes as a file without a name, for the caller to close; negative where there can be none. */
int file_in_memory(const struct embedded_file *file);

#endif
