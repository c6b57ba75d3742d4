// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck %s
// What all parameters of a kernel take.
#include <gpucc.h>

struct page { char bytes[4096]; };

kernel void fits(struct page page) { (void)page; }
// CHECK: parameter-space.c:[[#@LINE+2]]:38: error: with 'c', the parameters of 'k' take 4112 bytes; a kernel has 4096
// CHECK: parameter-space.c:[[#@LINE+1]]:38: note: pass what is large by a pointer
kernel void k(struct page page, char c, float *p) { *p = page.bytes[c]; }
// CHECK-NOT: error:
