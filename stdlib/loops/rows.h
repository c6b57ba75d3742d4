/* S_rows, the loop of a ufunc on the GPU over two dimensions whose inner one is contiguous or broadcast (see
 * <gpucc/loops.h>). */
#define GPUCC_AGREE(type, op)                                                                                          \
    ((((uintptr_t)(op).data | (uintptr_t)(op).strides[0]) & GPUCC_MASK(sizeof(type) * GPUCC_WIDTH)) == 0)
#define GPUCC_ROW_IN(k, type, code)                                                                                    \
    const _Bool aligned_in##k = GPUCC_AGREE(type, in##k), repeats_in##k = !in##k.data || in##k.strides[1] == 0;        \
    const int64_t down_in##k = (int64_t)rows_step * in##k.strides[0];
#define GPUCC_ROW_OUT(k, type, code)                                                                                   \
    const _Bool aligned_out##k = GPUCC_AGREE(type, out##k);                                                            \
    const int64_t down_out##k = (int64_t)rows_step * out##k.strides[0];
#define GPUCC_START_IN(k, type, code)                                                                                  \
    type n##k[GPUCC_WIDTH];                                                                                            \
    const char *next_in##k = in##k.data + (int64_t)row * in##k.strides[0] + (repeats_in##k ? 0 : at * sizeof(type));
#define GPUCC_START_OUT(k, type, code)                                                                                 \
    char *here_out##k = out##k.data + (int64_t)row * out##k.strides[0] + at * sizeof(type);
#define GPUCC_SPREAD_VALUE(element) to_[element] = value_;
#define GPUCC_COPY_ELEMENT(element) to_[element] = from_[element];
/* A broadcast operand is loaded once. */
#define GPUCC_ROW_LOAD(k, type, code)                                                                                  \
    {                                                                                                                  \
        const type *const from_ = (const type *)next_in##k;                                                            \
        type *const to_ = n##k;                                                                                        \
        if (repeats_in##k) {                                                                                           \
            type value_ = value_in##k;                                                                                 \
            if (in##k.data)                                                                                            \
                value_ = *from_;                                                                                       \
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
        type *const to_ = (type *)here_out##k;                                                                         \
        if (aligned_out##k) {                                                                                          \
            GPUCC_COPY_##code(to_, from_)                                                                              \
        } else {                                                                                                       \
            GPUCC_ELEMENTS(GPUCC_COPY_ELEMENT)                                                                         \
        }                                                                                                              \
    }
#define GPUCC_ADVANCE(k, type, code)                                                                                   \
    __builtin_memcpy(x##k, n##k, sizeof x##k);                                                                         \
    next_in##k += down_in##k;
#define GPUCC_GO_DOWN(k, type, code) here_out##k += down_out##k;
#define GPUCC_LOAD_ONE(k, type, code)                                                                                  \
    type v##k = value_in##k;                                                                                           \
    if (in##k.data)                                                                                                    \
        v##k = *(const type *)(in##k.data + (int64_t)row * in##k.strides[0] + (int64_t)i * in##k.strides[1]);
#define GPUCC_STORE_ONE(k, type, code)                                                                                 \
    *(type *)(out##k.data + (int64_t)row * out##k.strides[0] + (int64_t)i * out##k.strides[1]) = r##k;
#define GPUCC_DO_CAREFULLY                                                                                             \
    GPUCC_INPUTS(GPUCC_LOAD_ONE)                                                                                       \
    GPUCC_CALL_CAREFUL                                                                                                 \
    GPUCC_OUTPUTS(GPUCC_STORE_ONE)

/* A row is items of WIDTH adjacent elements, and the few behind them.  A thread goes down the rows; while it computes
 * an item, the one below is on its way. */
void GPUCC_SYMBOL(_rows)(const struct gpucc_iteration it GPUCC_INPUTS(GPUCC_RECORD_IN)
                             GPUCC_OUTPUTS(GPUCC_RECORD_OUT))
{
    const gpucc_u64 thread = gpucc_grid_1(), step = gpucc_gridsize_1();
    const gpucc_u64 first_row = gpucc_grid_2().y, rows_step = gpucc_gridsize_2().y, rows = it.shape[0];
    const gpucc_u64 columns = it.shape[1], items = columns / GPUCC_WIDTH;
    GPUCC_INPUTS(GPUCC_READ_VALUE)
    GPUCC_INPUTS(GPUCC_ROW_IN)
    GPUCC_OUTPUTS(GPUCC_ROW_OUT)
    if (first_row >= rows)
        return;
    _Pragma("nounroll") for (gpucc_u64 item = thread; item < items; item += step)
    {
        const gpucc_u64 at = item * GPUCC_WIDTH;
        gpucc_u64 row = first_row;
        __asm__ volatile(
            ""
            : "+l"(row)); /* what follows from it before the loop would take registers from other threads */
        while (row < rows) {
            GPUCC_INPUTS(GPUCC_START_IN)
            GPUCC_OUTPUTS(GPUCC_START_OUT)
            GPUCC_INPUTS(GPUCC_ROW_LOAD)
            _Pragma("nounroll") do
            {
                unsigned slow = 0;
                GPUCC_INPUTS(GPUCC_ARRAY_IN)
                GPUCC_OUTPUTS(GPUCC_ARRAY_OUT)
                GPUCC_INPUTS(GPUCC_ADVANCE)
                if (row + rows_step < rows) {
                    GPUCC_INPUTS(GPUCC_ROW_LOAD)
                }
                GPUCC_ELEMENTS(GPUCC_COMPUTE)
                if (__builtin_expect(slow, 0))
                    goto carefully;
                GPUCC_OUTPUTS(GPUCC_ROW_STORE)
                GPUCC_OUTPUTS(GPUCC_GO_DOWN)
                row += rows_step;
            }
            while (row < rows);
            break;
        carefully:
            _Pragma("nounroll") for (gpucc_u64 i = at; i < at + GPUCC_WIDTH; i++)
            {
                GPUCC_DO_CAREFULLY
            }
            row += rows_step;
        }
    }
    _Pragma("nounroll") for (gpucc_u64 row = first_row; row < rows; row += rows_step)
    {
        for (gpucc_u64 i = items * GPUCC_WIDTH + thread; i < columns; i += step) {
            GPUCC_DO_CAREFULLY
        }
    }
}

#undef GPUCC_AGREE
#undef GPUCC_ROW_IN
#undef GPUCC_ROW_OUT
#undef GPUCC_START_IN
#undef GPUCC_START_OUT
#undef GPUCC_SPREAD_VALUE
#undef GPUCC_COPY_ELEMENT
#undef GPUCC_ROW_LOAD
#undef GPUCC_ROW_STORE
#undef GPUCC_ADVANCE
#undef GPUCC_GO_DOWN
#undef GPUCC_LOAD_ONE
#undef GPUCC_STORE_ONE
#undef GPUCC_DO_CAREFULLY
