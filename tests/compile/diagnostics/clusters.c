// RUN: %exits 1 %gpucc %s --arch=sm_90 -DSIZE=0 -o %t.ptx 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %exits 1 %gpucc %s --arch=sm_90 -DSIZE=4,5 -o %t.ptx 2>&1 | FileCheck --check-prefix=MANY %s
// RUN: %exits 1 %gpucc %s --arch=sm_90 -DSIZE=65536,65536 -o %t.ptx 2>&1 | FileCheck --check-prefix=HUGE %s
// RUN: %exits 1 %gpucc %s --arch=sm_90 -DSIZE=2,2,2,2 -o %t.ptx 2>&1 | FileCheck --check-prefix=FOUR %s
// RUN: %exits 1 %gpucc %s --arch=sm_90 -DSIZE=1.5 -o %t.ptx 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %exits 1 %gpucc %s --arch=sm_90 -DSIZE=n -o %t.ptx 2>&1 | FileCheck --check-prefix=CONSTANT %s
// RUN: %exits 1 %gpucc run %s k zeros:4:uint32 --grid=4 --block=1 -DSIZE=17 --device=cpu 2>&1 | FileCheck --check-prefix=NATIVE %s
// RUN: %exits 2 %gpucc run %s k zeros:6:uint32 --grid=6 --block=1 -DSIZE=4 --device=cpu 2>&1 | FileCheck --check-prefix=MULTIPLE %s
// RUN: %exits 1 %gpucc %s -DSIZE=2 -o %t.ptx 2>&1 | FileCheck --check-prefix=DEFAULT %s
// RUN: %exits 1 %gpucc %s -DSIZE=2 --arch=sm_80,sm_90 -o %t.o 2>&1 | FileCheck --check-prefix=OLD %s
// RUN: %exits 0 %gpucc %s -DSIZE=2 -DGUARDED --arch=sm_80,sm_90 -o %t.o
// RUN: %exits 0 %gpucc %s -DSIZE=2 -DNO_KERNEL --arch=sm_90 -o %t.ptx 2>&1 | FileCheck --check-prefix=IGNORED %s
// RUN: %exits 1 %gpucc %s -DSIZE=2 -DUFUNC --arch=sm_90 -o %t.ptx 2>&1 | FileCheck --check-prefix=UFUNC %s
// RUN: %exits 1 %gpucc %s -DSIZE=2 -DNO_HEADER --arch=sm_90 -o %t.ptx 2>&1 | FileCheck --check-prefix=HEADER %s
#ifdef NO_HEADER
#include <gpucc.h>
#else
#include <gpucc/cluster.h>
#endif

// NONE: clusters.c:[[#@LINE+9]]:6: error: cluster({{0|1}}, 1, 1) for 'k', but a cluster has at least one block in each dimension
// MANY: clusters.c:[[#@LINE+8]]:6: error: cluster(4, 5, 1) for 'k' has too many blocks: every device with clusters supports 8, some support 16
// HUGE: clusters.c:[[#@LINE+7]]:6: error: cluster(65536, 65536, 1) for 'k' has too many blocks: every device with clusters supports 8, some support 16
// FOUR: clusters.c:[[#@LINE+6]]:6: error: cluster(…) for 'k' has 4 numbers, but a grid has 3 dimensions
// CONSTANT: clusters.c:[[#@LINE+4]]:16: error: use of undeclared identifier 'n'
// NATIVE: clusters.c:[[#@LINE+4]]:6: error: cluster(17, 1, 1) for 'k' has too many blocks: every device with clusters supports 8, some support 16
// HEADER: clusters.c:[[#@LINE+2]]:8: note: 'cluster' is declared in <gpucc/cluster.h>: #include it
// MULTIPLE: gpucc: error: k: a grid of 6 x 1 x 1 blocks is not a multiple of its clusters of 4 x 1 x 1
kernel cluster(SIZE)
void k(unsigned *out)
{
#if !defined(GUARDED) || !defined(__NVPTX__) || __CUDA_ARCH__ >= 900
    // DEFAULT: clusters.c:[[#@LINE+2]]:5: error: thread block clusters need sm_90 or newer, and this is code for sm_75: compile with --arch=sm_90, or put it under '#if __CUDA_ARCH__ >= 900'
    // OLD: clusters.c:[[#@LINE+1]]:5: error: thread block clusters need sm_90 or newer, and this is code for sm_80: compile
    cluster_sync();
    // OLD: clusters.c:[[#@LINE+1]]:20: error: thread block clusters need sm_90 or newer
    out[grid(1)] = clusterrank;
#endif
}

#ifdef NO_KERNEL
// IGNORED: clusters.c:[[#@LINE+1]]:8: warning: 'cluster' has no effect on 'u', which is not a kernel
device cluster(4)
float u(float x) { return x; }
#endif

#ifdef UFUNC
vectorize()
// UFUNC: clusters.c:[[#@LINE+1]]:7: error: 'v' runs on one thread for each element: barriers and warp operations are for kernels
float v(float x)
{
    cluster_sync();
    return x;
}
#endif
