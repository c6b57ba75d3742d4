/* Calls on the CPU. */
#ifndef GPUCC_RUNTIME_CPU_LOOPS_H
#define GPUCC_RUNTIME_CPU_LOOPS_H

#include "devices/device_operations.h"
#include "records/gufunc_call.h"
#include "records/reduction.h"
#include "records/scatter.h"

/* ufunc_cpu.c */

gpucc_status cpu_run_contiguous(const struct call *call, char *const *data, uint64_t n);
/* Over operands of the loop's types. */
gpucc_status cpu_run_nest(const struct call *call, const struct nest *nest);
/* The native loop, a struct loop, over one row; and whether there is one. */
void cpu_run_native(void *data, char **args, int64_t n, const int64_t *steps);
gpucc_status cpu_check_native(const struct call *call);

/* buffered_cpu.c */

/* Over operands of the types that the call uses, and its mask, which is the nest's last one. */
gpucc_status cpu_run_call(const struct call *call, struct nest *nest);

/* reduce_cpu.c: in the reduction tree where the ufunc is reorderable, else from the left */

gpucc_status cpu_run_reduction(const struct reduction *reduction);
/* For slices. */
gpucc_status cpu_run_slices(const struct reduction *reduction);
/* Aligned runs of so many elements, up to GPUCC_REDUCE_NATIVE_MOST, in the tree: for each run one result of every
 * output, in C order of the kept dimensions. */
void cpu_reduce_runs(const struct reduction *reduction, uint64_t run, char *results);
/* Slices, each with a result of `outputs` outputs.  Long ones (slice_is_long()) are reductions that all workers share,
 * one after another.  Then each worker reduces some of the others, from number `begin` on, and skips the long ones. */
struct slices {
    const struct gpucc_slice *slices;
    uint64_t count, outputs;
    struct pool *pool;
    gpucc_status (*run_long)(const void *data, const struct gpucc_slice *slice);
    void (*run_short)(void *data, uint64_t begin, uint64_t end, int worker);
    const void *data;
};
bool slice_is_long(const struct gpucc_slice *slice, uint64_t outputs);
gpucc_status cpu_divide_slices(const struct slices *slices);
/* Gives all outputs to the body, `unit` of them together, on the pool where there is enough to do. */
void cpu_walk_outputs(const struct reduction *reduction, uint64_t unit, nest_body *body, void *data);

/* gather_cpu.c */

gpucc_status cpu_run_gathering(const struct gathering *gathering);

/* accumulate_cpu.c */

/* Every partial result, in the order of the reduction. */
gpucc_status cpu_run_accumulation(const struct reduction *reduction);

/* at_cpu.c */

/* In the order of the indices for every cell, or as if it were so. */
gpucc_status cpu_run_scatter(struct scatter *scatter);

/* outer_cpu.c: over a part of the outer dimensions, of operands whose cores are packed */

gpucc_status cpu_run_outer(const struct gufunc_call *gufunc, const struct nest *row);
gpucc_status cpu_run_outer_blocks(const struct gufunc_call *gufunc, const struct nest *part);

/* cpu_device.c */

extern const struct device_operations cpu_device __attribute__((visibility("hidden")));

#endif
