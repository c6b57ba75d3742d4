/* The records that the loops of gufuncs receive on every device. */
#include "records/gufunc_call.h"
#include <string.h>

bool core_is_packed(const struct core *core, size_t size)
{
    int64_t step = (int64_t)size;
    for (int d = core->rank; d-- > 0;) {
        if (core->shape[d] != 1 && core->strides[d] != step)
            return false;
        step *= core->shape[d];
    }
    return true;
}

bool operand_varies(const struct nest *nest, int k)
{
    for (int d = 0; d < nest->ndim; d++)
        if (nest->strides[k][d] != 0)
            return true;
    return false;
}

void outer_records_fill(struct outer_records *records, const struct gufunc_call *gufunc, const struct nest *part)
{
    loop_records_fill(&records->loop, part, GPUCC_LOOP_DIMS, NULL);
    records->loop.iteration.ndim = (uint32_t)part->ndim;
    memset(&records->core, 0, sizeof records->core);
    for (int d = 0; d < gufunc->layout->dimension_count; d++)
        records->core.extents[d] = (uint64_t)gufunc->extents[d];
    records->parameters[0] = &records->loop.iteration;
    records->parameters[1] = &records->core;
    for (int k = 0; k < gufunc->call->operands; k++)
        records->parameters[2 + k] = &records->loop.operands[k];
    records->together = (struct gpucc_together){1, NULL};
    records->parameters[2 + gufunc->call->operands] = &records->together;
}

unsigned gufunc_block_threads(const struct gufunc_call *gufunc)
{
    enum { ELEMENTS_EACH = 16 }; /* softmax of 10^5 rows of 1000 on an H200: 199 us, and 228 with 8 */
    int64_t most = 0;
    for (int k = 0; k < gufunc->call->operands; k++) {
        int64_t elements = 1;
        for (int d = 0; d < gufunc->cores[k].rank; d++)
            elements *= gufunc->extents[gufunc->cores[k].dimensions[d]];
        most = elements > most ? elements : most;
    }
    unsigned threads = GPUCC_CORE_THREADS_LEAST;
    while (threads < GPUCC_CORE_THREADS_MOST && (int64_t)threads * ELEMENTS_EACH < most)
        threads *= 2;
    return threads;
}
