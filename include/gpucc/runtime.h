/* gpucc runtime: load programs made by gpucc, hold arrays, call ufuncs and launch kernels, on a CUDA device or on
 * the CPU, through the same calls.
 *
 *   gpucc_context *context;
 *   gpucc_context_create(NULL, &context);                       // a GPU where there is one, else the CPU
 *   gpucc_array *x, *y = NULL;
 *   gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &n, NULL, data, &x);
 *   trig(context, x, &y);                                       // from the header that gpucc wrote
 *   gpucc_array_read(y, result, n * sizeof(float));
 *
 * Every call that can fail returns a status; gpucc_last_error() then tells what failed, in words, until the next
 * failing call on the same thread.  Nothing exits, aborts or prints: messages go to a log function.
 * All calls may be made from any thread; one object is not to be released while another thread uses it.
 * Sizes are in bytes and strides in bytes, as in NumPy; shapes are outermost first.
 */
#ifndef GPUCC_RUNTIME_H
#define GPUCC_RUNTIME_H

#include <gpucc/compiler.h>
#include <gpucc/program.h>
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

/* "GPUCC_BAD_SHAPE"; never null. */
GPUCC_API const char *gpucc_status_name(gpucc_status status);
/* The last failing call on this thread, and the reason; "" before the first.  Valid until the next failure. */
GPUCC_API const char *gpucc_last_error(void);

/* ---- element types ---- */

typedef enum gpucc_dtype {
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits) GPUCC_DTYPE_##name,
#include <gpucc/dtypes.def>
    GPUCC_DTYPE_COUNT,
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits) GPUCC_##constant = GPUCC_DTYPE_##name,
#include <gpucc/dtypes.def>
} gpucc_dtype;

/* Host forms of the types that C11 and C++ have no common name for. */
typedef struct gpucc_float16 {
    uint16_t bits;
} gpucc_float16;
typedef struct gpucc_bfloat16 {
    uint16_t bits;
} gpucc_bfloat16;
typedef struct gpucc_complex64 {
    float real, imaginary;
} gpucc_complex64;
typedef struct gpucc_complex128 {
    double real, imaginary;
} gpucc_complex128;

GPUCC_API const char *gpucc_dtype_name(gpucc_dtype dtype); /* "float32"; "?" out of range */
GPUCC_API size_t gpucc_dtype_size(gpucc_dtype dtype);      /* bytes; 0 out of range */
/* The type called `name`, or GPUCC_DTYPE_COUNT. */
GPUCC_API gpucc_dtype gpucc_dtype_from_name(const char *name);

/* NumPy's casting rules, in which bfloat16 stands beside float16.  Each allows what those before it do. */
typedef enum gpucc_casting {
    GPUCC_CASTING_DEFAULT,   /* what the call that is asked does where nothing is said */
    GPUCC_CASTING_NO,        /* nothing is converted */
    GPUCC_CASTING_EQUIV,     /* the same, as all types here have the machine's byte order */
    GPUCC_CASTING_SAFE,      /* every value is kept, integers that float64 rounds apart */
    GPUCC_CASTING_SAME_KIND, /* or the kind is: boolean, unsigned, signed, floating, complex, or a later one of them */
    GPUCC_CASTING_UNSAFE     /* everything: what an integer type cannot hold becomes the nearest value that it has, NaN
                                0, and of a complex number the real part stays */
} gpucc_casting;
/* 1 where the rule (default: same_kind) lets the one type become the other, else 0; 0 out of range. */
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
/* Called from whichever thread has something to say; it must not call gpucc. */
typedef void gpucc_log_function(void *data, gpucc_log_level level, const char *message);

/* Called after each part of a call that goes in parts, as large ones do on the CPU too, by one thread at a time: so
 * many of its parts are done.  It must not call gpucc. */
typedef void gpucc_progress_function(void *data, uint64_t done, uint64_t parts);

typedef struct gpucc_context_options {
    size_t size;            /* sizeof(gpucc_context_options) of the caller */
    const char *device;     /* "auto" (or NULL: GPUCC_DEVICE decides), "cpu", "cuda", "cuda:N"; "cuda:N,M…" and
                               "cuda:all" are several devices, which share the work on host arrays */
    void *cuda_context;     /* a CUcontext of the caller's to work in, or NULL for the device's primary one */
    void *cuda_stream;      /* a CUstream of the caller's as the default stream, or NULL for one of our own */
    int cpu_threads;        /* workers of the CPU device; 0 for all cores (or GPUCC_CPU_THREADS) */
    gpucc_log_function *log; /* NULL writes to standard error */
    void *log_data;
    size_t memory_limit;    /* bytes of each GPU's memory that the host arrays of one call may take: larger ones go in
                               parts; 0: what GPUCC_MEMORY_LIMIT says, or half of what is free */
    gpucc_progress_function *progress; /* NULL: nobody is told */
    void *progress_data;
} gpucc_context_options;

