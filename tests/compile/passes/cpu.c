// Native code is device code, of the lowest architecture that is asked for; what hosts are told of is read so, too.
// RUN: env GPUCC_DEVICE=cpu %gpucc run %s version zeros:1:int32 | FileCheck --check-prefix=DEFAULT %s
// DEFAULT: first   750
// RUN: env GPUCC_DEVICE=cpu %gpucc run %s version zeros:1:int32 --arch=sm_90 | FileCheck --check-prefix=ASKED %s
// ASKED: first   900
// RUN: env GPUCC_DEVICE=cpu %gpucc run %s version zeros:1:int32 -U__CUDA_ARCH__ | FileCheck --check-prefix=HOST %s
// HOST: first   0
#include <gpucc.h>

vectorize(int32(int32))
int version(int x)
{
#ifdef __CUDA_ARCH__
    return x + __CUDA_ARCH__;
#else
    return x; // what CUDA code has here is for the host
#endif
}
