/* The meaning of annotations: signatures matched against prototypes, type variables bound, symbols named. Results
 * live in the options' arena; errors are diagnostics with a place, and functions then return null or false. */
#ifndef GPUCC_SEMANTICS_H
#define GPUCC_SEMANTICS_H

#include "frontend/frontend.h"

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
 * the parentheses, `place` its first character.  False after reporting the error. */
bool parse_signatures(const char *text, struct place place, const struct unit *unit, struct arena *arena,
                      struct diagnostics *diagnostics, struct signature **signatures, size_t *count);
/* The text in guvectorize(…): "(m,n),(n,p)->(m,p)". */
struct core_dimension {
    const char *name;    /* null for one of fixed size */
    size_t size;         /* of such a one, else 0 */
    bool is_optional;    /* "n?": operands may lack it, all of them, and then it is 1 */
    bool broadcasts;     /* "n|1": an operand that has one element along it is repeated */
    const char *target;  /* "p:n": its extent is n's or 1, which an input without it has; else null */
    bool has_parameter;  /* of the C function, … */
    size_t parameter;    /* … which takes its extent */
    const char *extent;  /* or it is an expression of others, "m + n - 1", that an output's declaration has; or null */
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
    size_t first_array;  /* the C function's parameters: named dimensions, then one for each operand */
    bool has_records;    /* operands of structs, each of which is so many integers of its alignment */
};

/* The dimension of that name, or dimension_count. */
size_t find_named_dimension(const struct layout *layout, const char *name, size_t length);
/* Parses the text of guvectorize(…).  False after reporting the error. */
bool parse_layout(const char *text, struct place place, struct arena *arena, struct diagnostics *diagnostics,
                  struct layout *layout);

/* Appends a core dimension of fixed size to an operand, and to the layout's text. */
void append_fixed_dimension(struct layout *layout, size_t operand, size_t size, struct arena *arena);

/* ---- prototypes.c ---- */

/* The operands of a ufunc or gufunc, as its C prototype has them. */
struct prototype {
    const struct parameter **operands; /* inputs, then outputs */
    size_t input_count, output_count;
    bool results_by_value;             /* the one output is the C function's result */
    const struct layout *layout;       /* of a gufunc */
};

/* Finds the operands of a ufunc or gufunc, and checks a gufunc's layout.  False after reporting the error. */
bool read_prototype(const struct function *function, struct arena *arena, struct diagnostics *diagnostics,
                    struct prototype *prototype);

/* ---- properties.c ---- */

/* Whether a function of these types makes one of two of a type, so that it can be applied to the elements of an array
 * one after the other. */
bool folds(const enum dtype *inputs, size_t input_count, const enum dtype *outputs, size_t output_count);
/* A number as the manifest has it, read from what stands in identity(…): null if that is `none`, or is wrong, which
 * is reported. */
const char *read_identity(const struct function *function, struct arena *arena, struct diagnostics *diagnostics);
/* Whether elements of this type can be the number; reports where not. */
bool check_identity(const struct function *function, const char *identity, enum dtype dtype,
                    struct diagnostics *diagnostics);

/* ---- linked.c: what the command line names besides sources ---- */

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
    struct arena *arena;
    struct linkage *linkage; /* of the sources */
    struct bytes libdevice; /* NVIDIA's math library, where that was asked for */
    const char *libdevice_path;
};

/* files.c: reads them all; null after reporting why nothing can be made of them.  Ends the process where one is not
 * there. */
struct files *read_files(const struct options *options, struct diagnostics *diagnostics);
/* Frees what libclang holds for them. */
void close_files(struct files *files);

/* ---- across.c: what the files of a program reach in one another ---- */

struct linkage;

/* A function or variable that other files reach, as its one definition has it. */
struct linkable {
    struct unit *unit;
    const struct definition *definition;
};

/* Tells of what is defined twice. */
struct linkage *link_units(struct arena *arena, struct unit *const *units, size_t count,
                           struct diagnostics *diagnostics);
/* Null if no file defines it for others. */
const struct linkable *find_linkable(const struct linkage *linkage, const char *name);
/* Follows what the unit, which may be another parse of one of the files, reaches in the files. */
void follow_unit(struct linkage *linkage, struct unit *const *units, size_t count, const struct unit *unit);
/* Tells what functions reach in other files and cannot use. */
void check_across(const struct files *files, struct diagnostics *diagnostics);
/* Whether the unit has an annotated function of that name and its body. */
bool is_annotated(const struct unit *unit, const char *name);
/* Whether that file of the program makes the function; not where only its prototype is annotated here and another file
 * makes it.  Tells of kernels without a body. */
bool is_made_here(const struct files *files, size_t unit, const struct function *function,
                  struct diagnostics *diagnostics);

struct program;
/* Reads what is to be linked.  False after reporting what fits neither the program nor its targets. */
bool read_linked(const struct options *options, struct files *files, struct diagnostics *diagnostics);
/* The file that defines `name` for one of these targets, or null. */
const struct linked *linked_with(const struct files *files, const char *name, bool for_ptx, bool for_cpu);
/* Tells of calls of functions that are linked, but not for all of the targets that code is wanted for; then false. */
bool check_linked(const struct program *program, bool ptx, bool native, struct diagnostics *diagnostics);
/* The PTX ISA version (63 for 6.3) that the program needs on this architecture, without what is linked to it, and the
 * one that its PTX has. */
