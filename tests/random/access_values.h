/* Macros of random programs of accesses (accesses.py) that are alike for gpucc and gcc. */
#ifndef GPUCC_TESTS_RANDOM_ACCESS_VALUES_H
#define GPUCC_TESTS_RANDOM_ACCESS_VALUES_H

#define UNUSED __attribute__((unused))
#define OUT_OF_LINE static __attribute__((noinline))
#define MOST(x, y) ((x) > (y) ? (x) : (y))

/* A value of each type from a byte, exact in it. */
#define FROM_boolean(x) ((boolean)((x) & 1))
#define FROM_int8(x) ((int8)(x))
#define FROM_uint8(x) ((uint8)(x))
#define FROM_int16(x) ((int16)(uint16)((x) * 0x0123))
#define FROM_uint16(x) ((uint16)((x) * 0x0123))
#define FROM_int32(x) ((int32)((uint32)(x) * 0x01234567u))
#define FROM_uint32(x) ((uint32)(x) * 0x01234567u)
#define FROM_int64(x) ((int64)((uint64)(x) * 0x0123456789abcdefull))
#define FROM_uint64(x) ((uint64)(x) * 0x0123456789abcdefull)
#define FROM_int128(x) ((__int128)(((unsigned __int128)FROM_uint64((x) + 1) << 64) | FROM_uint64(x)))
#define FROM_float(x) ((float)(x) * 257)
#define FROM_double(x) ((double)(x) * 16843009)

static UNUSED uint64 mix(uint64 h, uint64 bits)
{
    h = (h ^ bits) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

#define DEFINE_MIX(type, bits)                                                                                         \
    static UNUSED uint64 mix_##type(uint64 h, type value)                                                              \
    {                                                                                                                  \
        bits pattern;                                                                                                  \
        __builtin_memcpy(&pattern, &value, sizeof pattern);                                                            \
        return mix(h, pattern);                                                                                        \
    }
DEFINE_MIX(float16, uint16)
DEFINE_MIX(bfloat16, uint16)
DEFINE_MIX(float, uint32)
DEFINE_MIX(double, uint64)

#define MIX_boolean(h, x) mix(h, (x) ? 1 : 0)
#define MIX_int8(h, x) mix(h, (uint64)(x))
#define MIX_uint8(h, x) mix(h, x)
#define MIX_int16(h, x) mix(h, (uint64)(x))
#define MIX_uint16(h, x) mix(h, x)
#define MIX_int32(h, x) mix(h, (uint64)(x))
#define MIX_uint32(h, x) mix(h, x)
#define MIX_int64(h, x) mix(h, (uint64)(x))
#define MIX_uint64(h, x) mix(h, x)
#define MIX_int128(h, x) mix(mix(h, (uint64)(x)), (uint64)((unsigned __int128)(x) >> 64))
#define MIX_float16(h, x) mix_float16(h, x)
#define MIX_bfloat16(h, x) mix_bfloat16(h, x)
#define MIX_float(h, x) mix_float(h, x)
#define MIX_double(h, x) mix_double(h, x)

enum { BYTES = 16 };

static UNUSED void make_bytes(uint8 *bytes, unsigned from)
{
    for (unsigned i = 0; i < BYTES; i++)
        bytes[i] = (uint8)(from * 167 + i * 59 + (from >> 3));
}

/* Fills a value at any address: a member of a packed struct has no pointer of its type. */
#define FILL(type, place, bytes)                                                                                       \
    {                                                                                                                  \
        type c;                                                                                                        \
        fill_##type(&c, bytes);                                                                                        \
        place = c;                                                                                                     \
    }
#define HASH(type, place)                                                                                              \
    {                                                                                                                  \
        const type c = place;                                                                                          \
        h = hash_##type(h, &c);                                                                                        \
    }

/* Accesses through pointers with less than the type's alignment, or more. */
#define UNALIGNED(type, align)                                                                                         \
    typedef struct __attribute__((packed, aligned(align), may_alias)) {                                                \
        type whole;                                                                                                    \
    } type##_at##align
#define LOAD_AT(type, align, from) (((const type##_at##align *)(from))->whole)
#define STORE_AT(type, align, to, value) (((type##_at##align *)(to))->whole = (value))

#endif
