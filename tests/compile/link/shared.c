// Static shared memory of PTX that is linked counts for the kernels that call it.
// RUN: %gpucc %s %S/Inputs/shared.ptx -o %t.ptx -o %t.json
// RUN: %python -m json.tool --compact %t.json | FileCheck %s
// RUN: %exits 1 %gpucc %s %S/Inputs/shared.ptx -DLARGE -o %t.2.ptx 2>&1 | FileCheck %s --check-prefix=LARGE
#include <gpucc.h>

int summed(int x);
int inner(int x);
int plain(int x);

// CHECK: "entry":"deeply"{{.*}}"shared":8600,
// LARGE: shared.c:[[#@LINE+2]]:6: error: with what it calls, 'deeply' declares 56560 bytes of shared memory; more than 49152 (48 KiB) cannot be declared
kernel
void deeply(int *p)
{
#ifndef LARGE
#define COUNT 10
#else
#define COUNT 12000
#endif
    shared int tile[COUNT];
    tile[threadIdx.x] = p[1];
    p[0] = summed(tile[p[3]]);
}

// CHECK: "entry":"once"{{.*}}"shared":400,
kernel
void once(int *p)
{
    p[0] = inner(p[1]);
}

// CHECK: "entry":"without"{{.*}}"shared":0,
kernel
void without(int *p)
{
    p[0] = plain(p[1]);
}
