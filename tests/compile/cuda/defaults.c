// Default arguments: calls give some, all, in others' arguments, by a declaration before; what is no constant is told.
// RUN: %gpucc run %s calls zeros:10:float32 3 --threads=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s
// RUN: %gpucc %s -o %t.ptx -o %t.h && FileCheck %s --check-prefix=HOST < %t.h
// RUN: %exits 1 %gpucc -DWRONG %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
#include <cuda_runtime.h>

__device__ float scaled(float x, float by = 2.0f, int shift = 3 * -1 / 3)
{
    return x * by + (float)shift;
}

__device__ __forceinline__ float declared(float x = .5f, bool twice = false);

__device__ int is_null(const char *text = "some", const int *p = nullptr) { return (text[0] == 's') + (p == NULL); }

typedef float binary(float, float, int);

// HOST: calls(gpucc_context *gpucc_ctx, const gpucc_launch *gpucc_how, float *out, int32_t n)
__global__ void calls(float *out, int n = 3)
{
    binary *pointer = scaled;
    out[0] = scaled(3);
    out[1] = scaled(3, 3);
    out[2] = scaled(3, 3, 7);
    out[3] = scaled(scaled(1), scaled(2, scaled(1)));
    out[4] = declared();
    out[5] = declared(4) + declared(1, true);
    out[6] = (float)is_null();
    out[7] = (float)is_null("x");
    out[8] = pointer(1, 5, n);
    out[9] = scaled
        (2);
}
// CHECK: 5 8 16 0 0.5 6 2 1 8 3

__device__ float declared(float x, bool twice)
{
    return twice ? 2 * x : x;
}

#ifdef WRONG
int some;
// WRONG: defaults.c:[[#@LINE+2]]:34: error: C does not support default arguments
// WRONG: note: default arguments that are not constants
__device__ int of_variable(int x = some) { return x; }
// WRONG: defaults.c:[[#@LINE+1]]:44: error: too few arguments to function call, expected 3, have 0
__global__ void wrong(float *out) { *out = scaled(); }
// WRONG: defaults.c:[[#@LINE+1]]:59: error: too many arguments to function call, expected 3, have 4
__global__ void more(float *out) { *out = scaled(1, 2, 3, scaled(4)); }
#endif
