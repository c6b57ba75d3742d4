#include <gpucc.h>
#include <math.h>

/* cos²x + sin²x: one, whatever x is. */
vectorize(float32(float32))
float trig(float x)
{
    return cosf(x) * cosf(x) + sinf(x) * sinf(x);
}
