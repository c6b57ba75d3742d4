/* Cells in place on the CPU (see <gpucc/loops.h>):
 *   void S_cells(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
 *
 * In the order of the indices, as one cell may be named again and again.
 */
void GPUCC_SYMBOL(_cells)(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
{
    (void)data;
    _Pragma("clang loop vectorize(disable)") for (intptr_t i = 0; i < dimensions[0]; i++)
    {
        int64_t index;
        GPUCC_TYPE v0, v1;
        __builtin_memcpy(&index, args[1] + i * steps[1], sizeof index);
        char *const cell = args[0] + index * steps[0];
        __builtin_memcpy(&v0, cell, sizeof v0);
        __builtin_memcpy(&v1, args[2] + i * steps[2], sizeof v1);
        GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)
        GPUCC_CALL(v, r);
        __builtin_memcpy(cell, &r0, sizeof r0);
    }
}
