/* The loops of a ufunc on the GPU over operands with strides (see <gpucc/loops.h>): S_rows for two dimensions whose
 * inner one is contiguous or broadcast, S_strided for everything else.
 */
#define GPUCC_PARAMETER_IN(k, type, code) , const struct gpucc_operand in##k
#define GPUCC_PARAMETER_OUT(k, type, code) , const struct gpucc_operand out##k
#define GPUCC_READ_VALUE(k, type, code)                                                                                \
    gpucc_u64 bits_in##k[2] = {in##k.value[0], sizeof(type) > 8 ? in##k.value[1] : 0};                                 \
    GPUCC_HIDE(bits_in##k[0]);                                                                                         \
    if (sizeof(type) > 8)                                                                                              \
        GPUCC_HIDE(bits_in##k[1]);                                                                                     \
    type value_in##k;                                                                                                  \
    __builtin_memcpy(&value_in##k, bits_in##k, sizeof value_in##k);

#define GPUCC_AGREE(type, op)                                                                                          \
    ((((uintptr_t)(op).data | (uintptr_t)(op).strides[0]) & GPUCC_MASK(sizeof(type) * GPUCC_WIDTH)) == 0)
#define GPUCC_ROW_IN(k, type, code)                                                                                    \
    const _Bool aligned_in##k = GPUCC_AGREE(type, in##k), repeats_in##k = in##k.strides[1] == 0;                       \
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
void GPUCC_SYMBOL(_rows)(const struct gpucc_iteration it GPUCC_INPUTS(GPUCC_PARAMETER_IN)
                             GPUCC_OUTPUTS(GPUCC_PARAMETER_OUT))
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

#define GPUCC_PLACE(op)                                                                                                \
    (op).data + (int64_t)i0 *(op).strides[0] + (int64_t)i1 *(op).strides[1] + (int64_t)i2 *(op).strides[2] +           \
        (int64_t)first *(op).strides[3]
#define GPUCC_STEP_IN(k, type, code) const int64_t along_in##k = (int64_t)step * in##k.strides[3];
#define GPUCC_STEP_OUT(k, type, code) const int64_t along_out##k = (int64_t)step * out##k.strides[3];
#define GPUCC_BEGIN_IN(k, type, code)                                                                                  \
    type v##k, w##k, n##k = value_in##k, m##k = n##k;                                                                  \
    const char *next_in##k = GPUCC_PLACE(in##k);
#define GPUCC_BEGIN_OUT(k, type, code) char *here_out##k = GPUCC_PLACE(out##k);
/* The second one is the first again where the row ends between them. */
#define GPUCC_FETCH_PAIR(k, type, code)                                                                                \
    if (in##k.data) {                                                                                                  \
        n##k = *(const type *)next_in##k;                                                                              \
        m##k = *(const type *)(next_in##k + (has_second ? along_in##k : 0));                                           \
    }                                                                                                                  \
    next_in##k += 2 * along_in##k;
#define GPUCC_TAKE_PAIR(k, type, code)                                                                                 \
    v##k = n##k;                                                                                                       \
    w##k = m##k;
#define GPUCC_TAKE_SECOND(k, type, code) v##k = w##k;
#define GPUCC_PUT(k, type, code) *(type *)here_out##k = r##k;
#define GPUCC_GO_ALONG(k, type, code) here_out##k += along_out##k;

_Static_assert(GPUCC_LOOP_DIMS == 4, "the loop below is written out for four dimensions");

/* The columns are the last dimension, and the others together the rows, whose number is 32 bits wide: the runtime
 * splits larger iterations.  A block's shape says what part of the space its threads cover together: where an operand
 * is adjacent down the rows, narrow blocks use whole sectors of it.  While a thread computes two elements, the next two
 * are on their way. */
void GPUCC_SYMBOL(_strided)(const struct gpucc_iteration it GPUCC_INPUTS(GPUCC_PARAMETER_IN)
                                GPUCC_OUTPUTS(GPUCC_PARAMETER_OUT))
{
    const unsigned n1 = (unsigned)it.shape[1], n2 = (unsigned)it.shape[2], columns = (unsigned)it.shape[3];
    const gpucc_u64 rows = it.shape[0] * n1 * n2;
    const unsigned first = (unsigned)gpucc_grid_1(), step = (unsigned)gpucc_gridsize_1();
    __builtin_assume(n1 && n2 && step); /* divisions need not heed 0 */
    GPUCC_INPUTS(GPUCC_READ_VALUE)
    GPUCC_INPUTS(GPUCC_STEP_IN)
    GPUCC_OUTPUTS(GPUCC_STEP_OUT)
    if (first >= columns)
        return;
    const unsigned count = (columns - first - 1) / step + 1;
    _Pragma("nounroll") for (gpucc_u64 row = gpucc_grid_2().y; row < rows; row += gpucc_gridsize_2().y)
    {
        const unsigned q2 = (unsigned)row / n2, i2 = (unsigned)row - q2 * n2;
        const unsigned i0 = q2 / n1, i1 = q2 - i0 * n1;
        unsigned left = count;
        GPUCC_INPUTS(GPUCC_BEGIN_IN)
        GPUCC_OUTPUTS(GPUCC_BEGIN_OUT)
        _Bool has_second = left > 1;
        GPUCC_INPUTS(GPUCC_FETCH_PAIR)
        _Pragma("nounroll") do
        {
            unsigned pair = left < 2 ? left : 2;
            GPUCC_INPUTS(GPUCC_TAKE_PAIR)
            has_second = left > 3;
            if (left > 2) {
                GPUCC_INPUTS(GPUCC_FETCH_PAIR)
            }
            left -= pair;
            _Pragma("nounroll") do
            {
                unsigned slow = 0;
                GPUCC_CALL_QUICK
                if (__builtin_expect(slow, 0)) {
                    GPUCC_CALL_CAREFUL
                    GPUCC_OUTPUTS(GPUCC_PUT)
                } else {
                    GPUCC_OUTPUTS(GPUCC_PUT)
                }
                GPUCC_OUTPUTS(GPUCC_GO_ALONG)
                GPUCC_INPUTS(GPUCC_TAKE_SECOND)
            }
            while (--pair);
        }
        while (left);
    }
}

#undef GPUCC_PARAMETER_IN
#undef GPUCC_PARAMETER_OUT
#undef GPUCC_READ_VALUE
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
#undef GPUCC_PLACE
#undef GPUCC_STEP_IN
#undef GPUCC_STEP_OUT
#undef GPUCC_BEGIN_IN
#undef GPUCC_BEGIN_OUT
#undef GPUCC_FETCH_PAIR
#undef GPUCC_TAKE_PAIR
#undef GPUCC_TAKE_SECOND
#undef GPUCC_PUT
#undef GPUCC_GO_ALONG
