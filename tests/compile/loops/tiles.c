// A thread of a team makes several sums at once, which share the elements that it loads.
// RUN: %gpucc %s --arch=sm_90 -o %t.ptx && FileCheck %s --input-file=%t.ptx
#include <gpucc.h>

// Eight rows and four columns, of which four neighbouring elements are loaded at once, for four terms.
// CHECK-LABEL: .entry product_f32f32_f32_team(
// CHECK-COUNT-12: ld.global{{.*}}.v4.f32
// CHECK-COUNT-8: st.global.v4.f32
// CHECK-NOT: bar.
// CHECK-LABEL: .entry product_f32f32_f32_together(
guvectorize((m,k),(k,n)->(m,n))
void product(size_t m, size_t k, size_t n, const float a[m][k], const float b[k][n], float c[m][n])
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = 0;
            for (size_t l = 0; l < k; l++)
                sum += a[i][l] * b[l][j];
            c[i][j] = sum;
        }
}

// The sums depend on one another: each row has the one before it.
// CHECK-NOT: .entry chain_f32f32_f32_team(
guvectorize((m,k),(k,n)->(m,n))
void chain(size_t m, size_t k, size_t n, const float a[m][k], const float b[k][n], float c[m][n])
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = i > 0 ? c[i - 1][j] : 0;
            for (size_t l = 0; l < k; l++)
                sum += a[i][l] * b[l][j];
            c[i][j] = sum;
        }
}

// The terms depend on the result, and two conditions end them: one sum at a time, four terms at once.
// CHECK-LABEL: .entry convolve_f32f32_f32_team(
// CHECK-COUNT-5: fma.rn.f32
// CHECK-NOT: fma.rn.f32
// CHECK-LABEL: .entry convolve_f32f32_f32_together(
guvectorize((n),(taps)->(p))
void convolve(size_t n, size_t taps, const float signal[n], const float filter[taps], float result[n + taps - 1])
{
    for (size_t i = 0; i < n + taps - 1; i++) {
        float sum = 0;
        for (size_t k = i < n ? 0 : i - n + 1; k < taps && k <= i; k++)
            sum += signal[i - k] * filter[k];
        result[i] = sum;
    }
}

// Constants of the file lie where the compiler puts them: their addresses are not tested, so they are loaded one by one.
// CHECK-LABEL: .entry weights_f32f32_f32_team(
// CHECK-COUNT-2: ld.global.nc.v4.f32
// CHECK-NOT: ld.global.nc.v4.f32
// CHECK-LABEL: .entry weights_f32f32_f32_together(
static const float even[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, odd[9] = {2, 3, 5, 7, 11, 13, 17, 19, 23};
guvectorize((n),(k)->(n))
void weights(size_t n, size_t k, const float a[n], const float b[k], float y[n])
{
    for (size_t i = 0; i < n; i++) {
        float sum = 0;
        for (size_t l = 0; l < k; l++)
            sum += b[l] * even[l] + odd[l] * a[i];
        y[i] = sum;
    }
}

// How often the inner loop runs is not known before: no tile.
// CHECK-LABEL: .entry newton_f32_f32_team(
guvectorize((n)->(n))
void newton(size_t n, const float a[n], float y[n])
{
    for (size_t i = 0; i < n; i++) {
        float x = a[i], before;
        do {
            before = x;
            x = 0.5f * (x + a[i] / x);
        } while (x < before);
        y[i] = x;
    }
}

// An index of 32 bits wraps before it reaches a large k: a loop without a number of iterations.
// CHECK-NOT: .entry wraps_f32f32_f32_team(
guvectorize((m,k),(k,n)->(m,n))
void wraps(size_t m, size_t k, size_t n, const float a[m][k], const float b[k][n], float c[m][n])
{
    for (unsigned i = 0; i < m; i++)
        for (unsigned j = 0; j < n; j++) {
            float sum = 0;
            for (unsigned l = 0; l < k; l++)
                sum += a[i][l] * b[l][j];
            c[i][j] = sum;
        }
}
