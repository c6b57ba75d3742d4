/* Operations on the bits of integers, and small ones on numbers; part of <gpucc.h>.
 *
 *   popc(x) clz(x) ffs(x) brev(x)   for 32 or 64 bits by x's type: the number of set bits, of leading zeros (all, for
 *       0), the lowest set bit's place from 1 (0 for 0), the bits in reverse
 *   byte_perm(x, y, selector)       the bytes of y:x, 0 to 7, that the selector's four nibbles choose
 *   funnelshift_l(low, high, n) funnelshift_r   high:low shifted by n modulo 32: its upper word, its lower word
 *   funnelshift_lc funnelshift_rc   the same by n up to 32; more counts as 32
 *   mulhi(x, y)                     the upper half of the product, 32 or 64 bits, signed or not by the types
 *   mul24(x, y)                     the lower 32 bits of the product of the lower 24 bits
 *   dp4a(x, y, sum)                 sum + the products of the four bytes of x and y, signed or not by their types
 *   sad(x, y, sum)                  sum + |x - y|, 32 bits
 *   rcp(x) saturate(x)              1/x correctly rounded; x clamped to [0, 1], 0 for NaN.  float and double.
 */
#ifndef GPUCC_INTEGER_H
#define GPUCC_INTEGER_H

/* Selects by the operand's width after C's promotions. */
#define GPUCC_BY_WIDTH(x, narrow, wide)                                                                                \
    GPUCC_ONCE_1(x, __builtin_choose_expr(sizeof(gpucc_x + 0) <= 4, narrow((uint32_t)gpucc_x), wide((uint64_t)gpucc_x)))

GPUCC_INLINE int gpucc_clz_32(uint32_t x)
{
    return x ? __builtin_clz(x) : 32;
}

GPUCC_INLINE int gpucc_clz_64(uint64_t x)
{
    return x ? __builtin_clzll(x) : 64;
}

#define GPUCC_FFS_32(x) __builtin_ffs((int)(x))
#define GPUCC_FFS_64(x) __builtin_ffsll((long long)(x))

#if defined(__clang__)
#define GPUCC_BREV_32(x) __builtin_bitreverse32(x)
#define GPUCC_BREV_64(x) __builtin_bitreverse64(x)
#else
GPUCC_INLINE uint64_t gpucc_brev_64(uint64_t x)
{
    x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
    x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(x);
}
#define GPUCC_BREV_32(x) ((uint32_t)(gpucc_brev_64(x) >> 32))
#define GPUCC_BREV_64(x) gpucc_brev_64(x)
#endif

#define gpucc_popc(x) GPUCC_BY_WIDTH(x, __builtin_popcount, __builtin_popcountll)
#define gpucc_clz(x) GPUCC_BY_WIDTH(x, gpucc_clz_32, gpucc_clz_64)
#define gpucc_ffs(x) GPUCC_BY_WIDTH(x, GPUCC_FFS_32, GPUCC_FFS_64)
#define gpucc_brev(x) GPUCC_BY_WIDTH(x, GPUCC_BREV_32, GPUCC_BREV_64)

/* ---- words ---- */

#if defined(__NVPTX__)

/* The top bit of a selector nibble would replicate the sign. */
#define gpucc_byte_perm(x, y, selector) __nvvm_prmt(x, y, (selector) & 0x7777u)

