/* The loop of a gufunc on the GPU (see <gpucc/loops.h>): a thread for each outer index, or a block.  loops.c defines:
 *   GPUCC_LOOP          the loop's symbol
 *   GPUCC_BY_BLOCK      1 where it is a block
 *   GPUCC_CALLEE        the function, of the extents and of a pointer to each operand's core
 *   GPUCC_ARRAYS(X)     X(index, C type) for each operand but …
 *   GPUCC_NUMBERS(X)    … inputs without core dimensions, which may be values
 *   GPUCC_IN_ORDER(X)   X(index) for all of them
 */
#define GPUCC_PARAMETER_OPERAND(k) , const struct gpucc_operand op##k
#define GPUCC_PLACE(op)                                                                                                \
    ((op).data + ((int64_t)i0 * (op).strides[0] + (int64_t)i1 * (op).strides[1]) +                                     \
     ((int64_t)i2 * (op).strides[2] + (int64_t)i3 * (op).strides[3]))
#define GPUCC_PLACE_ARRAY(k, type) type *const p##k = (type *)GPUCC_PLACE(op##k);
/* Read once, at the start, into registers, and hidden as strided.h hides values. */
#define GPUCC_READ_NUMBER(k, type)                                                                                     \
    gpucc_u64 bits_##k[2] = {op##k.value[0], sizeof(type) > 8 ? op##k.value[1] : 0};                                   \
    GPUCC_HIDE(bits_##k[0]);                                                                                           \
    if (sizeof(type) > 8)                                                                                              \
        GPUCC_HIDE(bits_##k[1]);                                                                                       \
    type value_##k;                                                                                                    \
    __builtin_memcpy(&value_##k, bits_##k, sizeof value_##k);
#define GPUCC_PLACE_NUMBER(k, type)                                                                                    \
    type number_##k = value_##k;                                                                                       \
    if (op##k.data)                                                                                                    \
        number_##k = *(const type *)GPUCC_PLACE(op##k);                                                                \
    type *const p##k = &number_##k;
#define GPUCC_PASS(k) , p##k

void GPUCC_SYMBOL(_outer)(const struct gpucc_iteration it,
                          const struct gpucc_core core GPUCC_IN_ORDER(GPUCC_PARAMETER_OPERAND))
{
#if GPUCC_BY_BLOCK
    const gpucc_u64 first = gpucc_blockIdx.x, step = gpucc_gridDim.x, count = it.count;
#else
    const gpucc_u64 first = gpucc_grid_1(), step = gpucc_gridsize_1(), count = it.count;
#endif
    const unsigned n1 = (unsigned)it.shape[1], n2 = (unsigned)it.shape[2], n3 = (unsigned)it.shape[3];
    const _Bool is_row = it.ndim == 1;
    GPUCC_NUMBERS(GPUCC_READ_NUMBER)
    _Pragma("nounroll") for (gpucc_u64 index = first; index < count; index += step)
    {
#if GPUCC_BY_BLOCK
        if (index != first) /* shared memory may still be read */
            gpucc_syncthreads();
#endif
        unsigned i0 = 0, i1 = 0, i2 = 0, i3 = (unsigned)index;
        if (!is_row) {
            const unsigned q3 = i3 / n3, q2 = q3 / n2;
            i3 -= q3 * n3;
            i2 = q3 - q2 * n2;
            i0 = q2 / n1;
            i1 = q2 - i0 * n1;
        }
        GPUCC_ARRAYS(GPUCC_PLACE_ARRAY)
        GPUCC_NUMBERS(GPUCC_PLACE_NUMBER)
        GPUCC_CALLEE(core.extents GPUCC_IN_ORDER(GPUCC_PASS));
    }
}

#undef GPUCC_PARAMETER_OPERAND
#undef GPUCC_PLACE
#undef GPUCC_PLACE_ARRAY
#undef GPUCC_READ_NUMBER
#undef GPUCC_PLACE_NUMBER
#undef GPUCC_PASS
