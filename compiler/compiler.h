/* Everything the compiler's files share; prototypes stand under the file that defines them, in the order of the
 * pipeline that compile() in main.c lists.
 *
 * Three kinds of failure: a diagnostic, which has a place in the user's source and is collected in
 * struct diagnostics; fatal(), for an environment that failed (no file, no memory); assert(), for our own bugs.
 */
#ifndef GPUCC_COMPILER_H
#define GPUCC_COMPILER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define GPUCC_VERSION "0.1.0"

enum exit_status { EXIT_OK, EXIT_INPUT, EXIT_USAGE, EXIT_ENVIRONMENT };

/* ---- memory.c: arenas; a pointer from an arena lives until arena_free() of that arena ---- */

struct arena; /* the compilation's own is `options.arena`; freed once, at the end of main() */

struct arena *arena_new(void);
void arena_free(struct arena *arena);
void *arena_alloc(struct arena *arena, size_t size); /* zeroed, 16-aligned, never null */
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Room for one more in an array of `count` elements of `size` bytes: returns the array, moved when it was full. */
void *arena_grow(struct arena *arena, void *array, size_t count, size_t size);

/* A growing text; `data` is NUL-terminated (never null after the first append).  Memory is the arena's. */
struct text {
    struct arena *arena;
    char *data;
    size_t size, capacity;
};
void text_append(struct text *text, const char *data, size_t size);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

/* Prints "gpucc: error: …" and ends the process with EXIT_ENVIRONMENT, after discard_files(). */
_Noreturn void fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- output.c: files that appear whole or not at all ---- */

/* Writes a temporary beside `path` ("-": standard output, kept in memory), to be put in its place by
 * commit_files().  With `keep_if_same` a file that holds these bytes already is left alone, time stamp and all.
 * Ends the process where the file cannot be written. */
void write_file(const char *path, const char *data, size_t size, bool keep_if_same);
/* Puts everything that write_file() took in its place; called once, after the last of them. */
void commit_files(void);
/* Ends the process where what has been printed cannot be written. */
void finish_standard_output(void);
/* Removes the temporaries.  Safe in a signal handler; fatal() and INT, HUP and TERM do it by themselves. */
void discard_files(void);

/* ---- nearest.c ---- */

/* The candidate that `name` (of `length` bytes) is most likely a misspelling of, or null when none is near. */
const char *nearest(const char *name, size_t length, const char *const *candidates, size_t count);

/* ---- source.c: the text of the files that were read ---- */

struct sources; /* every file once */

struct source {
    const char *path, *text; /* NUL-terminated */
    size_t size;
    const size_t *lines;     /* where each line starts; lines[line_count] is the end of the text */
    size_t line_count;
};

struct sources *sources_new(struct arena *arena);
/* The file's text, from the embedded files or the disk; null when it cannot be read, and errno says why. */
const struct source *source_open(struct sources *sources, const char *path);
/* What follows the last slash. */
const char *base_name(const char *path);
/* The line (from 1) without its newline; false past the end. */
bool source_line(const struct source *source, unsigned line, const char **text, size_t *length);
/* The length of the UTF-8 sequence at `text` and its code point; 0 where there is no valid one. */
size_t utf8_decode(const char *text, size_t size, uint32_t *code);
/* The comment that ends directly above `offset`, without its marks and indentation; "" where there is none. */
const char *source_comment(const struct source *source, size_t offset, struct arena *arena);
/* Past spaces, comments and spliced lines. */
const char *skip_space(const char *text);
/* What stands between the parentheses of the annotation at `offset`, exactly as written, and its first byte's
 * offset, when it spells `stringized`, the preprocessor's version of it; null when a macro wrote it. */
const char *source_annotation(const struct source *source, size_t offset, const char *stringized,
                              struct arena *arena, size_t *start);

/* ---- linkage.c ---- */

/* The source's text without C++'s `extern "C"`; nothing else stands elsewhere.  The source's own, or the arena's. */
const char *without_linkage(const struct source *source, struct arena *arena);

/* ---- types ---- */

