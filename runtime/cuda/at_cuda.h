/* A ufunc on cells that indices name, on a GPU: the ways in which it is done. */
#ifndef GPUCC_RUNTIME_AT_CUDA_H
#define GPUCC_RUNTIME_AT_CUDA_H

#include "cuda/sort.h"
#include "records/scatter.h"

/* sort_cuda.c: indices on the GPU */

/* Fails where one names no cell; waits for the answer. */
gpucc_status sort_check(const struct scatter *scatter, const struct gpucc_indices *indices);

/* Indices that are sorted at a time, and what that takes. */
struct sort {
    struct gpucc_indices indices;
    struct gpucc_places operands;
    gpucc_stream *stream;
    uint64_t most; /* indices that there is room for */
    struct memory *memory;
};
/* From `indices` and `operands`.  Free it with sort_free(). */
gpucc_status sort_create(struct sort *sort, const struct scatter *scatter);
void sort_free(struct sort *sort);
/* cells[] and places[] of a struct gpucc_reduction, for up to `most` indices from number `first` on.  They lie on the
 * GPU until the next ones do. */
gpucc_status sort_indices(struct sort *sort, uint64_t first, uint64_t count, const uint64_t **cells,
                        const int64_t **places);

/* at_rounds_cuda.c: indices on the host; cells have a dimension at least */
gpucc_status cuda_run_rounds(struct scatter *scatter);

#endif
