/* CUDA's spelling, so that CUDA kernels written in C compile unchanged: qualifiers, indices, vector types and builtins
 * under CUDA's names, and what nvcc knows without a header.  C++ is missing: templates, classes, references. */
#ifndef GPUCC_CUDA_H
#define GPUCC_CUDA_H

/* gpucc's short names would conflict with identifiers of CUDA programs, unless a program includes <gpucc.h> first. */
#if !defined(GPUCC_H) && !defined(GPUCC_NO_SHORT_NAMES)
#define GPUCC_NO_SHORT_NAMES
#endif
#include <assert.h>
#include <float.h>
#include <gpucc/cluster.h>
#include <gpucc/cuda_rounding.h> /* before macros replace the names of <math.h> */
#include <gpucc/cuda_math.h>
#include <gpucc/cuda_simd.h>
#include <gpucc/cuda_texture.h>
#include <gpucc/vector.h>
#include <limits.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For sources that other compilers read as well. */
#if !defined(__CUDACC__)
#define __CUDACC__ 1
#endif

/* ---- qualifiers ---- */

#define __global__ gpucc_kernel
#define __device__
#define __host__
#define __constant__ gpucc_constant
#if defined(__GPUCC__)
#define __shared__ GPUCC_ANNOTATE("gpucc.shared")
#else
#define __shared__ static
#endif
#define __launch_bounds__(...) gpucc_launch_bounds(__VA_ARGS__)
#define __cluster_dims__(...) gpucc_cluster(__VA_ARGS__)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
/* Parameters of kernels are constant, and variables belong to one program on one device, without these words. */
#define __grid_constant__
#define __managed__

/* ---- keywords of C++ ---- */

/* spelling/spelling.c rewrites `static_cast<type>(value)` to a use of these macros. */
#define static_cast(type, ...) ((type)(__VA_ARGS__))
#define reinterpret_cast(type, ...) ((type)(__VA_ARGS__))
#define const_cast(type, ...) ((type)(__VA_ARGS__))
#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 202311L
#define auto __auto_type
#define constexpr const
#define nullptr ((void *)0)
#endif
#define noexcept
/* `numeric_limits<type>::max()` is rewritten to a use of these. */
#define numeric_limits(type, limit) GPUCC_LIMIT_##limit(type)
#define GPUCC_LIMIT(type, float_, double_, bits)                                                                       \
    _Generic((type)0, float: float_, double: double_, bool: bits(_Bool, 1, 0), char: bits(char, CHAR_MAX, CHAR_MIN),   \
             signed char: bits(signed char, SCHAR_MAX, SCHAR_MIN), unsigned char: bits(unsigned char, UCHAR_MAX, 0),   \
             short: bits(short, SHRT_MAX, SHRT_MIN), unsigned short: bits(unsigned short, USHRT_MAX, 0),               \
             int: bits(int, INT_MAX, INT_MIN), unsigned: bits(unsigned, UINT_MAX, 0),                                  \
             long: bits(long, LONG_MAX, LONG_MIN), unsigned long: bits(unsigned long, ULONG_MAX, 0),                   \
             long long: bits(long long, LLONG_MAX, LLONG_MIN),                                                         \
             unsigned long long: bits(unsigned long long, ULLONG_MAX, 0))
#define GPUCC_LIMIT_MOST(type, most, least) ((type)(most))
#define GPUCC_LIMIT_LEAST(type, most, least) ((type)(least))
#define GPUCC_LIMIT_NONE(type, most, least) ((type)0)
#define GPUCC_LIMIT_max(type) GPUCC_LIMIT(type, FLT_MAX, DBL_MAX, GPUCC_LIMIT_MOST)
#define GPUCC_LIMIT_min(type) GPUCC_LIMIT(type, FLT_MIN, DBL_MIN, GPUCC_LIMIT_LEAST)
#define GPUCC_LIMIT_lowest(type) GPUCC_LIMIT(type, -FLT_MAX, -DBL_MAX, GPUCC_LIMIT_LEAST)
#define GPUCC_LIMIT_epsilon(type) GPUCC_LIMIT(type, FLT_EPSILON, DBL_EPSILON, GPUCC_LIMIT_NONE)
#define GPUCC_LIMIT_denorm_min(type) GPUCC_LIMIT(type, FLT_TRUE_MIN, DBL_TRUE_MIN, GPUCC_LIMIT_NONE)
#define GPUCC_LIMIT_infinity(type) GPUCC_LIMIT(type, __builtin_inff(), __builtin_inf(), GPUCC_LIMIT_NONE)
#define GPUCC_LIMIT_quiet_NaN(type) GPUCC_LIMIT(type, __builtin_nanf(""), __builtin_nan(""), GPUCC_LIMIT_NONE)

