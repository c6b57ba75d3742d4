// A note names the C++ feature that CUDA code uses.
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
// RUN: %exits 1 %gpucc -DCASE=12 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE12
// RUN: %exits 1 %gpucc -DCASE=13 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE13
// RUN: %exits 1 %gpucc -DCASE=14 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE14
// RUN: %exits 1 %gpucc -DCASE=15 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE15
// RUN: %exits 1 %gpucc -DCASE=16 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE16
// RUN: %exits 1 %gpucc -DCASE=17 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE17
// RUN: %exits 1 %gpucc -DCASE=18 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE18
// RUN: %exits 1 %gpucc -DCASE=19 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE19
// RUN: %exits 1 %gpucc -DCASE=20 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE20
// RUN: %exits 1 %gpucc -DCASE=21 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE21
// RUN: %exits 1 %gpucc -DCASE=22 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE22
// RUN: %exits 1 %gpucc -DCASE=23 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE23
// RUN: %exits 1 %gpucc -DCASE=24 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE24
// RUN: %exits 1 %gpucc -DCASE=25 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE25
// RUN: %exits 1 %gpucc -DCASE=26 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE26
// RUN: %exits 1 %gpucc -DCASE=27 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE27
// RUN: %exits 1 %gpucc -DCASE=28 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE28
// RUN: %exits 1 %gpucc -DCASE=29 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE29
// RUN: %exits 1 %gpucc -DCASE=30 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE30
// RUN: %exits 1 %gpucc -DCASE=31 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE31
// RUN: %exits 1 %gpucc -DCASE=32 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE32
// RUN: %exits 1 %gpucc -DCASE=33 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE33
// RUN: %exits 1 %gpucc -DCASE=34 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE34
// RUN: %exits 1 %gpucc -DCASE=35 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE35
// RUN: %exits 1 %gpucc -DCASE=36 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE36
// RUN: %exits 1 %gpucc -DCASE=37 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE37
// RUN: %exits 1 %gpucc -DCASE=38 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE38
// RUN: %exits 1 %gpucc -DCASE=39 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE39
// RUN: %exits 1 %gpucc -DCASE=40 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE40
// RUN: %exits 1 %gpucc -DCASE=41 %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CASE41
#include <cuda_fp16.h>
#include <gpucc/cuda.h>

#if CASE == 1
template <typename T> __global__ void scale(T *x) { x[0] *= 2; }
// CASE1: cplusplus.c:[[#@LINE-1]]:1: error: unknown type name 'template'
// CASE1: note: templates are C++: write the function for each type, or let typevar(T, ...) do it

#elif CASE == 2
__device__ void twice(float &x) { x *= 2; }
// CASE2: cplusplus.c:[[#@LINE-1]]:29: error: expected ')'
// CASE2: note: this reference is C++

#elif CASE == 3
__device__ float twice(auto x) { return x + x; }
// CASE3: cplusplus.c:[[#@LINE-1]]:24: error: '__auto_type' not allowed in function prototype
// CASE3: note: 'auto' for a parameter, or without a value, is C++: write the type

#elif CASE == 4
#include <cooperative_groups/details/info.h>
// CASE4: error: 'cooperative_groups/details/info.h' file not found
// CASE4: note: the cooperative groups are thread_block, grid_group, thread_block_tile, coalesced_group and thread_group; docs/reference/cuda.md lists their functions

#elif CASE == 5
enum { unit = 1 };
__device__ float add(float x, float y = unit) { return x + y; }
// CASE5: error: C does not support default arguments
// CASE5: note: default arguments that are not constants, or of overloaded functions, are C++: write every argument in the call

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
// CASE7: note: member functions and constructors are C++: write a function that takes the struct

#elif CASE == 8
__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
// CASE8: note: user-defined operators are C++: use a function

#elif CASE == 9
__global__ void cast(float *x) { x[0] = static_cast<float &>(x[1]); }
// CASE9: error: use of undeclared identifier 'static_cast'
// CASE9: note: a cast to such a type is C++: write (type)value, or *(type *)&value for a reference

