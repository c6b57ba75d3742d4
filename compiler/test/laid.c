/* The layout of an operand's elements in memory, with guards around them. */
#include "test/test_internal.h"

#include <string.h>

/* Strides of an array whose dimensions follow one another in memory from the last to the first, or the other way
 * round; the bytes from one element to the next, and how many elements more than are used a row has. */
static int64_t step_through(const struct operand *operand, struct laid *laid, bool first_fastest, int64_t step,
                            int64_t apart)
{
    for (int i = 0; i < operand->ndim; i++) {
        const int d = first_fastest ? i : operand->ndim - 1 - i;
        laid->strides[d] = step;
        step *= operand->shape[d] + (i == 0 ? apart : 0);
    }
    return step;
}

struct laid lay_out(const struct operand *operand)
{
    enum { APART = 3, REPEAT = 2, ROOM = 64 /* bytes in front and behind, which keep the alignment */ };
    struct laid laid = {0};
    const int64_t size = (int64_t)dtype_size(operand->dtype);
    int64_t bytes = 0;
    switch (operand->spacing) {
    case SPACING_COLUMNS: bytes = step_through(operand, &laid, true, size, 0); break;
    case SPACING_SECOND: bytes = step_through(operand, &laid, false, REPEAT * size, 0); break;
    case SPACING_APART: bytes = step_through(operand, &laid, false, size, APART); break;
    case SPACING_MISALIGNED:
        bytes = step_through(operand, &laid, false, size, 0) + size;
        laid.offset = size;
        break;
    case SPACING_REVERSED:
        bytes = step_through(operand, &laid, false, size, 0);
        for (int d = 0; d < operand->ndim; d++) {
            laid.offset += bytes ? (operand->shape[d] - 1) * laid.strides[d] : 0;
            laid.strides[d] = -laid.strides[d];
        }
        break;
    default: bytes = step_through(operand, &laid, false, size, 0);
    }
    laid.offset += ROOM;
    laid.size = (size_t)bytes + (size_t)2 * ROOM;
    return laid;
}

/* Copies the elements between memory, in C order of their indices, and packed ones; either way. */
static void copy(const struct operand *operand, const struct laid *laid, char *memory, char *packed, bool packs)
{
    const size_t size = dtype_size(operand->dtype), count = element_count(operand);
    int64_t index[RANK_MOST] = {0}, at = laid->offset;
    for (size_t i = 0; i < count; i++, packed += size) {
        memcpy(packs ? packed : memory + at, packs ? memory + at : packed, size);
        for (int d = operand->ndim; d-- > 0;) {
            at += laid->strides[d];
            if (++index[d] < operand->shape[d])
                break;
            at -= index[d] * laid->strides[d];
            index[d] = 0;
        }
    }
}

void spread(const struct operand *operand, const struct laid *laid, const char *packed, char *memory)
{
    copy(operand, laid, memory, (char *)(uintptr_t)packed, false);
}

void gather(const struct operand *operand, const struct laid *laid, const char *memory, char *packed)
{
    copy(operand, laid, (char *)(uintptr_t)memory, packed, true);
}
