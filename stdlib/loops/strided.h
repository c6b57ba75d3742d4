/* The loops of a ufunc on the GPU over operands with strides (see <gpucc/loops.h>): S_rows for two dimensions whose
 * inner one is contiguous or broadcast, S_strided for everything else.
 */
#define GPUCC_PARAMETER_IN(k, type, code) , const struct gpucc_operand in##k
#define GPUCC_PARAMETER_OUT(k, type, code) , const struct gpucc_operand out##k
/* An operand without memory is its value. */
#define GPUCC_VALUE(type, op) __extension__({ type value_; __builtin_memcpy(&value_, (op).value, sizeof value_); value_; })

#define GPUCC_AGREE(type, op)                                                                                          \
    ((((uintptr_t)(op).data | (uintptr_t)(op).strides[0]) & GPUCC_MASK(sizeof(type) * GPUCC_WIDTH)) == 0)
#define GPUCC_ROW_IN(k, type, code)                                                                                    \
    const _Bool aligned_in##k = GPUCC_AGREE(type, in##k);                                                              \
    const char *row_in##k = in##k.data + (int64_t)row * in##k.strides[0];
#define GPUCC_ROW_OUT(k, type, code)                                                                                   \
    const _Bool aligned_out##k = GPUCC_AGREE(type, out##k);                                                            \
    char *row_out##k = out##k.data + (int64_t)row * out##k.strides[0];
#define GPUCC_SPREAD_VALUE(element) to_[element] = value_;
#define GPUCC_COPY_ELEMENT(element) to_[element] = from_[element];
/* A broadcast operand is loaded once. */
#define GPUCC_ROW_LOAD(k, type, code)                                                                                  \
    {                                                                                                                  \
        const type *const from_ = (const type *)row_in##k + item * GPUCC_WIDTH;                                        \
        type *const to_ = x##k;                                                                                        \
        if (!in##k.strides[1]) {                                                                                       \
            const type value_ = in##k.data ? *(const type *)row_in##k : GPUCC_VALUE(type, in##k);                      \
            GPUCC_ELEMENTS(GPUCC_SPREAD_VALUE)                                                                         \
        } else if (aligned_in##k) {                                                                                    \
            GPUCC_COPY_##code(to_, from_)                                                                              \
        } else {                                                                                                       \
            GPUCC_ELEMENTS(GPUCC_COPY_ELEMENT)                                                                         \
        }                                                                                                              \
    }
#define GPUCC_ROW_STORE(k, type, code)                                                                                 \
    {                                                                                                                  \
        const type *const from_ = y##k;                                                                                \
        type *const to_ = (type *)row_out##k + item * GPUCC_WIDTH;                                                     \
        if (aligned_out##k) {                                                                                          \
            GPUCC_COPY_##code(to_, from_)                                                                              \
        } else {                                                                                                       \
            GPUCC_ELEMENTS(GPUCC_COPY_ELEMENT)                                                                         \
        }                                                                                                              \
    }