typedef enum gpucc_device_kind { GPUCC_DEVICE_CPU, GPUCC_DEVICE_CUDA } gpucc_device_kind;

typedef struct gpucc_device_info {
    size_t size;              /* set by the caller to sizeof(gpucc_device_info) */
    gpucc_device_kind kind;
    int ordinal;              /* of a CUDA device; 0 for the CPU */
    char name[128];
    int arch;                 /* 90 for compute capability 9.0; 0 for the CPU */
    int multiprocessors;      /* SMs, or worker threads */
    int driver_version;       /* as cuDriverGetVersion, 13000 for 13.0; 0 for the CPU */
    uint64_t memory;          /* bytes in all */
    uint64_t memory_free;     /* bytes, when asked */
    int max_threads_per_block;
    size_t max_shared_per_block; /* bytes, opted in */
    double memory_bandwidth;  /* bytes a second by the data sheet's formula, 0 where unknown */
} gpucc_device_info;

/* How many CUDA devices there are; 0, with GPUCC_OK, where there is no driver.  gpucc_last_error() says why. */
GPUCC_API gpucc_status gpucc_device_count(int *count);
/* `device` as in gpucc_context_options; memory_free is 0 here. */
GPUCC_API gpucc_status gpucc_device_query(const char *device, gpucc_device_info *info);
/* The best of what gpucc makes native code for that this machine runs, as --target takes it: "x86-64-v3"; not more than
 * the environment's GPUCC_CPU_TARGET names.  NULL where it runs none. */
GPUCC_API const char *gpucc_native_target(void);

/* Free with gpucc_context_destroy(), which waits for the device, releases the context's programs and every
 * array still alive (their handles are dead then).  Memory of which others hold DLPack tensors stays, and the use of
 * `cuda_context` with it, until the last of them is given back.  In a child of fork() the parent's contexts cannot be
 * used, and are not freed either; it makes its own. */
GPUCC_API gpucc_status gpucc_context_create(const gpucc_context_options *options, gpucc_context **out);
GPUCC_API void gpucc_context_destroy(gpucc_context *context);
GPUCC_API gpucc_status gpucc_context_info(gpucc_context *context, gpucc_device_info *info);
/* How many devices share its work; its arrays, streams and kernels are the first one's. */
GPUCC_API int gpucc_context_device_count(const gpucc_context *context);
/* 1 where a call on so many bytes of host arrays goes in parts: on several devices, or beyond the memory limit; else
 * 0. */
GPUCC_API int gpucc_context_in_parts(gpucc_context *context, size_t bytes);
/* Waits for everything enqueued, and reports errors of asynchronous work. */
GPUCC_API gpucc_status gpucc_context_synchronize(gpucc_context *context);

/* ---- streams and events ----  NULL as a stream is the context's default stream.
 *
 * Work in a stream runs in order; between streams events make the order.  Two things need none: an array made or
 * filled by a call without a stream may be used in any stream, and releasing, reading or writing an array comes after
 * all work enqueued that uses it.  Streams and events that are left go with their context. */

GPUCC_API gpucc_status gpucc_stream_create(gpucc_context *context, gpucc_stream **out);
GPUCC_API void gpucc_stream_destroy(gpucc_stream *stream); /* waits for its work */
GPUCC_API gpucc_status gpucc_stream_synchronize(gpucc_stream *stream);
GPUCC_API gpucc_status gpucc_stream_wait(gpucc_stream *stream, gpucc_event *event);
GPUCC_API gpucc_status gpucc_event_create(gpucc_context *context, gpucc_event **out);
GPUCC_API void gpucc_event_destroy(gpucc_event *event);
GPUCC_API gpucc_status gpucc_event_record(gpucc_event *event, gpucc_stream *stream);
GPUCC_API gpucc_status gpucc_event_synchronize(gpucc_event *event);
/* Milliseconds from one recorded event to another, both reached. */
GPUCC_API gpucc_status gpucc_event_elapsed(gpucc_event *from, gpucc_event *to, float *milliseconds);
/* The default stream's CUstream (NULL on the CPU), for hosts that also call the driver. */
GPUCC_API void *gpucc_context_cuda_stream(gpucc_context *context);

/* ---- arrays ----  ndim is 0 … GPUCC_MAX_DIMS.  Each is freed with gpucc_array_release(). */

enum { GPUCC_MAX_DIMS = 64 };

typedef enum gpucc_memory { GPUCC_MEMORY_HOST, GPUCC_MEMORY_DEVICE } gpucc_memory;

