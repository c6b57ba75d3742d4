// Code under `#ifdef __NVPTX__` is in the PTX only, code under its `#else` in native code only.
// RUN: %exits 1 %gpucc %s -o %t.ptx 2>&1 | FileCheck --check-prefixes=BOTH,EXTRA %s
// RUN: %exits 1 %gpucc %s -o %t.ptx -o %t.o 2>&1 | FileCheck --check-prefixes=BOTH,EXTRA %s
// RUN: env GPUCC_DEVICE=cpu %gpucc run %s where 1.0 | FileCheck --check-prefix=CPU %s
#include <gpucc.h>

#ifdef __NVPTX__
// EXTRA: [[#@LINE+2]]:13: error: 'on_gpu' is in code for sm_75, but not in the host interface
// EXTRA: [[#@LINE+1]]:13: note: an '#if' hides it from them; hosts see the pass with __CUDA_ARCH__ = 750 and without __NVPTX__
kernel void on_gpu(float *a) { *a = 1; }
#else
// BOTH: [[#@LINE+2]]:13: error: 'on_cpu' is in the host interface, but not in code for sm_75
// BOTH: [[#@LINE+1]]:13: note: an '#if' hides it there; hosts see the pass with __CUDA_ARCH__ = 750 and without __NVPTX__
kernel void on_cpu(float *a) { *a = 1; }
#endif

// CPU: first   1
vectorize(float32(float32))
float where(float x)
{
#ifdef __NVPTX__
    return 2 * x;
#else
    return x;
#endif
}
