// Thread block clusters: their size in PTX, manifest, header and `inspect`, barriers, one another's shared memory, and the same
// on the CPU.  Targets before sm_90 have none: there cluster() alone says nothing.
// RUN: %gpucc %s --arch=sm_90 -o %t.ptx -o %t.json -o %t.h -o %t.o
// RUN: FileCheck %s < %t.ptx
// RUN: %python -m json.tool %t.json | FileCheck %s --check-prefix=JSON
// RUN: FileCheck %s --check-prefix=HEADER < %t.h
// RUN: %gpucc inspect %t.json | FileCheck %s --check-prefix=INSPECT
// RUN: %gpucc inspect %t.ptx | FileCheck %s --check-prefix=INSPECT-PTX
// RUN: %gpucc %s --arch=sm_90 --emit=ptx -O0 -o - | FileCheck %s --check-prefix=CLUSTERS
// RUN: %gpucc %s --arch=sm_80 -DPLAIN --emit=ptx -o - | FileCheck %s --check-prefix=PLAIN
// RUN: %gpucc run %s total 1000 ones:1000:float32 zeros:1:float32 --threads=1000 --device=cpu | FileCheck %s --check-prefix=TOTAL
// RUN: %gpucc run %s bins 4096 arange:4096:uint32 zeros:16:uint32 --grid=8 --block=64 --device=cpu | FileCheck %s --check-prefix=BINS
// RUN: %gpucc run %s places 0 zeros:8:uint32 --grid=3x4x6 --block=1 --device=cpu | FileCheck %s --check-prefix=FIRST
// RUN: %gpucc run %s places 67 zeros:8:uint32 --grid=3x4x6 --block=1 --device=cpu | FileCheck %s --check-prefix=OTHER
// RUN: %cc -std=c17 -Wall -Wextra -Werror -I%include -c %s -o %t.plain.o
#include <gpucc/cluster.h>

// CHECK: .visible .entry plain(
// CHECK: .maxntid 128
// CHECK: .explicitcluster
// CHECK-NEXT: .reqnctapercluster 2, 3, 1
// CHECK-NEXT: {
// PLAIN: .target sm_80
// PLAIN: .visible .entry plain(
// PLAIN-NOT: cluster
// CLUSTERS: .entry plain(
// CLUSTERS: .reqnctapercluster 2, 3, 1
// JSON: "entry": "plain"
// JSON: "cluster": [
// JSON-NEXT: 2,
// JSON-NEXT: 3,
// JSON-NEXT: 1
// INSPECT: kernel plain
// INSPECT: clusters of 2 x 3 x 1 blocks{{$}}
// INSPECT-PTX: entry plain(
// INSPECT-PTX: reqnctapercluster 2, 3, 1
/* Nothing of clusters but their size. */
kernel launch_bounds(128) cluster(2, 1 + 2)
void plain(float *x) { x[grid(1)] = 1; }

#ifndef PLAIN
// CHECK: .visible .entry total(
// CHECK: .reqnctapercluster 4, 1, 1
// CHECK: barrier.cluster.arrive;
// CHECK-NEXT: barrier.cluster.wait;
// CHECK-DAG: %cluster_ctarank;
// CHECK-DAG: %cluster_nctarank;
// CHECK: cvta.shared.u64 [[GENERIC:%rd[0-9]+]],
// CHECK: mapa.u64 [[MAPPED:%rd[0-9]+]], [[GENERIC]],
// CHECK: ld.f32 {{%f[0-9]+}}, {{\[}}[[MAPPED]]];
// CHECK: atom.global.add.f32
// CHECK: barrier.cluster.arrive;
// CHECK-NEXT: barrier.cluster.wait;
// JSON: "entry": "total"
// JSON: "barriers": true
// JSON: "cluster": [
// JSON-NEXT: 4,
// JSON-NEXT: 1,
// JSON-NEXT: 1
// INSPECT: kernel total
// INSPECT: barriers, clusters of 4 x 1 x 1 blocks{{$}}
// HEADER: /* The sum of x.{{.*}} */
// HEADER-NEXT: /* The grid is a multiple of clusters of 4 x 1 x 1 blocks. */
// HEADER-NEXT: static inline gpucc_status total(
// TOTAL: first   1000
/* The sum of x. */
kernel cluster(4)
void total(size_t n, const float x[n], float *sum)
{
    shared float part;
    size_t i = grid(1);
    if (threadIdx.x == 0)
        part = 0;
    syncthreads();
    atomic_add(&part, i < n ? x[i] : 0);
    cluster_sync();
    if (clusterrank == 0 && threadIdx.x < clustersize)
        atomic_add(sum, *map_shared_rank(&part, threadIdx.x));
    cluster_sync();
}

