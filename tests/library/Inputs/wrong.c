#include <gpucc.h>

vectorize(float32(float32, float32)) float one(float x)
{
    return x;
}

vectorize() float two(float x)
{
    return x + y;
}
