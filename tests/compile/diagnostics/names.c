// RUN: %exits 1 %gpucc %s -o %t.ptx 2>&1 | FileCheck %s
// Symbols of PTX are ASCII; other names may be what C allows.
#include <gpucc.h>

// CHECK: names.c:[[#@LINE+2]]:7: error: 'größe' is not a valid PTX symbol: use ASCII letters, digits, '_' and '$'
vectorize()
float größe(float x) { return x; }

// CHECK: names.c:[[#@LINE+1]]:13: error: 'läufer' is not a valid PTX symbol
kernel void läufer(float *p) { *p = 1; }

// CHECK: names.c:[[#@LINE+1]]:7: error: 'zähler' is not a valid PTX symbol
float zähler[3];
kernel void uses(float *p) { zähler[threadIdx.x] = *p; }

// CHECK-NOT: error:
static float hälfte(float x) { return x / 2; }
kernel void fine(float *ö)
{
    shared float kachel_ä[3];
    kachel_ä[threadIdx.x] = hälfte(*ö);
    syncthreads();
    *ö = kachel_ä[0];
}