// Each block has two of the bins.
// CHECK: .visible .entry bins(
// CHECK: mapa.u64 [[OWN:%rd[0-9]+]],
// CHECK: add.s64 [[BIN:%rd[0-9]+]], [[OWN]],
// CHECK: {{atom|red}}.add.u32 {{.*}}[[BIN]]],
// BINS: first   256 256 256 256 256 256 256 256
kernel cluster(8)
void bins(size_t n, const unsigned x[n], unsigned out[16])
{
    shared unsigned own[2];
    if (threadIdx.x < 2)
        own[threadIdx.x] = 0;
    cluster_sync();
    for (size_t i = grid(1); i < n; i += gridsize(1))
        atomic_add(&map_shared_rank(own, x[i] % 16 / 2)[x[i] % 2], 1);
    cluster_sync();
    if (threadIdx.x < 2)
        out[2 * clusterrank + threadIdx.x] = own[threadIdx.x];
}

// CHECK: .visible .entry places(
// CHECK: .reqnctapercluster 1, 2, 2
// CHECK-DAG: %clusterid.x;
// CHECK-DAG: %nclusterid.x;
// CHECK-DAG: %cluster_ctaid.y;
// CHECK-DAG: %cluster_ctaid.z;
// CHECK-DAG: %cluster_nctaid.z;
// FIRST: first   0 323 0 122 0 4 0 1
// Block 67 is (1, 2, 5).
// OTHER: first   112 323 1 122 2 4 67 1
kernel cluster(1, 2, 2)
void places(unsigned which, unsigned out[8])
{
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (block != which)
        return;
    out[0] = clusterIdx.x * 100 + clusterIdx.y * 10 + clusterIdx.z;
    out[1] = clusterGridDim.x * 100 + clusterGridDim.y * 10 + clusterGridDim.z;
    out[2] = clusterBlockIdx.x * 100 + clusterBlockIdx.y * 10 + clusterBlockIdx.z;
    out[3] = clusterDim.x * 100 + clusterDim.y * 10 + clusterDim.z;
    out[4] = clusterrank;
    out[5] = clustersize;
    out[6] = block;
    out[7] = 1;
}

// A block reads anew what others may have written meanwhile.
// CHECK: .visible .entry reads_again(
// CHECK: st.shared.u32
// CHECK: barrier.cluster.wait;
// CHECK: ld.shared.u32
// CHECK: ret;
kernel cluster(2)
void reads_again(unsigned *out)
{
    shared unsigned word;
    if (threadIdx.x == 0)
        word = 1;
    cluster_sync();
    *map_shared_rank(&word, clusterrank ^ 1) = blockIdx.x;
    cluster_sync();
    out[grid(1)] = word;
}

// CHECK: .visible .entry halves(
// CHECK: barrier.cluster.arrive;
// CHECK: ld.global
// CHECK: barrier.cluster.wait;
// CHECK: getctarank.u64
kernel cluster(16)
void halves(const unsigned *x, unsigned *out)
{
    shared unsigned word;
    word = 0;
    cluster_arrive();
    unsigned own = x[grid(1)];
    cluster_wait();
    out[grid(1)] = own + shared_rank(map_shared_rank(&word, 3));
    cluster_sync();
}
// INSPECT: kernel halves
// INSPECT: clusters of 16 x 1 x 1 blocks, which not every device with clusters takes

// CHECK: .visible .entry swaps(
// CHECK: atom.global.max.u64
// CHECK: max.u64 next, seen,
// CHECK-SAME: cas.b64
/* ptxas has no atomic operation of 64 bits, but for these, on the memory of other blocks. */
kernel cluster(2)
void swaps(unsigned long long *out)
{
    shared unsigned long long most;
    most = 0;
    cluster_sync();
    atomic_max(out, threadIdx.x);
    atomic_max(map_shared_rank(&most, clusterrank ^ 1), threadIdx.x);
    cluster_sync();
    out[1] = most;
}

/* A cluster of one block. */
kernel cluster(1)
void single(unsigned *out) { out[grid(1)] = clustersize; }
// CHECK: .visible .entry single(
// CHECK-NOT: reqnctapercluster
// JSON: "entry": "single"
// JSON: "cluster": [
// JSON-NEXT: 1,
// JSON-NEXT: 1,
// JSON-NEXT: 1

// CHECK: .visible .entry alone(
// CHECK-NOT: reqnctapercluster
// CHECK: barrier.cluster.wait;
// JSON: "entry": "alone"
// JSON: "cluster": [
// JSON-NEXT: 1,
// JSON-NEXT: 1,
// JSON-NEXT: 1
// INSPECT: kernel alone
// INSPECT: barriers{{$}}
/* The same. */
kernel
void alone(unsigned *out)
{
    cluster_sync();
    out[grid(1)] = clustersize;
}
#endif
