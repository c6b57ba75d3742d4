/* S_converted, the loop of a ufunc on the GPU over operands with any strides and of any types, under a mask (see
 * <gpucc/loops.h>).
 *
 * A thread takes four elements at a time, `step` columns apart, so that what all elements have in common, such as the
 * branches by their types, is done once for four; the types are the same for all threads.  What is left at the end of a
 * row goes one at a time, as four times the same.  Pieces of it: x are the bits of an input's elements as they stand in
 * memory, then as the function takes them; made are those of an output.  Phases are macros: each has every operand. */
#include <loops/element.h>

#define GPUCC_FOUR(X, ...) X(0, __VA_ARGS__) X(1, __VA_ARGS__) X(2, __VA_ARGS__) X(3, __VA_ARGS__)

extern struct gpucc_four gpucc_to_imaginary(unsigned record, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
extern void gpucc_give_complex(unsigned record, char *here, int64_t along, unsigned meant, uint64_t a, uint64_t b,
                               uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h);
#define GPUCC_DECLARE_TO(k, type, code)                                                                                \
    extern struct gpucc_four gpucc_to_##code(unsigned record, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
#define GPUCC_DECLARE_GIVE(k, type, code)                                                                              \
    extern void gpucc_give_##code(unsigned record, char *here, int64_t along, unsigned meant, uint64_t a, uint64_t b,  \
                                  uint64_t c, uint64_t d);
GPUCC_INPUTS(GPUCC_DECLARE_TO)
GPUCC_OUTPUTS(GPUCC_DECLARE_GIVE)

#define GPUCC_BEGIN_IN(k, type, code) const char *here_in##k = GPUCC_FIRST_AT(in##k);
#define GPUCC_BEGIN_OUT(k, type, code) char *here_out##k = GPUCC_FIRST_AT(out##k);
#define GPUCC_GO_IN(k, type, code) here_in##k += four * along_in##k;
#define GPUCC_GO_OUT(k, type, code) here_out##k += four * along_out##k;
/* A single element has all four places at that element. */
#define GPUCC_AT(e, operand) (here_##operand + e * (four == 4 ? along_##operand : 0))
#define GPUCC_FETCH_ONE(e, k, bits) x##k.each[e] = *(const gpucc_bits##bits *)GPUCC_AT(e, in##k);
#define GPUCC_FETCH_LOW(e, k) x##k.each[e] = gpucc_fetch_8_bytes(GPUCC_AT(e, in##k));
#define GPUCC_FETCH_HIGH(e, k) high##k.each[e] = gpucc_fetch_8_bytes(GPUCC_AT(e, in##k) + 8);
#define GPUCC_SPREAD(e, k)                                                                                             \
    x##k.each[e] = bits_in##k[0];                                                                                      \
    high##k.each[e] = bits_in##k[1];
