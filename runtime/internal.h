/* Everything the runtime's files share; prototypes stand under the file that defines them.
 * Functions return a status after fail() or driver_failed() has said what went wrong. */
#ifndef GPUCC_RUNTIME_INTERNAL_H
#define GPUCC_RUNTIME_INTERNAL_H

#include "driver.h"
#include "floating_point.h"
#include "manifest.h"
#include "nest.h"
#include <gpucc/cpu.h>
#include <gpucc/limits.h>
#include <gpucc/loops.h>
#include <gpucc/runtime.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True where the caller's `options`, which may be older than this library, hold `field`. */
#define HAS_FIELD(options, field)                                                                                      \
    ((options)->size >= offsetof(__typeof__(*(options)), field) + sizeof((options)->field))

/* ---- what the files share ---- */

/* A member of a list that its context owns; the list's head is a link to itself. */
struct link {
    struct link *next, *previous;
};

#define CONTAINER(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

static inline void list_init(struct link *head)
{
    head->next = head->previous = head;
}

static inline void list_insert(struct link *head, struct link *link)
{
    link->next = head->next;
    link->previous = head;
    head->next->previous = link;
    head->next = link;
}

static inline void list_remove(struct link *link)
{
    link->previous->next = link->next;
    link->next->previous = link->previous;
    list_init(link);
}

/* A device and its limits; what stands behind those of a launch is a GPU's alone. */
struct device {
    gpucc_device_info info;
    int max_block[3], max_grid[3];
    CUdevice handle;
    size_t max_shared; /* bytes a block has without opting in */
    int threads_per_multiprocessor, registers_per_multiprocessor, shared_per_multiprocessor;
    bool has_pools; /* cuMemAllocAsync works */
};

/* Of each stream, by its number, the last launch that is known to come before: launches.h. */
struct launch_clock {
    uint32_t *last;
    int count;
};

struct gpucc_stream {
    struct link link;
    gpucc_context *context;
    CUstream handle;
    CUevent order;    /* marks a place in this stream for another to wait for */
    bool foreign;     /* the handle is the caller's */
    /* Kernels launched, and those of them that a synchronisation has waited for.  The others may be using any array. */
    _Atomic uint64_t launched, awaited;
    _Atomic uint64_t seen; /* the default stream's generation that this stream has waited for */
    int number;            /* in the context; 0: the default one */
    struct launch_clock known; /* on the CPU: what comes before all that is enqueued now */
};

enum { KEPT_RELEASED = 64 };

struct gpucc_context {
    atomic_int references; /* its maker's until gpucc_context_destroy(), and one of each tensor that others hold */
    gpucc_device_kind kind;
    struct device device;
    CUcontext cuda;
    bool retained; /* the primary context is to be released */
    CUmemoryPool memory_pool;
    struct gpucc_stream stream; /* the default one */
    /* Grows when the default stream gets work (allocations, uploads) that other streams must wait for. */
    _Atomic uint64_t generation;

    pthread_mutex_t lock; /* guards the lists, and the making of pool and staging */
    pthread_mutex_t loading; /* held while a generated header's program is loaded and entered into `lookup` */
    struct link streams, events, arrays, memories, textures, programs;
    gpucc_array *released[KEPT_RELEASED]; /* the last ones: a call that is given one of them fails, and knows why */
    unsigned released_next;
    struct link lent; /* foreign memory that no array looks at any more and the GPU may still use, newest first */
    atomic_int lent_count;
    _Atomic(struct lookup *) lookup;
    _Atomic(gpucc_kernel *) cast; /* cast_cuda.c: found at the first cast */
    struct pool *pool; /* CUDA: made at the first large host copy */
    struct staging *staging;
    int cpu_threads;
    int sharers; /* contexts that copy from the host's memory at the same time */
    struct group *group; /* of the context that leads several; else null */
    size_t memory_limit; /* bytes of its device that host arrays of one call may take; 0: half of what is free */
    gpucc_progress_function *progress; /* or null */
    void *progress_data;
    unsigned forks; /* process_forks when it was made */

    const struct watch_settings *watch; /* of checked launches (checked.h), or null */
    _Atomic(struct launches *) launches; /* whose order is noted: launches.h; else null */
    atomic_bool quarantines; /* it has had programs whose accesses are checked: cpu/quarantine.h */
    struct link quarantine;
    size_t quarantined_bytes;
    int quarantined_count;
    gpucc_log_function *log;
    void *log_data;
    bool warns_of_occupancy;
    atomic_bool told_of_host_copy;
    atomic_int lost; /* the driver error after which the device context is unusable, or 0 */
    _Atomic(const char *) lost_call;
};

