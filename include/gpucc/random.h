/* Random numbers, the same on the GPU, on the CPU and on the host.  Include it by itself.
 *
 *   philox4x32 s = philox_init(seed, stream, offset);       counter-based: a stream for each thread costs nothing
 *   xoroshiro128p s = xoroshiro128p_init(seed, stream);     smaller and faster; streams are 2^64 steps apart
 *   xoroshiro128p_create_states(states, count, seed);       on the host: states[i] is xoroshiro128p_init(seed, i)
 *
 *   random_u32(&s) random_u64(&s)                     uniform integers
 *   random_uniform_f32(&s) random_uniform_f64(&s)     uniform in [0, 1): multiples of 2^-24 and 2^-53
 *   random_normal_f32(&s) random_normal_f64(&s)       normal, mean 0 and variance 1
 *   philox_block(counter, key)                        four words of a counter of four and a key of two, without a state
 *
 * A state belongs to one thread: keep it in a variable while drawing, and store it back to go on later.  `offset`
 * counts 32-bit words of the philox stream that are skipped.
 *
 * Sources: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011 (Philox4x32-10; its
 * counter is {offset / 4, stream}, its key the seed, lower words first).  Blackman and Vigna, "Scrambled linear
 * pseudorandom number generators", 2018 (xoroshiro128+ with 55, 14, 36), seeded by one step of splitmix64 in both
 * words, as Numba does.  Normal numbers: Box and Muller's cosine, of 1 - u, which is never 0.  Numba's float32 are
 * rounded where these are cut off.
 */
#ifndef GPUCC_RANDOM_H
#define GPUCC_RANDOM_H

#include <gpucc.h>
#include <math.h>

/* ---- Philox4x32-10 ---- */

typedef struct gpucc_philox_words {
    uint32_t x[4];
} gpucc_philox_words;

GPUCC_INLINE gpucc_philox_words gpucc_philox_block(const uint32_t counter[4], const uint32_t key[2])
{
    gpucc_philox_words w = {{counter[0], counter[1], counter[2], counter[3]}};
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = (uint64_t)0xd2511f53u * w.x[0], p1 = (uint64_t)0xcd9e8d57u * w.x[2];
        w = (gpucc_philox_words){
            {(uint32_t)(p1 >> 32) ^ w.x[1] ^ k0, (uint32_t)p1, (uint32_t)(p0 >> 32) ^ w.x[3] ^ k1, (uint32_t)p0}};
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return w;
}

typedef struct gpucc_philox4x32 {
    uint64_t seed, stream, offset; /* offset: of the next word */
    gpucc_philox_words words;      /* those of which it is one, unless it is the first */
} gpucc_philox4x32;

GPUCC_INLINE void gpucc_philox_refill(gpucc_philox4x32 *s)
{
    const uint64_t block = s->offset / 4;
    const uint32_t key[2] = {(uint32_t)s->seed, (uint32_t)(s->seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)s->stream,
                                 (uint32_t)(s->stream >> 32)};
    s->words = gpucc_philox_block(counter, key);
}

GPUCC_INLINE gpucc_philox4x32 gpucc_philox_init(uint64_t seed, uint64_t stream, uint64_t offset)
{
    gpucc_philox4x32 s = {seed, stream, offset, {{0}}};
    if (offset % 4 != 0)
        gpucc_philox_refill(&s);
    return s;
}

GPUCC_INLINE uint32_t gpucc_random_u32_philox(gpucc_philox4x32 *s)
{
    const unsigned place = (unsigned)(s->offset % 4);
    if (place == 0)
        gpucc_philox_refill(s);
    s->offset++;
    return place == 0 ? s->words.x[0] : place == 1 ? s->words.x[1] : place == 2 ? s->words.x[2] : s->words.x[3];
}

/* The first word is the lower half. */
GPUCC_INLINE uint64_t gpucc_random_u64_philox(gpucc_philox4x32 *s)
{
    const uint64_t low = gpucc_random_u32_philox(s);
    return (uint64_t)gpucc_random_u32_philox(s) << 32 | low;
}

/* ---- xoroshiro128+ ---- */

typedef struct gpucc_xoroshiro128p {
    uint64_t s0, s1;
} gpucc_xoroshiro128p;

