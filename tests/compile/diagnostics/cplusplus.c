// Where CUDA code is C++ and not C, a note names the feature.
// RUN: %exits 1 %gpucc -DCASE=1 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE1
// RUN: %exits 1 %gpucc -DCASE=2 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE2
// RUN: %exits 1 %gpucc -DCASE=3 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE3
// RUN: %exits 1 %gpucc -DCASE=4 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE4
// RUN: %exits 1 %gpucc -DCASE=5 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE5
// RUN: %exits 1 %gpucc -DCASE=6 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE6
// RUN: %exits 1 %gpucc -DCASE=7 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE7
// RUN: %exits 1 %gpucc -DCASE=8 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE8
// RUN: %exits 1 %gpucc -DCASE=9 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE9
// RUN: %exits 1 %gpucc -DCASE=10 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE10
// RUN: %exits 1 %gpucc -DCASE=11 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE11
#include <gpucc/cuda.h>

#if CASE == 1
template <typename T> __global__ void scale(T *x) { x[0] *= 2; }
// CASE1: cplusplus.c:[[#@LINE-1]]:1: error: unknown type name 'template'
// CASE1: note: templates are C++: write the function for each type, or let typevar(T, ...) do it

#elif CASE == 2
__device__ void twice(float &x) { x *= 2; }
// CASE2: cplusplus.c:[[#@LINE-1]]:29: error: expected ')'
// CASE2: note: references are C++: pass a pointer

#elif CASE == 3
__global__ void copy(float *x)
{
    auto first = x[0];
    x[1] = first;
}
// CASE3: cplusplus.c:[[#@LINE-3]]:10: error: type specifier missing
// CASE3: note: a type that 'auto' finds by itself is C++: write the type, or __auto_type

#elif CASE == 4
#include <cooperative_groups.h>
// CASE4: error: 'cooperative_groups.h' file not found
// CASE4: note: cooperative groups are C++: use syncthreads(), syncwarp(mask), grid_sync() and the warp operations

#elif CASE == 5
__device__ float add(float x, float y = 1.0f) { return x + y; }
// CASE5: error: C does not support default arguments
// CASE5: note: default arguments are C++: give every argument where the function is called

#elif CASE == 6
__global__ void one(float *x) { x[0] = 1; }
void launch(float *x)
{
    one<<<1, 32>>>(x);
}
// CASE6: cplusplus.c:[[#@LINE-2]]:10: error: expected expression
// CASE6: note: launches with <<<...>>> are C++, and host code: launch through the generated header, or `gpucc run`

#elif CASE == 7
struct point { float x; float length() const { return x; } };
// CASE7: error: field 'length' declared as a function
// CASE7: note: member functions are C++: write a function that takes the struct

#elif CASE == 8
__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
// CASE8: note: operators of one's own are C++: use a function

#elif CASE == 9
__global__ void cast(float *x) { x[0] = static_cast<float>(1); }
// CASE9: error: use of undeclared identifier 'static_cast'
// CASE9: note: 'static_cast' is C++: write (type)value

#elif CASE == 10
__global__ void least(int *x) { x[0] = std::min(x[1], x[2]); }
// CASE10: error: use of undeclared identifier 'std'
// CASE10: note: the namespace std is C++: use C's functions

#elif CASE == 11
constexpr int N = 3;
// CASE11: note: 'constexpr' is C++: use enum, or a macro
#endif
