// C++ that C can spell: names of headers, namespaces, casts by name, aliases, `constexpr`, `auto`, tags.
// RUN: %gpucc %s -o %t.ptx -o %t.o
// RUN: %gpucc run %s words zeros:12:float32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=WORDS
// RUN: %gpucc run %s casts 2.75 zeros:12:float32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=CASTS
// RUN: %gpucc run %s conversions 2.75 3 zeros:8:float32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=CONVERSIONS
// RUN: %gpucc run %s tags zeros:4:float32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=TAGS
// RUN: %gpucc run %s placed zeros:2:float32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=PLACED
// RUN: %exits 1 %gpucc -DWRONG %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
#include <algorithm>
#include <cfloat>
#include <cinttypes>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <utility>

using namespace std;
using std::size_t;

namespace sizes {
constexpr int width = 4;
namespace inner { typedef float number; __constant__ float weights[width] = {1, 2, 3, 4}; }
}
namespace s = sizes;
namespace { __device__ float half_of(float x) { return x / 2; } }

using real = float;
using words_t = unsigned long long;
using pointer = float *;
using index_t = std::uint32_t;
using function = real (*)(const float *, std::size_t);
using four = sizes::inner::number[4];

enum { last_one = 7 };
__device__ int word_of_one(void) { return 7; }

__device__ real sum_of(const float *x, size_t n)
{
    real sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

__global__ void words(pointer out)
{
    constexpr int n = sizes::width * 2;
    __shared__ real row[n][s::width];
    auto first = sizes::inner::weights[1];
    auto count = (index_t)n;
    words_t wide = 1ULL << 40;
    row[0][0] = first;
    out[0] = row[0][0] + ::half_of(3) + half_of(::fabs(-1.0f));
    out[1] = sizeof row;
    out[2] = std::max(2.5f, first) + (out ? ::min(1, 2) : 0);
    out[3] = count + static_cast<real>(wide >> 38);
    out[4] = (nullptr == out) + FLT_MAX / FLT_MAX + (INT_MAX == 2147483647);
    out[5] = sizeof(uint) + 10 * sizeof(ulong) + 100 * sizeof(ushort);
    function f = sum_of;
    four values = {1, 2, 3, 4};
    out[6] = f(values, 4);
}
// WORDS: {{^}}4 128 3.5 12 2 284 10 0 0 0 0 0{{$}}

#define FIRST(p) (reinterpret_cast<float4 *>(&(p))[0])

/* A cast by name binds tighter than what follows it. */
__global__ void casts(float x, float *out)
{
    float four[4] = {1, x, 3, 4};
    const float *fixed = four;
    out[0] = static_cast<int>(x) + static_cast<int>(x + 0.5f) * 2;
    out[1] = reinterpret_cast<float2 *>(four)[1].x;
    out[2] = reinterpret_cast<float2 *>(four)->y;
    *const_cast<float *>(fixed) = 7;
    out[3] = four[0] + FIRST(four[0]).w;
    out[4] = -static_cast<float>(static_cast<long long>(x) << 2 | 1);
    out[5] = sizeof(static_cast<unsigned char>(x));
    out[6] = static_cast<
        double>(x) < 3 && 4 > (x);
}
// CASTS: {{^}}8 3 2.75 11 -9 1 1 0 0 0 0 0{{$}}

/* A conversion that is written as a call is not one of what follows it, and what is declared is declared. */
__global__ void conversions(float x, int n, float *out)
{
    int (kept) = 3;
    float (*f)(const float *, size_t) = sum_of;
    float list[2] = {float(n) / 2, float(double(n) / 4)};
    out[0] = float(n) / 2 + int(x) * 2 - int(x + 0.5f);
    out[1] = n > 2 ? float(n) : unsigned(-1) / 2.0f;
    out[2] = list[0] + list[1] + sizeof(float(n)) + sizeof(char(n));
    out[3] = uint8_t(n + 256) + kept + f(list, size_t(2));
    switch (int(x)) {
    case 2:;
        int (second) = 5;
        out[4] = second + bool(n);
    }
    out[5] = ((float (*)(const float *, size_t))f)(list, 1);
}
// CONVERSIONS: {{^}}2.5 3 7.25 8.25 6 1.5 0 0{{$}}

__device__ float applied(int n, float(op)(float), float(x)) { return n ? op(x) : x; }

/* "::" behind whatever may stand before a name. */
__device__ int scopes(int n)
{
    if (n > 5) ::word_of_one();
    else ::word_of_one();
    switch (n) {
    case ::last_one: ::word_of_one();
    }
    int sum = n ? ::word_of_one() : ::last_one;
    sum += (int)::half_of(6) + sizeof ::word_of_one();
    return ::word_of_one() + sum;
}

__global__ void placed(float *out)
{
    out[0] = scopes(1);
    out[1] = applied(1, half_of, 5);
}
// PLACED: {{^}}21 2.5{{$}}

enum colour { red, green = 5 };
struct node {
    node *next;
    colour hue;
};
union bits {
    float number;
    unsigned word;
};

__device__ unsigned word_of(bits b) { return b.word; }

__global__ void tags(float *out)
{
    node last = {nullptr, green}, head = {&last, red};
    bits one;
    one.number = 1;
    out[0] = head.next->hue + head.hue;
    out[1] = word_of(one) >> 23;
    int node = 3; /* a name of its own, as in C++ */
    out[2] = node;
}
// TAGS: {{^}}5 127 3 0{{$}}

#ifdef WRONG
__device__ int wrong(int x) { return static_cast<int>(x) + std::unknown; }
// WRONG: spelling.c:[[#@LINE-1]]:65: error: use of undeclared identifier 'unknown'
// WRONG: note: the namespace std is C++: use C's functions
#endif
