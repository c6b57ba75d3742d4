// References as CUDA sources have them, which are pointers here: parameters of functions and local variables.
// RUN: %gpucc %s -o %t.ptx -o %t.o
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %gpucc run %s numbers zeros:8:float32 --grid=1 --block=1 --device=cpu | FileCheck %s
// RUN: %gpucc run %s scopes zeros:8:int32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=SCOPES
// RUN: %gpucc run %s aliases zeros:8:float32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=ALIASES
// RUN: %gpucc run %s results zeros:8:float32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=RESULTS
// RUN: %exits 1 %gpucc run --check %s beyond zeros:8:float32 9 --grid=1 --block=1 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: %gpucc -g -O0 -DLINES %s -o %t.ll && FileCheck %s --check-prefix=LINES < %t.ll
// RUN: %exits 1 %gpucc -DWRONG %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %exits 1 %gpucc -DMISNAMED %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=MISNAMED
#include <cuda_runtime.h>

// PTX-NOT: .local
struct pair { float a, b; };
enum { FOUR = 4 };
#define FIVE 5
#define EXCHANGE(x, y) exchange(x, y)
namespace lib {
__device__ void exchange(float &a, float &b) { float t = a; a = b; b = t; }
__device__ void exchange(int &a, int &b) { int t = a; a = b; b = t; }
__device__ void exchange(const float *&a, const float *& b) { const float *t = a; a = b; b = t; }
}
__device__ void add(float &sum, const float &x, int n = 2);
__device__ float norm(const pair &p) { return p.a * p.a + p.b * p.b; }
__device__ __forceinline__ void scale(pair &__restrict__ p, const float& by) { p.a *= by; p.b *= by; }
__device__ void both(float (&v)[4], const float (&w)[2])
{
    v[0] = w[1];
    for (int i = 1; i < 4; i++)
        v[i] += w[0];
}

__global__ void numbers(float *out)
{
    float x = 1, y = 2, v[4] = {0, 0, 0, 0};
    const float w[2] = {3, 4}, *p = w, *q = v;
    pair pair = {3, 4};
    lib::exchange(x, y);
    out[0] = 10 * x + y;
    EXCHANGE(x, y);
    add(out[1], 3.5f);
    add(out[1], x + 1), add(out[1], FOUR, 3), add(out[1], FIVE);
    add(out[2], threadIdx.x + blockDim.x);
    add(out[2], blockDim.x);
    out[3] = norm(pair) + norm((struct pair){1, 2});
    scale(pair, pair.a);
    out[4] = pair.b;
    both(v, w);
    lib::exchange(p, q);
    out[5] = v[0] + v[1] + q[1] - p[1];
    int i = 3, k = 4;
    lib::exchange(i, k);
    add(out[6], i);
    auto &last = out[7];
    const float &twice = 2 * out[6];
    last = twice - i;
}
// CHECK: 21 33 4 30 36 8 8 12

__device__ void add(float &sum, const float &x, int n) { sum += x * n; }

/* Names that are declared once more hide the reference as far as they reach. */
__device__ void shadow(int &n, int (&counts)[3], int mask)
{
    for (int n = 0; n < 3; n++)
        counts[n] = n;
    for (int n = 5; n < 6; n++) counts[0] += n;
    for (int k = 0; mask & n; k++, n--)
        counts[1] += k * n;
    {
        int k = 1, n = 2, *p = &n;
        counts[2] += k + *p;
    }
    struct { int n; } s = {.n = 7};
    { int *n = &s.n; *n += 1; }
    n += s.n * n ? sizeof n : 0;
    switch (mask) { case 3:; int n = 4; counts[2] += n; }
    int *q = &n, *const r = q;
    n += *r ? 1 : 0;
}

__global__ void scopes(int *out)
{
    int counts[3];
    out[0] = 7;
    shadow(out[0], counts, 3);
    for (int i = 0; i < 3; i++) {
        int &count = counts[i];
        const int &same = count;
        count *= 10;
        out[i + 1] = same;
    }
}
// SCOPES: first 9 50 170 90 0

/* Two references may name one object. */
__device__ void twice(float &sum, const float &by) { sum += by; sum += by; }
__device__ void inner(float &x) { twice(x, x); float &same = x; same += 1; twice(same, x + 0); }
__device__ pair scaled(pair &p, const float &c) { pair t = {c * (p.a - p.b), c * (p.a + p.b)}; return t; }
__global__ void aliases(float *out)
{
    __shared__ float kept[2];
    kept[0] = 1;
    twice(kept[0], kept[0]);
    out[0] = kept[0];
    inner(kept[0]);
    out[1] = kept[0];
    twice(out[2], *&out[1]);
    struct { struct pair of[2], *at; } s = {{{1, 2}, {3, 4}}, &s.of[1]};
    twice(s.of[0].a, (s).at->b);
    twice(s.at->b, (*s.at).b);
    twice((*s.at).a, (s.at)[0].a);
    out[3] = s.of[0].a + 100 * s.of[1].b + 10000 * s.of[1].a;
    atomicAdd(&out[2], 0.5f);
    pair p = {5, 3};
    out[4] = scaled(p, 10).a + scaled(p, out[0]).b;
}
// ALIASES: first 4 51 102.5 121609 52

