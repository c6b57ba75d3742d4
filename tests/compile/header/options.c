// NAME_with beside NAME, for calls with options; not where the source has that name itself.
// RUN: %gpucc %s -o %t.o -o %t.h
// RUN: FileCheck %s < %t.h
// RUN: sh -c 'sed -n "s/^\/\/ HOST: //p" %s | sed "s,@,%t," > %t.host.c'
// RUN: %cc -std=c11 -Wall -Wextra -Werror -I%include %t.host.c %t.o %lib -o %t.host
// RUN: env GPUCC_DEVICE=cpu %t.host
#include <gpucc.h>

vectorize()
float32 add(float32 x, float32 y) { return x + y; }
// CHECK: static inline gpucc_status add(gpucc_context *gpucc_ctx, const gpucc_array *x, const gpucc_array *y, gpucc_array **out)
// CHECK: static inline gpucc_status add_with(gpucc_context *gpucc_ctx, const gpucc_array *x, const gpucc_array *y, gpucc_array **out, const gpucc_call_options *gpucc_how)

vectorize()
float32 half(float32 x) { return x / 2; }

vectorize()
float32 half_with(float32 x) { return x; }
// CHECK: gpucc_status half_with(gpucc_context *gpucc_ctx, const gpucc_array *x, gpucc_array **out)
// CHECK-NOT: half_with(gpucc_context *gpucc_ctx, const gpucc_array *x, gpucc_array **out, const gpucc_call_options

int32 twice_with;
vectorize()
float32 twice(float32 x) { return x * 2; }
// CHECK: gpucc_status twice(gpucc_context *
// CHECK-NOT: const gpucc_call_options *

// HOST: #include "@.h"
// HOST: int main(void)
// HOST: {
// HOST:     const int64_t n = 3;
// HOST:     float x[3] = {1, 2, 3}, sums[3];
// HOST:     bool where[3] = {true, false, true};
// HOST:     gpucc_context *context;
// HOST:     gpucc_array *in, *mask, *out = NULL;
// HOST:     if (gpucc_context_create(NULL, &context) ||
// HOST:         gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &n, NULL, x, &in) ||
// HOST:         gpucc_array_from_host(context, GPUCC_BOOLEAN, 1, &n, NULL, where, &mask))
// HOST:         return 1;
// HOST:     gpucc_call_options how = {.size = sizeof how, .where = mask};
// HOST:     if (add_with(context, in, in, &out, &how) || gpucc_array_read(out, sums, sizeof sums))
// HOST:         return 1;
// HOST:     gpucc_context_destroy(context);
// HOST:     return sums[0] != 2 || sums[1] != 0 || sums[2] != 6;
// HOST: }
