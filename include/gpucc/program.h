/* The interface between a compiled program and the runtime: the descriptor that a gpucc object (`-o FILE.o`) or a
 * generated header (`-o FILE.h --embed`) defines. Hosts pass its address to gpucc_program_load(); only the runtime
 * reads the fields. All of it is constant and static. New fields are added at the end; `version` says which are
 * present. */
#ifndef GPUCC_PROGRAM_H
#define GPUCC_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GPUCC_PROGRAM_VERSION = 4 };
/* "schema" of the manifest; it changes if fields change their meaning. */
enum { GPUCC_MANIFEST_SCHEMA = 1 };

/* One PTX text, for devices of compute capability arch/10 . arch%10 and above. */
struct gpucc_image {
    uint32_t arch;    /* 75 for sm_75 */
    uint32_t isa;     /* PTX ISA: 63 for 6.3 */
    const char *text; /* NUL-terminated PTX */
    uint64_t size;    /* bytes without the NUL */
};

/* A native function: a ufunc loop `void (char **args, const intptr_t *dimensions, const intptr_t *steps, void
 * *data)`, or a kernel's `void (void **parameters)`; the manifest has the kind of each name. */
struct gpucc_native {
    const char *name;
    void (*function)(void);
};

/* A variable of the native code that hosts look up by name. */
struct gpucc_global {
    const char *name;
    void *address;
    uint64_t size; /* bytes */
};

/* The targets of native code. */
enum gpucc_native_target {
#define TARGET(id, name, machine, demands) GPUCC_NATIVE_##id,
#include <gpucc/native_targets.def>
#undef TARGET
    GPUCC_NATIVE_COUNT
};

/* The program's native code for one target; each target has the same functions, and variables of its own. */
struct gpucc_native_code {
    uint64_t target; /* enum gpucc_native_target */
    const struct gpucc_native *natives;
    uint64_t native_count;
    const struct gpucc_global *globals; /* NULL if there are none */
    uint64_t global_count;
};

/* The descriptor. Everything in it lives as long as the object; the runtime copies and frees none of it. */
struct gpucc_program_image {
    uint32_t version;           /* GPUCC_PROGRAM_VERSION of the compiler that wrote it */
    uint32_t image_count;
    uint64_t abi;               /* hash of every entry's name and parameters; also in manifest, PTX and header */
    const char *name;           /* the source's name, for messages */
    const char *manifest;       /* JSON text, NUL-terminated */
    uint64_t manifest_size;     /* bytes without the NUL */
    const struct gpucc_image *images;
    const struct gpucc_native *natives; /* before version 3, native code for x86-64-v3; or NULL */
    uint64_t native_count;
    /* from version 2 on */
    const struct gpucc_global *globals; /* of version 2, its variables; or NULL */
    uint64_t global_count;
    /* from version 3 on */
    const struct gpucc_native_code *codes; /* for each target, ascending; NULL without native code */
    uint64_t code_count;
    /* from version 4 on */
    struct gpucc_cpu_thread *(*self)(void); /* gpucc_cpu_self() of the native code's copy of the runtime; NULL if it
                                               calls none */
};

#ifdef __cplusplus
}
#endif
#endif
