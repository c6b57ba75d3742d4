/* The interface of native kernel code to the CPU executor (runtime/executor/executor.c): the running thread's index in
 * the grid, its block's shared memory, and barriers.  The annotations in <gpucc.h> expand to these on the CPU.
 *
 * For a kernel K the compiler makes two native functions, both with the parameters that cuLaunchKernel takes (an
 * array of pointers to the values):
 *   void K_thread(void **parameters)   runs the thread of gpucc_cpu_self()
 *   void K_block(void **parameters)    runs all threads of the current block, and may write thread_index; exists
 *                                      for kernels without warp operations whose barriers are all in inlined code
 */
#ifndef GPUCC_CPU_H
#define GPUCC_CPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gpucc_index {
    unsigned x, y, z;
};

/* The executor has a record for each running thread of a block.  Kernel code reads it; K_block alone also writes
 * thread_index. */
struct gpucc_cpu_thread {
    struct gpucc_index thread_index, block_index, block_dim, grid_dim;
    char *shared;         /* the kernel's static shared variables: `shared` bytes of the manifest, 128-aligned */
    char *dynamic_shared; /* the launch's dynamic shared memory, 128-aligned */
    struct gpucc_index cluster_dim; /* blocks of a cluster */
    unsigned dynamic_shared_size;   /* bytes */
};

/* The place of a barrier in the source; its address identifies the barrier. */
struct gpucc_cpu_place {
    const char *file;
    int line, column; /* of its last character, from 1 on; 0 if unknown */
};

#if defined(__has_builtin)
#if __has_builtin(__builtin_COLUMN)
#define GPUCC_CPU_COLUMN __builtin_COLUMN()
#endif
#endif
#ifndef GPUCC_CPU_COLUMN
#define GPUCC_CPU_COLUMN 0
#endif
/* The place of this expansion; each expansion has a record of its own. */
#define GPUCC_CPU_HERE                                                                                                 \
    __extension__({                                                                                                    \
        static const struct gpucc_cpu_place gpucc_here = {__FILE__, __LINE__, GPUCC_CPU_COLUMN};                       \
        &gpucc_here;                                                                                                   \
    })

/* The running thread's record.  `const` is right within one thread: each has its own stack, or runs to its end before
 * the next one starts. */
#if defined(__GNUC__)
__attribute__((const, returns_nonnull))
#endif
struct gpucc_cpu_thread *gpucc_cpu_self(void);

/* The optimiser must not make a call depend on more conditions. */
#if defined(__clang__)
#define GPUCC_CONVERGENT __attribute__((convergent))
#else
#define GPUCC_CONVERGENT
#endif

/* The functions below whose names begin with gpucc_cpu_barrier or gpucc_cpu_warp make the calling thread wait for
 * others.  Threads that wait for each other forever are an error of the launch. */

/* __syncthreads(): returns when every thread of the block that has not ended has called it.  Threads at different
 * places are an error of the launch.  In K_block the compiler replaces these calls by its own code. */
GPUCC_CONVERGENT void gpucc_cpu_barrier(const struct gpucc_cpu_place *place);
/* The same; returns the number of threads with a nonzero predicate. */
GPUCC_CONVERGENT unsigned gpucc_cpu_barrier_count(const struct gpucc_cpu_place *place, int predicate);

/* For K_block.  Returns uninitialised memory of that many bytes, aligned to 128, which lives until the block ends. */
char *gpucc_cpu_scratch(size_t size);
/* next[i] is 0 if thread i has ended, else it is at barrier places[next[i] - 1].  Returns the common value of the
 * threads that have not ended, and in *ended whether any have.  Different barriers are an error of the launch. */
int gpucc_cpu_agree(const int *next, unsigned threads, const struct gpucc_cpu_place *const *places, int *ended);

/* A barrier of all threads of a cooperative launch's grid.  A thread that never arrives is an error of the launch. */
void gpucc_cpu_barrier_grid(void);

