/* Compiled so that every call stays one: no vectors, no sincosf. */
#include "bench.h"

#include <math.h>

void scalar_trig(const float *x, float *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float c = cosf(x[i]), s = sinf(x[i]);
        out[i] = c * c + s * s;
    }
}
