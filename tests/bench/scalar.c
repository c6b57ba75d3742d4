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

#define FUNCTION_1(name, low, high)                                                                                    \
    void scalar_##name(const float *x, float *out, size_t n)                                                           \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++)                                                                                 \
            out[i] = name(x[i]);                                                                                       \
    }
#define FUNCTION_2(name, low, high)                                                                                    \
    void scalar_##name(const float *x, const float *y, float *out, size_t n)                                           \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++)                                                                                 \
            out[i] = name(x[i], y[i]);                                                                                 \
    }
#include <functions_on_cpu.def>
