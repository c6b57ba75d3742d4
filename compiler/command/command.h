/* The command line of a compilation. Options own an arena; an invalid option is a usage_error(), which does not
 * return. */
#ifndef GPUCC_COMMAND_H
#define GPUCC_COMMAND_H

#include "base/base.h"
#include "../runtime/base/disk_cache.h"
#include "../runtime/base/processor.h"
#include "../runtime/base/sha256.h"

/* ---- options.c ---- */

enum artefact {
#define ARTEFACT(id, suffix, what, is_text) ARTEFACT_##id,
#include "command/artefacts.def"
    ARTEFACT_COUNT
};

struct output {
    enum artefact kind;
    const char *path; /* "-" is standard output */
};

/* The text after the options in --help and the manual page. */
#define COMPILE_NOTES                                                                                                  \
    "Files that end in .ptx, .bc or .ll are linked to the C files.\n"                                                  \
    "With no -o, the first source's STEM.ptx and STEM.json in the working directory."

/* Who takes an option of options.def besides the command. */
enum option_takers { NOBODY, RUN = 1, LIBRARY = 2, ALL = RUN | LIBRARY, APART = 4 };

enum debug_info { DEBUG_NONE, DEBUG_LINES, DEBUG_FULL };
enum stage_dump { DUMP_NONE, DUMP_INSTANCES, DUMP_LOOPS, DUMP_CODEGEN, DUMP_LOWER };

/* The checks of -fsanitize: bits. */
enum check_index {
#define CHECK(id, name) CHECK_INDEX_##id,
#include <gpucc/checks.def>
    CHECK_COUNT
};
enum check {
#define CHECK(id, name) CHECK_##id = 1 << CHECK_INDEX_##id,
#include <gpucc/checks.def>
    CHECK_MEMORY = CHECK_ADDRESS | CHECK_RACE | CHECK_UNINITIALIZED, /* lower_watch.c */
    CHECK_OPERATIONS = CHECK_UNDEFINED | CHECK_FLOAT | CHECK_UNINITIALIZED, /* lower_faults.c, lower_unwritten.c */
    CHECK_REPORTS = CHECK_MEMORY | CHECK_OPERATIONS | CHECK_BOUNDS | CHECK_ALIGNMENT, /* reported with places */
    CHECK_ALL = CHECK_MEMORY | CHECK_BOUNDS | CHECK_UNDEFINED        /* address sees alignments itself */
};

enum loop_group {
#define LOOP_GROUP(id, name) LOOPS_##id,
#include "command/loop_groups.def"
};

struct options {
    struct arena *arena;
    struct sources *sources;
    const char *program;          /* argv[0] */
    const char **inputs;          /* paths of the sources; at least one */
    size_t input_count;
    const char **linked;          /* paths of what is linked to them: .ptx .bc .ll */
    size_t linked_count;
    const struct embedded_file *headers; /* what is included from memory: gpucc's own, and others' */
    size_t header_count;
    bool in_library;              /* not of a command: there are no outputs */
    const char *program_name;     /* what the program is called instead of its stem, or null */
    struct output *outputs;
    size_t output_count;
    int *archs;                   /* 75, 90 …, ascending, each once; 90 | ARCH_SPECIFIC for sm_90a */
    size_t arch_count;
    bool has_archs;               /* the command line says so */
    const char **clang_arguments; /* -I -D -U -include -isystem -std= -W… -w -Werror, in order, for both parsers */
    size_t clang_argument_count;
    int optimization;             /* 0 … 3 */
    unsigned native_targets;      /* what native code is made for, bit 1 << GPUCC_NATIVE_…; one or more */
    enum debug_info debug;
    unsigned checks; /* enum check */
    bool no_contraction;          /* -ffp-contract=off */
    bool fast_math, no_short_names, embed, syntax_only, verbose, json_diagnostics, resources;
    bool warnings_are_errors, no_warnings;
    bool lints;                   /* -Wperformance */
    bool emulate;                 /* also make the GPU entries as native kernels (tests without a GPU) */
    bool tests;                   /* plain functions that reference(…) names are made ufuncs too */
    bool libdevice;               /* NVIDIA's math library on the GPU */
    const char *libdevice_path;   /* where it is, or null */
    int max_registers;            /* 0: no limit */
    unsigned loops;               /* of ufuncs on the GPU, bit 1 << enum loop_group; 0: all */
    bool counts;                  /* the operations of one element of each ufunc */
    enum stage_dump dump;
    const char **extracted;       /* of options_extract(): the words that it took, in order */
    size_t extracted_count;
    const char **shaping;         /* the words that what is made depends on, in order: all but outputs and the like */
    size_t shaping_count;
    struct disk_cache cache;      /* of compilations; its folder is null if there is none */
    const char *only;             /* the one function that code is made of, by name or symbol; null: all */
    /* dependency files, as in GCC: -M -MM -MD -MMD -MF -MT -MQ -MP */
    bool deps, deps_only, deps_skip_system, deps_phony;
    const char *deps_path;
    const char *deps_targets;     /* already quoted and separated by spaces; null: the outputs */
};

