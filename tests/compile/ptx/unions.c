// Unions by value: the bytes that are padding in the member whose type LLVM gives a union are another member's.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s -O0 --emit=ptx -o - | FileCheck %s --check-prefix=PLAIN
// RUN: %gpucc %s -O1 --emit=ptx -o %t.ptx
#include <gpucc.h>

union words {
    struct {
        int a;
        double b;
    } p;
    int w[4];
};

union bytes {
    struct {
        short a;
        struct {
            float b;
            char c;
        } d[2];
    } p;
    char w[20];
};

kernel void parameter(union words u, int k, int *o)
{
    u.w[k & 3] += 1;
    *o = u.w[1];
}
// CHECK-LABEL: .visible .entry parameter(
// CHECK-DAG: ld.param.u64 %rd[[#]], [parameter_param_0];
// CHECK-DAG: ld.param.u64 %rd[[#]], [parameter_param_0+8];
// PLAIN-LABEL: .visible .entry parameter(
// PLAIN: [parameter_param_0+4]

__attribute__((noinline)) static union words add(union words u, int k)
{
    u.w[k & 3] += 1;
    return u;
}

kernel void call(union words u, int k, int *o)
{
    *o = add(u, k).w[1];
}
// CHECK-LABEL: .visible .entry call(
// CHECK-DAG: ld.param.u64 %rd[[#]], [call_param_0];
// CHECK-DAG: ld.param.u64 %rd[[#]], [call_param_0+8];
// CHECK: st.param.v2.b32 [param0+0], {%r[[#]], %r[[#]]};
// CHECK: ld.param.v2.b32 {%r[[#]], %r[[RESULT:[0-9]+]]}, [retval0+0];
// CHECK: st.global.u32 [%rd[[#]]], %r[[RESULT]];

__attribute__((noinline)) static union words again(union words (*f)(union words, int), union words u, int k)
{
    union words v = f(u, k);
    return k ? f(v, 1) : v;
}

kernel void pointer(union words u, int k, int *o)
{
    *o = again(add, u, k).w[1];
}
// CHECK-LABEL: .visible .entry pointer(
// CHECK: ld.param.v2.b32 {%r[[#]], %r[[RESULT:[0-9]+]]}, [retval0+0];
// CHECK: st.global.u32 [%rd[[#]]], %r[[RESULT]];

static union bytes inlined(const union bytes *u)
{
    return *u;
}

kernel void copies(const union bytes *u, int k, union bytes *o)
{
    union bytes v = inlined(u);
    v.w[k] += 1;
    *o = v;
}
// CHECK-LABEL: .visible .entry copies(
// CHECK-DAG: ld.global.{{u32|v2.u16}} {{.*}}, [%rd[[U:[0-9]+]]];
// CHECK-DAG: ld.global.v2.u8 {{.*}}, [%rd[[U]]+8];
// CHECK-DAG: ld.global.u16 {{.*}}, [%rd[[U]]+10];
// CHECK-DAG: ld.global.v2.u8 {{.*}}, [%rd[[U]]+16];
// CHECK-DAG: ld.global.u16 {{.*}}, [%rd[[U]]+18];
// CHECK: st.local