/* The two halves of a barrier of all threads of the cluster that have not ended.  Each thread alternates them. */
GPUCC_CONVERGENT void gpucc_cpu_cluster_arrive(void);
GPUCC_CONVERGENT void gpucc_cpu_cluster_wait(void);
/* Maps an address of the cluster's shared memory to the block of that rank.  A missing or ended block is an error of
 * the launch.  gpucc_cpu_cluster_rank() returns the rank of the block that owns the address. */
void *gpucc_cpu_cluster_map(const volatile void *address, unsigned rank);
unsigned gpucc_cpu_cluster_rank(const volatile void *address);

/* Barriers in shared memory, 8 bytes that <gpucc/tma.h> calls an mbarrier: in each phase `arrivals` threads arrive, and
 * the bytes that are expected are copied.  A phase's parity is 0, 1, 0 …  Another state than these functions have made
 * is an error of the launch. */
void gpucc_cpu_mbarrier_init(uint64_t *barrier, unsigned arrivals);
void gpucc_cpu_mbarrier_expect(uint64_t *barrier, unsigned bytes);
GPUCC_CONVERGENT void gpucc_cpu_mbarrier_arrive(uint64_t *barrier);
GPUCC_CONVERGENT void gpucc_cpu_mbarrier_wait(uint64_t *barrier, unsigned parity);
GPUCC_CONVERGENT int gpucc_cpu_mbarrier_test(uint64_t *barrier, unsigned parity);
/* All threads of a warpgroup meet. */
GPUCC_CONVERGENT void gpucc_cpu_mbarrier_meet(void);

/* Copies of a box of the array that a tensor map describes, whose first element has the coordinates at[0] …, innermost
 * first.  A load counts its bytes at the barrier; bits of `ranks` are blocks of the cluster, each of which gets the box
 * at the same place of its own shared memory, and 0 is the calling block alone. */
struct gpucc_tensor_map;
void gpucc_cpu_tensor_load(void *to, const struct gpucc_tensor_map *map, uint64_t *barrier, unsigned ranks,
                           unsigned rank, const int *at);
void gpucc_cpu_tensor_store(const struct gpucc_tensor_map *map, const void *from, int adds, unsigned rank,
                            const int *at);
/* A copy of bytes, which are counted at the barrier; null: there is none. */
void gpucc_cpu_bulk_copy(void *to, const void *from, unsigned bytes, uint64_t *barrier);

/* Warp operations, on 32 consecutive threads.  The participants are the lanes in `mask` that have not ended.  A mask
 * without the calling lane is an error of the launch. */
void gpucc_cpu_warp_sync(unsigned mask);
/* The value of lane `source`; the caller's own if that lane does not participate. */
uint64_t gpucc_cpu_warp_shuffle(unsigned mask, uint64_t value, unsigned source);
/* Lower half: the lanes with a nonzero predicate.  Upper half: the participants. */
uint64_t gpucc_cpu_warp_vote(unsigned mask, int predicate);
/* Lower half: the lanes with the caller's value.  Upper half: the participants. */
uint64_t gpucc_cpu_warp_match(unsigned mask, uint64_t value);
enum gpucc_cpu_reduction {
    GPUCC_CPU_ADD,
    GPUCC_CPU_MIN,
    GPUCC_CPU_MAX,
    GPUCC_CPU_UMIN,
    GPUCC_CPU_UMAX,
    GPUCC_CPU_AND,
    GPUCC_CPU_OR,
    GPUCC_CPU_XOR
};
/* Reduces the participants' values, as 64-bit integers. */
uint64_t gpucc_cpu_warp_reduce(unsigned mask, uint64_t value, enum gpucc_cpu_reduction reduction);
/* One participant runs compute() for all: operands[i] is lane i's operand, `lanes` the participants.  Returns them. */
unsigned gpucc_cpu_warp_together(unsigned mask, void (*compute)(void *const *operands, unsigned lanes), void *operand);
/* The lanes of the warp that reach the same `place` before they wait for anything else. */
unsigned gpucc_cpu_warp_active(unsigned place);
/* Lets the block's other threads run. */
void gpucc_cpu_warp_yield(void);

