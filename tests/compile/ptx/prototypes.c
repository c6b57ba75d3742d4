// The prototype of an indirect call has the call's parameters: LLVM 19 counts the parts of a vector as parameters, and
// looks for a struct by value in another place behind it.
// RUN: %gpucc %s --arch=sm_75 -o %t.ptx && FileCheck %s < %t.ptx
// RUN: %gpucc -O0 %s --arch=sm_75 -o %t.0.ptx && FileCheck %s < %t.0.ptx
#include <gpucc.h>

typedef double double8 __attribute__((ext_vector_type(8)));
typedef double double2 __attribute__((ext_vector_type(2)));
struct triple { int64 a[3]; };
struct pair { double2 a; struct triple b; };

static __attribute__((noinline)) double8 add8(double8 x, int k, struct triple y) { x[k & 7] += y.a[1]; return x; }
static __attribute__((noinline)) double8 sub8(double8 x, int k, struct triple y) { x[k & 7] -= y.a[2]; return x; }

// CHECK-LABEL: .entry pointer(
// CHECK: .callprototype (.param .align 64 .b8 _[64]) _ (.param .align 64 .b8 _[64], .param .b32 _, .param .align 8 .b8 _[24]);
kernel void pointer(double8 *o, int k, struct triple y) { *o = (k & 1 ? add8 : sub8)(*o, k, y); }

static __attribute__((noinline)) double2 add2(double2 x, struct triple y, int64 k) { x[k & 1] += y.a[1]; return x; }
static __attribute__((noinline)) double2 sub2(double2 x, struct triple y, int64 k) { x[k & 1] -= y.a[2]; return x; }

// CHECK-LABEL: .entry order(
// CHECK: .callprototype (.param .align 16 .b8 _[16]) _ (.param .align 16 .b8 _[16], .param .align 8 .b8 _[24], .param .b64 _);
kernel void order(double2 *o, int k, struct triple y) { *o = (k & 1 ? add2 : sub2)(*o, y, k); }

static __attribute__((noinline)) void set(int *o, double8 x, double2 y, struct pair z, float k, struct triple u)
{
    *o = (int)(x[1] + y[1] + z.a[1] + z.b.a[1] + k + u.a[2]);
}

static __attribute__((noinline)) void clear(int *o, double8 x, double2 y, struct pair z, float k, struct triple u)
{
    *o = (int)(x[0] - y[0] - z.a[0] - z.b.a[0] - k - u.a[0]);
}

// CHECK-LABEL: .entry many(
// CHECK: .callprototype (){{ ?}}_ (.param .b64 _, .param .align 64 .b8 _[64], .param .align 16 .b8 _[16], .param .align 16 .b8 _[48], .param .b32 _, .param .align 8 .b8 _[24]);
kernel void many(int *o, int k, double8 *x, struct pair z, struct triple u)
{
    (k & 1 ? set : clear)(o, *x, z.a, z, k, u);
}

static __attribute__((noinline)) int one(void) { return 1; }
static __attribute__((noinline)) int two(void) { return 2; }

// CHECK-LABEL: .entry none(
// CHECK: .callprototype (.param .b32 _) _ ();
kernel void none(int *o, int k) { *o = (k & 1 ? one : two)(); }