enum dtype {
#define DTYPE(name, code, c_type, size, kind) DTYPE_##name,
#include <gpucc/dtypes.def>
#undef DTYPE
    DTYPE_COUNT,
    DTYPE_NONE = DTYPE_COUNT
};

/* types.c; all take a value below DTYPE_COUNT */
const char *dtype_name(enum dtype dtype);   /* "float32" */
const char *dtype_code(enum dtype dtype);   /* "f32" */
const char *dtype_c_type(enum dtype dtype); /* "float" */
size_t dtype_size(enum dtype dtype);        /* bytes */
char dtype_kind(enum dtype dtype);          /* b i u f c */
enum dtype dtype_from_name(const char *name, size_t length); /* or DTYPE_NONE */

/* ---- options.c ---- */

enum artefact { ARTEFACT_PTX, ARTEFACT_JSON, ARTEFACT_HEADER, ARTEFACT_OBJECT, ARTEFACT_LL, ARTEFACT_BC };

struct output {
    enum artefact kind;
    const char *path; /* "-" is standard output */
};

enum debug_info { DEBUG_NONE, DEBUG_LINES, DEBUG_FULL };
enum stage_dump { DUMP_NONE, DUMP_INSTANCES, DUMP_LOOPS, DUMP_CODEGEN, DUMP_LOWER };

enum { ARCH_SPECIFIC = 0x1000 }; /* 90 | ARCH_SPECIFIC is sm_90a */

/* What -fsanitize takes. */
enum check { CHECK_BOUNDS = 1, CHECK_ALIGNMENT = 2 };

struct options {
    struct arena *arena;
    struct sources *sources;
    const char *program;          /* argv[0] */
    const char **inputs;          /* paths of the sources; at least one */
    size_t input_count;
    const char **linked;          /* paths of what is linked to them: .ptx .bc .ll */
    size_t linked_count;
    struct output *outputs;
    size_t output_count;
    int *archs;                   /* 75, 90 …, ascending, each once; 90 | ARCH_SPECIFIC for sm_90a */
    size_t arch_count;
    const char **clang_arguments; /* -I -D -U -include -isystem -std= -W… -w -Werror, in order, for both parsers */
    size_t clang_argument_count;
    int optimization;             /* 0 … 3 */
    const char *processor;        /* of native code: x86-64-v3 or x86-64-v4 */
    enum debug_info debug;
    unsigned checks; /* enum check */
    bool fast_math, no_short_names, embed, syntax_only, verbose, json_diagnostics, resources;
    bool warnings_are_errors, no_warnings;
    bool emulate;                 /* also make the GPU entries as native kernels (tests without a GPU) */
    bool libdevice;               /* NVIDIA's math library on the GPU */
    const char *libdevice_path;   /* where it is, or null */
    int max_registers;            /* 0: no limit */
    enum stage_dump dump;
    /* dependency files, as in GCC: -M -MM -MD -MMD -MF -MT -MQ -MP */
    bool deps, deps_only, deps_skip_system, deps_phony;
    const char *deps_path;
    const char *deps_targets;     /* already quoted and separated by spaces; null: the outputs */
};

/* Reads the command line of a compilation into `options`, whose arena it makes where there is none.  Ends the
 * process after --help and the like, and with EXIT_USAGE after telling what is wrong. */
void options_parse(struct options *options, int argc, char **argv);
/* For `gpucc run`: takes what says how to read and compile the source (-I -D -O … --fast-math) and hands back
 * everything else, argv[0] first and in order, response files expanded; *argc becomes its count. */
char **options_extract(struct options *options, int *argc, char **argv);
/* Adds the source, or the file to link, that the command line calls `word`; a usage error where it is there already. */
void options_add_input(struct options *options, const char *word);
/* The newest that a device of this compute capability (75, 90 …) runs PTX for. */
int newest_arch(int capability);
/* Whether the path's suffix says that it is to be linked: .ptx .bc .ll */
bool is_linkable(const char *path);
/* "sm_75", "sm_90a" */
const char *arch_name(const struct options *options, int arch);
/* The first source's base name without its suffix: what outputs without a name are called. */
const char *options_stem(const struct options *options);
/* Prints "gpucc: error: …" and ends the process with EXIT_USAGE. */
_Noreturn void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- diagnostics.c ---- */

