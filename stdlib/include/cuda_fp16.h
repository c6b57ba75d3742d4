/* CUDA sources include this for float16; here both are in one header. */
#include <gpucc/cuda_half.h>
