/* cuRAND's generators in kernels, with cuRAND's own numbers: XORWOW (Marsaglia, "Xorshift RNGs", 2003), MRG32k3a
 * (L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators", 1999) and
 * Philox4_32_10 (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011).  Integers and uniform numbers
 * are cuRAND's to the bit; normal ones are made of the same integers by this library's sinf, cosf and logf, where
 * cuRAND takes the GPU's approximations.  Each call takes the function for its state. */
#ifndef GPUCC_CURAND_KERNEL_H
#define GPUCC_CURAND_KERNEL_H

#include <gpucc/cuda.h>
#include <gpucc/random.h>
#include <curand_jumps.h>

#define GPUCC_CURAND static inline __attribute__((unused)) GPUCC_OVERLOADABLE

/* The second of two normal numbers waits in the state for the next call that asks for one of its kind. */
enum { GPUCC_CURAND_NORMAL = 1, GPUCC_CURAND_LOG_NORMAL = 2 };

/* ---- XORWOW ---- */

typedef struct curandStateXORWOW {
    unsigned d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStateXORWOW_t, curandStateXORWOW, curandState_t, curandState;

GPUCC_INLINE void gpucc_xorwow_shift(unsigned v[5])
{
    const unsigned t = v[0] ^ v[0] >> 2, last = v[4];
    for (int i = 0; i < 4; i++)
        v[i] = v[i + 1];
    v[4] = last ^ last << 4 ^ t ^ t << 1;
}

GPUCC_CURAND unsigned curand(curandStateXORWOW_t *state)
{
    gpucc_xorwow_shift(state->v);
    state->d += 362437;
    return state->v[4] + state->d;
}

/* By n times 2^first steps. */
static inline void gpucc_xorwow_jump(unsigned v[5], unsigned long long n, unsigned first)
{
    for (unsigned j = first; n; n >>= 1, j++) {
        unsigned far[5] = {0};
        if (!(n & 1))
            continue;
        for (unsigned bit = 0; bit < 160; bit++) {
            const unsigned taken = -(gpucc_xorwow_jumps[j][bit / 32] >> bit % 32 & 1);
            for (int i = 0; i < 5; i++)
                far[i] ^= v[i] & taken;
            gpucc_xorwow_shift(v);
        }
        for (int i = 0; i < 5; i++)
            v[i] = far[i];
    }
}

GPUCC_CURAND void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
    gpucc_xorwow_jump(state->v, n, 0);
    state->d += 362437 * (unsigned)n;
}

/* By n times 2^67, after which d is the same. */
GPUCC_CURAND void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
    gpucc_xorwow_jump(state->v, n, 67);
}

GPUCC_CURAND void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                              curandStateXORWOW_t *state)
{
    const unsigned low = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
    const unsigned high = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
    *state = (curandStateXORWOW_t){
        .d = 6615241 + high + low,
        .v = {123456789 + low, 362436069 ^ low, 521288629 + high, 88675123 ^ high, 5783321 + low}};
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

/* ---- MRG32k3a ---- */

typedef struct curandStateMRG32k3a {
    unsigned s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStateMRG32k3a_t, curandStateMRG32k3a;

/* x modulo 2^32 - c, for c below 2^15: 2^32 is c there. */
GPUCC_INLINE unsigned gpucc_mrg32k3a_modulo(unsigned long long x, unsigned c)
{
    x = (x >> 32) * c + (unsigned)x;
    x = (x >> 32) * c + (unsigned)x;
    return (unsigned)(x >= (1ull << 32) - c ? x - ((1ull << 32) - c) : x);
}

/* sum = sum + x y */
GPUCC_INLINE unsigned gpucc_mrg32k3a_add(unsigned sum, unsigned x, unsigned y, unsigned c)
{
    return gpucc_mrg32k3a_modulo((unsigned long long)x * y + sum, c);
}

/* 1 ... 2^32 - 209 */
GPUCC_CURAND double curand_MRG32k3a(curandStateMRG32k3a_t *state)
{
    const unsigned m1 = 4294967087u, m2 = 4294944443u;
    const unsigned p = gpucc_mrg32k3a_add(gpucc_mrg32k3a_add(0, 810728u, m1 - state->s1[0], 209), 1403580u,
                                          state->s1[1], 209);
    const unsigned q = gpucc_mrg32k3a_add(gpucc_mrg32k3a_add(0, 1370589u, m2 - state->s2[0], 22853), 527612u,
                                          state->s2[2], 22853);
    for (int i = 0; i < 2; i++) {
        state->s1[i] = state->s1[i + 1];
        state->s2[i] = state->s2[i + 1];
    }
    state->s1[2] = p;
    state->s2[2] = q;
    return p <= q ? (double)(p - q + m1) : (double)(p - q);
}

/* Spread over 32 bits by cuRAND's factor. */
GPUCC_CURAND unsigned curand(curandStateMRG32k3a_t *state)
{
    return (unsigned)(curand_MRG32k3a(state) * 1.000000048662);
}

GPUCC_INLINE void gpucc_mrg32k3a_apply(const unsigned by[3][3], unsigned s[3], unsigned c)
{
    const unsigned before[3] = {s[0], s[1], s[2]};
    for (int i = 0; i < 3; i++) {
        s[i] = 0;
        for (int k = 0; k < 3; k++)
            s[i] = gpucc_mrg32k3a_add(s[i], by[i][k], before[k], c);
    }
}

GPUCC_INLINE void gpucc_mrg32k3a_square(unsigned by[3][3], unsigned c)
{
    unsigned columns[3][3];
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++)
            columns[j][i] = by[i][j];
        gpucc_mrg32k3a_apply(by, columns[j], c);
    }
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            by[i][j] = columns[j][i];
}

