// bfloat16 has fewer digits than float16 and a wider range: what is computed of it in float is not computed in float16
// because it becomes one.
// RUN: %gpucc run %s quotient full:1:bfloat16:-5e29 full:1:float16:-inf --device=cpu | FileCheck %s --check-prefix=ZERO
// RUN: %gpucc run %s quotient full:1:bfloat16:-5e29 full:1:float16:-inf --device=cpu -O0 | FileCheck %s --check-prefix=ZERO
// RUN: %gpucc run %s difference full:1:bfloat16:5e29 full:1:bfloat16:5e29 --device=cpu | FileCheck %s --check-prefix=ZERO
// RUN: %gpucc %s -o - --emit=ptx --arch=sm_90 -O2 | FileCheck %s
// ZERO: first   0
// CHECK-NOT: {{(div|sub)(\.[a-z]+)*\.f16}}
#include <gpucc.h>

vectorize()
float16 quotient(bfloat16 x, float16 y) { return (float16)((float)x / (float)y); }

vectorize()
float16 difference(bfloat16 x, bfloat16 y) { return (float16)((float)x - (float)y); }
