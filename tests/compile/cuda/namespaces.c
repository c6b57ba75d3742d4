// C has one scope for a file: a name behind `a::` or `::` is the one that was meant, or an error.
// RUN: %gpucc %s -o %t.ptx -o %t.o
// RUN: %gpucc run %s right 3 zeros:12:float32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=RIGHT
// RUN: %gpucc run %s by_macros zeros:1:int32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=BY-MACROS
// RUN: %exits 1 %gpucc -DHIDDEN %s -o %t.ptx -o %t.o 2>&1 | FileCheck %s --check-prefix=HIDDEN
// RUN: %exits 1 %gpucc -DTWICE %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: %exits 1 %gpucc -DABSENT %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: %exits 1 %gpucc -DMACROS %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=MACROS
// RUN: %exits 1 %gpucc -DJOINED %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=JOINED
// RUN: %exits 1 %gpucc -DOPENED %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=OPENED
// RUN: %exits 1 %gpucc -DOVERLOADS %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=OVERLOADS
// RUN: %exits 1 %gpucc -DONLY_NEW %s --arch=sm_75,sm_90 -o %t.ptx 2>&1 | FileCheck %s --check-prefix=ONLY-NEW
#include <cmath>
#include <cuda_runtime.h>

#include "Inputs/namespaces_outside.h"
__device__ float outside = 1;

namespace sizes {
constexpr int width = 4;
enum colour { red, green = 5 };
struct node { node *next; float x; };
using real = float;
typedef int shared_meaning;
namespace inner {
__constant__ float eps = 0.5f;
__device__ float deep(float x) { return x + width + eps; }
}
inline namespace v1 { __device__ float versioned(float x) { return x * 2; } }
namespace { __device__ float unnamed(float x) { return x * 3; } }
using inner::eps;
__device__ float later(float x);
}
namespace parts {
#include "Inputs/namespaces.h"
}
namespace others {
typedef int shared_meaning;
using namespace sizes;
}
namespace s = sizes;
namespace si = s::inner;
#define EPS si::eps

__device__ float sizes::later(float x) { return x - 1; }

__global__ void right(int n, float *out)
{
    using sizes::real;
    using alias = s::real;
    int other = sizes::width;
    sizes::node last = {nullptr, 2}, head = {&last, 1};
    alias x = head.next->x;
    out[0] = sizes::inner::eps + s::inner::eps + si::eps + s::eps + others::eps + EPS;
    out[1] = other + n;
    out[2] = si::deep(x);
    out[3] = s::versioned(x) + s::v1::versioned(x) + sizes::unnamed(x) + s::later(x);
    out[4] = ::outside + sizes::green + (::sizes::width - s::red);
    out[5] = std::max(n, 2) + ::fabsf(-1.0f) + std::sqrt(4.0f) + std::floor(1.5f);
    {
        int width = 7; /* hides what nothing names */
        out[6] = width;
    }
    {
        using sizes::width;
        out[7] = width;
        {
            int width = 9;
            out[8] = width;
        }
    }
    out[10] = parts::part(1.5f) + ::from_header(1);
    out[9] = sizeof(sizes::node) + static_cast<s::real>(2.5f) + (others::shared_meaning)1.5f;
}
// RIGHT: {{^}}3 7 6.5 15 10 7 7 4 9 19.5 7 0{{$}}

#ifdef HIDDEN
__global__ void hidden(int *out, int width)
{
    // HIDDEN: namespaces.c:[[#@LINE+1]]:21: error: 'width' is hidden by a parameter or variable here, and C cannot name the hidden one: rename one of them
    out[0] = sizes::width;
    // HIDDEN: namespaces.c:[[#@LINE+1]]:31: error: 'eps' is hidden
    float eps = sizes::inner::eps;
    // HIDDEN: namespaces.c:[[#@LINE+1]]:14: error: 'eps' is hidden
    out[1] = EPS;
    float outside = 2;
    // HIDDEN: namespaces.c:[[#@LINE+1]]:16: error: 'outside' is hidden
    out[2] = ::outside + outside + eps;
    {
        using sizes::width;
        // HIDDEN: namespaces.c:[[#@LINE+1]]:18: error: 'width' is hidden
        out[3] = width;
    }
    typedef int real;
    // HIDDEN: namespaces.c:[[#@LINE+1]]:12: error: 'real' is hidden
    sizes::real x = 1.5f;
    out[4] = x + (real)2;
}
// HIDDEN: {{(^|and )}}6 errors generated
#endif

#ifdef TWICE
// TWICE: namespaces.c:[[#@LINE+1]]:74: error: 'fabsf' of namespace 'first' and of the file's scope are the same name in C
namespace first { __device__ int counter; struct state; __device__ float fabsf(float x); }
// TWICE: namespaces.c:[[#@LINE+1]]:35: error: 'counter' of namespace 'second' and of namespace 'first' are the same name in C: rename one of them
namespace second { __device__ int counter; }
// TWICE: namespaces.c:[[#@LINE+1]]:8: error: 'state' of the file's scope and of namespace 'first' are the same name in C
struct state { int x; };
__global__ void twice(int *out) { out[0] = first::counter + second::counter; }
#define DECLARE __device__ int made;
namespace first { DECLARE }
// TWICE: namespaces.c:[[#@LINE+1]]:20: error: 'made' of namespace 'second' and of namespace 'first' are the same name in C
namespace second { DECLARE }
// TWICE: {{^}}4 errors generated
#endif

