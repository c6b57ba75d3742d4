// A barrier of the whole grid: a counter in the workspace that the driver gives a cooperative launch.  It is in the
// manifest, through called functions too.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s --emit=json -o - | %python -m json.tool | FileCheck %s --check-prefix=JSON
// RUN: %gpucc run %s reverse arange:60:float32 zeros:60:float32 --grid=5 --block=12 --device=cpu | FileCheck %s --check-prefix=VALUE
// RUN: %exits 2 %gpucc run %s reverse arange:60:float32 zeros:60:float32 --grid=300 --block=256 --device=cpu 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: %gpucc %s -o %t.json && %gpucc inspect %t.json | FileCheck %s --check-prefix=INSPECT
#include <gpucc.h>

kernel
void direct(float *a)
{
    a[grid(1)] = 1;
    grid_sync();
    a[0] = a[gridsize(1) - 1];
}
// CHECK: .visible .entry direct(
// CHECK: mov.b64 [[WORKSPACE:%rd[0-9]+]], {%envreg2, %envreg1};
// CHECK: setp.{{ne|eq}}.s64 {{%p[0-9]+}}, [[WORKSPACE]], 0;
// CHECK: bar.sync 0;
// CHECK: membar.gl;
// CHECK: atom.add.u32 [[BEFORE:%r[0-9]+]],
// CHECK: ld.volatile.u32 [[NOW:%r[0-9]+]], {{\[}}[[WORKSPACE]]+4]
// CHECK: xor.b32 {{.*}}[[NOW]], [[BEFORE]];
// CHECK: bra
// CHECK: membar.gl;
// CHECK: bar.sync 0;
// CHECK: ld.global.{{[fu]}}32
// JSON: "entry": "direct"
// JSON: "barriers": true
// JSON-NEXT: "cooperative": true

static void step(int *a)
{
    (*a)++;
    grid_sync();
}

kernel
void called(int *a)
{
    for (int i = 0; i < 10; i++)
        step(a + i);
}
// JSON: "entry": "called"
// JSON: "barriers": true
// JSON-NEXT: "cooperative": true

kernel
void none(int *a)
{
    syncthreads();
    *a = 0;
}
// JSON: "entry": "none"
// JSON: "barriers": true
// JSON-NEXT: "cooperative": false

/* From the last to the first, across blocks. */
kernel
void reverse(float *a, float *b)
{
    size_t i = grid(1), n = gridsize(1);
    b[i] = a[i];
    grid_sync();
    a[i] = b[n - 1 - i];
}
// VALUE: first   59 58 57 56 55 54 53 52
// LIMIT: gpucc: error: reverse: its grid_sync() needs all blocks to run at once: a grid of 300 blocks of 256 threads; the device runs 256 of them at a time
// INSPECT: kernel reverse
// INSPECT: barriers, cooperative launch
