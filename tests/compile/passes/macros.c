// Macros that one pass alone defines do not disturb the loops that follow the user's text.
// RUN: %gpucc %s --arch=sm_75,sm_90 -o %t.ptx -o %t.o
#include <gpucc.h>

#ifdef __NVPTX__
#define i 3
#define to from
#if __CUDA_ARCH__ >= 900
#define n n + 1
#endif
#endif

vectorize()
float plus(float x) { return x + 1; }
