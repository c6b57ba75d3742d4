/* CUDA sources include this by habit or by need; what it declares for kernels is in <gpucc/cuda.h>. */
#include <gpucc/cuda.h>
