/* Cooperative groups: blocks, the grid, tiles of a warp, and the threads that are together.  `block.sync()`,
 * `tile.shfl_down(x, n)` and `tiled_partition<32>(block)` are read as calls of these functions, sync(block),
 * shfl_down(tile, x, n) and tiled_partition(32, block), in which form C may write them as well.  A tile has 1, 2, 4, 8,
 * 16 or 32 threads. */
#ifndef GPUCC_COOPERATIVE_GROUPS_H
#define GPUCC_COOPERATIVE_GROUPS_H

#include <gpucc/cuda.h>

#define GPUCC_GROUP GPUCC_INLINE __attribute__((overloadable))

typedef struct thread_block {
    char gpucc_none;
} thread_block;
typedef struct grid_group {
    char gpucc_none;
} grid_group;
typedef struct gpucc_tile {
    unsigned width, parent; /* the threads of the tile, and of the tile that it is cut from; 0: of the block */
} gpucc_tile;
#define thread_block_tile(...) gpucc_tile

/* ---- the block ---- */

GPUCC_GROUP thread_block this_thread_block(void)
{
    return (thread_block){0};
}
GPUCC_GROUP void sync(thread_block block)
{
    (void)block;
    __syncthreads();
}
GPUCC_GROUP unsigned thread_rank(thread_block block)
{
    (void)block;
    return gpucc_linear_thread();
}
GPUCC_GROUP unsigned size(thread_block block)
{
    (void)block;
    struct gpucc_index extent = gpucc_blockDim;
    return extent.x * extent.y * extent.z;
}
GPUCC_GROUP unsigned num_threads(thread_block block)
{
    return size(block);
}
GPUCC_GROUP dim3 group_index(thread_block block)
{
    (void)block;
    struct gpucc_index index = gpucc_blockIdx;
    return (dim3){index.x, index.y, index.z};
}
GPUCC_GROUP dim3 thread_index(thread_block block)
{
    (void)block;
    struct gpucc_index index = gpucc_threadIdx;
    return (dim3){index.x, index.y, index.z};
}
GPUCC_GROUP dim3 dim_threads(thread_block block)
{
    (void)block;
    struct gpucc_index extent = gpucc_blockDim;
    return (dim3){extent.x, extent.y, extent.z};
}
GPUCC_GROUP dim3 group_dim(thread_block block)
{
    return dim_threads(block);
}

/* ---- the grid ---- */

GPUCC_GROUP grid_group this_grid(void)
{
    return (grid_group){0};
}
/* The kernel is launched cooperatively. */
GPUCC_GROUP void sync(grid_group grid)
{
    (void)grid;
    gpucc_grid_sync();
}
GPUCC_GROUP unsigned long long num_blocks(grid_group grid)
{
    (void)grid;
    struct gpucc_index extent = gpucc_gridDim;
    return (unsigned long long)extent.x * extent.y * extent.z;
}
GPUCC_GROUP unsigned long long block_rank(grid_group grid)
{
    (void)grid;
    struct gpucc_index index = gpucc_blockIdx, extent = gpucc_gridDim;
    return ((unsigned long long)index.z * extent.y + index.y) * extent.x + index.x;
}
GPUCC_GROUP unsigned long long size(grid_group grid)
{
    return num_blocks(grid) * size(this_thread_block());
}
GPUCC_GROUP unsigned long long num_threads(grid_group grid)
{
    return size(grid);
}
GPUCC_GROUP unsigned long long thread_rank(grid_group grid)
{
    return block_rank(grid) * size(this_thread_block()) + gpucc_linear_thread();
}
GPUCC_GROUP dim3 dim_blocks(grid_group grid)
{
    (void)grid;
    struct gpucc_index extent = gpucc_gridDim;
    return (dim3){extent.x, extent.y, extent.z};
}

/* ---- tiles ---- */

#define GPUCC_OF_A_WARP(n)                                                                                             \
    __attribute__((diagnose_if((n) == 0 || (n) > 32 || ((n) & ((n)-1)) != 0,                                           \
                               "a tile has 1, 2, 4, 8, 16 or 32 threads", "error")))
