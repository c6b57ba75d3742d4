// Cooperative groups as CUDA's C++ writes them: the block, the grid, tiles of a warp and their reductions.
// RUN: %gpucc %s -o %t.o --arch=sm_80 -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=WHOLE < %t.ptx
// RUN: %gpucc run %s sums arange:64:float32 zeros:64:float32 zeros:8:uint32 --grid=2 --block=32 --device=cpu -o %t.npy -o %t.places.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=SUMS
// RUN: %python %S/../intrinsics/Inputs/values.py %t.places.npy | FileCheck %s --check-prefix=VOTES
// RUN: %gpucc run %s places zeros:12:uint32 --grid=2 --block=48 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=PLACES
// RUN: %gpucc run %s steps zeros:96:int32 --grid=2 --block=48 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=STEPS
// RUN: %gpucc run %s together zeros:96:int32 --grid=1 --block=32 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=TOGETHER
// RUN: %gpucc run %s scans arange:16:int32 zeros:64:int32 zeros:16:float64 --grid=1 --block=16 --device=cpu -o %t.npy -o %t.most.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=SCANS
// RUN: %python %S/../intrinsics/Inputs/values.py %t.most.npy | FileCheck %s --check-prefix=MOST
// RUN: %gpucc run %s copies arange:64:float32 zeros:64:float32 --grid=1 --block=32 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=COPIES
// RUN: %gpucc run %s names zeros:32:int32 arange:32:float16 --grid=1 --block=32 --device=cpu -o %t.npy -o %t.halves.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=NAMES
// RUN: %exits 1 %gpucc -DWRONG %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

__device__ float sum_of(const cg::thread_block_tile<8> &tile, float x)
{
    for (int n = tile.size() / 2; n > 0; n /= 2)
        x += tile.shfl_down(x, n);
    return tile.shfl(x, 0);
}

// WHOLE-NOT: .extern .func
// CHECK-LABEL: .visible .entry sums(
// CHECK-NOT: call
// CHECK: shfl.sync.down.b32
// CHECK: shfl.sync.bfly.b32
// CHECK: ret;
__global__ void sums(const float *x, float *out, unsigned *votes)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    auto pair = cg::tiled_partition<2>(tile);
    cg::grid_group grid = cg::this_grid();
    unsigned i = grid.thread_rank();
    float sum = sum_of(tile, x[i]);
    float most = cg::reduce(pair, x[i], cg::greater<float>());
    out[i] = sum + 1000 * most;
    unsigned odd = tile.ballot(block.thread_rank() % 2);
    int whole = cg::reduce(tile, (int)i, cg::plus<int>{});
    if (tile.thread_rank() == 0)
        votes[grid.block_rank() * 4 + tile.meta_group_rank()] = odd + (whole == (int)sum);
}
// VOTES: {{^}}171 171 171 171 171 171 171 171{{$}}
// SUMS: {{^}}1028 1028 3028 3028 5028 5028 7028 7028 9092 9092 11092

// PLACES: {{^}}48 96 2 6 4 48 1 47 5 2 95 1{{$}}
__global__ void places(unsigned *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::grid_group grid = cg::this_grid();
    auto tile = cg::tiled_partition(block, 8);
    auto half = cg::tiled_partition<4>(tile);
    if (grid.is_valid() && grid.thread_rank() == grid.size() - 1) {
        out[0] = block.size();
        out[1] = grid.size();
        out[2] = grid.num_blocks();
        out[3] = tile.meta_group_size();
        out[4] = half.num_threads();
        out[5] = block.dim_threads().x;
        out[6] = block.group_index().x;
        out[7] = block.thread_index().x;
        out[8] = tile.meta_group_rank();
        out[9] = half.meta_group_size();
        out[10] = grid.thread_rank();
        out[11] = half.meta_group_rank();
    }
}

/* Each thread reads what another one of its block wrote. */
__global__ void steps(int *out)
{
    __shared__ int line[48];
    cg::thread_block cta = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cta);
    unsigned rank = cta.thread_rank();
    line[rank] = rank;
    cg::sync(cta);
    int other = line[47 - rank];
    cta.sync();
    line[rank] = other;
    warp.sync();
    cg::sync(warp);
    out[blockIdx.x * 48 + rank] = line[rank];
}
// STEPS: {{^}}47 46 45 44

/* The lanes that come here together, ranked; partitions of a tile. */
__global__ void together(int *out)
{
    int lane = threadIdx.x;
    out[lane] = out[32 + lane] = -1;
    if (lane % 3 == 1) {
        cg::coalesced_group active = cg::coalesced_threads();
        int rank = active.thread_rank(), count = active.size();
        out[lane] = rank + 100 * active.shfl(lane, rank + 1 < count ? rank + 1 : 0);
        int sum = cg::reduce(active, lane, cg::plus<int>());
        int down = active.shfl_down(lane, 2), up = active.shfl_up(lane, 2);
        if (active.ballot(lane > 20) == 0x780 && active.any(lane == 31) && !active.all(lane == 31))
            out[32 + lane] = sum + 1000 * (down == lane) + 10000 * (up == lane);
        active.sync();
    }
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    auto half = cg::binary_partition(tile, lane % 4 == 0);
    auto rest = cg::labeled_partition(half, lane / 8);
    out[64 + lane] = half.size() * 100 + rest.size() * 10 + rest.thread_rank();
}
// TOGETHER: {{^}}-1 400 -1 -1 701 -1 -1 1002 -1 -1 1303 -1 -1 1604 -1 -1 1905 -1 -1 2206 -1 -1 2507 -1 -1 2808 -1 -1 3109 -1 -1 110 -1 10176 -1 -1 10176

