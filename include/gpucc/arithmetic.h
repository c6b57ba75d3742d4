/* Arithmetic of NumPy's ufuncs, defined for every argument, of all integer types, float and double.  Include it by
 * itself.  Operands have the type that C gives x + y, so cast results of 8-bit and 16-bit operands back; float16 and
 * bfloat16 count as float.
 *
 *   floor_divide(x, y)      the quotient rounded down.  Integers: 0 where y is 0, and the smallest number divided by -1
 *       is itself.  float and double: x / y where y is 0
 *   modulo(x, y)            x - floor_divide(x, y) * y, with the sign of y.  Integers: 0 where y is 0.  float and
 *       double: NaN where y is 0, a zero has y's sign
 *   remainder_of(x, y)      of the quotient rounded toward zero, with the sign of x: integers, 0 where y is 0
 *   gcd(x, y) lcm(x, y)     of the magnitudes, integers; gcd(0, 0) and lcm(x, 0) are 0; what does not fit wraps
 *   integer_power(x, n)     products wrap; a negative n gives 0 but for x = 1 and -1
 *   left_shift(x, n) right_shift(x, n)   integers; n negative or not less than the width of x shifts everything out
 *   saturate_cast(type, x)  x as that integer type: truncated, at most its largest and at least its smallest number, 0
 *       for NaN
 */
#ifndef GPUCC_ARITHMETIC_H
#define GPUCC_ARITHMETIC_H

#include <gpucc.h>
#include <math.h>

/* ---- integers ---- */

#define GPUCC_DEFINE_GCD(code, type, count_zeros)                                                                      \
    /* The binary algorithm, because division is slow on every GPU. */                                                 \
    GPUCC_INLINE type gpucc_gcd_##code(type x, type y)                                                                 \
    {                                                                                                                  \
        if (x == 0 || y == 0)                                                                                          \
            return x | y;                                                                                              \
        int shift = count_zeros(x | y);                                                                                \
        x >>= count_zeros(x);                                                                                          \
        while (y != 0) {                                                                                               \
            y >>= count_zeros(y);                                                                                      \
            type lesser = x < y ? x : y, greater = x < y ? y : x;                                                      \
            x = lesser;                                                                                                \
            y = greater - lesser;                                                                                      \
        }                                                                                                              \
        return x << shift;                                                                                             \
    }                                                                                                                  \
    GPUCC_INLINE type gpucc_lcm_##code(type x, type y)                                                                 \
    {                                                                                                                  \
        type common = gpucc_gcd_##code(x, y);                                                                          \
        return common == 0 ? 0 : x / common * y;                                                                       \
    }                                                                                                                  \
    GPUCC_INLINE type gpucc_product_##code(type x, type n)                                                             \
    {                                                                                                                  \
        type product = 1;                                                                                              \
        for (; n != 0; n >>= 1, x *= x)                                                                                \
            product = n & 1 ? product * x : product;                                                                   \
        return product;                                                                                                \
    }

#define GPUCC_DEFINE_UNSIGNED(code, type)                                                                              \
    GPUCC_INLINE type gpucc_floor_divide_##code(type x, type y)                                                        \
    {                                                                                                                  \
        return y == 0 ? 0 : x / y;                                                                                     \
    }                                                                                                                  \
    GPUCC_INLINE type gpucc_modulo_##code(type x, type y)                                                              \
    {                                                                                                                  \
        return y == 0 ? 0 : x % y;                                                                                     \
    }                                                                                                                  \
    GPUCC_INLINE type gpucc_remainder_##code(type x, type y)                                                           \
    {                                                                                                                  \
        return y == 0 ? 0 : x % y;                                                                                     \
    }                                                                                                                  \
    GPUCC_INLINE type gpucc_power_##code(type x, type n)                                                               \
    {                                                                                                                  \
        return gpucc_product_##code(x, n);                                                                             \
    }

