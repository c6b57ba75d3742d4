/* Prints what the toolkit's own curand_kernel.h gives on the host, as curand_reference.txt has it:
 *   nvcc -DQUALIFIERS='static inline __host__ __device__' curand_reference.cu -o reference && ./reference
 * (nvcc 13.0).  Integers and uniform numbers are the device's as well; normal ones are of the host's sinf, cosf, logf. */
#include <curand_kernel.h>
#include <stdio.h>

#define DEVICE static __host__ __device__
#include "curand_draws.h"

int main(void)
{
    static const place places[] = PLACES;
    double out[DRAW_COUNT];
    for (int g = 0; g < 3; g++)
        for (int i = 0; i < PLACE_COUNT; i++) {
            (g == 0 ? draw_xorwow : g == 1 ? draw_mrg : draw_philox)(places[i], out);
            for (int k = 0; k < DRAW_COUNT; k++)
                printf("%.17g%s", out[k], k + 1 == DRAW_COUNT ? "\n" : k % 8 == 7 ? "\n " : " ");
        }
}