GPUCC_INLINE uint64_t gpucc_rotate_left(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

GPUCC_INLINE uint64_t gpucc_random_u64_xoroshiro128p(gpucc_xoroshiro128p *s)
{
    const uint64_t sum = s->s0 + s->s1, mixed = s->s1 ^ s->s0;
    s->s0 = gpucc_rotate_left(s->s0, 55) ^ mixed ^ mixed << 14;
    s->s1 = gpucc_rotate_left(mixed, 36);
    return sum;
}

/* The upper half: the lowest bits of these sums are the weakest. */
GPUCC_INLINE uint32_t gpucc_random_u32_xoroshiro128p(gpucc_xoroshiro128p *s)
{
    return (uint32_t)(gpucc_random_u64_xoroshiro128p(s) >> 32);
}

/* Polynomials of the jumps by 2^64 * 2^k steps: python3 tests/compile/intrinsics/Inputs/jumps.py */
static const uint64_t gpucc_xoroshiro128p_jumps[32][2] __attribute__((unused)) = {
    {0xbeac0467eba5facb, 0xd86b048b86aa9922},
    {0x9c74e1ec81b738e3, 0x5c1e8b64735a759a},
    {0x43f5a2866ee94ad5, 0xe2ae739d156bf073},
    {0x22ba0d03e2847ffe, 0xcda4db601d9b351e},
    {0x049551ed863b5af2, 0x46d4be289a272b8e},
    {0x030083b6ced91bd9, 0x744b46e3c81ef816},
    {0x5692248c8bfbe5cb, 0xf0092b585aec7455},
    {0x36a241684293dc91, 0x9820a93b2334688e},
    {0xcccfd85960258c75, 0xd40343d148b9a73c},
    {0xe0b8e64c67cda36c, 0x604885cf1a502dc1},
    {0x06613bb41517815a, 0x7c3c379b7760c7b2},
    {0x532e5fbe399401e2, 0x6ff097b789ab954b},
    {0x9183cae7615f4401, 0x72b44d34161f8f66},
    {0x753ca9f03d0813ac, 0xf3fef2e1c669d3fa},
    {0x6c1c2228a741cc65, 0xdadbdf0b53e0655c},
    {0x9f7dfea760163a85, 0xa924dceba7eca3a1},
    {0x4dc4a0e7b85be058, 0x86b536afc98841e9},
    {0x300670f3694d5f98, 0x8c716c5d088c17f7},
    {0xa337622cd896e62a, 0x8f828a095c97c1d5},
    {0x819d0c8851468602, 0x2a5450f370c26c00},
    {0x6cd504d521a829db, 0xdffda9e17564bafb},
    {0x865929dd0cf099f8, 0x32c6c72eece48af3},
    {0x515f0b2922ce1695, 0xc3a44c299a0921df},
    {0x569943bff4992ce6, 0x94a6efd05f6b6749},
    {0xafb35eab3476bee5, 0x293416bf4c9d5cdd},
    {0xafd9fd0d1157af85, 0xfd2dd84585efd63e},
    {0xf716a9b88762474e, 0xce0d2f61c04c6d6b},
    {0x0f902e5a31c4553e, 0xa6d29a735f20608f},
    {0xea5069db9cf80080, 0x1a8a5ec7f21fe5c0},
    {0xc65194821a5c84ee, 0xb5ef80e7e2fe61ef},
    {0x86dac360270567bd, 0xeb4a55ce38f4fa08},
    {0x813808988bf6970e, 0x0d9047a7c66a1c40},
};

GPUCC_INLINE void gpucc_xoroshiro128p_jump(gpucc_xoroshiro128p *s, unsigned k)
{
    gpucc_xoroshiro128p far = {0, 0};
    for (unsigned bit = 0; bit < 128; bit++) {
        const uint64_t taken = -(gpucc_xoroshiro128p_jumps[k][bit / 64] >> bit % 64 & 1);
        far.s0 ^= s->s0 & taken;
        far.s1 ^= s->s1 & taken;
        gpucc_random_u64_xoroshiro128p(s);
    }
    *s = far;
}

GPUCC_INLINE gpucc_xoroshiro128p gpucc_xoroshiro128p_init(uint64_t seed, uint32_t stream)
{
    uint64_t z = seed + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    gpucc_xoroshiro128p s = {z, z};
    for (unsigned k = 0; k < 32; k++)
        if (stream >> k & 1)
            gpucc_xoroshiro128p_jump(&s, k);
    return s;
}

GPUCC_INLINE void gpucc_xoroshiro128p_create_states(gpucc_xoroshiro128p *states, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        states[i] = i ? states[i - 1] : gpucc_xoroshiro128p_init(seed, 0);
        if (i)
            gpucc_xoroshiro128p_jump(&states[i], 0);
    }
}