#define GPUCC_FETCH(k, type, code)                                                                                     \
    struct gpucc_four x##k = {0}, high##k = {0};                                                                       \
    switch (GPUCC_OPERAND_SIZE(in##k)) {                                                                               \
    case 0: GPUCC_FOUR(GPUCC_SPREAD, k) break;                                                                         \
    case 1: GPUCC_FOUR(GPUCC_FETCH_ONE, k, 8) break;                                                                   \
    case 2: GPUCC_FOUR(GPUCC_FETCH_ONE, k, 16) break;                                                                  \
    case 4: GPUCC_FOUR(GPUCC_FETCH_ONE, k, 32) break;                                                                  \
    default:                                                                                                           \
        GPUCC_FOUR(GPUCC_FETCH_LOW, k)                                                                                 \
        if ((sizeof(type) > 8 || GPUCC_TAKES_HALVES(type)) && GPUCC_OPERAND_SIZE(in##k) > 8) {                         \
            GPUCC_FOUR(GPUCC_FETCH_HIGH, k)                                                                            \
        }                                                                                                              \
    }
#define GPUCC_CONVERT(k, type, code)                                                                                   \
    if (GPUCC_OPERAND_CONVERTS(in##k)) {                                                                               \
        if (sizeof(type) > 8)                                                                                          \
            high##k = GPUCC_CALL_TO(imaginary, k);                                                                     \
        x##k = GPUCC_CALL_TO(code, k);                                                                                 \
        if (GPUCC_TAKES_HALVES(type) && GPUCC_OPERAND_SIZE(in##k) > 8) {                                               \
            high##k = gpucc_to_##code((unsigned)in##k.reserved, GPUCC_EACH(high##k));                                  \
            gpucc_join_halves(sizeof(type), &x##k, &high##k);                                                          \
        }                                                                                                              \
    }
#define GPUCC_CALL_TO(code, k)                                                                                         \
    gpucc_to_##code((unsigned)in##k.reserved, GPUCC_EACH(x##k))
#define GPUCC_MAKE_ROOM(k, type, code) struct gpucc_four made##k = {0}, high_made##k = {0};
#define GPUCC_UNPACK(k, type, code)                                                                                    \
    type v##k;                                                                                                         \
    const struct gpucc_element element_in##k = {x##k.each[e], high##k.each[e]};                                        \
    __builtin_memcpy(&v##k, &element_in##k, sizeof v##k);
#define GPUCC_PACK(k, type, code)                                                                                      \
    struct gpucc_element element_out##k = {0, 0};                                                                      \
    __builtin_memcpy(&element_out##k, &r##k, sizeof r##k);                                                             \
    made##k.each[e] = element_out##k.low;                                                                              \
    high_made##k.each[e] = element_out##k.high;
#define GPUCC_MEANT(e, unused) meant |= (*(const gpucc_bits8 *)GPUCC_AT(e, where) != 0) << e;
#define GPUCC_DO_QUICKLY(element, unused)                                                                              \
    {                                                                                                                  \
        enum { e = element };                                                                                          \
        GPUCC_INPUTS(GPUCC_UNPACK)                                                                                     \
        GPUCC_CALL_QUICK                                                                                               \
        GPUCC_OUTPUTS(GPUCC_PACK)                                                                                      \
    }
#define GPUCC_DO_CAREFULLY(element, unused)                                                                            \
    if (meant >> element & 1) {                                                                                        \
        enum { e = element };                                                                                          \
        GPUCC_INPUTS(GPUCC_UNPACK)                                                                                     \
        GPUCC_CALL_CAREFUL                                                                                             \
        GPUCC_OUTPUTS(GPUCC_PACK)                                                                                      \
    }
#define GPUCC_PUT_ONE(e, k, type)                                                                                      \
    if (meant >> e & 1)                                                                                                \
        gpucc_put(sizeof(type), GPUCC_AT(e, out##k), (struct gpucc_element){made##k.each[e], high_made##k.each[e]});
#define GPUCC_EACH(x) x.each[0], x.each[1], x.each[2], x.each[3]
#define GPUCC_PUT(k, type, code)                                                                                       \
    if (GPUCC_OPERAND_CONVERTS(out##k) && sizeof(type) > 8) {                                                          \
        gpucc_give_complex((unsigned)out##k.reserved, here_out##k, along_out##k, meant, GPUCC_EACH(made##k),           \
                           GPUCC_EACH(high_made##k));                                                                  \
    } else if (GPUCC_OPERAND_CONVERTS(out##k)) {                                                                       \
        gpucc_give_##code((unsigned)out##k.reserved, here_out##k, along_out##k, meant, GPUCC_EACH(made##k));           \
    } else {                                                                                                           \
        GPUCC_FOUR(GPUCC_PUT_ONE, k, type)                                                                             \
    }

/* Rows and columns are those of S_strided. */
void GPUCC_SYMBOL(_converted)(const struct gpucc_iteration it GPUCC_INPUTS(GPUCC_RECORD_IN)
                                  GPUCC_OUTPUTS(GPUCC_RECORD_OUT), const struct gpucc_operand where)
{
    const unsigned n1 = (unsigned)it.shape[1], n2 = (unsigned)it.shape[2], columns = (unsigned)it.shape[3];
    const gpucc_u64 rows = it.shape[0] * n1 * n2;
    const unsigned first = (unsigned)gpucc_grid_1(), step = (unsigned)gpucc_gridsize_1();
    __builtin_assume(n1 && n2 && step); /* divisions need not heed 0 */
    GPUCC_INPUTS(GPUCC_READ_VALUE)
    GPUCC_INPUTS(GPUCC_STEP_IN)
    GPUCC_OUTPUTS(GPUCC_STEP_OUT)
    const int64_t along_where = (int64_t)step * where.strides[3];
    if (first >= columns)
        return;
    const unsigned count = (columns - first - 1) / step + 1;
    _Pragma("nounroll") for (gpucc_u64 row = gpucc_grid_2().y; row < rows; row += gpucc_gridsize_2().y)
    {
        const unsigned q2 = (unsigned)row / n2, i2 = (unsigned)row - q2 * n2;
        const unsigned i0 = q2 / n1, i1 = q2 - i0 * n1;
        GPUCC_INPUTS(GPUCC_BEGIN_IN)
        GPUCC_OUTPUTS(GPUCC_BEGIN_OUT)
        const char *here_where = GPUCC_FIRST_AT(where);
        unsigned left = count;
        _Pragma("nounroll") do
        {
            const unsigned four = left < 4 ? 1 : 4;
            unsigned meant = 15;
            GPUCC_INPUTS(GPUCC_FETCH)
            if (where.data) {
                meant = 0;
                GPUCC_FOUR(GPUCC_MEANT, )
            }
            meant &= four == 4 ? 15 : 1;
            GPUCC_INPUTS(GPUCC_CONVERT)
            GPUCC_OUTPUTS(GPUCC_MAKE_ROOM)
            unsigned slow = meant != 15;
            if (!slow) {
                GPUCC_FOUR(GPUCC_DO_QUICKLY, )
            }
            if (slow) {
                GPUCC_FOUR(GPUCC_DO_CAREFULLY, )
            }
            GPUCC_OUTPUTS(GPUCC_PUT)
            GPUCC_INPUTS(GPUCC_GO_IN)
            GPUCC_OUTPUTS(GPUCC_GO_OUT)
            here_where += four * along_where;
            left -= four;
        }
        while (left);
    }
}

#undef GPUCC_FOUR
#undef GPUCC_DECLARE_TO
#undef GPUCC_DECLARE_GIVE
#undef GPUCC_BEGIN_IN
#undef GPUCC_BEGIN_OUT
#undef GPUCC_GO_IN
#undef GPUCC_GO_OUT
#undef GPUCC_AT
#undef GPUCC_FETCH_ONE
#undef GPUCC_FETCH_LOW
#undef GPUCC_FETCH_HIGH
#undef GPUCC_SPREAD
#undef GPUCC_FETCH
#undef GPUCC_CONVERT
#undef GPUCC_CALL_TO
#undef GPUCC_MAKE_ROOM
#undef GPUCC_UNPACK
#undef GPUCC_PACK
#undef GPUCC_MEANT
#undef GPUCC_DO_QUICKLY
#undef GPUCC_DO_CAREFULLY
#undef GPUCC_PUT_ONE
#undef GPUCC_EACH
#undef GPUCC_PUT
