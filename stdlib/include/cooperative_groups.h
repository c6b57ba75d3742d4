/* Cooperative groups: blocks, the grid, tiles of a warp, and the threads that are together.  `block.sync()`,
 * `tile.shfl_down(x, n)` and `tiled_partition<32>(block)` are read as calls of functions, gpucc_member_sync(block),
 * gpucc_member_shfl_down(tile, x, n) and tiled_partition(32, block); C may write sync(block), shfl_down(tile, x, n).
 * A tile has 1, 2, 4, 8, 16 or 32 threads. */
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

/* ---- the grid ---- */

GPUCC_GROUP grid_group this_grid(void)
{
    return (grid_group){0};
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
/* The tile's lanes, and where they begin in the warp. */
GPUCC_INLINE unsigned gpucc_tile_first(gpucc_tile tile)
{
    return gpucc_linear_thread() % 32u / tile.width * tile.width;
}
GPUCC_INLINE unsigned gpucc_tile_mask(gpucc_tile tile)
{
    return 0xffffffffu >> (32 - tile.width) << gpucc_tile_first(tile);
}

/* ---- the lanes of a warp that have come here together: ranked by their numbers ---- */

typedef struct coalesced_group {
    unsigned lanes;
} coalesced_group;
#define coalesced_threads() ((coalesced_group){gpucc_activemask()})

GPUCC_INLINE unsigned gpucc_lane_of_rank(unsigned lanes, unsigned rank)
{
    for (; rank && lanes & (lanes - 1); rank--)
        lanes &= lanes - 1;
    return gpucc_ffs(lanes) - 1;
}

/* ---- one of these groups: functions that take any ---- */

/* Passed to a parameter of this type, or stored in a variable, a group is made one by gpucc_any_group():
 * spelling/references.c. */
typedef struct thread_group {
    enum { GPUCC_ANY_BLOCK, GPUCC_ANY_GRID, GPUCC_ANY_TILE, GPUCC_ANY_COALESCED } kind;
    gpucc_tile tile;
    coalesced_group coalesced;
} thread_group;
GPUCC_GROUP thread_group gpucc_any_group(thread_block block)
{
    (void)block;
    return (thread_group){.kind = GPUCC_ANY_BLOCK};
}
GPUCC_GROUP thread_group gpucc_any_group(grid_group grid)
{
    (void)grid;
    return (thread_group){.kind = GPUCC_ANY_GRID};
}
GPUCC_GROUP thread_group gpucc_any_group(gpucc_tile tile)
{
    return (thread_group){.kind = GPUCC_ANY_TILE, .tile = tile};
}
GPUCC_GROUP thread_group gpucc_any_group(coalesced_group group)
{
    return (thread_group){.kind = GPUCC_ANY_COALESCED, .coalesced = group};
}
GPUCC_GROUP thread_group gpucc_any_group(thread_group group)
{
    return group;
}
/* Partitions a block or a tile. */
GPUCC_GROUP thread_group tiled_partition(thread_group group, unsigned width) GPUCC_OF_A_WARP(width)
{
    if (group.kind != GPUCC_ANY_BLOCK && group.kind != GPUCC_ANY_TILE)
        __builtin_trap();
    return gpucc_any_group((gpucc_tile){width, group.kind == GPUCC_ANY_TILE ? group.tile.width : 0});
}

/* ---- their members: under names that no variable of a program's hides, and C's ---- */

#define GPUCC_MEMBER(name) gpucc_member_##name
#include "group_members.h"
#undef GPUCC_MEMBER
#define GPUCC_MEMBER(name) name
#include "group_members.h"
#undef GPUCC_MEMBER

/* ---- partitions ---- */

/* Returns the lanes of a group with the same predicate, or the same label. */
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

/* ---- reductions: each thread gets the result ---- */

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
        type x = gpucc_member_shfl(group, value, 0);                                                                   \
        (void)how;                                                                                                     \
        for (unsigned rank = 1; rank < gpucc_member_size(group); rank++) {                                             \
            const type y = gpucc_member_shfl(group, value, rank);                                                      \
            x = combined;                                                                                              \
        }                                                                                                              \
        return x;                                                                                                      \
    }
#define GPUCC_DEFINE_REDUCTIONS(type)                                                                                  \
    GPUCC_DEFINE_REDUCE(type, plus, x + y)                                                                             \
    GPUCC_DEFINE_REDUCE(type, less, y < x ? y : x)                                                                     \
    GPUCC_DEFINE_REDUCE(type, greater, x < y ? y : x)
#define GPUCC_DEFINE_INTEGER_REDUCTIONS(type)                                                                          \
    GPUCC_DEFINE_REDUCTIONS(type)                                                                                      \
    GPUCC_DEFINE_REDUCE(type, bit_and, x &y)                                                                           \
    GPUCC_DEFINE_REDUCE(type, bit_or, x | y)                                                                           \
    GPUCC_DEFINE_REDUCE(type, bit_xor, x ^ y)
GPUCC_DEFINE_INTEGER_REDUCTIONS(int)
GPUCC_DEFINE_INTEGER_REDUCTIONS(unsigned)
GPUCC_DEFINE_INTEGER_REDUCTIONS(long)
GPUCC_DEFINE_INTEGER_REDUCTIONS(unsigned long)
GPUCC_DEFINE_INTEGER_REDUCTIONS(long long)
GPUCC_DEFINE_INTEGER_REDUCTIONS(unsigned long long)
GPUCC_DEFINE_REDUCTIONS(float)
GPUCC_DEFINE_REDUCTIONS(double)

#endif
