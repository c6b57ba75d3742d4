/* totalorder totalordermag canonicalize getpayload setpayload setpayloadsig, and float's: C23, F.10.12 and F.10.13.
 * They are about bits; the arguments arrive through pointers, for a call might quieten a signalling NaN. */
#include "math64.h"

/* For a type with so many bits in its significand's field: names, and its two kinds of NaN with payload 0. */
#define FORMAT(type, suffix, word, signed_word, bits_of, of_bits, sign, quiet, signalling, payload_mask)               \
    /* In the order of integers; -NaN is the least. */                                                                 \
    INLINE signed_word order##suffix(word bits)                                                                        \
    {                                                                                                                  \
        return (signed_word)(bits & sign ? bits ^ (sign - 1) : bits);                                                  \
    }                                                                                                                  \
    int gpucc_totalorder##suffix(const type *x, const type *y)                                                         \
    {                                                                                                                  \
        return order##suffix(bits_of(*x)) <= order##suffix(bits_of(*y));                                               \
    }                                                                                                                  \
    int gpucc_totalordermag##suffix(const type *x, const type *y)                                                      \
    {                                                                                                                  \
        return (bits_of(*x) & ~sign) <= (bits_of(*y) & ~sign);                                                         \
    }                                                                                                                  \
    int gpucc_canonicalize##suffix(type *result, const type *x)                                                        \
    {                                                                                                                  \
        word bits = bits_of(*x);                                                                                       \
        *result = of_bits((bits & ~sign) > signalling ? bits | quiet : bits);                                          \
        return 0;                                                                                                      \
    }                                                                                                                  \
    /* -1 for what is no NaN */                                                                                        \
    type gpucc_getpayload##suffix(const type *x)                                                                       \
    {                                                                                                                  \
        word bits = bits_of(*x);                                                                                       \
        return (bits & ~sign) > signalling ? (type)(bits & payload_mask) : (type)-1;                                   \
    }                                                                                                                  \
    /* 0, or 1 and a result of 0 where the payload does not fit */                                                     \
    INLINE bool is_payload##suffix(type payload)                                                                       \
    {                                                                                                                  \
        return payload >= 0 && payload <= (type)payload_mask && (type)(word)payload == payload;                        \
    }                                                                                                                  \
    int gpucc_setpayload##suffix(type *result, type payload)                                                           \
    {                                                                                                                  \
        bool fits = is_payload##suffix(payload);                                                                       \
        *result = of_bits(fits ? quiet | (word)payload : 0);                                                           \
        return !fits;                                                                                                  \
    }                                                                                                                  \
    int gpucc_setpayloadsig##suffix(type *result, type payload)                                                        \
    {                                                                                                                  \
        bool fits = is_payload##suffix(payload) && payload != 0;                                                       \
        *result = of_bits(fits ? signalling | (word)payload : 0);                                                      \
        return !fits;                                                                                                  \
    }

FORMAT(double, , uint64_t, int64_t, bits_of_double, double_of_bits, SIGN_BIT, UINT64_C(0x7ff8000000000000),
       EXPONENT_MASK, UINT64_C(0x0007ffffffffffff))
FORMAT(float, f, uint32_t, int32_t, bits_of_float, float_of_bits, SIGN_BIT_F, 0x7fc00000u, 0x7f800000u, 0x003fffffu)
