/* rsqrtf */
#include "mathlib.h"

float gpucc_rsqrtf(float x)
{
    return 1.0f / __builtin_sqrtf(x);
}
