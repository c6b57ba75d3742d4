/* Cells in place on the CPU (see <gpucc/loops.h>):
 *   void S_cells(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
 *
 * In the order of the indices, as one cell may be named again and again.
 */

/* Inlined once where the first two steps are constants. */
static inline __attribute__((always_inline)) void GPUCC_SYMBOL(_each_cell)(char *cells, intptr_t cell_step,
                                                                           const char *indices, intptr_t index_step,
                                                                           const char *operands, intptr_t operand_step,
                                                                           intptr_t n)
{
    _Pragma("clang loop vectorize(disable)") _Pragma("nounroll") for (intptr_t i = 0; i < n; i++)
    {
        int64_t index;
        GPUCC_TYPE v0, v1;
        __builtin_memcpy(&index, indices + i * index_step, sizeof index);
        char *const cell = cells + index * cell_step;
        __builtin_memcpy(&v0, cell, sizeof v0);
        __builtin_memcpy(&v1, operands, sizeof v1);
        GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)
        GPUCC_CALL(v, r);
        __builtin_memcpy(cell, &r0, sizeof r0);
        operands += operand_step;
    }
}

void GPUCC_SYMBOL(_cells)(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
{
    (void)data;
    if (steps[0] == sizeof(GPUCC_TYPE) && steps[1] == sizeof(int64_t))
        GPUCC_SYMBOL(_each_cell)(args[0], sizeof(GPUCC_TYPE), args[1], sizeof(int64_t), args[2], steps[2],
                                 dimensions[0]);
    else
        GPUCC_SYMBOL(_each_cell)(args[0], steps[0], args[1], steps[1], args[2], steps[2], dimensions[0]);
}
