// Division that rounds down, gcd, powers, shifts and saturation are defined for every argument, and elsewhere.
// RUN: %gpucc %s --emit=ptx -o /dev/null
// RUN: %gpucc run %s differences zeros:1:int64 --grid=1 --block=1 --device=cpu | FileCheck %s
// RUN: %cc -std=gnu17 -Wall -Wextra -Werror -fsanitize=undefined -fno-sanitize-recover -I%include -DHOST %s -o %t %lib
// RUN: %t
// CHECK: first   0{{$}}
#include <gpucc/arithmetic.h>
#ifdef HOST
#include <stdio.h>
#endif

#define CHECK(condition) wrong += !(condition)
#define COUNT(a) (sizeof(a) / sizeof *(a))

#define PAIRS(type, unsigned_type, bits)                                                                               \
    /* as Euclid has it */                                                                                             \
    static unsigned_type common_##type(unsigned_type x, unsigned_type y)                                               \
    {                                                                                                                  \
        while (y != 0) {                                                                                               \
            unsigned_type rest = x % y;                                                                                \
            x = y, y = rest;                                                                                           \
        }                                                                                                              \
        return x;                                                                                                      \
    }                                                                                                                  \
    static int pair_##type(type x, type y)                                                                             \
    {                                                                                                                  \
        int wrong = 0, negative_x = x < 1 && x != 0, negative_y = y < 1 && y != 0;                                     \
        const unsigned_type a = negative_x ? -(unsigned_type)x : (unsigned_type)x;                                     \
        const unsigned_type b = negative_y ? -(unsigned_type)y : (unsigned_type)y, divisor = common_##type(a, b);      \
        const type quotient = floor_divide(x, y), modulus = modulo(x, y), rest = remainder_of(x, y);                   \
        CHECK((unsigned_type)quotient * (unsigned_type)y + (unsigned_type)modulus == (y == 0 ? 0 : (unsigned_type)x)); \
        CHECK(modulus == 0 || (modulus < 1) == negative_y);                                                            \
        const unsigned_type size = negative_y ? -(unsigned_type)modulus : (unsigned_type)modulus;                      \
        CHECK(y == 0 ? modulus == 0 && rest == 0 : size < b);                                                          \
        CHECK(y == 0 || (unsigned_type)rest == (negative_x ? -(a % b) : a % b));                                       \
        CHECK(gcd(x, y) == (type)divisor);                                                                             \
        CHECK(lcm(x, y) == (type)(divisor == 0 ? 0 : a / divisor * b));                                                \
        return wrong;                                                                                                  \
    }                                                                                                                  \
    static int powers_##type(type x)                                                                                   \
    {                                                                                                                  \
        int wrong = 0;                                                                                                 \
        unsigned_type product = 1;                                                                                     \
        for (type n = 0; n < 9; n++, product *= (unsigned_type)x)                                                      \
            CHECK((unsigned_type)integer_power(x, n) == product);                                                      \
        for (type n = (type)-1; n < 1 && n > (type)-4; n--)                                                            \
            CHECK(integer_power(x, n) == (type)(x == 1 ? 1 : x != (type)-1 ? 0 : n & 1 ? -1 : 1));                     \
        return wrong;                                                                                                  \
    }                                                                                                                  \
    /* a step at a time */                                                                                             \
    static int shifts_##type(type x)                                                                                   \
    {                                                                                                                  \
        int wrong = 0;                                                                                                 \
        type left = x, right = x;                                                                                      \
        for (int n = 0; n < 2 * bits; n++, left = (type)((unsigned_type)left << 1), right >>= 1)                       \
            CHECK(left_shift(x, n) == left && right_shift(x, n) == right);                                             \
        CHECK(left_shift(x, -1) == 0 && right_shift(x, -1) == right);                                                  \
        return wrong;                                                                                                  \
    }                                                                                                                  \
    static int pairs_##type(void)                                                                                      \
    {                                                                                                                  \
        int wrong = 0;                                                                                                 \
        const unsigned_type values[] = {0, 1, 2, 3, 7, 12, 18, 100, -(unsigned_type)1, -(unsigned_type)2,              \
                                        -(unsigned_type)7, -(unsigned_type)12, (unsigned_type)1 << (bits - 1),         \
                                        ((unsigned_type)1 << (bits - 1)) + 1, ((unsigned_type)1 << (bits - 1)) - 1};   \
        for (size_t i = 0; i < COUNT(values); i++) {                                                                   \
            wrong += powers_##type((type)values[i]) + shifts_##type((type)values[i]);                                  \
            for (size_t j = 0; j < COUNT(values); j++)                                                                 \
                wrong += pair_##type((type)values[i], (type)values[j]);                                                \
        }                                                                                                              \
        return wrong;                                                                                                  \
    }

PAIRS(int32, uint32, 32)
PAIRS(uint32, uint32, 32)
PAIRS(int64, uint64, 64)
PAIRS(uint64, uint64, 64)

