// RUN: %exits 1 %gpucc %s -o %t.o 2>&1 | FileCheck %s
// RUN: sh -c '! test -e %t.o'
// RUN: %exits 1 %gpucc %s -DTOLD -o %t.o 2>&1 | FileCheck %s --check-prefix=TOLD
// RUN: sh -c '! test -e %t.o'
// What LLVM aborts on ends in an error that names the function; so does what it can make no code of.
#include <gpucc.h>

// CHECK-NOT: {{^}}LIBCLANG
// CHECK: gpucc: error: the back end failed while compiling 'raises{{.*}}': Cannot select: {{.*}}fpow
// CHECK-NEXT: gpucc: note: this is a fault of gpucc
// TOLD: gpucc: error: no code can be made of 'raises{{.*}}': no libcall available for fexp
kernel void raises(float *p)
{
#ifdef TOLD
    *p = __builtin_elementwise_exp(*p);
#else
    *p = __builtin_elementwise_pow(*p, p[1]);
#endif
}
