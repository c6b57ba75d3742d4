/* Programs with their ufuncs and kernels, and their launches. A program owns its functions, manifest and modules,
 * and lives until it is released or its context ends. Failures are a status with gpucc_last_error(). */
#ifndef GPUCC_RUNTIME_PROGRAMS_H
#define GPUCC_RUNTIME_PROGRAMS_H

#include "devices/devices.h"
#include "programs/manifest.h"
#include <gpucc/cpu.h>
#include <gpucc/loops.h>

/* A GPU function and what launching it takes; `function` is found at the first launch. */
struct entry {
    const char *name;
    _Atomic(CUfunction) function;
    int max_threads; /* a block may have: the kernel's own limit */
    int registers;
    size_t shared;             /* static bytes */
    _Atomic size_t opted_in;   /* dynamic bytes it may have by now */
    unsigned block;            /* threads a block should have, by the manifest or the occupancy interface */
    unsigned elements_per_thread;
    bool cooperative;          /* all its blocks run at once */
    bool for_threads, for_blocks; /* a gufunc's: an outer index for each */
    struct shape3 cluster;     /* blocks; of the GPU's function once that is found */
    _Atomic uint64_t judged;   /* a bit for each size class whose occupancy has been looked at */
};

typedef void native_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data);

/* One instance of a ufunc; inputs come before outputs in `types`. */
struct loop {
    gpucc_dtype types[GPUCC_LOOP_OPERANDS];
    struct entry contiguous, rows, strided, converted, converted_packed;
    struct entry along, packed, packed_rows, packed_columns, across, fold; /* reductions; those that it has */
    struct entry scan_along, scan_across, scan_packed; /* accumulations in the tree; else the fold does them */
    struct entry at;                  /* cells in place by atomic operations, where it has it */
    struct entry gathered;            /* reductions of elements that do not all take part, or are computed on the way */
    struct entry outer, staged, team, together, tiles, warpgroups; /* of a gufunc, which has no others */
    bool team_waits;                  /* threads of a team wait for one another between loops */
    bool is_independent;              /* they neither wait nor exchange values */
    uint64_t shared_extents[SHARED_LOOPS]; /* of each loop that they share, bit d: its length follows from core
                                              extent d; 0 at their end */
    bool by_block;                    /* a block of threads does each call of it, on the CPU too: */
    void (*native_thread)(void **), (*native_block)(void **);
    size_t native_shared;             /* static bytes of such a block */
    uint64_t overwrites;              /* bit i: a gufunc writes all of output i, whatever stands there */
    native_loop *native, *native_reduce, *native_running, *native_cells; /* the last three of those that have them */
};

struct gpucc_ufunc {
    gpucc_program *program;
    const char *name;
    int inputs, outputs;
    bool reorderable;
    const char *doc;      /* the comment above it, or "" */
    const char *identity; /* a number, or null */
    const struct gufunc_layout *layout; /* of a gufunc; else null */
    const struct gpucc_ufunc *by; /* of a fused reduction: what combines its elements; else null */
    int loop_count;
    struct loop *loops;
};

struct gpucc_kernel {
    gpucc_program *program;
    const char *name;     /* the entry's */
    const char *function; /* the function it is an instance of */
    struct entry entry;
    unsigned launch_bounds; /* threads a block may have by the manifest, 0: the device's limit */
    size_t shared;          /* static bytes of a block, on the CPU */
    bool dynamic_shared;    /* it uses shared memory that the launch gives */
    int parameter_count;
    const struct manifest_parameter *parameters;
    void (*thread)(void **); /* native code; block is null if there are barriers */
    void (*block)(void **);
    _Atomic(struct block_choice *) choices; /* occupancy.c: the block sizes chosen so far */
};

struct gpucc_program {
    struct link link;
    gpucc_context *context;
    const struct gpucc_program_image *image; /* null if it came from PTX and manifest */
    struct gpucc_native_code code;           /* that this machine runs; without functions if there is none */
    const char *name;                        /* for messages */
    uint64_t abi;
    char *text; /* the manifest's, ours; null if the image holds it */
    struct compiled *compiled; /* what it is made of, where that was compiled here; else null */
    struct manifest *manifest;
    CUmodule module;         /* what is loaded at once: all but loops that the PTX lets be loaded by themselves */
    struct gpucc_image ptx;  /* that the device was given of the program's images */
    void *cubin;             /* of that PTX, once gpucc_program_cubin() was called */
    size_t cubin_size;
    bool ptx_is_sm_90a;
    CUmodule *loop_modules;  /* of loops that calls have needed so far */
    size_t loop_module_count;
    bool is_shared; /* loaded for generated headers, by its image */
    pthread_mutex_t lock; /* guards the preparing of entries */
    int ufunc_count, kernel_count;
    gpucc_ufunc *ufuncs;
    gpucc_kernel *kernels;
    gpucc_program **others; /* of the context's group: the program on member i + 1; else null */
};

/* program.c */