#define GPUCC_DEFINE_SIGNED(code, type, ucode, unsigned_type)                                                          \
    GPUCC_INLINE unsigned_type gpucc_size_##code(type x)                                                               \
    {                                                                                                                  \
        return x < 0 ? -(unsigned_type)x : (unsigned_type)x;                                                           \
    }                                                                                                                  \
    /* a divisor that cannot overflow nor be 0 */                                                                      \
    GPUCC_INLINE type gpucc_divisor_##code(type y)                                                                     \
    {                                                                                                                  \
        return y == 0 || y == -1 ? 1 : y;                                                                              \
    }                                                                                                                  \
    GPUCC_INLINE type gpucc_floor_divide_##code(type x, type y)                                                        \
    {                                                                                                                  \
        type divisor = gpucc_divisor_##code(y), quotient = x / divisor, rest = x % divisor;                            \
        type down = rest != 0 && (rest < 0) != (divisor < 0);                                                          \
        return y == 0 ? 0 : y == -1 ? (type)(0 - (unsigned_type)x) : quotient - down;                                  \
    }                                                                                                                  \
    GPUCC_INLINE type gpucc_modulo_##code(type x, type y)                                                              \
    {                                                                                                                  \
        type divisor = gpucc_divisor_##code(y), rest = x % divisor;                                                    \
        return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;                                       \
    }                                                                                                                  \
    GPUCC_INLINE type gpucc_remainder_##code(type x, type y)                                                           \
    {                                                                                                                  \
        return x % gpucc_divisor_##code(y);                                                                            \
    }                                                                                                                  \
    GPUCC_INLINE type gpucc_gcd_##code(type x, type y)                                                                 \
    {                                                                                                                  \
        return (type)gpucc_gcd_##ucode(gpucc_size_##code(x), gpucc_size_##code(y));                                    \
    }                                                                                                                  \
    GPUCC_INLINE type gpucc_lcm_##code(type x, type y)                                                                 \
    {                                                                                                                  \
        return (type)gpucc_lcm_##ucode(gpucc_size_##code(x), gpucc_size_##code(y));                                    \
    }                                                                                                                  \
    GPUCC_INLINE type gpucc_power_##code(type x, type n)                                                               \
    {                                                                                                                  \
        type inverse = x == 1 ? 1 : x == -1 ? (n & 1 ? -1 : 1) : 0;                                                    \
        return n < 0 ? inverse : (type)gpucc_product_##ucode((unsigned_type)x, (unsigned_type)n);                      \
    }

#define GPUCC_DEFINE_SHIFTS(code, type, unsigned_type, bits)                                                           \
    GPUCC_INLINE type gpucc_left_shift_##code(type x, int64_t n)                                                       \
    {                                                                                                                  \
        return n < 0 || n >= bits ? 0 : (type)((unsigned_type)x << n);                                                 \
    }                                                                                                                  \
    GPUCC_INLINE type gpucc_right_shift_##code(type x, int64_t n)                                                      \
    {                                                                                                                  \
        type sign = x < (type)1 && x != 0 ? (type)-1 : 0;                                                              \
        return n < 0 || n >= bits ? sign : x >> n;                                                                     \
    }

GPUCC_DEFINE_GCD(u32, uint32_t, __builtin_ctz)
GPUCC_DEFINE_GCD(u64, uint64_t, __builtin_ctzll)
GPUCC_DEFINE_UNSIGNED(u32, uint32_t)
GPUCC_DEFINE_UNSIGNED(u64, uint64_t)
GPUCC_DEFINE_SIGNED(i32, int32_t, u32, uint32_t)
GPUCC_DEFINE_SIGNED(i64, int64_t, u64, uint64_t)
GPUCC_DEFINE_SHIFTS(i32, int32_t, uint32_t, 32)
GPUCC_DEFINE_SHIFTS(i64, int64_t, uint64_t, 64)
GPUCC_DEFINE_SHIFTS(u32, uint32_t, uint32_t, 32)
GPUCC_DEFINE_SHIFTS(u64, uint64_t, uint64_t, 64)

