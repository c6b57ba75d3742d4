// RUN: %gpucc --no-short-names -fsyntax-only -Werror %s
// RUN: %exits 1 %gpucc -fsyntax-only %s
#include <gpucc.h>

enum { kernel, device, shared, grid };

gpucc_vectorize(float32(float32))
float f(float x) { return x; }

gpucc_kernel void k(int *p) { *p = kernel + device + shared + grid; }
