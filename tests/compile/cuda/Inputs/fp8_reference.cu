/* Prints what the toolkit's own cuda_fp8.h gives on the host: nvcc fp8_reference.cu -o reference && ./reference */
#include <cuda_fp8.h>
#include <stdio.h>
#include <string.h>

#define DEVICE static __host__ __device__
#include "fp8_sums.h"

int main(void)
{
    unsigned sums[4] = {0, 0, 0, 0};
    for (unsigned i = 0; i < 65536; i++)
        for (int k = 0; k < 4; k++)
            sums[k] += fp8_sum_of(i, k % 2 ? __NV_SATFINITE : __NV_NOSAT, k / 2 ? __NV_E5M2 : __NV_E4M3);
    printf("%u %u %u %u\n", sums[0], sums[1], sums[2], sums[3]);
}
