// Which gufuncs write all of an output, and read nothing of it before: found where the output's size is fixed.
// RUN: rm -rf %t && mkdir %t
// RUN: %gpucc %s -o %t/all.json -o %t/all.ptx -o %t/all.o
// RUN: %python %root/tests/schema.py %root/docs/reference/manifest.schema.json %t/all.json
// RUN: %python %S/Inputs/overwrites.py %t/all.json | FileCheck %s
#include <gpucc.h>
#include <math.h>

// CHECK: multiply4: True
guvectorize((4,4),(4,4)->(4,4))
void multiply4(const float a[4][4], const float b[4][4], float product[4][4])
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            product[i][k] = 0;
            for (int j = 0; j < 4; j++)
                product[i][k] += a[i][j] * b[j][k];
        }
}

// CHECK: lower: False
guvectorize((4,4)->(4,4))
void lower(const float a[4][4], float out[4][4])
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; k <= i; k++)
            out[i][k] = a[i][k];
}

// CHECK: add_to: False
guvectorize((3)->(3))
void add_to(const double x[3], double sum[3])
{
    for (int i = 0; i < 3; i++)
        sum[i] += x[i];
}

// Shifted by too much it is 0, which LLVM's C does not say.
// CHECK: shifted: False
guvectorize((),()->(2))
void shifted(unsigned a, unsigned b, int out[2])
{
    unsigned k = 1u << b;
    if (k == 0)
        return;
    out[0] = k;
    out[1] = a;
}

// On the way through a loop whose rounds nobody knows, and on that around it.
// CHECK: inner: True
guvectorize((n),(n)->())
void inner(size_t n, const float x[n], const float y[n], float *sum)
{
    *sum = 0;
    for (size_t i = 0; i < n; i++)
        *sum += x[i] * y[i];
}

// CHECK: last: False
guvectorize((n)->())
void last(size_t n, const float x[n], float *out)
{
    for (size_t i = 0; i < n; i++)
        *out = x[i];
}

// CHECK: either: True True
guvectorize((2)->(2),())
void either(const float x[2], float out[2], int32 *which)
{
    if (x[0] < x[1]) {
        out[0] = x[0];
        out[1] = expf(x[1]);
        *which = 0;
    } else {
        *which = 1;
        out[1] = out[0] = x[1];
    }
}

// CHECK: some: False True
guvectorize((2)->(2),())
void some(const float x[2], float out[2], int32 *which)
{
    *which = x[0] < x[1];
    if (*which)
        out[1] = x[0];
    out[0] = x[1];
}

// CHECK: wanders: False
guvectorize((2),()->(2))
void wanders(const float x[2], int32 at, float out[2])
{
    out[0] = x[0];
    out[at & 1] = x[1];
}

// CHECK: escapes: False
static gpucc_noinline void fill(float *out) { out[0] = out[1] = 1; }
guvectorize((2)->(2))
void escapes(const float x[2], float out[2])
{
    (void)x;
    fill(out);
}

// CHECK: zeros: True
guvectorize((2)->(64))
void zeros(const float x[2], float out[64])
{
    for (int i = 0; i < 64; i++)
        out[i] = 0;
    out[5] = x[0];
}

// CHECK: copied: False
guvectorize((n)->(n))
void copied(size_t n, const float x[n], float out[n])
{
    for (size_t i = 0; i < n; i++)
        out[i] = x[i];
}

// A loop that is long is not unrolled for the proof, which would take minutes.
// CHECK: summed: True
guvectorize((n)->())
void summed(size_t n, const float x[n], float *sum)
{
    *sum = 0;
    for (size_t i = 0; i < 100000; i++)
        *sum = *sum * 0.5f + x[i % n];
}