/* Makes the pointer that stands for a reference to a variable of this type (spelling/references.c): of a variable,
 * which is of no other type; of one of the same type, or of a number that becomes one; of such a number; of an
 * array. */
#define GPUCC_REFERENCE_TO(type, ...) _Generic(&(__VA_ARGS__), __typeof__(type) *: &(__VA_ARGS__))
#define GPUCC_REFERENCE_TO_CONST(type, ...)                                                                            \
    _Generic(&(__VA_ARGS__), const __typeof__(type) *: &(__VA_ARGS__), __typeof__(type) *: &(__VA_ARGS__),             \
             default: GPUCC_TEMPORARY(type, __VA_ARGS__))
#define GPUCC_TEMPORARY(type, ...) ((const __typeof__(type)[1]){__VA_ARGS__})
#define GPUCC_TEMPORARY_OF(...) ((const __typeof__((__VA_ARGS__))[1]){__VA_ARGS__})
#define GPUCC_REFERENCE_TO_ARRAY(type, ...)                                                                            \
    ((const __typeof__(type) *)_Generic(&(__VA_ARGS__), const __typeof__(type) *: &(__VA_ARGS__),                      \
                                        __typeof__(type) *: &(__VA_ARGS__)))

/* `x = {a, b}` and `dim3(n)`, for which C has no such words (frontend/values.c). */
#define GPUCC_ASSIGN(x, ...) ((x) = (__typeof__(x))__VA_ARGS__)
#define GPUCC_dim3(...) GPUCC_DIM3_OF(__VA_ARGS__, 1, 1)
#define GPUCC_DIM3_OF(x, y, z, ...)                                                                                    \
    (dim3)                                                                                                             \
    {                                                                                                                  \
        x, y, z                                                                                                        \
    }

/* A constant of C++'s as one of C's (frontend/extents.c): members' extents are computed. */
#define GPUCC_EXTENT(n)                                                                                                \
    (sizeof(struct {                                                                                                   \
        char gpucc_extent[n];                                                                                          \
    }))
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wgnu-folding-constant"
#endif

/* Names of the C library that nvcc declares without a header. */
typedef unsigned uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef long clock_t;

/* A host's handle: sources may declare it, kernels cannot use it. */
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct cudaArray *cudaArray_t;
typedef enum cudaError { cudaSuccess } cudaError_t;
typedef struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
} cudaPitchedPtr;
typedef struct cudaExtent {
    size_t width, height, depth;
} cudaExtent;
typedef struct cudaPos {
    size_t x, y, z;
} cudaPos;

/* The CUDA version whose names these are, for sources that test it. */
#define CUDART_VERSION 12000
#define CUDA_VERSION CUDART_VERSION

/* ---- indices ---- */

#ifdef GPUCC_NO_SHORT_NAMES
typedef struct dim3 {
    unsigned x, y, z;
} dim3;
#define threadIdx gpucc_threadIdx
#define blockIdx gpucc_blockIdx
#define blockDim gpucc_blockDim
#define gridDim gpucc_gridDim
#define clock64() gpucc_clock64()
#endif
enum { warpSize = gpucc_warpsize }; /* which a variable may hide */

/* ---- barriers, fences, warps ---- */

#if !defined(__NVPTX__) /* for which it is Clang's builtin */
#define __syncthreads() gpucc_syncthreads()
#endif
#define __syncthreads_count(predicate) gpucc_syncthreads_count(predicate)
#define __syncthreads_and(predicate) gpucc_syncthreads_and(predicate)
#define __syncthreads_or(predicate) gpucc_syncthreads_or(predicate)
#define __syncwarp(...) gpucc_syncwarp(__VA_ARGS__)
#define __threadfence_block() gpucc_threadfence_block()
#define __threadfence() gpucc_threadfence()
#define __threadfence_system() gpucc_threadfence_system()
#define __shfl_sync(mask, value, ...) gpucc_shfl_sync(mask, value, __VA_ARGS__)
#define __shfl_up_sync(mask, value, ...) gpucc_shfl_up_sync(mask, value, __VA_ARGS__)
#define __shfl_down_sync(mask, value, ...) gpucc_shfl_down_sync(mask, value, __VA_ARGS__)
#define __shfl_xor_sync(mask, value, ...) gpucc_shfl_xor_sync(mask, value, __VA_ARGS__)
#define __all_sync(mask, predicate) gpucc_all_sync(mask, predicate)
#define __any_sync(mask, predicate) gpucc_any_sync(mask, predicate)
#define __uni_sync(mask, predicate) gpucc_eq_sync(mask, predicate)
#define __ballot_sync(mask, predicate) gpucc_ballot_sync(mask, predicate)
#define __match_any_sync(mask, value) gpucc_match_any_sync(mask, value)
#define __match_all_sync(mask, value, all) gpucc_match_all_sync(mask, value, all)
#define __reduce_add_sync(mask, value) gpucc_reduce_add_sync(mask, value)
#define __reduce_min_sync(mask, value) gpucc_reduce_min_sync(mask, value)
#define __reduce_max_sync(mask, value) gpucc_reduce_max_sync(mask, value)
#define __reduce_and_sync(mask, value) gpucc_reduce_and_sync(mask, value)
#define __reduce_or_sync(mask, value) gpucc_reduce_or_sync(mask, value)
#define __reduce_xor_sync(mask, value) gpucc_reduce_xor_sync(mask, value)
#define __activemask() gpucc_activemask()
/* Without a mask, as before CUDA 9: all lanes that have not ended take part. */
#define __shfl(value, ...) gpucc_shfl_sync(0xffffffffu, value, __VA_ARGS__)
#define __shfl_up(value, ...) gpucc_shfl_up_sync(0xffffffffu, value, __VA_ARGS__)
#define __shfl_down(value, ...) gpucc_shfl_down_sync(0xffffffffu, value, __VA_ARGS__)
#define __shfl_xor(value, ...) gpucc_shfl_xor_sync(0xffffffffu, value, __VA_ARGS__)
#define __all(predicate) gpucc_all_sync(0xffffffffu, predicate)
#define __any(predicate) gpucc_any_sync(0xffffffffu, predicate)
#define __ballot(predicate) gpucc_ballot_sync(0xffffffffu, predicate)
#define __lanemask_lt() gpucc_lanemask_lt()
#define __lanemask_le() gpucc_lanemask_le()
#define __lanemask_eq() gpucc_lanemask_eq()
#define __lanemask_ge() gpucc_lanemask_ge()
#define __lanemask_gt() gpucc_lanemask_gt()

/* ---- clusters ---- */

#define __clusterDim() gpucc_clusterDim
#define __clusterIdx() gpucc_clusterIdx
#define __clusterGridDimInClusters() gpucc_clusterGridDim
#define __clusterRelativeBlockIdx() gpucc_clusterBlockIdx
#define __clusterRelativeBlockRank() gpucc_clusterrank
#define __clusterSizeInBlocks() gpucc_clustersize
#define __cluster_barrier_arrive() gpucc_cluster_arrive()
#define __cluster_barrier_arrive_relaxed() gpucc_cluster_arrive()
#define __cluster_barrier_wait() gpucc_cluster_wait()
#define __cluster_map_shared_rank(pointer, rank) ((void *)gpucc_cluster_map(pointer, rank))
#define __cluster_query_shared_rank(pointer) gpucc_shared_rank(pointer)

/* ---- atomics ---- */

