// Names of the source that the header or its language has already get underscores, and stay apart.
// RUN: rm -rf %t && mkdir %t
// RUN: %gpucc %s -o %t/clashes.h -o %t/clashes.o
// RUN: FileCheck %s < %t/clashes.h
// RUN: echo '#include <complex.h>' > %t/host.c && echo '#include <errno.h>' >> %t/host.c
// RUN: echo '#include "clashes.h"' >> %t/host.c && echo 'int main(void) { return 0; }' >> %t/host.c
// RUN: %cc -std=c11 -Wall -Wextra -Werror -pedantic -I%include -I%t %t/host.c %t/clashes.o -o %t/host %lib
// RUN: %cc -std=gnu17 -Wall -Wextra -Werror -I%include -I%t -fsyntax-only %t/host.c
// RUN: %gpucc %s --embed -o %t/embedded.h && echo '#include "embedded.h"' > %t/host.c
// RUN: %cc -std=gnu17 -Wall -Wextra -Werror -Wno-unused -I%include -I%t -fsyntax-only %t/host.c
// RUN: %cxx -std=c++17 -Wall -Wextra -Werror -Wno-unused -I%include -I%t -fsyntax-only -x c++ %t/host.c
#include <gpucc.h>

// CHECK-DAG: gpucc_status gpucc_program_clashes_(gpucc_context *gpucc_ctx,
kernel void gpucc_program_clashes(float32 *gpucc_ctx, float32 *gpucc_found, int gpucc_how) { gpucc_ctx[gpucc_how] = *gpucc_found; }
// CHECK-DAG: gpucc_status gpucc_kernel_launch_(gpucc_context *gpucc_ctx,
kernel void gpucc_kernel_launch(float32 *x) { x[0] = 1; }
// CHECK-DAG: gpucc_status GPUCC_ABI_clashes_(gpucc_context *gpucc_ctx,
kernel void GPUCC_ABI_clashes(float32 *gpucc_array) { gpucc_array[0] = 1; }
// CHECK-DAG: gpucc_status gpucc_array_(gpucc_context *gpucc_ctx,
vectorize()
float32 gpucc_array(float32 gpucc_inputs, float32 gpucc_outputs) { return gpucc_inputs + gpucc_outputs; }
// CHECK-DAG: gpucc_status sqrt__(gpucc_context *gpucc_ctx,
vectorize()
float32 sqrt(float32 x) { return x; }
// CHECK-DAG: gpucc_status sqrt_(gpucc_context *gpucc_ctx,
vectorize()
float32 sqrt_(float32 x) { return x; }
// CHECK-DAG: gpucc_status new__(gpucc_context *gpucc_ctx,
vectorize()
float32 new(float32 errno, float32 I) { return errno + I; }
// CHECK-DAG: gpucc_status new_(gpucc_context *gpucc_ctx,
vectorize()
float32 new_(float32 typeof_unqual, float32 complex) { return typeof_unqual + complex; }
// CHECK-DAG: gpucc_status linux_(gpucc_context *gpucc_ctx,
kernel void linux(float32 *unix) { unix[0] = 1; }
// CHECK-DAG: gpucc_status sum_reduce(gpucc_context *gpucc_ctx, const gpucc_launch *gpucc_how,
kernel void sum_reduce(float32 *x) { x[0] = 1; }
identity(0) reorderable vectorize()
float32 sum(float32 x, float32 y) { return x + y; }
