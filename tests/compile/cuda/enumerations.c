// Scoped enumerations, and numeric_limits.
// RUN: %gpucc %s -o %t.ptx -o %t.o
// RUN: %gpucc run %s colors zeros:8:float32 --grid=1 --block=1 --device=cpu | FileCheck %s
// RUN: %gpucc run %s limits zeros:12:float64 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=LIMITS
// RUN: %exits 1 %gpucc -DWRONG %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
#include <cuda_runtime.h>
#include <limits>

enum class Color { red = 3, green, blue = 7 };
namespace lib {
enum class Width : unsigned char { one, two, three };
enum Plain { left, right };
struct dot { Width width; Color color; };
}
enum class Signed : int { below = -1, above = 1 };

__device__ Color next(Color color) { return color == Color::red ? Color::green : Color::blue; }

__global__ void colors(float *out)
{
    lib::dot dot{lib::Width::three, Color::blue};
    out[0] = sizeof dot.width + 10 * static_cast<int>(dot.width) + 100 * (int)dot.color;
    switch (next(next(Color::red))) {
    case Color::green: out[1] = 1; break;
    case Color::blue: out[1] = 2; break;
    default: out[1] = 3;
    }
    out[2] = lib::Plain::right + 10 * lib::right;
    out[3] = Signed::below < Signed::above ? (int)Signed::below : 5;
}
// CHECK: first 721 2 11 -1

typedef unsigned char byte;
#define LARGE std::numeric_limits<float>::max()
__global__ void limits(double *out)
{
    const float least = std::numeric_limits<float>::lowest(), most = LARGE;
    out[0] = std::numeric_limits<int>::max();
    out[1] = std::numeric_limits<int>::min();
    out[2] = std::numeric_limits<byte>::max() + numeric_limits<int16_t>::lowest();
    out[3] = least == -most ? 0 : 1;
    out[4] = most == FLT_MAX && std::numeric_limits<float>::min() == FLT_MIN;
    out[5] = std::numeric_limits<double>::infinity();
    out[6] = std::numeric_limits<float>::epsilon() == FLT_EPSILON;
    out[7] = isnan(std::numeric_limits<double>::quiet_NaN()) + sizeof(std::numeric_limits<int8_t>::max());
    out[8] = std::numeric_limits<unsigned int>::max();
    out[9] = std::numeric_limits<long long>::min() + std::numeric_limits<unsigned>::infinity();
}
// LIMITS: {{^}}2147483647 -2147483648 -32513 0 1 inf 1 2 4294967295 -9223372036854775808 0 0{{$}}

#ifdef WRONG
// WRONG: enumerations.c:[[#@LINE+1]]:70: error: no member named 'above' in namespace 'Color'
__device__ int misnamed(void) { return (int)Color::red + (int)Color::above; }
__global__ void wrong(int *x) { x[0] = misnamed(); }
#endif