int program_isa(const struct program *program, int arch);
int image_isa(const struct program *program, int arch);

/* ---- instances.c ---- */

/* The findings of -Wperformance for a function. */
struct finding {
    unsigned line, column; /* of a source that the diagnostic names */
    const char *text;
};

/* One function for one set of types. */
enum { COUNT_UNKNOWN = -1 };

struct instance {
    const struct function *function; /* as seen under this pass's binding */
    enum dtype *inputs, *outputs;    /* of a ufunc */
    size_t input_count, output_count;
    const char *symbol;              /* trig_f32_f32; a kernel's or device function's final name */
    bool results_by_value;           /* the one output is the C function's result */
    const struct layout *layout;     /* of a gufunc, else null */
    bool by_block;                   /* of a gufunc: a block of threads does each call */
    bool has_team;                   /* of a gufunc: threads may share its loops, which the lowering decides */
    bool team_waits;                 /* the threads that share its loops wait for one another between them */
    bool team_exchanges;             /* or exchange values in them, as reductions do */
    unsigned team_elements;          /* of a result that is a matrix, which a thread computes at once; 0: one by one */
    uint64_t team_extents[16];       /* of each of those loops, bit d: its length follows from extent d */
    bool folds;                      /* it makes one of two of a type */
    bool reorderable;                /* so said: it is associative, or what its elements are combined by is */
    bool updates;                    /* it folds integers; after the lowering: in any order of them */
    unsigned loops;                  /* that its PTX has, bit 1 << enum loop_group */
    const char *identity;            /* the number of identity(…), or null */
    bool has_tiles;                  /* of a gufunc: blocks of threads make the tiles of its output */
    bool has_stages;                 /* of a product: copies of its matrices are under way while tiles are made */
    bool has_warpgroups;             /* of a product: clusters make its tiles, on Hopper */
    const struct instance *by;       /* of a fused reduction: what combines its elements, whose properties it has */
    const struct embedded_file *ready; /* of PTX: the text of loops that stand ready for it, or null */
    /* Facts about thread blocks, noted by the lowering: */
    long long launch_threads, launch_blocks; /* launch_bounds(…), 0 if there are none */
    long long max_registers;                 /* max_registers(…), or 0 */
    long long cluster[3];                    /* cluster(…), 1 if not given */
    unsigned cluster_count;                  /* how many numbers stand there */
    size_t shared_bytes;                    /* static shared memory */
    bool dynamic_shared;                    /* it uses shared memory that the launch gives */
    bool barriers;
    bool cooperative;                       /* all blocks must run at once */
    bool runs_blocks;                       /* there is a native function for a whole block */
    long operations;                        /* on floating-point numbers, of one element, where they are counted */
    /* For gufuncs, noted by the lowering too: bit i: output i is written as a whole, whatever it held. */
    uint64_t overwrites;
    /* Noted by lint(). */
    struct finding *findings;
    size_t finding_count;
};

/* Whether it is a ufunc or a gufunc, around which loops are made. */
static inline bool has_loops(const struct instance *instance)
{
    return instance->function->kind == FUNCTION_UFUNC || instance->function->kind == FUNCTION_GUFUNC;
}

/* Whether elements are combined in the fixed tree by loops of its own. */
static inline bool has_tree(const struct instance *instance)
{
    return instance->folds && instance->reorderable;
}

/* The first of the function's parameters that is an operand. */
static inline size_t first_operand(const struct instance *instance)
{
    return instance->layout ? instance->layout->first_array : 0;
}

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
    /* Every instance, in the order of the source: functions as they are defined, signatures as they are written, types
     * in the order of their type variable's list. */
    struct written {
        size_t pass, index;
    } *written;
    size_t written_count;
    const struct files *files;
    struct global *globals;  /* of all files */
    size_t global_count;
    const char *stem;        /* the first source's base name as a C identifier */
    const char *source;      /* the first source's base name */
    uint64_t abi;
    /* Added by the builds of its targets: */
    struct include *includes; /* the files that any target's passes include */
    size_t include_count;
    struct lookups lookups;   /* what they depend on besides */
    struct ptx_image *images; /* one for each architecture asked for */
    size_t image_count;
    bool has_native;          /* an object's manifest also lists the native functions */
    size_t cpu_shared_bytes;  /* static shared memory that a block needs on the CPU, whichever the kernel */
    bool splits_addresses;    /* the initial value of a variable has a pointer at an address that is no multiple of 8 */
    struct bytes made[ARTEFACT_COUNT]; /* the wanted artefacts, and the manifest; but for PTX, which is in `images` */
};

/* Checks signatures against prototypes, binds type variables, names the loops.  Null when there were errors. */
struct program *instances(const struct options *options, const struct files *files, struct diagnostics *diagnostics);
/* Whether the user may call it so: by its function's name; kernels of several types have a name for each. */
bool is_called(const struct function *function, const char *symbol, const char *name);
/* The instance at `index` of program->written. */
const struct instance *written_instance(const struct program *program, size_t index);

/* The declaration and call of a function of that name that is defined elsewhere; or null. */
const struct external *find_external(const struct program *program, const char *name);

/* ---- symbols.c: what the files of a program call themselves and each other ---- */

/* A named part of the program. */
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

#endif
