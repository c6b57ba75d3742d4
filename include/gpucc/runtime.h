/* The runtime: loads programs made by gpucc, manages arrays, calls ufuncs and launches kernels, on a CUDA device or
 * on the CPU, through the same calls.
 *
 *   gpucc_context *context;
 *   gpucc_array *x, *y = NULL;
 *   gpucc_context_create(NULL, &context);         a GPU if there is one, else the CPU
 *   gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &n, NULL, data, &x);
 *   trig(context, x, &y);                         from the header that gpucc generated; it allocates y
 *   gpucc_array_read(y, result, n * sizeof(float));
 *   gpucc_context_destroy(context);               releases the arrays too
 *
 * Rules for all functions:
 *   - Errors: a function that can fail returns a status. gpucc_last_error() then describes the failure, until the next
 *     one on the same thread. A function that creates an object sets `*out` to null first. A null object is
 *     GPUCC_INVALID_ARGUMENT; a getter returns 0 or NULL for it. The runtime never exits, aborts or prints: messages go
 *     to a log function.
 *   - Threads: any thread may call any function. Do not release an object while another thread uses it.
 *   - Units: sizes, offsets and strides are in bytes, extents in elements. Shapes list the outermost dimension first.
 *   - Ownership: the caller releases each object that a function returns in `out`, unless its comment names another
 *     owner. Destroying a context releases all its objects. The runtime copies strings and arrays of numbers.
 *   - Options: set `size` to the structure's size and all else to zero; NULL means the defaults. */
#ifndef GPUCC_RUNTIME_H
#define GPUCC_RUNTIME_H

#include <gpucc/compiler.h>
#include <gpucc/float8.h>
#include <gpucc/program.h>
#include <gpucc/tensor_map.h>
#include <stddef.h>
#include <stdint.h>

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

/* ---- status ---- */

typedef enum gpucc_status {
#define STATUS(name, text) GPUCC_##name,
#include <gpucc/status.def>
#undef STATUS
    GPUCC_STATUS_COUNT
} gpucc_status;

/* "GPUCC_BAD_SHAPE"; never null, also out of range. Static. */
GPUCC_API const char *gpucc_status_name(gpucc_status status);
/* The last failing call on this thread, and the reason; "" before the first. Valid until the next failure. */
GPUCC_API const char *gpucc_last_error(void);

/* ---- element types ---- */

typedef enum gpucc_dtype {
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits) GPUCC_DTYPE_##name,
#include <gpucc/dtypes.def>
    GPUCC_DTYPE_COUNT,
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits) GPUCC_##constant = GPUCC_DTYPE_##name,
#include <gpucc/dtypes.def>
} gpucc_dtype;

/* Host types of the dtypes for which C11 and C++ have no common one. */
typedef struct gpucc_float16 {
    uint16_t bits;
} gpucc_float16;
typedef struct gpucc_bfloat16 {
    uint16_t bits;
} gpucc_bfloat16;
/* float8_e4m3fn and float8_e5m2 are those of <gpucc/float8.h>. */
typedef struct gpucc_complex64 {
    float real, imaginary;
} gpucc_complex64;
typedef struct gpucc_complex128 {
    double real, imaginary;
} gpucc_complex128;

GPUCC_API const char *gpucc_dtype_name(gpucc_dtype dtype); /* "float32"; "?" out of range */
GPUCC_API size_t gpucc_dtype_size(gpucc_dtype dtype);      /* bytes; 0 out of range */
/* The dtype called `name` ("float32"), or GPUCC_DTYPE_COUNT. */
GPUCC_API gpucc_dtype gpucc_dtype_from_name(const char *name);

/* NumPy's casting rules, with bfloat16 beside float16 and the float8 types below both. Each allows all casts of the
 * rules before it. */
typedef enum gpucc_casting {
    GPUCC_CASTING_DEFAULT,   /* the called function's default */
    GPUCC_CASTING_NO,        /* no cast */
    GPUCC_CASTING_EQUIV,     /* the same as NO: all types here have the machine's byte order */
    GPUCC_CASTING_SAFE,      /* exact for every value, except that float64 rounds large integers */
    GPUCC_CASTING_SAME_KIND, /* also within a kind, or to a later one of: boolean, unsigned, signed, floating,
                                complex */
    GPUCC_CASTING_UNSAFE     /* every cast: an integer type clips to its range, NaN becomes 0, and a complex number
                                loses its imaginary part; under each rule float8 types clip to theirs */
} gpucc_casting;
/* 1 if the rule (default: same_kind) allows the cast, else 0; 0 out of range. */
GPUCC_API int gpucc_can_cast(gpucc_dtype from, gpucc_dtype to, gpucc_casting casting);

/* ---- devices and contexts ---- */

typedef struct gpucc_context gpucc_context;
typedef struct gpucc_stream gpucc_stream;
typedef struct gpucc_event gpucc_event;
typedef struct gpucc_array gpucc_array;
typedef struct gpucc_program gpucc_program;
typedef struct gpucc_ufunc gpucc_ufunc;
typedef struct gpucc_kernel gpucc_kernel;

typedef enum gpucc_log_level { GPUCC_LOG_INFO, GPUCC_LOG_WARNING, GPUCC_LOG_ERROR } gpucc_log_level;
/* Called from the thread that logs; it must not call gpucc. `message` is valid during the call. */
typedef void gpucc_log_function(void *data, gpucc_log_level level, const char *message);

/* Called after each chunk of a call that is divided into chunks, as large calls are, on the CPU too: `done` of
 * `parts` chunks are complete. One thread calls at a time; it must not call gpucc. */
typedef void gpucc_progress_function(void *data, uint64_t done, uint64_t parts);

/* Called about twenty times a second while a kernel runs on the CPU, between blocks, by the thread that launched it.
 * Non-zero ends the launch with GPUCC_INTERRUPTED; the arrays that it writes are in part written then. It must not call
 * gpucc. */