/* ---- float and double ---- */

#define GPUCC_DEFINE_FLOATING(code, type, fmod, floor, copysign)                                                       \
    GPUCC_INLINE type gpucc_modulo_##code(type x, type y)                                                              \
    {                                                                                                                  \
        type rest = fmod(x, y);                                                                                        \
        type moved = (rest < 0) != (y < 0) ? rest + y : rest;                                                          \
        return rest == 0 && y != 0 ? copysign(rest, y) : moved;                                                        \
    }                                                                                                                  \
    /* The exact quotient is an integer; rounding removes the error of the division. */                                \
    GPUCC_INLINE type gpucc_floor_divide_##code(type x, type y)                                                        \
    {                                                                                                                  \
        type rest = fmod(x, y), quotient = (x - rest) / y;                                                             \
        quotient = rest != 0 && (rest < 0) != (y < 0) ? quotient - 1 : quotient;                                       \
        type whole = floor(quotient);                                                                                  \
        whole = quotient - whole > (type)0.5 ? whole + 1 : whole;                                                      \
        return y == 0 ? x / y : quotient == 0 ? copysign((type)0, x / y) : whole;                                      \
    }

GPUCC_DEFINE_FLOATING(f32, float, fmodf, floorf, copysignf)
GPUCC_DEFINE_FLOATING(f64, double, fmod, floor, copysign)

/* ---- conversions ---- */

