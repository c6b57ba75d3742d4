/* S_converted_packed, the loop of a ufunc on the GPU over adjacent elements of other types than its own (see
 * <gpucc/loops.h>).
 *
 * A thread takes four neighbours at a time, and reads and writes what they are by accesses of up to 16 bytes.  Pieces
 * of it: `packed` are an operand's bytes, as they stand in memory, then as the function takes or makes them. */
#include <loops/element.h>

#define GPUCC_FOUR(X) X(0) X(1) X(2) X(3)
#define GPUCC_DECLARE_CAST_TO(k, type, code)                                                                           \
    extern struct gpucc_four gpucc_cast_to_##code(unsigned record, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
#define GPUCC_DECLARE_CAST_FROM(k, type, code)                                                                         \
    extern struct gpucc_four gpucc_cast_from_##code(unsigned record, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
GPUCC_INPUTS(GPUCC_DECLARE_CAST_TO)
GPUCC_OUTPUTS(GPUCC_DECLARE_CAST_FROM)

#define GPUCC_EACH(x) x.each[0], x.each[1], x.each[2], x.each[3]
/* The four elements of an item. */
#define GPUCC_ITEM(operand) ((operand).data + item * (4 * GPUCC_OPERAND_SIZE(operand)))
#define GPUCC_FETCH(k, type, code)                                                                                     \
    struct gpucc_four packed_in##k = {0};                                                                              \
    switch (GPUCC_OPERAND_SIZE(in##k)) {                                                                               \
    case 0: {                                                                                                          \
        const type values_[4] = {value_in##k, value_in##k, value_in##k, value_in##k};                                  \
        __builtin_memcpy(&packed_in##k, values_, sizeof values_);                                                      \
        break;                                                                                                         \
    }                                                                                                                  \
    case 1: GPUCC_PIECES_1(4, &packed_in##k, GPUCC_ITEM(in##k)) break;                                                 \
    case 2: GPUCC_PIECES_1(8, &packed_in##k, GPUCC_ITEM(in##k)) break;                                                 \
    case 4: GPUCC_PIECES_1(16, &packed_in##k, GPUCC_ITEM(in##k)) break;                                                \
    default: GPUCC_PIECES_2(16, &packed_in##k, GPUCC_ITEM(in##k))                                                      \
    }
#define GPUCC_CONVERT(k, type, code)                                                                                   \
    if (GPUCC_OPERAND_CONVERTS(in##k))                                                                                 \
        packed_in##k = gpucc_cast_to_##code((unsigned)in##k.reserved, GPUCC_EACH(packed_in##k));
#define GPUCC_UNPACK(k, type, code)                                                                                    \
    type x##k[4];                                                                                                      \
    __builtin_memcpy(x##k, &packed_in##k, sizeof x##k);
#define GPUCC_MAKE_ROOM(k, type, code) type y##k[4] = {0};
#define GPUCC_TAKE_ONE(k, type, code) const type v##k = x##k[e];
#define GPUCC_KEEP_ONE(k, type, code) y##k[e] = r##k;
#define GPUCC_DO_QUICKLY(element)                                                                                      \
    {                                                                                                                  \
        enum { e = element };                                                                                          \
        GPUCC_INPUTS(GPUCC_TAKE_ONE)                                                                                   \
        GPUCC_CALL_QUICK                                                                                               \
        GPUCC_OUTPUTS(GPUCC_KEEP_ONE)                                                                                  \
    }
#define GPUCC_DO_CAREFULLY(element)                                                                                    \
    {                                                                                                                  \
        enum { e = element };                                                                                          \
        GPUCC_INPUTS(GPUCC_TAKE_ONE)                                                                                   \
        GPUCC_CALL_CAREFUL                                                                                             \
        GPUCC_OUTPUTS(GPUCC_KEEP_ONE)                                                                                  \
    }
#define GPUCC_PUT(k, type, code)                                                                                       \
    {                                                                                                                  \
        struct gpucc_four packed_ = {0};                                                                               \
        __builtin_memcpy(&packed_, y##k, sizeof y##k);                                                                 \
        if (GPUCC_OPERAND_CONVERTS(out##k))                                                                            \
            packed_ = gpucc_cast_from_##code((unsigned)out##k.reserved, GPUCC_EACH(packed_));                          \
        switch (GPUCC_OPERAND_SIZE(out##k)) {                                                                          \
        case 1: GPUCC_PIECES_1(4, GPUCC_ITEM(out##k), &packed_) break;                                                 \
        case 2: GPUCC_PIECES_1(8, GPUCC_ITEM(out##k), &packed_) break;                                                 \
        case 4: GPUCC_PIECES_1(16, GPUCC_ITEM(out##k), &packed_) break;                                                \
        default: GPUCC_PIECES_2(16, GPUCC_ITEM(out##k), &packed_)                                                      \
        }                                                                                                              \
    }

void GPUCC_SYMBOL(_converted_packed)(const struct gpucc_iteration it GPUCC_INPUTS(GPUCC_RECORD_IN)
                                         GPUCC_OUTPUTS(GPUCC_RECORD_OUT))
{
    const gpucc_u64 items = it.count / 4;
    GPUCC_INPUTS(GPUCC_READ_VALUE)
    _Pragma("nounroll") for (gpucc_u64 item = gpucc_grid_1(); item < items; item += gpucc_gridsize_1())
    {
        unsigned slow = 0;
        GPUCC_INPUTS(GPUCC_FETCH)
        GPUCC_INPUTS(GPUCC_CONVERT)
        GPUCC_INPUTS(GPUCC_UNPACK)
        GPUCC_OUTPUTS(GPUCC_MAKE_ROOM)
        GPUCC_FOUR(GPUCC_DO_QUICKLY)
        if (__builtin_expect(slow, 0)) {
            GPUCC_FOUR(GPUCC_DO_CAREFULLY)
        }
        GPUCC_OUTPUTS(GPUCC_PUT)
    }
}

#undef GPUCC_FOUR
#undef GPUCC_DECLARE_CAST_TO
#undef GPUCC_DECLARE_CAST_FROM
#undef GPUCC_EACH
#undef GPUCC_ITEM
#undef GPUCC_FETCH
#undef GPUCC_CONVERT
#undef GPUCC_UNPACK
#undef GPUCC_MAKE_ROOM
#undef GPUCC_TAKE_ONE
#undef GPUCC_KEEP_ONE
#undef GPUCC_DO_QUICKLY
#undef GPUCC_DO_CAREFULLY
#undef GPUCC_PUT
