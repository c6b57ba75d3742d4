// NAME_at beside NAME; NAME_reduce, NAME_accumulate and NAME_reduceat where a loop can be folded; not where the source has that name itself.
// RUN: rm -rf %t && mkdir %t
// RUN: %gpucc %s -o %t/reduce.h -o %t/reduce.o
// RUN: FileCheck %s < %t/reduce.h
// RUN: sed -n 's|^// HOST: ||p' %s > %t/host.c
// RUN: %cc -std=c11 -Wall -Wextra -Werror -pedantic -I%include -I%t %t/host.c %t/reduce.o -o %t/host %lib && %t/host | FileCheck --check-prefix=SUM %s
// RUN: %cxx -std=c++17 -Wall -Wextra -Werror -pedantic -I%include -I%t -fsyntax-only -x c++ %t/host.c
#include <gpucc.h>

// CHECK: static inline gpucc_status add_reduce(gpucc_context *gpucc_ctx, const gpucc_array *gpucc_in, gpucc_array **gpucc_out, const gpucc_reduce_options *gpucc_how)
// CHECK: static inline gpucc_status add_accumulate(gpucc_context *gpucc_ctx, const gpucc_array *gpucc_in, gpucc_array **gpucc_out, const gpucc_accumulate_options *gpucc_how)
// CHECK: static inline gpucc_status add_reduceat(gpucc_context *gpucc_ctx, const gpucc_array *gpucc_in, const gpucc_array *gpucc_indices, gpucc_array **gpucc_out, const gpucc_reduceat_options *gpucc_how)
// CHECK: static inline gpucc_status add_at(gpucc_context *gpucc_ctx, gpucc_array *gpucc_in, const gpucc_array *gpucc_indices, const gpucc_array *gpucc_operand, const gpucc_at_options *gpucc_how)
// CHECK: static inline gpucc_status half_at(gpucc_context *gpucc_ctx, gpucc_array *gpucc_in, const gpucc_array *gpucc_indices, const gpucc_at_options *gpucc_how)
identity(0) reorderable vectorize()
int32 add(int32 x, int32 y) { return x + y; }

vectorize()
float32 half(float32 x) { return x / 2; }

vectorize()
float32 most(float32 x, float32 y) { return x > y ? x : y; }
// CHECK: gpucc_status most_reduce(gpucc_context *gpucc_ctx, const gpucc_array *x, gpucc_array **out)
vectorize()
float32 most_reduce(float32 x) { return x; }

// HOST: #include "reduce.h"
// HOST: #include <stdio.h>
// HOST: int main(void)
// HOST: {
// HOST:     const int64_t shape[2] = {2, 3};
// HOST:     const int32_t data[6] = {1, 2, 3, 10, 20, 30};
// HOST:     int32_t sums[3], all[6];
// HOST:     gpucc_context *context = NULL;
// HOST:     gpucc_array *x = NULL, *out = NULL;
// HOST:     static gpucc_context_options options;
// HOST:     options.size = sizeof options;
// HOST:     options.device = "cpu";
// HOST:     options.cpu_threads = 1;
// HOST:     if (gpucc_context_create(&options, &context) || gpucc_array_from_host(context, GPUCC_INT32, 2, shape, NULL, data, &x) ||
// HOST:         add_reduce(context, x, &out, NULL) || gpucc_array_read(out, sums, sizeof sums) || add_reduce(context, x, NULL, NULL) == GPUCC_OK)
// HOST:         return 1;
// HOST:     printf("%d %d %d\n", (int)sums[0], (int)sums[1], (int)sums[2]);
// HOST:     if (add_accumulate(context, x, &x, NULL) || gpucc_array_read(x, all, sizeof all))
// HOST:         return 1;
// HOST:     printf("%d %d %d\n", (int)all[3], (int)all[4], (int)all[5]);
// HOST:     gpucc_context_destroy(context);
// HOST:     return 0;
// HOST: }
// SUM: 11 22 33
// SUM: 11 22 33
