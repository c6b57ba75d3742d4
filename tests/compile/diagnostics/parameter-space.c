// All parameters of a kernel fit in 4 KiB on every GPU, in nearly 32 KiB from sm_70 on.
// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %exits 1 %gpucc -fsyntax-only --arch=sm_90,sm_62 %s 2>&1 | FileCheck %s --check-prefix=OLD
#include <gpucc.h>

struct page { char bytes[4096]; };
struct large { char bytes[32764]; };

kernel void fits(struct page page) { (void)page; }
kernel void fits_too(struct large large) { (void)large; }
// CHECK: parameter-space.c:[[#@LINE+2]]:40: error: with 'c', the parameters of 'k' take 32776 bytes; a kernel has 32764{{$}}
// CHECK: parameter-space.c:[[#@LINE+1]]:40: note: pass large values through a pointer
kernel void k(struct large large, char c, float *p) { *p = large.bytes[c]; }
// CHECK-NOT: error:

// OLD-NOT: 'fits'
// OLD: parameter-space.c:[[#@LINE-7]]:35: error: with 'large', the parameters of 'fits_too' take 32764 bytes; a kernel has 4096 on sm_62
// OLD: parameter-space.c:[[#@LINE-5]]:28: error: with 'large', the parameters of 'k' take 32776 bytes; a kernel has 4096 on sm_62
// OLD: 2 errors generated.
