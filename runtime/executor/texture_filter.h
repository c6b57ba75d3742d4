/* Linear filtering with the bits of NVIDIA's texture units.
 *
 * The CUDA C++ Programming Guide ("Texture Fetching") says that texels are weighed by the fraction of x - 0.5 in fixed
 * point with 8 bits behind the point, and no more.  How weights are rounded and sums are formed was found by sampling
 * textures on an H200, all formats, one to three dimensions, 200,000 samples and more; tests/gpu/gpu_textures.c asks
 * whether a GPU still does so. */
#ifndef GPUCC_RUNTIME_TEXTURE_FILTER_H
#define GPUCC_RUNTIME_TEXTURE_FILTER_H

#include "executor/cpu_texture.h"

enum { WEIGHT_BITS = 8, WEIGHT_ONE = 1 << WEIGHT_BITS, MAX_CORNERS = 8 };

/* A texel that takes part: bit d of its index is set where it is the second along dimension d. */
struct corner {
    const char *texel;
    int weight;   /* in 1/256; all weights of a sample make 1 */
    bool touched; /* it has a weight along each dimension, though their product may have been rounded to 0 */
};

/* Weights of the corners by the second texels' share along x, y, z, in 1/256. */
void texture_weights(int dims, const int share[3], int weights[MAX_CORNERS]);

/* For the float32 nearest to x. */
uint32_t texel_bits(double x);

/* The bits of the float32 that a channel's texels make, which are floating numbers ... */
uint32_t filter_numbers(gpucc_dtype dtype, const struct corner *corners, int count, int channel);
/* ... or integers of 8 and 16 bits, read as numbers from 0, or -1, to 1. */
uint32_t filter_fractions(gpucc_dtype dtype, const struct corner *corners, int count, int channel);

#endif
