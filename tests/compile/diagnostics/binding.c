// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck %s
// An error that only some of a type variable's types have says which.
#include <gpucc.h>

typevar(T, float32, float64);

// CHECK: binding.c:[[#@LINE+3]]:27: error: static assertion failed
// CHECK: binding.c: note: where T = float64
vectorize()
T a(T x) { _Static_assert(sizeof(T) == 4, "float only"); return x; }