#define GPUCC_DEFINE_FUNNEL(name, instruction)                                                                         \
    GPUCC_INLINE uint32_t gpucc_funnelshift_##name(uint32_t low, uint32_t high, uint32_t n)                            \
    {                                                                                                                  \
        uint32_t result;                                                                                               \
        __asm__(instruction " %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(n));                          \
        return result;                                                                                                 \
    }
GPUCC_DEFINE_FUNNEL(l, "shf.l.wrap.b32")
GPUCC_DEFINE_FUNNEL(r, "shf.r.wrap.b32")
GPUCC_DEFINE_FUNNEL(lc, "shf.l.clamp.b32")
GPUCC_DEFINE_FUNNEL(rc, "shf.r.clamp.b32")

#define GPUCC_SAD_SIGNED(x, y, sum) ((uint32_t)__nvvm_sad_i(x, y, (int32_t)(sum)))
#define GPUCC_SAD_UNSIGNED(x, y, sum) __nvvm_sad_ui(x, y, sum)
#define GPUCC_MUL24_SIGNED(x, y) __nvvm_mul24_i(x, y)
#define GPUCC_MUL24_UNSIGNED(x, y) __nvvm_mul24_ui(x, y)

#else

GPUCC_INLINE uint32_t gpucc_byte_perm(uint32_t x, uint32_t y, uint32_t selector)
{
    uint64_t bytes = (uint64_t)y << 32 | x;
    uint32_t result = 0;
    for (int i = 0; i < 4; i++)
        result |= (uint32_t)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return result;
}

GPUCC_INLINE uint32_t gpucc_funnelshift_lc(uint32_t low, uint32_t high, uint32_t n)
{
    return (uint32_t)((((uint64_t)high << 32 | low) << (n < 32 ? n : 32)) >> 32);
}

GPUCC_INLINE uint32_t gpucc_funnelshift_rc(uint32_t low, uint32_t high, uint32_t n)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> (n < 32 ? n : 32));
}

#define gpucc_funnelshift_l(low, high, n) gpucc_funnelshift_lc(low, high, (n) & 31)
#define gpucc_funnelshift_r(low, high, n) gpucc_funnelshift_rc(low, high, (n) & 31)

GPUCC_INLINE uint32_t gpucc_sad_signed(int32_t x, int32_t y, uint32_t sum)
{
    return sum + (x > y ? (uint32_t)x - (uint32_t)y : (uint32_t)y - (uint32_t)x);
}

GPUCC_INLINE uint32_t gpucc_sad_unsigned(uint32_t x, uint32_t y, uint32_t sum)
{
    return sum + (x > y ? x - y : y - x);
}

/* The lower 24 bits with their sign; the product's lower 32 bits are the same for both kinds of numbers but
 * for that. */
GPUCC_INLINE uint32_t gpucc_low24_signed(uint32_t x)
{
    return ((x & 0xffffff) ^ 0x800000) - 0x800000;
}

#define GPUCC_SAD_SIGNED(x, y, sum) gpucc_sad_signed(x, y, sum)
#define GPUCC_SAD_UNSIGNED(x, y, sum) gpucc_sad_unsigned(x, y, sum)
#define GPUCC_MUL24_SIGNED(x, y) ((int32_t)(gpucc_low24_signed((uint32_t)(x)) * gpucc_low24_signed((uint32_t)(y))))
#define GPUCC_MUL24_UNSIGNED(x, y) ((uint32_t)((x) & 0xffffffu) * (uint32_t)((y) & 0xffffffu))

#endif

#if defined(__NVPTX__) && __CUDA_ARCH__ >= 610

