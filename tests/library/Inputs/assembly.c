#include <gpucc.h>

kernel void f(int *x)
{
    __asm__("mov.u32 %0, 1;" : "=r"(x[0]));
}
