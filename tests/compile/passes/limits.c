// launch_bounds, max_registers and cluster are one for all images; their arguments are constants of C.
// RUN: %gpucc %s --arch=sm_90 -o %t.ptx -o %t.json
// RUN: FileCheck --check-prefix=PTX %s < %t.ptx
// RUN: %python -m json.tool --compact %t.json | FileCheck --check-prefix=JSON %s
// RUN: %exits 1 %gpucc %s --arch=sm_75,sm_90 -o %t-two.ptx 2>&1 | FileCheck %s
#include <gpucc.h>

// PTX: .maxntid 512
// JSON: "launch_bounds":512
// CHECK: [[#@LINE+3]]:6: error: launch_bounds, max_registers or cluster of 'fill' differ between code for sm_90 and code for sm_75, but the host interface has one
#ifndef SHARED
kernel launch_bounds(__CUDA_ARCH__ >= 900 ? 512 : 256)
void fill(float *a) { a[threadIdx.x] = 1; }
#endif

// More shared memory in one image than in the other: the manifest says what is enough for each.
// RUN: %gpucc %s -DSHARED=1 --arch=sm_75,sm_90 -o %t-shared.json
// RUN: %python -m json.tool --compact %t-shared.json | FileCheck --check-prefix=SHARED %s
// RUN: %gpucc %s -DSHARED=0 --arch=sm_75,sm_90 -o %t-less.json
// RUN: %python -m json.tool --compact %t-less.json | FileCheck --check-prefix=SHARED %s
#ifdef SHARED
// SHARED: "entry":"tiled",{{.*}}"shared":4096,
kernel void tiled(float *a)
{
    shared float tile[(__CUDA_ARCH__ >= 900) == SHARED ? 1024 : 256];
    tile[threadIdx.x] = a[threadIdx.x];
    syncthreads();
    a[threadIdx.x] = tile[255 - threadIdx.x];
}
#endif