/* Results that are references. */
__device__ float &at(float4 &v, int i) { return reinterpret_cast<float *>(&v)[i]; }
static __device__ const pair &larger(const pair &p, const pair &q) { if (p.a > q.a) return p; return q; }
__device__ int &counter(void);
__device__ int &choose(int *p, bool second) { int &first = p[0]; if (!second) return first; return (p[1]); }
__device__ int counts[2];
__device__ int &counter() { return counts[1]; }
__device__ float apply(float &x) { return x += 1; }

__global__ void results(float *out)
{
    float4 v = {1, 2, 3, 4};
    pair p = {5, 6}, q = {7, 8};
    at(v, 2) = 10;
    at(v, at(v, 0)) *= 3;
    out[0] = v.x + v.y + v.z + at(v, 3);
    add(at(v, 3), at(v, 0));
    out[1] = v.w + apply(at(v, 0)) + larger(p, q).b;
    float &last = at(v, 3);
    last += larger(larger(p, q), p).a;
    out[2] = v.w;
    counter() = 4;
    choose(counts, true)++, choose(counts, false) = 7;
    int *where = &counter();
    out[3] = counts[0] * 10 + *where + counter();
}
// RESULTS: first 21 16 13 80

// PLACE: references.c:[[#@LINE+1]]:75: error: read of 4 bytes outside of 'out' at index 9
__device__ void gather(float &sum, const float *p, int &i) { sum += sum + p[i]; }
__global__ void beyond(float *out, int n) { int k = n; float s = 0; gather(s, out, k); out[0] = s; }

#ifdef LINES
// LINES: DILocation(line: [[#@LINE+1]], column: 55
__device__ void both_in(int &a, int &b, int *c) { a = *c / b; }
__global__ void lined(int *x) { both_in(x[0], x[1], x + 2); }
#endif

#ifdef WRONG
#define BY_NAME sum += 1
// WRONG: references.c:[[#@LINE+1]]:46: error: use of undeclared identifier 'sum'
__device__ void named_by_macro(float &sum) { BY_NAME; }
// WRONG: references.c:[[#@LINE+2]]:45: error: cannot take the address of an rvalue
// WRONG: note: a non-const reference must refer to a variable of its own type
__device__ float &result(float *p) { return 2 * *p; }
// WRONG: references.c:[[#@LINE+2]]:18: error: expected identifier
// WRONG: note: this reference is C++
__device__ float &&moved_result(float *p) { return *p; }
// WRONG: references.c:[[#@LINE+2]]:36: error: expected ')'
// WRONG: note: this reference is C++
__device__ void moved(float x, int &&y) { }
// WRONG: references.c:[[#@LINE+2]]:23: error: expected member name
// WRONG: note: this reference is C++
struct member { float &r; };
// WRONG: references.c:[[#@LINE+2]]:31: error: expected ')'
// WRONG: note: this reference is C++
__global__ void kernel_(float &x) { }
// WRONG: references.c:[[#@LINE+1]]:60: error: use of undeclared identifier 'none'
__device__ void none_such(float &sum) { sum += sum + sum * none; }
__global__ void wrong(float *out, int *m)
{
    // WRONG: references.c:[[#@LINE+2]]:9: error: controlling expression type 'int *'
    // WRONG: references.c:[[#@LINE+1]]:9: note: a non-const reference must refer to a variable of its own type
    add(m[0], 1);
    // WRONG: references.c:[[#@LINE+2]]:22: error: cannot take the address of an rvalue
    // WRONG: references.c:[[#@LINE+1]]:22: note: a non-const reference must refer to a variable of its own type
    add(out[0], (add(3.0f, 1), 1));
    // WRONG: references.c:[[#@LINE+1]]:10: error: too few arguments to function call, single argument 'p' was
    norm();
}
#endif

#ifdef MISNAMED
// MISNAMED: references.c:[[#@LINE+1]]:61: error: no member named 'add' in namespace 'lib'
__device__ void named(float &a, float &b) { a = a * b; lib::add(a, b); }
__global__ void misnamed(float *x) { named(x[0], x[1]); }
#endif