typedef int gpucc_interrupt_function(void *data);

typedef struct gpucc_context_options {
    size_t size;            /* sizeof(gpucc_context_options) of the caller */
    const char *device;     /* "auto" (or NULL: GPUCC_DEVICE decides), "cpu", "cuda", "cuda:N"; "cuda:N,M…" and
                               "cuda:all" are several devices, which share the work on host arrays */
    void *cuda_context;     /* the caller's CUcontext, which must outlive this one; NULL: the device's primary
                               context */
    void *cuda_stream;      /* the caller's CUstream as the default stream; NULL: a new one */
    int cpu_threads;        /* workers of the CPU device; 0 for all cores (or GPUCC_CPU_THREADS) */
    gpucc_log_function *log; /* NULL writes to standard error */
    void *log_data;
    size_t memory_limit;    /* most bytes of each GPU's memory for the host arrays of one call, which else runs in
                               chunks; 0: GPUCC_MEMORY_LIMIT, or half of the free memory */
    gpucc_progress_function *progress; /* NULL: no progress reports */
    void *progress_data;
    gpucc_interrupt_function *interrupt; /* NULL: launches run to their end */
    void *interrupt_data;
} gpucc_context_options;

typedef enum gpucc_device_kind { GPUCC_DEVICE_CPU, GPUCC_DEVICE_CUDA } gpucc_device_kind;

typedef struct gpucc_device_info {
    size_t size;              /* set by the caller to sizeof(gpucc_device_info) */
    gpucc_device_kind kind;
    int ordinal;              /* index of a CUDA device; 0 for the CPU */
    char name[128];
    int arch;                 /* 90 for compute capability 9.0; 0 for the CPU */
    int multiprocessors;      /* SMs, or worker threads */
    int driver_version;       /* as cuDriverGetVersion, 13000 for 13.0; 0 for the CPU */
    uint64_t memory;          /* bytes in all */
    uint64_t memory_free;     /* bytes free now */
    int max_threads_per_block;
    size_t max_shared_per_block; /* bytes, opted in */
    double memory_bandwidth;  /* bytes a second, clock times width as in data sheets; 0 if unknown */
} gpucc_device_info;

/* The number of CUDA devices; 0, with GPUCC_OK, without a driver, and then gpucc_last_error() has the reason. */
GPUCC_API gpucc_status gpucc_device_count(int *count);
/* Describes a device, named as in gpucc_context_options, without a context; memory_free is 0. */
GPUCC_API gpucc_status gpucc_device_query(const char *device, gpucc_device_info *info);
/* The best target of gpucc's native code that this machine supports, as --target takes it: "x86-64-v3"; at most the
 * one in the environment's GPUCC_CPU_TARGET. NULL if it supports none. Static. */
GPUCC_API const char *gpucc_native_target(void);

/* Creates a context. gpucc_context_destroy() waits for the device and releases all programs, arrays, streams and
 * events of the context; their handles are invalid afterwards. Memory with exported DLPack tensors outlives it,
 * together with the use of `cuda_context`, until the last tensor is deleted. A child of fork() can neither use nor
 * free its parent's contexts; it creates its own. */
GPUCC_API gpucc_status gpucc_context_create(const gpucc_context_options *options, gpucc_context **out);
GPUCC_API void gpucc_context_destroy(gpucc_context *context);
/* The context's device (of several, the first), with its free memory. */
GPUCC_API gpucc_status gpucc_context_info(gpucc_context *context, gpucc_device_info *info);
/* The number of devices that share the context's work. Its arrays, streams and kernels belong to the first device. */
GPUCC_API int gpucc_context_device_count(const gpucc_context *context);
/* 1 if a call on `bytes` of host arrays runs in chunks: on several devices, or above the memory limit; else 0. */
GPUCC_API int gpucc_context_in_parts(gpucc_context *context, size_t bytes);
/* Pins the whole pages of `size` bytes of host memory at `data`: all GPUs then copy to and from them directly, without
 * buffers. Pinning takes time for each page; it is for memory that several calls use. Unpin the memory, from the same
 * `data`, before it is freed and while no call of any context uses it; gpucc_context_destroy() unpins the rest, and
 * needs the same. GPUCC_INVALID_ARGUMENT if one of the pages is pinned already, GPUCC_UNSUPPORTED if the driver cannot
 * pin them. On the CPU pinning changes no copies. */
GPUCC_API gpucc_status gpucc_context_pin(gpucc_context *context, void *data, size_t size);
GPUCC_API gpucc_status gpucc_context_unpin(gpucc_context *context, void *data);
/* Waits for all enqueued work, and returns errors of asynchronous work. */
GPUCC_API gpucc_status gpucc_context_synchronize(gpucc_context *context);

/* ---- streams and events ---- As a stream, NULL is the context's default stream.
 *
 * Work in one stream runs in order; events order work in different streams. Two cases need no event: any stream may
 * use an array that a call without a stream created or wrote; and releasing, reading or writing an array waits for
 * all enqueued work that uses it. */

GPUCC_API gpucc_status gpucc_stream_create(gpucc_context *context, gpucc_stream **out);
GPUCC_API void gpucc_stream_destroy(gpucc_stream *stream); /* waits for its work; NULL is fine */
/* Blocks until the stream's enqueued work is done, and returns its errors. */
GPUCC_API gpucc_status gpucc_stream_synchronize(gpucc_stream *stream);
/* Orders the stream's later work after the event's last record; returns at once. */
GPUCC_API gpucc_status gpucc_stream_wait(gpucc_stream *stream, gpucc_event *event);
/* An event marks a point in a stream. Destroying it does not wait; NULL is fine. */
GPUCC_API gpucc_status gpucc_event_create(gpucc_context *context, gpucc_event **out);
GPUCC_API void gpucc_event_destroy(gpucc_event *event);
/* Marks the end of the work enqueued in the stream so far. */
GPUCC_API gpucc_status gpucc_event_record(gpucc_event *event, gpucc_stream *stream);
/* Blocks until that work is done. */
GPUCC_API gpucc_status gpucc_event_synchronize(gpucc_event *event);
/* Milliseconds between two recorded events whose work is done. */
GPUCC_API gpucc_status gpucc_event_elapsed(gpucc_event *from, gpucc_event *to, float *milliseconds);
/* The default stream's CUstream (NULL on the CPU), for hosts that also call the driver. The context owns it. */
GPUCC_API void *gpucc_context_cuda_stream(gpucc_context *context);

