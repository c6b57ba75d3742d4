/* Conversions for loops whose operands have another type (stdlib/loops/converted.h).  Out of line, so that a program
 * has one copy of those for its own loops' types. */
#include "conversions.h"
#include "../../include/gpucc/loops.h"

#ifndef OUT_OF_LINE
#define OUT_OF_LINE __attribute__((noinline))
#endif
#ifdef __clang__
#define ROLLED _Pragma("nounroll")
#else
#define ROLLED
#endif
#define RECORD(dtype, size) ((unsigned)(dtype) | (unsigned)(size) << 8)

CONVERSION struct gpucc_four four_to(unsigned to, unsigned from, const uint64_t *x)
{
    struct gpucc_four four;
    for (int e = 0; e < 4; e++)
        four.each[e] = converted(to, from, (struct gpucc_element){x[e], 0}).low;
    return four;
}

/* The same, of types that are rarely given: the code for all of them once, in a loop. */
CONVERSION struct gpucc_four four_to_slowly(unsigned to, unsigned from, const uint64_t *x)
{
    uint64_t x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], y0 = 0, y1 = 0, y2 = 0, y3 = 0;
    ROLLED for (int e = 0; e < 4; e++)
    {
        const uint64_t made = converted(to, from, (struct gpucc_element){x0, 0}).low;
        x0 = x1, x1 = x2, x2 = x3;
        y0 = y1, y1 = y2, y2 = y3, y3 = made;
    }
    return (struct gpucc_four){{y0, y1, y2, y3}};
}

/* Converts small integers, each to an int32. */
CONVERSION struct gpucc_four four_small(unsigned from, const uint64_t *x)
{
    const uint32_t sign = dtype_of(from) % 2 ? 1u << (bits_of(from) - 1) % 32 : 0; /* the bit that is one */
    struct gpucc_four four;
    for (int e = 0; e < 4; e++)
        four.each[e] = ((uint32_t)x[e] ^ sign) - sign;
    return four;
}

CONVERSION struct gpucc_four four_whole(unsigned from, const uint64_t *x)
{
    struct gpucc_four four;
    for (int e = 0; e < 4; e++)
        four.each[e] = whole_of(from, x[e]);
    return four;
}

/* Tests the types once for four elements. */
CONVERSION struct gpucc_four convert_four(unsigned to, unsigned from, const uint64_t *x)
{
    const enum dtype dtype = dtype_of(from);
    const bool to_real = !is_whole(dtype_of(to));
    if (is_small(dtype) && dtype != DTYPE_boolean)
        return four_to(to, RECORD(DTYPE_int32, 4), four_small(from, x).each);
    if (is_whole(dtype) && dtype != DTYPE_boolean && dtype != DTYPE_uint64) /* all of them are some int64 */
        return four_to(to, RECORD(DTYPE_int64, 8), four_whole(from, x).each);
    if (to_real && dtype == DTYPE_float16)
        return four_to(to, RECORD(DTYPE_float16, 2), x);
    if (to_real && dtype == DTYPE_bfloat16)
        return four_to(to, RECORD(DTYPE_bfloat16, 2), x);
    if (to_real && dtype == DTYPE_float32)
        return four_to(to, RECORD(DTYPE_float32, 4), x);
    return four_to_slowly(to, from, x);
}

/* Stores those of four elements that `meant` has a bit for, `along` bytes apart. */
CONVERSION void give_four(unsigned to, unsigned from, char *here, int64_t along, unsigned meant,
                          struct gpucc_element x0, struct gpucc_element x1, struct gpucc_element x2,
                          struct gpucc_element x3)
{
    ROLLED for (; meant; meant >>= 1, here += along)
    {
        if (meant & 1)
            gpucc_put((unsigned)bits_of(to) / 8, here, converted(to, from, x0));
        x0 = x1, x1 = x2, x2 = x3;
    }
}

/* ---- four that lie together ---- */

/* `packed` are the bytes of four adjacent elements, of up to 8 bytes each, and x their bits. */
CONVERSION struct gpucc_four unpack(unsigned size, const uint64_t *packed)
{
    struct gpucc_four x;
    for (int e = 0; e < 4; e++)
        switch (size) {
        case 1: x.each[e] = (uint8_t)(packed[0] >> 8 * e); break;
        case 2: x.each[e] = (uint16_t)(packed[0] >> 16 * e); break;
        case 4: x.each[e] = (uint32_t)(packed[e / 2] >> 32 * (e % 2)); break;
        default: x.each[e] = packed[e];
        }
    return x;
}

CONVERSION struct gpucc_four pack(unsigned size, const uint64_t *x)
{
    switch (size) {
    case 1: return (struct gpucc_four){{(uint8_t)x[0] | (uint64_t)(uint8_t)x[1] << 8 | (uint64_t)(uint8_t)x[2] << 16 |
                                        (uint64_t)(uint8_t)x[3] << 24}};
    case 2: return (struct gpucc_four){{(uint16_t)x[0] | (uint64_t)(uint16_t)x[1] << 16 |
                                        (uint64_t)(uint16_t)x[2] << 32 | (uint64_t)(uint16_t)x[3] << 48}};
    case 4: return (struct gpucc_four){{(uint32_t)x[0] | x[1] << 32, (uint32_t)x[2] | x[3] << 32}};
    default: return (struct gpucc_four){{x[0], x[1], x[2], x[3]}};
    }
}

