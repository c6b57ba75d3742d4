/* The loops of a ufunc on the GPU over operands with strides (see <gpucc/loops.h>): S_rows for two dimensions whose
 * inner one is contiguous or broadcast, S_strided for everything else.
 */
#define GPUCC_PARAMETER_IN(k, type, name) , const struct gpucc_operand in##k
#define GPUCC_PARAMETER_OUT(k, type, name) , const struct gpucc_operand out##k
/* An element at a byte offset; an operand without memory is its value. */
#define GPUCC_VALUE(type, op) __extension__({ type value_; __builtin_memcpy(&value_, (op).value, sizeof value_); value_; })
#define GPUCC_LOAD_AT(k, type, name)                                                                                   \
    type v##k = in##k.data ? *(const type *)(in##k.data + offset_in##k) : GPUCC_VALUE(type, in##k);
#define GPUCC_STORE_AT(k, type, name) *(type *)(out##k.data + offset_out##k) = r##k;

#define GPUCC_ROW_ALIGNED(type, op)                                                                                    \
    ((op).strides[1] == 0 ||                                                                                           \
     (((uintptr_t)(op).data | (uintptr_t)(op).strides[0]) & (GPUCC_ALIGNMENT(sizeof(type) * GPUCC_WIDTH) - 1)) == 0)
#define GPUCC_ALIGNED_IN(k, type, name) aligned &= GPUCC_ROW_ALIGNED(type, in##k);
#define GPUCC_ALIGNED_OUT(k, type, name) aligned &= GPUCC_ROW_ALIGNED(type, out##k);
#define GPUCC_ROW_VECTOR(k, type, name)                                                                                \
    type x##k[GPUCC_WIDTH];                                                                                            \
    if (in##k.strides[1]) {                                                                                            \
        GPUCC_COPY(x##k, in##k.data + (int64_t)row * in##k.strides[0] + column * sizeof(type), sizeof x##k);          \
    } else {                                                                                                           \
        const int64_t offset_in##k = (int64_t)row * in##k.strides[0];                                                  \
        GPUCC_LOAD_AT(k, type, name)                                                                                   \
        GPUCC_UNROLL for (unsigned j = 0; j < GPUCC_WIDTH; j++) x##k[j] = v##k;                                        \
    }
#define GPUCC_ROW_ARRAY(k, type, name) type y##k[GPUCC_WIDTH];
#define GPUCC_ROW_STORE(k, type, name)                                                                                 \
    GPUCC_COPY(out##k.data + (int64_t)row * out##k.strides[0] + column * sizeof(type), y##k, sizeof y##k);
#define GPUCC_PICK(k, type, name) type v##k = x##k[j];
#define GPUCC_KEEP(k, type, name) y##k[j] = r##k;
#define GPUCC_ROW_OFFSET_IN(k, type, name)                                                                             \
    const int64_t offset_in##k = (int64_t)row * in##k.strides[0] + (int64_t)column * in##k.strides[1];
#define GPUCC_ROW_OFFSET_OUT(k, type, name)                                                                            \
    const int64_t offset_out##k = (int64_t)row * out##k.strides[0] + (int64_t)column * out##k.strides[1];

void GPUCC_SYMBOL(_rows)(const struct gpucc_iteration it GPUCC_INPUTS(GPUCC_PARAMETER_IN)
                             GPUCC_OUTPUTS(GPUCC_PARAMETER_OUT))
{
    const gpucc_u64 first = gpucc_grid_1(), step = gpucc_gridsize_1(), columns = it.shape[1];
    const gpucc_u64 first_row = gpucc_grid_2().y, rows_step = gpucc_gridsize_2().y;
    _Bool aligned = 1;
    GPUCC_INPUTS(GPUCC_ALIGNED_IN)
    GPUCC_OUTPUTS(GPUCC_ALIGNED_OUT)
    const gpucc_u64 vectors = aligned ? columns / GPUCC_WIDTH : 0;
    for (gpucc_u64 row = first_row; row < it.shape[0]; row += rows_step) {
        for (gpucc_u64 v = first; v < vectors; v += step) {
            const gpucc_u64 column = v * GPUCC_WIDTH;
            GPUCC_INPUTS(GPUCC_ROW_VECTOR)
            GPUCC_OUTPUTS(GPUCC_ROW_ARRAY)
            GPUCC_UNROLL for (unsigned j = 0; j < GPUCC_WIDTH; j++)
            {
                GPUCC_INPUTS(GPUCC_PICK)
                GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)
                GPUCC_CALL(v, r);
                GPUCC_OUTPUTS(GPUCC_KEEP)
            }
            GPUCC_OUTPUTS(GPUCC_ROW_STORE)
        }
        for (gpucc_u64 column = vectors * GPUCC_WIDTH + first; column < columns; column += step) {
            GPUCC_INPUTS(GPUCC_ROW_OFFSET_IN)
            GPUCC_OUTPUTS(GPUCC_ROW_OFFSET_OUT)
            GPUCC_INPUTS(GPUCC_LOAD_AT)
            GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)
            GPUCC_CALL(v, r);
            GPUCC_OUTPUTS(GPUCC_STORE_AT)
        }
    }
}