struct place {
    const char *file;      /* null: no place */
    unsigned line, column; /* from 1, columns in bytes */
    unsigned length;       /* bytes to underline; 0 or 1: a caret alone */
};

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR, SEVERITY_FATAL };

struct diagnostics; /* collects, sorts nothing, prints at once; counts errors */

struct diagnostics *diagnostics_new(const struct options *options);
struct range {
    unsigned column, length; /* on the diagnostic's line, in bytes */
};

struct diagnostic {
    enum severity severity;
    struct place place;
    const char *option;         /* the warning's flag, "-Wdouble-promotion", or null */
    const char *text;
    const struct range *ranges; /* to underline besides the place's own length */
    size_t range_count;
    const char *insertion;      /* what Clang would insert at the caret, or null */
};

/* Prints `file:line:col: error: text`, the source line and a caret (or one JSON object a line); honours -w, -W…,
 * -Wno-… and -Werror; a note belongs to the diagnostic before it.  Equal diagnostics are told once. */
void report(struct diagnostics *diagnostics, const struct diagnostic *diagnostic);
void diagnose(struct diagnostics *diagnostics, enum severity severity, struct place place, const char *option,
              const char *format, ...) __attribute__((format(printf, 5, 6)));
size_t diagnostics_errors(const struct diagnostics *diagnostics);
/* "2 errors generated." as clang ends. */
void diagnostics_summary(struct diagnostics *diagnostics);
/* Says that `file` was included from `place`, for the "In file included from" lines; the arguments are copied. */
void diagnostics_included(struct diagnostics *diagnostics, const char *file, struct place place);
/* Prints what a JSON diagnostic holds back while it waits for its notes; before anything that may crash. */
void diagnostics_flush(struct diagnostics *diagnostics);

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
    const char *name;
    struct type type; /* of a pointer: no more than that it is one */
};

struct parameter {
    const char *name; /* "" where the prototype has none */
    struct type type;
    struct place place;
};

/* Bytes of a kernel's parameters: on every architecture, and from sm_70 on with PTX ISA 8.1. */
enum { PARAMETER_SPACE = 4096, LARGE_PARAMETER_SPACE = 32764 };

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

/* One source file. */
/* One in constant memory. */
struct constant {
    const char *name;
    struct place place;
    size_t size, align;
};

struct unit {
    const char *path;
    struct definition *definitions; /* every function and file-scope variable that the user's files define */
    size_t definition_count;
    struct external *externals;     /* each once */
    size_t external_count;
    struct function *functions; /* the annotated ones, in the order of their definitions */
    size_t function_count;
    struct typevar *typevars;
    size_t typevar_count;
    struct global *globals;
    size_t global_count;
    struct constant *constants;
    size_t constant_count;
    bool fast_math;        /* a function is marked so */
    const char **macros;   /* that the user's files define */
    size_t macro_count;
    const char **includes; /* files read, the source first, then in order; none of the compiler's own */
    bool *include_is_system;
    size_t include_count;
};

/* Parses one source under a binding (null: none).  Tells Clang's diagnostics and those about annotations that need
 * no signature; `quiet` tells errors only (for the passes after the first).  Null when nothing can be made of the file;
 * after lesser errors the unit is there, so that more can be told in one go: ask diagnostics_errors(). */
struct unit *frontend(const struct options *options, const char *path, const struct binding *binding, bool quiet,
                      struct diagnostics *diagnostics);

/* ---- signatures.c ---- */

struct type_name {
    enum dtype dtype;     /* or NONE, then: */
    const char *variable; /* a type variable */
    struct place place;
};

struct signature {
    struct type_name *inputs, *outputs;
    size_t input_count, output_count;
    struct place place;
};

/* Parses the text of vectorize(…): zero or more `out(in, …)` or `(out, …)(in, …)`.  `text` is what stands between
 * the parentheses, `place` its first character.  False after telling what is wrong. */
bool parse_signatures(const char *text, struct place place, const struct unit *unit, struct arena *arena,
                      struct diagnostics *diagnostics, struct signature **signatures, size_t *count);
