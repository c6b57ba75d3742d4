/* rsqrt */
#include "math64.h"

double gpucc_rsqrt(double x)
{
    return 1.0 / __builtin_sqrt(x);
}
