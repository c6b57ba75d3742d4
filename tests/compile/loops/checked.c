// Checks change no bit of a reorderable gufunc's sums: these follow the tree although an access may end the call.
// RUN: %gpucc run %s rows random:40x1000:float32 random:1000:float32:2 --device=cpu -o %t.npy > /dev/null
// RUN: %gpucc run %s rows random:40x1000:float32 random:1000:float32:2 --device=cpu --check -o %t.all.npy > /dev/null
// RUN: cmp %t.npy %t.all.npy
// RUN: %gpucc run %s rows random:40x1000:float32 random:1000:float32:2 --device=cpu --check=float -o %t.f.npy > /dev/null
// RUN: cmp %t.npy %t.f.npy
// RUN: %gpucc run %s rows random:40x1000:float32 random:1000:float32:2 --device=cpu -DSERIAL -o %t.serial.npy > /dev/null
// RUN: not cmp %t.npy %t.serial.npy
// The loop still adds in C's order for the check, which names the addition.
// RUN: not %gpucc run %s rows full:1x1000:float32:1e37 ones:1000:float32 --device=cpu --check=float 2>&1 | FileCheck %s
// CHECK: checked.c:[[#@LINE+19]]:{{.*}}infinity from finite operands
#include <gpucc.h>
#include <math.h>
#ifdef SERIAL
#define REORDERABLE
#else
#define REORDERABLE reorderable
#endif

guvectorize((m,n),(n)->(m)) REORDERABLE
void rows(size_t m, size_t n, const float x[m][n], const float v[n], float y[m])
{
    for (size_t i = 0; i < m; i++) {
        float sum = 0, product = 1;
        double positive = 1;
        for (int k = 0; k < (int)n; k++) {
            product *= x[i][k] + 0.5f;
            if (v[k] > 0.25f)
                positive -= exp((double)v[k]);
            sum += x[i][k] * v[k];
        }
        y[i] = sum + product + (float)positive;
    }
}

// A condition that selects, and does not branch: terms that it excludes are none.
// RUN: %gpucc run %s third zeros:3:float32 --device=cpu | FileCheck --check-prefix=THIRD %s
// THIRD: first   5
guvectorize((n)->()) reorderable
void third(size_t n, const float x[n], float *y)
{
    float sum = 3;
    for (int i = (int)n - 1; i >= 0; i--)
        if (i % 3 == 1)
            sum += (float)((i & 15) + 1);
    *y = sum;
}

// Sums that are kept in memory follow the tree under each check as well.
// RUN: %gpucc run %s in_place random:7:float32 random:900:float32:2 --device=cpu -o %t.npy > /dev/null
// RUN: %gpucc run %s in_place random:7:float32 random:900:float32:2 --device=cpu -DSERIAL -o %t.c.npy > /dev/null
// RUN: not cmp %t.npy %t.c.npy
// RUN: %gpucc run %s in_place random:7:float32 random:900:float32:2 --device=cpu --check -o %t.c.npy > /dev/null
// RUN: cmp %t.npy %t.c.npy
// RUN: %gpucc run %s in_place random:7:float32 random:900:float32:2 --device=cpu --check=float -o %t.c.npy > /dev/null
// RUN: cmp %t.npy %t.c.npy
// RUN: %gpucc run %s in_place random:7:float32 random:900:float32:2 --device=cpu --check=undefined -o %t.c.npy \
// RUN:     > /dev/null
// RUN: cmp %t.npy %t.c.npy
guvectorize((n),(m)->(n)) REORDERABLE
void in_place(size_t n, size_t m, const float w[n], const float x[m], float y[n])
{
    for (size_t i = 0; i < n; i++) {
        y[i] = w[i];
        for (size_t j = 0; j < m; j++)
            y[i] -= w[i] * x[j];
        for (size_t j = 0; j < m; j++)
            y[(uint32)(i * 5) % n] += x[j];
        for (size_t j = 0; j < m; j++)
            y[i] *= x[j] + 0.5f;
    }
}

// An element that is stored as it was loaded has no sum.
// RUN: %gpucc run %s as_it_was arange:3:float32 zeros:2:float32 --device=cpu --check=undefined | FileCheck --check-prefix=SAME %s
// SAME: first   2 3
guvectorize((n),(m)->(m)) reorderable
void as_it_was(size_t n, size_t m, const float x[n], const float z[m], float y[m])
{
    (void)z;
    y[1] = 3;
    for (int i = 0; i < (int)n; i++) {
        y[1] = y[1];
        y[0] = x[i];
    }
}
