/* Poisson's numbers of cuRAND's generators; part of <curand_kernel.h>.  The numbers are this library's own, with the
 * same bits on every device: by products of uniform numbers where few are expected (Knuth), else by transformed
 * rejection (Hoermann, "The transformed rejection method for generating Poisson random variables", 1993). */
#ifndef GPUCC_CURAND_POISSON_H
#define GPUCC_CURAND_POISSON_H

#include <curand_kernel.h>

/* Constants that follow from `lambda` alone. */
typedef struct gpucc_poisson {
    double lambda, log_lambda, a, b, log_inverse_alpha, v;
} gpucc_poisson;

GPUCC_INLINE gpucc_poisson gpucc_poisson_of(double lambda)
{
    const double b = 0.931 + 2.53 * sqrt(lambda);
    return (gpucc_poisson){lambda, log(lambda), -0.059 + 0.02483 * b, b, log(1.1239 + 1.1328 / (b - 3.4)),
                           0.9277 - 3.6224 / (b - 2)};
}

/* The number that two uniform ones stand for; negative: none. */
GPUCC_INLINE double gpucc_poisson_try(gpucc_poisson p, double u, double v)
{
    const double centred = u - 0.5, edge = 0.5 - fabs(centred);
    const double k = floor((2 * p.a / edge + p.b) * centred + p.lambda + 0.43);
    if (edge >= 0.07 && v <= p.v)
        return k;
    if (k < 0 || (edge < 0.013 && v > edge))
        return -1;
    const double drawn = log(v) + p.log_inverse_alpha - log(p.a / (edge * edge) + p.b);
    return drawn <= k * p.log_lambda - p.lambda - lgamma(k + 1) ? k : -1;
}

/* 0 where lambda is no number above 0. */
#define GPUCC_DEFINE_CURAND_POISSON(state_t)                                                                           \
    GPUCC_CURAND unsigned gpucc_curand_poisson_few(state_t *state, double lambda)                                      \
    {                                                                                                                  \
        const double end = exp(-lambda);                                                                               \
        unsigned k = 0;                                                                                                \
        for (double product = curand_uniform(state); product > end; product *= curand_uniform(state))                  \
            k++;                                                                                                       \
        return k;                                                                                                      \
    }                                                                                                                  \
    GPUCC_CURAND unsigned curand_poisson(state_t *state, double lambda)                                                \
    {                                                                                                                  \
        double k = -1;                                                                                                 \
        if (!(lambda >= 10))                                                                                           \
            return lambda > 0 ? gpucc_curand_poisson_few(state, lambda) : 0;                                           \
        if (lambda > 0x1p32)                                                                                           \
            return 0xffffffffu;                                                                                        \
        for (const gpucc_poisson p = gpucc_poisson_of(lambda); k < 0;) {                                               \
            const double u = curand_uniform_double(state);                                                             \
            k = gpucc_poisson_try(p, u, curand_uniform_double(state));                                                 \
        }                                                                                                              \
        return k < 0x1p32 ? (unsigned)k : 0xffffffffu;                                                                 \
    }
GPUCC_DEFINE_CURAND_POISSON(curandStateXORWOW_t)
GPUCC_DEFINE_CURAND_POISSON(curandStateMRG32k3a_t)
GPUCC_DEFINE_CURAND_POISSON(curandStatePhilox4_32_10_t)

GPUCC_CURAND uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda)
{
    uint4 four;
    four.x = curand_poisson(state, lambda);
    four.y = curand_poisson(state, lambda);
    four.z = curand_poisson(state, lambda);
    four.w = curand_poisson(state, lambda);
    return four;
}

#endif
