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
    bool packed;         /* blocks: elements of a run lie together */
    bool rows;           /* the same of all of an output's, for warps or parts of them */
    bool columns;        /* some neighbouring outputs, whose elements are contiguous, for each thread */
    uint64_t run, runs;  /* elements in a run, and how many there are */
    unsigned lane_bits, team; /* of the tree: see struct gpucc_reduction */
    uint64_t share;
    size_t stack; /* bytes of shared memory of each thread, of S_scan_across */
    struct gpucc_reduction record;
};

gpucc_status reduction_prepare(const struct reduction *reduction, const struct entry *entry, struct entry **out);
/* Whether operand k has each output's first element at a multiple of so many bytes, a power of two, as far as the first
 * `ndim` dimensions of the outputs tell. */
bool outputs_begin_at(const struct nest *kept, int k, int ndim, uint64_t multiple);
/* Whether the elements of an output lie closer together than the outputs, so that a warp's lanes share them. */
bool is_reduction_shared_by_warp(const struct reduction *reduction);
/* Whether each output's elements are contiguous. */
bool reduction_has_rows(const struct reduction *reduction);
/* Warps, or else threads, that the device has at a time. */
uint64_t reduction_units(const struct stage *stage);
/* Elements of a run, a power of two, so few that there are `wanted` runs, but no fewer than `least`, nor so few that a
 * result for each `team` of runs takes more than SCRATCH bytes. */
uint64_t reduction_choose_run(const struct reduction *reduction, uint64_t wanted, uint64_t least, uint64_t team);
/* Limits of the tree: the lanes of a unit, where no run is longer than this, and then who shares a run. */
void reduction_choose_lanes(struct stage *stage, uint64_t longest);
void reduction_choose_team(struct stage *stage);
/* Says that the stage is packed, and prepares its entry, where S_packed does runs of its length. */
gpucc_status reduction_choose_packed(struct stage *stage);
void reduction_fill_record(struct stage *stage);
/* So many blocks, or as many as a grid may have, with so many bytes of shared memory each. */
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
