/* The compiler as a library, libgpucc-compiler: C in memory becomes PTX, a manifest, native code.
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
 * Any number of threads may compile at once.  Nothing exits or prints, and what is wrong is in the log.  The host's
 * signal handlers, locale and working directory stay as they are.  To load what is made in one step, see
 * gpucc_program_compile() of <gpucc/runtime.h>.
 */
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

/* A file that need not be anywhere. */
struct gpucc_file {
    const char *name; /* what messages call it, and `#include`; with a text, it belongs to no folder of the disk unless
                         it is absolute */
    const char *text; /* null: it is read from the disk */
    size_t size;      /* of the text; 0: it ends with a NUL */
};

/* The artefacts that can be made, as the command's -o does by suffixes. */
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
    size_t size;                /* sizeof(struct gpucc_compile_input); what is not set is zero */
    const struct gpucc_file *sources;  /* at least one; all make one program */
    size_t source_count;
    const struct gpucc_file *headers;  /* with texts: sources and headers include them by these names */
    size_t header_count;
    const char *const *options;        /* the command's: "--arch=sm_90", "-DN=3", "-I", "include" */
    size_t option_count;
    unsigned artefacts;                /* GPUCC_MAKE(PTX) | …; 0: the sources are checked alone */
};

/* The command's exit statuses. */
typedef enum gpucc_compile_status {
    GPUCC_COMPILE_OK,
    GPUCC_COMPILE_BAD_SOURCE,  /* what the sources say is wrong */
    GPUCC_COMPILE_BAD_OPTIONS, /* what the caller says is */
    GPUCC_COMPILE_FAILED       /* there is no memory, no such file, no linker */
} gpucc_compile_status;

/* The result of one compilation: texts and bytes that live until it is freed. */
typedef struct gpucc_compilation gpucc_compilation;

/* Compiles.  *out, which says what was wrong, is to be freed after errors too; it is null where there is no memory for
 * it. */
GPUCC_API gpucc_compile_status gpucc_compile(const struct gpucc_compile_input *input, gpucc_compilation **out);
GPUCC_API void gpucc_compilation_free(gpucc_compilation *compilation); /* null: nothing */

/* Errors and warnings as the command prints them, and the same as JSON, an object on each line
 * (docs/reference/command.md); "" where there are none, and for null. */
GPUCC_API const char *gpucc_compilation_log(const gpucc_compilation *compilation);
GPUCC_API const char *gpucc_compilation_log_json(const gpucc_compilation *compilation);

/* The artefact, followed by a NUL that *size (null: not wanted) does not count; null where it was not asked for, or
 * after errors.  Of PTX, the first. */
GPUCC_API const void *gpucc_compilation_artefact(const gpucc_compilation *compilation, gpucc_artefact artefact,
                                                 size_t *size);
/* The PTX of each architecture, ascending, with its name ("sm_90"); null past the last. */
GPUCC_API const char *gpucc_compilation_ptx(const gpucc_compilation *compilation, size_t index, const char **arch,
                                            size_t *size);
/* The name that PTX has for a kernel, or for the loop over adjacent elements of a ufunc: of "axpy", of the ufunc
 * "trig(float32, float32)" with these inputs, of "scale<float64>" with its type variables bound so.  The first where
 * there are several, null where there is none.  Every entry is in the manifest. */
GPUCC_API const char *gpucc_compilation_lowered_name(const gpucc_compilation *compilation, const char *name);
/* The program's name: its descriptor is gpucc_program_NAME.  Null after errors. */
GPUCC_API const char *gpucc_compilation_program_name(const gpucc_compilation *compilation);
/* The files of the disk that were read, each once; null past the last. */
GPUCC_API const char *gpucc_compilation_file(const gpucc_compilation *compilation, size_t index);
/* A path at which a file was looked up and not found; null past the last.  One that appears there may change what is
 * made. */
GPUCC_API const char *gpucc_compilation_missing(const gpucc_compilation *compilation, size_t index);

/* The newest architecture that PTX can be made for and that such a device runs: 90 for a capability of 90, 100, 120. */
GPUCC_API int gpucc_compiler_architecture(int capability);
/* "0.2.0" */
GPUCC_API const char *gpucc_compiler_version(void);

#ifdef __cplusplus
}
#endif
#endif
