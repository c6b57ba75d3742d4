/* S_strided, the loop of a ufunc on the GPU over operands with any strides (see <gpucc/loops.h>).
 *
 * Pieces of it, for an input k: v is the element at hand, w the one behind it, n and m are the two after these, which
 * are on their way. */
#define GPUCC_BEGIN_IN(k, type, code)                                                                                  \
    type v##k, w##k, n##k = value_in##k, m##k = n##k;                                                                  \
    const char *next_in##k = GPUCC_FIRST_AT(in##k);
#define GPUCC_BEGIN_OUT(k, type, code) char *here_out##k = GPUCC_FIRST_AT(out##k);
#define GPUCC_TAKE_PAIR(k, type, code)                                                                                 \
    v##k = n##k;                                                                                                       \
    w##k = m##k;
#define GPUCC_TAKE_SECOND(k, type, code) v##k = w##k;
#define GPUCC_GO_ALONG(k, type, code) here_out##k += along_out##k;
#define GPUCC_FETCH_PAIR(k, type, code)                                                                                \
    if (in##k.data) {                                                                                                  \
        n##k = *(const type *)next_in##k;                                                                              \
        m##k = *(const type *)(next_in##k + (ahead > 1 ? along_in##k : 0));                                            \
    }                                                                                                                  \
    next_in##k += 2 * along_in##k;
#define GPUCC_PUT(k, type, code) *(type *)here_out##k = r##k;
#define GPUCC_DO_ELEMENT                                                                                               \
    unsigned slow = 0;                                                                                                 \
    GPUCC_CALL_QUICK                                                                                                   \
    if (__builtin_expect(slow, 0)) {                                                                                   \
        GPUCC_CALL_CAREFUL                                                                                             \
        GPUCC_OUTPUTS(GPUCC_PUT)                                                                                       \
    } else {                                                                                                           \
        GPUCC_OUTPUTS(GPUCC_PUT)                                                                                       \
    }

/* The columns are the last dimension, and the others together the rows, whose number is 32 bits wide: the runtime
 * splits larger iterations.  A block's shape says what part of the space its threads cover together: where an operand
 * is adjacent down the rows, narrow blocks use whole sectors of it.  While a thread computes two elements, the next two
 * are on their way. */
void GPUCC_SYMBOL(_strided)(const struct gpucc_iteration it GPUCC_INPUTS(GPUCC_RECORD_IN)
                                GPUCC_OUTPUTS(GPUCC_RECORD_OUT))
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
        unsigned left = count, ahead = 0;
        GPUCC_INPUTS(GPUCC_BEGIN_IN)
        GPUCC_OUTPUTS(GPUCC_BEGIN_OUT)
        _Pragma("nounroll") do
        {
            unsigned pair = ahead;
            GPUCC_INPUTS(GPUCC_TAKE_PAIR)
            ahead = left < 2 ? left : 2;
            left -= ahead;
            if (ahead) { /* of one, the second is the first again */
                GPUCC_INPUTS(GPUCC_FETCH_PAIR)
            }
            _Pragma("nounroll") for (; pair; pair--)
            {
                GPUCC_DO_ELEMENT
                GPUCC_OUTPUTS(GPUCC_GO_ALONG)
                GPUCC_INPUTS(GPUCC_TAKE_SECOND)
            }
        }
        while (ahead);
    }
}

#undef GPUCC_BEGIN_IN
#undef GPUCC_BEGIN_OUT
#undef GPUCC_TAKE_PAIR
#undef GPUCC_TAKE_SECOND
#undef GPUCC_GO_ALONG
#undef GPUCC_FETCH_PAIR
#undef GPUCC_PUT
#undef GPUCC_DO_ELEMENT