/* The program's native code that is best on this machine; null if the machine runs none of it.  The functions that the
 * program's object exports dispatch to it. */
struct gpucc_program_image;
const struct gpucc_native_code *gpucc_cpu_code(const struct gpucc_program_image *image);

/* ---- textures and surfaces, as <gpucc/texture.h> reads and writes them ---- */

/* The coordinates of a read; LINEAR has an index alone. */
enum gpucc_cpu_geometry {
    GPUCC_CPU_1D,
    GPUCC_CPU_2D,
    GPUCC_CPU_3D,
    GPUCC_CPU_LINEAR,
    GPUCC_CPU_1D_LAYERED,
    GPUCC_CPU_2D_LAYERED
};

/* One read of a texture. */
struct gpucc_cpu_sample {
    uint64_t texture; /* the texture object */
    enum gpucc_cpu_geometry geometry;
    char kind;       /* of the components: 'f' float32, 's' or 'u' integers of 32 bits */
    int count;       /* of requested components */
    float at[3];     /* x, y, z */
    int index;       /* of the texel, or the layer */
    const struct gpucc_cpu_place *place;
};
/* Stores four components, of which the first `count` are valid.  An invalid object is an error of the launch. */
void gpucc_cpu_texture_read(const struct gpucc_cpu_sample *sample, uint32_t texel[4]);

/* Accesses outside of a surface.  ZERO: reads return 0, writes have no effect.  CLAMP: the nearest texel.  TRAP: an
 * error of the launch. */
enum gpucc_cpu_beyond { GPUCC_CPU_ZERO, GPUCC_CPU_CLAMP, GPUCC_CPU_TRAP };

/* A texel of a surface. */
struct gpucc_cpu_spot {
    uint64_t surface;
    enum gpucc_cpu_geometry geometry;
    int at[3];       /* x in bytes, y, z or the layer */
    int beyond;      /* enum gpucc_cpu_beyond */
    unsigned size;   /* bytes of the value, a whole texel */
    const struct gpucc_cpu_place *place;
};
void gpucc_cpu_surface_read(const struct gpucc_cpu_spot *spot, void *value);
void gpucc_cpu_surface_write(const struct gpucc_cpu_spot *spot, const void *value);

/* A loop of NumPy's type that runs another one, `data`, on all cores, for hosts such as NumPy that call a loop once for
 * all elements.  Short calls, reductions, accumulations and overlapping operands run in the calling thread.  So does
 * every call while another thread's loop uses the cores.  The calling thread gets the workers' floating-point flags.
 *
 * Vectors compute both sides of a condition, and the processor flags either.  Where the loop flags an exception of
 * `wanted`, `flags` returns those that C's code raises for the same inputs; the others are dropped.
 *
 * `reduce` is S_reduce of a reorderable function of two inputs: reductions use its tree. */
enum gpucc_cpu_exception { GPUCC_CPU_INVALID = 1, GPUCC_CPU_DIVIDE = 2, GPUCC_CPU_OVERFLOW = 4 };
struct gpucc_shared_loop {
    void (*run)(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data);
    const size_t *sizes; /* bytes of an element of each operand */
    int inputs, operands, core_dims; /* core_dims: the number of dimensions[] after the first */
    unsigned (*flags)(char **args, const intptr_t *dimensions, const intptr_t *steps, unsigned wanted); /* or null */
    void (*reduce)(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data);         /* or null */
};
void gpucc_cpu_run_shared(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data);

/* Two clocks: a counter of the processor's cycles, and nanoseconds. */
uint64_t gpucc_cpu_cycles(void);
uint64_t gpucc_cpu_nanoseconds(void);
/* For debuggers: the state of each thread of the block that this OS thread runs, as lines of text.  Valid until the
 * next call. */
const char *gpucc_cpu_threads(void);
/* Stops in a debugger. */
void gpucc_cpu_breakpoint(void);

