// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
#include <gpucc.h>

// CHECK: kernel.c:[[#@LINE+1]]:12: error: kernel 'a' returns 'int': make it 'void' and write results through a pointer
kernel int a(int n) { return n; }

// CHECK: kernel.c:[[#@LINE+1]]:27: error: kernel parameter 'x' has type 'long double', which hosts cannot pass
kernel void b(long double x) { (void)x; }

// CHECK: kernel.c:[[#@LINE+1]]:22: error: kernel parameter 'call' has type 'int (*)(int)', which hosts cannot pass
kernel void c(int (* call)(int)) { call(1); }

// CHECK: kernel.c:[[#@LINE+1]]:8: error: 'd' is annotated twice: with 'kernel' and with 'vectorize'
kernel vectorize() void d(float x, float *y) { *y = x; }

// CHECK: kernel.c:[[#@LINE+1]]:13: error: 'f' takes a variable number of arguments, which device code does not support
kernel void f(int n, ...) { (void)n; }

// CHECK: kernel.c:[[#@LINE+1]]:21: error: device function 'i' is visible outside this file, so it must not be 'static'
device static float i(float x) { return x; }

// CHECK: kernel.c:[[#@LINE+1]]:13: error: 'e' is annotated with 'kernel' but has no body in this file
kernel void e(int n);
