/* Shared by reductions and accumulations on a GPU: launches of the loops that take a struct gpucc_reduction. */
#ifndef GPUCC_RUNTIME_REDUCE_CUDA_H
#define GPUCC_RUNTIME_REDUCE_CUDA_H

#include "records/reduction.h"

enum {
    SCRATCH = 1 << 20, /* bytes for the results of runs, at most, where the length allows it */
    WARP_BITS = 5,
    WARP = 1 << WARP_BITS
};

/* One launch. */
struct stage {
    const struct reduction *reduction;
    struct entry *entry; /* prepared */
    bool along;          /* warps, or parts of them, for each output and run; else threads */
    bool packed;         /* blocks: elements of a run are contiguous */
    bool rows;           /* the same for all elements of an output, by warps or parts of them */
    bool columns;        /* several consecutive outputs, contiguous in memory, for each thread */
    uint64_t run, runs;  /* elements in a run, and how many there are */
    unsigned lane_bits, team; /* of the tree: see struct gpucc_reduction */
    uint64_t share;
    size_t stack; /* bytes of shared memory of each thread, of S_scan_across */
    struct gpucc_reduction record;
};

gpucc_status reduction_prepare(const struct reduction *reduction, const struct entry *entry, struct entry **out);
/* Whether operand k has each output's first element at a multiple of `multiple` bytes, a power of two, by the first
 * `ndim` dimensions of the outputs. */
bool outputs_begin_at(const struct nest *kept, int k, int ndim, uint64_t multiple);
/* Whether an output's elements have a smaller stride than the outputs, so that a warp's lanes share them. */
bool is_reduction_shared_by_warp(const struct reduction *reduction);
/* Whether each output's elements are contiguous. */
bool reduction_has_rows(const struct reduction *reduction);
/* The warps, or else threads, that the device runs at once. */
uint64_t reduction_units(const struct stage *stage);
/* The elements of a run, a power of two: few enough for `wanted` runs, but at least `least`, and enough that a result
 * for each `team` of runs fits in SCRATCH bytes. */
uint64_t reduction_choose_run(const struct reduction *reduction, uint64_t wanted, uint64_t least, uint64_t team);
/* Choose the lanes of a unit, for runs of up to `longest` elements, and then the units that share a run. */
void reduction_choose_lanes(struct stage *stage, uint64_t longest);
void reduction_choose_team(struct stage *stage);
/* Selects S_packed and prepares its entry, if it handles runs of this length. */
gpucc_status reduction_choose_packed(struct stage *stage);
void reduction_fill_record(struct stage *stage);
/* Launches `blocks` blocks, or as many as a grid may have, with `shared` bytes of shared memory each. */
gpucc_status reduction_launch_blocks(struct stage *stage, uint64_t blocks, unsigned threads, size_t shared);
/* A thread, or along a warp, for each output and run, in blocks of whole warps. */
gpucc_status reduction_launch(struct stage *stage);
/* For S_along, S_packed, S_packed_rows, S_packed_columns and S_across. */
gpucc_status reduction_launch_tree(struct stage *stage);
/* From the left. */
gpucc_status reduction_fold(const struct reduction *reduction);
/* Slices on the device. */
struct slice_table {
    const char *device; /* a struct gpucc_slice each */
    uint64_t count, elements, longest; /* elements of all, and of one */
};
/* For gathered elements, whose outputs have few enough dimensions. */
gpucc_status gathering_run_slices(const struct gathering *gathering);
gpucc_status gathering_launch_slices(const struct gathering *gathering, const struct slice_table *table);
/* `work` for parts whose outputs have few enough dimensions, one after another. */
typedef gpucc_status reduction_work(const struct reduction *reduction);
gpucc_status reduction_in_parts(const struct reduction *reduction, reduction_work *work);

#endif
