// Values in braces and parentheses as C++ has them: of variables, in expressions, assigned and returned.
// RUN: %gpucc %s -o %t.ptx -o %t.o
// RUN: %gpucc run %s numbers zeros:12:float32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s
// RUN: %gpucc run %s casts zeros:8:float32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=CASTS
// RUN: %gpucc run %s extents zeros:8:int32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=EXTENTS
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %exits 1 %gpucc run --check %s beyond zeros:8:float32 9 --grid=1 --block=1 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: %exits 1 %gpucc -DWRONG %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
#include <cuda_runtime.h>

struct pair { float a, b; };
struct nest { pair first; int counts[2]; };
typedef unsigned char byte;
using real = float;
namespace lib { struct three { int x, y, z; }; }
constexpr unsigned int N(8), M(N / 2);
constexpr int product(N * M);
#define ONE real(1.)
#define HALF_OF(x) (float(x) / real(2))
#define TWICE(x) real(2 * (x))
__constant__ float scale{0.5f};
__device__ const int table[3]{1, 2, 3};

__device__ pair made(float a) { return {a, 2 * a}; }
static __device__ __forceinline__ const pair swapped(const pair &p) { if (p.a > 0) return pair{p.b, p.a}; return {}; }
__device__ float sum(const pair &p, float more = 0) { return p.a + p.b + more; }
__device__ void set(pair &p) { p = {7, 8}; }
__device__ int prototype(int);
__device__ int prototype(int x) { return x + 1; }

__global__ void numbers(float *out)
{
    const uchar4 corners[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    uchar4 corner(corners[1]);
    unsigned rows(corner.y), cells(rows * (corner.x - 1)), twice(cells * 2), bits(rows & 3);
    out[11] = corner.w + 10 * cells + 1000 * twice + 100000 * bits;
    float buffer[N], zeros[2]{};
    int i{3}, k{4}, *p{&i}, m(5), none{};
    const int values[]{1, 2}, last(values[1]);
    pair one{1, 2}, two = pair{3, 4};
    nest n{{1, 2}, {3, 4}};
    dim3 block(i + 1, k), other = dim3(2), all(1, 2, 3);
    for (int j{0}; j < 8; j++)
        buffer[j] = j;
    out[0] = i + 10 * k + 100 * *p + 1000 * m + none + zeros[1];
    out[1] = one.b + 10 * two.a + 100 * n.first.b + 1000 * n.counts[1] + 10000 * last;
    out[2] = block.x + 10 * block.y + 100 * block.z + 1000 * other.x + 10000 * other.y;
    one = {5, 6};
    if (one.a > 4)
        two = {one.b, one.a};
    else two = {};
    n.first = {two.b, 1};
    out[3] = one.a + 10 * two.a + 100 * n.first.a;
    out[4] = sum(made(2)) + sum(pair{10, 20}) + sum({1}, 5) * 0;
    out[5] = swapped(two).a + 10 * swapped({-1, 3}).a;
    set(two);
    out[6] = two.b + lib::three{1, 2, 3}.z;
    pair list[2]{pair{1, 2}, {3, 4}}, more[] = {pair{5, 6}, pair{7, 8}};
    out[7] = list[0].b + 10 * list[1].a + 100 * more[1].b;
    list[i - 2] = {9, 9};
    *p = {8};
    out[8] = list[1].a + i + scale * table[2] + N + buffer[7] + all.z;
    auto result = prototype(2) ? float2{1, 2} : float2{3, 4};
    out[9] = result.y;
    int3 cell;
    cell = {static_cast<int>(out[9]), 4, 5};
    out[10] = cell.x * 100 + cell.y * 10 + cell.z;
}
// CHECK: {{^}}5343 24232 12144 565 36 5 11 832 36.5 2 245 248248{{$}}

__global__ void casts(float *out)
{
    const float x = 300.75f;
    out[0] = byte(x + 1) + real(2);
    out[1] = uintptr_t(out) % 4 + ushort(70000.0f);
    out[2] = (x > 1 ? real(x) : real(1)) + real(3) * byte(257);
    real y = real(sum(pair{1, 2}, real(3)));
    out[3] = y;
    out[4] = 3 / ONE + 10 * HALF_OF(1) + 100 * TWICE(3);
    out[5] = M + 100 * product;
}
// CASTS: first 257 65535 303.75 6 608 3204

/* Constants of C++'s are extents of arrays, in loops too. */
const int four = 4, eight = 2 * four, m(3);
// PTX-NOT: alloca
__global__ void extents(int *out)
{
    constexpr unsigned rows = four + 1, columns{2};
    const int width = static_cast<int>(rows * columns);
    for (int i = 0; i < 2; i++) {
        int cells[rows][eight], line[width + m] = {1, 2}, small[four];
        out[i] = sizeof cells / sizeof cells[0];
        out[i + 2] = sizeof line / sizeof *line + line[1] + sizeof small;
    }
}
// EXTENTS: first 5 5 31 31

// PLACE: values.c:[[#@LINE+1]]:62: error: read of 4 bytes outside of 'out' at index 9
__global__ void beyond(float *out, int n) { pair p = pair{1, out[n]}; p = {3, p.b}; out[0] = p.b; }

#ifdef WRONG
// WRONG: values.c:[[#@LINE+1]]:56: error: use of undeclared identifier 'none'
__device__ float none_such(void) { return sum(pair{1 + none, 2}); }
#endif