/* ---- arrays ---- `ndim` is 0 … GPUCC_MAX_DIMS; `shape` and `strides` have `ndim` entries. Free each array with
 * gpucc_array_release(). */

enum { GPUCC_MAX_DIMS = 64 };

typedef enum gpucc_memory { GPUCC_MEMORY_HOST, GPUCC_MEMORY_DEVICE } gpucc_memory;

/* Allocates an array in C order in the device's memory; its contents are undefined. */
GPUCC_API gpucc_status gpucc_array_create(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                          gpucc_array **out);
/* Allocates an array in C order that is partitioned over the memory of all the context's devices; its contents are
 * undefined. Each device has an equal range, or nearly so, of the rows of the first dimension whose extent is not 1.
 * All devices can access all of it, at one address.
 *
 * Calls of ufuncs and gufuncs, and reductions, run on each device for its partition, and partition their new outputs
 * in the same way. All other work runs on the first device. The results have the bits of a single device. With less
 * than a page (2 MiB) for each device, or on one device, it is an ordinary array. GPUCC_UNSUPPORTED if the devices
 * cannot access one another's memory. Creating and releasing it maps memory; releasing it waits for the devices. */
GPUCC_API gpucc_status gpucc_array_create_split(gpucc_context *context, gpucc_dtype dtype, int ndim,
                                                const int64_t *shape, gpucc_array **out);
/* The range of indices of the first dimension in the memory of a device, counted from 0: start <= index < stop. An
 * array that is not partitioned along it is in the first device's memory. */
GPUCC_API gpucc_status gpucc_array_part(const gpucc_array *array, int device, int64_t *start, int64_t *stop);
/* Copies host data with any strides (NULL: C order) to a new array in C order on the device. `data` may be freed
 * when the call returns. */
GPUCC_API gpucc_status gpucc_array_from_host(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                             const int64_t *strides, const void *data, gpucc_array **out);
/* Wraps memory of the caller's without a copy: `pointer` is element [0,0,…]; strides NULL: C order. The memory must
 * outlive the array and its views. On a GPU, device memory must be aligned to its elements. */
GPUCC_API gpucc_status gpucc_array_wrap(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                        const int64_t *strides, void *pointer, gpucc_memory where, gpucc_array **out);
/* Options for wrapped memory; all fields but the size may be zero. */
typedef struct gpucc_wrap_options {
    size_t size;                 /* sizeof(gpucc_wrap_options) of the caller */
    int read_only;               /* nonzero: the array is read-only, as after gpucc_array_set_read_only() */
    void (*release)(void *data); /* called once, when no array uses the memory any more and no enqueued work does;
                                    NULL: nothing is called */
    void *release_data;
    void *cuda_stream;           /* a CUstream (1: CUDA's legacy default stream, 2: each thread's) whose work so far
                                    comes before any use of the memory, which is the device's; NULL: such work is in
                                    the context's default stream */
} gpucc_wrap_options;

/* gpucc_array_wrap() with options (or NULL). The thread that releases the last array calls `release`. If a GPU still
 * uses the memory, a later call does so that creates or releases an array or synchronizes the context;
 * gpucc_context_destroy() does at the latest. `release` may call gpucc, but not destroy the context. After a failure
 * it is not called. */
GPUCC_API gpucc_status gpucc_array_wrap_with(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                             const int64_t *strides, void *pointer, gpucc_memory where,
                                             const gpucc_wrap_options *options, gpucc_array **out);
/* A zero-dimensional array of one value, which calls pass by value and never copy to the device. */
GPUCC_API gpucc_status gpucc_array_scalar(gpucc_context *context, gpucc_dtype dtype, const void *value,
                                          gpucc_array **out);
/* A weak scalar, as Python's numbers are: beside arrays of its kind or a higher one (integer, real, complex) it
 * takes the loop's type. Alone it is of `dtype`, which is int64, uint64, float64 or complex128. If the loop's type
 * cannot hold the integer, the call fails with GPUCC_BAD_NUMBER. */
GPUCC_API gpucc_status gpucc_array_number(gpucc_context *context, gpucc_dtype dtype, const void *value,
                                          gpucc_array **out);
/* A view with another shape and other strides of the same memory, `offset` bytes from the array's first element.
 * Bounds are checked if the memory's are known. The view shares ownership of the memory. */
GPUCC_API gpucc_status gpucc_array_view(const gpucc_array *array, int ndim, const int64_t *shape,
                                        const int64_t *strides, int64_t offset, gpucc_array **out);
/* Makes the array read-only, and views of it that are made later: calls refuse it as an output, and it cannot be
 * written. Other arrays over the same memory are unaffected. A kernel that gets its address can still write. */
GPUCC_API void gpucc_array_set_read_only(gpucc_array *array);
/* Releases the handle; the memory is freed after the enqueued work that uses it. NULL is fine. Until the context has
 * released 64 more arrays, calls with the released handle fail, and a second release does nothing. */
GPUCC_API void gpucc_array_release(gpucc_array *array);

/* Copies the elements in C order to `data` on the host, and waits. `size` is in bytes and must be exactly their
 * size. */
