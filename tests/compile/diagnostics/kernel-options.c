// RUN: %exits 1 %gpucc %s -DOPTIONS="max_registers(15)" -o %t.ptx 2>&1 | FileCheck --check-prefix=FEW %s
// RUN: %exits 1 %gpucc %s -DOPTIONS="max_registers(256)" -o %t.ptx 2>&1 | FileCheck --check-prefix=MANY %s
// RUN: %exits 1 %gpucc %s -DOPTIONS="max_registers(32) launch_bounds(64, 2)" -o %t.ptx 2>&1 | FileCheck --check-prefix=BOTH %s
// RUN: %exits 1 %gpucc %s -DOPTIONS="max_registers(n)" -o %t.ptx 2>&1 | FileCheck --check-prefix=CONSTANT %s
// RUN: %exits 0 %gpucc %s -DOPTIONS="max_registers(32) launch_bounds(64)" -o %t.ptx 2>&1 | FileCheck --check-prefix=IGNORED %s
#include <gpucc.h>

// FEW: kernel-options.c:[[#@LINE+5]]:6: error: max_registers(15) for 'k', but a thread can have 16 to 255 registers
// MANY: kernel-options.c:[[#@LINE+4]]:6: error: max_registers(256) for 'k', but a thread can have 16 to 255 registers
// BOTH: kernel-options.c:[[#@LINE+3]]:6: error: 'k' has both max_registers(32) and launch_bounds(64, 2), whose second number limits registers too: remove one
// CONSTANT: kernel-options.c:[[#@LINE+1]]:8: error:
kernel OPTIONS
void k(int n, float *p) { p[0] = n; }

// IGNORED: kernel-options.c:[[#@LINE+1]]:8: warning: 'max_registers' has no effect on 'u', which is not a kernel
device max_registers(40)
float u(float x) { return x; }