#define atomicAdd(pointer, value) GPUCC_CUDA_ADD(pointer, value)
#define GPUCC_CUDA_ADD(pointer, value) gpucc_atomic_add(pointer, value) /* <gpucc/cuda_half.h> knows more types */
#define atomicSub(pointer, value) gpucc_atomic_sub(pointer, value)
#define atomicMin(pointer, value) gpucc_atomic_min(pointer, value)
#define atomicMax(pointer, value) gpucc_atomic_max(pointer, value)
#define atomicAnd(pointer, value) gpucc_atomic_and(pointer, value)
#define atomicOr(pointer, value) gpucc_atomic_or(pointer, value)
#define atomicXor(pointer, value) gpucc_atomic_xor(pointer, value)
#define atomicExch(pointer, value) gpucc_atomic_exch(pointer, value)
#define atomicInc(pointer, value) gpucc_atomic_inc(pointer, value)
#define atomicDec(pointer, value) gpucc_atomic_dec(pointer, value)
#define atomicCAS(pointer, compare, value) gpucc_atomic_cas(pointer, compare, value)
#define atomicAdd_block(pointer, value) gpucc_atomic_add_block(pointer, value)
#define atomicSub_block(pointer, value) gpucc_atomic_sub_block(pointer, value)
#define atomicMin_block(pointer, value) gpucc_atomic_min_block(pointer, value)
#define atomicMax_block(pointer, value) gpucc_atomic_max_block(pointer, value)
#define atomicAnd_block(pointer, value) gpucc_atomic_and_block(pointer, value)
#define atomicOr_block(pointer, value) gpucc_atomic_or_block(pointer, value)
#define atomicXor_block(pointer, value) gpucc_atomic_xor_block(pointer, value)
#define atomicExch_block(pointer, value) gpucc_atomic_exch_block(pointer, value)
#define atomicInc_block(pointer, value) gpucc_atomic_inc_block(pointer, value)
#define atomicDec_block(pointer, value) gpucc_atomic_dec_block(pointer, value)
#define atomicCAS_block(pointer, compare, value) gpucc_atomic_cas_block(pointer, compare, value)
#define atomicAdd_system(pointer, value) gpucc_atomic_add_system(pointer, value)
#define atomicSub_system(pointer, value) gpucc_atomic_sub_system(pointer, value)
#define atomicMin_system(pointer, value) gpucc_atomic_min_system(pointer, value)
#define atomicMax_system(pointer, value) gpucc_atomic_max_system(pointer, value)
#define atomicAnd_system(pointer, value) gpucc_atomic_and_system(pointer, value)
#define atomicOr_system(pointer, value) gpucc_atomic_or_system(pointer, value)
#define atomicXor_system(pointer, value) gpucc_atomic_xor_system(pointer, value)
#define atomicExch_system(pointer, value) gpucc_atomic_exch_system(pointer, value)
#define atomicInc_system(pointer, value) gpucc_atomic_inc_system(pointer, value)
#define atomicDec_system(pointer, value) gpucc_atomic_dec_system(pointer, value)
#define atomicCAS_system(pointer, compare, value) gpucc_atomic_cas_system(pointer, compare, value)

/* ---- memory ---- */

#define __ldg(pointer) gpucc_ld_nc(pointer)
#define __ldca(pointer) gpucc_ld_ca(pointer)
#define __ldcg(pointer) gpucc_ld_cg(pointer)
#define __ldcs(pointer) gpucc_ld_cs(pointer)
#define __ldlu(pointer) gpucc_ld_lu(pointer)
#define __ldcv(pointer) gpucc_ld_cv(pointer)
#define __stwb(pointer, value) gpucc_st_wb(pointer, value)
#define __stcg(pointer, value) gpucc_st_cg(pointer, value)
#define __stcs(pointer, value) gpucc_st_cs(pointer, value)
#define __stwt(pointer, value) gpucc_st_wt(pointer, value)
#define __pipeline_memcpy_async(to, from, ...) gpucc_memcpy_async(to, from, __VA_ARGS__)
#define __pipeline_commit() gpucc_memcpy_async_commit()
#define __pipeline_wait_prior(groups) gpucc_memcpy_async_wait(groups)

/* ---- integers ---- */

#define __popc(x) gpucc_popc((unsigned)(x))
#define __popcll(x) gpucc_popc((unsigned long long)(x))
#define __clz(x) gpucc_clz((unsigned)(x))
#define __clzll(x) gpucc_clz((unsigned long long)(x))
#define __ffs(x) gpucc_ffs((unsigned)(x))
#define __ffsll(x) gpucc_ffs((unsigned long long)(x))
#define __brev(x) gpucc_brev((unsigned)(x))
#define __brevll(x) gpucc_brev((unsigned long long)(x))
#define __byte_perm(x, y, selector) gpucc_byte_perm(x, y, selector)
#define __funnelshift_l(low, high, n) gpucc_funnelshift_l(low, high, n)
#define __funnelshift_r(low, high, n) gpucc_funnelshift_r(low, high, n)
#define __funnelshift_lc(low, high, n) gpucc_funnelshift_lc(low, high, n)
#define __funnelshift_rc(low, high, n) gpucc_funnelshift_rc(low, high, n)
#define __mulhi(x, y) gpucc_mulhi((int)(x), (int)(y))
#define __umulhi(x, y) gpucc_mulhi((unsigned)(x), (unsigned)(y))
#define __mul64hi(x, y) gpucc_mulhi((long long)(x), (long long)(y))
#define __umul64hi(x, y) gpucc_mulhi((unsigned long long)(x), (unsigned long long)(y))
#define __mul24(x, y) gpucc_mul24((int)(x), (int)(y))
#define __umul24(x, y) gpucc_mul24((unsigned)(x), (unsigned)(y))
#define __sad(x, y, sum) gpucc_sad((int)(x), (int)(y), sum)
#define __usad(x, y, sum) gpucc_sad((unsigned)(x), (unsigned)(y), sum)
#define __dp4a(x, y, sum) gpucc_dp4a(x, y, sum)
/* The mean of two, rounded down, and up. */
#define GPUCC_DEFINE_MEANS(type, down, up)                                                                             \
    GPUCC_INLINE type down(type x, type y)                                                                             \
    {                                                                                                                  \
        return (x & y) + ((x ^ y) >> 1);                                                                               \
    }                                                                                                                  \
    GPUCC_INLINE type up(type x, type y)                                                                               \
    {                                                                                                                  \
        return (x | y) - ((x ^ y) >> 1);                                                                               \
    }
