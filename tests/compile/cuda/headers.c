// Which of the headers that a source includes have it read as CUDA's: those of CUDA's names, in a line of their own.
// RUN: printf '#include <curand_kernel.h>\n' > %t.1.cu; cat %s >> %t.1.cu; %gpucc %t.1.cu -o %t.ptx
// RUN: printf '# include "cuComplex.h"\n' > %t.2.cu; cat %s >> %t.2.cu; %gpucc %t.2.cu -o %t.ptx
// RUN: printf '#include "mma.h"\n' > %t.3.cu; cat %s >> %t.3.cu; %gpucc %t.3.cu -o %t.ptx
// RUN: printf '#include <vector_types.h>\n' > %t.4.cu; cat %s >> %t.4.cu; %gpucc %t.4.cu -o %t.ptx
// RUN: printf '#include <gpucc.h> // not cuda\n' > %t.5.cu; cat %s >> %t.5.cu
// RUN: %exits 1 %gpucc -D__device__= -D__global__=kernel %t.5.cu -o %t.ptx 2>&1 | FileCheck %s
// CHECK: error: unknown type name 'namespace'
namespace lib { __device__ int one(void) { return 1; } }
__global__ void ones(int *out) { out[0] = lib::one(); }
