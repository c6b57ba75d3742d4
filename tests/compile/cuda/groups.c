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
// RUN: %exits 1 %gpucc -DWRONG %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
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
    if (grid.thread_rank() == grid.size() - 1) {
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

#ifdef WRONG
__global__ void wrong(int *x)
{
    auto tile = cg::tiled_partition<24>(cg::this_thread_block());
    x[0] = tile.thread_rank();
    cg::coalesced_group active = cg::coalesced_threads();
}
// WRONG: error: a tile has 1, 2, 4, 8, 16 or 32 threads
// WRONG: groups.c:[[#@LINE-3]]:9: error: use of undeclared identifier 'coalesced_group'
// WRONG: note: of cooperative groups there are thread_block, grid_group and tiles of a warp, as docs/cuda.md says
#endif