/* In C order, contents undefined, in the device's memory. */
GPUCC_API gpucc_status gpucc_array_create(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                          gpucc_array **out);
/* In C order, contents undefined, in the memory of all devices of a context that has several: each has its part of the
 * rows behind one another of the first dimension whose extent is not 1, about as many as any other.  All devices reach
 * all of it, at one address.  A call of a ufunc or gufunc, and a reduction, with such an operand is done by each device
 * for what it has of it, and arrays that it makes are divided in the same way; everything else is done by the first
 * device, for the others too.  The results, bit for bit, are those of one device.  Of less than a page (2 MiB) for each
 * device, and in a context of one, it is an array like any other.  GPUCC_UNSUPPORTED where the devices do not reach one
 * another's memory.  Making and releasing it maps memory, and releasing it waits for the devices. */
GPUCC_API gpucc_status gpucc_array_create_split(gpucc_context *context, gpucc_dtype dtype, int ndim,
                                                const int64_t *shape, gpucc_array **out);
/* Which indices of the first dimension that device of the context, counted from 0, has in its memory; of an array that
 * is not divided along it the first device has all. */
GPUCC_API gpucc_status gpucc_array_part(const gpucc_array *array, int device, int64_t *start, int64_t *stop);
/* A C-ordered copy on the device of host data with any strides (NULL: C order); the data may go when it returns. */
GPUCC_API gpucc_status gpucc_array_from_host(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                             const int64_t *strides, const void *data, gpucc_array **out);
/* Around memory that stays the caller's, without a copy: `pointer` is element [0,0,…]; strides NULL: C order.  On a GPU
 * device memory must be aligned to its elements. */
GPUCC_API gpucc_status gpucc_array_wrap(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                        const int64_t *strides, void *pointer, gpucc_memory where, gpucc_array **out);
/* Options for wrapped memory; all fields but the size may be zero. */
typedef struct gpucc_wrap_options {
    size_t size;                 /* sizeof(gpucc_wrap_options) of the caller */
    int read_only;               /* not 0: as gpucc_array_set_read_only() makes an array */
    void (*release)(void *data); /* gives the memory back to its owner, once, when no array looks at it any more and no
                                    work that is enqueued uses it; NULL: it stays the caller's */
    void *release_data;
    void *cuda_stream;           /* a CUstream (CUDA's legacy default stream is 1, that of each thread 2) whose work up
                                    to now comes before all that uses the memory, which is the device's; NULL: such
                                    work, if there is any, is in the context's default stream */
} gpucc_wrap_options;

/* gpucc_array_wrap() with options (or NULL).  `release` is called by whatever thread lets the last array go; where a
 * GPU still uses the memory, by a later call that makes or releases an array or synchronises the context, when it has
 * finished; by gpucc_context_destroy() at the latest.  It may call gpucc, but not destroy the context.  After a
 * failure it is not called. */
GPUCC_API gpucc_status gpucc_array_wrap_with(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                             const int64_t *strides, void *pointer, gpucc_memory where,
                                             const gpucc_wrap_options *options, gpucc_array **out);
/* Zero-dimensional, holding one value that calls pass by value and never copy to the device. */
GPUCC_API gpucc_status gpucc_array_scalar(gpucc_context *context, gpucc_dtype dtype, const void *value,
                                          gpucc_array **out);
/* The same without a type of its own, as Python's numbers have none: beside arrays of its kind or a higher one (whole,
 * real, complex) it takes the type that the loop has, and alone it is of `dtype`, which is int64, uint64, float64 or
 * complex128.  A whole number that the loop's type does not hold is an error of the call. */
GPUCC_API gpucc_status gpucc_array_number(gpucc_context *context, gpucc_dtype dtype, const void *value,
                                          gpucc_array **out);
/* Another shape and strides over the same memory, `offset` bytes in; checked against the memory's bounds where
 * these are known.  Keeps the memory alive. */
GPUCC_API gpucc_status gpucc_array_view(const gpucc_array *array, int ndim, const int64_t *shape,
                                        const int64_t *strides, int64_t offset, gpucc_array **out);
/* From now on the array, and views of it that are made later, are no output of a call and not written; other arrays
 * over the same memory are as they were.  A kernel that gets the address is not kept from writing. */
GPUCC_API void gpucc_array_set_read_only(gpucc_array *array);
/* Gives up the handle; the memory goes when the work already enqueued on its stream has used it.  NULL is fine.  Until
 * its context has released 64 others, calls that are given the handle fail, and this one does nothing. */
GPUCC_API void gpucc_array_release(gpucc_array *array);

/* The elements in C order into `data` of `size` bytes, which must be exactly what they need.  Waits. */
GPUCC_API gpucc_status gpucc_array_read(const gpucc_array *array, void *data, size_t size);
/* Only start[d] <= index < stop[d] in each dimension. */
GPUCC_API gpucc_status gpucc_array_read_part(const gpucc_array *array, const int64_t *start, const int64_t *stop,
                                             void *data, size_t size);