/* What stands in guvectorize(…): "(m,n),(n,p)->(m,p)". */
struct core_dimension {
    const char *name;    /* null for one of fixed size */
    size_t size;         /* of such a one, else 0 */
    size_t parameter;    /* the C function's parameter that takes its extent (named ones) */
    struct place place;
};

struct operand_layout {
    size_t *dimensions;  /* indices into layout.dimensions, outermost first */
    size_t dimension_count;
    struct place place;
};

struct layout {
    const char *text;    /* without spaces, for the manifest */
    struct core_dimension *dimensions; /* each name or size once, in order of appearance */
    size_t dimension_count;
    struct operand_layout *operands;   /* inputs, then outputs */
    size_t input_count, output_count;
    size_t first_array;  /* the C function's parameters: named dimensions, then one array for each operand */
};

/* Parses the text of guvectorize(…).  False after telling what is wrong. */
bool parse_layout(const char *text, struct place place, struct arena *arena, struct diagnostics *diagnostics,
                  struct layout *layout);
/* The place of `at`, which points into an annotation's text that begins at `start`. */
struct place place_in_text(const char *text, const char *at, struct place start);
/* The gpucc name of a type that C spells so ("float" is "float32"), or null. */
const char *c_type_meaning(const char *name);
/* The nearest of the known type names and the unit's type variables to `name`, or null when none is near. */
const char *nearest_type_name(const char *name, const struct unit *unit);

/* ---- prototypes.c ---- */

/* The operands of a ufunc or gufunc, as its C prototype has them. */
struct prototype {
    const struct parameter **operands; /* inputs, then outputs */
    size_t input_count, output_count;
    bool results_by_value;             /* the one output is the C function's result */
    const struct layout *layout;       /* of a gufunc */
};

/* Finds the operands of a ufunc or gufunc, and checks a gufunc's layout.  False after telling what is wrong. */
bool read_prototype(const struct function *function, struct arena *arena, struct diagnostics *diagnostics,
                    struct prototype *prototype);

/* ---- linked.c: what the command line names besides sources ---- */

struct bytes {
    const char *data; /* NUL-terminated beyond size where it is text */
    size_t size;
};

enum target { TARGET_PTX, TARGET_CPU };

/* PTX or LLVM's IR that is linked to the program. */
struct linked {
    const char *path;
    enum target target;
    bool is_ptx;
    int isa;              /* of PTX: 63 for 6.3 */
    struct bytes code;    /* PTX or bitcode */
    const char **names;   /* what it defines and others see */
    size_t name_count;
};

/* Everything that the command line named, read. */
struct files {
    struct unit **units;  /* the sources, as parsed first */
    size_t unit_count;
    struct linked *linked;
    size_t linked_count;
    struct linked **ptx;  /* those that are PTX */
    size_t ptx_count;
    struct bytes libdevice; /* NVIDIA's math library, where that was asked for */
    const char *libdevice_path;
};

/* Tells where the files together have more constant variables than there is memory for. */
void check_constant_space(const struct files *files, struct diagnostics *diagnostics);

struct program;
/* Reads what is to be linked.  False after telling what fits neither the program nor its targets. */
bool read_linked(const struct options *options, struct files *files, struct diagnostics *diagnostics);
/* lower_libdevice.c: finds --math=libdevice; ends the process where it is not there. */
void read_libdevice(const struct options *options, struct files *files);
/* The file that defines `name` for one of these targets, or null. */
const struct linked *linked_with(const struct files *files, const char *name, bool for_ptx, bool for_cpu);
/* Tells of calls of functions that are linked, but not for all of the targets that code is wanted for; then false. */
bool check_linked(const struct program *program, bool ptx, bool native, struct diagnostics *diagnostics);
/* The PTX ISA version (63 for 6.3) of the program's PTX for this architecture, with what is linked to it. */
int image_isa(const struct program *program, int arch);

/* ---- instances.c ---- */

/* Blocks that a cluster may have: on every device with clusters, and on some. */
enum { CLUSTER_PORTABLE_BLOCKS = 8, CLUSTER_BLOCKS = 16 };