#define GPUCC_OFFSET_IN(k, type, name) int64_t offset_in##k = 0;
#define GPUCC_OFFSET_OUT(k, type, name) int64_t offset_out##k = 0;
#define GPUCC_STEP_IN(k, type, name) offset_in##k += index * in##k.strides[d];
#define GPUCC_STEP_OUT(k, type, name) offset_out##k += index * out##k.strides[d];

void GPUCC_SYMBOL(_strided)(const struct gpucc_iteration it GPUCC_INPUTS(GPUCC_PARAMETER_IN)
                                GPUCC_OUTPUTS(GPUCC_PARAMETER_OUT))
{
    for (gpucc_u64 i = gpucc_grid_1(); i < it.count; i += gpucc_gridsize_1()) {
        gpucc_u64 rest = i;
        GPUCC_INPUTS(GPUCC_OFFSET_IN)
        GPUCC_OUTPUTS(GPUCC_OFFSET_OUT)
        /* Unrolled over all dimensions, so that the records stay in parameter memory. */
        GPUCC_UNROLL for (int d = GPUCC_LOOP_DIMS - 1; d >= 0; d--)
        {
            if ((unsigned)d < it.ndim) {
                /* A 32-bit division costs a third of a 64-bit one. */
                const gpucc_u64 quotient = d == 0                         ? 0
                                           : (rest | it.shape[d]) >> 32 ? rest / it.shape[d]
                                                                          : (unsigned)rest / (unsigned)it.shape[d];
                const int64_t index = (int64_t)(rest - quotient * it.shape[d]);
                GPUCC_INPUTS(GPUCC_STEP_IN)
                GPUCC_OUTPUTS(GPUCC_STEP_OUT)
                rest = quotient;
            }
        }
        GPUCC_INPUTS(GPUCC_LOAD_AT)
        GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)
        GPUCC_CALL(v, r);
        GPUCC_OUTPUTS(GPUCC_STORE_AT)
    }
}

#undef GPUCC_PARAMETER_IN
#undef GPUCC_PARAMETER_OUT
#undef GPUCC_VALUE
#undef GPUCC_LOAD_AT
#undef GPUCC_STORE_AT
#undef GPUCC_ROW_ALIGNED
#undef GPUCC_ALIGNED_IN
#undef GPUCC_ALIGNED_OUT
#undef GPUCC_ROW_VECTOR
#undef GPUCC_ROW_ARRAY
#undef GPUCC_ROW_STORE
#undef GPUCC_PICK
#undef GPUCC_KEEP
#undef GPUCC_ROW_OFFSET_IN
#undef GPUCC_ROW_OFFSET_OUT
#undef GPUCC_OFFSET_IN
#undef GPUCC_OFFSET_OUT
#undef GPUCC_STEP_IN
#undef GPUCC_STEP_OUT
