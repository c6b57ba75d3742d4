// A generated function says which pointer of its caller's is null.
// RUN: %gpucc %s -o %t.h -o %t.o && %cc -DHOST='"%t.h"' -I%include -x c %s -x none %t.o %lib -o %t && env GPUCC_DEVICE=cpu %t | FileCheck %s
#ifdef HOST
#include HOST
#include <stdio.h>

int main(void)
{
    gpucc_context *c;
    gpucc_array *x, *y = NULL;
    float one = 1;
    if (gpucc_context_create(NULL, &c) || gpucc_array_scalar(c, GPUCC_FLOAT32, &one, &x))
        return 1;
    // CHECK: 1 add: a pointer to an output is null
    printf("%d %s\n", add(c, x, x, NULL), gpucc_last_error());
    // CHECK: 1 split: a pointer to an output is null
    printf("%d %s\n", split(c, x, &y, NULL), gpucc_last_error());
    // CHECK: 1 split: input 0 is null
    printf("%d %s\n", split(c, NULL, &y, &y), gpucc_last_error());
    // CHECK: 1 add: the context is null
    printf("%d %s\n", add(NULL, x, x, &y), gpucc_last_error());
    // CHECK: 1 count: the context is null
    printf("%d %s\n", count(NULL, NULL, NULL), gpucc_last_error());
    gpucc_context_destroy(c);
}
#else
#include <gpucc.h>

vectorize() float add(float a, float b) { return a + b; }
vectorize() void split(float a, float *half, float *rest)
{
    *half = a / 2;
    *rest = a - *half;
}
kernel
void count(int32 *n) { *n = 1; }
#endif
