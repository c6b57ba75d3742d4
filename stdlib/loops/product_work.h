/* Products by warpgroups (product_warpgroups.h): a thread's state while it goes through the tiles, and how the blocks
 * begin.  Blocks come in clusters of two, which make tiles of the same columns, one above the other. */
#ifndef GPUCC_LOOPS_PRODUCT_WORK_H
#define GPUCC_LOOPS_PRODUCT_WORK_H

#include <gpucc/loops.h>
#include <gpucc/tma.h>
#include <gpucc/wgmma.h>

#if GPUCC_HAS_WGMMA

enum {
    GPUCC_PRODUCT_HEIGHT = 128, /* rows of a tile */
    GPUCC_PRODUCT_ROW = 128,    /* bytes of k in a stage: the swizzle's row */
    GPUCC_PRODUCT_STAGES = 8,   /* at most */
    GPUCC_PRODUCT_ROOM = 196608 /* bytes of all stages */
};

/* The compiler then does not compute what depends on it outside of the loop. */
#define GPUCC_PRODUCT_HIDE(x) __asm__ volatile("" : "+r"(x))

/* A sum is added here, before the next product writes the registers of what was added. */
#if defined(__NVPTX__)
#define GPUCC_PRODUCT_SETTLE(x) __asm__ volatile("" : "+f"(x))
#else
#define GPUCC_PRODUCT_SETTLE(x) (void)(x)
#endif

/* d += the tile x times the tile y, which lie so many bytes later for each step along k; or d = …, where sums are
 * promoted. */
#define GPUCC_PRODUCT_TIMES(step, x, x_step, y, y_step)                                                                \
    GPUCC_WGMMA_SUMS(product_kind, d, gpucc_wgmma_offset(x, (step) * (x_step)).descriptor,                             \
                     gpucc_wgmma_offset(y, (step) * (y_step)).descriptor, !product_promotes || (step) != 0 || since,   \
                     GPUCC_WGMMA_IS_COLUMNS(x), GPUCC_WGMMA_IS_COLUMNS(y))
#define GPUCC_PRODUCT_MULTIPLY(x, x_step, y, y_step)                                                                   \
    do {                                                                                                               \
        gpucc_wgmma_fence(d);                                                                                          \
        GPUCC_PRODUCT_TIMES(0, x, x_step, y, y_step);                                                                  \
        GPUCC_PRODUCT_TIMES(1, x, x_step, y, y_step);                                                                  \
        GPUCC_PRODUCT_TIMES(2, x, x_step, y, y_step);                                                                  \
        GPUCC_PRODUCT_TIMES(3, x, x_step, y, y_step);                                                                  \
        gpucc_wgmma_commit();                                                                                          \
        gpucc_wgmma_wait(0, d);                                                                                        \
    } while (0)

struct gpucc_product_work {
    const gpucc_tensor_map *left, *right;
    struct gpucc_tiling tiling;
    gpucc_mbarrier *full, *empty; /* of each stage: its tiles have arrived, and both blocks have read them */
    char *memory;                 /* the stages', from a multiple of 1024 on */
    unsigned rank, warpgroup;     /* warpgroup 0 loads */
    unsigned stage, parity;       /* the next stage, and the parity of the phase to wait for */
    unsigned index, pair;         /* the outer index, and the pair of tiles in its output */
};

GPUCC_INLINE struct gpucc_product_work gpucc_product_begin(const gpucc_tensor_map *left, const gpucc_tensor_map *right,
                                                           struct gpucc_tiling tiling, gpucc_mbarrier *barriers)
{
    const uintptr_t memory = (uintptr_t)gpucc_dynamic_shared_at(0);
    struct gpucc_product_work work = {.left = left, .right = right, .tiling = tiling, .full = barriers,
                                      .empty = barriers + GPUCC_PRODUCT_STAGES,
                                      .memory = gpucc_dynamic_shared_at(0) + (-memory & 1023),
                                      .rank = gpucc_clusterrank, .warpgroup = gpucc_threadIdx.x / 128};
    if (gpucc_threadIdx.x == 0) {
        for (unsigned i = 0; i < GPUCC_PRODUCT_STAGES; i++) {
            gpucc_mbarrier_init(&work.full[i], 1);
            gpucc_mbarrier_init(&work.empty[i], 4); /* two warpgroups of each of two blocks */
        }
        gpucc_mbarrier_fence_init();
    }
    gpucc_cluster_arrive();
    gpucc_cluster_wait();
    work.parity = work.warpgroup == 0; /* of new barriers the phase before the first one has ended */
    return work;
}

GPUCC_INLINE void gpucc_product_advance(struct gpucc_product_work *work, unsigned stages)
{
    if (++work->stage == stages) {
        work->stage = 0;
        work->parity ^= 1;
    }
}

#endif
#endif