GPUCC_API gpucc_status gpucc_array_write(gpucc_array *array, const void *data, size_t size);
/* The same as work of a stream: after what it holds, and what others hold goes on meanwhile.  They wait for the copy
 * alone. */
GPUCC_API gpucc_status gpucc_array_read_in_stream(const gpucc_array *array, void *data, size_t size,
                                                  gpucc_stream *stream);
GPUCC_API gpucc_status gpucc_array_write_in_stream(gpucc_array *array, const void *data, size_t size,
                                                   gpucc_stream *stream);

GPUCC_API gpucc_context *gpucc_array_context(const gpucc_array *array);
GPUCC_API gpucc_dtype gpucc_array_dtype(const gpucc_array *array);
GPUCC_API int gpucc_array_ndim(const gpucc_array *array);
GPUCC_API const int64_t *gpucc_array_shape(const gpucc_array *array);
GPUCC_API const int64_t *gpucc_array_strides(const gpucc_array *array);
GPUCC_API int64_t gpucc_array_count(const gpucc_array *array); /* elements */
GPUCC_API gpucc_memory gpucc_array_memory(const gpucc_array *array);
GPUCC_API int gpucc_array_is_read_only(const gpucc_array *array); /* 1 or 0 */
/* 1 where an element of the one shares memory with one of the other, found exactly, and 0 where none does. */
GPUCC_API int gpucc_array_overlaps(const gpucc_array *a, const gpucc_array *b);
/* The address of element [0,0,…] in the array's memory: what a kernel's pointer parameter takes. */
GPUCC_API void *gpucc_array_data(const gpucc_array *array);
/* The same as a pointer to elements of this type: gpucc_array_data_as(float, y).  The type is not checked. */
#ifdef __cplusplus
#define gpucc_array_data_as(type, array) (static_cast<type *>(gpucc_array_data(array)))
#else
#define gpucc_array_data_as(type, array) ((type *)gpucc_array_data(array))
#endif

/* ---- DLPack ----  tensors of NumPy, PyTorch, CuPy, JAX … as arrays, and arrays as their tensors, without a copy.
 *
 * DLManagedTensorVersioned is DLPack 1's, in Python a capsule "dltensor_versioned"; DLManagedTensor is what came before
 * ("dltensor").  All types of gpucc are exchanged, no others (GPUCC_BAD_TYPE); strides, which DLPack counts in
 * elements, are any.  A stream is as in Python's __dlpack__(stream=…): a CUstream, 1 for CUDA's legacy default stream,
 * 2 for that of each thread.  It matters for a GPU's memory alone. */

struct DLManagedTensorVersioned; /* <dlpack/dlpack.h> has them; it need not be included */
struct DLManagedTensor;

typedef struct gpucc_import_options {
    size_t size;       /* sizeof(gpucc_import_options) of the caller */
    void *cuda_stream; /* whose work up to now comes before all that uses the array; NULL: the producer has ordered it
                          before the context's default stream, which was its __dlpack__(stream=…) */
} gpucc_import_options;

typedef struct gpucc_export_options {
    size_t size;       /* sizeof(gpucc_export_options) of the caller */
    void *cuda_stream; /* waits for all work enqueued that uses the array; NULL: CUDA's legacy default stream; -1: none
                          does */
    int copy;          /* not 0: the tensor is a copy in C order, by which all arrays can be exported */
} gpucc_export_options;

/* An array over the tensor's memory: the CPU's or CUDA's pinned memory, which is GPUCC_MEMORY_HOST to a GPU's context;
 * that of the context's own CUDA device; or managed memory, which counts as the context's device's.  After GPUCC_OK the
 * tensor is the array's, and its deleter is called once, as `release` of gpucc_wrap_options is.  After a failure it is
 * the caller's as before, who calls the deleter.  A tensor of another major version is GPUCC_UNSUPPORTED, and so is
 * another kind of device; another CUDA device is GPUCC_INVALID_ARGUMENT; a layout that is none is GPUCC_BAD_SHAPE.  A
 * versioned tensor that is read-only makes a read-only array. */
GPUCC_API gpucc_status gpucc_array_from_dlpack(gpucc_context *context, struct DLManagedTensorVersioned *tensor,
                                               const gpucc_import_options *options, gpucc_array **out);
GPUCC_API gpucc_status gpucc_array_from_dlpack_unversioned(gpucc_context *context, struct DLManagedTensor *tensor,
                                                           const gpucc_import_options *options, gpucc_array **out);
/* A tensor over the array's memory, which it keeps as a view does: until the consumer, on any thread, calls its
 * deleter.  That may be after gpucc_context_destroy(): the memory, and CUDA's context with it, stay until then.  Memory
 * that a GPU's stream other than the legacy default one has been given is freed when the whole device context has come
 * to rest; the deleter waits for that.  Strides that are no whole elements, and misaligned elements, are
 * GPUCC_BAD_SHAPE.  A read-only array makes a tensor that says so; unversioned ones cannot, and it is refused. */