/* Numbers from 2^63 on are a case of their own: only uint64 has some of them. */
#define CAST(type, smallest, largest)                                                                                  \
    for (size_t i = 0; i < COUNT(integers); i++) {                                                                     \
        int64 x = integers[i];                                                                                         \
        int above = x >= 0 && (uint64)x > (uint64)(largest);                                                           \
        int below = x < 0 && ((smallest) == 0 || x < (int64)(smallest));                                               \
        CHECK(saturate_cast(type, x) == (type)(above ? (largest) : below ? (smallest) : (type)x));                     \
    }                                                                                                                  \
    for (size_t i = 0; i < COUNT(naturals); i++) {                                                                     \
        uint64 x = naturals[i];                                                                                        \
        CHECK(saturate_cast(type, x) == (type)(x > (uint64)(largest) ? (uint64)(largest) : x));                        \
    }                                                                                                                  \
    for (size_t i = 0; i < COUNT(numbers); i++) {                                                                      \
        double x = numbers[i];                                                                                         \
        int fits = x > -0x1p63 && x < 0x1p63;                                                                          \
        type huge = x == 0x1p63 && (uint64)(largest) == UINT64_MAX ? (type)((uint64)1 << 63) : (largest);              \
        type expected = fits ? saturate_cast(type, (int64)x) : x > 0 ? huge : x < 0 ? (smallest) : 0;                  \
        CHECK(saturate_cast(type, x) == expected);                                                                     \
        CHECK((double)(float)x != x || saturate_cast(type, (float)x) == expected);                                     \
    }

static int casts(void)
{
    static const int64 integers[] = {0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, -32769, 65535, 65536,
                                     INT32_MAX, (int64)INT32_MAX + 1, INT32_MIN, (int64)INT32_MIN - 1, UINT32_MAX,
                                     (int64)UINT32_MAX + 1, INT64_MAX, INT64_MIN};
    static const uint64 naturals[] = {0, 127, 128, 255, 256, 65536, INT32_MAX, UINT32_MAX, (uint64)INT64_MAX + 1,
                                      UINT64_MAX};
    static const double numbers[] = {0.0,     0.75,     -0.75,   127.5,   128.5,    -128.5,     255.75, 256.0,
                                     65535.5, -32769.0, 0x1p31,  -0x1p31, 0x1p32,   0x1.8p31,   0x1p62, 0x1p63,
                                     -0x1p63, 0x1p64,   0x1p100, -0x1p70, INFINITY, -INFINITY, NAN};
    int wrong = 0;
    CAST(int8, INT8_MIN, INT8_MAX)
    CAST(int16, INT16_MIN, INT16_MAX)
    CAST(int32, INT32_MIN, INT32_MAX)
    CAST(int64, INT64_MIN, INT64_MAX)
    CAST(uint8, 0, UINT8_MAX)
    CAST(uint16, 0, UINT16_MAX)
    CAST(uint32, 0, UINT32_MAX)
    CAST(uint64, 0, UINT64_MAX)
    return wrong;
}

/* x, y, quotient, modulus; multiples of 1/4, so that all is exact. */
#define FLOATING(type)                                                                                                 \
    static int floating_##type(void)                                                                                   \
    {                                                                                                                  \
        static const type rows[][4] = {                                                                                \
            {7, 2, 3, 1}, {-7, 2, -4, 1}, {7, -2, -4, -1}, {-7, -2, 3, -1}, {6, 3, 2, 0}, {6, -3, -2, -0.0f},          \
            {0.75f, 0.5f, 1, 0.25f}, {-0.25f, 4, -1, 3.75f}, {1, INFINITY, 0, 1}, {-1, INFINITY, -1, INFINITY},        \
            {1, 0, INFINITY, NAN}, {-1, 0, -INFINITY, NAN}, {0, 0, NAN, NAN}, {INFINITY, 2, NAN, NAN},                 \
            {NAN, 1, NAN, NAN}, {0, -5, -0.0f, -0.0f}, {-0.0f, 5, -0.0f, 0}};                                          \
        int wrong = 0;                                                                                                 \
        for (size_t i = 0; i < COUNT(rows); i++) {                                                                     \
            type quotient = floor_divide(rows[i][0], rows[i][1]), rest = modulo(rows[i][0], rows[i][1]);               \
            type q = rows[i][2], r = rows[i][3];                                                                       \
            CHECK(q != q ? quotient != quotient : quotient == q && !signbit(quotient) == !signbit(q));                 \
            CHECK(r != r ? rest != rest : rest == r && !signbit(rest) == !signbit(r));                                 \
        }                                                                                                              \
        return wrong;                                                                                                  \
    }
FLOATING(float32)
FLOATING(float64)

static int wrong_results(void)
{
    int wrong = pairs_int32() + pairs_uint32() + pairs_int64() + pairs_uint64() + casts();
    CHECK((int8)floor_divide((int8)-128, (int8)-1) == -128);
    CHECK((int8)modulo((int8)-128, (int8)3) == 1);
    CHECK((uint8)gcd((uint8)200, (uint8)75) == 25);
    return wrong + floating_float32() + floating_float64();
}

kernel
void differences(int64 *out)
{
    *out = wrong_results();
}

#ifdef HOST
int main(void)
{
    int wrong = wrong_results();
    printf("%d differences\n", wrong);
    return wrong != 0;
}
#endif
