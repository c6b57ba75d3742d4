/* What reductions and accumulations on a GPU share: launches of the loops that take a struct gpucc_reduction. */
#ifndef GPUCC_RUNTIME_REDUCE_CUDA_H
#define GPUCC_RUNTIME_REDUCE_CUDA_H

#include "internal.h"

enum {
    SCRATCH = 1 << 20, /* bytes for the results of runs, at most, where the length allows it */
    WARP = 32
};

/* One launch. */
struct stage {
    const struct reduction *reduction;
    struct entry *entry; /* prepared */
    bool along;          /* a warp for each output and run; else a thread */
    uint64_t run, runs;  /* elements in a run, a power of two, and how many there are */
    struct gpucc_reduction record;
};

gpucc_status reduction_prepare(const struct reduction *reduction, const struct entry *entry, struct entry **out);
/* Whether the elements of an output lie closer together than the outputs, so that a warp's lanes share them. */
bool reduction_goes_along(const struct reduction *reduction);
/* Runs so short that there are items enough for the device, but no shorter than `least`, nor so many that their results
 * take more than SCRATCH bytes. */
uint64_t reduction_choose_run(const struct reduction *reduction, uint64_t wanted, uint64_t least);
void reduction_fill_record(struct stage *stage);
/* In blocks of whole warps. */
gpucc_status reduction_launch(struct stage *stage);
/* From the left. */
gpucc_status reduction_fold(const struct reduction *reduction);
/* `work` for parts whose outputs have few enough dimensions, one after another. */
typedef gpucc_status reduction_work(const struct reduction *reduction);
gpucc_status reduction_in_parts(const struct reduction *reduction, reduction_work *work);

#endif