GPUCC_API gpucc_status gpucc_array_to_dlpack(const gpucc_array *array, const gpucc_export_options *options,
                                             struct DLManagedTensorVersioned **out);
GPUCC_API gpucc_status gpucc_array_to_dlpack_unversioned(const gpucc_array *array, const gpucc_export_options *options,
                                                         struct DLManagedTensor **out);
/* The device of the array's tensor, as Python's __dlpack_device__() says it: DLPack's type of device (1 for the
 * CPU's memory, 2 for CUDA's) and the device's number. */
GPUCC_API gpucc_status gpucc_array_dlpack_device(const gpucc_array *array, int32_t *type, int32_t *id);

/* ---- programs ---- */

/* From an object's descriptor, whose memory must outlive the program.  Free with gpucc_program_release(). */
GPUCC_API gpucc_status gpucc_program_load(gpucc_context *context, const struct gpucc_program_image *image,
                                          gpucc_program **out);
/* From a `.ptx` and its `.json`; GPU only: on the CPU it is GPUCC_UNSUPPORTED, there is no native code in them. */
GPUCC_API gpucc_status gpucc_program_load_files(gpucc_context *context, const char *ptx_path, const char *manifest_path,
                                                gpucc_program **out);
GPUCC_API gpucc_status gpucc_program_load_memory(gpucc_context *context, const char *ptx, size_t ptx_size,
                                                 const char *manifest, size_t manifest_size, gpucc_program **out);
typedef struct gpucc_compile_options {
    size_t size;                      /* sizeof(gpucc_compile_options) of the caller */
    const char *name;                 /* what messages call the source; NULL: "program.c" */
    const struct gpucc_file *headers; /* that it includes, besides those of the disk */
    size_t header_count;
    const char *const *options;       /* the command's: "-DN=3", "-I", "include" */
    size_t option_count;
    gpucc_log_function *log;          /* gets all that the compiler says, at once; NULL: the context's gets warnings */
    void *log_data;
} gpucc_compile_options;
/* From C, compiled in this process by libgpucc-compiler, which is opened when it is first asked (GPUCC_NO_COMPILER
 * where that cannot be): for the context's GPU, or native code, for which the system's linker, `ld`, must be there.
 * GPUCC_BAD_SOURCE: gpucc_last_error() begins with what is wrong.  `options` may be NULL. */
GPUCC_API gpucc_status gpucc_program_compile(gpucc_context *context, const char *source,
                                             const gpucc_compile_options *options, gpucc_program **out);
GPUCC_API void gpucc_program_release(gpucc_program *program);
/* By name, owned by the program.  A kernel's name is its entry's (scale_f32), or its function's where that has one
 * instance. */
GPUCC_API gpucc_status gpucc_program_ufunc(gpucc_program *program, const char *name, gpucc_ufunc **out);
GPUCC_API gpucc_status gpucc_program_kernel(gpucc_program *program, const char *name, gpucc_kernel **out);
/* A variable of the program's source (`constant`, or at file scope and neither static nor const) as an array over its
 * memory, to be read and written; by its C name.  A pointer counts as a uint64, and elements that are no dtype
 * (structs) as uint8 with their bytes as one more dimension.  The memory is the program's: release the array first.  On
 * a GPU each context that loads the program has its own copy, on the CPU there is one in the process.  Like any
 * array's, reads and writes come after all work enqueued before and are done when they return. */
GPUCC_API gpucc_status gpucc_program_global(gpucc_program *program, const char *name, gpucc_array **out);
/* The manifest's text. */
GPUCC_API const char *gpucc_program_manifest(const gpucc_program *program);
/* For generated headers: loads `image` into `context` the first time, checks `abi` against it, and finds the
 * function; later calls cost a table look-up.  Owned by the context. */
GPUCC_API gpucc_status gpucc_context_ufunc(gpucc_context *context, const struct gpucc_program_image *image,
                                           uint64_t abi, const char *name, gpucc_ufunc **out);
GPUCC_API gpucc_status gpucc_context_kernel(gpucc_context *context, const struct gpucc_program_image *image,
                                            uint64_t abi, const char *name, gpucc_kernel **out);
GPUCC_API gpucc_status gpucc_context_global(gpucc_context *context, const struct gpucc_program_image *image,
                                            uint64_t abi, const char *name, gpucc_array **out);

/* ---- textures ----  read by kernels as <gpucc/texture.h> says */

typedef struct gpucc_texture gpucc_texture;

typedef enum gpucc_filter {
    GPUCC_FILTER_NEAREST, /* the texel in which the coordinates lie */
    GPUCC_FILTER_LINEAR   /* of the texels around them, weighed in 1/256 of the distance: two in a dimension */
} gpucc_filter;