enum memory_kind {
    MEMORY_FOREIGN, /* the caller's */
    MEMORY_VALUE,   /* `value` below */
    MEMORY_HOST,    /* aligned_alloc */
    MEMORY_POOL,    /* cuMemAllocAsync */
    MEMORY_DEVICE,  /* cuMemAlloc */
    MEMORY_SPLIT,   /* mapped, from several devices */
};

/* Memory that one or more arrays look at. */
struct memory {
    struct link link;
    gpucc_context *context;
    enum memory_kind kind;
    char *base;
    size_t size; /* bytes; for foreign memory those that the first array reaches */
    gpucc_stream *home; /* in whose order it was allocated and will be freed; null where it is not the device's */
    atomic_bool shared; /* other streams have used it too */
    atomic_bool exported; /* others' streams may use it, of which nothing is known */
    atomic_int references;
    uint64_t value[2];
    void (*release)(void *data); /* of foreign memory: gives it back to its owner; null: it stays the caller's */
    void *release_data;
    CUevent used; /* of what is in `lent`: behind all work that uses it */
    struct split_memory *split; /* of MEMORY_SPLIT */
    uint64_t fill;       /* 0, or with which numbers it was filled, unwritten.h … */
    uint16_t *unwritten; /* … and which bytes have been found to be these still; null: not looked at yet */
};

struct gpucc_array {
    struct link link;
    gpucc_context *context;
    struct memory *memory;
    char *data; /* element [0,0,…] */
    gpucc_dtype dtype;
    gpucc_memory where;
    int ndim;
    bool contiguous; /* in C order */
    bool is_number;  /* it has no type of its own */
    bool read_only;
    int64_t count;
    int64_t *strides; /* behind the shape */
    int64_t shape[];
};

struct shape3 {
    unsigned x, y, z;
};

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
    struct entry outer, staged;       /* of a gufunc, which has no others */
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
    void (*thread)(void **); /* native code; block is null where there are barriers */
    void (*block)(void **);
    _Atomic(struct block_choice *) choices; /* occupancy.c: the block sizes chosen so far */
};

struct gpucc_program {
    struct link link;
    gpucc_context *context;
    const struct gpucc_program_image *image; /* null where it came from PTX and manifest */
    struct gpucc_native_code code;           /* that this machine runs; without functions where there is none */
    const char *name;                        /* for messages */
    uint64_t abi;
    char *text; /* the manifest's, ours; null where the image holds it */
    struct compiled *compiled; /* what it is made of, where that was compiled here; else null */
    struct manifest *manifest;
    CUmodule module;         /* what is loaded at once: all but loops that the PTX lets be loaded by themselves */
    struct gpucc_image ptx;  /* that the device was given of the program's images */
    CUmodule *loop_modules;  /* of loops that calls have needed so far */
    size_t loop_module_count;
    bool is_shared; /* loaded for generated headers, by its image */
    pthread_mutex_t lock; /* guards the preparing of entries */
    int ufunc_count, kernel_count;
    gpucc_ufunc *ufuncs;
    gpucc_kernel *kernels;
    gpucc_program **others; /* of the context's group: the program on member i + 1; else null */
};

static inline uint64_t shape_volume(struct shape3 shape)
{
    return (uint64_t)shape.x * shape.y * shape.z;
}

/* error.c */

/* Notes for this thread what failed (printf-like) and returns `status`, so that callers write
 * `return fail(GPUCC_BAD_SHAPE, "…")`. */
