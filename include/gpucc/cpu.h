/* The interface of native kernel code to the CPU executor (runtime/executor/executor.c): the running thread's place in
 * the grid, its block's shared memory, and barriers.  The annotations in <gpucc.h> expand to these on the CPU.
 *
 * For a kernel K the compiler makes two native functions, both with the parameters that cuLaunchKernel takes (an
 * array of pointers to the values):
 *   void K_thread(void **parameters)   runs the one thread that gpucc_cpu_self() stands for
 *   void K_block(void **parameters)    runs all threads of the current block, whose thread_index it may write; made
 *                                      only for kernels without warp operations, whose barriers are all in code that
 *                                      was inlined
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

/* The executor keeps one of these for each running thread of a block.  Kernel code reads it; K_block alone also
 * writes thread_index. */
struct gpucc_cpu_thread {
    struct gpucc_index thread_index, block_index, block_dim, grid_dim;
    char *shared;         /* the kernel's static shared variables: `shared` bytes of the manifest, 128-aligned */
    char *dynamic_shared; /* the bytes asked for at the launch, 128-aligned */
    struct gpucc_index cluster_dim; /* blocks of a cluster */
};

/* The place of a barrier in the source; its address identifies the barrier. */
struct gpucc_cpu_place {
    const char *file;
    int line, column; /* of its last character, from 1 on; 0 where the column is not known */
};

#if defined(__has_builtin)
#if __has_builtin(__builtin_COLUMN)
#define GPUCC_CPU_COLUMN __builtin_COLUMN()
#endif
#endif
#ifndef GPUCC_CPU_COLUMN
#define GPUCC_CPU_COLUMN 0
#endif
/* The place where this stands, which is another one each time that it is written. */
#define GPUCC_CPU_HERE                                                                                                 \
    __extension__({                                                                                                    \
        static const struct gpucc_cpu_place gpucc_here = {__FILE__, __LINE__, GPUCC_CPU_COLUMN};                       \
        &gpucc_here;                                                                                                   \
    })

/* The running thread's record.  `const` is true within one thread of a block: every one has its own stack, or
 * runs to its end before the next starts. */
#if defined(__GNUC__)
__attribute__((const, returns_nonnull))
#endif
struct gpucc_cpu_thread *gpucc_cpu_self(void);

/* Code may not be changed so that threads come to it on other conditions. */
#if defined(__clang__)
#define GPUCC_CONVERGENT __attribute__((convergent))
#else
#define GPUCC_CONVERGENT
#endif

/* The functions below whose names begin with gpucc_cpu_barrier or gpucc_cpu_warp make the calling thread wait for
 * others.  Threads that wait for one another for ever are an error of the launch. */

/* __syncthreads(): returns when every thread of the block that has not ended has called it.  That some are at another
 * place is an error of the launch.  In K_block the compiler puts its own code in their stead. */
GPUCC_CONVERGENT void gpucc_cpu_barrier(const struct gpucc_cpu_place *place);
/* The same, and how many of them gave a predicate that is not 0. */
GPUCC_CONVERGENT unsigned gpucc_cpu_barrier_count(const struct gpucc_cpu_place *place, int predicate);

/* K_block calls this.  Returns memory of that size, aligned to 128, until the block has ended; not zero. */
char *gpucc_cpu_scratch(size_t size);
/* next[i] tells where thread i is: at barrier places[next[i] - 1], or 0 where it has ended.  Returns what it is for all
 * that have not ended, and in *ended whether any have; that threads are at different barriers is an error of the
 * launch. */
int gpucc_cpu_agree(const int *next, unsigned threads, const struct gpucc_cpu_place *const *places, int *ended);

/* A barrier of all threads of the grid, of a cooperative launch: one that does not come is an error of the launch. */
void gpucc_cpu_barrier_grid(void);

/* The two halves of a barrier of all threads of the cluster that have not ended.  Each thread comes to them in turn. */
GPUCC_CONVERGENT void gpucc_cpu_cluster_arrive(void);
GPUCC_CONVERGENT void gpucc_cpu_cluster_wait(void);
/* Maps an address of the cluster's shared memory to the block of that rank; that there is none, or that it has
 * ended, is an error of the launch.  And the rank of the block in whose shared memory the address is. */
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

/* Warp operations, on 32 consecutive threads.  The lanes that `mask` names and that have not ended meet; a mask without
 * the calling lane is an error of the launch. */