#ifdef ABSENT
namespace mine { __device__ float half_of(float x) { return x / 2; } }
__global__ void absent(float *out)
{
    // ABSENT: namespaces.c:[[#@LINE+1]]:20: error: no member named 'max' in namespace 'mine'
    out[1] = mine::max(out[0], 1.0f);
    // ABSENT: namespaces.c:[[#@LINE+1]]:16: error: no member named 'part' in the file's scope
    out[5] = ::part(1);
    // ABSENT: namespaces.c:[[#@LINE+1]]:20: error: no member named 'outside' in namespace 'mine'
    out[0] = mine::outside;
    // ABSENT: namespaces.c:[[#@LINE+1]]:16: error: no member named 'half_of' in the file's scope
    out[2] = ::half_of(1);
    // ABSENT: namespaces.c:[[#@LINE+1]]:19: error: no member named 'half_of' in namespace 'std'
    out[3] = std::half_of(1);
    // ABSENT: namespaces.c:[[#@LINE+1]]:21: error: no member named 'half_of' in 'inner'
    out[4] = inner::half_of(1);
}
#endif

#define SIZES(name) sizes::name
#define NESTED(name) SIZES(name)
#define SUM(name, other) (sizes::name + other)
#define LATER later(3)
#define OUTSIDE outside

__global__ void through_macros(float *out)
{
    out[0] = SIZES(width) + NESTED(width) + SUM(width, outside) + sizes::LATER + SIZES(later(NESTED(later)(outside)));
}

#ifdef MACROS
__global__ void macros(float *out, int width)
{
    // MACROS: namespaces.c:[[#@LINE+1]]:14: error: 'width' is hidden
    out[0] = SIZES(width);
    // MACROS: namespaces.c:[[#@LINE+1]]:14: error: 'width' is hidden
    out[1] = NESTED(width);
    // MACROS: namespaces.c:[[#@LINE+1]]:21: error: no member named 'outside' in namespace 'sizes'
    out[2] = sizes::OUTSIDE;
    // MACROS: namespaces.c:[[#@LINE+1]]:34: error: no member named 'outside' in namespace 'sizes'
    out[3] = SUM(green, green) + SUM(outside, outside);
}
// MACROS: {{^}}4 errors generated
#endif

#ifdef JOINED
#define JOINED_NAME(name) sizes::name##th
__global__ void joined(float *out) { out[0] = JOINED_NAME(wid); }
// JOINED: namespaces.c:[[#@LINE-1]]:47: error: use of undeclared identifier 'sizes'
#endif

#ifdef OPENED
#define OPEN(name) namespace name {
#define CLOSE }
OPEN(opened)
// OPENED: namespaces.c:[[#@LINE-1]]:1: error: unknown type name 'namespace'
// OPENED: note: a namespace opened by a macro with parameters is C++: write it without the macro
__device__ int in_it(int x) { return x; }
CLOSE
#endif

/* Opened and closed by macros, one in the other, and with braces between. */
#define BEGIN_LIB namespace lib { namespace parts {
#define END_LIB } }
#define BEGIN_DETAIL namespace detail {
#define END_DETAIL } // namespace detail
BEGIN_LIB
__device__ int one(int x) { if (x) { return 1; } return 0; }
BEGIN_DETAIL
__device__ int two(int x) { return one(x) + lib::parts::one(2); }
END_DETAIL
BEGIN_DETAIL
namespace more { __device__ int three(int x) { return x + 2; } }
}
END_LIB
__global__ void by_macros(int *out)
{
    using lib::parts::detail::two;
    out[0] = lib::parts::one(1) + 10 * two(1) + 100 * lib::parts::detail::more::three(out[0] + 1);
}
// BY-MACROS: first 321
#ifdef ABSENT
// ABSENT: namespaces.c:[[#@LINE+1]]:62: error: no member named 'one' in namespace 'lib::parts::detail'
__device__ int not_there(int x) { return lib::parts::detail::one(x); }
#endif

#ifdef OVERLOADS
namespace whole { __device__ int rounded(int x) { return x; } }
// OVERLOADS: namespaces.c:[[#@LINE+1]]:37: error: 'rounded' of namespace 'broken' and of namespace 'whole' are the same name in C
namespace broken { __device__ float rounded(float x) { return x / 2; } __device__ float use() { return rounded(3); } }
// OVERLOADS: namespaces.c:[[#@LINE+1]]:35: error: 'max' of namespace 'broken' and of the file's scope are the same name in C
namespace broken { __device__ int max(int x, int y) { return x - y; } }
__global__ void overloads(float *out) { out[0] = broken::use() + broken::rounded(3) + broken::max(1, 2); }
// OVERLOADS: {{^}}2 errors generated
#endif

#ifdef ONLY_NEW /* what one target's reading alone has */
__global__ void only_new(int *out, int width)
{
#if __CUDA_ARCH__ >= 900
    // ONLY-NEW: namespaces.c:[[#@LINE+1]]:21: error: 'width' is hidden
    out[0] = sizes::width;
#endif
}
#endif
