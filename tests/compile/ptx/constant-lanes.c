// LLVM 19's back end crashed where a call has vectors of an odd number of float16s or bfloat16s with constant lanes.
// RUN: %gpucc %s --arch=sm_75,sm_80,sm_90 -O0 -o %t.ptx
// RUN: %gpucc %s --arch=sm_75,sm_80,sm_90 -O1 -o %t.ptx
// RUN: %gpucc %s -o %t.ptx && FileCheck %s < %t.ptx
// RUN: %gpucc run %s all 1 zeros:6:float32 --grid=1 --block=1 --device=cpu | FileCheck --check-prefix=VALUES %s
// RUN: %if fake-cuda %{ env GPUCC_LIBCUDA=%fake GPUCC_FAKE_PTX=1 %gpucc run %s all 1 zeros:6:float32 --grid=1 --block=1 --device=cuda | FileCheck --check-prefix=VALUES %s %}
// VALUES: first 6 8 9 11 24 21
#include <gpucc.h>

typedef float16 h3 __attribute__((ext_vector_type(3)));
typedef float16 h5 __attribute__((ext_vector_type(5)));
typedef bfloat16 b3 __attribute__((ext_vector_type(3)));
typedef uint8 c2 __attribute__((ext_vector_type(2)));

gpucc_noinline static float of_h3(h3 v) { return (float)v.x + (float)v.y + (float)v.z; }
gpucc_noinline static float of_h5(h5 v) { return (float)v[0] + (float)v[1] + (float)v[4]; }
gpucc_noinline static float of_b3(b3 v) { return (float)v.x + (float)v.y + (float)v.z; }
gpucc_noinline static float of_c2(c2 v) { return (float)v.x + (float)v.y; }

// CHECK-LABEL: .entry all(
// CHECK-COUNT-6: call.uni
kernel void all(int k, float *out)
{
    out[0] = of_h3((h3){1, 2, 3});
    out[1] = of_h3((h3){(float16)k, 3, 4});
    out[2] = of_h5((h5){1, 3, 0, 0, 5});
    out[3] = of_b3((b3){(bfloat16)k, 4, 6});
    out[4] = of_c2((c2){7, 17});
    out[5] = of_c2((c2){(uint8)k, 20});
}
