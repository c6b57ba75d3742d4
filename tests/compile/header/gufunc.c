// NAME and NAME_with of a gufunc: its operands, without the sizes that its C function takes.
// RUN: rm -rf %t && mkdir %t
// RUN: %gpucc %s -o %t/gufunc.h -o %t/gufunc.o
// RUN: FileCheck %s < %t/gufunc.h
// RUN: sed -n 's|^// HOST: ||p' %s > %t/host.c
// RUN: %cc -std=c11 -Wall -Wextra -Werror -pedantic -I%include -I%t %t/host.c %t/gufunc.o -o %t/host %lib && %t/host | FileCheck --check-prefix=OUT %s
// RUN: %cxx -std=c++17 -Wall -Wextra -Werror -pedantic -I%include -I%t -fsyntax-only -x c++ %t/host.c
#include <gpucc.h>

// CHECK: static inline gpucc_status inner(gpucc_context *gpucc_ctx, const gpucc_array *x, const gpucc_array *y, gpucc_array **sum)
// CHECK: with a stream, axes, rules for types
// CHECK: gpucc_status inner_with(gpucc_context *gpucc_ctx, const gpucc_array *x, const gpucc_array *y, gpucc_array **sum, const gpucc_call_options *gpucc_how)
guvectorize((n),(n)->())
void inner(size_t n, const int32 x[n], const int32 y[n], int32 *sum)
{
    *sum = 0;
    for (size_t i = 0; i < n; i++)
        *sum += x[i] * y[i];
}

// HOST: #include "gufunc.h"
// HOST: #include <stdio.h>
// HOST: int main(void)
// HOST: {
// HOST:     const int64_t shape[2] = {2, 3};
// HOST:     const int32_t data[6] = {1, 2, 3, 10, 20, 30};
// HOST:     const int axis = 0;
// HOST:     int32_t rows[2], columns[3];
// HOST:     gpucc_context *context = NULL;
// HOST:     gpucc_array *x = NULL, *out = NULL, *other = NULL;
// HOST:     static gpucc_context_options options;
// HOST:     options.size = sizeof options;
// HOST:     options.device = "cpu";
// HOST:     options.cpu_threads = 1;
// HOST:     static gpucc_call_options how;
// HOST:     how.size = sizeof how;
// HOST:     how.axis = &axis;
// HOST:     if (gpucc_context_create(&options, &context) || gpucc_array_from_host(context, GPUCC_INT32, 2, shape, NULL, data, &x) ||
// HOST:         inner(context, x, x, &out) || gpucc_array_read(out, rows, sizeof rows) ||
// HOST:         inner_with(context, x, x, &other, &how) || gpucc_array_read(other, columns, sizeof columns))
// HOST:         return 1;
// HOST:     printf("%d %d, %d %d %d\n", (int)rows[0], (int)rows[1], (int)columns[0], (int)columns[1], (int)columns[2]);
// HOST:     gpucc_context_destroy(context);
// HOST:     return 0;
// HOST: }
// OUT: 14 1400, 101 404 909
