// Native code for processors with AVX-512, and what -march does not take.
// RUN: %gpucc %s -o %t.o && objdump -d %t.o | FileCheck %s --check-prefix=V3
// RUN: %gpucc %s -march=x86-64-v4 -o %t.o && objdump -d %t.o | FileCheck %s --check-prefix=V4
// RUN: %gpucc %s -o %t.3.ptx && %gpucc %s -march=x86-64-v4 -o %t.4.ptx && cmp %t.3.ptx %t.4.ptx
// RUN: %exits 2 %gpucc %s -march=skylake 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: gpucc: error: -march does not take 'skylake'; it takes: x86-64-v2 x86-64-v3 x86-64-v4 aarch64-linux-gnu
// RUN: %gpucc %s -march=native -o %t.n.o -o %t.n.json && %gpucc %s -march native -o %t.w.o && cmp %t.n.o %t.w.o
// RUN: FileCheck %s --check-prefix=NATIVE --input-file %t.n.json
// NATIVE: "native_targets": {{.*(x86-64-v[234]|aarch64)}}
#include <gpucc.h>

// V3-NOT: zmm
// V3: vmulps {{.*}}%ymm
// V3-NOT: zmm
// V4: vmulps {{.*}}%zmm
vectorize(float32(float32, float32))
float product(float x, float y)
{
    return x * y;
}