GPUCC_GROUP gpucc_tile tiled_partition(unsigned width, thread_block block) GPUCC_OF_A_WARP(width)
{
    (void)block;
    return (gpucc_tile){width, 0};
}
GPUCC_GROUP gpucc_tile tiled_partition(thread_block block, unsigned width) GPUCC_OF_A_WARP(width)
{
    (void)block;
    return (gpucc_tile){width, 0};
}
GPUCC_GROUP gpucc_tile tiled_partition(unsigned width, gpucc_tile tile) GPUCC_OF_A_WARP(width)
{
    return (gpucc_tile){width, tile.width};
}
GPUCC_GROUP unsigned size(gpucc_tile tile)
{
    return tile.width;
}
GPUCC_GROUP unsigned num_threads(gpucc_tile tile)
{
    return tile.width;
}
GPUCC_GROUP unsigned thread_rank(gpucc_tile tile)
{
    return gpucc_linear_thread() % tile.width;
}
GPUCC_GROUP unsigned meta_group_size(gpucc_tile tile)
{
    unsigned threads = tile.parent ? tile.parent : size(this_thread_block());
    return (threads + tile.width - 1) / tile.width;
}
GPUCC_GROUP unsigned meta_group_rank(gpucc_tile tile)
{
    unsigned rank = gpucc_linear_thread();
    return (tile.parent ? rank % tile.parent : rank) / tile.width;
}
/* The tile's lanes, and where they begin in the warp. */
GPUCC_INLINE unsigned gpucc_tile_first(gpucc_tile tile)
{
    return gpucc_linear_thread() % 32u / tile.width * tile.width;
}
GPUCC_INLINE unsigned gpucc_tile_mask(gpucc_tile tile)
{
    return 0xffffffffu >> (32 - tile.width) << gpucc_tile_first(tile);
}
GPUCC_GROUP void sync(gpucc_tile tile)
{
    gpucc_syncwarp(gpucc_tile_mask(tile));
}
GPUCC_GROUP int any(gpucc_tile tile, int predicate)
{
    return gpucc_any_sync(gpucc_tile_mask(tile), predicate);
}
GPUCC_GROUP int all(gpucc_tile tile, int predicate)
{
    return gpucc_all_sync(gpucc_tile_mask(tile), predicate);
}
GPUCC_GROUP unsigned ballot(gpucc_tile tile, int predicate)
{
    return (gpucc_ballot_sync(gpucc_tile_mask(tile), predicate) & gpucc_tile_mask(tile)) >> gpucc_tile_first(tile);
}

/* ---- the lanes of a warp that have come here together: ranked by their numbers ---- */

typedef struct coalesced_group {
    unsigned lanes;
} coalesced_group;
#define coalesced_threads() ((coalesced_group){gpucc_activemask()})

GPUCC_GROUP unsigned size(coalesced_group group)
{
    return gpucc_popc(group.lanes);
}
GPUCC_GROUP unsigned num_threads(coalesced_group group)
{
    return size(group);
}
GPUCC_GROUP unsigned thread_rank(coalesced_group group)
{
    return gpucc_popc(group.lanes & gpucc_lanemask_lt());
}
GPUCC_GROUP unsigned meta_group_size(coalesced_group group)
{
    (void)group;
    return 1;
}
GPUCC_GROUP unsigned meta_group_rank(coalesced_group group)
{
    (void)group;
    return 0;
}
GPUCC_GROUP void sync(coalesced_group group)
{
    gpucc_syncwarp(group.lanes);
}
GPUCC_GROUP int any(coalesced_group group, int predicate)
{
    return gpucc_any_sync(group.lanes, predicate);
}
GPUCC_GROUP int all(coalesced_group group, int predicate)
{
    return gpucc_all_sync(group.lanes, predicate);
}
/* A bit for each rank. */
GPUCC_GROUP unsigned ballot(coalesced_group group, int predicate)
{
    unsigned votes = gpucc_ballot_sync(group.lanes, predicate), ranked = 0;
    for (unsigned lanes = group.lanes, bit = 1; lanes; lanes &= lanes - 1, bit *= 2)
        ranked |= votes & lanes & -lanes ? bit : 0;
    return ranked;
}
GPUCC_INLINE unsigned gpucc_lane_of_rank(unsigned lanes, unsigned rank)
{
    for (; rank && lanes & (lanes - 1); rank--)
        lanes &= lanes - 1;
    return gpucc_ffs(lanes) - 1;
}

/* Those of a group that agree in the predicate, or in the label. */
#define GPUCC_DEFINE_PARTITIONS(group_t, mask)                                                                         \
    GPUCC_GROUP coalesced_group binary_partition(group_t group, int predicate)                                         \
    {                                                                                                                  \
        const unsigned lanes = mask, votes = gpucc_ballot_sync(lanes, predicate);                                      \
        return (coalesced_group){lanes & (predicate ? votes : ~votes)};                                                \
    }                                                                                                                  \
    GPUCC_GROUP coalesced_group labeled_partition(group_t group, long long label)                                      \
    {                                                                                                                  \
        return (coalesced_group){gpucc_match_any_sync(mask, label)};                                                   \
    }
GPUCC_DEFINE_PARTITIONS(gpucc_tile, gpucc_tile_mask(group))
GPUCC_DEFINE_PARTITIONS(coalesced_group, group.lanes)

/* ---- what threads of a warp tell one another, and reductions: each thread gets the result ---- */

/* plus<float>() and kin, read as plus(float){}: what a type is of no matter to. */
#define GPUCC_OPERATION(name)                                                                                          \
    struct gpucc_##name {                                                                                              \
        char none;                                                                                                     \
    };
GPUCC_OPERATION(plus)
GPUCC_OPERATION(less)
GPUCC_OPERATION(greater)
GPUCC_OPERATION(bit_and)
GPUCC_OPERATION(bit_or)
GPUCC_OPERATION(bit_xor)
#define plus(type) (struct gpucc_plus)
#define less(type) (struct gpucc_less)
#define greater(type) (struct gpucc_greater)
#define bit_and(type) (struct gpucc_bit_and)
#define bit_or(type) (struct gpucc_bit_or)
#define bit_xor(type) (struct gpucc_bit_xor)