#define GPUCC_LOAD_ONE(k, type, code)                                                                                  \
    const type v##k = in##k.strides[1] ? ((const type *)row_in##k)[i]                                                  \
                      : in##k.data     ? *(const type *)row_in##k                                                      \
                                       : GPUCC_VALUE(type, in##k);
#define GPUCC_STORE_ONE(k, type, code) ((type *)row_out##k)[i] = r##k;
#define GPUCC_DO_CAREFULLY                                                                                             \
    GPUCC_INPUTS(GPUCC_LOAD_ONE)                                                                                       \
    GPUCC_CALL_CAREFUL                                                                                                 \
    GPUCC_OUTPUTS(GPUCC_STORE_ONE)

/* A row is items of WIDTH adjacent elements, and the few behind them. */
void GPUCC_SYMBOL(_rows)(const struct gpucc_iteration it GPUCC_INPUTS(GPUCC_PARAMETER_IN)
                             GPUCC_OUTPUTS(GPUCC_PARAMETER_OUT))
{
    const gpucc_u64 thread = gpucc_grid_1(), step = gpucc_gridsize_1(), rows_step = gpucc_gridsize_2().y;
    const gpucc_u64 columns = it.shape[1], items = columns / GPUCC_WIDTH;
    for (gpucc_u64 row = gpucc_grid_2().y; row < it.shape[0]; row += rows_step) {
        GPUCC_INPUTS(GPUCC_ROW_IN)
        GPUCC_OUTPUTS(GPUCC_ROW_OUT)
        for (gpucc_u64 item = thread; item < items; item += step) {
            unsigned slow = 0;
            gpucc_slow_flag(&slow);
            GPUCC_INPUTS(GPUCC_ARRAY_IN)
            GPUCC_OUTPUTS(GPUCC_ARRAY_OUT)
            GPUCC_INPUTS(GPUCC_ROW_LOAD)
            GPUCC_ELEMENTS(GPUCC_COMPUTE)
            if (__builtin_expect(slow, 0)) {
                const gpucc_u64 at = item * GPUCC_WIDTH;
                _Pragma("clang loop unroll(disable)") for (gpucc_u64 i = at; i < at + GPUCC_WIDTH; i++)
                {
                    GPUCC_DO_CAREFULLY
                }
            } else {
                GPUCC_OUTPUTS(GPUCC_ROW_STORE)
            }
        }
        _Pragma("clang loop unroll(disable)") for (gpucc_u64 i = items * GPUCC_WIDTH + thread; i < columns; i += step)
        {
            GPUCC_DO_CAREFULLY
        }
    }
}

#define GPUCC_OFFSET(side, k) side##k.data + (int64_t)i0 * side##k.strides[0] + (int64_t)i1 * side##k.strides[1] +     \
                                  (int64_t)i2 * side##k.strides[2] + (int64_t)i3 * side##k.strides[3]
#define GPUCC_LOAD_AT(k, type, code)                                                                                   \
    const type v##k = in##k.data ? *(const type *)(GPUCC_OFFSET(in, k)) : GPUCC_VALUE(type, in##k);
#define GPUCC_STORE_AT(k, type, code) *(type *)(GPUCC_OFFSET(out, k)) = r##k;

_Static_assert(GPUCC_LOOP_DIMS == 4, "the loop below is written out for four dimensions");

/* Indices are 32 bits wide: the runtime splits larger iterations. */
void GPUCC_SYMBOL(_strided)(const struct gpucc_iteration it GPUCC_INPUTS(GPUCC_PARAMETER_IN)
                                GPUCC_OUTPUTS(GPUCC_PARAMETER_OUT))
{
    const unsigned n1 = (unsigned)it.shape[1], n2 = (unsigned)it.shape[2], n3 = (unsigned)it.shape[3];
    for (gpucc_u64 i = gpucc_grid_1(); i < it.count; i += gpucc_gridsize_1()) {
        const unsigned q3 = (unsigned)i / n3, i3 = (unsigned)i - q3 * n3;
        const unsigned q2 = q3 / n2, i2 = q3 - q2 * n2;
        const unsigned i0 = q2 / n1, i1 = q2 - i0 * n1;
        unsigned slow = 0;
        gpucc_slow_flag(&slow);
        GPUCC_INPUTS(GPUCC_LOAD_AT)
        GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)
        GPUCC_CALL(v, r);
        if (__builtin_expect(slow, 0)) {
            GPUCC_CALL_CAREFUL
            GPUCC_OUTPUTS(GPUCC_STORE_AT)
        } else {
            GPUCC_OUTPUTS(GPUCC_STORE_AT)
        }
    }
}

#undef GPUCC_PARAMETER_IN
#undef GPUCC_PARAMETER_OUT
#undef GPUCC_VALUE
#undef GPUCC_AGREE
#undef GPUCC_ROW_IN
#undef GPUCC_ROW_OUT
#undef GPUCC_SPREAD_VALUE
#undef GPUCC_COPY_ELEMENT
#undef GPUCC_ROW_LOAD
#undef GPUCC_ROW_STORE
#undef GPUCC_LOAD_ONE
#undef GPUCC_STORE_ONE
#undef GPUCC_DO_CAREFULLY
#undef GPUCC_OFFSET
#undef GPUCC_LOAD_AT
#undef GPUCC_STORE_AT