/* By n times 1, 2^76 or 2^127 steps. */
static inline void gpucc_mrg32k3a_jump(curandStateMRG32k3a_t *state, unsigned long long n, int which)
{
    unsigned by1[3][3], by2[3][3];
    for (int i = 0; i < 9; i++) {
        by1[i / 3][i % 3] = gpucc_mrg32k3a_jumps[0][which][i / 3][i % 3];
        by2[i / 3][i % 3] = gpucc_mrg32k3a_jumps[1][which][i / 3][i % 3];
    }
    for (; n; n >>= 1) {
        if (n & 1) {
            gpucc_mrg32k3a_apply(by1, state->s1, 209);
            gpucc_mrg32k3a_apply(by2, state->s2, 22853);
        }
        gpucc_mrg32k3a_square(by1, 209);
        gpucc_mrg32k3a_square(by2, 22853);
    }
}

GPUCC_CURAND void skipahead(unsigned long long n, curandStateMRG32k3a_t *state)
{
    gpucc_mrg32k3a_jump(state, n, 0);
}

GPUCC_CURAND void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
    gpucc_mrg32k3a_jump(state, n, 1);
}

GPUCC_CURAND void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
    gpucc_mrg32k3a_jump(state, n, 2);
}

GPUCC_CURAND void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                              curandStateMRG32k3a_t *state)
{
    const unsigned x[2] = {(unsigned)seed ^ 0x55555555u, (unsigned)(seed >> 32) ^ 0xaaaaaaaau};
    *state = (curandStateMRG32k3a_t){.s1 = {12345, 12345, 12345}, .s2 = {12345, 12345, 12345}};
    for (int i = 0; seed && i < 3; i++) {
        state->s1[i] = gpucc_mrg32k3a_add(0, x[i % 2], 12345, 209);
        state->s2[i] = gpucc_mrg32k3a_add(0, x[(i + 1) % 2], 12345, 22853);
    }
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
}

/* ---- Philox4_32_10 ---- */

typedef struct curandStatePhilox4_32_10 {
    uint4 ctr, output; /* of the four words of which output[STATE] is the next; the words */
    uint2 key;
    unsigned STATE;
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStatePhilox4_32_10_t, curandStatePhilox4_32_10;

GPUCC_CURAND uint4 curand_Philox4x32_10(uint4 ctr, uint2 key)
{
    const uint32_t words[4] = {ctr.x, ctr.y, ctr.z, ctr.w}, keys[2] = {key.x, key.y};
    const gpucc_philox_words made = gpucc_philox_block(words, keys);
    return (uint4){made.x[0], made.x[1], made.x[2], made.x[3]};
}

/* The counter is a number of 128 bits to which n, and n times 2^64, are added. */
GPUCC_INLINE void gpucc_curand_philox_move(curandStatePhilox4_32_10_t *state, unsigned long long n,
                                           unsigned long long high)
{
    const unsigned long long before = (unsigned long long)state->ctr.y << 32 | state->ctr.x, low = before + n;
    high += ((unsigned long long)state->ctr.w << 32 | state->ctr.z) + (low < before);
    state->ctr = (uint4){(unsigned)low, (unsigned)(low >> 32), (unsigned)high, (unsigned)(high >> 32)};
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

GPUCC_CURAND unsigned curand(curandStatePhilox4_32_10_t *state)
{
    const uint4 o = state->output;
    const unsigned place = state->STATE++, word = place == 0 ? o.x : place == 1 ? o.y : place == 2 ? o.z : o.w;
    if (place == 3) {
        state->STATE = 0;
        gpucc_curand_philox_move(state, 1, 0);
    }
    return word;
}

GPUCC_CURAND uint4 curand4(curandStatePhilox4_32_10_t *state)
{
    const uint4 a = state->output;
    gpucc_curand_philox_move(state, 1, 0);
    const uint4 b = state->output;
    switch (state->STATE) {
    case 1: return (uint4){a.y, a.z, a.w, b.x};
    case 2: return (uint4){a.z, a.w, b.x, b.y};
    case 3: return (uint4){a.w, b.x, b.y, b.z};
    default: return a;
    }
}

GPUCC_CURAND void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    const unsigned place = state->STATE + (unsigned)(n & 3);
    state->STATE = place & 3;
    gpucc_curand_philox_move(state, n / 4 + place / 4, 0);
}

GPUCC_CURAND void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    gpucc_curand_philox_move(state, 0, n);
}