GPUCC_DEFINE_MEANS(int, __hadd, __rhadd)
GPUCC_DEFINE_MEANS(unsigned, __uhadd, __urhadd)

/* ---- bits of numbers, and conversions ---- */

#define GPUCC_DEFINE_REINTERPRET(name, from, to)                                                                       \
    GPUCC_INLINE to name(from x)                                                                                       \
    {                                                                                                                  \
        to y;                                                                                                          \
        __builtin_memcpy(&y, &x, sizeof y);                                                                            \
        return y;                                                                                                      \
    }
GPUCC_DEFINE_REINTERPRET(__float_as_int, float, int)
GPUCC_DEFINE_REINTERPRET(__float_as_uint, float, unsigned)
GPUCC_DEFINE_REINTERPRET(__int_as_float, int, float)
GPUCC_DEFINE_REINTERPRET(__uint_as_float, unsigned, float)
GPUCC_DEFINE_REINTERPRET(__double_as_longlong, double, long long)
GPUCC_DEFINE_REINTERPRET(__longlong_as_double, long long, double)
/* Out-of-range values become the nearest integer in range, and NaN 0, as everywhere in gpucc. */
#define __float2int_rn(x) ((int)rintf(x))
#define __float2int_rz(x) ((int)(float)(x))
#define __float2int_rd(x) ((int)floorf(x))
#define __float2int_ru(x) ((int)ceilf(x))
#define __float2uint_rn(x) ((unsigned)rintf(x))
#define __float2uint_rz(x) ((unsigned)(float)(x))
#define __float2uint_rd(x) ((unsigned)floorf(x))
#define __float2uint_ru(x) ((unsigned)ceilf(x))
#define __float2ll_rn(x) ((long long)rintf(x))
#define __float2ll_rz(x) ((long long)(float)(x))
#define __float2ll_rd(x) ((long long)floorf(x))
#define __float2ll_ru(x) ((long long)ceilf(x))
#define __float2ull_rn(x) ((unsigned long long)rintf(x))
#define __float2ull_rz(x) ((unsigned long long)(float)(x))
#define __float2ull_rd(x) ((unsigned long long)floorf(x))
#define __float2ull_ru(x) ((unsigned long long)ceilf(x))
#define __double2int_rn(x) ((int)rint(x))
#define __double2int_rz(x) ((int)(double)(x))
#define __double2int_rd(x) ((int)floor(x))
#define __double2int_ru(x) ((int)ceil(x))
#define __double2uint_rn(x) ((unsigned)rint(x))
#define __double2uint_rz(x) ((unsigned)(double)(x))
#define __double2uint_rd(x) ((unsigned)floor(x))
#define __double2uint_ru(x) ((unsigned)ceil(x))
#define __double2ll_rn(x) ((long long)rint(x))
#define __double2ll_rz(x) ((long long)(double)(x))
#define __double2ll_rd(x) ((long long)floor(x))
#define __double2ll_ru(x) ((long long)ceil(x))
#define __double2ull_rn(x) ((unsigned long long)rint(x))
#define __double2ull_rz(x) ((unsigned long long)(double)(x))
#define __double2ull_rd(x) ((unsigned long long)floor(x))
#define __double2ull_ru(x) ((unsigned long long)ceil(x))
#define __double2float_rn(x) ((float)(double)(x))
#define __int2float_rn(x) ((float)(int)(x))
#define __uint2float_rn(x) ((float)(unsigned)(x))
#define __ll2float_rn(x) ((float)(long long)(x))
#define __ull2float_rn(x) ((float)(unsigned long long)(x))
#define __int2double_rn(x) ((double)(int)(x))
#define __uint2double_rn(x) ((double)(unsigned)(x))
#define __ll2double_rn(x) ((double)(long long)(x))
#define __ull2double_rn(x) ((double)(unsigned long long)(x))
#define __double2hiint(x) ((int)(__double_as_longlong(x) >> 32))
#define __double2loint(x) ((int)__double_as_longlong(x))
#define __hiloint2double(high, low)                                                                                    \
    __longlong_as_double((long long)((unsigned long long)(unsigned)(high) << 32 | (unsigned)(low)))

