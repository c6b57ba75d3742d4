// Included by own-headers.c as a CUDA program includes its own headers.
#pragma once
#include <cuda_runtime.h>
#include "numbers.h"

namespace shapes {
constexpr int width = 4;
enum class kind : unsigned char { flat = 3, bent };
struct point { float x, y; point *next; };
using real = float;
__device__ __noinline__ void move(point &at, const point &by) { at.x += by.x; at.y += by.y; }
__device__ inline real scale(real x, real by = 2.0f) { return static_cast<real>(x) * by; }
}
#ifdef __cplusplus
}}} template <typename T> struct hidden { T x; };
#elif !defined(__CUDACC__)
}}} what no compiler of CUDA reads
#else
__device__ inline float twice(float const &x) { return shapes::scale(x); }
#endif
__device__ inline void store(float *to, const int &i, const float &x) { to[i] = x; } // PLACE