/* One function for one set of types. */
struct instance {
    const struct function *function; /* as seen under this pass's binding */
    enum dtype *inputs, *outputs;    /* of a ufunc */
    size_t input_count, output_count;
    const char *symbol;              /* trig_f32_f32; a kernel's or device function's final name */
    bool results_by_value;           /* the one output is the C function's result */
    const struct layout *layout;     /* of a gufunc, else null */
    /* Of a kernel, noted by the lowering: */
    unsigned launch_threads, launch_blocks; /* launch_bounds(…), 0 where there are none */
    unsigned max_registers;                 /* max_registers(…), or 0 */
    unsigned cluster[3], cluster_count;     /* cluster(…), 1 where not given; and how many numbers stand there */
    size_t shared_bytes;                    /* static shared memory */
    bool dynamic_shared;                    /* it uses shared memory that the launch gives */
    bool barriers;
    bool cooperative;                       /* all blocks must run at once */
    bool runs_blocks;                       /* there is a native function for a whole block */
};

/* The instances that one parse of a file yields. */
struct pass {
    struct binding binding;
    struct unit *unit;
    bool is_first;           /* of its file's passes, which stand together */
    struct instance *instances;
    size_t instance_count;
};

struct resources {
    const char *entry;
    int registers, spills; /* spills: bytes stored and loaded */
    int shared, stack;     /* bytes */
};

struct ptx_image {
    int arch, isa; /* 75 (or 90 | ARCH_SPECIFIC), 63 */
    struct bytes text;
    struct resources *resources; /* of each entry, where --resources asks for them */
    size_t resource_count;
};

struct program {
    struct pass *passes;
    size_t pass_count;
    const struct files *files;
    struct global *globals;  /* of all files */
    size_t global_count;
    const char *stem;        /* the first source's base name as a C identifier */
    const char *source;      /* the first source's base name */
    uint64_t abi;
    struct ahead *ahead;     /* code generation that has begun (backend.h); or null */
    /* What the back end adds: */
    struct ptx_image *images; /* one for each architecture asked for */
    size_t image_count;
    bool has_native;          /* an object's manifest also lists the native functions */
    size_t cpu_shared_bytes;  /* static shared memory that a block needs on the CPU, whichever the kernel */
    struct bytes manifest, header, object, ll, bc; /* those that were wanted */
};

/* Checks signatures against prototypes, binds type variables, names the loops.  Null when there were errors. */
struct program *instances(const struct options *options, const struct files *files, struct diagnostics *diagnostics);

/* ---- symbols.c: what the files of a program call themselves and each other ---- */

/* What the program has under a name of its own. */
struct symbol {
    const char *name;
    struct place place;
    const struct unit *unit;
    const struct function *function; /* as the unit has it; in check_prototypes(), as its own pass does */
};

struct symbols {
    const struct files *files;
    struct symbol *items;
    size_t count;
    struct diagnostics *diagnostics;
};

/* Tells of symbols that are made twice. */
void check_unique(const struct symbols *symbols);
/* Tells of functions that `unit` (a parse of one of the sources) calls and that no file exports. */
void check_externals(const struct symbols *symbols, const struct unit *unit);
/* Tells of those that it declares otherwise than they are. */
void check_prototypes(const struct symbols *symbols, const struct unit *unit);

/* ---- dump.c ---- */

/* Prints what --dump=instances shows. */
void dump_instances(const struct program *program);

/* ---- depend.c ---- */

/* Hands the Make rule of -M, -MD and so on to write_file(). */
void write_dependencies(const struct options *options, const struct program *program);

/* ---- loops.c ---- */

/* Elements that one thread of a ufunc's contiguous loop is best given. */
unsigned elements_per_thread(const struct instance *instance);
/* Adjacent elements that a ufunc's loops handle at once. */
unsigned loop_width(const struct instance *instance);
/* The C text that follows the user's file in every pass, and what follows that: the loops around its functions. */
extern const char loops_prologue[];
const char *loops(const struct options *options, const struct pass *pass, enum target target);

/* ---- ptxas.c: registers and spills, from CUDA's assembler ---- */

