/* Members of cooperative_groups.h's groups, as functions that GPUCC_MEMBER() names: included once for each way to call
 * them. */

/* ---- the block ---- */

GPUCC_GROUP void GPUCC_MEMBER(sync)(thread_block block)
{
    (void)block;
    __syncthreads();
}
GPUCC_GROUP unsigned GPUCC_MEMBER(thread_rank)(thread_block block)
{
    (void)block;
    return gpucc_linear_thread();
}
GPUCC_GROUP unsigned GPUCC_MEMBER(size)(thread_block block)
{
    (void)block;
    struct gpucc_index extent = gpucc_blockDim;
    return extent.x * extent.y * extent.z;
}
GPUCC_GROUP unsigned GPUCC_MEMBER(num_threads)(thread_block block)
{
    return GPUCC_MEMBER(size)(block);
}
GPUCC_GROUP dim3 GPUCC_MEMBER(group_index)(thread_block block)
{
    (void)block;
    struct gpucc_index index = gpucc_blockIdx;
    return (dim3){index.x, index.y, index.z};
}
GPUCC_GROUP dim3 GPUCC_MEMBER(thread_index)(thread_block block)
{
    (void)block;
    struct gpucc_index index = gpucc_threadIdx;
    return (dim3){index.x, index.y, index.z};
}
GPUCC_GROUP dim3 GPUCC_MEMBER(dim_threads)(thread_block block)
{
    (void)block;
    struct gpucc_index extent = gpucc_blockDim;
    return (dim3){extent.x, extent.y, extent.z};
}
GPUCC_GROUP dim3 GPUCC_MEMBER(group_dim)(thread_block block)
{
    return GPUCC_MEMBER(dim_threads)(block);
}

/* ---- the grid ---- */

/* The kernel is launched cooperatively. */
GPUCC_GROUP _Bool GPUCC_MEMBER(is_valid)(grid_group grid)
{
    (void)grid;
    return 1;
}
GPUCC_GROUP void GPUCC_MEMBER(sync)(grid_group grid)
{
    (void)grid;
    gpucc_grid_sync();
}
GPUCC_GROUP unsigned long long GPUCC_MEMBER(num_blocks)(grid_group grid)
{
    (void)grid;
    struct gpucc_index extent = gpucc_gridDim;
    return (unsigned long long)extent.x * extent.y * extent.z;
}
GPUCC_GROUP unsigned long long GPUCC_MEMBER(block_rank)(grid_group grid)
{
    (void)grid;
    struct gpucc_index index = gpucc_blockIdx, extent = gpucc_gridDim;
    return ((unsigned long long)index.z * extent.y + index.y) * extent.x + index.x;
}
GPUCC_GROUP unsigned long long GPUCC_MEMBER(size)(grid_group grid)
{
    return GPUCC_MEMBER(num_blocks)(grid) * GPUCC_MEMBER(size)(this_thread_block());
}
GPUCC_GROUP unsigned long long GPUCC_MEMBER(num_threads)(grid_group grid)
{
    return GPUCC_MEMBER(size)(grid);
}
GPUCC_GROUP unsigned long long GPUCC_MEMBER(thread_rank)(grid_group grid)
{
    return GPUCC_MEMBER(block_rank)(grid) * GPUCC_MEMBER(size)(this_thread_block()) + gpucc_linear_thread();
}
GPUCC_GROUP dim3 GPUCC_MEMBER(dim_blocks)(grid_group grid)
{
    (void)grid;
    struct gpucc_index extent = gpucc_gridDim;
    return (dim3){extent.x, extent.y, extent.z};
}

/* ---- tiles ---- */

GPUCC_GROUP unsigned GPUCC_MEMBER(size)(gpucc_tile tile)
{
    return tile.width;
}
GPUCC_GROUP unsigned GPUCC_MEMBER(num_threads)(gpucc_tile tile)
{
    return tile.width;
}
GPUCC_GROUP unsigned GPUCC_MEMBER(thread_rank)(gpucc_tile tile)
{
    return gpucc_linear_thread() % tile.width;
}
GPUCC_GROUP unsigned GPUCC_MEMBER(meta_group_size)(gpucc_tile tile)
{
    unsigned threads = tile.parent ? tile.parent : GPUCC_MEMBER(size)(this_thread_block());
    return (threads + tile.width - 1) / tile.width;
}
GPUCC_GROUP unsigned GPUCC_MEMBER(meta_group_rank)(gpucc_tile tile)
{
    unsigned rank = gpucc_linear_thread();
    return (tile.parent ? rank % tile.parent : rank) / tile.width;
}
GPUCC_GROUP void GPUCC_MEMBER(sync)(gpucc_tile tile)
{
    gpucc_syncwarp(gpucc_tile_mask(tile));
}
GPUCC_GROUP int GPUCC_MEMBER(any)(gpucc_tile tile, int predicate)
{
    return gpucc_any_sync(gpucc_tile_mask(tile), predicate);
}
GPUCC_GROUP int GPUCC_MEMBER(all)(gpucc_tile tile, int predicate)
{
    return gpucc_all_sync(gpucc_tile_mask(tile), predicate);
}
GPUCC_GROUP unsigned GPUCC_MEMBER(ballot)(gpucc_tile tile, int predicate)
{
    return (gpucc_ballot_sync(gpucc_tile_mask(tile), predicate) & gpucc_tile_mask(tile)) >> gpucc_tile_first(tile);
}

/* ---- coalesced threads ---- */