GPUCC_INLINE int32_t gpucc_dp4a_signed(int32_t x, int32_t y, int32_t sum)
{
    __asm__("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(x), "r"(y));
    return sum;
}

GPUCC_INLINE uint32_t gpucc_dp4a_unsigned(uint32_t x, uint32_t y, uint32_t sum)
{
    __asm__("dp4a.u32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(x), "r"(y));
    return sum;
}

#else

GPUCC_INLINE int32_t gpucc_dp4a_signed(int32_t x, int32_t y, int32_t sum)
{
    uint32_t result = (uint32_t)sum;
    for (int i = 0; i < 32; i += 8)
        result += (uint32_t)((int8_t)(x >> i) * (int8_t)(y >> i));
    return (int32_t)result;
}

GPUCC_INLINE uint32_t gpucc_dp4a_unsigned(uint32_t x, uint32_t y, uint32_t sum)
{
    for (int i = 0; i < 32; i += 8)
        sum += (uint32_t)(uint8_t)(x >> i) * (uint8_t)(y >> i);
    return sum;
}

#endif

/* Selects by the signedness of x + y. */
#define GPUCC_BY_SIGN(of_signed, of_unsigned) _Generic(gpucc_x + gpucc_y, int32_t: of_signed, uint32_t: of_unsigned)
#define gpucc_mul24(x, y)                                                                                              \
    GPUCC_ONCE_2(x, y, GPUCC_BY_SIGN(GPUCC_MUL24_SIGNED(gpucc_x, gpucc_y), GPUCC_MUL24_UNSIGNED(gpucc_x, gpucc_y)))
#define gpucc_dp4a(x, y, sum)                                                                                          \
    GPUCC_ONCE_3(x, y, sum,                                                                                            \
                 GPUCC_BY_SIGN(gpucc_dp4a_signed((int32_t)gpucc_x, (int32_t)gpucc_y, (int32_t)gpucc_z),                \
                               gpucc_dp4a_unsigned((uint32_t)gpucc_x, (uint32_t)gpucc_y, (uint32_t)gpucc_z)))
#define gpucc_sad(x, y, sum)                                                                                           \
    GPUCC_ONCE_3(x, y, sum,                                                                                            \
                 GPUCC_BY_SIGN(GPUCC_SAD_SIGNED((int32_t)gpucc_x, (int32_t)gpucc_y, (uint32_t)gpucc_z),                \
                               GPUCC_SAD_UNSIGNED((uint32_t)gpucc_x, (uint32_t)gpucc_y, (uint32_t)gpucc_z)))

#define GPUCC_MULHI(wide, half, bits) ((half)((wide)(half)gpucc_x * (half)gpucc_y >> bits))
__extension__ typedef __int128 gpucc_int128;
__extension__ typedef unsigned __int128 gpucc_uint128;
#define GPUCC_MULHI_BY_TYPE                                                                                            \
    _Generic(gpucc_x + gpucc_y, int32_t: GPUCC_MULHI(int64_t, int32_t, 32),                                            \
             uint32_t: GPUCC_MULHI(uint64_t, uint32_t, 32), long: GPUCC_MULHI(gpucc_int128, long, 64),                 \
             long long: GPUCC_MULHI(gpucc_int128, long long, 64),                                                      \
             unsigned long: GPUCC_MULHI(gpucc_uint128, unsigned long, 64),                                             \
             unsigned long long: GPUCC_MULHI(gpucc_uint128, unsigned long long, 64))
#define gpucc_mulhi(x, y) GPUCC_ONCE_2(x, y, GPUCC_MULHI_BY_TYPE)

/* ---- numbers ---- */

GPUCC_INLINE float gpucc_saturate_f32(float x)
{
    return x > 0 ? x < 1 ? x : 1 : 0;
}

GPUCC_INLINE double gpucc_saturate_f64(double x)
{
    return x > 0 ? x < 1 ? x : 1 : 0;
}

#define gpucc_saturate(x)                                                                                              \
    GPUCC_ONCE_1(x, _Generic(gpucc_x, float: gpucc_saturate_f32, default: gpucc_saturate_f64)(gpucc_x))
#define gpucc_rcp(x) GPUCC_ONCE_1(x, _Generic(gpucc_x, float: 1.0f, default: 1.0) / gpucc_x)

#ifndef GPUCC_NO_SHORT_NAMES
#define popc(x) gpucc_popc(x)
#define clz(x) gpucc_clz(x)
#define ffs(x) gpucc_ffs(x)
#define brev(x) gpucc_brev(x)
#define byte_perm(x, y, selector) gpucc_byte_perm(x, y, selector)
#define funnelshift_l(low, high, n) gpucc_funnelshift_l(low, high, n)
#define funnelshift_r(low, high, n) gpucc_funnelshift_r(low, high, n)
#define funnelshift_lc(low, high, n) gpucc_funnelshift_lc(low, high, n)
#define funnelshift_rc(low, high, n) gpucc_funnelshift_rc(low, high, n)
#define mulhi(x, y) gpucc_mulhi(x, y)
#define mul24(x, y) gpucc_mul24(x, y)
#define dp4a(x, y, sum) gpucc_dp4a(x, y, sum)
#define sad(x, y, sum) gpucc_sad(x, y, sum)
#define rcp(x) gpucc_rcp(x)
#define saturate(x) gpucc_saturate(x)
#endif

#endif
