#include <gpucc.h>

constant float more[2000];
kernel
void l(float *a)
{
    a[0] = more[threadIdx.x];
}