GPUCC_API gpucc_status gpucc_array_read(const gpucc_array *array, void *data, size_t size);
/* Copies only the elements with start[d] <= index[d] < stop[d] in each dimension. */
GPUCC_API gpucc_status gpucc_array_read_part(const gpucc_array *array, const int64_t *start, const int64_t *stop,
                                             void *data, size_t size);
/* Copies elements in C order from `data` on the host, and waits. `size` is in bytes and must be exactly their size. */
GPUCC_API gpucc_status gpucc_array_write(gpucc_array *array, const void *data, size_t size);
/* Copies all elements of another array of the context, which broadcasts and may be a scalar; they are cast by any rule,
 * and may share memory. Ordered after all work enqueued before that uses either; on a GPU it is enqueued. */
GPUCC_API gpucc_status gpucc_array_copy(gpucc_array *to, const gpucc_array *from);
/* Reads and writes ordered after the stream's work alone; other streams continue meanwhile. Both wait for the copy. */
GPUCC_API gpucc_status gpucc_array_read_in_stream(const gpucc_array *array, void *data, size_t size,
                                                  gpucc_stream *stream);
GPUCC_API gpucc_status gpucc_array_write_in_stream(gpucc_array *array, const void *data, size_t size,
                                                   gpucc_stream *stream);

/* Getters. The array owns shape and strides, whose entries are as many as gpucc_array_ndim(). */
GPUCC_API gpucc_context *gpucc_array_context(const gpucc_array *array);
GPUCC_API gpucc_dtype gpucc_array_dtype(const gpucc_array *array);
GPUCC_API int gpucc_array_ndim(const gpucc_array *array);
GPUCC_API const int64_t *gpucc_array_shape(const gpucc_array *array);
GPUCC_API const int64_t *gpucc_array_strides(const gpucc_array *array);
GPUCC_API int64_t gpucc_array_count(const gpucc_array *array); /* elements */
GPUCC_API gpucc_memory gpucc_array_memory(const gpucc_array *array);
GPUCC_API int gpucc_array_is_read_only(const gpucc_array *array); /* 1 or 0 */
/* 1 if any element of one array shares memory with one of the other, else 0; exact, not by bounds. */
GPUCC_API int gpucc_array_overlaps(const gpucc_array *a, const gpucc_array *b);
/* The address of element [0,0,…] in the array's memory: the value of a kernel's pointer parameter. */
GPUCC_API void *gpucc_array_data(const gpucc_array *array);
/* The same, cast to a pointer: gpucc_array_data_as(float, y). The type is not checked. */
#ifdef __cplusplus
#define gpucc_array_data_as(type, array) (static_cast<type *>(gpucc_array_data(array)))
#else
#define gpucc_array_data_as(type, array) ((type *)gpucc_array_data(array))
#endif

/* ---- DLPack ---- imports tensors of NumPy, PyTorch, CuPy, JAX … as arrays, and exports arrays, without a copy.
 *
 * DLManagedTensorVersioned is DLPack 1's, in Python a capsule "dltensor_versioned"; DLManagedTensor is its
 * predecessor ("dltensor"). All of gpucc's dtypes are supported, and no others (GPUCC_BAD_TYPE). Any strides are;
 * DLPack counts them in elements. A stream is as in Python's __dlpack__(stream=…): a CUstream, 1 for CUDA's legacy
 * default stream, 2 for each thread's. It matters for a GPU's memory alone. */

struct DLManagedTensorVersioned; /* <dlpack/dlpack.h> has them; it need not be included */
struct DLManagedTensor;

typedef struct gpucc_import_options {
    size_t size;       /* sizeof(gpucc_import_options) of the caller */
    void *cuda_stream; /* its work so far comes before any use of the array; NULL: the producer has ordered it before
                          the context's default stream, its __dlpack__(stream=…) */
} gpucc_import_options;

typedef struct gpucc_export_options {
    size_t size;       /* sizeof(gpucc_export_options) of the caller */
    void *cuda_stream; /* waits for all enqueued work that uses the array; NULL: CUDA's legacy default stream; -1: no
                          stream waits */
    int copy;          /* nonzero: the tensor is a copy in C order, as which any array can be exported */
} gpucc_export_options;

/* Imports a tensor's memory as an array. It may be the CPU's or CUDA's pinned memory, which a GPU's context treats
 * as GPUCC_MEMORY_HOST; memory of the context's own CUDA device; or managed memory, which counts as the device's.
 *
 * After GPUCC_OK the array owns the tensor, and calls its deleter once, as `release` of gpucc_wrap_options. After a
 * failure the caller still owns it. A read-only versioned tensor makes a read-only array. GPUCC_UNSUPPORTED: another
 * major version, another kind of device. GPUCC_INVALID_ARGUMENT: another CUDA device. GPUCC_BAD_SHAPE: an invalid
 * layout. */
GPUCC_API gpucc_status gpucc_array_from_dlpack(gpucc_context *context, struct DLManagedTensorVersioned *tensor,
                                               const gpucc_import_options *options, gpucc_array **out);
GPUCC_API gpucc_status gpucc_array_from_dlpack_unversioned(gpucc_context *context, struct DLManagedTensor *tensor,
                                                           const gpucc_import_options *options, gpucc_array **out);
/* Exports the array as a tensor that shares ownership of the memory until the consumer calls its deleter, on any
 * thread. That may be after gpucc_context_destroy(): the memory and CUDA's context stay until then. If a stream
 * other than the legacy default one received the memory, the deleter waits for the whole device context before it
 * frees.
 *
 * GPUCC_BAD_SHAPE: strides that are no multiple of the element size, misaligned elements. A read-only array makes a
 * read-only tensor; an unversioned tensor cannot be read-only, so the call fails. */
GPUCC_API gpucc_status gpucc_array_to_dlpack(const gpucc_array *array, const gpucc_export_options *options,
                                             struct DLManagedTensorVersioned **out);
