/* What the loops that convert call for elements of another type than theirs (stdlib/loops/converted.h).  Out of line,
 * as a program holds those of its own loops' types once. */
#include "conversions.h"

#define OUT_OF_LINE __attribute__((noinline, const))
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

/* gpucc_to_T(): four of the type that `record` says as a T each, or its real part; no complex128 are given.
 * gpucc_from_T(): a T as one of that type, or its real part. */
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits)                                             \
    OUT_OF_LINE struct gpucc_four gpucc_to_##code(unsigned record, uint64_t a, uint64_t b, uint64_t c, uint64_t d)     \
    {                                                                                                                  \
        return convert_four(RECORD(DTYPE_##name, size), record, (uint64_t[]){a, b, c, d});                             \
    }                                                                                                                  \
    OUT_OF_LINE uint64_t gpucc_from_##code(unsigned record, uint64_t low, uint64_t high)                               \
    {                                                                                                                  \
        return converted(record, RECORD(DTYPE_##name, size), (struct gpucc_element){low, high}).low;                   \
    }
#include "../../include/gpucc/dtypes.def"

/* The imaginary parts that gpucc_to_c128() leaves, and that of a complex64 as a complex128. */
OUT_OF_LINE uint64_t gpucc_from_imaginary(uint64_t low)
{
    const struct gpucc_element x = {low, 0};
    return bits_of_double(number_of(RECORD(DTYPE_complex64, 8), x).imaginary);
}

OUT_OF_LINE struct gpucc_four gpucc_to_imaginary(unsigned record, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    if (!is_complex(dtype_of(record)))
        return (struct gpucc_four){{0}};
    return (struct gpucc_four){{gpucc_from_imaginary(a), gpucc_from_imaginary(b), gpucc_from_imaginary(c),
                                gpucc_from_imaginary(d)}};
}