#elif CASE == 10
__global__ void least(int *x) { x[0] = std::accumulate(x, x + 4, 0); }
// CASE10: error: call to undeclared function 'accumulate'
// CASE10: note: the namespace std is C++: use C's functions

#elif CASE == 11
__global__ void choose(int *x)
{
    if constexpr (sizeof(int) == 4)
        x[0] = 1;
}
// CASE11: note: 'if constexpr' is C++: write if, or #if

#elif CASE == 12
static float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
static float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
// CASE12: error: conflicting types for 'dot'
// CASE12: note: overloaded functions are C++: give each function its own name

#elif CASE == 13
__device__ float4 sum(float4 a, float4 b) { return a + b; }
// CASE13: error: invalid operands to binary expression
// CASE13: note: operators of vector types are C++: compute with their members

#elif CASE == 14
__device__ half2 sum(half2 a, half2 b) { return a + b; }
// CASE14: error: invalid operands to binary expression
// CASE14: note: operators of pairs are C++: write __hadd2(a, b), __hsub2, __hmul2, __hfma2(a, b, c)

#elif CASE == 15
__global__ void convert(int *x) { x[0] = x[1] + signed(2.5f); }
// CASE15: cplusplus.c:[[#@LINE-1]]:49: error: expected expression
// CASE15: note: a conversion or a constructor written as a call is C++: write (type)value, or (type){values}

#elif CASE == 16
struct cell { unsigned x; };
__global__ void convert(unsigned *x) { cell c = {x[1]}; x[0] = c.x + cell(2).x; }
// CASE16: error: unexpected type name 'cell': expected expression
// CASE16: note: a conversion or a constructor written as a call is C++: write (type)value, or (type){values}

#elif CASE == 17
__global__ void sampled(cudaTextureObject_t image, float *x) { x[0] = tex2D(image, 1, 2); }
// CASE17: error: {{.*}}'cudaTextureObject_t' (aka 'unsigned long long') is not a structure
// CASE17: note: unsupported texture or surface access: <gpucc/texture.h> lists the functions

#elif CASE == 18
__global__ void paint(int *x) { enum class color { red }; x[0] = 0; }
// CASE18: error: {{.*}}'enum class'
// CASE18: note: scoped enumerations are C++: write enum, with constants of distinct names

#elif CASE == 19
struct place { float x, y; };
__device__ place sum(place a, place b) { return a + b; }
// CASE19: error: invalid operands to binary expression
// CASE19: note: operators of structs are C++: compute with their members, or call a function

#elif CASE == 20
__device__ float times(const float2 &v, float s) { return (s * v).x; }
// CASE20: error: invalid operands to binary expression
// CASE20: note: operators of vector types are C++: compute with their members

#elif CASE == 21
struct point { float x = 0; };
// CASE21: error: expected ';' at end of declaration list
// CASE21: note: default member initializers are C++: initialize each variable

#elif CASE == 22
struct point
{
    float x;
    point(float at) : x(at) {}
};
// CASE22: error: type name requires a specifier
// CASE22: note: member functions and constructors are C++: write a function that takes the struct

#elif CASE == 23
struct point { float x; static float zero() { return 0; } };
// CASE23: error: type name does not allow storage class
// CASE23: note: member functions and constructors are C++: write a function that takes the struct

#elif CASE == 24
struct point { __device__ __forceinline__ float zero() { return 0; } };
// CASE24: error: type name does not allow function specifier
// CASE24: note: member functions and constructors are C++: write a function that takes the struct

#elif CASE == 25
__global__ void twice(int *x) { auto f = [&](int i) { x[i] *= 2; }; f(1); }
// CASE25: error: expected expression
// CASE25: note: lambda expressions are C++: write a function, or a macro

#elif CASE == 26
using names = std::vector<int>;
using namespace std;
__device__ void all(vector *x);
// CASE26: error: unknown type name 'vector'
// CASE26: note: the namespace std is C++: use C's functions

#elif CASE == 27
#include <math.h>
const float quarter = cosf(0.5f) / 4;
// CASE27: error: initializer element is not a compile-time constant
// CASE27: note: constexpr is C++: write the value, or a macro

