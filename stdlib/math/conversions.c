/* What the loops that convert call for elements of another type than theirs (stdlib/loops/converted.h).  Out of line,
 * as a program holds those of its own loops' types once. */
#include "conversions.h"

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

/* Of up to 4 bytes. */
CONVERSION struct gpucc_four four_small(unsigned from, const uint64_t *x)
{
    const int unused = 32 - bits_of(from);
    const bool is_signed = dtype_of(from) % 2;
    struct gpucc_four four;
    for (int e = 0; e < 4; e++)
        four.each[e] = is_signed ? (uint32_t)((int32_t)((uint32_t)x[e] << unused) >> unused) : (uint32_t)x[e];
    return four;
}

CONVERSION struct gpucc_four four_whole(unsigned from, const uint64_t *x)
{
    struct gpucc_four four;
    for (int e = 0; e < 4; e++)
        four.each[e] = whole_of(from, x[e]);
    return four;
}

/* What is asked once for four elements. */
CONVERSION struct gpucc_four convert_four(unsigned to, unsigned from, const uint64_t *x)
{
    const enum dtype dtype = dtype_of(from);
    const bool to_real = !is_whole(dtype_of(to));
    if (dtype != DTYPE_boolean && dtype <= DTYPE_int32) /* all of them are some int32 */
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

/* Those of four that `meant` has a bit for, `along` bytes apart. */
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
