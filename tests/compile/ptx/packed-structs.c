// Packed structs, and structs with vectors of bytes, by value: LLVM 19's back end for PTX crashed where a number in one
// lies below its alignment.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s -O0 --arch=sm_90 -o %t.ptx
#include <gpucc.h>

typedef uint8 bytes2 __attribute__((ext_vector_type(2)));
typedef uint16 shorts2 __attribute__((ext_vector_type(2)));
struct __attribute__((packed)) packed { uint8 a; shorts2 v; };
struct small { bytes2 v; };
struct wide { uint8 a; bytes2 v; __int128 b; };

#define THROUGH(type)                                                                                                  \
    __attribute__((noinline)) static struct type change_##type(struct type x, int k)                                   \
    {                                                                                                                  \
        if (k & 1)                                                                                                     \
            x.v[k >> 1 & 1] = 3;                                                                                       \
        return x;                                                                                                      \
    }                                                                                                                  \
    kernel void through_##type(struct type *a, struct type b, int k)                                                   \
    {                                                                                                                  \
        a[0] = change_##type(b, k);                                                                                    \
        a[1] = change_##type(*a, k + 1);                                                                               \
    }
THROUGH(packed)
THROUGH(small)
THROUGH(wide)
// CHECK-DAG: .func (.param .align 16 .b8 func_retval0[5]) change_packed(
// CHECK-DAG: .func (.param .align 16 .b8 func_retval0[2]) change_small(
// CHECK-DAG: .func (.param .align 16 .b8 func_retval0[32]) change_wide(

__attribute__((noinline)) static bytes2 add(int k, bytes2 x) { return x + (uint8)k; }

kernel void vectors(bytes2 *a, int k) { a[1] = add(k, a[0]); }
// CHECK-LABEL: .entry vectors(
// CHECK: st.param.b16 [param1+0]
// CHECK: ld.param.b16 %rs[[#]], [retval0+0]

/* A packed struct whose members lie at multiples of their sizes all the same, in another one. */
typedef float float3x __attribute__((ext_vector_type(3)));
struct __attribute__((packed)) even { float3x a, b; };
struct __attribute__((packed)) odd { uint8 a; struct even b; };

__attribute__((noinline)) static float sum(struct even x, int k) { return x.a[k & 1] + x.b[1]; }

// CHECK-LABEL: .entry even(
// CHECK: .local .align 1 .b8
// CHECK-NOT: ld.f32
// CHECK: st.param.v4.b8
// CHECK-NOT: st.param.f32
// CHECK: ret;
kernel void even(struct odd x, float *o, int k) { *o = sum(x.b, k); }
