/* Integer arithmetic as NumPy's ufuncs mean it, defined for every argument: division that rounds down, modulo with
 * the divisor's sign, C's remainder, greatest common divisor, least common multiple, powers, shifts of any width, and
 * conversions that saturate.  Division by zero gives 0, the smallest number divided by -1 gives itself.  For 8 and 16
 * bits convert the operands to 32 and the result back: all of them agree then with the same rules. */
#include "math64.h"

#define SIGNED_DIVISION(code, type, unsigned_type, smallest)                                                          \
    /* a divisor that cannot trap, with the quotient that is wanted: a / 1 or -a */                                   \
    INLINE type safe_divisor_##code(type a, type b)                                                                   \
    {                                                                                                                 \
        return b == 0 || (a == smallest && b == -1) ? 1 : b;                                                          \
    }                                                                                                                 \
    type gpucc_floor_divide_##code(type a, type b)                                                                    \
    {                                                                                                                 \
        type divisor = safe_divisor_##code(a, b);                                                                     \
        type quotient = a / divisor, rest = a % divisor;                                                              \
        type down = rest != 0 && (rest < 0) != (divisor < 0);                                                         \
        return b == 0 ? 0 : quotient - down;                                                                          \
    }                                                                                                                 \
    type gpucc_modulo_##code(type a, type b)                                                                          \
    {                                                                                                                 \
        type divisor = safe_divisor_##code(a, b);                                                                     \
        type rest = a % divisor;                                                                                      \
        return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;                                      \
    }                                                                                                                 \
    type gpucc_fmod_##code(type a, type b)                                                                            \
    {                                                                                                                 \
        return a % safe_divisor_##code(a, b);                                                                         \
    }                                                                                                                 \
    type gpucc_gcd_##code(type a, type b)                                                                             \
    {                                                                                                                 \
        return (type)gcd_##unsigned_type(size_##code(a), size_##code(b));                                             \
    }                                                                                                                 \
    type gpucc_lcm_##code(type a, type b)                                                                             \
    {                                                                                                                 \
        unsigned_type x = size_##code(a), y = size_##code(b), common = gcd_##unsigned_type(x, y);                     \
        return common == 0 ? 0 : (type)(x / common * y);                                                              \
    }

#define UNSIGNED_DIVISION(code, type)                                                                                 \
    type gpucc_floor_divide_##code(type a, type b)                                                                    \
    {                                                                                                                 \
        return b == 0 ? 0 : a / b;                                                                                    \
    }                                                                                                                 \
    type gpucc_modulo_##code(type a, type b)                                                                          \
    {                                                                                                                 \
        return b == 0 ? 0 : a % b;                                                                                    \
    }                                                                                                                 \
    type gpucc_fmod_##code(type a, type b)                                                                            \
    {                                                                                                                 \
        return b == 0 ? 0 : a % b;                                                                                    \
    }                                                                                                                 \
    type gpucc_gcd_##code(type a, type b)                                                                             \
    {                                                                                                                 \
        return gcd_##type(a, b);                                                                                      \
    }                                                                                                                 \
    type gpucc_lcm_##code(type a, type b)                                                                             \
    {                                                                                                                 \
        type common = gcd_##type(a, b);                                                                               \
        return common == 0 ? 0 : a / common * b;                                                                      \
    }

/* Products wrap; a negative exponent gives 0 but for the bases 1 and -1. */
#define POWER(code, type, unsigned_type)                                                                              \
    type gpucc_power_##code(type base, type exponent)                                                                 \
    {                                                                                                                 \
        bool negative = exponent < (type)1 && exponent != 0;                                                          \
        type inverse = base == 1 ? 1 : base == (type)-1 && (type)-1 < (type)1 ? (exponent & 1 ? base : 1) : 0;        \
        unsigned_type square = (unsigned_type)base, product = 1;                                                      \
        for (unsigned_type rest = negative ? 0 : (unsigned_type)exponent; rest; rest >>= 1) {                         \
            product = rest & 1 ? product * square : product;                                                          \
            square *= square;                                                                                         \
        }                                                                                                             \
        return negative ? inverse : (type)product;                                                                    \
    }