gpucc_status fail(gpucc_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
gpucc_status fail_memory(size_t size, const char *what);
/* Fails where the size of options, which is at `size`, is not set; null: there are none. */
gpucc_status options_check(const char *call, const size_t *size);
#define CHECK_OPTIONS(call, options) options_check(call, (options) ? &(options)->size : NULL)
void context_log(gpucc_context *context, gpucc_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void log_to_stderr(void *data, gpucc_log_level level, const char *message);

/* A short text put together by append(), cut where it is full.  Start from {0}. */
struct text {
    size_t used;
    char s[1024];
};
void append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends "(3, 4)" and returns the text. */
const char *shape_text(struct text *text, int ndim, const int64_t *shape);

/* dtype.c */

struct dtype {
    const char *name, *code;
    unsigned char size;
    char kind; /* b i u f c */
};
extern const struct dtype dtypes[GPUCC_DTYPE_COUNT];

static inline bool dtype_valid(gpucc_dtype dtype)
{
    return (unsigned)dtype < GPUCC_DTYPE_COUNT;
}

static inline size_t dtype_alignment(gpucc_dtype dtype)
{
    return dtypes[dtype].kind == 'c' ? dtypes[dtype].size / 2u : dtypes[dtype].size;
}

/* An address whose elements the CPU's loops take one by one. */
static inline bool dtype_misaligned(gpucc_dtype dtype, const void *address)
{
    const size_t size = dtypes[dtype].size;
    return (uintptr_t)address % (size < 8 ? size : 8) != 0;
}

bool dtype_casts_safely(gpucc_dtype from, gpucc_dtype to);    /* NumPy's 'safe' */
bool dtype_casts_same_kind(gpucc_dtype from, gpucc_dtype to); /* NumPy's 'same_kind' */

static inline bool casting_valid(gpucc_casting casting)
{
    return (unsigned)casting <= GPUCC_CASTING_UNSAFE;
}
/* By a valid rule; what nothing is said about is same_kind. */
bool dtype_casts(gpucc_dtype from, gpucc_dtype to, gpucc_casting casting);

/* device.c */

enum { MAX_DEVICES = 64 };
/* What a text names: one device, or several CUDA devices, of which the first leads. */
struct device_choice {
    gpucc_device_kind kind;
    int count;
    int ordinals[MAX_DEVICES];
};
/* "cpu", "cuda", "cuda:N", "cuda:N,M…", "cuda:all", "auto" or NULL (then GPUCC_DEVICE, or a GPU where there is one). */
gpucc_status device_choose(const char *spec, struct device_choice *choice);
gpucc_status device_query(gpucc_device_kind kind, int ordinal, struct device *device);
gpucc_status device_describe_cuda(CUdevice handle, int ordinal, struct device *device);
void device_copy_info(const gpucc_device_info *from, gpucc_device_info *to);

/* process.c */

/* How often the process, from the first one on that used this library, has forked to become this one. */
extern _Atomic unsigned process_forks __attribute__((visibility("hidden")));
/* From now on forks are counted. */
gpucc_status process_watch(void);
/* Whether this process made it, and not one that has forked since.  A parent's objects are not even locked or freed. */
static inline bool context_is_ours(const gpucc_context *context)
{
    return context->forks == atomic_load_explicit(&process_forks, memory_order_relaxed);
}
/* Fails where it is not. */
gpucc_status context_check(const gpucc_context *context);

/* context.c */

/* A context for that one device, by the options but for `device`. */
gpucc_status context_open(const gpucc_context_options *options, gpucc_device_kind kind, int ordinal,
                          gpucc_context **out);
/* Makes the context current on this thread where it is not yet; `previous` is for context_leave().  Fails where the
 * device context has been lost, and where the context is a parent's. */
gpucc_status context_enter(gpucc_context *context, CUcontext *previous);
/* Gives the thread back the context that it had. */
void context_leave(gpucc_context *context, CUcontext previous);
/* Keeps its device, and memory that arrays have left, behind gpucc_context_destroy(). */
gpucc_context *context_retain(gpucc_context *context);
void context_release(gpucc_context *context);
/* Notes that `call` met an error that no later call can survive. */
void context_lost(gpucc_context *context, CUresult result, const char *call);
/* The worker threads: the CPU device's, or those that copy for a GPU. */
gpucc_status context_pool(gpucc_context *context, struct pool **out);

/* group.c: several devices that share the work of one context, the lead */

struct group {
    int count;
    struct pool *lanes; /* a thread for each device */
    size_t page; /* bytes; of memory that they share.  0: they cannot, or not all reach one another's memory */
    gpucc_context *members[]; /* the lead comes first */
};

gpucc_status group_open(const gpucc_context_options *options, const struct device_choice *choice,
                        gpucc_context **out);
/* All but the lead, whose turn is next; nothing to do for a context that leads none. */
void group_close(gpucc_context *lead);
gpucc_status group_synchronize(gpucc_context *lead);
/* A context of its own is a group of one. */
static inline int group_size(const gpucc_context *context)
{
    return context->group ? context->group->count : 1;
}
static inline gpucc_context *group_context(gpucc_context *lead, int member)
{
    return lead->group ? lead->group->members[member] : lead;
}
/* The compute capability that all its devices have, 75 for 7.5. */
int group_arch(const gpucc_context *lead);
/* The same program, or ufunc of it, on that device. */
gpucc_program *group_program(gpucc_program *program, int member);
gpucc_ufunc *group_ufunc(gpucc_ufunc *ufunc, int member);
/* The variables of the program on the other devices become what they are on the first. */
gpucc_status group_share_variables(gpucc_program *program);

/* stream.c */

/* The stream that a call with `stream` (NULL: the default) runs in; fails where it is another context's. */
gpucc_status stream_resolve(gpucc_context *context, gpucc_stream *stream, gpucc_stream **out);
/* Before work is put into `stream`: orders it after the allocations and uploads made in the default stream. */
gpucc_status stream_begin(gpucc_stream *stream);
/* Before a kernel is put into it. */
static inline void stream_count_launch(gpucc_stream *stream)
{
    atomic_fetch_add_explicit(&stream->launched, 1, memory_order_relaxed);
}
gpucc_status stream_open(gpucc_context *context, gpucc_stream *stream, CUstream foreign);
void stream_close(gpucc_stream *stream);
/* Makes `later` wait for everything that `earlier` holds now. */
gpucc_status stream_follow(gpucc_stream *later, gpucc_stream *earlier);
/* The same between streams of two devices. */
gpucc_status stream_follow_peer(gpucc_stream *later, gpucc_stream *earlier);
/* Makes `stream` wait for those other streams that may use `memory`. */
gpucc_status stream_join_users(gpucc_stream *stream, const struct memory *memory);
/* Makes a GPU's streams wait for what another library's stream (or null) and the default one hold now. */
gpucc_status stream_follow_foreign(gpucc_context *context, CUstream foreign);
/* Makes another library's stream wait for all work that may use the memory.  The context is to be entered. */
gpucc_status stream_lead_foreign(const struct memory *memory, CUstream foreign);
/* Destroys the context's streams and events, when it goes. */
void streams_destroy_all(gpucc_context *context);

/* array_memory.c */

/* Uninitialised memory of the context's device, with one reference. */
gpucc_status memory_create(gpucc_context *context, gpucc_stream *home, size_t size, struct memory **out);
/* The same in the memory of all devices of the context's group, for rows of so many bytes; or, where that brings
 * nothing, of the first.  GPUCC_UNSUPPORTED where they do not reach one another's. */
gpucc_status memory_create_split(gpucc_context *context, size_t size, size_t row, struct memory **out);
/* Around the caller's memory; a device's has a home. */
gpucc_status memory_wrap(gpucc_context *context, gpucc_stream *home, void *base, size_t size, struct memory **out);
/* One value of `size` bytes, on the host. */
gpucc_status memory_hold_value(gpucc_context *context, const void *value, size_t size, struct memory **out);
struct memory *memory_retain(struct memory *memory);
/* Frees it with the last reference, in stream order. */
void memory_release(struct memory *memory);
/* Gives foreign memory that no work uses any more back to its owners. */
void memories_give_back(gpucc_context *context);
/* Notes that work in `stream` uses it. */
static inline void memory_use(struct memory *memory, gpucc_stream *stream)
{
    if (memory->home != stream && !atomic_load_explicit(&memory->shared, memory_order_relaxed))
        atomic_store_explicit(&memory->shared, true, memory_order_relaxed);
}
/* Frees whatever is left when the context goes. */
void memories_destroy_all(gpucc_context *context);

/* array.c */

/* As gpucc_array_create(), with memory that belongs to `stream`. */
gpucc_status array_create(gpucc_context *context, gpucc_stream *stream, gpucc_dtype dtype, int ndim,
                          const int64_t *shape, gpucc_array **out);
/* As gpucc_array_create_split(). */
gpucc_status array_create_split(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                gpucc_array **out);
/* In the host's memory. */
gpucc_status array_create_on_host(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                  gpucc_array **out);
/* A copy in C order, in the host's memory where the array is there. */
gpucc_status array_duplicate(const gpucc_array *array, gpucc_array **out);
/* Fails where there is no such type, or the shape is none. */
gpucc_status array_check_shape(gpucc_dtype dtype, int ndim, const int64_t *shape);
/* The bytes that an array of this shape reaches: [*low, *high) around element [0,0,…], empty where it has none.
 * False where they are no int64_t. */
bool array_extent(int ndim, const int64_t *shape, const int64_t *strides, size_t size, int64_t *low, int64_t *high);
void arrays_destroy_all(gpucc_context *context);
/* True where several devices have a part of its memory. */
static inline bool array_is_split(const gpucc_array *array)
{
    return array->memory->kind == MEMORY_SPLIT;
}
/* True where every index is the same element, which lies on the host. */
bool array_is_value(const gpucc_array *array);
/* Whether gpucc_array_release() has been called, of which the handles of the context's last 64 are left. */
static inline bool array_is_released(const gpucc_array *array)
{
    return !array->context;
}
/* Fails in the name of `call` where it has been. */
gpucc_status array_check_held(const gpucc_array *array, const char *call);

/* texture.c */

void textures_destroy_all(gpucc_context *context);

/* overlap.c */

/* Whether an element of the one shares memory with one of the other. */
bool arrays_overlap(const gpucc_array *a, const gpucc_array *b);
/* Whether every index of both is the same memory: then a loop reads each element before it writes it. */
bool arrays_are_same(const gpucc_array *a, const gpucc_array *b);
/* Whether two elements share memory. */
bool array_overlaps_itself(const gpucc_array *array);

/* copy.c */

/* Between host and device; when they return, the host's side is done with.  Work in `stream` comes before and after. */
gpucc_status copy_to_device(gpucc_stream *stream, void *device, const void *host, size_t size);
gpucc_status copy_to_host(gpucc_stream *stream, void *host, const void *device, size_t size);
/* Element by element between arrays of one shape; of one type too where one is on the host and the other on a GPU.  A
 * copy within a GPU is only enqueued.  The context is to be entered. */
gpucc_status array_copy(gpucc_stream *stream, const gpucc_array *to, const gpucc_array *from);

/* Between arrays of two devices, of one shape and type, both contiguous; enqueued behind all that uses either. */
gpucc_status array_copy_to_peer(const gpucc_array *to, const gpucc_array *from);

/* Every element becomes the value, which is of that type; on a GPU this is only enqueued. */
gpucc_status array_fill(gpucc_stream *stream, const gpucc_array *array, gpucc_dtype dtype, const void *value);

/* staging.c: large host data in chunks through pinned memory, copies and kernels overlapped */

/* One operand of n adjacent elements.  With `host` and no `device` it has scratch memory on the device; with both,
 * it is copied between the two; with `device` alone it stays there. */
struct staged {
    char *host;
    char *device;
    size_t size; /* of an element */
    bool input;  /* host to device before the kernel */
    bool output; /* device to host after it */
};

/* Enqueues the work on `n` elements from `first` on, whose operands lie at pointers[] now. */
typedef gpucc_status staged_launch(void *data, gpucc_stream *stream, char *const *pointers, uint64_t n);

/* Runs `launch` (null: only copies) over [0, n) and returns when all is done; work in `stream` comes before.  The
 * context is to be entered. */
gpucc_status staging_run(gpucc_stream *stream, const struct staged *operands, int count, uint64_t n,
                         staged_launch *launch, void *data);
/* From how many bytes on this is faster than plain copies. */
enum { STAGING_MIN = 1 << 20 };
void staging_destroy(gpucc_context *context);

/* convert.c */

/* One element, on the host; or n of them, whose steps are in bytes.  Between any two types: what an integer type does
 * not hold becomes the nearest value that it does, as in gpucc's language. */
void convert_value(gpucc_dtype to, void *target, gpucc_dtype from, const void *source);
void convert_row(gpucc_dtype to, char *target, int64_t to_step, gpucc_dtype from, char *source, int64_t from_step,
                 int64_t n);

/* convert_pairs.c: n elements that lie together, in whole groups, where the two types have a loop of their own; else
 * false, and nothing is done. */
enum { CONVERT_GROUP = 16 };
bool convert_pair(gpucc_dtype to, char *target, gpucc_dtype from, const char *source, int64_t n);

/* Converts elements, operand 1 of the nest to operand 0. */
void convert_nest(struct pool *pool, struct nest *nest, gpucc_dtype to, gpucc_dtype from);

/* elements.c */

/* Elements of so many bytes, whose steps are in bytes: n of them, or rows and columns. */
void copy_elements(size_t size, char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n);
void copy_plane(size_t size, char *to, int64_t to_row, int64_t to_step, const char *from, int64_t from_row,
               int64_t from_step, int64_t rows, int64_t columns);

/* program.c */

/* Frees whatever programs are left when the context goes. */
void programs_destroy_all(gpucc_context *context);
gpucc_status entry_find(gpucc_program *program, struct entry *entry);
/* Finds the entry's function in the program's module, once. */
static inline gpucc_status entry_prepare(gpucc_program *program, struct entry *entry)
{
    return atomic_load_explicit(&entry->function, memory_order_acquire) ? GPUCC_OK : entry_find(program, entry);
}

/* Of one image, whose memory, like the manifest's, must outlive the program. */
gpucc_status program_load_image(gpucc_context *context, const struct gpucc_image *image, const char *manifest,
                                size_t manifest_size, gpucc_program **out);

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

/* ufunc.c */

/* One call on its way.  Operands are inputs, then outputs; behind them in the arrays stands the mask. */
struct call {
    gpucc_ufunc *ufunc;
    const struct loop *loop;
    gpucc_context *context;
    gpucc_stream *stream;
    gpucc_casting casting; /* as the caller says it, and so the next three */
    const gpucc_dtype *makes, *signature;
    gpucc_order order;
    bool is_masked;
    bool in_parts; /* it goes in parts, and what it makes lies in the host's memory, … */
    bool is_split; /* … or, as these parts are what each device has of an array, in the devices' */
    int operands;
    int ndim; /* of the shape that the inputs broadcast to */
    int64_t shape[GPUCC_MAX_DIMS];
    operand_set values;  /* operand i is one value, in the loop's type in value[i] */
    operand_set shifted; /* input i lies in an output's memory, some way off: the CPU reads a block, then writes */
    bool forwards, backwards; /* in which order of the blocks that is right; neither: any */
    const gpucc_array *given[CALL_OPERANDS]; /* as the caller sees them */
    const gpucc_array *used[CALL_OPERANDS];  /* as the loop sees them: on its device */
    uint64_t value[GPUCC_LOOP_OPERANDS][2];
    int temporary_count;
    gpucc_array *temporaries[3 * CALL_OPERANDS]; /* of an input: its bytes, a view of them, and one packed */
};

/* Fails where it is null, released, or another context's.  `index` is negative where there is one of its role. */
gpucc_status call_check_operand(const gpucc_ufunc *ufunc, const gpucc_array *array, const char *role, int index);
/* Fails where the mask cannot be one. */
gpucc_status call_check_mask(const gpucc_ufunc *ufunc, const gpucc_array *where);
/* Fails where it is a fused reduction, of which there is nothing but that. */
gpucc_status call_check_elementwise(const gpucc_ufunc *ufunc);
/* What the caller says about the loop. */
struct wish {
    gpucc_casting casting;
    const gpucc_dtype *makes;     /* of every output; or null */
    const gpucc_dtype *signature; /* of each operand, GPUCC_DTYPE_COUNT: any; or null */
};
struct given;
/* The loop that such inputs take, or null, of which call_fail_types() tells. */
const struct loop *call_loop(const gpucc_ufunc *ufunc, const struct given *given, const struct wish *wish);
gpucc_status call_fail_types(const gpucc_ufunc *ufunc, const struct given *given, const struct wish *wish);

/* Of a number without a type of its own too: its place among the values, in the loop's type. */
gpucc_status call_take_value(struct call *call, int i);
/* Fails where it is a whole number without a type of its own that this integer type does not hold. */
gpucc_status call_check_number(const gpucc_ufunc *ufunc, const gpucc_array *array, const char *role, int index,
                               gpucc_dtype type);

/* order.c */

/* The dimensions of the nest as operands with its strides have them in memory, outermost first. */
void order_as_operands(const struct nest *given, int *order);
/* Whether what the call makes is to be in Fortran's order. */
bool order_is_fortran(const struct call *call);
/* The dimensions of the call's shape as outputs that it makes have them in memory, outermost first. */
void order_of_outputs(const struct call *call, int *order);
/* An array of that shape, its dimensions in that order in memory. */
gpucc_status array_create_in_order(const struct call *call, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                   const int *order, gpucc_array **out);

/* gufunc.c */

/* The call of a gufunc, whose loop is known. */
gpucc_status gufunc_call(struct call *call, gpucc_array **outputs, const gpucc_call_options *options);

/* call.c: broadcasting, temporaries, and the way back for a call whose operands are not simply adjacent elements */

/* Runs the call; outputs[i] is made where it is null, and null again after a failure. */
gpucc_status call_run(struct call *call, gpucc_array **outputs);
/* After a failure, those go again. */
void call_drop_outputs(const struct call *call, gpucc_array **outputs, operand_set made);
/* Whether a given output can be written to, whatever its shape. */
gpucc_status call_check_output(const struct call *call, int index);
/* Outputs that share memory with one another are refused. */
gpucc_status call_check_apart(const struct call *call, int o);
/* Tells once that arrays of the host go to a GPU and back. */
void call_tell_of_host_arrays(const struct call *call);
/* An array on the loop's device that lives as long as the call. */
gpucc_status call_make_temporary(struct call *call, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                 gpucc_array **out);
/* A host array that a GPU's loop cannot reach. */
bool call_is_away(const struct call *call, const gpucc_array *array);
/* Operands as the loop sees them: of its types, on its device.  What is made for that lives until call_release(). */
gpucc_status call_place_input(struct call *call, int i);
/* The same, of the types that they have; `reads`: with what the output holds. */
gpucc_status call_bring_input(struct call *call, int i);
gpucc_status call_bring_output(struct call *call, int o, bool reads);
/* The elements of a host array, operand i, to an array on the GPU of any type. */
gpucc_status call_upload(struct call *call, int i, const gpucc_array *to);
gpucc_status call_place_mask(struct call *call);
gpucc_status call_place_output(struct call *call, int o);
/* The input is copied, gaps and all, so that its strides hold for the copy. */
gpucc_status call_copy_input(struct call *call, int i);
/* Outputs as the loop saw them go to those that the caller gave. */
gpucc_status call_deliver_outputs(struct call *call, gpucc_array **outputs);
void call_release(struct call *call);

/* ufunc_cpu.c */

gpucc_status cpu_run_contiguous(const struct call *call, char *const *data, uint64_t n);
/* Over operands of the loop's types. */
gpucc_status cpu_run_nest(const struct call *call, const struct nest *nest);
/* The native loop, a struct loop, over one row; and whether there is one. */
void cpu_run_native(void *data, char **args, int64_t n, const int64_t *steps);
gpucc_status cpu_check_native(const struct call *call);

/* buffered_cpu.c */

/* Over operands of the types that the call uses, and its mask, which is the nest's last one. */
gpucc_status cpu_run_call(const struct call *call, struct nest *nest);

/* loop_grid.c */

static inline uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* A thread for each vector of elements; the loop itself covers what a full grid leaves. */
void loop_grid(const gpucc_context *context, const struct entry *entry, uint64_t n, struct shape3 *grid,
               struct shape3 *block);

/* A thread that does four items fetches the next while it computes one: 17 % more throughput than one item each on an
 * H200, as long as the device stays full. */
uint64_t items_per_thread(const gpucc_context *context, uint64_t items);

/* What a two-dimensional launch covers: so many columns and rows, of which a thread does some; blocks at most so
 * wide. */
struct plane {
    uint64_t columns, rows;
    uint64_t columns_each, rows_each;
    unsigned width;
};

/* Blocks of at most `threads`, which cover several rows where these are short; as many as a grid may have. */
void plane_grid(const gpucc_context *context, const struct plane *plane, unsigned threads, struct shape3 *grid,
                struct shape3 *block);

/* strided_cuda.c */

_Static_assert(sizeof(struct gpucc_iteration) + CALL_OPERANDS * sizeof(struct gpucc_operand) <= GPUCC_PARAMETER_BYTES,
               "what loops are told of a call fits in a kernel's parameters");
_Static_assert(sizeof(struct gpucc_gather) + (GPUCC_FUSED_INPUTS + 1) * sizeof(struct gpucc_gathered) <=
                   GPUCC_PARAMETER_BYTES,
               "and so does what fused reductions are told");

/* What S_rows and S_strided take. */
struct loop_records {
    struct gpucc_iteration iteration;
    struct gpucc_operand operands[GPUCC_LOOP_OPERANDS + 1]; /* and a mask */
    void *parameters[GPUCC_LOOP_OPERANDS + 2];
};

/* Those for a nest, whose dimensions become the last of `ndim`; `types` (or null) are each operand's
 * GPUCC_OPERAND_RECORD(). */
void loop_records_fill(struct loop_records *records, const struct nest *nest, int ndim, const uint64_t *types);

struct strided_loop {
    gpucc_stream *stream;
    struct entry *entry; /* prepared */
    const uint64_t *types; /* GPUCC_OPERAND_RECORD() of each operand, or null */
    const int64_t *const *tables; /* of the runtime's own kernel: the two of cast_named_on_cuda(); else null */
};

/* Elements that one launch takes: S_strided counts its rows and columns in 32 bits. */
#define STRIDED_MOST UINT32_MAX

/* Runs it over a simplified nest of at least one dimension, whose dimensions it may put in another order; with tables
 * of GPUCC_LOOP_DIMS dimensions and no more than STRIDED_MOST elements. */
gpucc_status strided_run(const struct strided_loop *loop, struct nest *nest);

/* images.c */
enum own_kernels { OWN_CAST, OWN_SORT };
extern const bool has_own_kernels; /* not in every build */
/* Lives as long as the process; null in a build without them, or without memory. */
const struct gpucc_program_image *own_image(enum own_kernels which);

/* cast_cuda.c */

/* Enqueues: elements as another type or of the same type in another layout, operand 1 of the nest to operand 0, both on
 * the device; a third operand is boolean, and what it is false for stays as it is. */
gpucc_status cast_on_cuda(gpucc_stream *stream, struct nest *nest, gpucc_dtype to, gpucc_dtype from);

/* The same between elements one of whose operands has rows anywhere: where its table, on the device, is not null, index
 * i of dimension 0 is strides[…][0] times table[i] bytes on.  The nest is as strided_run() has it with tables. */
gpucc_status cast_named_on_cuda(gpucc_stream *stream, struct nest *nest, const gpucc_dtype types[2],
                                const int64_t *const tables[2]);

/* ufunc_cuda.c */

/* n adjacent elements of every operand. */
gpucc_status cuda_run_contiguous(const struct call *call, gpucc_stream *stream, char *const *data, uint64_t n);
/* The nest is simplified. */
gpucc_status cuda_run_nest(const struct call *call, gpucc_stream *stream, struct nest *nest);
/* Enqueues the loop over the call's used operands, converted and masked where they are to be. */
gpucc_status cuda_run_call(const struct call *call, struct nest *nest);
/* True where the call is for staging: large adjacent operands, some of them on the host, of the loop's types. */
bool cuda_wants_staging(const struct call *call);
gpucc_status cuda_run_staged(struct call *call);

/* launch.c */

/* More shared memory than every device has must be asked for, once. */
gpucc_status entry_opt_in(gpucc_program *program, struct entry *entry, size_t dynamic);
/* One launch of an entry that is ready and whose limits are kept. */
gpucc_status entry_launch(gpucc_stream *stream, struct entry *entry, struct shape3 grid, struct shape3 block,
                          size_t shared, void **parameters);

/* occupancy.c */

/* Threads of a block of the kernel by the driver's occupancy interface, cached. */
gpucc_status occupancy_block(gpucc_kernel *kernel, size_t shared, unsigned *threads);
/* At most `most` threads for a block where there are `total` in all: small totals get small blocks, on many
 * multiprocessors. */
unsigned occupancy_spread(const gpucc_context *context, unsigned most, uint64_t total);
/* How many blocks of this shape all multiprocessors hold at a time, in whole clusters. */
gpucc_status occupancy_resident(gpucc_kernel *kernel, struct shape3 block, size_t shared, uint64_t *blocks);
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

/* pool.c: the CPU device's worker threads, started once per context */

struct pool;

/* `threads` 0: one for each core the process may use, or GPUCC_CPU_THREADS.  Free with pool_destroy(). */
gpucc_status pool_create(int threads, struct pool **out);
void pool_destroy(struct pool *pool);
int pool_size(const struct pool *pool);
/* Calls work(data, begin, end, worker) over disjoint ranges that cover [0, count), each at least `grain` long but
 * for the last, on all workers (0 <= worker < pool_size), and returns when all are done.  The calling thread works
 * too.  Concurrent callers take turns; a call from inside `work` runs inline. */
typedef void pool_work(void *data, uint64_t begin, uint64_t end, int worker);
void pool_run(struct pool *pool, uint64_t count, uint64_t grain, pool_work *work, void *data);
/* The same where that takes other threads and none has to be waited for; else false, and nothing is done. */
bool pool_try_run(struct pool *pool, uint64_t count, uint64_t grain, pool_work *work, void *data);
/* What the call finds that this thread works for (operations.h), or null: pool_run() hands it on to the workers. */
extern _Thread_local struct findings *call_findings;

/* native_code.c */

/* The best of the program's native codes that this machine runs; GPUCC_UNSUPPORTED, and none, where there is none. */
gpucc_status native_code_find(const struct gpucc_program_image *image, struct gpucc_native_code *code);
/* gpucc_cpu_self() as the program's native code calls it; null where that is not known. */
struct gpucc_cpu_thread *(*native_code_self(const gpucc_program *program))(void);

/* executor.c: runs a kernel's grid on the pool; defines gpucc_cpu_self() and gpucc_cpu_barrier() */

/* Each has a stack, of which the least is a page or two. */
enum { CPU_COOPERATIVE_THREADS = 1 << 16 };

struct cpu_launch {
    const char *name; /* for messages */
    struct gpucc_index grid, block;
    size_t shared, dynamic_shared;  /* bytes */
    void (*run_thread)(void **);    /* never null */
    void (*run_block)(void **);     /* null where each thread needs a stack */
    void **parameters;
    bool cooperative;                /* all blocks are alive at once, at most CPU_COOPERATIVE_THREADS threads */
    struct gpucc_index cluster;      /* blocks of a cluster, of which the grid is a multiple; all 0: one */
    struct watch *watch;             /* of a checked launch, or null */
    struct gpucc_cpu_thread *(*self)(void); /* gpucc_cpu_self() as the code calls it; null where that is not known */
};

/* cpu/watch_launch.c */

/* What launches of the program's code are watched for; 0: nothing. */
unsigned watch_checks(const gpucc_program *program);
/* Has the launch watched, which watch_end() ends, with its status: a failure where faults were found, which are told
 * first.  `kernel`, in that stream, or null: for a call of a gufunc. */
gpucc_status watch_begin(gpucc_context *context, const gpucc_kernel *kernel, gpucc_stream *stream, unsigned checks,
                         struct cpu_launch *launch);
gpucc_status watch_end(struct watch *watch, const char *name, gpucc_status status);

gpucc_status cpu_launch_run(struct pool *pool, const struct cpu_launch *launch);

#endif