GPUCC_CURAND void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                              curandStatePhilox4_32_10_t *state)
{
    *state = (curandStatePhilox4_32_10_t){.key = {(unsigned)seed, (unsigned)(seed >> 32)}};
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

/* ---- uniform numbers, in (0, 1] ---- */

GPUCC_INLINE float gpucc_curand_uniform(unsigned x)
{
    return (float)x * 0x1p-32f + 0x1p-33f;
}

GPUCC_INLINE double gpucc_curand_uniform_double(unsigned x, unsigned y)
{
    return (double)(x ^ (unsigned long long)y << 21) * 0x1p-53 + 0x1p-54;
}

GPUCC_CURAND float curand_uniform(curandStateXORWOW_t *state)
{
    return gpucc_curand_uniform(curand(state));
}

GPUCC_CURAND float curand_uniform(curandStatePhilox4_32_10_t *state)
{
    return gpucc_curand_uniform(curand(state));
}

GPUCC_CURAND double curand_uniform_double(curandStateMRG32k3a_t *state)
{
    return curand_MRG32k3a(state) * 2.3283065498378288e-10;
}

GPUCC_CURAND float curand_uniform(curandStateMRG32k3a_t *state)
{
    return (float)curand_uniform_double(state);
}

GPUCC_CURAND double curand_uniform_double(curandStateXORWOW_t *state)
{
    const unsigned x = curand(state);
    return gpucc_curand_uniform_double(x, curand(state));
}

/* This generator's double has only 32 random bits. */
GPUCC_CURAND double curand_uniform_double(curandStatePhilox4_32_10_t *state)
{
    return curand(state) * 0x1p-32 + 0x1p-32;
}

GPUCC_CURAND float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
    const uint4 x = curand4(state);
    return (float4){gpucc_curand_uniform(x.x), gpucc_curand_uniform(x.y), gpucc_curand_uniform(x.z),
                    gpucc_curand_uniform(x.w)};
}

GPUCC_CURAND double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
    const uint4 x = curand4(state);
    return (double2){gpucc_curand_uniform_double(x.x, x.y), gpucc_curand_uniform_double(x.z, x.w)};
}

GPUCC_CURAND double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state)
{
    const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
    return (double4){a.x, a.y, b.x, b.y};
}

/* ---- normal numbers, two at a time (Box and Muller): the sine's comes first ---- */

GPUCC_INLINE float2 gpucc_curand_polar(float u, float angle)
{
    const float radius = sqrtf(-2 * logf(u));
    return (float2){sinf(angle) * radius, cosf(angle) * radius};
}

/* The turn in halves. */
GPUCC_INLINE double2 gpucc_curand_polar_double(double u, double turn)
{
    const double radius = sqrt(-2 * log(u));
    return (double2){sinpi(turn) * radius, cospi(turn) * radius};
}

GPUCC_INLINE float2 gpucc_curand_normal_of(unsigned x, unsigned y)
{
    const float turn = 0x1p-32f * 6.2831855f; /* cuRAND's 2 pi */
    return gpucc_curand_polar(gpucc_curand_uniform(x), (float)y * turn + turn / 2);
}

GPUCC_INLINE double2 gpucc_curand_normal_double_of(unsigned x0, unsigned x1, unsigned y0, unsigned y1)
{
    return gpucc_curand_polar_double(gpucc_curand_uniform_double(x0, x1), 2 * gpucc_curand_uniform_double(y0, y1));
}

GPUCC_CURAND float2 curand_normal2(curandStateXORWOW_t *state)
{
    const unsigned x = curand(state);
    return gpucc_curand_normal_of(x, curand(state));
}

GPUCC_CURAND float2 curand_normal2(curandStatePhilox4_32_10_t *state)
{
    const unsigned x = curand(state);
    return gpucc_curand_normal_of(x, curand(state));
}

