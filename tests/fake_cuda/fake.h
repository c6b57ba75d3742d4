/* Shared by the fake's files; prototypes stand under the file that defines them.  All state is guarded by one lock,
 * which every entry point holds from ENTER() to its return. */
#ifndef FAKE_H
#define FAKE_H

#include "devices/driver.h"
#include "fake_cuda.h"
#include "player.h"
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* The driver's interface, by which the compiler checks our definitions. */
#define DRIVER(need, name, symbol, parameters) EXPORT CUresult symbol parameters;
#include "devices/driver.def"
#undef DRIVER

enum { /* results and attributes of which the runtime has no need */
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_UNKNOWN = 999,
};

/* ---- objects ---- */

enum kind { CONTEXT, STREAM, EVENT, MODULE, FUNCTION, POOL, LINK, ARRAY, TEXTURE /* or surface */, GRAPH,
            EXECUTABLE, NODE, KIND_COUNT };

/* Every handle points to one of these.  Objects are never freed, so that a stale handle is recognised. */
struct object {
    enum kind kind;
    bool live;
    struct context *context; /* null for contexts and pools */
    struct object *next, *previous; /* of its list; the previous one only while it lives */
};

struct context {
    struct object object;
    int device;
    int retained;   /* of a primary context */
    CUresult error; /* once set, every call returns it */
    struct stream *null_stream;
    uint64_t peers; /* a bit for each device whose memory it has been given access to */
};

/* A place in a stream: all work up to the ticket. */
struct mark {
    struct stream *stream;
    uint64_t ticket;
};

struct op {
    struct op *next;
    const char *call; /* the entry that enqueued it */
    void (*run)(struct op *op);
    int wait_count;
    struct mark *waits; /* done before it runs */
    char data[]; /* the entry's own */
};

struct stream {
    struct object object;
    bool blocking; /* keeps order with the null stream */
    uint64_t issued, done;
    struct op *first, **last;
    struct graph *capture; /* where its work goes in place of the device; or null */
    bool is_invalid;       /* the capture will fail */
};

struct event {
    struct object object;
    bool timing;
    bool recorded;
    uint64_t recordings;
    struct mark mark;
    double time; /* when the device got there, in ms */
};

struct parameter {
    size_t size, align;
};

struct function {
    struct object object;
    struct module *module;
    struct function *next;
    char *name;
    int parameter_count;
    struct parameter *parameters;
    unsigned max_threads, registers;
    unsigned cluster[3]; /* blocks */
    bool non_portable;   /* a larger cluster has been asked for */
    size_t shared; /* static bytes by the PTX */
    size_t dynamic_limit;
};

struct module {
    struct object object;
    struct function *functions;
    struct variable *variables;
    void *library; /* of its native code; null where that is the program's */
    struct played *played; /* null where native code runs */
    size_t shared; /* no less than native code needs, which gives every variable of the module a place of its own */
};

/* ---- fake_state.c: settings, failures on request, and objects ---- */

struct settings {
    int devices, arch, other_arch, multiprocessors, driver;
    size_t memory, page;
    bool pools, peers;
};
extern struct settings settings;

extern pthread_mutex_t fake_lock;
int lock_all(void); /* for `held` below */
void unlock_all(int *held);

/* Counts the call; not CUDA_SUCCESS where it is to fail, by default with `error`. */
CUresult count_call(const char *name, CUresult error);

#define ENTER_LOCK __attribute__((cleanup(unlock_all), unused)) int held = lock_all()

/* How entry points begin: those that release something do so even where they are to fail. */
#define ENTER_RELEASE(name)                                                                                            \
    ENTER_LOCK;                                                                                                        \
    const CUresult injected = count_call(name, CUDA_ERROR_UNKNOWN)

#define ENTER(name, error)                                                                                             \
    ENTER_LOCK;                                                                                                        \
    const CUresult injected = count_call(name, error);                                                                 \
    if (injected != CUDA_SUCCESS)                                                                                      \
    return injected

/* Reports behaviour that is undefined on a GPU, and ends the process. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A live object with `size` bytes, zero but for its head. */
void *object_new(enum kind kind, struct context *context, size_t size);
void object_end(struct object *object);
/* CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE for null or another context's; a handle that never was one, or no longer
 * is, ends the process. */
CUresult object_check(const void *handle, enum kind kind, const struct context *context);
/* Each live object of this kind in the context, from `after` (null: the first) on; newest first. */
void *object_next(enum kind kind, const struct context *context, void *after);

/* Counts what the context still holds as leaked, and forgets it. */
void count_leak(const struct context *context, long count);

/* ---- fake_context.c: devices, errors in words, contexts ---- */

enum { /* of every multiprocessor, and of every block */
    MULTIPROCESSOR_THREADS = 2048,
    MULTIPROCESSOR_BLOCKS = 32,
    MULTIPROCESSOR_REGISTERS = 65536,
    MULTIPROCESSOR_SHARED = 233472,
    SHARED_DEFAULT = 49152,
    SHARED_OPTIN = 232448,
};

/* Its compute capability, 90 for 9.0. */
int device_arch(int device);
/* The calling thread's context, where it is usable. */
CUresult context_current(struct context **out);
/* The current context, and whether the handle is one of its objects. */
CUresult context_owning(const void *handle, enum kind kind, struct context **out);

/* ---- fake_memory.c: device and pinned memory ---- */

struct allocation;

/* The live allocation that holds [address, address + size); null where none does.  Memory that the host has freed
 * already ends the process. */
