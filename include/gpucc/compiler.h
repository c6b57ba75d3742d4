/* The compiler as a library, libgpucc-compiler: compiles C in memory to PTX, a manifest, native code.
 *
 *   struct gpucc_file source = {.name = "scale.c", .text = text};
 *   struct gpucc_compile_input input = {.size = sizeof input, .sources = &source, .source_count = 1,
 *                                       .artefacts = GPUCC_MAKE(PTX) | GPUCC_MAKE(MANIFEST)};
 *   gpucc_compilation *compilation;
 *   if (gpucc_compile(&input, &compilation))
 *       fputs(gpucc_compilation_log(compilation), stderr);
 *   else
 *       ptx = gpucc_compilation_ptx(compilation, 0, NULL, &size);
 *   gpucc_compilation_free(compilation);
 *
 * Threads: any number may compile at once; one compilation is read by any, and freed by one. Errors: nothing exits
 * or prints; the log has the diagnostics. Ownership: a compilation owns all that its functions return; the caller's
 * inputs may be freed when gpucc_compile() returns. The host's signal handlers, locale and working directory stay as
 * they are. To compile and load in one step, see gpucc_program_compile() of <gpucc/runtime.h>. */
#ifndef GPUCC_COMPILER_H
#define GPUCC_COMPILER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef GPUCC_API
#if defined(__GNUC__)
#define GPUCC_API __attribute__((visibility("default")))
#else
#define GPUCC_API
#endif
#endif

/* A source or header, in memory or on disk. */
struct gpucc_file {
    const char *name; /* its name in messages and for `#include`; with a text, a relative name belongs to no folder
                         on disk */
    const char *text; /* null: the file is read from disk */
    size_t size;      /* bytes of the text; 0: it ends with a NUL */
};

/* The artefacts of a compilation, as the suffixes of the command's -o name them. */
typedef enum gpucc_artefact {
    GPUCC_ARTEFACT_PTX,      /* .ptx, one for each architecture */
    GPUCC_ARTEFACT_MANIFEST, /* .json */
    GPUCC_ARTEFACT_HEADER,   /* .h */
    GPUCC_ARTEFACT_OBJECT,   /* .o, native code with PTX and manifest inside */
    GPUCC_ARTEFACT_SHARED,   /* .so, the same for dlopen(); needs the system's linker, `ld` */
    GPUCC_ARTEFACT_LL,       /* .ll, LLVM's IR */
    GPUCC_ARTEFACT_BC,       /* .bc, its bitcode */
    GPUCC_ARTEFACT_COUNT
} gpucc_artefact;

/* GPUCC_MAKE(PTX): the bit of an artefact. */
#define GPUCC_MAKE(artefact) (1u << GPUCC_ARTEFACT_##artefact)

struct gpucc_compile_input {
    size_t size;                /* sizeof(struct gpucc_compile_input); set unused fields to zero */
    const struct gpucc_file *sources;  /* at least one; all make one program */
    size_t source_count;
    const struct gpucc_file *headers;  /* headers in memory, which sources and headers include by these names */
    size_t header_count;
    const char *const *options;        /* the command's: "--arch=sm_90", "-DN=3", "-I", "include" */
    size_t option_count;
    unsigned artefacts;                /* GPUCC_MAKE(PTX) | …; 0: only check the sources */
};

/* The same values as the command's exit statuses. */
typedef enum gpucc_compile_status {
    GPUCC_COMPILE_OK,
    GPUCC_COMPILE_BAD_SOURCE,  /* errors in the sources */
    GPUCC_COMPILE_BAD_OPTIONS, /* invalid options or inputs */
    GPUCC_COMPILE_FAILED       /* out of memory, a missing file, a missing linker */
} gpucc_compile_status;

/* The result of one compilation; it owns its texts and bytes until it is freed. */
typedef struct gpucc_compilation gpucc_compilation;

/* Compiles the sources as one program. Free *out after errors too: it has the log. *out is null only if memory ran
 * out. */
GPUCC_API gpucc_compile_status gpucc_compile(const struct gpucc_compile_input *input, gpucc_compilation **out);
GPUCC_API void gpucc_compilation_free(gpucc_compilation *compilation); /* null is fine */

/* Errors and warnings as the command prints them, or as JSON, an object on each line (docs/reference/command.md); ""
 * if there are none, and for null. */
GPUCC_API const char *gpucc_compilation_log(const gpucc_compilation *compilation);
GPUCC_API const char *gpucc_compilation_log_json(const gpucc_compilation *compilation);

/* The artefact's bytes and, unless `size` is null, their number, without the NUL that follows them. Null if it was
 * not requested, or after errors. For PTX, the first. */
GPUCC_API const void *gpucc_compilation_artefact(const gpucc_compilation *compilation, gpucc_artefact artefact,
                                                 size_t *size);
/* The PTX of each architecture, ascending, with its name ("sm_90"); null past the last. */
GPUCC_API const char *gpucc_compilation_ptx(const gpucc_compilation *compilation, size_t index, const char **arch,
                                            size_t *size);
/* The PTX entry of a kernel, or of a ufunc's contiguous loop: "axpy", "trig(float32, float32)" with these input
 * types, "scale<float64>" with its type variables bound so. The first of several; null without one. The manifest has
 * all entries. */
GPUCC_API const char *gpucc_compilation_lowered_name(const gpucc_compilation *compilation, const char *name);
/* The program's name; its descriptor is gpucc_program_NAME. Null after errors. */
GPUCC_API const char *gpucc_compilation_program_name(const gpucc_compilation *compilation);
/* The files read from disk, each once; null past the last. */
GPUCC_API const char *gpucc_compilation_file(const gpucc_compilation *compilation, size_t index);
/* A path at which a file was looked up and not found; null past the last. A file that appears there may change the
 * result. */
GPUCC_API const char *gpucc_compilation_missing(const gpucc_compilation *compilation, size_t index);

/* The newest architecture that gpucc makes PTX for and that a device of this capability runs: 90 for 90, 100 and
 * 120. */
GPUCC_API int gpucc_compiler_architecture(int capability);
/* "0.2.0" */
GPUCC_API const char *gpucc_compiler_version(void);

#ifdef __cplusplus
}
#endif
#endif