/* Converts through the widest type of the source's kind; `above` is the smallest power of two beyond the target. */
#define GPUCC_DEFINE_SATURATE(code, type, smallest, largest, above)                                                    \
    GPUCC_INLINE type gpucc_##code##_from_i64(int64_t x)                                                               \
    {                                                                                                                  \
        type low = (smallest) == 0 && x < 0 ? 0 : x < (int64_t)(smallest) ? (smallest) : (type)x;                      \
        return x > 0 && (uint64_t)x > (largest) ? (largest) : low;                                                     \
    }                                                                                                                  \
    GPUCC_INLINE type gpucc_##code##_from_u64(uint64_t x)                                                              \
    {                                                                                                                  \
        return x > (largest) ? (largest) : (type)x;                                                                    \
    }                                                                                                                  \
    GPUCC_INLINE type gpucc_##code##_from_f32(float x)                                                                 \
    {                                                                                                                  \
        type inside = (type)(x < above##f && x > (float)(smallest) ? x : 0);                                           \
        return x >= above##f ? (largest) : x <= (float)(smallest) ? (smallest) : inside;                               \
    }                                                                                                                  \
    GPUCC_INLINE type gpucc_##code##_from_f64(double x)                                                                \
    {                                                                                                                  \
        type inside = (type)(x < above && x > (double)(smallest) ? x : 0);                                             \
        return x >= above ? (largest) : x <= (double)(smallest) ? (smallest) : inside;                                 \
    }

GPUCC_DEFINE_SATURATE(i8, int8_t, INT8_MIN, INT8_MAX, 0x1p7)
GPUCC_DEFINE_SATURATE(i16, int16_t, INT16_MIN, INT16_MAX, 0x1p15)
GPUCC_DEFINE_SATURATE(i32, int32_t, INT32_MIN, INT32_MAX, 0x1p31)
GPUCC_DEFINE_SATURATE(i64, int64_t, INT64_MIN, INT64_MAX, 0x1p63)
GPUCC_DEFINE_SATURATE(u8, uint8_t, 0, UINT8_MAX, 0x1p8)
GPUCC_DEFINE_SATURATE(u16, uint16_t, 0, UINT16_MAX, 0x1p16)
GPUCC_DEFINE_SATURATE(u32, uint32_t, 0, UINT32_MAX, 0x1p32)
GPUCC_DEFINE_SATURATE(u64, uint64_t, 0, UINT64_MAX, 0x1p64)

/* ---- by the operands' types ---- */

/* long and long long are different types of one width. */
#define GPUCC_BY_INTEGER(name)                                                                                         \
    int32_t: gpucc_##name##_i32, uint32_t: gpucc_##name##_u32, long: gpucc_##name##_i64, long long:                    \
        gpucc_##name##_i64, unsigned long: gpucc_##name##_u64, unsigned long long: gpucc_##name##_u64
#ifdef __GPUCC__
#define GPUCC_BY_HALF(name) float16: gpucc_##name##_f32, bfloat16: gpucc_##name##_f32,
#else /* a host may lack the types */
#define GPUCC_BY_HALF(name)
#endif
#define GPUCC_OF_INTEGERS(name, x, y)                                                                                  \
    GPUCC_ONCE_2(x, y, _Generic(gpucc_x + gpucc_y, GPUCC_BY_INTEGER(name))(gpucc_x, gpucc_y))
#define GPUCC_OF_NUMBERS(name, x, y)                                                                                   \
    GPUCC_ONCE_2(x, y,                                                                                                 \
                 _Generic(gpucc_x + gpucc_y, GPUCC_BY_INTEGER(name), GPUCC_BY_HALF(name) float: gpucc_##name##_f32,    \
                          double: gpucc_##name##_f64)(gpucc_x, gpucc_y))
#define GPUCC_SHIFT(name, x, n) GPUCC_ONCE_1(x, _Generic(gpucc_x + 0, GPUCC_BY_INTEGER(name))(gpucc_x, n))

#define gpucc_floor_divide(x, y) GPUCC_OF_NUMBERS(floor_divide, x, y)
#define gpucc_modulo(x, y) GPUCC_OF_NUMBERS(modulo, x, y)
#define gpucc_remainder_of(x, y) GPUCC_OF_INTEGERS(remainder, x, y)
#define gpucc_gcd(x, y) GPUCC_OF_INTEGERS(gcd, x, y)
#define gpucc_lcm(x, y) GPUCC_OF_INTEGERS(lcm, x, y)
#define gpucc_integer_power(x, n) GPUCC_OF_INTEGERS(power, x, n)
#define gpucc_left_shift(x, n) GPUCC_SHIFT(left_shift, x, n)
#define gpucc_right_shift(x, n) GPUCC_SHIFT(right_shift, x, n)

#define GPUCC_FROM(code)                                                                                               \
    _Generic(gpucc_x + 0, float: gpucc_##code##_from_f32, double: gpucc_##code##_from_f64,                             \
             unsigned long: gpucc_##code##_from_u64, unsigned long long: gpucc_##code##_from_u64,                      \
             default: gpucc_##code##_from_i64)
#define gpucc_saturate_cast(type, x)                                                                                   \
    GPUCC_ONCE_1(x, _Generic((type)0, int8_t: GPUCC_FROM(i8), int16_t: GPUCC_FROM(i16), int32_t: GPUCC_FROM(i32),      \
                           uint8_t: GPUCC_FROM(u8), uint16_t: GPUCC_FROM(u16), uint32_t: GPUCC_FROM(u32),              \
                           long: GPUCC_FROM(i64), long long: GPUCC_FROM(i64), unsigned long: GPUCC_FROM(u64),          \
                           unsigned long long: GPUCC_FROM(u64))(gpucc_x))

#ifndef GPUCC_NO_SHORT_NAMES
#define floor_divide(x, y) gpucc_floor_divide(x, y)
#define modulo(x, y) gpucc_modulo(x, y)
#define remainder_of(x, y) gpucc_remainder_of(x, y)
#define gcd(x, y) gpucc_gcd(x, y)
#define lcm(x, y) gpucc_lcm(x, y)
#define integer_power(x, n) gpucc_integer_power(x, n)
#define left_shift(x, n) gpucc_left_shift(x, n)
#define right_shift(x, n) gpucc_right_shift(x, n)
#define saturate_cast(type, x) gpucc_saturate_cast(type, x)
#endif

#endif