/* Ends the launch with an error and its place. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void gpucc_cpu_fail(const char *what, const char *file, int line);
/* The same for an index out of bounds of an array with this name and type; `array` may be "". */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void gpucc_cpu_out_of_bounds(const char *array, const char *type, int64_t index, const char *file, int line);
/* The same for an address that is null or misaligned for the type. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void gpucc_cpu_misaligned(const char *type, uint64_t address, unsigned align, const char *file, int line);
/* The same if an atomic operation's address is no multiple of its size; else returns. */
void gpucc_cpu_check_atomic(const void *address, unsigned size, const char *file, int line);

/* ---- calls of code compiled with -fsanitize=undefined or float ---- */

/* An operation whose result may be a fault. */
struct gpucc_cpu_operation {
    struct gpucc_cpu_place place;
    const char *name;         /* on floating-point numbers "+", "sinf", "" for a conversion; else its type: "'int'" */
    unsigned kind;            /* its index in <gpucc/undefined.def>; their number for floating-point operations */
    unsigned bits, is_signed; /* of its operands */
    unsigned operands;
};

/* Records an operation that C leaves undefined for these operands: integers of up to 64 bits, or addresses of wider
 * ones.  The end of the launch or call reports it.  Ends a launch only if the code cannot continue. */
void gpucc_cpu_undefined(const struct gpucc_cpu_operation *operation, uint64_t a, uint64_t b);
/* Records an operation whose result is a NaN or an infinity, if its operands are finite. */
void gpucc_cpu_nonfinite(const struct gpucc_cpu_operation *operation, double result, double a, double b, double c);

/* ---- calls of code compiled with -fsanitize=address, race or uninitialized ---- */

/* The kind of an access: bits. */
enum gpucc_cpu_access {
    GPUCC_CPU_READ = 1,
    GPUCC_CPU_WRITE = 2,
    GPUCC_CPU_STRONG = 4,   /* atomic or volatile: two of these are no race */
    GPUCC_CPU_FENCED = 8,   /* an atomic operation that orders accesses around it */
    GPUCC_CPU_KNOWN = 16,   /* a write whose value is reported */
    GPUCC_CPU_PARTIAL = 32, /* a read of more than is used, which may be partly uninitialised */
    GPUCC_CPU_DATA = 64,    /* volatile, not atomic; a read whose value is not compared: no flag */
    GPUCC_CPU_TEXTURE = 128, /* a read through a texture, which does not see the launch's writes */
    GPUCC_CPU_ACTOR = 256,   /* of the copy engine, or of a warpgroup's product */
};

/* A call of an inlined function: its place, the function that contains it, and that function's own call, null for the
 * kernel. */
struct gpucc_cpu_call {
    struct gpucc_cpu_place place;
    const char *function;
    const struct gpucc_cpu_call *from;
};

/* A place of the program that accesses memory. */
struct gpucc_cpu_site {
    struct gpucc_cpu_call at;
    const char *object;  /* the variable that the address is based on, or null */
    uint64_t extent;     /* its bytes; 0: not known */
    unsigned element;    /* bytes of one of its elements; 0: it is no array */
    unsigned size;       /* accessed bytes; 0: the call states them */
    unsigned align;      /* the alignment that the code assumes */
    unsigned access;     /* enum gpucc_cpu_access */
    unsigned number;     /* the executor's; 0 at first */
};

/* Called before each access with its address, the address `base` that it was computed from, and the value to be
 * written, if the site reports it.  An access outside the array of `base` ends the launch.  Other faults are recorded,
 * and reported when it ends. */
void gpucc_cpu_watch(const volatile void *address, const volatile void *base, uint64_t value,
                     struct gpucc_cpu_site *site);
void gpucc_cpu_watch_range(const volatile void *address, const volatile void *base, uint64_t size,
                           struct gpucc_cpu_site *site);
/* The same for a local variable that begins at `base`.  `written` has a byte for each byte of the variable; it is null
 * if some writes are not observed. */