/* Reads the command line of a compilation into `options`, whose arena it makes if there is none.  Ends the
 * process after --help and the like, and with EXIT_USAGE after reporting the error. */
void options_parse(struct options *options, int argc, char **argv);
/* For `gpucc run`: takes what says how to read and compile the source (-I -D -O … --fast-math) and hands back
 * everything else, argv[0] first and in order, response files expanded; *argc becomes its count. */
char **options_extract(struct options *options, int *argc, char **argv);
/* For the library: reads its caller's options into `options`, which has an arena and sources.  What is wrong fails the
 * job as it would end the process. */
void options_of_library(struct options *options, size_t count, const char *const *words);
/* Adds the source, or the file to link, that the command line calls `word`; a usage error where it is there already. */
void options_add_input(struct options *options, const char *word);
/* "address,race" as bits of enum check; `option` is for the message where the list is wrong. */
unsigned parse_checks(struct options *options, const char *option, const char *list);
/* Prints how gpucc is called: by this command, a name of commands.def; null: by all of them, indented. */
void print_usage(const char *command);
/* Prints a line of --help: an option as it is written, "--seed=N", and what it does. */
void print_option(const char *written, const char *help);
/* The file that an option names, claimed as an output; a usage error where it names none. */
const char *parse_output_path(const char *option, const char *path);
/* The artefacts that the outputs are, bit 1 << ARTEFACT_…; none if nothing is to be made. */
unsigned options_artefacts(const struct options *options);
/* Whether the path's suffix says that it is to be linked: .ptx .bc .ll */
bool is_linkable(const char *path);
/* The first source's base name without its suffix: what outputs without a name are called. */
const char *options_stem(const struct options *options);
/* Whether the targets are to be worked on at once: not where a dump or times are to be printed, one after the other,
 * nor on one processor. */
bool options_threads(const struct options *options);

/* ---- outputs.c, depend.c: what a compilation has made, as files ---- */

/* A file that was read. */
struct include {
    const char *path;
    bool is_system;
};

/* The result of a compilation's look-up of a path: a file that was read; none; a program that took part, the
 * compiler's own libraries too; the working directory. */
enum lookup_kind { LOOKUP_FILE, LOOKUP_NOTHING, LOOKUP_PROGRAM, LOOKUP_FOLDER };

struct lookup {
    enum lookup_kind kind;
    const char *path;
};

struct lookups {
    struct lookup *items; /* each once */
    size_t count;
    bool reads_clock;     /* __DATE__ or the like */
};

/* lookups.c: adds a copy of the path, once, unless it is one of the compiler's own headers. */
void lookups_add(struct arena *arena, struct lookups *lookups, enum lookup_kind kind, const char *path);

struct products {
    struct image {
        int arch;
        struct bytes text;
    } *images;                /* PTX, one for each architecture */
    size_t image_count;
    struct bytes made[ARTEFACT_COUNT]; /* the wanted ones but for PTX */
    struct include *includes; /* each file that was read once, for the dependency file, the source first */
    size_t include_count;
    struct lookups lookups;   /* what else all this depends on, beside the command line and its sources */
    struct bytes said;        /* the diagnostics: warnings */
};

/* Writes the outputs and the dependency file, and puts them in their places. */
void write_outputs(const struct options *options, const struct products *products);
/* The dependency file alone, by write_file(). */
void write_dependencies(const struct options *options, const struct include *includes, size_t count);

/* ---- cache.c: compilations that are kept ---- */

/* The place of one compilation in the cache. */
struct cached;

/* Null if there is no cache, or a compilation can be in none: it makes nothing, or reads what can be read once.
 * `compiler` is the program that would compile. */
struct cached *cache_place(const struct options *options, const char *compiler);
/* The products of an equal compilation, or null. */
const struct products *cache_find(const struct cached *place);
/* Keeps it, unless a file that it was made of has changed meanwhile; warns where it cannot. */
void cache_store(const struct cached *place, const struct products *products);

/* ---- found.c: what is searched for, each null if there is none ---- */

/* NVIDIA's assembler: on PATH, in CUDA_HOME or CUDA_PATH, or where CUDA installs itself. */
const char *ptxas_find(struct arena *arena);
/* The name of the linker for native code: the system's own for the machine that the compiler runs on; for another
 * one that of Debian's cross compilers. */
const char *linker_name(const struct options *options);
/* NVIDIA's math library, for --math=libdevice; where it is not is added to *tried. */
const char *libdevice_find(const struct options *options, struct text *tried);

/* ---- program_id.c ---- */

/* Adds what distinguishes a program or library from every other: its build ID, or without one its size and age.  False
 * if there is no such file. */
bool program_id(const char *path, struct sha256 *sum);

#endif
