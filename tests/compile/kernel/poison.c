// A poisoned identifier is the source's alone: the loops behind it use the name, and the source may not.
// RUN: %gpucc %s -o %t.ptx -o %t.o && FileCheck %s < %t.ptx
// RUN: not %gpucc %s -DWRONG -o %t.ptx 2>&1 | FileCheck --check-prefix=WRONG %s
#include <gpucc.h>
#pragma GCC poison x n args

#ifdef WRONG
// WRONG: poison.c:[[@LINE+1]]:8: error: attempt to use a poisoned identifier
static x;
#endif

// CHECK: .entry half_f32_f32
identity(0) reorderable vectorize()
float32 both(float32 a, float32 b) { return a + b; }
vectorize()
float32 half(float32 a) { return a / 2; }
