/* Calls on a GPU. */
#ifndef GPUCC_RUNTIME_CUDA_LOOPS_H
#define GPUCC_RUNTIME_CUDA_LOOPS_H

#include "devices/device_operations.h"
#include "records/gufunc_call.h"
#include "records/reduction.h"
#include "records/scatter.h"

/* loop_grid.c */

/* A grid of so many blocks along x, or of the device's largest count: loops cover what a full grid leaves. */
struct shape3 capped_grid(const gpucc_context *context, uint64_t blocks);

/* A thread for each vector of elements; the loop itself covers what a full grid leaves. */
void loop_grid(const gpucc_context *context, const struct entry *entry, uint64_t n, struct shape3 *grid,
               struct shape3 *block);

/* A thread that does four items fetches the next while it computes one: 17 % more throughput than one item each on an
 * H200, as long as the device stays full. */
uint64_t items_per_thread(const gpucc_context *context, uint64_t items);

/* The extent of a two-dimensional launch: so many columns and rows, of which a thread does some; blocks at most so
 * wide. */
struct plane {
    uint64_t columns, rows;
    uint64_t columns_each, rows_each;
    unsigned width;
};

/* Blocks of at most `threads`, which cover several rows where these are short; as many as a grid may have. */
void plane_grid(const gpucc_context *context, const struct plane *plane, unsigned threads, struct shape3 *grid,
                struct shape3 *block);

/* strided_cuda.c */

struct strided_loop {
    gpucc_stream *stream;
    struct entry *entry; /* prepared */
    const uint64_t *types; /* GPUCC_OPERAND_RECORD() of each operand, or null */
    const int64_t *const *tables; /* of the runtime's own kernel: the two of cast_named_on_cuda(); else null */
};

/* Elements that one launch takes: S_strided counts its rows and columns in 32 bits. */
#define STRIDED_MOST UINT32_MAX

/* Runs it over a simplified nest of at least one dimension, whose dimensions it may put in another order; with tables
 * of GPUCC_LOOP_DIMS dimensions and no more than STRIDED_MOST elements. */
gpucc_status strided_run(const struct strided_loop *loop, struct nest *nest);

/* images.c */
enum own_kernels { OWN_CAST, OWN_SORT };
extern const bool has_own_kernels; /* not in every build */
/* Lives as long as the process; null in a build without them, or without memory. */
const struct gpucc_program_image *own_image(enum own_kernels which);

/* cast_cuda.c */

/* Enqueues: elements as another type or of the same type in another layout, operand 1 of the nest to operand 0, both on
 * the device; a third operand is boolean, and what it is false for stays as it is. */
gpucc_status cast_on_cuda(gpucc_stream *stream, struct nest *nest, gpucc_dtype to, gpucc_dtype from);

/* The same between elements one of whose operands has rows anywhere: where its table, on the device, is not null, index
 * i of dimension 0 is strides[…][0] times table[i] bytes on.  The nest is as strided_run() has it with tables. */
gpucc_status cast_named_on_cuda(gpucc_stream *stream, struct nest *nest, const gpucc_dtype types[2],
                                const int64_t *const tables[2]);

/* ufunc_cuda.c */

/* n adjacent elements of every operand. */
gpucc_status cuda_run_contiguous(const struct call *call, gpucc_stream *stream, char *const *data, uint64_t n);
/* The nest is simplified. */
gpucc_status cuda_run_nest(const struct call *call, gpucc_stream *stream, struct nest *nest);
/* Enqueues the loop over the call's used operands, converted and masked where they are to be. */
gpucc_status cuda_run_call(const struct call *call, struct nest *nest);
/* True if the call is for staging: large adjacent operands, some of them on the host, of the loop's types. */
bool cuda_needs_staging(const struct call *call);
gpucc_status cuda_run_staged(struct call *call);

/* reduce_cuda.c: in the reduction tree where the ufunc is reorderable, else from the left */

gpucc_status cuda_run_reduction(const struct reduction *reduction);

/* reduceat_cuda.c: of slices */

gpucc_status cuda_run_slices(const struct reduction *reduction);

/* gather_cuda.c */

gpucc_status cuda_run_gathering(const struct gathering *gathering);

/* accumulate_cuda.c */

/* Every partial result, in the order of the reduction. */
gpucc_status cuda_run_accumulation(const struct reduction *reduction);

/* at_cuda.c */

/* In the order of the indices for every cell, or as if it were so. */
gpucc_status cuda_run_scatter(struct scatter *scatter);
/* Whether that reads the indices on the GPU; the loop is known. */
bool cuda_reads_indices(const struct scatter *scatter);

/* outer_cuda.c: over a part of the outer dimensions, of operands whose cores are packed */

gpucc_status cuda_run_outer(const struct gufunc_call *gufunc, const struct nest *part, const struct core *cores);
/* The same through shared memory, of cores of any strides, so many a block. */
gpucc_status cuda_run_staged_outer(const struct gufunc_call *gufunc, const struct nest *part, const struct core *cores,
                                   unsigned count);
/* Whether that reads the operand's cores as they lie, though they are not packed. */
bool cuda_reads_core(const struct gufunc_call *gufunc, const struct nest *outer, int k, const struct core *core);
/* Cores that a block's shared memory is to have room for; 0: they do not go through it. */
unsigned cuda_staged_cores(const struct gufunc_call *gufunc, const struct nest *outer, const struct core *cores);

/* product_cuda.c: the same of a product whose matrices are multiplied as they are, on Hopper */

/* Whether warpgroups multiply; this depends on the core dimensions alone too. */
bool cuda_has_warpgroups(const struct gufunc_call *gufunc);
gpucc_status cuda_run_warpgroups(const struct gufunc_call *gufunc, const struct nest *part, const struct core *cores);
/* Whether the copy engine reads the operand's cores where they lie: rows or columns of contiguous elements, aligned. */
bool cuda_reads_matrix(const struct gufunc_call *gufunc, const struct nest *outer, int k, const struct core *core);

/* cuda_device.c */

extern const struct device_operations cuda_device __attribute__((visibility("hidden")));

#endif