/* Functions, so that their results are never contracted with the expression around them. */
#define GPUCC_DEFINE_ROUNDED(name, type, operator)                                                                     \
    GPUCC_INLINE type name(type x, type y)                                                                             \
    {                                                                                                                  \
        return x operator y;                                                                                           \
    }
GPUCC_DEFINE_ROUNDED(__fadd_rn, float, +)
GPUCC_DEFINE_ROUNDED(__fsub_rn, float, -)
GPUCC_DEFINE_ROUNDED(__fmul_rn, float, *)
GPUCC_DEFINE_ROUNDED(__dadd_rn, double, +)
GPUCC_DEFINE_ROUNDED(__dsub_rn, double, -)
GPUCC_DEFINE_ROUNDED(__dmul_rn, double, *)
GPUCC_DEFINE_ROUNDED(__ddiv_rn, double, /)
#define __fmaf_rn(x, y, z) fmaf(x, y, z)
#define __fma_rn(x, y, z) fma(x, y, z)
/* Correctly rounded, also with --fast-math. */
#if defined(__NVPTX__)
#define __fdiv_rn(x, y) __nvvm_div_rn_f(x, y)
#define __frcp_rn(x) __nvvm_rcp_rn_f(x)
#define __fsqrt_rn(x) __nvvm_sqrt_rn_f(x)
#else
GPUCC_DEFINE_ROUNDED(__fdiv_rn, float, /)
#define __frcp_rn(x) gpucc_rcp((float)(x))
#define __fsqrt_rn(x) sqrtf(x)
#endif
float gpucc_frsqrt_rn(float x) __attribute__((const));
#define __frsqrt_rn(x) gpucc_frsqrt_rn(x)
#define __drcp_rn(x) gpucc_rcp((double)(x))
#define __dsqrt_rn(x) sqrt(x)
#define __saturatef(x) gpucc_saturate((float)(x))
#define fdividef(x, y) __fdividef(x, y)

/* ---- the rest ---- */

#define clock() ((int)gpucc_clock64())
#define __nanosleep(nanoseconds) gpucc_nanosleep(nanoseconds)
#define __trap() gpucc_trap()
#define __brkpt() gpucc_breakpoint()
/* Selects by the type of x, as C++ does: C's abs() would truncate x to an integer. */
#undef abs
#define abs(x)                                                                                                         \
    GPUCC_ONCE_1(x, _Generic(gpucc_x, float: __builtin_fabsf, double: __builtin_fabs, long: __builtin_labs,            \
                             long long: __builtin_llabs, default: __builtin_abs)(gpucc_x))
#define finite(x) isfinite(x)
/* Both operands are converted to their common type, as in C. */
#define GPUCC_ORDERED(x, y, chosen)                                                                                    \
    __extension__({                                                                                                    \
        GPUCC_KEEP_NUMBER(gpucc_x, x);                                                                                 \
        GPUCC_KEEP_NUMBER(gpucc_y, y);                                                                                 \
        const __typeof__(1 ? gpucc_x : gpucc_y) gpucc_a = gpucc_x, gpucc_b = gpucc_y;                                  \
        chosen;                                                                                                        \
    })
#ifndef min
#define min(x, y) GPUCC_ORDERED(x, y, gpucc_b < gpucc_a ? gpucc_b : gpucc_a)
#endif
#ifndef max
#define max(x, y) GPUCC_ORDERED(x, y, gpucc_a < gpucc_b ? gpucc_b : gpucc_a)
#endif

