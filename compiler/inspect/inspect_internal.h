/* Shared by the files of `gpucc inspect` and `gpucc devices`. */
#ifndef GPUCC_INSPECT_INTERNAL_H
#define GPUCC_INSPECT_INTERNAL_H

#include "emit/emit.h"
#include "inspect/inspect.h"

#include <gpucc/runtime.h>

/* ---- object.c: what an object of gpucc's carries ---- */

struct object_contents {
    const char *symbol;        /* "gpucc_program_trig" */
    struct bytes manifest;     /* these point into the object */
    struct ptx_image *images;
    size_t image_count;
    unsigned native_targets; /* bit 1 << GPUCC_NATIVE_…; those that this version knows */
};

/* Finds the descriptor in an ELF object; false with the reason if there is none that is whole. */
bool object_read(struct arena *arena, struct bytes object, struct object_contents *contents, const char **reason);

/* ---- inspect_manifest.c, inspect_ptx.c ---- */

/* Facts about the compiled functions. */
struct measured {
    const struct resources *resources;
    size_t count;
    const char *note; /* why nothing is known, or null */
    int arch;         /* that ptxas assembled for; 0: unknown */
};

/* Prints the functions of the manifest; false with the reason where the text is no manifest. */
bool inspect_manifest(struct arena *arena, struct bytes text, const struct measured *measured, const char **reason);
/* Prints the entries of the text; false with the reason where it is no PTX. */
bool inspect_ptx(struct arena *arena, struct bytes text, const struct measured *measured, const char **reason);
/* Whether the manifest has the functions' registers and spills itself. */
bool manifest_has_resources(struct bytes text);
/* Runs ptxas over the text, where there is one, for this architecture; 0: the text's own. */
struct measured measure_ptx(struct arena *arena, struct bytes text, int arch);
/* Threads that a block of the entry may have by its bounds, 0 if it has none; negative if there is no such
 * entry. */
int ptx_entry_bound(struct arena *arena, struct bytes text, const char *entry);
/* Prints what the text's entries take on each of these architectures. */
void print_uses(struct arena *arena, struct bytes text, const int *archs, size_t count);
/* "28 registers, no spills" */
void print_resources(const struct resources *resources);

/* ---- inspect_options.c ---- */

struct inspect_options {
    const char *path;
    int *archs; /* of --arch, in the order given */
    size_t arch_count;
    const char *entry; /* of --occupancy, or null */
    size_t shared;     /* dynamic bytes */
    int registers;     /* 0: ptxas says */
    const char *svg;   /* or null */
};

void inspect_options_parse(struct arena *arena, struct inspect_options *options, int argc, char **argv);

/* ---- occupancy_table.c ---- */

/* Prints the table of --occupancy for each architecture, and draws it, by the PTX texts, of which there is one. */
void inspect_occupancy(struct arena *arena, const struct inspect_options *options, const struct ptx_image *images,
                       size_t count);

/* ---- advice.c ---- */

/* A function's use of a multiprocessor; `registers` 0: unknown. */
struct demand {
    int registers, block, most_threads; /* block 0: to be chosen, up to most_threads (0: the device's limit) */
    size_t shared;                      /* bytes a block */
    int elements_per_thread;            /* of a ufunc; 0: a kernel */
    bool native;
};

/* Prints, for each device present, how to launch it. */
void print_advice(const struct demand *demand);

#endif