GPUCC_CURAND float2 curand_normal2(curandStateMRG32k3a_t *state)
{
    const float u = curand_uniform(state);
    return gpucc_curand_polar(u, curand_uniform(state) * 6.2831855f);
}

GPUCC_CURAND double2 curand_normal2_double(curandStateXORWOW_t *state)
{
    const unsigned x0 = curand(state), x1 = curand(state), y0 = curand(state);
    return gpucc_curand_normal_double_of(x0, x1, y0, curand(state));
}

GPUCC_CURAND double2 curand_normal2_double(curandStatePhilox4_32_10_t *state)
{
    const uint4 x = curand4(state);
    return gpucc_curand_normal_double_of(x.x, x.y, x.z, x.w);
}

GPUCC_CURAND double2 curand_normal2_double(curandStateMRG32k3a_t *state)
{
    const double u = curand_uniform_double(state);
    return gpucc_curand_polar_double(u, 2 * curand_uniform_double(state));
}

GPUCC_CURAND float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
    const uint4 x = curand4(state);
    const float2 a = gpucc_curand_normal_of(x.x, x.y), b = gpucc_curand_normal_of(x.z, x.w);
    return (float4){a.x, a.y, b.x, b.y};
}

GPUCC_CURAND double4 curand_normal4_double(curandStatePhilox4_32_10_t *state)
{
    const double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
    return (double4){a.x, a.y, b.x, b.y};
}

/* One normal number and one log-normal one, of two; and two log-normal ones. */
#define GPUCC_DEFINE_CURAND_NORMAL(state_t, type, type2, suffix, exp)                                                  \
    GPUCC_CURAND type curand_normal##suffix(state_t *state)                                                            \
    {                                                                                                                  \
        if (state->boxmuller_flag##suffix == GPUCC_CURAND_NORMAL) {                                                    \
            state->boxmuller_flag##suffix = 0;                                                                         \
            return state->boxmuller_extra##suffix;                                                                     \
        }                                                                                                              \
        const type2 both = curand_normal2##suffix(state);                                                              \
        state->boxmuller_extra##suffix = both.y;                                                                       \
        state->boxmuller_flag##suffix = GPUCC_CURAND_NORMAL;                                                           \
        return both.x;                                                                                                 \
    }                                                                                                                  \
    GPUCC_CURAND type2 curand_log_normal2##suffix(state_t *state, type mean, type deviation)                           \
    {                                                                                                                  \
        const type2 both = curand_normal2##suffix(state);                                                              \
        return (type2){exp(mean + deviation * both.x), exp(mean + deviation * both.y)};                                \
    }                                                                                                                  \
    GPUCC_CURAND type curand_log_normal##suffix(state_t *state, type mean, type deviation)                             \
    {                                                                                                                  \
        if (state->boxmuller_flag##suffix == GPUCC_CURAND_LOG_NORMAL) {                                                \
            state->boxmuller_flag##suffix = 0;                                                                         \
            return state->boxmuller_extra##suffix;                                                                     \
        }                                                                                                              \
        const type2 both = curand_log_normal2##suffix(state, mean, deviation);                                         \
        state->boxmuller_extra##suffix = both.y;                                                                       \
        state->boxmuller_flag##suffix = GPUCC_CURAND_LOG_NORMAL;                                                       \
        return both.x;                                                                                                 \
    }
GPUCC_DEFINE_CURAND_NORMAL(curandStateXORWOW_t, float, float2, , expf)
GPUCC_DEFINE_CURAND_NORMAL(curandStateXORWOW_t, double, double2, _double, exp)
GPUCC_DEFINE_CURAND_NORMAL(curandStateMRG32k3a_t, float, float2, , expf)
GPUCC_DEFINE_CURAND_NORMAL(curandStateMRG32k3a_t, double, double2, _double, exp)
GPUCC_DEFINE_CURAND_NORMAL(curandStatePhilox4_32_10_t, float, float2, , expf)
GPUCC_DEFINE_CURAND_NORMAL(curandStatePhilox4_32_10_t, double, double2, _double, exp)

GPUCC_CURAND float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float deviation)
{
    const float4 v = curand_normal4(state);
    return (float4){expf(mean + deviation * v.x), expf(mean + deviation * v.y), expf(mean + deviation * v.z),
                    expf(mean + deviation * v.w)};
}

GPUCC_CURAND double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *state, double mean, double deviation)
{
    const double4 v = curand_normal4_double(state);
    return (double4){exp(mean + deviation * v.x), exp(mean + deviation * v.y), exp(mean + deviation * v.z),
                     exp(mean + deviation * v.w)};
}

#include <curand_poisson.h>

#endif