__global__ void scans(const int *x, int *out, double *numbers)
{
    int lane = threadIdx.x;
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    out[lane] = cg::inclusive_scan(tile, x[lane]);
    out[16 + lane] = cg::exclusive_scan(tile, x[lane], cg::plus<int>());
    out[32 + lane] = cg::inclusive_scan(tile, 7 - lane % 8, cg::less<int>());
    out[48 + lane] = 0;
    if (lane % 2)
        out[48 + lane] = cg::exclusive_scan(cg::coalesced_threads(), x[lane], cg::bit_or<int>());
    numbers[lane] = cg::exclusive_scan(tile, x[lane] + 0.5, cg::greater<double>());
}
// SCANS: {{^}}0 1 3 6 10 15 21 28 8 17 27 38 50 63 77 92 0 0 1 3 6 10 15 21 0 8 17 27 38 50 63 77 7 6 5 4 3 2 1 0 7 6 5 4 3 2 1 0 0 0 0 1 0 3 0 7 0 7 0 15 0 15 0 15{{$}}
// MOST: {{^}}0 0.5 1.5 2.5 3.5 4.5 5.5 6.5 0 8.5 9.5 10.5 11.5 12.5 13.5 14.5{{$}}

/* Every thread reads what others of its block have copied; 1 byte at a time where the bytes are odd. */
__global__ void copies(const float *x, float *out)
{
    __shared__ float whole[64], part[64];
    __shared__ char odd[7];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, whole, x, sizeof(float) * 64);
    cg::memcpy_async(block, part, 64, x + 1, 60);
    cg::wait_prior<1>(block);
    out[threadIdx.x] = whole[63 - threadIdx.x];
    cg::wait(block);
    cg::memcpy_async(block, odd, (const char *)x + 1, 7);
    cg::wait(block);
    unsigned char second[4] = {(unsigned char)odd[3], (unsigned char)odd[4], (unsigned char)odd[5], (unsigned char)odd[6]};
    out[32 + threadIdx.x] = part[59 - threadIdx.x] + *(float *)second;
}
// COPIES: {{^}}63 62 61 {{.*}} 32 61 60 59 {{.*}} 30{{$}}

struct groups {
    cg::thread_block block;
    cg::thread_block_tile<16> tiles[2];
};
struct table {
    int (*size)(int);
};

static __device__ int twice(int n) { return 2 * n; }
__device__ int threads_of(int size, cg::thread_block block) { return size + block.size(); }

#define SIZE_OF(group) group.size()
#define SIZE (block).size()

/* Variables of members' names hide no members; objects are more than names. */
__global__ void names(int *out, __half *halves)
{
    auto block = cg::this_thread_block();
    int size = block.size(), thread_rank = block.thread_rank();
    auto tile = cg::tiled_partition<16>(block);
    struct groups all_of_them = {block, {tile, tile}}, *at = &all_of_them;
    struct table table = {twice};
    bool any = all_of_them.tiles[1].any(thread_rank == 3), all = at->tiles[0].all(thread_rank < 16);
    cg::this_thread_block().sync();
    cg::sync(block);
    halves[thread_rank] = tile.shfl_down(halves[thread_rank], 1);
    block.sync();
    out[thread_rank] = threads_of(size, block) + 1000 * any + 2000 * all + 10000 * at->tiles[any].size() +
                       (table.size)(4) + SIZE_OF(tile) - SIZE / 2 + 100 * ((float)halves[0] == 1);
}
// NAMES: {{^}}163172 {{.*}} 160172{{$}}

#ifdef WRONG
__global__ void wrong(int *x)
{
    auto tile = cg::tiled_partition<24>(cg::this_thread_block());
    x[0] = tile.thread_rank();
    cg::cluster_group group = cg::this_cluster();
    struct table table = {twice};
    x[1] = table.size(4);
}
// WRONG: error: a tile has 1, 2, 4, 8, 16 or 32 threads
// WRONG: groups.c:[[#@LINE-5]]:9: error: use of undeclared identifier 'cluster_group'
// WRONG: note: the cooperative groups are thread_block, grid_group, thread_block_tile, coalesced_group and thread_group; docs/reference/cuda.md lists their functions
// WRONG: error: no matching function for call to 'gpucc_member_size'
// WRONG: note: such a call is one of a group's member; of a struct's own function pointer, write (s.name)(...)
#endif