/* With types that are known where it is inlined.  Others than S_converted_packed is given take no code. */
CONVERSION struct gpucc_four cast_four(unsigned to, unsigned from, const uint64_t *packed)
{
    if (!GPUCC_CASTS_PACKED(dtype_of(to), dtype_of(from)))
        return (struct gpucc_four){{0}};
    struct gpucc_four x = unpack((unsigned)bits_of(from) / 8, packed);
    if (is_small(dtype_of(from)) && dtype_of(from) != DTYPE_boolean) {
        x = four_small(from, x.each);
        from = RECORD(DTYPE_int32, 4);
    }
    for (int e = 0; e < 4; e++)
        x.each[e] = converted(to, from, (struct gpucc_element){x.each[e], 0}).low;
    return pack((unsigned)bits_of(to) / 8, x.each);
}

CONVERSION struct gpucc_four cast_to(unsigned to, unsigned from, const uint64_t *packed)
{
    switch (dtype_of(from)) {
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits)                                             \
    case DTYPE_##name: return cast_four(to, RECORD(DTYPE_##name, size), packed);
#include "../../include/gpucc/dtypes.def"
    default: return (struct gpucc_four){{0}};
    }
}

CONVERSION struct gpucc_four cast_from(unsigned to, unsigned from, const uint64_t *packed)
{
    switch (dtype_of(to)) {
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits)                                             \
    case DTYPE_##name: return cast_four(RECORD(DTYPE_##name, size), from, packed);
#include "../../include/gpucc/dtypes.def"
    default: return (struct gpucc_four){{0}};
    }
}

/* gpucc_cast_to_T(): four packed elements of the type that `record` says as packed Ts.  gpucc_cast_from_T(): the other
 * way round. */
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits)                                             \
    OUT_OF_LINE struct gpucc_four gpucc_cast_to_##code(unsigned record, uint64_t a, uint64_t b, uint64_t c,            \
                                                       uint64_t d)                                                     \
    {                                                                                                                  \
        return cast_to(RECORD(DTYPE_##name, size), record, (uint64_t[]){a, b, c, d});                                  \
    }                                                                                                                  \
    OUT_OF_LINE struct gpucc_four gpucc_cast_from_##code(unsigned record, uint64_t a, uint64_t b, uint64_t c,          \
                                                         uint64_t d)                                                   \
    {                                                                                                                  \
        return cast_from(record, RECORD(DTYPE_##name, size), (uint64_t[]){a, b, c, d});                                \
    }
#include "../../include/gpucc/dtypes.def"

/* ---- four that lie anywhere ---- */

/* gpucc_to_T(): four of the type that `record` says as a T each, or its real part; no complex128 are given.
 * gpucc_give_T(): puts four Ts of up to 8 bytes as elements of that type. */
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits)                                             \
    OUT_OF_LINE struct gpucc_four gpucc_to_##code(unsigned record, uint64_t a, uint64_t b, uint64_t c, uint64_t d)     \
    {                                                                                                                  \
        return convert_four(RECORD(DTYPE_##name, size), record, (uint64_t[]){a, b, c, d});                             \
    }                                                                                                                  \
    OUT_OF_LINE void gpucc_give_##code(unsigned record, char *here, int64_t along, unsigned meant, uint64_t a,         \
                                       uint64_t b, uint64_t c, uint64_t d)                                             \
    {                                                                                                                  \
        give_four(record, RECORD(DTYPE_##name, size), here, along, meant, (struct gpucc_element){a, 0},                \
                  (struct gpucc_element){b, 0}, (struct gpucc_element){c, 0}, (struct gpucc_element){d, 0});           \
    }
#include "../../include/gpucc/dtypes.def"

CONVERSION uint64_t imaginary_of(uint64_t low)
{
    const struct gpucc_element x = {low, 0};
    return bits_of_double(number_of(RECORD(DTYPE_complex64, 8), x).imaginary);
}

/* The imaginary parts that gpucc_to_c128() leaves. */
OUT_OF_LINE struct gpucc_four gpucc_to_imaginary(unsigned record, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    if (!is_complex(dtype_of(record)))
        return (struct gpucc_four){{0}};
    return (struct gpucc_four){{imaginary_of(a), imaginary_of(b), imaginary_of(c), imaginary_of(d)}};
}

/* gpucc_give_T() of complex128: a and e are the first one. */
OUT_OF_LINE void gpucc_give_complex(unsigned record, char *here, int64_t along, unsigned meant, uint64_t a, uint64_t b,
                                    uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h)
{
    give_four(record, RECORD(DTYPE_complex128, 16), here, along, meant, (struct gpucc_element){a, e},
              (struct gpucc_element){b, f}, (struct gpucc_element){c, g}, (struct gpucc_element){d, h});
}