#define GPUCC_DEFINE_ORDER(type, least, most)                                                                          \
    GPUCC_INLINE type least(type x, type y)                                                                            \
    {                                                                                                                  \
        return y < x ? y : x;                                                                                          \
    }                                                                                                                  \
    GPUCC_INLINE type most(type x, type y)                                                                             \
    {                                                                                                                  \
        return x < y ? y : x;                                                                                          \
    }
GPUCC_DEFINE_ORDER(unsigned, umin, umax)
GPUCC_DEFINE_ORDER(long long, llmin, llmax)
GPUCC_DEFINE_ORDER(unsigned long long, ullmin, ullmax)

/* ---- a program's own functions of these names ---- */

/* If a program defines a function called as one of these macros, functions take the macro's place, and the program's
 * is one more: double atomicMax(double *, double).  The pointers are such that the program's own wins. */
#define GPUCC_OVERLOAD(name, macro, type)                                                                              \
    GPUCC_INLINE GPUCC_OVERLOADABLE type name(volatile type *pointer, type value)                                      \
    {                                                                                                                  \
        return macro(pointer, value);                                                                                  \
    }
#define GPUCC_OVERLOAD_INTEGERS(name, macro)                                                                           \
    GPUCC_OVERLOAD(name, macro, int)                                                                                   \
    GPUCC_OVERLOAD(name, macro, unsigned)                                                                              \
    GPUCC_OVERLOAD(name, macro, long)                                                                                  \
    GPUCC_OVERLOAD(name, macro, unsigned long)                                                                         \
    GPUCC_OVERLOAD(name, macro, long long)                                                                             \
    GPUCC_OVERLOAD(name, macro, unsigned long long)
#define GPUCC_OVERLOAD_NUMBERS(name, macro)                                                                            \
    GPUCC_OVERLOAD_INTEGERS(name, macro)                                                                               \
    GPUCC_OVERLOAD(name, macro, float)                                                                                 \
    GPUCC_OVERLOAD(name, macro, double)
#define GPUCC_OVERLOADS_atomicAdd GPUCC_OVERLOAD_NUMBERS(atomicAdd, gpucc_atomic_add)
#define GPUCC_OVERLOADS_atomicSub GPUCC_OVERLOAD_INTEGERS(atomicSub, gpucc_atomic_sub)
#define GPUCC_OVERLOADS_atomicMin GPUCC_OVERLOAD_INTEGERS(atomicMin, gpucc_atomic_min)
#define GPUCC_OVERLOADS_atomicMax GPUCC_OVERLOAD_INTEGERS(atomicMax, gpucc_atomic_max)
#define GPUCC_OVERLOADS_atomicAnd GPUCC_OVERLOAD_INTEGERS(atomicAnd, gpucc_atomic_and)
#define GPUCC_OVERLOADS_atomicOr GPUCC_OVERLOAD_INTEGERS(atomicOr, gpucc_atomic_or)
#define GPUCC_OVERLOADS_atomicXor GPUCC_OVERLOAD_INTEGERS(atomicXor, gpucc_atomic_xor)
#define GPUCC_OVERLOADS_atomicExch GPUCC_OVERLOAD_NUMBERS(atomicExch, gpucc_atomic_exch)

/* Loads and stores with a cache's hints, of numbers; of vectors those of four words. */
#define GPUCC_OVERLOAD_LOAD(name, macro, type)                                                                         \
    GPUCC_INLINE GPUCC_OVERLOADABLE type name(const volatile type *pointer)                                            \
    {                                                                                                                  \
        return macro((const type *)pointer);                                                                           \
    }
#define GPUCC_OVERLOAD_STORE(name, macro, type)                                                                        \
    GPUCC_INLINE GPUCC_OVERLOADABLE void name(volatile type *pointer, type value)                                      \
    {                                                                                                                  \
        macro((type *)pointer, value);                                                                                 \
    }
#define GPUCC_OVERLOAD_CACHED(each, name, macro)                                                                       \
    each(name, macro, char) each(name, macro, signed char) each(name, macro, unsigned char)                            \
    each(name, macro, short) each(name, macro, unsigned short) each(name, macro, int) each(name, macro, unsigned)      \
    each(name, macro, long) each(name, macro, unsigned long) each(name, macro, long long)                              \
    each(name, macro, unsigned long long) each(name, macro, float) each(name, macro, double)                           \
    each(name, macro, _Float16) each(name, macro, __bf16)                                                              \
    each(name, macro, int2) each(name, macro, int4) each(name, macro, uint2) each(name, macro, uint4)                  \
    each(name, macro, float2) each(name, macro, float4) each(name, macro, double2)
