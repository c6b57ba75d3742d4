#include <gpucc.h>

identity(0) reorderable vectorize(float32(float32, float32))
float add(float x, float y)
{
    return x + y;
}
