/* The same work over one, two and three dimensions of one block of threads. */
#include <gpucc.h>

kernel
void doublify_1d(float *a)
{
    a[threadIdx.x] *= 2;
}

kernel
void doublify_2d(float a[4][4])
{
    dim2 at = grid(2);
    a[at.y][at.x] *= 2;
}

kernel
void doublify_3d(float a[4][4][4])
{
    dim3 at = grid(3);
    a[at.z][at.y][at.x] *= 2;
}
