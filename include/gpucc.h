/* The language: annotations and device intrinsics for gpucc sources.  See docs/reference/language.md.
 *
 *   #include <gpucc.h>
 *   vectorize(float32(float32))
 *   float square(float x) { return x * x; }
 *
 * The file is plain C.  Under any other C compiler the annotations expand to nothing, scalar functions are
 * ordinary host functions, and kernels compile (and run inside libgpucc's CPU executor).  Every short name also
 * has a gpucc_ or GPUCC_ spelling; define GPUCC_NO_SHORT_NAMES to have those alone.
 */
#ifndef GPUCC_H
#define GPUCC_H

#include <stddef.h>
#include <stdint.h>
#include <gpucc/float8.h>
#if !defined(__NVPTX__)
#include <gpucc/cpu.h>
#endif

/* ---- helpers of macros ---- */

/* Type-generic macros store each argument in a variable first, so that their expansion contains it once.  Expanded
 * twice, an argument nested ten deep would appear a thousand times.  Numbers are promoted as in C's arithmetic.  The
 * comma makes a value of a bit-field or an array.  `expression` uses these variables.  It must not pass one of them to
 * another such macro, because that would initialise a variable with itself. */
#define GPUCC_KEEP(name, x) __auto_type name = ((void)0, (x))
#define GPUCC_KEEP_NUMBER(name, x) __auto_type name = +(x)
#define GPUCC_ONCE(x, expression)                                                                                      \
    __extension__({                                                                                                    \
        GPUCC_KEEP(gpucc_x, x);                                                                                        \
        expression;                                                                                                    \
    })
/* The same of one, two or three numbers. */
#define GPUCC_ONCE_1(x, expression)                                                                                    \
    __extension__({                                                                                                    \
        GPUCC_KEEP_NUMBER(gpucc_x, x);                                                                                 \
        expression;                                                                                                    \
    })
#define GPUCC_ONCE_2(x, y, expression)                                                                                 \
    __extension__({                                                                                                    \
        GPUCC_KEEP_NUMBER(gpucc_x, x);                                                                                 \
        GPUCC_KEEP_NUMBER(gpucc_y, y);                                                                                 \
        expression;                                                                                                    \
    })
#define GPUCC_ONCE_3(x, y, z, expression)                                                                              \
    __extension__({                                                                                                    \
        GPUCC_KEEP_NUMBER(gpucc_x, x);                                                                                 \
        GPUCC_KEEP_NUMBER(gpucc_y, y);                                                                                 \
        GPUCC_KEEP_NUMBER(gpucc_z, z);                                                                                 \
        expression;                                                                                                    \
    })

/* ---- annotations ---- */

#if defined(__GPUCC__)
#define GPUCC_ANNOTATE(...) __attribute__((annotate(__VA_ARGS__)))
#define GPUCC_SECTION(name) __attribute__((section(name)))
#else
#define GPUCC_ANNOTATE(...)
#define GPUCC_SECTION(name)
#endif
/* Code generation must emit static kernels too.  The host pass would diagnose the attribute. */
#if defined(__GPUCC_CODE__)
#define GPUCC_USED __attribute__((used))
#else
#define GPUCC_USED
#endif

#define GPUCC_JOIN_(a, b) a##b
#define GPUCC_JOIN(a, b) GPUCC_JOIN_(a, b)
#define GPUCC_FIRST_(a, ...) a
#define GPUCC_FIRST(...) GPUCC_FIRST_(__VA_ARGS__)
#define GPUCC_SECOND_(a, b, ...) b
#define GPUCC_SECOND(...) GPUCC_SECOND_(__VA_ARGS__)

/* The scalar function below becomes a ufunc: vectorize(float32(float32), float64(float64)), or vectorize(). */
#define gpucc_vectorize(...) GPUCC_ANNOTATE("gpucc.vectorize " #__VA_ARGS__)
/* Properties of a ufunc with two inputs and one output of one type.  identity(0) is the result of an empty reduction,
 * identity(none) means that there is none.  reorderable: the function is associative, so reductions use a tree. */
#define gpucc_identity(...) GPUCC_ANNOTATE("gpucc.identity " #__VA_ARGS__)
#define gpucc_reorderable GPUCC_ANNOTATE("gpucc.reorderable")
/* The function that `gpucc test` compares the ufunc or gufunc below with.  reference(exact): a function of this file
 * with the same or wider types.  reference(inverse(f)): f recovers the argument from the result.
 * reference(exact, within(2)): errors above two units in the last place are failures. */
