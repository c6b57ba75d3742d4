// Uses that come close to one another: atomic operations on neighbouring bytes, structs with padding through shuffles, warp
// operations in branches, barriers in functions that call themselves, arrays of several types in dynamic shared memory.
// RUN: %gpucc %s -o %t.ptx -o %t.o
// RUN: %gpucc run %s cells zeros:8:uint8 zeros:4:uint8 zeros:8:int16 zeros:8:float16 zeros:8:uint32 --grid=1 --block=256 --device=cpu | FileCheck %s --check-prefix=CELLS
// RUN: %gpucc run %s structs zeros:1:int32 --grid=1 --block=64 --device=cpu | FileCheck %s --check-prefix=NONE
// RUN: %gpucc run %s branches zeros:1:int32 --grid=2 --block=64 --device=cpu | FileCheck %s --check-prefix=NONE
// RUN: %gpucc run %s recursion zeros:256:float32 --grid=2 --block=128 --device=cpu | FileCheck %s --check-prefix=RECURSION
// RUN: %gpucc run %s arrays 5 zeros:5:float64 --grid=1 --block=32 --shared=80 --device=cpu | FileCheck %s --check-prefix=ARRAYS
#include <gpucc.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            atomic_add(wrong, 1);                                                                                      \
    } while (0)

struct cells {
    uint8 a;
    int8 b;
    uint16 c;
};

kernel
void cells(struct cells *g, uint8 *bytes, int16 *shorts, float16 *halves, uint32 *out)
{
    shared struct cells s[2];
    shared uint8 most[8];
    const unsigned t = threadIdx.x;
    if (t < 2)
        s[t] = (struct cells){0, 0, 0};
    if (t < 8)
        most[t] = 0;
    syncthreads();
    atomic_add(&s[t & 1].a, 1);
    atomic_sub(&s[t & 1].b, 1);
    atomic_add(&s[t & 1].c, 3);
    atomic_max(&most[t & 7], (uint8)t);
    atomic_add(&g[t & 1].a, 1);
    atomic_min(&g[t & 1].b, (int8)(-(int)(t / 2)));
    atomic_xor(&g[t & 1].c, (uint16)(1u << t % 5));
    atomic_inc(&bytes[t & 3], 9);
    atomic_add(&shorts[t & 3], (int16)-2);
    atomic_add(&halves[t & 3], (float16)0.5f);
    syncthreads();
    if (t < 2) {
        out[4 * t] = s[t].a;
        out[4 * t + 1] = (uint8)s[t].b;
        out[4 * t + 2] = s[t].c;
        out[4 * t + 3] = most[t + 6];
    }
}
// CELLS: g: shape
// CELLS: first   128 129 {{[0-9]+}} 0 128 129 {{[0-9]+}} 0
// CELLS: bytes: shape
// CELLS: first   4 4 4 4
// CELLS: shorts: shape
// CELLS: first   -128 -128 -128 -128 0
// CELLS: halves: shape
// CELLS: first   32 32 32 32 0
// CELLS: out: shape
// CELLS: first   128 128 384 254 128 128 384 255

struct padded {
    char a;
    double b;
    short c;
};
struct bytes {
    unsigned char b[7];
};
struct nested {
    struct bytes bytes;
    float16 h;
    union {
        float f;
        int i;
    } u;
    complex64 z;
};

// NONE: first   0{{$}}
kernel
void structs(int32 *wrong)
{
    const unsigned l = laneid, next = (l + 3) % 32, across = l ^ 5;
    const struct padded p = {(char)l, l * 1.5, (short)(l * 100)};
    const struct padded q = shfl_sync(~0u, p, next);
    CHECK(q.a == (char)next && q.b == next * 1.5 && q.c == (short)(next * 100));
    struct nested n = {.h = (float16)l, .u.f = l * 0.5f, .z = (float)l};
    for (int i = 0; i < 7; i++)
        n.bytes.b[i] = (unsigned char)(l * 7 + (unsigned)i);
    __imag__ n.z = 2.0f * l;
    const struct nested m = shfl_xor_sync(~0u, n, 5);
    CHECK(m.bytes.b[6] == (unsigned char)(across * 7 + 6) && m.h == (float16)across && m.u.f == across * 0.5f);
    CHECK(__real__ m.z == across && __imag__ m.z == 2.0f * across);
    const struct nested down = shfl_down_sync(~0u, n, 4, 16);
    CHECK(down.u.f == (l % 16 < 12 ? l + 4 : l) * 0.5f);
}

kernel
void branches(int32 *wrong)
{
    const unsigned l = laneid;
    if (l % 3 == 0) {
        const unsigned thirds = 0x49249249;
        int all;
        CHECK(ballot_sync(thirds, l > 10) == (thirds & ~0x7ffu));
        CHECK(reduce_add_sync(thirds, (int64)l << 33) == (int64)165 << 33);
        CHECK(reduce_min_sync(thirds, -(int)l) == -30);
        CHECK(match_any_sync(thirds, (double)(l / 6)) == (thirds & 0x3fu << l / 6 * 6));
        CHECK(match_all_sync(thirds, l == 0, &all) == 0 && !all);
    } else if (l % 3 == 1) {
        for (int r = 0; r < 3; r++)
            CHECK(eq_sync(0x92492492u, r) && !eq_sync(0x92492492u, l == 1));
    }
    syncwarp();
    if (threadIdx.x >= 48)
        return;
    const unsigned rest = threadIdx.x < 32 ? ~0u : 0xffffu;
    for (unsigned i = 0; i <= l; i++)
        CHECK(any_sync(rest & ~((1u << i) - 1), i == l));
}

static float total(float value, float *buffer)
{
    buffer[threadIdx.x] = value;
    syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            buffer[threadIdx.x] += buffer[threadIdx.x + s];
        syncthreads();
    }
    const float result = buffer[0];
    syncthreads();
    return result;
}

gpucc_noinline
static float totals(float value, float *buffer, int depth)
{
    const float result = total(value, buffer);
    return depth > 0 ? result + totals(2 * value, buffer, depth - 1) : result;
}

kernel
void recursion(float *out)
{
    shared float buffer[128];
    out[grid(1)] = totals((float)threadIdx.x, buffer, 3);
}
// RECURSION: minimum 121920
// RECURSION: maximum 121920

struct three {
    char a, b, c;
};

kernel
void arrays(int n, double *out)
{
    const size_t floats = ((size_t)n * sizeof(float) + 7) / 8 * 8;
    dynamic_shared(float, f);
    dynamic_shared(double, d, floats);
    dynamic_shared(struct three, s, floats + (size_t)n * sizeof(double));
    const int i = (int)threadIdx.x;
    if (i < n) {
        f[i] = (float)i;
        d[i] = 2 * i;
        s[i] = (struct three){1, 2, (char)i};
    }
    syncthreads();
    if (i < n)
        out[i] = (double)f[n - 1 - i] + d[(i + 1) % n] * 1000 + s[(i + 2) % n].c * 1e6;
}
// ARRAYS: first   2002004 3004003 4006002 8001 1000000
