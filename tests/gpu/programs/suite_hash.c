/* Samples of all float32 numbers and the hash of what a function makes of them, as tests/accuracy has both: the sum of
 * a mixture of each sample's bits and its result's, the same in any order. */
#include <gpucc.h>

static uint64 mix(uint64 x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The bits of sample i: an odd factor, so that 2^32 samples are all numbers. */
static uint32 sample(uint64 i)
{
    return (uint32)i * 2654435761u;
}

kernel
void make_samples(uint64 first, size_t n, uint32 x[n])
{
    for (size_t i = grid(1); i < n; i += gridsize(1))
        x[i] = sample(first + i);
}

kernel
void hash_results(uint64 first, size_t n, const uint32 y[n], uint64 *hash)
{
    uint64 sum = 0;
    for (size_t i = grid(1); i < n; i += gridsize(1))
        sum += mix((uint64)sample(first + i) << 32 ^ mix(y[i]));
    atomic_add(hash, sum);
}
