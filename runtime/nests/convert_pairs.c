/* Elements of the frequent pairs of types converted straight from one to the other: the same numbers as by way of the
 * widest type of their kind (convert.c). */
#include "base/common.h"
#include "base/numbers.h"
#include "nests/convert.h"
#include "base/half_floats.h"
#include <string.h>

/* The memory read and the memory written do not overlap; other compilers see to that themselves. */
#if defined(__clang__)
#define VECTORISED
#else
#define VECTORISED _Pragma("GCC ivdep")
#endif

#define CONVERT_DIRECTLY(from_type, to_type, convert)                                                                  \
    for (; n > 0; n -= CONVERT_GROUP) {                                                                                \
        VECTORISED for (size_t k = 0; k < CONVERT_GROUP; k++) {                                                        \
            from_type v;                                                                                               \
            memcpy(&v, source + k * sizeof v, sizeof v);                                                               \
            to_type w = convert(v);                                                                                    \
            memcpy(target + k * sizeof w, &w, sizeof w);                                                               \
        }                                                                                                              \
        target += CONVERT_GROUP * sizeof(to_type);                                                                     \
        source += CONVERT_GROUP * sizeof(from_type);                                                                   \
    }                                                                                                                  \
    return true

#define AS_IT_IS(v) (v)
#define IS_TRUE(v) ((v) != 0)
#define TO_INTEGER(bits, from_type, value)                                                                             \
    case GPUCC_INT##bits:                                                                                              \
    case GPUCC_UINT##bits: CONVERT_DIRECTLY(from_type, uint##bits##_t, value);
#define TO(constant, from_type, to_type, value)                                                                        \
    case constant: CONVERT_DIRECTLY(from_type, to_type, value);
#define TO_REAL(from_type, value)                                                                                      \
    TO(GPUCC_FLOAT32, from_type, float, value)                                                                         \
    TO(GPUCC_FLOAT64, from_type, double, value)
#define FROM_UNSIGNED(name, from_type, value)                                                                          \
    static bool name(gpucc_dtype to, char *target, const char *source, int64_t n)                                      \
    {                                                                                                                  \
        switch (to) {                                                                                                  \
            TO(GPUCC_BOOLEAN, from_type, uint8_t, IS_TRUE)                                                             \
            TO_INTEGER(8, from_type, value)                                                                            \
            TO_INTEGER(16, from_type, value)                                                                           \
            TO_INTEGER(32, from_type, value)                                                                           \
            TO_INTEGER(64, from_type, value)                                                                           \
            TO_REAL(from_type, value)                                                                                  \
        default: return false;                                                                                         \
        }                                                                                                              \
    }
/* Types that are not wider have the same low bits, whatever the sign. */
#define FROM_SIGNED(name, from_type, wider, from_unsigned)                                                             \
    static bool name(gpucc_dtype to, char *target, const char *source, int64_t n)                                      \
    {                                                                                                                  \
        switch (to) {                                                                                                  \
            wider                                                                                                      \
            TO_REAL(from_type, AS_IT_IS)                                                                               \
        default: return from_unsigned(to, target, source, n);                                                          \
        }                                                                                                              \
    }
#define TO_64(from_type) TO_INTEGER(64, from_type, AS_IT_IS)
#define TO_32(from_type) TO_64(from_type) TO_INTEGER(32, from_type, AS_IT_IS)
#define TO_16(from_type) TO_32(from_type) TO_INTEGER(16, from_type, AS_IT_IS)

FROM_UNSIGNED(from_boolean, uint8_t, IS_TRUE)
FROM_UNSIGNED(from_uint8, uint8_t, AS_IT_IS)
FROM_UNSIGNED(from_uint16, uint16_t, AS_IT_IS)
FROM_UNSIGNED(from_uint32, uint32_t, AS_IT_IS)
FROM_UNSIGNED(from_uint64, uint64_t, AS_IT_IS)
FROM_SIGNED(from_int8, int8_t, TO_16(int8_t), from_uint8)
FROM_SIGNED(from_int16, int16_t, TO_32(int16_t), from_uint16)
FROM_SIGNED(from_int32, int32_t, TO_64(int32_t), from_uint32)
FROM_SIGNED(from_int64, int64_t, , from_uint64)

struct complex64 {
    float real, imaginary;
};
struct complex128 {
    double real, imaginary;
};

/* A NaN becomes a quiet one, as it does by way of float64. */
static inline struct complex64 complex64_of(float x)
{
    return (struct complex64){float_of_bits(bits_of_float(x) | (x != x ? 0x400000 : 0)), 0};
}

static inline struct complex128 complex128_of(double x)
{
    return (struct complex128){x, 0};
}

static inline struct complex128 widened(struct complex64 z)
{
    return (struct complex128){double_of_float(z.real), double_of_float(z.imaginary)};
}

