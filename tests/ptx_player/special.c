/* Special registers, and what knows of a thread's place: mapa and getctarank. */
#include "ptx.h"

#include <string.h>

enum special {
    TID, NTID, CTAID, NCTAID, CLUSTER_CTAID, CLUSTER_NCTAID, CLUSTERID, NCLUSTERID, /* with .x .y .z */
    VECTORS,
    LANEID = VECTORS, WARPID, NWARPID, SMID, NSMID, GRIDID, CLUSTER_CTARANK, CLUSTER_NCTARANK,
    LANEMASK_EQ, LANEMASK_LE, LANEMASK_LT, LANEMASK_GE, LANEMASK_GT, ENVREG1, ENVREG2, WARP_SIZE,
    DYNAMIC_SIZE, TOTAL_SIZE, IS_EXPLICIT_CLUSTER, CLOCK, CLOCK_HI, CLOCK64, GLOBALTIMER, SPECIAL_COUNT
};
static const char *const names[SPECIAL_COUNT] = {
    "%tid", "%ntid", "%ctaid", "%nctaid", "%cluster_ctaid", "%cluster_nctaid", "%clusterid", "%nclusterid",
    "%laneid", "%warpid", "%nwarpid", "%smid", "%nsmid", "%gridid", "%cluster_ctarank", "%cluster_nctarank",
    "%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt", "%envreg1", "%envreg2", "WARP_SZ",
    "%dynamic_smem_size", "%total_smem_size", "%is_explicit_cluster", "%clock", "%clock_hi", "%clock64",
    "%globaltimer"};

/* 4 * the register + the axis. */
int find_special(const char *name, int length)
{
    for (int k = 0; k < SPECIAL_COUNT; k++) {
        const int size = (int)strlen(names[k]);
        if (length < size || memcmp(name, names[k], (size_t)size) != 0)
            continue;
        if (length == size && k >= VECTORS)
            return 4 * k;
        if (length == size + 2 && k < VECTORS && name[size] == '.' && name[size + 1] >= 'x' && name[size + 1] <= 'z')
            return 4 * k + (name[size + 1] - 'x');
    }
    return -1;
}

bool special_changes(int number)
{
    return number / 4 >= CLOCK;
}

static uint64_t vector_value(const struct thread *t, enum special special, int axis)
{
    const struct ptx_launch *asked = t->block->launch->asked;
    const unsigned cluster = asked->cluster[axis], block = t->block->id[axis];
    switch (special) {
    case TID: return t->id[axis];
    case NTID: return asked->block[axis];
    case CTAID: return block;
    case NCTAID: return asked->grid[axis];
    case CLUSTER_CTAID: return block % cluster;
    case CLUSTER_NCTAID: return cluster;
    case CLUSTERID: return block / cluster;
    default: return asked->grid[axis] / cluster;
    }
}

uint64_t special_value(const struct thread *t, int number)
{
    const struct launch *launch = t->block->launch;
    const enum special special = (enum special)(number / 4);
    const unsigned lane = t->number % WARP;
    const uint32_t own = UINT32_C(1) << lane;
    if (special < VECTORS)
        return vector_value(t, special, number % 4);
    switch (special) {
    case LANEID: return lane;
    case WARPID: return t->number / WARP;
    case NWARPID: return (launch->thread_count + WARP - 1) / WARP;
    case CLUSTER_CTARANK: return t->block->rank;
    case CLUSTER_NCTARANK: return launch->cluster_size;
    case LANEMASK_EQ: return own;
    case LANEMASK_LE: return own | (own - 1);
    case LANEMASK_LT: return own - 1;
    case LANEMASK_GE: return (uint32_t)~(own - 1);
    case LANEMASK_GT: return (uint32_t)~(own | (own - 1));
    case ENVREG1: return (uintptr_t)launch->workspace >> 32;
    case ENVREG2: return (uintptr_t)launch->workspace & MASK_32;
    case WARP_SIZE: return WARP;
    case DYNAMIC_SIZE: return launch->asked->dynamic_shared;
    case TOTAL_SIZE: return launch->shared_size - SHARED_FIRST;
    case NSMID:
    case IS_EXPLICIT_CLUSTER: return 1;
    default: return 0;
    }
}

/* The clock counts instructions. */
void run_special(struct thread *t, struct reg *r, const struct instruction *i)
{
    const uint64_t now = ptx_played();
    (void)t;
    r[i->operand[0]] = (struct reg){(i->offset / 4 == CLOCK_HI ? now >> 32 : now) & type_mask(i->type), 0};
}

/* ---- shared memory of other blocks of the cluster ---- */

/* mapa d, address, rank; the address is generic unless mode says otherwise. */
static void map_address(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg address = r[i->operand[1]], rank = r[i->operand[2]];
    const uint64_t window = i->mode ? 0 : SHARED_WINDOW, offset = address.value - window;
    if (address.undefined | rank.undefined || rank.value >= t->block->launch->cluster_size || offset >= WINDOW_SIZE)
        fault(t, "mapa of the address %#llx, rank %llu", (unsigned long long)address.value,
              (unsigned long long)rank.value);
    r[i->operand[0]] = (struct reg){window + (rank.value + 1) * SHARED_BLOCK + offset % SHARED_BLOCK, 0};
}

static void address_rank(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg address = r[i->operand[1]];
    const uint64_t rank = (address.value - (i->mode ? 0 : SHARED_WINDOW)) % WINDOW_SIZE / SHARED_BLOCK;
    r[i->operand[0]] = (struct reg){rank ? rank - 1 : t->block->rank, all_if(address.undefined, MASK_32)};
}

const struct opcode place_opcodes[] = {
    {"mapa.u64", map_address, {UNSIGNED, 64}, 0},
    {"mapa.shared::cluster.u32", map_address, {UNSIGNED, 32}, 1},
    {"mapa.shared::cluster.u64", map_address, {UNSIGNED, 64}, 1},
    {"getctarank.u64", address_rank, {UNSIGNED, 64}, 0},
    {"getctarank.shared::cluster.u32", address_rank, {UNSIGNED, 32}, 1},
    {"getctarank.shared::cluster.u64", address_rank, {UNSIGNED, 64}, 1},
    {NULL, NULL, {0, 0}, 0},
};
