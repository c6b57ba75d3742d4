/* SLEEF's functions with AVX2, of one unit in the last place. */
#include "bench.h"

#include <immintrin.h>
#include <sleef.h>

#define FUNCTION_1(name, low, high)                                                                                    \
    void sleef_##name(const float *x, float *out, size_t n)                                                            \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i += 8)                                                                              \
            _mm256_store_ps(out + i, Sleef_##name##8_u10avx2(_mm256_load_ps(x + i)));                                  \
    }
#define FUNCTION_2(name, low, high)                                                                                    \
    void sleef_##name(const float *x, const float *y, float *out, size_t n)                                            \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i += 8)                                                                              \
            _mm256_store_ps(out + i, Sleef_##name##8_u10avx2(_mm256_load_ps(x + i), _mm256_load_ps(y + i)));           \
    }
#include <functions_on_cpu.def>
