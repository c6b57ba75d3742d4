/* Fills what loops over strided operands receive. */
#include "records/loop_records.h"
#include <string.h>

void loop_records_fill(struct loop_records *records, const struct nest *nest, int ndim, const uint64_t *types)
{
    struct gpucc_iteration *it = &records->iteration;
    int added = ndim - nest->ndim;
    memset(it, 0, sizeof *it);
    it->count = (uint64_t)nest_count(nest);
    it->ndim = (uint32_t)ndim;
    for (int d = 0; d < GPUCC_LOOP_DIMS; d++)
        it->shape[d] = d >= added && d < ndim ? (uint64_t)nest->shape[d - added] : 1;
    records->parameters[0] = it;
    for (int i = 0; i < nest->operands; i++) {
        struct gpucc_operand *operand = &records->operands[i];
        memset(operand, 0, sizeof *operand);
        operand->reserved = types ? types[i] : 0;
        records->parameters[i + 1] = operand;
        if (nest->values >> i & 1) {
            memcpy(operand->value, nest->data[i], nest->sizes[i]);
            continue;
        }
        operand->data = nest->data[i];
        for (int d = added; d < ndim; d++)
            operand->strides[d] = nest->strides[i][d - added];
    }
}

void nest_add_mask(struct nest *nest, const gpucc_array *where)
{
    static const char all[1] = {1};
    const int mask = nest->operands++;
    if (where) {
        nest_set(nest, mask, where->data, sizeof all, where->ndim, where->shape, where->strides);
    } else {
        nest_set(nest, mask, (char *)(uintptr_t)all, sizeof all, 0, NULL, NULL);
        nest->values |= operand_bit(mask);
    }
}