/* The address mode: how coordinates are mapped that lie beyond the first and last texel. */
typedef enum gpucc_address_mode {
    GPUCC_ADDRESS_CLAMP,  /* the texel at the edge */
    GPUCC_ADDRESS_BORDER, /* the border's colour */
    GPUCC_ADDRESS_WRAP,   /* the texture, repeated; only normalized coordinates, like the next */
    GPUCC_ADDRESS_MIRROR  /* the same, every second one the other way round */
} gpucc_address_mode;

/* All zero but for the size: texels of one number, coordinates in texels, no filter, clamped. */
typedef struct gpucc_texture_options {
    size_t size;          /* sizeof(gpucc_texture_options) of the caller */
    int channels;         /* 1, 2 or 4: the array's last dimension has so many numbers, which are a texel; 0: it has no
                             such dimension, and a texel is one number */
    int layered;          /* not 0: the array's first dimension counts layers, textures of one shape */
    int linear;           /* not 0: for tex1Dfetch() alone, of up to 2^27 texels; the texture is the array's own memory,
                             one-dimensional and contiguous on the device, and needs it as long as it lives */
    int surface;          /* not 0: kernels may also write it, through gpucc_texture_surface() */
    int normalized;       /* not 0: coordinates run from 0 to 1; else from 0 to the extent */
    int as_float;         /* not 0: integers of 8 and 16 bits are read as float32 from 0, or -1, to 1 */
    gpucc_filter filter;  /* linear: only what is read as float32 */
    gpucc_address_mode address[3]; /* along x, the array's last dimension, y and z */
    float border[4];      /* for what is read as float32; 0 for integers */
} gpucc_texture_options;

/* A texture with the array's elements as they are now, after all work enqueued before; what the array becomes later
 * does not show in it, unless it is linear.  The array has the dimensions [layer], [z], [y], x, [channel], and elements
 * that are integers of up to 32 bits, float16 or float32.  Freed with gpucc_texture_release(), or with its context. */
GPUCC_API gpucc_status gpucc_texture_create(const gpucc_array *array, const gpucc_texture_options *options,
                                            gpucc_texture **out);
/* Waits for the work that may use it.  NULL is fine. */
GPUCC_API void gpucc_texture_release(gpucc_texture *texture);
/* The value for a kernel's parameter of type texture_object or surface_object; 0 for a texture that is not a
 * surface. */
GPUCC_API uint64_t gpucc_texture_object(const gpucc_texture *texture);
GPUCC_API uint64_t gpucc_texture_surface(const gpucc_texture *texture);
/* All its elements from, or into, an array of its context, of the same type and shape as that which it was made of.
 * After all work enqueued before, and done when they return; not of linear ones. */
GPUCC_API gpucc_status gpucc_texture_write(gpucc_texture *texture, const gpucc_array *from);
GPUCC_API gpucc_status gpucc_texture_read(const gpucc_texture *texture, gpucc_array *to);

/* ---- ufuncs ---- */

/* The order in memory of outputs that a call makes. */
typedef enum gpucc_order {
    GPUCC_ORDER_K, /* as close as can be to that of the operands that are given, the mask too */
    GPUCC_ORDER_C, /* the last index varies fastest */
    GPUCC_ORDER_F, /* the first one does */
    GPUCC_ORDER_A  /* F where all operands that are given are so, the mask too; else C */
} gpucc_order;

/* All zero but for the size: what NumPy does where nothing is said. */
typedef struct gpucc_call_options {
    size_t size;              /* sizeof(gpucc_call_options) of the caller */
    gpucc_stream *stream;     /* NULL: the context's default stream */
    const gpucc_array *where; /* boolean, broadcast with the inputs: where it is false outputs stay as they are, and
                                 those that are made are 0; NULL: true.  The CPU does not call the function there; a GPU
                                 does, and drops what it makes */
    gpucc_casting casting;    /* what the loop makes becomes what outputs hold by this rule; default: same_kind.  Inputs
                                 become what the loop takes by the safe rule, or a stricter one said here; where no loop
                                 takes them so, by this rule.  Its default there is safe, or same_kind beside `dtype`
                                 and `signature` */
    const gpucc_dtype *dtype; /* what the loop is to make, of every output; NULL: what the inputs' types say */
    gpucc_order order;
    /* For gufuncs: where the core dimensions of the operands stand; NULL: last.  Negative ones count from the end.
     * Either as many as the layout has core dimensions in all, one operand's after another's (with keepdims, an
     * output's are as many as an input's), or one that all operands share, where the function has a single one. */
    const int *axes;
    int axis_count;           /* of `axes` */
    const int *axis;
    int keepdims;             /* not 0: outputs of one number keep the inputs' core dimensions, with one element each */
    const gpucc_dtype *signature; /* the types of the loop's operands, inputs, then outputs, GPUCC_DTYPE_COUNT where any
                                     will do; beside it `casting` is as beside `dtype`.  NULL: none is asked for */
} gpucc_call_options;