/* Shifting by the width or more, or by a negative count, shifts everything out. */
#define SHIFTS(code, type, unsigned_type, bits)                                                                       \
    type gpucc_left_shift_##code(type a, type count)                                                                  \
    {                                                                                                                 \
        bool wide = (unsigned_type)count >= bits;                                                                     \
        return wide ? 0 : (type)((unsigned_type)a << (count & (bits - 1)));                                           \
    }                                                                                                                 \
    type gpucc_right_shift_##code(type a, type count)                                                                 \
    {                                                                                                                 \
        return a >> ((unsigned_type)count >= bits ? bits - 1 : count) >> ((unsigned_type)count >= bits);              \
    }

/* Truncated, saturated, 0 for NaN.  `high` is the first power of two above the type. */
#define SATURATE(code, type, smallest, largest, low, high)                                                            \
    type gpucc_##code##_from_f64(double x)                                                                            \
    {                                                                                                                 \
        bool fits = x > low && x < high;                                                                              \
        type converted = (type)(fits ? x : 0.0);                                                                      \
        return x >= high ? largest : x <= low ? smallest : converted;                                                 \
    }

INLINE uint32_t size_i32(int32_t a)
{
    return a < 0 ? -(uint32_t)a : (uint32_t)a;
}

INLINE uint64_t size_i64(int64_t a)
{
    return a < 0 ? -(uint64_t)a : (uint64_t)a;
}

/* Euclid's, by shifts and differences: division is slow on every GPU. */
#define GCD(type, count_zeros)                                                                                        \
    static inline type gcd_##type(type a, type b)                                                                     \
    {                                                                                                                 \
        if (a == 0 || b == 0)                                                                                         \
            return a | b;                                                                                             \
        int shift = count_zeros(a | b);                                                                               \
        a >>= count_zeros(a);                                                                                         \
        while (b != 0) {                                                                                              \
            b >>= count_zeros(b);                                                                                     \
            type lesser = a < b ? a : b, greater = a < b ? b : a;                                                     \
            a = lesser;                                                                                               \
            b = greater - lesser;                                                                                     \
        }                                                                                                             \
        return a << shift;                                                                                            \
    }

GCD(uint32_t, __builtin_ctz)
GCD(uint64_t, __builtin_ctzll)

SIGNED_DIVISION(i32, int32_t, uint32_t, INT32_MIN)
SIGNED_DIVISION(i64, int64_t, uint64_t, INT64_MIN)
UNSIGNED_DIVISION(u32, uint32_t)
UNSIGNED_DIVISION(u64, uint64_t)

POWER(i32, int32_t, uint32_t)
POWER(i64, int64_t, uint64_t)
POWER(u32, uint32_t, uint32_t)
POWER(u64, uint64_t, uint64_t)

SHIFTS(i32, int32_t, uint32_t, 32)
SHIFTS(i64, int64_t, uint64_t, 64)
SHIFTS(u32, uint32_t, uint32_t, 32)
SHIFTS(u64, uint64_t, uint64_t, 64)

SATURATE(i8, int8_t, INT8_MIN, INT8_MAX, -0x1p7, 0x1p7)
SATURATE(i16, int16_t, INT16_MIN, INT16_MAX, -0x1p15, 0x1p15)
SATURATE(i32, int32_t, INT32_MIN, INT32_MAX, -0x1p31, 0x1p31)
SATURATE(i64, int64_t, INT64_MIN, INT64_MAX, -0x1p63, 0x1p63)
SATURATE(u8, uint8_t, 0, UINT8_MAX, 0.0, 0x1p8)
SATURATE(u16, uint16_t, 0, UINT16_MAX, 0.0, 0x1p16)
SATURATE(u32, uint32_t, 0, UINT32_MAX, 0.0, 0x1p32)
SATURATE(u64, uint64_t, 0, UINT64_MAX, 0.0, 0x1p64)
