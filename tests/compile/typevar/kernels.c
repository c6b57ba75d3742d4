// A kernel with type variables is made once for each type, under a name with its code; one without keeps its name.
// RUN: %gpucc %s -o %t.ptx -o %t.o -o %t.h -o %t.json
// RUN: FileCheck %s < %t.ptx
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=SYMBOLS
// RUN: FileCheck %s --check-prefix=HEADER < %t.h
// RUN: %cc -std=c11 -fsyntax-only -I%include -x c %t.h
// RUN: %python -m json.tool --compact %t.json | FileCheck %s --check-prefix=JSON
#include <gpucc.h>

typevar(T, float32, float64);

kernel
void fill(size_t n, T a[n], T value)
{
    shared T first;
    size_t i = grid(1);
    if (threadIdx.x == 0)
        first = value;
    syncthreads();
    if (i < n)
        a[i] = first;
}
// CHECK: .visible .entry fill_f32(
// CHECK: .param .f32 fill_f32_param_2
// CHECK: st.global.{{[fub]}}32
// CHECK: .visible .entry alone(
// CHECK: .visible .entry fill_f64(
// CHECK: .param .f64 fill_f64_param_2
// CHECK: st.global.{{[fub]}}64
// SYMBOLS-DAG: T fill_f32_thread
// SYMBOLS-DAG: T fill_f64_thread
// SYMBOLS-DAG: T alone_thread
// HEADER: gpucc_status fill_f32(gpucc_context *gpucc_ctx, const gpucc_launch *gpucc_how, uint64_t n, float *a, float value)
// HEADER: gpucc_status alone(
// HEADER: gpucc_status fill_f64(gpucc_context *gpucc_ctx, const gpucc_launch *gpucc_how, uint64_t n, double *a, double value)
// HEADER-NOT: gpucc_status alone(
// JSON: "entry":"fill_f32"{{.*}}"shared":4,
// JSON: "entry":"fill_f64"{{.*}}"shared":8,

kernel
void alone(int32 *a) { *a = 1; }
// CHECK-NOT: .entry alone