#define gpucc_reference(...) GPUCC_ANNOTATE("gpucc.reference " #__VA_ARGS__)
/* The array function below becomes a gufunc: guvectorize((m,n),(n,p)->(m,p)). */
#define gpucc_guvectorize(...) GPUCC_ANNOTATE("gpucc.guvectorize " #__VA_ARGS__)
/* A thread block executes each call of the gufunc below.  Its body distributes the work by threadIdx, as a kernel's. */
#define gpucc_cooperative GPUCC_ANNOTATE("gpucc.cooperative")
/* The function below runs on a grid of threads. */
#define gpucc_kernel GPUCC_ANNOTATE("gpucc.kernel") GPUCC_USED
/* The function below is exported for linking under its C name. */
#define gpucc_device GPUCC_ANNOTATE("gpucc.device")
/* launch_bounds(threads) or launch_bounds(threads, blocks): the maximum number of threads per block of this kernel, and
 * the minimum number of resident blocks per multiprocessor. */
#define gpucc_launch_bounds(...) GPUCC_ANNOTATE("gpucc.launch_bounds", __VA_ARGS__)
/* max_registers(n): at most n registers per thread of this kernel. */
#define gpucc_max_registers(...) GPUCC_ANNOTATE("gpucc.max_registers", __VA_ARGS__)
/* Compiles the arithmetic of the function below as --fast-math does. */
#define gpucc_fast_math GPUCC_ANNOTATE("gpucc.fast_math")
/* Calls the function below instead of inlining it.  A short name would break __attribute__((noinline)). */
#if defined(__GNUC__)
#define gpucc_noinline __attribute__((noinline))
#else
#define gpucc_noinline
#endif
/* unroll(4) for (…): unrolls the loop by 4; unroll() for (…): completely. */
#define GPUCC_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define gpucc_unroll(...) GPUCC_PRAGMA(unroll __VA_ARGS__)
#elif defined(__GNUC__)
#define gpucc_unroll(...) GPUCC_PRAGMA(GCC unroll __VA_ARGS__ + 0)
#else
#define gpucc_unroll(...)
#endif
/* Turns off the occupancy warning for this function. */
#define gpucc_expect_low_occupancy GPUCC_ANNOTATE("gpucc.expect_low_occupancy")

/* typevar(T, float32, float64); declares a type variable T.  The compiler parses the file once for each type, and
 * defines gpucc_bind_T as `~, float64` for it.  For other compilers T is the first type. */