/* Frees whatever programs are left when the context goes. */
void programs_destroy_all(gpucc_context *context);
gpucc_status entry_find(gpucc_program *program, struct entry *entry);
/* Finds the entry's function in the program's module, once. */
static inline gpucc_status entry_prepare(gpucc_program *program, struct entry *entry)
{
    return atomic_load_explicit(&entry->function, memory_order_acquire) ? GPUCC_OK : entry_find(program, entry);
}

/* Loads one image, whose memory, like the manifest's, must outlive the program. */
gpucc_status program_load_image(gpucc_context *context, const struct gpucc_image *image, const char *manifest,
                                size_t manifest_size, gpucc_program **out);

/* group_programs.c */

/* The same program, or ufunc of it, on that device. */
gpucc_program *group_program(gpucc_program *program, int member);
gpucc_ufunc *group_ufunc(gpucc_ufunc *ufunc, int member);
/* The variables of the program on the other devices become what they are on the first. */
gpucc_status group_share_variables(gpucc_program *program);

/* program_compile.c */

void compiled_free(struct compiled *compiled); /* null: nothing */

/* module.c */

/* Loads the newest of the images that device and driver take, once its ABI stamp has been checked against the
 * manifest's, into program->module and ->ptx.  Loops that the PTX says can do without the rest are left to
 * module_with(). */
gpucc_status module_load(gpucc_program *program, const struct gpucc_image *images, int count);
/* The module that has the entry, loaded now where it is such a loop's.  With the program's lock held. */
gpucc_status module_with(gpucc_program *program, const char *entry, CUmodule *out);
void modules_unload(gpucc_program *program);

/* cubin_cache.c */

/* Loads what the driver has made of the PTX before, or has it make that, where the user keeps such.  False, and nothing
 * is noted, where that is not so or something fails: the image is then to be loaded as it is. */
bool cubin_load(const gpucc_context *context, const struct gpucc_image *image, CUmodule *out);

/* lookup.c: functions by image and name, found without a lock */

struct named {
    const struct gpucc_program_image *image;
    const char *name;
    gpucc_ufunc *ufunc; /* one of these is null */
    gpucc_kernel *kernel;
};
const struct named *lookup_find(gpucc_context *context, const struct gpucc_program_image *image, const char *name);
/* With the context's `loading` held. */
gpucc_status lookup_insert(gpucc_context *context, const struct named *named);
void lookup_destroy(gpucc_context *context);

/* native_code.c */

/* The best of the program's native codes that this machine runs; GPUCC_UNSUPPORTED, and none, if there is none. */
gpucc_status native_code_find(const struct gpucc_program_image *image, struct gpucc_native_code *code);
/* gpucc_cpu_self() as the program's native code calls it; null if that is not known. */
struct gpucc_cpu_thread *(*native_code_self(const gpucc_program *program))(void);

/* launch.c */

/* A launch whose sizes are chosen and checked. */
struct launch_plan {
    gpucc_stream *stream;
    struct shape3 grid, block;
    size_t shared;
    bool empty; /* no thread is wanted */
};

/* More shared memory than every device has must be asked for, once. */
gpucc_status entry_opt_in(gpucc_program *program, struct entry *entry, size_t dynamic);
/* One launch of an entry that is ready and whose limits are kept. */
gpucc_status entry_launch(gpucc_stream *stream, struct entry *entry, struct shape3 grid, struct shape3 block,
                          size_t shared, void **parameters);
/* The same with all blocks at once, as if the entry were cooperative. */
gpucc_status entry_launch_together(gpucc_stream *stream, struct entry *entry, struct shape3 grid, struct shape3 block,
                                   void **parameters);

/* occupancy.c */

/* Threads of a block of the kernel by the driver's occupancy interface, cached. */
gpucc_status occupancy_block(gpucc_kernel *kernel, size_t shared, unsigned *threads);
/* At most `most` threads for a block where there are `total` in all: small totals get small blocks, on many
 * multiprocessors. */
unsigned occupancy_spread(const gpucc_context *context, unsigned most, uint64_t total);
/* How many blocks of this shape all multiprocessors hold at a time, in whole clusters. */
gpucc_status occupancy_resident(gpucc_context *context, const struct entry *entry, struct shape3 block, size_t shared,
                                uint64_t *blocks);
/* A block of at most `most` threads in the shape of the space: 16 x 16, 8 x 8 x 4. */
struct shape3 occupancy_shape(unsigned most, const uint64_t threads[3], const int limits[3]);
/* Frees what occupancy_block() has cached. */
void occupancy_forget(gpucc_kernel *kernel);
/* Warns, once for each size class, where the launch cannot fill the device. */
void occupancy_judge(gpucc_context *context, struct entry *entry, struct shape3 grid, struct shape3 block,
                     size_t shared);
static inline unsigned occupancy_class(struct shape3 grid)
{
    uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    return 63u - (unsigned)__builtin_clzll(blocks | 1);
}
static inline bool occupancy_judged(const struct entry *entry, struct shape3 grid)
{
    return atomic_load_explicit(&entry->judged, memory_order_relaxed) >> occupancy_class(grid) & 1;
}

#endif