/* In pairs, of neighbours first: every thread computes the same, so all have the same bits. */
#define GPUCC_DEFINE_REDUCE(type, operation, combined)                                                                 \
    GPUCC_GROUP type reduce(gpucc_tile tile, type x, struct gpucc_##operation how)                                     \
    {                                                                                                                  \
        (void)how;                                                                                                     \
        for (unsigned bits = 1; bits < tile.width; bits *= 2) {                                                        \
            const type y = gpucc_shfl_xor_sync(gpucc_tile_mask(tile), x, bits, (int)tile.width);                       \
            x = combined;                                                                                              \
        }                                                                                                              \
        return x;                                                                                                      \
    }                                                                                                                  \
    GPUCC_GROUP type reduce(coalesced_group group, type value, struct gpucc_##operation how)                           \
    {                                                                                                                  \
        type x = shfl(group, value, 0);                                                                                \
        (void)how;                                                                                                     \
        for (unsigned rank = 1; rank < size(group); rank++) {                                                          \
            const type y = shfl(group, value, rank);                                                                   \
            x = combined;                                                                                              \
        }                                                                                                              \
        return x;                                                                                                      \
    }
/* As in CUDA, a thread whose partner would be outside of its group gets its own value. */
#define GPUCC_DEFINE_COALESCED_VALUES(type)                                                                            \
    GPUCC_GROUP type shfl(coalesced_group group, type x, unsigned rank)                                                \
    {                                                                                                                  \
        return gpucc_shfl_sync(group.lanes, x, gpucc_lane_of_rank(group.lanes, rank));                                 \
    }                                                                                                                  \
    GPUCC_GROUP type shfl_up(coalesced_group group, type x, unsigned n)                                                \
    {                                                                                                                  \
        const unsigned rank = thread_rank(group);                                                                      \
        return shfl(group, x, rank >= n ? rank - n : rank);                                                            \
    }                                                                                                                  \
    GPUCC_GROUP type shfl_down(coalesced_group group, type x, unsigned n)                                              \
    {                                                                                                                  \
        const unsigned rank = thread_rank(group);                                                                      \
        return shfl(group, x, n < size(group) - rank ? rank + n : rank);                                               \
    }
#define GPUCC_DEFINE_TILE_VALUES(type)                                                                                 \
    GPUCC_DEFINE_COALESCED_VALUES(type)                                                                                \
    GPUCC_GROUP type shfl(gpucc_tile tile, type x, unsigned rank)                                                      \
    {                                                                                                                  \
        return gpucc_shfl_sync(gpucc_tile_mask(tile), x, rank, (int)tile.width);                                       \
    }                                                                                                                  \
    GPUCC_GROUP type shfl_up(gpucc_tile tile, type x, unsigned n)                                                      \
    {                                                                                                                  \
        return gpucc_shfl_up_sync(gpucc_tile_mask(tile), x, n, (int)tile.width);                                       \
    }                                                                                                                  \
    GPUCC_GROUP type shfl_down(gpucc_tile tile, type x, unsigned n)                                                    \
    {                                                                                                                  \
        return gpucc_shfl_down_sync(gpucc_tile_mask(tile), x, n, (int)tile.width);                                     \
    }                                                                                                                  \
    GPUCC_GROUP type shfl_xor(gpucc_tile tile, type x, unsigned bits)                                                  \
    {                                                                                                                  \
        return gpucc_shfl_xor_sync(gpucc_tile_mask(tile), x, bits, (int)tile.width);                                   \
    }                                                                                                                  \
    GPUCC_DEFINE_REDUCE(type, plus, x + y)                                                                             \
    GPUCC_DEFINE_REDUCE(type, less, y < x ? y : x)                                                                     \
    GPUCC_DEFINE_REDUCE(type, greater, x < y ? y : x)
#define GPUCC_DEFINE_TILE_INTEGERS(type)                                                                               \
    GPUCC_DEFINE_TILE_VALUES(type)                                                                                     \
    GPUCC_DEFINE_REDUCE(type, bit_and, x &y)                                                                           \
    GPUCC_DEFINE_REDUCE(type, bit_or, x | y)                                                                           \
    GPUCC_DEFINE_REDUCE(type, bit_xor, x ^ y)
GPUCC_DEFINE_TILE_INTEGERS(int)
GPUCC_DEFINE_TILE_INTEGERS(unsigned)
GPUCC_DEFINE_TILE_INTEGERS(long)
GPUCC_DEFINE_TILE_INTEGERS(unsigned long)
GPUCC_DEFINE_TILE_INTEGERS(long long)
GPUCC_DEFINE_TILE_INTEGERS(unsigned long long)
GPUCC_DEFINE_TILE_VALUES(float)
GPUCC_DEFINE_TILE_VALUES(double)

#endif