void gpucc_cpu_warp_sync(unsigned mask);
/* The value that lane `source` gives; one's own where it is not among those that meet. */
uint64_t gpucc_cpu_warp_shuffle(unsigned mask, uint64_t value, unsigned source);
/* Lower half: the lanes that gave a predicate that is not 0.  Upper half: the lanes that meet. */
uint64_t gpucc_cpu_warp_vote(unsigned mask, int predicate);
/* Lower half: the lanes that gave the same value.  Upper half: the lanes that meet. */
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
/* Over the values that the lanes give, as 64-bit integers. */
uint64_t gpucc_cpu_warp_reduce(unsigned mask, uint64_t value, enum gpucc_cpu_reduction reduction);
/* One of the lanes that meet runs compute() for all of them: operands[i] is what lane i gave, `lanes` who meets; these
 * are returned too. */
unsigned gpucc_cpu_warp_together(unsigned mask, void (*compute)(void *const *operands, unsigned lanes), void *operand);
/* The lanes of the warp that come to the same `place` in the program before anything else makes them wait. */
unsigned gpucc_cpu_warp_active(unsigned place);
/* Lets the block's other threads run. */
void gpucc_cpu_warp_yield(void);

/* The native code of the program that is best on this machine; null where it runs none of it.  What the program's
 * object shows under the names of its functions goes there. */
struct gpucc_program_image;
const struct gpucc_native_code *gpucc_cpu_code(const struct gpucc_program_image *image);

/* ---- textures and surfaces, as <gpucc/texture.h> reads and writes them ---- */

/* Which coordinates there are: of LINEAR an index alone. */
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
    uint64_t texture; /* the object that the kernel was given */
    enum gpucc_cpu_geometry geometry;
    char kind;       /* of the components: 'f' float32, 's' or 'u' integers of 32 bits */
    int count;       /* of components that are wanted */
    float at[3];     /* x, y, z */
    int index;       /* of the texel, or the layer */
    const struct gpucc_cpu_place *place;
};
/* Four components, of which `count` count.  An object that is no such texture is an error of the launch. */
void gpucc_cpu_texture_read(const struct gpucc_cpu_sample *sample, uint32_t texel[4]);

/* Accesses outside of a surface: a read gives 0 and a write does nothing, goes to the nearest texel, or ends the
 * launch. */
enum gpucc_cpu_beyond { GPUCC_CPU_ZERO, GPUCC_CPU_CLAMP, GPUCC_CPU_TRAP };

/* A texel of a surface. */
struct gpucc_cpu_spot {
    uint64_t surface;
    enum gpucc_cpu_geometry geometry;
    int at[3];       /* x in bytes, y, z or the layer */
    int beyond;      /* enum gpucc_cpu_beyond */
    unsigned size;   /* bytes of the value, which are those of a texel */
    const struct gpucc_cpu_place *place;
};
void gpucc_cpu_surface_read(const struct gpucc_cpu_spot *spot, void *value);
void gpucc_cpu_surface_write(const struct gpucc_cpu_spot *spot, const void *value);

/* A loop of NumPy's type that runs another one, `data`, on all cores: for hosts that call loops as NumPy does, in one
 * thread, with all there is to do.  What is little, a reduction, an accumulation and operands that overlap stay in the
 * calling thread, as does everything while another thread's loop has the cores.  What the processor flags (overflow,
 * an invalid operation) is flagged in the calling thread. */
struct gpucc_shared_loop {
    void (*run)(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data);
    const size_t *sizes; /* bytes of an element of each operand */
    int inputs, operands, core_dims; /* core_dims: how many dimensions[] holds behind the first one */
};
void gpucc_cpu_run_shared(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data);

/* Two clocks: a counter of the processor's cycles, and nanoseconds. */
uint64_t gpucc_cpu_cycles(void);
uint64_t gpucc_cpu_nanoseconds(void);
/* For debuggers: what each thread does of the block that this OS thread runs, as lines of text that live until the next
 * call. */
const char *gpucc_cpu_threads(void);
/* Stops in a debugger. */
void gpucc_cpu_breakpoint(void);

/* Ends the launch with an error that says where and what.  Does not return. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void gpucc_cpu_fail(const char *what, const char *file, int line);
/* The same for an index that an array of that name and type has not; `array` may be "". */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void gpucc_cpu_out_of_bounds(const char *array, const char *type, int64_t index, const char *file, int line);
/* The same for an address at which nothing of that type may be: null, or not aligned. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void gpucc_cpu_misaligned(const char *type, uint64_t address, unsigned align, const char *file, int line);
/* The same where an atomic operation is on an address that is not a multiple of its size; else it returns. */
void gpucc_cpu_check_atomic(const void *address, unsigned size, const char *file, int line);

/* ---- what code calls that is compiled with -fsanitize=undefined or float ---- */

/* An operation whose result may be a fault. */
struct gpucc_cpu_operation {
    struct gpucc_cpu_place place;
    const char *name;         /* on floating-point numbers "+", "sinf", "" for a conversion; else its type: "'int'" */
    unsigned kind;            /* where it stands in <gpucc/undefined.def>; one on floating-point numbers: behind all */
    unsigned bits, is_signed; /* of its operands */
    unsigned operands;
};