GPUCC_API gpucc_status gpucc_array_to_dlpack_unversioned(const gpucc_array *array, const gpucc_export_options *options,
                                                         struct DLManagedTensor **out);
/* The device of the array's tensor, as Python's __dlpack_device__() returns it: DLPack's device type (1 for the
 * CPU's memory, 2 for CUDA's) and the device's index. */
GPUCC_API gpucc_status gpucc_array_dlpack_device(const gpucc_array *array, int32_t *type, int32_t *id);

/* ---- programs ---- */

/* Loads the program of an object's descriptor, whose memory must outlive the program. GPUCC_BAD_PROGRAM: damaged, or
 * of an unsupported version. GPUCC_UNSUPPORTED: nothing in it runs on this device. */
GPUCC_API gpucc_status gpucc_program_load(gpucc_context *context, const struct gpucc_program_image *image,
                                          gpucc_program **out);
/* Loads a `.ptx` and its `.json`, from files or from memory, which may be freed afterwards. GPU only: on the CPU it
 * is GPUCC_UNSUPPORTED, as they hold no native code. */
GPUCC_API gpucc_status gpucc_program_load_files(gpucc_context *context, const char *ptx_path, const char *manifest_path,
                                                gpucc_program **out);
GPUCC_API gpucc_status gpucc_program_load_memory(gpucc_context *context, const char *ptx, size_t ptx_size,
                                                 const char *manifest, size_t manifest_size, gpucc_program **out);
typedef struct gpucc_compile_options {
    size_t size;                      /* sizeof(gpucc_compile_options) of the caller */
    const char *name;                 /* the source's name in messages; NULL: "program.c" */
    const struct gpucc_file *headers; /* headers that it may include, besides those on disk */
    size_t header_count;
    const char *const *options;       /* the command's: "-DN=3", "-I", "include" */
    size_t option_count;
    gpucc_log_function *log;          /* gets all diagnostics, in one call; NULL: the context's log gets the warnings */
    void *log_data;
} gpucc_compile_options;
/* Compiles C in this process by libgpucc-compiler, which the first call opens (GPUCC_NO_COMPILER if it cannot): PTX
 * for the context's GPU, or native code, which needs the system's linker, `ld`. GPUCC_BAD_SOURCE: gpucc_last_error()
 * begins with the errors. */
GPUCC_API gpucc_status gpucc_program_compile(gpucc_context *context, const char *source,
                                             const gpucc_compile_options *options, gpucc_program **out);
/* Waits for the work that uses the program, and invalidates its ufuncs and kernels. NULL is fine. */
GPUCC_API void gpucc_program_release(gpucc_program *program);
/* Looks a function up by name; the program owns it. GPUCC_NOT_FOUND lists all names. A kernel's name is its entry's
 * (scale_f32), or its function's if that has one instance. */
GPUCC_API gpucc_status gpucc_program_ufunc(gpucc_program *program, const char *name, gpucc_ufunc **out);
GPUCC_API gpucc_status gpucc_program_kernel(gpucc_program *program, const char *name, gpucc_kernel **out);
/* A variable of the program's source, by its C name, as an array over its memory: `constant`, or at file scope and
 * neither static nor const. A pointer becomes a uint64. A type that is no dtype (a struct) becomes uint8, with its
 * bytes as one more dimension.
 *
 * The program owns the memory: release the array first. On a GPU each context that loads the program has its own
 * copy; on the CPU the process has one. As with any array, reads and writes wait for all work enqueued before. */
GPUCC_API gpucc_status gpucc_program_global(gpucc_program *program, const char *name, gpucc_array **out);
/* The manifest, JSON text that ends with a NUL and lives as long as the program. */
GPUCC_API const char *gpucc_program_manifest(const gpucc_program *program);
/* The machine code that the driver compiles from the program's PTX for the context's GPU, as cuModuleLoadData() and
 * cuobjdump accept it. The first call compiles it. The bytes live as long as the program. GPUCC_UNSUPPORTED on the
 * CPU. */
GPUCC_API gpucc_status gpucc_program_cubin(gpucc_program *program, const void **cubin, size_t *size);
/* For generated headers. The first call loads `image` into `context`, checks that its hash is `abi`, and looks the
 * function up; later calls cost a table look-up. The context owns the result. */
GPUCC_API gpucc_status gpucc_context_ufunc(gpucc_context *context, const struct gpucc_program_image *image,
                                           uint64_t abi, const char *name, gpucc_ufunc **out);
GPUCC_API gpucc_status gpucc_context_kernel(gpucc_context *context, const struct gpucc_program_image *image,
                                            uint64_t abi, const char *name, gpucc_kernel **out);
GPUCC_API gpucc_status gpucc_context_global(gpucc_context *context, const struct gpucc_program_image *image,
                                            uint64_t abi, const char *name, gpucc_array **out);

/* ---- textures ---- Kernels read them by <gpucc/texture.h>. */

typedef struct gpucc_texture gpucc_texture;

typedef enum gpucc_filter {
    GPUCC_FILTER_NEAREST, /* the texel that contains the coordinates */
    GPUCC_FILTER_LINEAR   /* the mean of the two nearest texels in each dimension, weighted by distance in steps of
                             1/256 */
} gpucc_filter;

/* The address mode maps coordinates beyond the first and last texel. */
typedef enum gpucc_address_mode {
    GPUCC_ADDRESS_CLAMP,  /* the texel at the edge */
    GPUCC_ADDRESS_BORDER, /* the border's colour */
    GPUCC_ADDRESS_WRAP,   /* the texture repeated; needs normalized coordinates, as MIRROR does */
    GPUCC_ADDRESS_MIRROR  /* the texture repeated, with every second copy mirrored */
} gpucc_address_mode;