/* Broadcasts the inputs against one another, picks the loop whose input types are theirs, else the first to which they
 * cast safely, and runs it, asynchronously.  outputs[i] is filled where it is an array (whose shape the inputs must
 * broadcast to) and made where it is null (then the caller releases it).  Host arrays are copied to a GPU and back,
 * which is told once. */
GPUCC_API gpucc_status gpucc_ufunc_call(gpucc_ufunc *ufunc, const gpucc_array *const *inputs, gpucc_array **outputs,
                                        const gpucc_call_options *options);
/* A gufunc's call takes whole arrays, the core dimensions of its operands by its layout, whose extents must agree; what
 * broadcasts are the other dimensions, and `where` is not for it.  An output whose extents nothing else says is to be
 * given.  Elements of a given output that the function does not write stay as they are. */

/* The same for every combination of the inputs' elements: the result's shape is the inputs' shapes, one behind the
 * other, and numbers without a type have that of their kind, as in NumPy.  For ufuncs of two inputs or more. */
GPUCC_API gpucc_status gpucc_ufunc_outer(gpucc_ufunc *ufunc, const gpucc_array *const *inputs, gpucc_array **outputs,
                                         const gpucc_call_options *options);
/* axis_count: every axis. */
enum { GPUCC_ALL_AXES = -1 };

typedef struct gpucc_reduce_options {
    size_t size;                /* sizeof(gpucc_reduce_options) of the caller */
    gpucc_stream *stream;       /* NULL: the context's default stream */
    const int *axes;            /* along which elements are combined; negative ones count from the last; NULL: axis 0 */
    int axis_count;             /* of `axes`; or GPUCC_ALL_AXES, with `axes` NULL */
    int keepdims;               /* not 0: axes that are reduced stay, with one element */
    const gpucc_array *initial; /* one element, which comes before the others; NULL: none */
    const gpucc_dtype *dtype;   /* the loop whose types are all this one, to which the input is converted by any rule;
                                   NULL: the loop that a call with an element of *out and one of the input takes; where
                                   there is no such output or loop, with two of the input */
    const gpucc_array *where;   /* boolean, broadcast to the input: elements for which it is false do not take part; a
                                   ufunc without an identity then needs `initial`.  NULL: all do */
} gpucc_reduce_options;

/* Combines the elements along axes by a ufunc of two inputs and one output of one type.  One that its source calls
 * `reorderable` does so in a tree that depends on the elements' number alone (docs/explanation/reduction-tree.md), so
 * the bits are the same on every device; another from the left, along one axis.  *out is filled where it is an array
 * and made where it is null, as by calls.  No elements make `initial`, or the ufunc's identity, or else an error. */
GPUCC_API gpucc_status gpucc_ufunc_reduce(gpucc_ufunc *ufunc, const gpucc_array *input, gpucc_array **out,
                                          const gpucc_reduce_options *options);

/* By a fused reduction, which its source made of a ufunc and an expression, `fuse(dot, reduce(add, mul(x, y)))`: what
 * that ufunc makes of the values of the expression, whose inputs are broadcast against one another, with the same bits
 * as in two steps, but without an array between them.  Its loop is found as that of a call; `dtype` is what it is to
 * make. */
GPUCC_API gpucc_status gpucc_reduction_call(gpucc_ufunc *reduction, const gpucc_array *const *inputs,
                                            gpucc_array **out, const gpucc_reduce_options *options);

typedef struct gpucc_accumulate_options {
    size_t size;              /* sizeof(gpucc_accumulate_options) of the caller */
    gpucc_stream *stream;     /* NULL: the context's default stream */
    int axis;                 /* along which elements are combined; a negative one counts from the last */
    const gpucc_dtype *dtype; /* the loop whose types are all this one, to which the input is converted by any rule;
                                 NULL: the loop that a call with an element of *out and one of the input takes; where
                                 there is no such output or loop, with two of the input */
} gpucc_accumulate_options;

/* Every partial result along an axis of an array of one dimension or more, by such a ufunc.  Result r is made of
 * elements 0 … r alone, from the left; by one that is reorderable, of what gpucc_ufunc_reduce() makes of the aligned
 * runs whose lengths are the bits of r + 1, the longest first, from the left.  *out has the input's shape; it is filled
 * where it is an array, of any type, also the input itself, and made where it is null. */
GPUCC_API gpucc_status gpucc_ufunc_accumulate(gpucc_ufunc *ufunc, const gpucc_array *input, gpucc_array **out,
                                              const gpucc_accumulate_options *options);

typedef struct gpucc_reduceat_options {
    size_t size;              /* sizeof(gpucc_reduceat_options) of the caller */
    gpucc_stream *stream;     /* as of gpucc_accumulate_options, these all */
    int axis;
    const gpucc_dtype *dtype;
} gpucc_reduceat_options;