void gpucc_cpu_watch_local(const volatile void *address, const volatile void *base, char *written, uint64_t size,
                           struct gpucc_cpu_site *site);
/* For ufuncs and gufuncs: ends the call with a report of an access of `size` bytes outside of the `bytes` at `base`. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void gpucc_cpu_outside(const void *address, const void *base, uint64_t bytes, uint64_t size,
                       const struct gpucc_cpu_site *site);
/* The thread's asynchronous copies.  begin: `bytes` bytes, of which the first `read` come from `from`.  commit: groups
 * the copies begun so far.  wait: all but the `newest` groups are complete. */
void gpucc_cpu_copy_begin(const void *to, const void *from, uint64_t bytes, uint64_t read,
                          struct gpucc_cpu_site *site);
void gpucc_cpu_copy_commit(void);
void gpucc_cpu_copy_wait(unsigned newest);
/* Order the copy engine's accesses and the threads': mbarrier_fence_init(), fence_proxy_async(), tma_commit() and
 * tma_wait() or tma_wait_read() for all but the `newest` groups. */
void gpucc_cpu_mbarrier_fence(void);
void gpucc_cpu_bulk_fence(void);
void gpucc_cpu_bulk_commit(void);
void gpucc_cpu_bulk_wait(unsigned newest, int only_reads);
/* Products of warpgroups.  begin and end: around one of bytes `a` and `b`, descriptors of <gpucc/wgmma.h>, into the
 * sums.  begin_part: A is in registers, made behind so many calls of wgmma_fence() as fences() returned then.  fence,
 * commit and wait as wgmma_fence(), wgmma_commit() and wgmma_wait(). */
void gpucc_cpu_watch_product_begin(void *sums, uint64_t size, unsigned kind, uint64_t a, uint64_t b,
                                   unsigned a_is_columns, unsigned b_is_columns);
void gpucc_cpu_watch_product_begin_part(void *sums, uint64_t size, uint32_t fences, uint64_t b,
                                        unsigned b_is_columns);
uint32_t gpucc_cpu_watch_product_fences(void);
void gpucc_cpu_watch_product_end(void *sums);
void gpucc_cpu_watch_product_fence(void *sums, uint64_t size);
GPUCC_CONVERGENT void gpucc_cpu_watch_product_commit(void);
void gpucc_cpu_watch_product_wait(unsigned newest, void *sums);
/* Called when code of -fsanitize=uninitialized is loaded: arrays created from then on record unwritten elements. */
void gpucc_cpu_watch_arrays(void);
/* Called at the start of a function with so many bytes of variables, before large ones are allocated on the stack.
 * Returns 1. */
uint64_t gpucc_cpu_watch_stack(uint64_t bytes, struct gpucc_cpu_site *site);
/* The thread executes a fence. */
void gpucc_cpu_watch_fence(void);
/* Called before an operation that may fail or wait, with its place. */
void gpucc_cpu_watch_place(struct gpucc_cpu_site *site);
/* The same for a copy to or from the variable that begins at `base`. */
void gpucc_cpu_watch_target(const void *base, struct gpucc_cpu_site *site);

/* The rest is for K_block of checked code, which records a thread's index before each of the calls above. */

/* The array or variable that contains an address; no bytes if there is none.  If only addresses are checked, aligned
 * accesses inside it need no report. */
struct gpucc_cpu_extent {
    uint64_t base, size;
};
struct gpucc_cpu_extent gpucc_cpu_watch_extent(const volatile void *base);
/* Called before gpucc_cpu_agree(), with the sites of its places. */
void gpucc_cpu_watch_barriers(const int *next, unsigned threads, struct gpucc_cpu_site *const *sites);
/* Returns whether the block has written all of a shared variable.  Reads of it then need no report until the next
 * write. */
int gpucc_cpu_watch_written(const volatile void *base, uint64_t size);
/* All threads have passed a barrier. */
void gpucc_cpu_watch_synced(void);

#ifdef __cplusplus
}
#endif
#endif