/* Defaults: texels of one number, coordinates in texels, no filter, clamped. */
typedef struct gpucc_texture_options {
    size_t size;          /* sizeof(gpucc_texture_options) of the caller */
    int channels;         /* 1, 2 or 4: numbers of a texel, the extent of the array's last dimension; 0: no such
                             dimension, one number */
    int layered;          /* nonzero: the array's first dimension counts layers, textures of one shape */
    int linear;           /* nonzero: for tex1Dfetch() alone, of up to 2^27 texels; the texture uses the memory of
                             the array, which is one-dimensional, contiguous and on the device, and must outlive the
                             texture */
    int surface;          /* nonzero: kernels may also write it, through gpucc_texture_surface() */
    int normalized;       /* nonzero: coordinates run from 0 to 1; else from 0 to the extent */
    int as_float;         /* nonzero: 8-bit and 16-bit integers are read as float32 from 0, or -1, to 1 */
    gpucc_filter filter;  /* LINEAR needs elements that are read as float32 */
    gpucc_address_mode address[3]; /* along x, the array's last dimension, y and z */
    float border[4];      /* for elements that are read as float32; 0 for integers */
} gpucc_texture_options;

/* Copies the array's elements to a new texture, after all work enqueued before; later changes of the array do not
 * affect it, unless it is linear. The array's dimensions are [layer], [z], [y], x, [channel]; its elements are
 * integers of up to 32 bits, float16 or float32. Free it with gpucc_texture_release(). */
GPUCC_API gpucc_status gpucc_texture_create(const gpucc_array *array, const gpucc_texture_options *options,
                                            gpucc_texture **out);
/* Waits for the work that may use the texture. NULL is fine. */
GPUCC_API void gpucc_texture_release(gpucc_texture *texture);
/* The value of a kernel's parameter of type texture_object or surface_object; 0 if the texture is no surface. */
GPUCC_API uint64_t gpucc_texture_object(const gpucc_texture *texture);
GPUCC_API uint64_t gpucc_texture_surface(const gpucc_texture *texture);
/* Copies all elements from, or to, an array of the same context with the type and shape of the texture's first one.
 * Both are ordered after all work enqueued before, and wait. GPUCC_INVALID_ARGUMENT for a linear texture. */
GPUCC_API gpucc_status gpucc_texture_write(gpucc_texture *texture, const gpucc_array *from);
GPUCC_API gpucc_status gpucc_texture_read(const gpucc_texture *texture, gpucc_array *to);

/* ---- tensor maps ---- Kernels copy tiles by them (<gpucc/tma.h>); the context's device makes its own. */

/* Describes an array of 1 to 5 dimensions to the copy engine. `box` has the elements of a tile along each of the
 * array's dimensions, 1 to 256. `swizzle` is 0, or the bytes of a tile's row, 32, 64 or 128, whose 16-byte units are
 * then permuted as wgmma reads them. The map holds the array's address: the array must outlive the kernels that get
 * it, and be ordered before them by the caller. *out may be copied.
 *
 * GPUCC_BAD_SHAPE: the address or a stride is not a multiple of 16 bytes, or the last dimension is not contiguous.
 * GPUCC_INVALID_ARGUMENT: the box, the swizzle, an array in the host's memory of a GPU's context. GPUCC_BAD_TYPE: of
 * more than 8 bytes. GPUCC_UNSUPPORTED: a driver before CUDA 12. */
GPUCC_API gpucc_status gpucc_tensor_map_make(const gpucc_array *array, const size_t *box, int swizzle,
                                             gpucc_tensor_map *out);

/* ---- ufuncs ---- */

/* The memory order of outputs that a call allocates. */
typedef enum gpucc_order {
    GPUCC_ORDER_K, /* as close as possible to that of the given operands and the mask */
    GPUCC_ORDER_C, /* the last index varies fastest */
    GPUCC_ORDER_F, /* the first index varies fastest */
    GPUCC_ORDER_A  /* F if all given operands and the mask are in F order; else C */
} gpucc_order;

/* The defaults are NumPy's. */
typedef struct gpucc_call_options {
    size_t size;              /* sizeof(gpucc_call_options) of the caller */
    gpucc_stream *stream;     /* NULL: the context's default stream */
    const gpucc_array *where; /* boolean, broadcast with the inputs: false leaves an output's element unchanged, and
                                 a new output's element 0; NULL: true. The CPU does not call the function there; a
                                 GPU does, and discards the result */
    gpucc_casting casting;    /* the rule for casts of results to outputs; default: same_kind. Inputs are cast to the
                                 loop's types by the safe rule, or by a stricter one given here. If no loop accepts
                                 them that way, they are cast by this rule; its default for inputs is safe, or
                                 same_kind with `dtype` or `signature` */
    const gpucc_dtype *dtype; /* the type of every result of the loop; NULL: as the inputs' types select */
    gpucc_order order;
    /* For gufuncs: the axes of the operands' core dimensions; NULL: the last ones. Negative axes count from the end.
     * Give as many as the layout has core dimensions, operand by operand (with keepdims, an output has as many as an
     * input), or a single one that all operands share, if the function has one core dimension. */
    const int *axes;
    int axis_count;           /* of `axes` */
    const int *axis;
    int keepdims;             /* nonzero: outputs without core dimensions keep the inputs', with extent 1 */
    const gpucc_dtype *signature; /* types of the loop, inputs first; GPUCC_DTYPE_COUNT matches any. It changes the
                                     default of `casting` as `dtype` does. NULL: any loop */
} gpucc_call_options;

/* Broadcasts the inputs, selects the loop with their types, else the first to which they cast safely, and enqueues
 * it. outputs[i] may be an array, to whose shape the inputs must broadcast, or null: the call allocates it, and the
 * caller releases it. Host arrays are copied to a GPU and back, which is logged once.
 *
 * A gufunc's operands end with the core dimensions of its layout, whose extents must agree; the loop dimensions
 * broadcast, and `where` is invalid. An output with an extent that no input determines must be given. Elements of a
 * given output that the function does not write stay unchanged.
 *
 * GPUCC_BAD_SHAPE: operands could not be broadcast. GPUCC_BAD_TYPE: no loop accepts the types. */
