/* A ufunc in place on cells that indices name, as what runs it receives it. */
#ifndef GPUCC_RUNTIME_SCATTER_H
#define GPUCC_RUNTIME_SCATTER_H

#include "records/ufunc_call.h"

/* Each cell is all of an array behind an index of its first dimension. */
struct scatter {
    struct call call;
    gpucc_array *array; /* as the loop's device has it */
    const int64_t *cells;       /* the indices, in C order, from 0; null where … */
    const gpucc_array *indices; /* … they are read on the way: as the loop's device has them */
    int64_t *copied;            /* `cells`, where these are no memory of the caller's */
    bool from_end;              /* at_cpu.c: some indices that are read on the way are negative */
    uint64_t count;
    int index_ndim;
    int64_t index_shape[GPUCC_MAX_DIMS], index_strides[GPUCC_MAX_DIMS]; /* strides of the operand along them */
    gpucc_dtype types[2]; /* of the inner nest's operands, in memory */
    int64_t cell_step;    /* bytes from cell to cell */
    bool converts;        /* at_cpu.c: these types are not the loop's */
    uint64_t shares;      /* of the cells */
    struct nest inner;    /* of a cell, simplified; operand 0 is the array at cell 0, 1 the first index's operand */
};

/* The offset of the operand of index `number` from that of the first. */
int64_t scatter_offset(const struct scatter *scatter, uint64_t number);
/* The cells of so many indices from there on, where they lie or in `buffer`; not of those that a GPU reads. */
const int64_t *scatter_cells(const struct scatter *scatter, uint64_t first, int64_t n, int64_t *buffer);
gpucc_status scatter_fail_index(const struct scatter *scatter, int64_t index);
/* The cells that indices name; negative ones count from the end. */
void scatter_find_cells(const struct scatter *scatter, const int64_t *indices, int64_t n, int64_t *cells);
/* The layout in which the GPU reads them: the indices' dimensions, as few as can be, with the indices and the
 * operand along them. */
void scatter_index_nest(const struct scatter *scatter, struct nest *out);

/* Indices that only uint64 holds become the largest int64, which is larger than any array. */
void indices_limit(const gpucc_array *indices, int64_t *numbers, int64_t n);
/* So many of them from an array in C order in the CPU's memory: their address, or `buffer`. */
const int64_t *indices_part(const gpucc_array *indices, uint64_t first, int64_t n, int64_t *buffer);

#endif
