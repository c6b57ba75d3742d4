/* Arrays and their memory. Memory is reference-counted: an array, its views and exported tensors each hold a
 * reference, and the last one frees it in stream order. Sizes and strides are in bytes. Failures are a status with
 * gpucc_last_error(). Lists of a context are guarded by its lock; an array's own fields are constant after its
 * creation, except read_only. */
#ifndef GPUCC_RUNTIME_ARRAYS_H
#define GPUCC_RUNTIME_ARRAYS_H

#include "devices/trace.h"

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
    gpucc_stream *home; /* in whose order it was allocated and will be freed; null if it is not the device's */
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

/* array_memory.c */

/* Uninitialised memory of the context's device, with one reference. */
gpucc_status memory_create(gpucc_context *context, gpucc_stream *home, size_t size, struct memory **out);
/* The same in the memory of all devices of the context's group, for rows of so many bytes; or, where that brings
 * nothing, of the first.  GPUCC_UNSUPPORTED if they do not reach one another's. */
gpucc_status memory_create_split(gpucc_context *context, size_t size, size_t row, struct memory **out);
/* Around the caller's memory; a device's has a home. */
gpucc_status memory_wrap(gpucc_context *context, gpucc_stream *home, void *base, size_t size, struct memory **out);
/* One value of `size` bytes, on the host. */
gpucc_status memory_store_value(gpucc_context *context, const void *value, size_t size, struct memory **out);
struct memory *memory_retain(struct memory *memory);
/* Frees it with the last reference, in stream order. */
void memory_release(struct memory *memory);
/* Gives foreign memory that no work uses any more back to its owners. */
void memories_release_unused(gpucc_context *context);
/* Notes that work in `stream` uses it. */
static inline void memory_use(struct memory *memory, gpucc_stream *stream)
{
    if (memory->home != stream && !atomic_load_explicit(&memory->shared, memory_order_relaxed))
        atomic_store_explicit(&memory->shared, true, memory_order_relaxed);
}
/* Frees whatever is left when the context goes. */
void memories_destroy_all(gpucc_context *context);

/* memory_streams.c */

/* Makes `stream` wait for those other streams that may use `memory`. */
gpucc_status stream_join_users(gpucc_stream *stream, const struct memory *memory);
/* Makes another library's stream wait for all work that may use the memory.  The context is to be entered. */
gpucc_status stream_lead_foreign(const struct memory *memory, CUstream foreign);
/* Frees memory of the stream, or of all (null), in the default stream's order from now on: the stream's own work is
 * done.  With the context's lock held. */
void memories_leave_stream(gpucc_context *context, const gpucc_stream *stream);

/* context_memory.c */

/* Drops a reference; with the last one the context's memory and device go. */
void context_release(gpucc_context *context);

/* array.c */

/* As gpucc_array_create(), with memory that belongs to `stream`. */
gpucc_status array_create(gpucc_context *context, gpucc_stream *stream, gpucc_dtype dtype, int ndim,
                          const int64_t *shape, gpucc_array **out);
/* As gpucc_array_create_split(). */
gpucc_status array_create_split(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                gpucc_array **out);
/* Another handle of the same elements. */
gpucc_status array_share(const gpucc_array *array, gpucc_array **out);
/* In the host's memory. */
gpucc_status array_create_on_host(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                  gpucc_array **out);
/* A copy in C order, in the host's memory where the array is there. */
gpucc_status array_duplicate(const gpucc_array *array, gpucc_array **out);
/* Fails if there is no such type, or the shape is none. */
gpucc_status array_check_shape(gpucc_dtype dtype, int ndim, const int64_t *shape);
/* The bytes that an array of this shape reaches: [*low, *high) around element [0,0,…], empty where it has none.
 * False if they are no int64_t. */
bool array_extent(int ndim, const int64_t *shape, const int64_t *strides, size_t size, int64_t *low, int64_t *high);
void arrays_destroy_all(gpucc_context *context);
/* True where several devices have a part of its memory. */
static inline bool array_is_split(const gpucc_array *array)
{
    return array->memory->kind == MEMORY_SPLIT;
}
/* The stream in whose order the host sees the array: its memory's, or the default one. */
static inline gpucc_stream *array_stream(const gpucc_array *array)
{
    return array->memory->home ? array->memory->home : &array->context->stream;
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

/* The call works on it. */
static inline void trace_array(struct trace_span *span, const gpucc_array *array)
{
    if (__builtin_expect(span->name != NULL, 0) && array)
        span->bytes += (uint64_t)array->count * dtypes[array->dtype].size;
}

/* tensor_map.c */

struct cpu_tensor_map;
/* Has the driver make the map that is so described. */
gpucc_status tensor_map_encode(gpucc_context *context, const struct cpu_tensor_map *map, gpucc_tensor_map *out);

/* texture.c */

/* Destroys the textures that a context still has, at its end. */
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

#endif