GPUCC_API gpucc_status gpucc_ufunc_call(gpucc_ufunc *ufunc, const gpucc_array *const *inputs, gpucc_array **outputs,
                                        const gpucc_call_options *options);

/* Calls the ufunc for every combination of the inputs' elements: the result's shape is the concatenation of the
 * inputs' shapes. Weak scalars get their kind's type, as in NumPy. For ufuncs of two or more inputs. */
GPUCC_API gpucc_status gpucc_ufunc_outer(gpucc_ufunc *ufunc, const gpucc_array *const *inputs, gpucc_array **outputs,
                                         const gpucc_call_options *options);
/* A value of axis_count: every axis. */
enum { GPUCC_ALL_AXES = -1 };

typedef struct gpucc_reduce_options {
    size_t size;                /* sizeof(gpucc_reduce_options) of the caller */
    gpucc_stream *stream;       /* NULL: the context's default stream */
    const int *axes;            /* axes to reduce; negative ones count from the last; NULL: axis 0 */
    int axis_count;             /* of `axes`; or GPUCC_ALL_AXES, with `axes` NULL */
    int keepdims;               /* nonzero: reduced axes stay, with extent 1 */
    const gpucc_array *initial; /* one element, combined before all others; NULL: none */
    const gpucc_dtype *dtype;   /* the loop whose types are all this one; the input is cast to it by any rule. NULL:
                                   the loop of a call with an element of *out and one of the input; without such an
                                   output or loop, that of a call with two elements of the input */
    const gpucc_array *where;   /* boolean, broadcast to the input: false excludes an element; a ufunc without an
                                   identity then needs `initial`. NULL: all take part */
} gpucc_reduce_options;

/* Reduces the elements along axes by a ufunc of two inputs and one output of one type. A `reorderable` ufunc
 * combines them in a tree that depends on their count alone (docs/explanation/reduction-tree.md), so every device
 * returns the same bits; any other combines them from the left, along one axis. *out may be an array or null, as in
 * calls. Reducing no elements gives `initial`, else the ufunc's identity, else GPUCC_BAD_SHAPE. */
GPUCC_API gpucc_status gpucc_ufunc_reduce(gpucc_ufunc *ufunc, const gpucc_array *input, gpucc_array **out,
                                          const gpucc_reduce_options *options);

/* Calls a fused reduction of a ufunc and an expression, `fuse(dot, reduce(add, mul(x, y)))`: reduces the
 * expression's values for the broadcast inputs, with the bits of two separate steps but without an array between
 * them. The loop is selected as in a call; `dtype` is the type of its result. */
GPUCC_API gpucc_status gpucc_reduction_call(gpucc_ufunc *reduction, const gpucc_array *const *inputs,
                                            gpucc_array **out, const gpucc_reduce_options *options);

typedef struct gpucc_accumulate_options {
    size_t size;              /* sizeof(gpucc_accumulate_options) of the caller */
    gpucc_stream *stream;     /* NULL: the context's default stream */
    int axis;                 /* the axis; a negative one counts from the last */
    const gpucc_dtype *dtype; /* the loop whose types are all this one; the input is cast to it by any rule. NULL:
                                 the loop of a call with an element of *out and one of the input; without such an
                                 output or loop, that of a call with two elements of the input */
} gpucc_accumulate_options;

/* Computes every partial result along an axis, by a ufunc as for gpucc_ufunc_reduce(). Result r combines elements 0
 * … r, from the left. A reorderable ufunc reduces the aligned runs whose lengths are the bits of r + 1, the longest
 * first, and combines these from the left. *out has the input's shape; it may be an array of any type, also the
 * input itself, or null. */
GPUCC_API gpucc_status gpucc_ufunc_accumulate(gpucc_ufunc *ufunc, const gpucc_array *input, gpucc_array **out,
                                              const gpucc_accumulate_options *options);

typedef struct gpucc_reduceat_options {
    size_t size;              /* sizeof(gpucc_reduceat_options) of the caller */
    gpucc_stream *stream;     /* these fields are those of gpucc_accumulate_options */
    int axis;
    const gpucc_dtype *dtype;
} gpucc_reduceat_options;

/* Reduces slices along an axis: result k combines the elements from indices[k] up to, but without, indices[k + 1],
 * or for the last index the end. If indices[k + 1] <= indices[k], the result is the element indices[k]. Indices are
 * of one dimension and any integer type; one out of bounds is GPUCC_BAD_INDEX, before anything is written. Along the
 * axis *out has as many elements as there are indices; it may be an array or null. Returns when the indices have
 * been read. */
GPUCC_API gpucc_status gpucc_ufunc_reduceat(gpucc_ufunc *ufunc, const gpucc_array *input, const gpucc_array *indices,
                                            gpucc_array **out, const gpucc_reduceat_options *options);

typedef struct gpucc_at_options {
    size_t size;          /* sizeof(gpucc_at_options) of the caller */
    gpucc_stream *stream; /* NULL: the context's default stream */
} gpucc_at_options;

/* Replaces array[i] in place by ufunc(array[i]), or ufunc(array[i], operand[k]), for each index i = indices[k] in
 * turn: a repeated index sees the earlier result. Indices are for the first dimension, in C order if they have
 * several, of any integer type; negative ones count from the end, and one out of bounds is GPUCC_BAD_INDEX, before
 * anything is written.
 *
 * The operand, NULL for a ufunc of one input, broadcasts to the indices' shape followed by the array's shape without
 * its first dimension. The loop is that of a call; its results are cast to the array's type by any rule. Returns
 * when the indices have been read. */
GPUCC_API gpucc_status gpucc_ufunc_at(gpucc_ufunc *ufunc, gpucc_array *array, const gpucc_array *indices,
                                      const gpucc_array *operand, const gpucc_at_options *options);

