// Each store of an output that is stored twice is of its own result: tiles never gather those of several results.
// RUN: %gpucc %s --arch=sm_90 -o %t.ptx && FileCheck %s --input-file=%t.ptx
// RUN: %if fake-cuda %{ env GPUCC_LIBCUDA=%fake GPUCC_FAKE_PTX=1 GPUCC_GUFUNC_TEAM=8 GPUCC_LOW_OCCUPANCY_WARNINGS=0 %gpucc run %s twice ones:16x8:float32 ones:8x16:float32 --device=cuda | FileCheck --check-prefix=TWICE %s %}
// RUN: %if fake-cuda %{ env GPUCC_LIBCUDA=%fake GPUCC_FAKE_PTX=1 GPUCC_GUFUNC_TEAM=8 GPUCC_LOW_OCCUPANCY_WARNINGS=0 %gpucc run %s bytes ones:16x8:float32 ones:8x16:float32 --device=cuda | FileCheck --check-prefix=BYTES %s %}
#include <gpucc.h>

// TWICE: minimum 16
// TWICE: maximum 16
// CHECK-LABEL: .entry twice_f32f32_f32f32_team(
// CHECK-NOT: st.global.v4.f32
// CHECK-LABEL: .entry twice_f32f32_f32f32_together(
guvectorize((m,k),(k,n)->(m,n),(m,n))
void twice(size_t m, size_t k, size_t n, const float a[m][k], const float b[k][n], float y[m][n], float z[m][n])
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = 0;
            for (size_t l = 0; l < k; l++)
                sum += a[i][l] * b[l][j];
            y[i][j] = sum;
            z[i][j] = sum + 1;
            y[i][j] = sum * 2;
        }
}

// BYTES: minimum 0
// BYTES: maximum 0
guvectorize((m,k),(k,n)->(m,n))
void bytes(size_t m, size_t k, size_t n, const float a[m][k], const float b[k][n], float y[m][n])
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = 0;
            for (size_t l = 0; l < k; l++)
                sum += a[i][l] * b[l][j];
            y[i][j] = sum;
            ((unsigned char *)&y[i][j])[3] = 0;
        }
}
