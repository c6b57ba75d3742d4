/* The types of cuFFT that kernels share with hosts, which call it. */
#ifndef GPUCC_CUFFT_H
#define GPUCC_CUFFT_H

#include <cuComplex.h>

typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;

#endif
