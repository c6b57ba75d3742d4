// float16's fma is rounded once: the product is midway between two numbers, and what is added decides.
// RUN: %gpucc %s --emit=ptx -o /dev/null
// RUN: %gpucc run %s fused full:1:float16:1.703125 full:1:float16:1.09375 full:1:float16:-6e-8 --device=cpu | FileCheck %s --check-prefix=BELOW
// RUN: %gpucc run %s fused full:1:float16:1.005859375 full:1:float16:1.75 full:1:float16:6e-8 --device=cpu | FileCheck %s --check-prefix=ABOVE
// BELOW: dtype float16
// BELOW: first   1.862{{[0-9]*$}}
// ABOVE: first   1.761{{[0-9]*$}}
#include <gpucc.h>
#include <tgmath.h>

vectorize()
float16 fused(float16 x, float16 y, float16 z) { return fma(x, y, z); }