/* The path of ptxas: on PATH, in CUDA_HOME or CUDA_PATH, or where CUDA installs itself; null where there is none. */
const char *ptxas_find(struct arena *arena);
/* Assembles the text for its own architecture; false with ptxas's own words in *message where that fails. */
bool ptxas_measure(struct arena *arena, const char *ptxas, struct bytes ptx, struct resources **resources,
                   size_t *count, const char **message);
/* Fills in the resources of all images; false after telling what ptxas does not accept.  Ends the process where there
 * is no ptxas. */
bool measure_images(const struct options *options, struct program *program, struct diagnostics *diagnostics);
/* The entry's, or null. */
const struct resources *find_resources(const struct resources *list, size_t count, const char *entry);

/* ---- emit_manifest.c, emit_header.c ---- */

/* The JSON of docs/artefacts.md. */
struct bytes emit_manifest(const struct options *options, const struct program *program);
/* The C header with the descriptor's declaration and a typed function for each ufunc and kernel. */
struct bytes emit_header(const struct options *options, const struct program *program);

/* ---- host_types.c: what a generated header calls the program's types and names ---- */

/* The type that a host sees for a dtype, in C11 and C++ alike: "int32_t", "gpucc_complex64". */
const char *host_type(enum dtype dtype);
/* A name as C++ also takes it; one for the parameter at `index` that has none. */
const char *host_name(const struct options *options, const char *name, size_t index);
/* A function's name, with an underscore behind one that C++ or the C library's headers have. */
const char *host_function(const struct options *options, const char *name);
/* Defines or declares the structs that the kernels' parameters are of; they live in the options' arena. */
struct host_records;
const struct host_records *declare_records(struct text *text, const struct options *options,
                                           const struct program *program);
/* "const float *", "int32_t ", "const struct point *"; "void *" for what a host cannot name.  A struct by value goes by
 * pointer. */
const char *host_parameter(const struct options *options, const struct host_records *records, const struct type *type);

/* ---- library.c: the headers and the math library inside the executable ---- */

struct embedded_file {
    const char *path; /* "/<gpucc>/include/math.h" */
    const char *data;
    size_t size;
};

/* No user has a directory of this name: what lies there is taken for ours. */
#define EMBEDDED_ROOT "/<gpucc>/"
extern const struct embedded_file embedded_files[];
extern const size_t embedded_file_count;
const struct embedded_file *embedded_find(const char *path); /* or null */
/* The headers are the first of embedded_files. */
size_t embedded_header_count(void);
/* The bitcode of that file of the math library which defines `name`; null where none does. */
const struct embedded_file *library_with(enum target target, const char *name);

/* The arguments with which libclang's driver reads a file (as for the CPU), and those with which clang -cc1 compiles
 * it for `target` (and compute capability `arch`).  They come from the same list, so both see the same file. */
const char **driver_arguments(const struct options *options, const struct binding *binding, size_t *count);
const char **cc1_arguments(const struct options *options, enum target target, int arch, const struct pass *pass,
                           size_t *count);

/* ---- main.c ---- */

/* The pipeline: everything from the source to the wanted artefacts (bit 1 << ARTEFACT_…; none checks the source
 * alone).  Null after errors, which have been told. */
struct program *compile(const struct options *options, unsigned artefacts);

/* ---- stage.c ---- */

/* Under -v: prints that a stage has ended, and the milliseconds since the one before it. */
void stage_done(const struct options *options, const char *stage);

/* ---- crash.c ---- */

void crash_install(void);
/* The function that LLVM works on in this thread, or null; lives until the next call. */
const char *crash_function(void);
/* An error has been told that explains whatever crash may follow. */
void crash_explained(void);
/* A crash may be an overflow of the stack: in this thread its handler runs on `stack`, CRASH_STACK bytes that live as
 * long as the thread.  crash_install() sees to its own thread. */
enum { CRASH_STACK = 64 * 1024 };
void crash_guard_thread(char *stack); /* again where a library has put its own handlers in place of ours */

/* ---- run.c, inspect.c, devices.c: the other commands; argv[0] is the command's name ---- */

int command_run(int argc, char **argv);
int command_inspect(int argc, char **argv);
int command_devices(int argc, char **argv);

#endif
