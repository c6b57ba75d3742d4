// Several architectures in one go: one PTX each, of the lowest ISA that has the target.
// RUN: rm -rf %t && mkdir %t
// RUN: %gpucc %s --arch=sm_90,sm_75,sm_80 -o %t/out.ptx -o %t/out.json
// RUN: FileCheck %s --check-prefix=SM75 < %t/out.sm_75.ptx
// RUN: FileCheck %s --check-prefix=SM80 < %t/out.sm_80.ptx
// RUN: FileCheck %s --check-prefix=SM90 < %t/out.sm_90.ptx
// RUN: not ls %t/out.ptx
// RUN: FileCheck %s --check-prefix=JSON < %t/out.json
// RUN: %gpucc %s --arch=sm_86 -o %t/one.ptx && FileCheck %s --check-prefix=SM86 < %t/one.ptx
// RUN: %gpucc %s --arch=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=SM90A
#include <gpucc.h>

vectorize()
int32 architecture(int32 x)
{
#ifdef __CUDA_ARCH__
    return x + __CUDA_ARCH__;
#else
    return x;
#endif
}
// SM75: .version 6.3
// SM75: .target sm_75
// SM75: , 750;
// SM80: .version 7.0
// SM80: .target sm_80
// SM80: , 800;
// SM86: .version 7.1
// SM86: .target sm_86
// SM86: , 860;
// SM90: .version 7.8
// SM90: .target sm_90{{$}}
// SM90: , 900;
// SM90A: .version 8.0
// SM90A: .target sm_90a

// JSON: "arch":{{.*}}"sm_75"
// JSON: "isa":{{.*}}"6.3"
// JSON: "driver":{{.*}}"10.0"
// JSON: "arch":{{.*}}"sm_80"
// JSON: "isa":{{.*}}"7.0"
// JSON: "arch":{{.*}}"sm_90"
// JSON: "isa":{{.*}}"7.8"
// JSON: "driver":{{.*}}"11.8"
