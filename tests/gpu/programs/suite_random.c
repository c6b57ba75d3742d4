/* Streams of random numbers, normal ones included: the library's functions give the same bits everywhere. */
#include <gpucc.h>
#include <gpucc/random.h>

enum { EACH = 4 };

static void put(uint32 *out, const void *value, size_t words)
{
    __builtin_memcpy(out, value, words * sizeof *out);
}

#define DEFINE_STREAM(name, ...)                                                                                       \
    kernel                                                                                                             \
    void random_##name(const uint32 *in, uint32 *out)                                                                  \
    {                                                                                                                  \
        const size_t i = grid(1), n = gridsize(1);                                                                     \
        const uint64 seed = (uint64)in[0] << 32 | in[1];                                                               \
        __VA_ARGS__;                                                                                                   \
        for (size_t k = 0; k < EACH; k++) {                                                                            \
            const uint64 wide = random_u64(&state);                                                                    \
            const double uniform = random_uniform_f64(&state), normal = random_normal_f64(&state);                     \
            const float narrow[] = {random_uniform_f32(&state), random_normal_f32(&state)};                            \
            uint32 *to = out + (k * n + i) * 8;                                                                        \
            put(to, &wide, 2);                                                                                         \
            put(to + 2, &uniform, 2);                                                                                  \
            put(to + 4, &normal, 2);                                                                                   \
            put(to + 6, narrow, 2);                                                                                    \
        }                                                                                                              \
    }
DEFINE_STREAM(philox, philox4x32 state = philox_init(seed, i * in[2], i * in[3]))
DEFINE_STREAM(xoroshiro128p, xoroshiro128p state = xoroshiro128p_init(seed, (uint32)i * in[2]))
