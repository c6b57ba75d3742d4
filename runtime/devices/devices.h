/* Devices, and contexts with their streams. A context's lists are guarded by its lock. On a GPU, calls of the driver
 * are between context_enter() and context_leave(), which restores the thread's own context. Failures are a status
 * with gpucc_last_error(). */
#ifndef GPUCC_RUNTIME_DEVICES_H
#define GPUCC_RUNTIME_DEVICES_H

#include "base/common.h"
#include "devices/driver.h"
#include <pthread.h>

struct device_operations;
struct graph_work;

/* A device and its limits; what stands behind those of a launch is a GPU's alone. */
struct device {
    gpucc_device_info info;
    int max_block[3], max_grid[3];
    CUdevice handle;
    size_t max_shared; /* bytes a block has without opting in */
    int threads_per_multiprocessor, registers_per_multiprocessor, shared_per_multiprocessor;
    bool has_pools; /* cuMemAllocAsync works */
};

/* For each stream, by its number, the last launch known to precede: launch_order.h. */
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
    struct graph_work *graph;  /* of a stream whose work is recorded and does not run (recording.h); else null */
};

enum { KEPT_RELEASED = 64 };

struct gpucc_context {
    atomic_int references; /* its maker's until gpucc_context_destroy(), and one of each tensor that others hold */
    gpucc_device_kind kind;
    const struct device_operations *operations; /* of this kind */
    struct device device;
    CUcontext cuda;
    bool retained; /* the primary context is to be released */
    CUmemoryPool memory_pool;
    struct gpucc_stream stream; /* the default one */
    /* Grows when the default stream gets work (allocations, uploads) that other streams must wait for. */
    _Atomic uint64_t generation;
    atomic_int recordings; /* threads that record a graph in it */

    pthread_mutex_t lock; /* guards the lists, and the making of pool and staging */
    pthread_mutex_t loading; /* held while a generated header's program is loaded and entered into `lookup` */
    struct link streams, events, arrays, memories, textures, programs, graphs;
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
    gpucc_interrupt_function *interrupt; /* or null */
    void *interrupt_data;
    unsigned forks; /* process_forks when it was made */

    const struct watch_settings *watch; /* of checked launches (checked.h), or null */
    _Atomic(struct launches *) launches; /* whose order is noted: launch_order.h; else null */
    atomic_bool quarantines; /* it has had programs whose accesses are checked: arrays/quarantine.h */
    struct link quarantine;
    size_t quarantined_bytes;
    int quarantined_count;
    gpucc_log_function *log;
    void *log_data;
    bool warns_of_occupancy;
    atomic_bool reported_host_copy;
    atomic_int lost; /* the driver error after which the device context is unusable, or 0 */
    _Atomic(const char *) lost_call;
};

struct shape3 {
    unsigned x, y, z;
};

static inline uint64_t shape_volume(struct shape3 shape)
{
    return (uint64_t)shape.x * shape.y * shape.z;
}

/* Formats a message and passes it to the context's log function, from any thread. */
void context_log(gpucc_context *context, gpucc_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* device.c */

enum { MAX_DEVICES = 64 };
/* The devices that a text names: one device, or several CUDA devices, of which the first leads. */
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

/* context.c */

/* A context for that one device, by the options but for `device`. */
gpucc_status context_open(const gpucc_context_options *options, const struct device_operations *operations,
                          gpucc_device_kind kind, int ordinal, gpucc_context **out);
/* Makes the context current on this thread where it is not yet; `previous` is for context_leave().  Fails where the
 * device context has been lost, and where the context is a parent's. */
gpucc_status context_enter(gpucc_context *context, CUcontext *previous);
/* Gives the thread back the context that it had. */
void context_leave(gpucc_context *context, CUcontext previous);
/* Keeps its device, and memory that arrays have left, behind gpucc_context_destroy(). */
gpucc_context *context_retain(gpucc_context *context);
/* Around what is freed with a context. */
void context_begin_freeing(gpucc_context *context, CUcontext *previous);
void context_end_freeing(gpucc_context *context, CUcontext previous);
/* Closes the device after context_begin_freeing(), and frees the context. */
void context_close(gpucc_context *context, CUcontext previous);
/* Notes that `call` met an error that no later call can survive. */
void context_lost(gpucc_context *context, CUresult result, const char *call);
/* The worker threads: the CPU device's, or those that copy for a GPU. */
gpucc_status context_pool(gpucc_context *context, struct pool **out);

/* Whether this process made it, and not one that has forked since.  A parent's objects are not even locked or freed. */
static inline bool context_is_ours(const gpucc_context *context)
{
    return context->forks == atomic_load_explicit(&process_forks, memory_order_relaxed);
}
/* Fails where it is not. */
gpucc_status context_check(const gpucc_context *context);

/* group.c: several devices that share the work of one context, the lead */

struct group {
    int count;
    struct pool *lanes; /* a thread for each device */
    size_t page; /* bytes; of memory that they share.  0: they cannot, or not all reach one another's memory */
    gpucc_context *members[]; /* the lead comes first */
};

/* Lets every device access the memory of every other; false if one cannot. */
bool group_connect(const struct group *group);
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
/* Initialises the stream, around the caller's `foreign` one unless that is null; stream_close() releases what it
 * created. */
gpucc_status stream_open(gpucc_context *context, gpucc_stream *stream, CUstream foreign);
void stream_close(gpucc_stream *stream);
/* Makes `later` wait for everything that `earlier` holds now. */
gpucc_status stream_follow(gpucc_stream *later, gpucc_stream *earlier);
/* The same between streams of two devices. */
gpucc_status stream_follow_peer(gpucc_stream *later, gpucc_stream *earlier);
/* Makes `stream` wait for the other streams of its context: for all, or for those with kernels that nobody has waited
 * for. */
gpucc_status stream_join_others(gpucc_stream *stream, bool all);
/* Makes a GPU's streams wait for what another library's stream (or null) and the default one hold now. */
gpucc_status stream_follow_foreign(gpucc_context *context, CUstream foreign);
/* Destroys the context's streams and events, when it goes. */
void streams_destroy_all(gpucc_context *context);

/* pinned.c: memory of the host that devices copy directly */

/* Whether all of the memory is pinned, by gpucc_context_pin() or another library.  The context is to be entered. */
gpucc_status pinned_find(gpucc_context *context, const void *data, size_t size, bool *is_pinned);
/* Whether gpucc_context_pin() has pinned some of the memory, but not the whole: the driver copies none such. */
bool pinned_in_part(const void *data, size_t size);
/* Unpins what the context has pinned.  After context_begin_freeing(). */
void pins_destroy_all(gpucc_context *context);

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

#endif