#elif CASE == 28
struct point { float x, y; };
__device__ float far(point p) { return p.x; }
__global__ void call(float *x) { x[0] = far({x[1], 2}); }
// CASE28: error: expected expression
// CASE28: note: braces without a type are C++ here: write (type){...}

#elif CASE == 29
struct tree { int *left; };
__global__ void tree::grow(int *to) { left = to; }
// CASE29: error: variable has incomplete type 'void'
// CASE29: note: member functions and constructors are C++: write a function that takes the struct

#elif CASE == 30
__global__ void below(int *x);
__global__ void above(int *x) { sub<<<1, 2>>>(x); }
// CASE30: error: use of undeclared identifier 'sub'
// CASE30: note: launches with <<<...>>> are C++, and host code: launch through the generated header, or `gpucc run`

#elif CASE == 31
#include <cuda_bf16.h>
__device__ __nv_bfloat16 from_bits(unsigned short bits) { return __nv_bfloat16_raw{bits}; }
// CASE31: error: returning '__nv_bfloat16_raw'
// CASE31: note: conversions between a 16-bit float and its bits are C++: write __ushort_as_half(bits), __ushort_as_bfloat16(bits)

#elif CASE == 32
typedef float function(float);
__global__ void call(function *f, float *x) { x[0] = f(x[1]); }
// CASE32: error: kernel parameter 'f' has type 'float (*)(float)', which hosts cannot pass
// CASE32: note: hosts cannot pass addresses of device functions: pass a number by which the kernel selects one

#elif CASE == 33
__global__ void scale(number *x) { x[0] = 1; }
// CASE33: error: unknown type name 'number'
// CASE33: note: 'number' is not declared here: if the program's build defines it, pass -Dnumber=... to gpucc too

#elif CASE == 34
__device__ float elsewhere(float x);
__global__ void call(float *x) { x[0] = elsewhere(x[1]); }
// CASE34: error: 'elsewhere' is not defined in this file
// CASE34: note: it is only declared here; add the file that defines it to the command

#elif CASE == 35
#include <cooperative_groups/memcpy_async.h>
__global__ void copy(float *x) { x[0] = cuda::aligned_size_t<4>(4); }
// CASE35: error: call to undeclared function 'aligned_size_t'
// CASE35: note: 'aligned_size_t' is declared in <cuda/barrier>: #include it

#elif CASE == 36
__global__ void clear(float *x)
{
    float own[4];
    for (auto &v : own) v = 0;
    x[0] = own[0];
}
// CASE36: error: expected identifier or '('
// CASE36: note: a loop over the elements of an array is C++: write for (int i = 0; i < n; i++)

#elif CASE == 37
__global__ void twice(float *x) { if (const float v = x[0]; v > 0) x[1] = 2; }
// CASE37: error: expected expression
// CASE37-NEXT: if
// CASE37-NEXT: ^
// CASE37-NEXT: note: an 'if' with a declaration is C++: declare the variable before it
// CASE37: error: use of undeclared identifier 'v'
// CASE37-NOT: is not declared here

#elif CASE == 38
#include <cuda_fp8.h>
__global__ void widen(__nv_fp8_e4m3 *x, float *y) { y[0] = float(x[0]); }
// CASE38: error: operand of type '__nv_fp8_e4m3'
// CASE38: note: cuda_fp8.h's types do not convert themselves: write __nv_cvt_fp8_to_halfraw(x.__x, __NV_E4M3) and kin

#elif CASE == 39
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void copy(float *x) { cg::memcpy_async(cg::this_thread_block(), x, x + 4, 4); }
// CASE39: error: call to undeclared function 'memcpy_async'
// CASE39: note: 'memcpy_async' is declared in <cooperative_groups/memcpy_async.h>: #include it

#elif CASE == 40
#include <cuda/std/mdspan>
// CASE40: fatal error: 'cuda/std/mdspan' file not found
// CASE40: note: <cuda/std/...> is supported for C's headers, such as <cuda/std/cstdint>; the others are C++

#elif CASE == 41
#define RAISE(x) (sum += (x))
__global__ void raise(float *x) { RAISE(x[0]); }
// CASE41: error: use of undeclared identifier 'sum'
// CASE41-NOT: is not declared here
#endif