#define GPUCC_OVERLOADS___ldg GPUCC_OVERLOAD_CACHED(GPUCC_OVERLOAD_LOAD, __ldg, gpucc_ld_nc)
#define GPUCC_OVERLOADS___ldca GPUCC_OVERLOAD_CACHED(GPUCC_OVERLOAD_LOAD, __ldca, gpucc_ld_ca)
#define GPUCC_OVERLOADS___ldcg GPUCC_OVERLOAD_CACHED(GPUCC_OVERLOAD_LOAD, __ldcg, gpucc_ld_cg)
#define GPUCC_OVERLOADS___ldcs GPUCC_OVERLOAD_CACHED(GPUCC_OVERLOAD_LOAD, __ldcs, gpucc_ld_cs)
#define GPUCC_OVERLOADS___stcg GPUCC_OVERLOAD_CACHED(GPUCC_OVERLOAD_STORE, __stcg, gpucc_st_cg)
#define GPUCC_OVERLOADS___stcs GPUCC_OVERLOAD_CACHED(GPUCC_OVERLOAD_STORE, __stcs, gpucc_st_cs)

#define GPUCC_OVERLOAD_ORDER(name, sign, type, left, right)                                                            \
    GPUCC_INLINE GPUCC_OVERLOADABLE type name(left gpucc_left, right gpucc_right)                                      \
    {                                                                                                                  \
        const type x = (type)gpucc_left, y = (type)gpucc_right;                                                        \
        return y sign x ? y : x;                                                                                       \
    }
#define GPUCC_OVERLOAD_TYPE(name, sign, type) GPUCC_OVERLOAD_ORDER(name, sign, type, type, type)
#define GPUCC_OVERLOAD_MIXED(name, sign, type, other)                                                                  \
    GPUCC_OVERLOAD_ORDER(name, sign, type, type, other)                                                                \
    GPUCC_OVERLOAD_ORDER(name, sign, type, other, type)
#define GPUCC_OVERLOAD_ORDERS(name, sign)                                                                              \
    GPUCC_OVERLOAD_TYPE(name, sign, int)                                                                               \
    GPUCC_OVERLOAD_TYPE(name, sign, unsigned)                                                                          \
    GPUCC_OVERLOAD_TYPE(name, sign, long)                                                                              \
    GPUCC_OVERLOAD_TYPE(name, sign, unsigned long)                                                                     \
    GPUCC_OVERLOAD_TYPE(name, sign, long long)                                                                         \
    GPUCC_OVERLOAD_TYPE(name, sign, unsigned long long)                                                                \
    GPUCC_OVERLOAD_TYPE(name, sign, float)                                                                             \
    GPUCC_OVERLOAD_TYPE(name, sign, double)                                                                            \
    GPUCC_OVERLOAD_MIXED(name, sign, unsigned, int)                                                                    \
    GPUCC_OVERLOAD_MIXED(name, sign, unsigned long, long)                                                              \
    GPUCC_OVERLOAD_MIXED(name, sign, unsigned long long, long long)                                                    \
    GPUCC_OVERLOAD_MIXED(name, sign, double, float)
#define GPUCC_OVERLOADS_min GPUCC_OVERLOAD_ORDERS(min, <)
#define GPUCC_OVERLOADS_max GPUCC_OVERLOAD_ORDERS(max, >)
#define GPUCC_OVERLOADS_make_int2 /* functions as they are */
#define GPUCC_OVERLOADS_make_int3 /* functions as they are */
#define GPUCC_OVERLOADS_make_int4 /* functions as they are */
#define GPUCC_OVERLOADS_make_uint2 /* functions as they are */
#define GPUCC_OVERLOADS_make_uint3 /* functions as they are */
#define GPUCC_OVERLOADS_make_uint4 /* functions as they are */
#define GPUCC_OVERLOADS_make_float2 /* functions as they are */
#define GPUCC_OVERLOADS_make_float3 /* functions as they are */
#define GPUCC_OVERLOADS_make_float4 /* functions as they are */
#define GPUCC_OVERLOADS_make_double2 /* functions as they are */
#define GPUCC_OVERLOADS_make_double3 /* functions as they are */
#define GPUCC_OVERLOADS_make_double4 /* functions as they are */

/* The compiler generates it for the program's own functions under names of CUDA or C. */
#ifdef GPUCC_OWN_NAMES
#include GPUCC_OWN_NAMES
#endif

#endif
