// A fused ufunc is one like any other, whose parameters are those of the expression; of a fused reduction there is a function with
// options alone, and a manifest's entry that names what combines its elements.
// RUN: rm -rf %t && mkdir %t
// RUN: %gpucc %s -o %t/fuse.h -o %t/fuse.o -o %t/fuse.json -o %t/fuse.ptx
// RUN: %python %root/tests/schema.py %root/docs/reference/manifest.schema.json %t/fuse.json
// RUN: FileCheck %s < %t/fuse.h
// RUN: FileCheck --check-prefix=JSON %s < %t/fuse.json
// RUN: FileCheck --check-prefix=PTX %s < %t/fuse.ptx
// RUN: sed -n 's|^// HOST: ||p' %s > %t/host.c
// RUN: %cc -std=c11 -Wall -Wextra -Werror -pedantic -I%include -I%t %t/host.c %t/fuse.o -o %t/host %lib && %t/host | FileCheck --check-prefix=SUM %s
// RUN: %cxx -std=c++17 -Wall -Wextra -Werror -pedantic -I%include -I%t -fsyntax-only -x c++ %t/host.c
// RUN: %cc -std=c17 -Wall -Wextra -Werror -pedantic -I%include -c %s -o %t/plain.o
#include <gpucc.h>

identity(0) reorderable vectorize()
int32 add(int32 x, int32 y) { return x + y; }

vectorize()
int32 mul(int32 x, int32 y) { return x * y; }

// CHECK: /* a x + y */
// CHECK-NEXT: static inline gpucc_status axpy(gpucc_context *gpucc_ctx, const gpucc_array *a, const gpucc_array *x, const gpucc_array *y, gpucc_array **out)
// JSON: "name": "axpy"
// JSON-NEXT: "kind": "ufunc"
// JSON-NEXT: "doc": "a x + y"
/* a x + y */
fuse(axpy, add(mul(a, x), y));

// CHECK: /* The sum of products. */
// CHECK-NEXT: /* Elements that it makes are combined by add; see gpucc_reduction_call(). */
// CHECK-NEXT: static inline gpucc_status dot(gpucc_context *gpucc_ctx, const gpucc_array *x, const gpucc_array *y, gpucc_array **gpucc_out, const gpucc_reduce_options *gpucc_how)
// CHECK-NOT: dot_reduce
// JSON: "name": "dot"
// JSON-NEXT: "kind": "reduction"
// JSON: "identity": "0"
// JSON-NEXT: "reorderable": true
// JSON-NEXT: "by": "add"
// JSON-NOT: "kind": "contiguous"
// JSON: "kind": "reduce_gathered"
// JSON: "entry": "dot_i32i32_i32_gathered"
// JSON: "type": "struct gpucc_gather"
// JSON: "kind": "native"
// PTX: .visible .entry dot_i32i32_i32_gathered(
// PTX-NOT: .entry dot_i32i32_i32
/* The sum of products. */
fuse(dot, reduce(add, mul(x, y)));

// HOST: #include "fuse.h"
// HOST: #include <stdio.h>
// HOST: int main(void)
// HOST: {
// HOST:     const int64_t shape[2] = {2, 3};
// HOST:     const int32_t data[6] = {1, 2, 3, 10, 20, 30};
// HOST:     int32_t sums[3], all;
// HOST:     gpucc_context *context = NULL;
// HOST:     gpucc_array *x = NULL, *out = NULL, *total = NULL;
// HOST:     static gpucc_context_options options;
// HOST:     options.size = sizeof options;
// HOST:     options.device = "cpu";
// HOST:     options.cpu_threads = 1;
// HOST:     gpucc_reduce_options how = {sizeof how, NULL, NULL, GPUCC_ALL_AXES, 0, NULL, NULL, NULL};
// HOST:     gpucc_ufunc *ufunc = NULL;
// HOST:     if (gpucc_context_create(&options, &context) || gpucc_array_from_host(context, GPUCC_INT32, 2, shape, NULL, data, &x) ||
// HOST:         dot(context, x, x, &out, NULL) || gpucc_array_read(out, sums, sizeof sums) || dot(context, x, x, &total, &how) ||
// HOST:         gpucc_array_read(total, &all, sizeof all))
// HOST:         return 1;
// HOST:     printf("%d %d %d: %d\n", (int)sums[0], (int)sums[1], (int)sums[2], (int)all);
// HOST:     if (dot(context, x, NULL, &total, NULL) == GPUCC_OK || dot(context, x, x, NULL, NULL) == GPUCC_OK)
// HOST:         return 1;
// HOST:     gpucc_context_ufunc(context, &gpucc_program_fuse, GPUCC_ABI_fuse, "dot", &ufunc);
// HOST:     const gpucc_array *inputs[2] = {x, x};
// HOST:     if (gpucc_ufunc_call(ufunc, inputs, &total, NULL) == GPUCC_OK)
// HOST:         return 1;
// HOST:     printf("%s\n", gpucc_last_error());
// HOST:     if (gpucc_ufunc_reduce(ufunc, x, &total, NULL) == GPUCC_OK || gpucc_ufunc_outer(ufunc, inputs, &total, NULL) == GPUCC_OK ||
// HOST:         gpucc_ufunc_accumulate(ufunc, x, &total, NULL) == GPUCC_OK || gpucc_ufunc_at(ufunc, x, x, x, NULL) == GPUCC_OK)
// HOST:         return 1;
// HOST:     gpucc_context_ufunc(context, &gpucc_program_fuse, GPUCC_ABI_fuse, "axpy", &ufunc);
// HOST:     if (gpucc_reduction_call(ufunc, inputs, &total, NULL) == GPUCC_OK)
// HOST:         return 1;
// HOST:     printf("%s\n", gpucc_last_error());
// HOST:     gpucc_array_release(total);
// HOST:     gpucc_array_release(out);
// HOST:     gpucc_array_release(x);
// HOST:     gpucc_context_destroy(context);
// HOST:     return 0;
// HOST: }
// SUM: 101 404 909: 1414
// SUM: dot is a reduction by add, which gpucc_reduction_call() does, and nothing else
// SUM: axpy is no fused reduction, which is what gpucc_reduction_call() is for
