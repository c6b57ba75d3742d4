// RUN: %gpucc --dump=instances -fsyntax-only %s | FileCheck %s
#include <gpucc.h>

typevar(T, float32, float64);
typevar(U, int32, int64);

vectorize(float32(float32), float64(float64))
T a(T x) { return x; }

vectorize((U, float32)(float32, U))
void b(float x, U n, U *first, float *second) { *first = n; *second = x; }

vectorize()
float c(float x) { return x; }

static T half(T x) { return x / 2; }
kernel void d(size_t n, float x[n][3], float *p) { p[0] = x[0][0] + half(1); }
kernel void e(float *p) { *p = 0; }

guvectorize((m,n),(n)->(m))
void f(size_t n, size_t m, const T A[m][n], const T x[n], T y[m]) { y[0] = A[0][0] * x[0]; }

// CHECK: pass 0: T=float32 U=int32
// CHECK-NEXT: ufunc a_f32_f32: (float32) -> (float32)
// CHECK-NEXT: ufunc b_f32i32_i32f32: (float32, int32) -> (int32, float32)
// CHECK-NEXT: ufunc c_f32_f32: (float32) -> (float32)
// CHECK-NEXT: kernel d_f32: (size_t n, float * x[n][3], float * p) -> void
// CHECK-NEXT: kernel e: (float * p) -> void
// CHECK-NEXT: gufunc f_f32f32_f32: (float32, float32) -> (float32) (m,n),(n)->(m)
// CHECK: pass 1: T=float64 U=int64
// CHECK-NEXT: ufunc a_f64_f64
// CHECK-NEXT: ufunc b_f32i64_i64f32
// CHECK-NEXT: kernel d_f64
// CHECK-NEXT: gufunc f_f64f64_f64
// CHECK-NEXT: abi {{[0-9a-f]+}}
