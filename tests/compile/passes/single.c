// A kernel that exists for some architectures only is made for those; where it is in no image that is asked for, nothing is.
// RUN: %gpucc %s -Werror --arch=sm_90 -o %t.ptx -o %t.o -o %t.h
// RUN: FileCheck %s < %t.ptx
// RUN: llvm-nm-19 %t.o | FileCheck --check-prefix=NATIVE %s
// RUN: FileCheck --check-prefix=HEADER %s < %t.h
// RUN: %gpucc %s --arch=sm_75 -o %t-none.ptx -o %t-none.o 2>&1 | FileCheck --check-prefix=NOTHING %s
// RUN: %exits 1 %gpucc %s --arch=sm_75,sm_90 -o %t-two.ptx -o %t-two.o 2>&1 | FileCheck --check-prefix=TWO %s
// RUN: %gpucc %s -DOTHERWISE --arch=sm_75 -o %t-other.ptx -o %t-other.o -o %t-other.json
// RUN: llvm-nm-19 %t-other.o | FileCheck --check-prefix=OTHER %s
#include <gpucc.h>

#if __CUDA_ARCH__ >= 900
// CHECK: .entry newest(
// NATIVE: newest_block
// HEADER: gpucc_status newest(
// NOTHING: warning: no function is annotated
// TWO: [[#@LINE+1]]:13: error: 'newest' is in code for sm_90, but not in the host interface
kernel void newest(float *a) { *a = __CUDA_ARCH__; }
#elif defined(OTHERWISE)
// OTHER: other_block
kernel void other(float *a) { *a = __CUDA_ARCH__; }
#endif

// Once, the back end crashed here: the kernel was there for the CPU, and not in the PTX.
#if __CUDA_ARCH__ >= 120
#else
kernel void never(float *a) { *a = 0; }
#endif
