/* Samples and the hashes of what functions make of them, as tests/accuracy has both. */
#include <gpucc.h>

#include <arguments.h>
#include <hash.h>

/* All numbers: sample i is the float32 with the bits sample_bits(i). */
kernel
void make_numbers(uint64 first, size_t n, uint32 x[n])
{
    for (size_t i = grid(1); i < n; i += gridsize(1))
        x[i] = sample_bits(first + i);
}

kernel
void make_float32(uint64 first, int position, size_t n, uint32 x[n])
{
    for (size_t i = grid(1); i < n; i += gridsize(1))
        x[i] = (uint32)argument_bits(format_float32, first + i, position);
}

kernel
void make_float64(uint64 first, int position, size_t n, uint64 x[n])
{
    for (size_t i = grid(1); i < n; i += gridsize(1))
        x[i] = argument_bits(format_float64, first + i, position);
}

kernel
void make_int64(uint64 first, size_t n, int64 x[n])
{
    for (size_t i = grid(1); i < n; i += gridsize(1))
        x[i] = argument_int64(first + i);
}

enum { BLOCK = 256 };

/* The sum over the block, once for each block. */
static void add_to_hash(uint64 sum, uint64 *hash)
{
    shared uint64 sums[BLOCK];
    sums[threadIdx.x] = sum;
    syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        syncthreads();
    }
    if (threadIdx.x == 0)
        atomic_add(hash, sums[0]);
}

/* With `numbers`, of make_numbers()' samples. */
kernel launch_bounds(BLOCK)
void hash_4_bytes(uint64 first, boolean numbers, size_t n, const uint32 y[n], uint64 *hash)
{
    uint64 sum = 0;
    for (size_t i = grid(1); i < n; i += gridsize(1))
        sum += hash_of_result(numbers ? sample_bits(first + i) : first + i, y[i]);
    add_to_hash(sum, hash);
}

kernel launch_bounds(BLOCK)
void hash_8_bytes(uint64 first, boolean numbers, size_t n, const uint64 y[n], uint64 *hash)
{
    uint64 sum = 0;
    for (size_t i = grid(1); i < n; i += gridsize(1))
        sum += hash_of_result(numbers ? sample_bits(first + i) : first + i, y[i]);
    add_to_hash(sum, hash);
}
