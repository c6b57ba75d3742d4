// The manifest is what docs/reference/manifest.schema.json says, with native code and without.
// RUN: rm -rf %t && mkdir %t
// RUN: %gpucc %s --arch=sm_75,sm_90 -o %t/all.json -o %t/all.ptx -o %t/all.o
// RUN: %gpucc %s -o %t/ptx.json
// RUN: %python %root/tests/schema.py %root/docs/reference/manifest.schema.json %t/all.json %t/ptx.json
#include <gpucc.h>

struct pair {
    float32 a;
    float64 b;
};
typevar(T, float32, float64);

/* Adds. */
vectorize()
T add(T x, T y) { return x + y; }

vectorize((int32, boolean)(float16))
void split(float16 x, int32 *whole, boolean *negative)
{
    *whole = (int32)x;
    *negative = x < 0;
}

kernel launch_bounds(64, 2) expect_low_occupancy
void work(size_t n, struct pair p, const complex64 *z, float32 m[n][4], void *raw)
{
    shared float32 s[8];
    s[threadIdx.x] = m[0][0] + p.a + __real__ z[0] + (float32)*(char *)raw;
    syncthreads();
    m[0][1] = s[0];
}

device float32 exported(float32 x) { return x + 1; }
