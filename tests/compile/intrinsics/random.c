// Random numbers against an implementation in Python, the known answers of Random123, and their moments.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: %gpucc run %s known_answers zeros:12:uint32 --grid=1 --block=1 --device=cpu --save out=%t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=KNOWN
// RUN: %gpucc run %s draw_philox 1234567890123 5 zeros:100x5:uint64 zeros:100x5:float32 --grid=2 --block=50 --device=cpu --save words=%t.w.npy --save uniform=%t.u.npy
// RUN: %python %S/Inputs/check_random.py philox 1234567890123 5 %t.w.npy %t.u.npy | FileCheck %s --check-prefix=EXPECTED
// RUN: %gpucc run %s draw_xoroshiro128p 42 5 zeros:100x5:uint64 zeros:100x5:float32 --grid=2 --block=50 --device=cpu --save words=%t.w.npy --save uniform=%t.u.npy
// RUN: %python %S/Inputs/check_random.py xoroshiro128p 42 5 %t.w.npy %t.u.npy | FileCheck %s --check-prefix=EXPECTED
// RUN: %gpucc run %s normal zeros:300000:float32 zeros:300000:float64 --grid=30 --block=100 --device=cpu --save single=%t.s.npy --save twice=%t.d.npy
// RUN: %python %S/Inputs/check_random.py normal %t.s.npy | FileCheck %s --check-prefix=MOMENTS
// RUN: %python %S/Inputs/check_random.py normal %t.d.npy | FileCheck %s --check-prefix=MOMENTS
// RUN: %gpucc run %s offsets zeros:8:uint32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=OFFSETS
// RUN: %python %S/Inputs/jumps.py > %t.jumps
// RUN: grep -c . %t.jumps | FileCheck %s --check-prefix=JUMPS
// RUN: grep -F -f %t.jumps %include/gpucc/random.h | grep -c . | FileCheck %s --check-prefix=JUMPS
// RUN: %cc -std=c17 -Wall -Wextra -Werror -I%include %S/Inputs/random_host.c %lib -o %t.host
// RUN: %t.host | FileCheck %s --check-prefix=HOST
#include <gpucc.h>
#include <gpucc/random.h>

// JUMPS: {{^}}32{{$}}

/* kat_vectors of Random123: philox4x32 with 10 rounds. */
kernel
void known_answers(uint32 *out)
{
    static const uint32 counters[3][4] = {
        {0, 0, 0, 0}, {~0u, ~0u, ~0u, ~0u}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};
    static const uint32 keys[3][2] = {{0, 0}, {~0u, ~0u}, {0xa4093822, 0x299f31d0}};
    for (int i = 0; i < 3; i++) {
        philox_words words = philox_block(counters[i], keys[i]);
        for (int k = 0; k < 4; k++)
            out[4 * i + k] = words.x[k];
    }
}
// 6627e8d5 e169c58d bc57ac4c 9b00dbd8, 408f276d 41c83b0e a20bc7c6 6d5451fd, d16cfe09 94fdcceb 5001e420 24126ea1
// KNOWN: {{^}}1713891541 3781805453 3159862348 2600524760 1083123565 1103641358 2718681030 1834242557 3513581065 2499661035 1342301216 605187745{{$}}

#define DEFINE_DRAW(name, ...)                                                                                         \
    kernel                                                                                                             \
    void draw_##name(uint64 seed, int32 count, uint64 *words, float *uniform)                                          \
    {                                                                                                                  \
        const size_t i = grid(1);                                                                                      \
        __VA_ARGS__;                                                                                                   \
        for (int k = 0; k < count; k++)                                                                                \
            words[i * (size_t)count + (size_t)k] = random_u64(&state);                                                 \
        for (int k = 0; k < count; k++)                                                                                \
            uniform[i * (size_t)count + (size_t)k] = random_uniform_f32(&state);                                       \
    }
DEFINE_DRAW(philox, philox4x32 state = philox_init(seed, i, 0))
DEFINE_DRAW(xoroshiro128p, xoroshiro128p state = xoroshiro128p_init(seed, (uint32)i))
// PTX-LABEL: .visible .entry draw_philox(
// PTX-NOT: .local
// PTX: mul.{{wide|hi}}.u32
// EXPECTED: 100 threads as expected

kernel
void normal(float *single, double *twice)
{
    const size_t i = grid(1);
    philox4x32 philox = philox_init(7, i, 3);
    xoroshiro128p xoroshiro = xoroshiro128p_init(8, (uint32)i);
    for (size_t k = i; k < 300000; k += gridsize(1)) {
        single[k] = random_normal_f32(&philox);
        twice[k] = random_normal_f64(&xoroshiro);
    }
}
// MOMENTS: mean {{-?}}0.00, variance {{0.99|1.00|1.01}}, skewness {{-?0.0[01]}}, kurtosis {{2.9|3.0|3.1}}

/* A stream begun in its middle, and one that passes 2^34 words. */
kernel
void offsets(uint32 *out)
{
    philox4x32 whole = philox_init(1, 2, 0), middle = philox_init(1, 2, 6), far = philox_init(1, 2, (1ull << 34) - 1);
    for (int i = 0; i < 6; i++)
        random_u32(&whole);
    for (int i = 0; i < 4; i++)
        out[i] = random_u32(&whole) == random_u32(&middle);
    random_u32(&far);
    const uint32 counter[4] = {0, 1, 2, 0}, key[2] = {1, 0};
    philox_words words = philox_block(counter, key);
    for (int i = 0; i < 4; i++)
        out[4 + i] = random_u32(&far) == words.x[i];
}
// OFFSETS: first   1 1 1 1 1 1 1 1{{$}}
// HOST: 1000 states, the last as by itself; normal numbers are finite
