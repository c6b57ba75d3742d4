/* Cells in place on the GPU, by atomic operations (see <gpucc/loops.h>): S_at, where it does not show in which order a
 * cell's operands come.  Whether that is so the compiler sees by S_step, and takes S_at out where it is not
 * (lower_updates.c).  Told GPUCC_TYPE, as reduce.h is. */
#include <loops/indices.h>

static __attribute__((noinline)) GPUCC_TYPE GPUCC_SYMBOL(_step)(GPUCC_TYPE v0, GPUCC_TYPE v1)
{
    GPUCC_TYPE r0;
    GPUCC_CALL(v, r);
    return r0;
}

/* The compiler puts the atomic operation in place of the call that does what `step` does. */
extern void GPUCC_SYMBOL(_update)(GPUCC_TYPE *cell, GPUCC_TYPE operand, GPUCC_TYPE (*step)(GPUCC_TYPE, GPUCC_TYPE));

static inline __attribute__((always_inline)) void GPUCC_SYMBOL(_apply)(char *place, GPUCC_TYPE operand)
{
    if (sizeof operand >= sizeof(uint32_t)) {
        GPUCC_SYMBOL(_update)((GPUCC_TYPE *)place, operand, GPUCC_SYMBOL(_step));
        return;
    }
    /* Memory knows no such operations on less than 4 bytes: they are exchanged as a part of the word around them. */
    const unsigned byte = (unsigned)((uintptr_t)place % sizeof(uint32_t)), shift = 8 * byte;
    const uint32_t mask = (uint32_t)(((uint64_t)1 << 8 * sizeof operand) - 1) << shift;
    uint32_t *const word = (uint32_t *)(place - byte);
    uint32_t seen = __atomic_load_n(word, __ATOMIC_RELAXED), next;
    do {
        const uint32_t bits = seen >> shift;
        uint32_t result = 0;
        GPUCC_TYPE value;
        __builtin_memcpy(&value, &bits, sizeof value);
        value = GPUCC_SYMBOL(_step)(value, operand);
        __builtin_memcpy(&result, &value, sizeof value);
        next = (seen & ~mask) | result << shift;
    } while (next != seen && !__atomic_compare_exchange_n(word, &seen, next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

void GPUCC_SYMBOL(_at)(const struct gpucc_scatter it)
{
    const gpucc_u64 items = it.indices.count * it.elements, step = gpucc_gridsize_1();
    gpucc_u64 value = it.value;
    GPUCC_HIDE(value);
    _Pragma("nounroll") for (gpucc_u64 item = gpucc_grid_1(); item < items; item += step)
    {
        gpucc_u64 number = item;
        int64_t cell, to_index, to_operand, in_cell = 0, in_operand = 0;
        GPUCC_TYPE operand;
        if (it.elements > 1) {
            number = item / it.elements;
            gpucc_offsets(item - number * it.elements, it.dims, it.shape, it.strides, it.operand_strides, &in_cell,
                          &in_operand);
        }
        gpucc_offsets(number, it.indices.dims, it.indices.shape, it.indices.strides, it.index_operand, &to_index,
                      &to_operand);
        const char *const from = it.indices.data + to_index;
        gpucc_read_cells(&it.indices, 1, &from, &cell);
        __builtin_memcpy(&operand, &value, sizeof operand);
        if (it.operand)
            operand = *(const GPUCC_TYPE *)(it.operand + to_operand + in_operand);
        GPUCC_SYMBOL(_apply)(it.cells + cell * it.cell_step + in_cell, operand);
    }
}
