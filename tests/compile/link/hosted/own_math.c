// A function that another file defines is used, though the math library has one of its name: with <math.h> in either
// file, in both or in none.
// RUN: %gpucc run -w %s %S/Inputs/own_math.c f linspace:-1:1:3 --device=cpu | FileCheck %s
// RUN: %gpucc run -w -DHEADER_HERE %s %S/Inputs/own_math.c f linspace:-1:1:3 --device=cpu | FileCheck %s
// RUN: %gpucc run -w -DHEADER_THERE %s %S/Inputs/own_math.c f linspace:-1:1:3 --device=cpu | FileCheck %s
// RUN: %gpucc run -w -DHEADER_HERE -DHEADER_THERE %s %S/Inputs/own_math.c f linspace:-1:1:3 --device=cpu | FileCheck %s
// RUN: %gpucc run -w -DHEADER_THERE %s %S/Inputs/own_math.c log1p linspace:-1:1:3 --device=cpu | FileCheck %s --check-prefix=LOG1P
// RUN: %gpucc -w -DHEADER_HERE %s %S/Inputs/own_math.c -o - --emit=ptx | FileCheck %s --check-prefix=PTX
// CHECK: first {{ *}}-24.5 0 26.5
// LOG1P: first {{ *}}-1.5 0 0.5
// PTX: 0d4037000000000000
// PTX-NOT: rsqrt.
#include <gpucc.h>
#ifdef HEADER_HERE
#include <math.h>
#else
double rsqrt(double x);
#endif
gpucc_vectorize() double log1p(double x);
vectorize() double f(double x) { return log1p(x) + rsqrt(x); }
