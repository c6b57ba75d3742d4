// RUN: %exits 1 %gpucc %s -DBOUNDS=5000 -o %t.ptx 2>&1 | FileCheck --check-prefixes=CHECK,MANY %s
// RUN: %exits 1 %gpucc %s -DBOUNDS=-1 -o %t.ptx 2>&1 | FileCheck --check-prefixes=CHECK,NEGATIVE %s
// RUN: %exits 1 %gpucc %s -DBOUNDS=0 -o %t.ptx -o %t.o 2>&1 | FileCheck --check-prefixes=CHECK,ZERO %s
// RUN: %exits 1 %gpucc %s -DBOUNDS=128,33 -o %t.ptx 2>&1 | FileCheck --check-prefixes=CHECK,BLOCKS %s
// RUN: %exits 1 %gpucc %s -DBOUNDS=4294967552 -o %t.ptx 2>&1 | FileCheck --check-prefixes=CHECK,WIDE %s
// RUN: %exits 1 %gpucc %s '-DBOUNDS=128,((__int128)4<<64)' -o %t.so 2>&1 | FileCheck --check-prefixes=CHECK,WIDEST %s
// RUN: %exits 0 %gpucc %s -DBOUNDS=1024 -o %t.ptx
// RUN: %exits 0 %gpucc %s -DBOUNDS=64,32 -o %t.ptx
#include <gpucc.h>

// MANY: launch-bounds-range.c:[[#@LINE+7]]:6: error: launch_bounds(5000) for 'k', but a block has 1 to 1024 threads
// NEGATIVE: launch-bounds-range.c:[[#@LINE+6]]:6: error: launch_bounds(-1) for 'k', but a block has 1 to 1024 threads
// ZERO: launch-bounds-range.c:[[#@LINE+5]]:6: error: launch_bounds(0) for 'k', but a block has 1 to 1024 threads
// BLOCKS: launch-bounds-range.c:[[#@LINE+4]]:6: error: launch_bounds(128, 33) for 'k', but a multiprocessor holds at most 32 blocks
// WIDE: launch-bounds-range.c:[[#@LINE+3]]:6: error: launch_bounds(4294967552) for 'k', but a block has 1 to 1024 threads
// WIDEST: launch-bounds-range.c:[[#@LINE+2]]:6: error: launch_bounds(128, 9223372036854775807) for 'k', but a multiprocessor holds at most 32 blocks
kernel launch_bounds(BOUNDS)
void k(int n, float *p) { p[0] = n; }
// CHECK: 1 error generated.