struct allocation *allocation_find(CUdeviceptr address, size_t size);
/* The one that exists at this point of the device's work and holds the address, though the host may have freed it;
 * null where none does. */
struct allocation *allocation_live(uint64_t address);
bool address_is_device(uint64_t address);
bool address_is_pinned(uint64_t address);
/* Ends the process unless the allocation exists at this point of the device's work, which may then reach it. */
void allocation_require(struct allocation *allocation);
/* Memory that is there at once, with these bytes (null: zeros), until memory_discard(); null where there is no room. */
struct allocation *memory_place(struct context *context, size_t size, const void *bytes);
void memory_discard(struct allocation *allocation);
char *allocation_base(const struct allocation *allocation);
size_t allocation_size(const struct allocation *allocation);
/* Its contents from that byte on become these bytes (null: zeros). */
void memory_fill(struct allocation *allocation, size_t from, const void *bytes);
/* The pinned memory that holds the address; false where none does. */
bool pinned_range(uint64_t address, uint64_t *begin, uint64_t *end);
/* Whether the host's memory is neither in one pinned piece nor pinned nowhere: the driver copies none such. */
bool range_is_mixed(uint64_t begin, uint64_t size);
/* Whether its memory is that device's, or mapped for it. */
bool allocation_is_on(const struct allocation *allocation, int device);
/* Whether the context's kernels may use it: those of other devices where they have been given access. */
bool allocation_is_reached(const struct allocation *allocation, const struct context *context);
/* Addresses that no allocation has had, with a page behind them; null where there are none. */
char *arena_allocate(size_t bytes, size_t alignment);
/* Registers memory mapped at these addresses, to which devices are then given access. */
struct allocation *allocation_map(char *pages, size_t bytes);
void allocation_set_access(struct allocation *allocation, uint64_t devices);
bool memory_has_room(int device, size_t size);
/* The device may reach its memory between these: what allocation_require() was asked about at once, the rest when it
 * does so (at once where somebody else handles SIGSEGV). */
void memory_open(void);
void memory_close(void);
/* Frees what the context holds; returns the number of allocations. */
long memory_drop(struct context *context);
long memory_live_count(void);

/* ---- fake_mapping.c: addresses at which memory of one or more devices is mapped ---- */

size_t mapping_used_on(int device);
/* Addresses and memory that have not been given back. */
long mapping_live_count(void);

/* ---- fake_copy.c ---- */

/* Ends the process where a copy still waits that uses this host memory. */
void copies_check_host(const struct context *context, const char *base, size_t size);

/* ---- fake_stream.c: streams, events and the device that does their work ---- */

/* The stream a handle stands for; null is the context's null stream. */
CUresult stream_of(struct context *context, CUstream handle, struct stream **out);
/* The current context, and that stream of it. */
CUresult stream_current(CUstream handle, struct context **context, struct stream **out);
/* Puts work into the stream, with `size` bytes of `data` in op->data. */
void enqueue(struct stream *stream, const char *call, void (*run)(struct op *op), const void *data, size_t size);
/* Lets the device work until this is done. */
void run_stream(struct stream *stream);
void run_context(struct context *context);
/* Returns the stream whose work the device is doing; null while it rests. */
struct stream *running_stream(void);
const char *running_call(void);

/* ---- fake_global.c: the variables of modules ---- */

/* Returns the native code's symbol of this name, or null. */
void *native_symbol(const struct module *module, const char *name);

/* False where there is no room for it. */
bool variable_add(struct module *module, const char *name, size_t size);
void variables_end(struct module *module);
/* The memory of the variable of this name; null where the list has none. */
struct allocation *variable_memory(const struct variable *variables, const char *name);
/* Around a kernel of the module: the native variables get what is on the device, and the other way round. */
void variables_enter(const struct module *module);
void variables_leave(const struct module *module);

/* ---- fake_texture.c: arrays of the driver's, texture and surface objects ---- */

/* Returns the memory that a kernel reads through this handle; null if the context has no such object. */
struct allocation *texture_memory(const struct context *context, uint64_t handle);
/* Its number in our own table of objects; 0 where the context has none. */
uint64_t texture_played(const struct context *context, uint64_t handle);

/* ---- fake_play.c: the player of PTX, on request ---- */

/* False where the text is wrong; `log` gets how. */
bool play_read(struct module *module, const char *text, char *log, size_t log_size);
void play_end(struct module *module);
/* Ends the process at a fault. */
void play_launch(const struct module *module, const struct ptx_launch *launch);

/* ---- fake_graph.c ---- */

struct launch;

/* Work of a captured stream becomes a node. */
void graph_add_launch(struct stream *stream, struct launch *launch);
void graph_add_work(struct stream *stream, const char *call, void (*run)(struct op *op), const void *data, size_t size);
/* The result of calls that cannot be captured, or CUDA_SUCCESS. */
CUresult graph_refuse(struct stream *stream);

/* ---- fake_launch.c ---- */

/* Launches of graphs: their parameters are checked whenever they are copied. */
struct launch *launch_copy(const struct launch *launch);
/* The same launch with another size and other parameters. */
struct launch *launch_from(const struct launch *launch, const CUDA_KERNEL_NODE_PARAMS *parameters);
void launch_describe(const struct launch *launch, CUDA_KERNEL_NODE_PARAMS *parameters);
void launch_enqueue(struct stream *stream, struct launch *launch, const char *call);
void launch_free(struct launch *launch);

/* The kernel that the device runs; null where it does not. */
const char *running_kernel(void);

#endif