/* Reductions of slices along an axis: result k is that of the elements from indices[k] up to, without it, indices[k +
 * 1], or for the last index the end; where that is no way forward, it is the element indices[k] itself.  Indices are of
 * one dimension and any integer type; one that is negative or no element's is an error, before anything is written.
 * Along the axis *out has as many elements as there are indices, and it is made or filled as by
 * gpucc_ufunc_accumulate().  Returns when the indices have been read. */
GPUCC_API gpucc_status gpucc_ufunc_reduceat(gpucc_ufunc *ufunc, const gpucc_array *input, const gpucc_array *indices,
                                            gpucc_array **out, const gpucc_reduceat_options *options);

typedef struct gpucc_at_options {
    size_t size;          /* sizeof(gpucc_at_options) of the caller */
    gpucc_stream *stream; /* NULL: the context's default stream */
} gpucc_at_options;

/* In place, array[i] becomes what a ufunc of one input makes of it, or of two makes of it and operand[k], for each
 * index i = indices[k], one after another: of an index that is there twice, the second finds what the first has left.
 * Indices are for the first dimension, in C order where they have several, of any integer type; negative ones count
 * from the end, and one that is no element's is an error, before anything is written.  The operand, NULL for a ufunc of
 * one input, is broadcast to the indices' shape and, behind that, the array's without its first dimension.  The loop is
 * that of a call; its results are converted to the array's type by any rule.  Returns when the indices have been
 * read. */
GPUCC_API gpucc_status gpucc_ufunc_at(gpucc_ufunc *ufunc, gpucc_array *array, const gpucc_array *indices,
                                      const gpucc_array *operand, const gpucc_at_options *options);

/* A ufunc's name, and the comment above it in its source ("": none) */
GPUCC_API const char *gpucc_ufunc_name(const gpucc_ufunc *ufunc);
GPUCC_API const char *gpucc_ufunc_doc(const gpucc_ufunc *ufunc);
GPUCC_API int gpucc_ufunc_input_count(const gpucc_ufunc *ufunc);
GPUCC_API int gpucc_ufunc_output_count(const gpucc_ufunc *ufunc);
/* A gufunc's layout, "(m,n),(n,p)->(m,p)"; NULL of another ufunc. */
GPUCC_API const char *gpucc_ufunc_layout(const gpucc_ufunc *ufunc);
/* 1 where its elements may be combined in any order. */
GPUCC_API int gpucc_ufunc_reorderable(const gpucc_ufunc *ufunc);
/* The number that its source states, as text; NULL where it states none. */
GPUCC_API const char *gpucc_ufunc_identity(const gpucc_ufunc *ufunc);
/* Its loops, in the order as written: each's types, of inputs, then outputs; NULL out of range. */
GPUCC_API int gpucc_ufunc_loop_count(const gpucc_ufunc *ufunc);
GPUCC_API const gpucc_dtype *gpucc_ufunc_loop_types(const gpucc_ufunc *ufunc, int loop);
/* The number of the loop that a call with inputs of these types would take, by the options' `casting` and `dtype`. */
GPUCC_API gpucc_status gpucc_ufunc_resolve(const gpucc_ufunc *ufunc, const gpucc_dtype *inputs,
                                           const gpucc_call_options *options, int *loop);

/* ---- kernels ---- */

typedef struct gpucc_launch {
    size_t size;           /* sizeof(gpucc_launch) of the caller */
    uint32_t grid[3];      /* blocks, whole clusters of them; all 0: from threads */
    uint32_t block[3];     /* threads a block; all 0: chosen by the occupancy of the kernel */
    uint64_t threads[3];   /* total threads wanted, used where grid is 0; unused dimensions 0 or 1; threads[0] == 0
                              launches nothing */
    size_t shared;         /* bytes of dynamic shared memory a block */
    gpucc_stream *stream;  /* NULL: the context's default stream */
    const size_t *sizes;   /* bytes of each parameter's value, which must be what the kernel takes; NULL: not checked */
} gpucc_launch;

/* `parameters` are pointers to the values, as many and as large as the manifest says, as for cuLaunchKernel.
 * Limits are checked before the launch.  A launch that cannot fill the device is warned of, once per kernel and
 * size class. */
GPUCC_API gpucc_status gpucc_kernel_launch(gpucc_kernel *kernel, const gpucc_launch *launch, void *const *parameters);
/* Number of parameters, and the size in bytes of each (0 out of range). */
GPUCC_API int gpucc_kernel_parameter_count(const gpucc_kernel *kernel);
GPUCC_API size_t gpucc_kernel_parameter_size(const gpucc_kernel *kernel, int index);

#ifdef __cplusplus
}
#endif
#endif