/* A ufunc's name, and the comment above it in its source ("" if none); the ufunc owns both. */
GPUCC_API const char *gpucc_ufunc_name(const gpucc_ufunc *ufunc);
GPUCC_API const char *gpucc_ufunc_doc(const gpucc_ufunc *ufunc);
GPUCC_API int gpucc_ufunc_input_count(const gpucc_ufunc *ufunc);
GPUCC_API int gpucc_ufunc_output_count(const gpucc_ufunc *ufunc);
/* A gufunc's layout, "(m,n),(n,p)->(m,p)"; NULL for a plain ufunc. */
GPUCC_API const char *gpucc_ufunc_layout(const gpucc_ufunc *ufunc);
/* 1 if its source says `reorderable`, so that elements may be combined in any order. */
GPUCC_API int gpucc_ufunc_reorderable(const gpucc_ufunc *ufunc);
/* The identity that its source states, as text; NULL if it states none. */
GPUCC_API const char *gpucc_ufunc_identity(const gpucc_ufunc *ufunc);
/* Its loops in source order: the types of each, inputs first; NULL out of range. */
GPUCC_API int gpucc_ufunc_loop_count(const gpucc_ufunc *ufunc);
GPUCC_API const gpucc_dtype *gpucc_ufunc_loop_types(const gpucc_ufunc *ufunc, int loop);
/* Stores the index of the loop that a call with inputs of these types selects, by the options' `casting` and
 * `dtype`. GPUCC_BAD_TYPE: none. */
GPUCC_API gpucc_status gpucc_ufunc_resolve(const gpucc_ufunc *ufunc, const gpucc_dtype *inputs,
                                           const gpucc_call_options *options, int *loop);

/* ---- kernels ---- */

typedef struct gpucc_launch {
    size_t size;           /* sizeof(gpucc_launch) of the caller */
    uint32_t grid[3];      /* blocks, a multiple of the cluster; all 0: derived from `threads` */
    uint32_t block[3];     /* threads of a block; all 0: chosen for the kernel's best occupancy */
    uint64_t threads[3];   /* total threads, if grid is 0; unused dimensions 0 or 1; threads[0] == 0 launches nothing */
    size_t shared;         /* bytes of dynamic shared memory of each block */
    gpucc_stream *stream;  /* NULL: the context's default stream */
    const size_t *sizes;   /* bytes of each parameter's value, checked against the kernel's; NULL: unchecked */
} gpucc_launch;

/* Enqueues a launch. `parameters` are pointers to the values, as many and as large as the manifest says, as for
 * cuLaunchKernel; the values are copied. GPUCC_BAD_LAUNCH: a limit is exceeded. A launch that cannot fill the device
 * logs a warning, once per kernel and size class. */
GPUCC_API gpucc_status gpucc_kernel_launch(gpucc_kernel *kernel, const gpucc_launch *launch, void *const *parameters);
/* The number of parameters, and the size of each in bytes (0 out of range). */
GPUCC_API int gpucc_kernel_parameter_count(const gpucc_kernel *kernel);
GPUCC_API size_t gpucc_kernel_parameter_size(const gpucc_kernel *kernel, int index);

/* ---- graphs ---- A graph is a list of recorded calls that one function launches: on a GPU as a CUDA graph, on the CPU
 * without looking anything up again. Free it with gpucc_graph_release(). */

typedef struct gpucc_graph gpucc_graph;

/* Begins to record the calls that this thread makes in the context: of ufuncs, gufuncs and their methods, of fused
 * reductions, and launches of kernels. Until gpucc_graph_end() they are checked, and create their outputs, but do not
 * run. A graph runs its calls in the order of recording, whatever streams they name. Other functions, other threads and
 * other contexts work as usual; an array that a recorded call creates is undefined until the first launch.
 *
 * A call that cannot be recorded fails with GPUCC_UNSUPPORTED, and the recording goes on without it: on a GPU one with
 * host arrays other than scalars, `at`, `reduceat`, and waits for events; everywhere launches of graphs.
 *
 * GPUCC_INVALID_ARGUMENT: this thread records already. GPUCC_UNSUPPORTED: a context of several devices, or a driver
 * before CUDA 11.4. */
GPUCC_API gpucc_status gpucc_graph_begin(gpucc_context *context);
/* Ends the recording, and makes the graph; NULL as `out` discards it. The graph holds the arrays of its calls, so these
 * may be released; memory of the caller's must outlive it. Pointers of kernels are the caller's: their arrays must
 * live as long as launches use them. */
GPUCC_API gpucc_status gpucc_graph_end(gpucc_context *context, gpucc_graph **out);
/* Enqueues all calls in the stream (NULL: the context's default stream). A second launch of the graph runs after the
 * first has ended, unless they are in different streams, which events then order. A failure of a call on the CPU ends
 * the launch. */
GPUCC_API gpucc_status gpucc_graph_launch(gpucc_graph *graph, gpucc_stream *stream);
/* The number of recorded calls. */
GPUCC_API int gpucc_graph_count(const gpucc_graph *graph);
/* Replaces an operand of a call, counted from 0 in the order of recording, in later launches. Operands are numbered as
 * the call's function lists them, inputs before outputs. The array has the dtype and the shape of the one before;
 * scalars are arrays of gpucc_array_scalar() or gpucc_array_number(). After a failure the graph is unchanged. */
GPUCC_API gpucc_status gpucc_graph_update(gpucc_graph *graph, int call, int operand, const gpucc_array *array);
/* The same for the parameter of a kernel's launch; the value, of `size` bytes, is copied. */
GPUCC_API gpucc_status gpucc_graph_update_parameter(gpucc_graph *graph, int call, int parameter, const void *value,
                                                    size_t size);
/* Frees the graph; launches that are enqueued run to their end. NULL is fine. */
GPUCC_API void gpucc_graph_release(gpucc_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