GPUCC_GROUP unsigned GPUCC_MEMBER(size)(coalesced_group group)
{
    return gpucc_popc(group.lanes);
}
GPUCC_GROUP unsigned GPUCC_MEMBER(num_threads)(coalesced_group group)
{
    return GPUCC_MEMBER(size)(group);
}
GPUCC_GROUP unsigned GPUCC_MEMBER(thread_rank)(coalesced_group group)
{
    return gpucc_popc(group.lanes & gpucc_lanemask_lt());
}
GPUCC_GROUP unsigned GPUCC_MEMBER(meta_group_size)(coalesced_group group)
{
    (void)group;
    return 1;
}
GPUCC_GROUP unsigned GPUCC_MEMBER(meta_group_rank)(coalesced_group group)
{
    (void)group;
    return 0;
}
GPUCC_GROUP void GPUCC_MEMBER(sync)(coalesced_group group)
{
    gpucc_syncwarp(group.lanes);
}
GPUCC_GROUP int GPUCC_MEMBER(any)(coalesced_group group, int predicate)
{
    return gpucc_any_sync(group.lanes, predicate);
}
GPUCC_GROUP int GPUCC_MEMBER(all)(coalesced_group group, int predicate)
{
    return gpucc_all_sync(group.lanes, predicate);
}
/* A bit for each rank. */
GPUCC_GROUP unsigned GPUCC_MEMBER(ballot)(coalesced_group group, int predicate)
{
    unsigned votes = gpucc_ballot_sync(group.lanes, predicate), ranked = 0;
    for (unsigned lanes = group.lanes, bit = 1; lanes; lanes &= lanes - 1, bit *= 2)
        ranked |= votes & lanes & -lanes ? bit : 0;
    return ranked;
}

/* ---- any of them ---- */

#undef GPUCC_ANY_MEMBER
#define GPUCC_ANY_MEMBER(type, name)                                                                                   \
    GPUCC_GROUP type GPUCC_MEMBER(name)(thread_group group)                                                            \
    {                                                                                                                  \
        switch (group.kind) {                                                                                          \
        case GPUCC_ANY_BLOCK:                                                                                          \
            return GPUCC_MEMBER(name)(this_thread_block());                                                            \
        case GPUCC_ANY_GRID:                                                                                           \
            return GPUCC_MEMBER(name)(this_grid());                                                                    \
        case GPUCC_ANY_TILE:                                                                                           \
            return GPUCC_MEMBER(name)(group.tile);                                                                     \
        default:                                                                                                       \
            return GPUCC_MEMBER(name)(group.coalesced);                                                                \
        }                                                                                                              \
    }
GPUCC_ANY_MEMBER(void, sync)
GPUCC_ANY_MEMBER(unsigned long long, size)
GPUCC_ANY_MEMBER(unsigned long long, num_threads)
GPUCC_ANY_MEMBER(unsigned long long, thread_rank)

/* ---- exchange among the threads of a warp ---- */

#undef GPUCC_DEFINE_VALUES
/* As in CUDA, a thread whose partner would be outside of its group gets its own value. */
#define GPUCC_DEFINE_VALUES(type)                                                                                      \
    GPUCC_GROUP type GPUCC_MEMBER(shfl)(coalesced_group group, type x, unsigned rank)                                  \
    {                                                                                                                  \
        return gpucc_shfl_sync(group.lanes, x, gpucc_lane_of_rank(group.lanes, rank));                                 \
    }                                                                                                                  \
    GPUCC_GROUP type GPUCC_MEMBER(shfl_up)(coalesced_group group, type x, unsigned n)                                  \
    {                                                                                                                  \
        const unsigned rank = GPUCC_MEMBER(thread_rank)(group);                                                        \
        return GPUCC_MEMBER(shfl)(group, x, rank >= n ? rank - n : rank);                                              \
    }                                                                                                                  \
    GPUCC_GROUP type GPUCC_MEMBER(shfl_down)(coalesced_group group, type x, unsigned n)                                \
    {                                                                                                                  \
        const unsigned rank = GPUCC_MEMBER(thread_rank)(group);                                                        \
        return GPUCC_MEMBER(shfl)(group, x, n < GPUCC_MEMBER(size)(group) - rank ? rank + n : rank);                   \
    }                                                                                                                  \
    GPUCC_GROUP type GPUCC_MEMBER(shfl)(gpucc_tile tile, type x, unsigned rank)                                        \
    {                                                                                                                  \
        return gpucc_shfl_sync(gpucc_tile_mask(tile), x, rank, (int)tile.width);                                       \
    }                                                                                                                  \
    GPUCC_GROUP type GPUCC_MEMBER(shfl_up)(gpucc_tile tile, type x, unsigned n)                                        \
    {                                                                                                                  \
        return gpucc_shfl_up_sync(gpucc_tile_mask(tile), x, n, (int)tile.width);                                       \
    }                                                                                                                  \
    GPUCC_GROUP type GPUCC_MEMBER(shfl_down)(gpucc_tile tile, type x, unsigned n)                                      \
    {                                                                                                                  \
        return gpucc_shfl_down_sync(gpucc_tile_mask(tile), x, n, (int)tile.width);                                     \
    }                                                                                                                  \
    GPUCC_GROUP type GPUCC_MEMBER(shfl_xor)(gpucc_tile tile, type x, unsigned bits)                                    \
    {                                                                                                                  \
        return gpucc_shfl_xor_sync(gpucc_tile_mask(tile), x, bits, (int)tile.width);                                   \
    }
GPUCC_DEFINE_VALUES(int)
GPUCC_DEFINE_VALUES(unsigned)
GPUCC_DEFINE_VALUES(long)
GPUCC_DEFINE_VALUES(unsigned long)
GPUCC_DEFINE_VALUES(long long)
GPUCC_DEFINE_VALUES(unsigned long long)
GPUCC_DEFINE_VALUES(float)
GPUCC_DEFINE_VALUES(double)
GPUCC_DEFINE_VALUES(float16)
GPUCC_DEFINE_VALUES(bfloat16)
