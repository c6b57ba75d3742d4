/* CUDA's vector types: float4 and kin, with make_float4(x, y, z, w).  Those of 2 and 4 elements are aligned to their
 * size, up to 16 bytes, and move in one access. */
#ifndef GPUCC_VECTOR_H
#define GPUCC_VECTOR_H

#include <gpucc.h>

/* A program may have functions of these names for other arguments: make_float4(float3, float). */
#if defined(__clang__)
#define GPUCC_OVERLOADABLE __attribute__((overloadable))
#else
#define GPUCC_OVERLOADABLE
#endif

#define GPUCC_DEFINE_VECTORS(type, name, align2, align4)                                                               \
    typedef struct name##1 {                                                                                           \
        type x;                                                                                                        \
    } name##1;                                                                                                         \
    typedef struct __attribute__((aligned(align2))) name##2 {                                                          \
        type x, y;                                                                                                     \
    } name##2;                                                                                                         \
    typedef struct name##3 {                                                                                           \
        type x, y, z;                                                                                                  \
    } name##3;                                                                                                         \
    typedef struct __attribute__((aligned(align4))) name##4 {                                                          \
        type x, y, z, w;                                                                                               \
    } name##4;                                                                                                         \
    GPUCC_INLINE GPUCC_OVERLOADABLE name##1 make_##name##1(type x)                                                     \
    {                                                                                                                  \
        return (name##1){x};                                                                                           \
    }                                                                                                                  \
    GPUCC_INLINE GPUCC_OVERLOADABLE name##2 make_##name##2(type x, type y)                                             \
    {                                                                                                                  \
        return (name##2){x, y};                                                                                        \
    }                                                                                                                  \
    GPUCC_INLINE GPUCC_OVERLOADABLE name##3 make_##name##3(type x, type y, type z)                                     \
    {                                                                                                                  \
        return (name##3){x, y, z};                                                                                     \
    }                                                                                                                  \
    GPUCC_INLINE GPUCC_OVERLOADABLE name##4 make_##name##4(type x, type y, type z, type w)                             \
    {                                                                                                                  \
        return (name##4){x, y, z, w};                                                                                  \
    }
GPUCC_DEFINE_VECTORS(signed char, char, 2, 4)
GPUCC_DEFINE_VECTORS(unsigned char, uchar, 2, 4)
GPUCC_DEFINE_VECTORS(short, short, 4, 8)
GPUCC_DEFINE_VECTORS(unsigned short, ushort, 4, 8)
GPUCC_DEFINE_VECTORS(int, int, 8, 16)
GPUCC_DEFINE_VECTORS(unsigned, uint, 8, 16)
GPUCC_DEFINE_VECTORS(long, long, 16, 16)
GPUCC_DEFINE_VECTORS(unsigned long, ulong, 16, 16)
GPUCC_DEFINE_VECTORS(long long, longlong, 16, 16)
GPUCC_DEFINE_VECTORS(unsigned long long, ulonglong, 16, 16)
GPUCC_DEFINE_VECTORS(float, float, 8, 16)
GPUCC_DEFINE_VECTORS(double, double, 16, 16)

#endif
