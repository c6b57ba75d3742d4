/* Operations on the bits of integers, and small ones on numbers. */
#include <gpucc.h>

#define PUT(value)                                                                                                     \
    do {                                                                                                               \
        __auto_type put = (value);                                                                                     \
        __builtin_memcpy(to, &put, sizeof put);                                                                        \
        to += (sizeof put + 3) / 4;                                                                                    \
    } while (0)

kernel
void bits(const uint32 *in, uint32 *out)
{
    const size_t i = grid(1);
    uint32 *to = out + i * 32;
    const uint32 a = in[3 * i] >> in[i] % 32, b = in[3 * i + 1], n = in[3 * i + 2] % 40;
    const uint64 w = ((uint64)b << 32 | in[3 * i]) >> in[i] % 64;
    const uint32 zero = a & ~a;
    PUT(popc(a));
    PUT(popc(w));
    PUT(clz(a));
    PUT(clz((int32)a));
    PUT(clz(w));
    PUT(clz(zero));
    PUT(clz((uint64)zero));
    PUT(ffs(a));
    PUT(ffs(w));
    PUT(ffs(zero));
    PUT(brev(a));
    PUT(brev(w));
    PUT(byte_perm(a, b, in[i]));
    PUT(funnelshift_l(a, b, n));
    PUT(funnelshift_r(a, b, n));
    PUT(funnelshift_lc(a, b, n));
    PUT(funnelshift_rc(a, b, n));
}

kernel
void products(const uint32 *in, uint32 *out)
{
    const size_t i = grid(1);
    uint32 *to = out + i * 32;
    const uint32 a = in[2 * i], b = in[2 * i + 1], c = in[i + 5];
    const uint64 v = (uint64)a << 32 | c, w = (uint64)b << 32 | a;
    PUT(mulhi(a, b));
    PUT(mulhi((int32)a, (int32)b));
    PUT(mulhi(v, w));
    PUT(mulhi((int64)v, (int64)w));
    PUT(mul24(a, b));
    PUT(mul24((int32)a, (int32)b));
    PUT(dp4a(a, b, c));
    PUT(dp4a((int32)a, (int32)b, (int32)c));
    PUT(sad(a, b, c));
    PUT(sad((int32)a, (int32)b, c));
}

/* Integers of 128 bits: quotients, and conversions. */
kernel
void wide(const uint32 *in, uint32 *out)
{
    const size_t i = grid(1);
    uint32 *to = out + i * 32;
    const unsigned __int128 high = (uint64)in[4 * i] << 32 | in[4 * i + 1];
    const unsigned __int128 low = (uint64)in[4 * i + 2] << 32 | in[4 * i + 3];
    const unsigned __int128 x = (high << 64 | low) >> in[i] % 128, y = (low << 64 | high) >> in[i + 1] % 128;
    PUT(x / y);
    PUT((__int128)x % -(__int128)y);
    PUT((double)x);
    PUT((double)(__int128)-x);
    PUT((float)x);
    PUT((float)-(__int128)x);
    PUT((float16)(__int128)(x >> 100));
    PUT((bfloat16)x);
    PUT((bfloat16)(int64)x);
    PUT((__int128)-(double)y);
    PUT((unsigned __int128)(float)y);
}

/* Numbers of any bits but NaN. */
kernel
void reciprocals(const uint32 *in, uint32 *out)
{
    const size_t i = grid(1);
    uint32 *to = out + i * 8;
    float x;
    double y;
    __builtin_memcpy(&x, in + i, sizeof x);
    __builtin_memcpy(&y, in + (i & ~(size_t)1), sizeof y);
    x = x == x ? x : 3.0f;
    y = y == y ? y : 3.0;
    PUT(rcp(x));
    PUT(rcp(y));
    PUT(saturate(x));
    PUT(saturate(y));
    PUT(saturate(x - x == 0 ? x : 0.0f / 0.0f));
}