/* The operation is one that C leaves undefined for these operands: integers, as 64 bits or, where they have more, their
 * addresses.  Noted, and reported when the launch or the call ends; ends a launch only where code cannot go on. */
void gpucc_cpu_undefined(const struct gpucc_cpu_operation *operation, uint64_t a, uint64_t b);
/* The operation's result is a NaN or an infinity.  Noted where its operands are finite. */
void gpucc_cpu_nonfinite(const struct gpucc_cpu_operation *operation, double result, double a, double b, double c);

/* ---- what code calls that is compiled with -fsanitize=address, race or uninitialized ---- */

/* The kind of an access: bits. */
enum gpucc_cpu_access {
    GPUCC_CPU_READ = 1,
    GPUCC_CPU_WRITE = 2,
    GPUCC_CPU_STRONG = 4,   /* atomic or volatile: two of these are no race */
    GPUCC_CPU_FENCED = 8,   /* an atomic operation that orders what stands around it */
    GPUCC_CPU_KNOWN = 16,   /* a write whose value is reported */
    GPUCC_CPU_PARTIAL = 32, /* a read of more than is used: that part of it has no value is no fault */
    GPUCC_CPU_DATA = 64,    /* volatile, not atomic, and if a read, of what is not compared: no flag */
    GPUCC_CPU_TEXTURE = 128, /* a read through a texture, which does not see what the launch writes */
};

/* A call of a function that was inlined: where it stands, in which function, and how that one was called; null at the
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
    unsigned size;       /* bytes that are accessed; 0 where the call tells them */
    unsigned align;      /* of the address, as the code takes it for granted */
    unsigned access;     /* enum gpucc_cpu_access */
    unsigned number;     /* the executor's; 0 at first */
};

/* Before each access: its address, the one that it was computed from, and the value to be written, where that is
 * reported. An access outside the array into which the second one points is an error of the launch; others are noted,
 * and reported when it ends. */
void gpucc_cpu_watch(const volatile void *address, const volatile void *base, uint64_t value,
                     struct gpucc_cpu_site *site);
void gpucc_cpu_watch_range(const volatile void *address, const volatile void *base, uint64_t size,
                           struct gpucc_cpu_site *site);
/* The same for a local variable, which begins at `base` and has a byte of `written` for each of its own; `written` is
 * null where not all writes are seen. */
void gpucc_cpu_watch_local(const volatile void *address, const volatile void *base, char *written, uint64_t size,
                           struct gpucc_cpu_site *site);
/* In code of ufuncs and gufuncs: an access of `size` bytes outside of the `bytes` from `base` on.  Ends the call. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void gpucc_cpu_outside(const void *address, const void *base, uint64_t bytes, uint64_t size,
                       const struct gpucc_cpu_site *site);
/* The thread has begun an asynchronous copy of `bytes` bytes, the first `read` of which it reads; the compiler says
 * which site that is.  What it has begun is a group; all but the newest groups have been waited for. */
void gpucc_cpu_copy_begin(const void *to, const void *from, uint64_t bytes, uint64_t read,
                          struct gpucc_cpu_site *site);
void gpucc_cpu_copy_commit(void);
void gpucc_cpu_copy_wait(unsigned newest);
/* When code of -fsanitize=uninitialized is loaded: of arrays that are made from then on what nobody writes is known. */
void gpucc_cpu_watch_arrays(void);
/* At the beginning of a function that has so many bytes of variables, before large ones get their room on the stack.
 * Gives 1. */
uint64_t gpucc_cpu_watch_stack(uint64_t bytes, struct gpucc_cpu_site *site);
/* A fence. */
void gpucc_cpu_watch_fence(void);
/* Before what may fail or wait: where it stands. */
void gpucc_cpu_watch_place(struct gpucc_cpu_site *site);

/* K_block of checked code calls this.  It notes a thread's index before each of the calls above. */

/* The array or variable into which the address points: an access that is computed from there, inside it and aligned,
 * need not be reported where nothing but addresses is checked.  No bytes where there is none. */
struct gpucc_cpu_extent {
    uint64_t base, size;
};
struct gpucc_cpu_extent gpucc_cpu_watch_extent(const volatile void *base);
/* Before gpucc_cpu_agree(): the sites of its places. */
void gpucc_cpu_watch_barriers(const int *next, unsigned threads, struct gpucc_cpu_site *const *sites);
/* Whether the block has written all of a shared variable: then reads of it need not be reported while nobody writes
 * it. */
int gpucc_cpu_watch_written(const volatile void *base, uint64_t size);
/* All threads have passed a barrier. */
void gpucc_cpu_watch_synced(void);

#ifdef __cplusplus
}
#endif
#endif