/* ---- numbers ---- */

#if defined(__GPUCC__)
#define GPUCC_COS_TURN(of, x) cospi##of(2 * (x))
#else
#define GPUCC_COS_TURN(of, x) cos##of(6.28318530717958647692 * (x)) /* a host's library may have no cospi */
#endif

#define GPUCC_DEFINE_RANDOM(generator, state)                                                                          \
    GPUCC_INLINE float gpucc_random_uniform_f32_##generator(state *s)                                                  \
    {                                                                                                                  \
        return (float)(gpucc_random_u32_##generator(s) >> 8) * 0x1p-24f;                                               \
    }                                                                                                                  \
    GPUCC_INLINE double gpucc_random_uniform_f64_##generator(state *s)                                                 \
    {                                                                                                                  \
        return (double)(gpucc_random_u64_##generator(s) >> 11) * 0x1p-53;                                              \
    }                                                                                                                  \
    GPUCC_INLINE float gpucc_random_normal_f32_##generator(state *s)                                                   \
    {                                                                                                                  \
        const float radius = sqrtf(-2 * logf(1 - gpucc_random_uniform_f32_##generator(s)));                            \
        const float turn = gpucc_random_uniform_f32_##generator(s);                                                    \
        return radius * (float)GPUCC_COS_TURN(f, turn);                                                                \
    }                                                                                                                  \
    GPUCC_INLINE double gpucc_random_normal_f64_##generator(state *s)                                                  \
    {                                                                                                                  \
        const double radius = sqrt(-2 * log(1 - gpucc_random_uniform_f64_##generator(s)));                             \
        const double turn = gpucc_random_uniform_f64_##generator(s);                                                   \
        return radius * GPUCC_COS_TURN(, turn);                                                                        \
    }
GPUCC_DEFINE_RANDOM(philox, gpucc_philox4x32)
GPUCC_DEFINE_RANDOM(xoroshiro128p, gpucc_xoroshiro128p)

#define GPUCC_RANDOM(s, function)                                                                                      \
    GPUCC_ONCE(s, _Generic(*gpucc_x, gpucc_philox4x32: function##_philox,                                              \
                           gpucc_xoroshiro128p: function##_xoroshiro128p)(gpucc_x))
#define gpucc_random_u32(s) GPUCC_RANDOM(s, gpucc_random_u32)
#define gpucc_random_u64(s) GPUCC_RANDOM(s, gpucc_random_u64)
#define gpucc_random_uniform_f32(s) GPUCC_RANDOM(s, gpucc_random_uniform_f32)
#define gpucc_random_uniform_f64(s) GPUCC_RANDOM(s, gpucc_random_uniform_f64)
#define gpucc_random_normal_f32(s) GPUCC_RANDOM(s, gpucc_random_normal_f32)
#define gpucc_random_normal_f64(s) GPUCC_RANDOM(s, gpucc_random_normal_f64)

#ifndef GPUCC_NO_SHORT_NAMES
typedef gpucc_philox_words philox_words;
typedef gpucc_philox4x32 philox4x32;
typedef gpucc_xoroshiro128p xoroshiro128p;
#define philox_block(counter, key) gpucc_philox_block(counter, key)
#define philox_init(seed, stream, offset) gpucc_philox_init(seed, stream, offset)
#define xoroshiro128p_init(seed, stream) gpucc_xoroshiro128p_init(seed, stream)
#define xoroshiro128p_create_states(states, count, seed) gpucc_xoroshiro128p_create_states(states, count, seed)
#define random_u32(s) gpucc_random_u32(s)
#define random_u64(s) gpucc_random_u64(s)
#define random_uniform_f32(s) gpucc_random_uniform_f32(s)
#define random_uniform_f64(s) gpucc_random_uniform_f64(s)
#define random_normal_f32(s) gpucc_random_normal_f32(s)
#define random_normal_f64(s) gpucc_random_normal_f64(s)
#endif

#endif