#define gpucc_typevar(T, ...)                                                                                          \
    typedef GPUCC_SECOND(GPUCC_JOIN(gpucc_bind_, T), GPUCC_FIRST(__VA_ARGS__, ~), ~) T                                \
        GPUCC_ANNOTATE("gpucc.typevar " #__VA_ARGS__)

/* fuse(name, expression); makes a ufunc of an expression of ufuncs: fuse(axpy, add(mul(a, x), y)) has the parameters a,
 * x and y.  fuse(dot, reduce(add, mul(x, y))) makes a reduction of the expression's values.  matmul(a, b) is the
 * product of matrices: fuse(linear_gelu, gelu(add(matmul(x, W), bias))) makes a gufunc. */
#define gpucc_fuse(name, ...) typedef int gpucc_fused_##name GPUCC_ANNOTATE("gpucc.fuse " #name ", " #__VA_ARGS__)

/* gradient(name, f); makes a ufunc of a ufunc f of floating-point numbers: (x...) -> (df/dx...), one output for each
 * floating input.  tangent(name, f); is (x..., dx...) -> (y..., dy...), and adjoint(name, f); is
 * (x..., y_bar...) -> (x_bar...); of a gufunc too, which becomes a gufunc.  Each has all loops of f, and may be
 * derived again. */
#define gpucc_gradient(name, ...)                                                                                      \
    typedef int gpucc_derived_##name GPUCC_ANNOTATE("gpucc.gradient " #name ", " #__VA_ARGS__)
#define gpucc_tangent(name, ...)                                                                                       \
    typedef int gpucc_derived_##name GPUCC_ANNOTATE("gpucc.tangent " #name ", " #__VA_ARGS__)
#define gpucc_adjoint(name, ...)                                                                                       \
    typedef int gpucc_derived_##name GPUCC_ANNOTATE("gpucc.adjoint " #name ", " #__VA_ARGS__)
/* derivative(d0, d1): functions with the parameters of the ufunc below.  Each returns the partial derivative by one
 * floating-point input, in the inputs' order. */
#define gpucc_derivative(...) GPUCC_ANNOTATE("gpucc.derivative " #__VA_ARGS__)

/* test(name, kernel(arguments), clauses); declares one or more cases for `gpucc test`: the launch's arguments, its
 * configuration, and conditions that must hold afterwards.
 *   test(reversed, reverse(n, random, zeros), each(n, 1, 31, 1000), threads(n), reference(reverse_plainly));
 * docs/reference/kernel-tests.md lists the clauses. */
#define gpucc_test(name, ...) typedef int gpucc_test_of_##name GPUCC_ANNOTATE("gpucc.test " #name ", " #__VA_ARGS__)

/* ---- element types ---- */

typedef _Bool boolean;
typedef int8_t int8;
typedef int16_t int16;
typedef int32_t int32;
typedef int64_t int64;
typedef uint8_t uint8;
typedef uint16_t uint16;
typedef uint32_t uint32;
typedef uint64_t uint64;
typedef float float32;
typedef double float64;
typedef float _Complex complex64;
typedef double _Complex complex128;
typedef gpucc_float8_e4m3fn float8_e4m3fn;
typedef gpucc_float8_e5m2 float8_e5m2;
#if defined(__FLT16_MANT_DIG__) || defined(__GPUCC__)
__extension__ typedef _Float16 float16;
#endif
#if defined(__BFLT16_MANT_DIG__) || defined(__GPUCC__)
__extension__ typedef __bf16 bfloat16;
#endif

/* ---- thread indices ---- */

typedef struct gpucc_dim2 {
    size_t x, y;
} gpucc_dim2;

typedef struct gpucc_dim3 {
    size_t x, y, z;
} gpucc_dim3;

#define GPUCC_INLINE static inline __attribute__((always_inline, unused))

#if defined(__NVPTX__)

struct gpucc_index {
    unsigned x, y, z;
};

#define GPUCC_SREG(name)                                                                                               \
    ((struct gpucc_index){__nvvm_read_ptx_sreg_##name##_x(), __nvvm_read_ptx_sreg_##name##_y(),                        \
                          __nvvm_read_ptx_sreg_##name##_z()})
#define gpucc_threadIdx GPUCC_SREG(tid)
#define gpucc_blockIdx GPUCC_SREG(ctaid)
#define gpucc_blockDim GPUCC_SREG(ntid)
#define gpucc_gridDim GPUCC_SREG(nctaid)
#define gpucc_laneid ((unsigned)__nvvm_read_ptx_sreg_laneid())
#define gpucc_syncthreads() __syncthreads()

extern GPUCC_SECTION(".gpucc.dynamic_shared") __attribute__((aligned(128))) char gpucc_dynamic_shared_memory[];
#define GPUCC_DYNAMIC_SHARED gpucc_dynamic_shared_memory

#else

#define gpucc_threadIdx (gpucc_cpu_self()->thread_index)
#define gpucc_blockIdx (gpucc_cpu_self()->block_index)
#define gpucc_blockDim (gpucc_cpu_self()->block_dim)
#define gpucc_gridDim (gpucc_cpu_self()->grid_dim)
#define gpucc_laneid (gpucc_linear_thread() % 32u)
#define gpucc_syncthreads() gpucc_cpu_barrier(GPUCC_CPU_HERE)
#define GPUCC_DYNAMIC_SHARED gpucc_cpu_self()->dynamic_shared

#endif

#define gpucc_warpsize 32

/* The thread's number in its block, x fastest. */
GPUCC_INLINE unsigned gpucc_linear_thread(void)
{
    struct gpucc_index t = gpucc_threadIdx, n = gpucc_blockDim;
    return t.x + n.x * (t.y + n.y * t.z);
}

GPUCC_INLINE size_t gpucc_grid_1(void)
{
    return (size_t)gpucc_blockIdx.x * gpucc_blockDim.x + gpucc_threadIdx.x;
}

GPUCC_INLINE gpucc_dim2 gpucc_grid_2(void)
{
    return (gpucc_dim2){gpucc_grid_1(), (size_t)gpucc_blockIdx.y * gpucc_blockDim.y + gpucc_threadIdx.y};
}

GPUCC_INLINE gpucc_dim3 gpucc_grid_3(void)
{
    gpucc_dim2 p = gpucc_grid_2();
    return (gpucc_dim3){p.x, p.y, (size_t)gpucc_blockIdx.z * gpucc_blockDim.z + gpucc_threadIdx.z};
}

GPUCC_INLINE size_t gpucc_gridsize_1(void)
{
    return (size_t)gpucc_gridDim.x * gpucc_blockDim.x;
}

GPUCC_INLINE gpucc_dim2 gpucc_gridsize_2(void)
{
    return (gpucc_dim2){gpucc_gridsize_1(), (size_t)gpucc_gridDim.y * gpucc_blockDim.y};
}

GPUCC_INLINE gpucc_dim3 gpucc_gridsize_3(void)
{
    gpucc_dim2 p = gpucc_gridsize_2();
    return (gpucc_dim3){p.x, p.y, (size_t)gpucc_gridDim.z * gpucc_blockDim.z};
}

/* The thread's index in the whole grid, and the grid's extent in threads, in n dimensions: the literal 1, 2 or 3. */
#define gpucc_grid(n) GPUCC_JOIN(gpucc_grid_, n)()
#define gpucc_gridsize(n) GPUCC_JOIN(gpucc_gridsize_, n)()

/* ---- memory ---- */

/* `shared float tile[16][16];` one for each thread block, uninitialised. */
#define gpucc_shared static GPUCC_SECTION(".gpucc.shared")
/* `constant float weights[5] = {…};` read-only and cached; at most 64 KiB per program. */
#define gpucc_constant GPUCC_SECTION(".gpucc.constant") GPUCC_ANNOTATE("gpucc.constant")
/* `dynamic_shared(float, buffer);` declares a pointer to the launch's dynamic shared memory.
 * `dynamic_shared(double, sums, n * sizeof(float));` starts at that offset in bytes, a multiple of the type's
 * alignment. */
#define gpucc_dynamic_shared(...) GPUCC_DECLARE_DYNAMIC(__VA_ARGS__, 0, ~)
#define GPUCC_DECLARE_DYNAMIC(type, name, offset, ...)                                                                 \
    type *const name = (type *)(void *)gpucc_dynamic_shared_at(offset)
GPUCC_INLINE char *gpucc_dynamic_shared_at(size_t offset)
{
    return GPUCC_DYNAMIC_SHARED + offset;
}

/* ---- barriers, warps, atomics, memory, integers ---- */

#include <gpucc/barrier.h>
#include <gpucc/warp.h>
#include <gpucc/atomic.h>
#include <gpucc/memory.h>
#include <gpucc/async.h>
#include <gpucc/integer.h>
#include <gpucc/debug.h>

/* ---- short names ---- */

#ifndef GPUCC_NO_SHORT_NAMES
typedef gpucc_dim2 dim2;
typedef gpucc_dim3 dim3;
#define float8_e4m3fn_from(x) gpucc_float8_e4m3fn_from(x)
#define float8_e5m2_from(x) gpucc_float8_e5m2_from(x)
#define float_from_float8(x) gpucc_float_from_float8(x)
#define vectorize(...) gpucc_vectorize(__VA_ARGS__)
#define identity(...) GPUCC_ANNOTATE("gpucc.identity " #__VA_ARGS__)
#define reorderable gpucc_reorderable
#define reference(...) GPUCC_ANNOTATE("gpucc.reference " #__VA_ARGS__)
#define guvectorize(...) gpucc_guvectorize(__VA_ARGS__)
#define cooperative gpucc_cooperative
#define kernel gpucc_kernel
#define device gpucc_device
#define launch_bounds(...) gpucc_launch_bounds(__VA_ARGS__)
#define max_registers(...) gpucc_max_registers(__VA_ARGS__)
#define fast_math gpucc_fast_math
#define unroll(...) gpucc_unroll(__VA_ARGS__)
#define expect_low_occupancy gpucc_expect_low_occupancy
#define typevar(T, ...) gpucc_typevar(T, __VA_ARGS__)
#define fuse(name, ...) typedef int gpucc_fused_##name GPUCC_ANNOTATE("gpucc.fuse " #name ", " #__VA_ARGS__)
#define gradient(name, ...)                                                                                            \
    typedef int gpucc_derived_##name GPUCC_ANNOTATE("gpucc.gradient " #name ", " #__VA_ARGS__)
#define tangent(name, ...)                                                                                             \
    typedef int gpucc_derived_##name GPUCC_ANNOTATE("gpucc.tangent " #name ", " #__VA_ARGS__)
#define adjoint(name, ...)                                                                                             \
    typedef int gpucc_derived_##name GPUCC_ANNOTATE("gpucc.adjoint " #name ", " #__VA_ARGS__)
#define derivative(...) GPUCC_ANNOTATE("gpucc.derivative " #__VA_ARGS__)
#define test(name, ...) typedef int gpucc_test_of_##name GPUCC_ANNOTATE("gpucc.test " #name ", " #__VA_ARGS__)
#define shared gpucc_shared
#define constant gpucc_constant
#define dynamic_shared(...) gpucc_dynamic_shared(__VA_ARGS__)
#define threadIdx gpucc_threadIdx
#define blockIdx gpucc_blockIdx
#define blockDim gpucc_blockDim
#define gridDim gpucc_gridDim
#define laneid gpucc_laneid
#define warpsize gpucc_warpsize
#define grid(n) gpucc_grid(n)
#define gridsize(n) gpucc_gridsize(n)
#define syncthreads() gpucc_syncthreads()
#endif

#endif