/* The number, or the nearest of these two, which float64 has; 0 for NaN. */
static inline double into_range(double x, double least, double most)
{
    const double raised = x > least ? x : least, within = raised < most ? raised : most;
    return x == x ? within : 0;
}

#define TO_INT8(v) (int8_t)(int32_t)into_range(v, -128.0, 127.0)
#define TO_UINT8(v) (uint8_t)(int32_t)into_range(v, 0.0, 255.0)
#define TO_INT16(v) (int16_t)(int32_t)into_range(v, -32768.0, 32767.0)
#define TO_UINT16(v) (uint16_t)(int32_t)into_range(v, 0.0, 65535.0)
#define TO_INT32(v) (int32_t)into_range(v, -2147483648.0, 2147483647.0)
#define TO_SHORT_INTEGERS(from_type)                                                                                   \
    TO(GPUCC_INT8, from_type, int8_t, TO_INT8)                                                                         \
    TO(GPUCC_UINT8, from_type, uint8_t, TO_UINT8)                                                                      \
    TO(GPUCC_INT16, from_type, int16_t, TO_INT16)                                                                      \
    TO(GPUCC_UINT16, from_type, uint16_t, TO_UINT16)                                                                   \
    TO(GPUCC_INT32, from_type, int32_t, TO_INT32)

static bool from_float16(gpucc_dtype to, char *target, const char *source, int64_t n)
{
    switch (to) {
        TO(GPUCC_FLOAT32, uint16_t, float, float_of_float16)
    default: return false;
    }
}

static bool from_bfloat16(gpucc_dtype to, char *target, const char *source, int64_t n)
{
    switch (to) {
        TO(GPUCC_FLOAT32, uint16_t, float, float_of_bfloat16)
    default: return false;
    }
}

static bool from_e4m3(gpucc_dtype to, char *target, const char *source, int64_t n)
{
    switch (to) {
        TO(GPUCC_FLOAT32, uint8_t, float, gpucc_float_of_e4m3_bits)
    default: return false;
    }
}

static bool from_e5m2(gpucc_dtype to, char *target, const char *source, int64_t n)
{
    switch (to) {
        TO(GPUCC_FLOAT32, uint8_t, float, gpucc_float_of_e5m2_bits)
    default: return false;
    }
}

static bool from_float32(gpucc_dtype to, char *target, const char *source, int64_t n)
{
    switch (to) {
        TO(GPUCC_FLOAT16, float, uint16_t, float16_of_float)
        TO(GPUCC_BFLOAT16, float, uint16_t, bfloat16_of_float)
        TO(GPUCC_FLOAT8_E4M3FN, float, uint8_t, gpucc_e4m3_bits_of_float)
        TO(GPUCC_FLOAT8_E5M2, float, uint8_t, gpucc_e5m2_bits_of_float)
        TO(GPUCC_FLOAT64, float, double, double_of_float)
        TO(GPUCC_COMPLEX64, float, struct complex64, complex64_of)
        TO_SHORT_INTEGERS(float)
    default: return false;
    }
}

static bool from_float64(gpucc_dtype to, char *target, const char *source, int64_t n)
{
    switch (to) {
        TO(GPUCC_FLOAT32, double, float, float_of_double)
        TO(GPUCC_COMPLEX128, double, struct complex128, complex128_of)
        TO_SHORT_INTEGERS(double)
    default: return false;
    }
}

static bool from_complex64(gpucc_dtype to, char *target, const char *source, int64_t n)
{
    switch (to) {
        TO(GPUCC_COMPLEX128, struct complex64, struct complex128, widened)
    default: return false;
    }
}

bool convert_pair(gpucc_dtype to, char *target, gpucc_dtype from, const char *source, int64_t n)
{
    switch (from) {
    case GPUCC_BOOLEAN: return from_boolean(to, target, source, n);
    case GPUCC_INT8: return from_int8(to, target, source, n);
    case GPUCC_UINT8: return from_uint8(to, target, source, n);
    case GPUCC_INT16: return from_int16(to, target, source, n);
    case GPUCC_UINT16: return from_uint16(to, target, source, n);
    case GPUCC_INT32: return from_int32(to, target, source, n);
    case GPUCC_UINT32: return from_uint32(to, target, source, n);
    case GPUCC_INT64: return from_int64(to, target, source, n);
    case GPUCC_UINT64: return from_uint64(to, target, source, n);
    case GPUCC_FLOAT16: return from_float16(to, target, source, n);
    case GPUCC_BFLOAT16: return from_bfloat16(to, target, source, n);
    case GPUCC_FLOAT32: return from_float32(to, target, source, n);
    case GPUCC_FLOAT64: return from_float64(to, target, source, n);
    case GPUCC_COMPLEX64: return from_complex64(to, target, source, n);
    case GPUCC_FLOAT8_E4M3FN: return from_e4m3(to, target, source, n);
    case GPUCC_FLOAT8_E5M2: return from_e5m2(to, target, source, n);
    default: return false;
    }
}
