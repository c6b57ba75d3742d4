// Sums of several rows are SIMD code together, each with the bits of a call of its own.
// RUN: %gpucc run %s by_row random:20x37x1100:float32 random:20x1100:float32 --device=cpu -o %t.npy > /dev/null
// RUN: %gpucc run --check %s by_row random:20x37x1100:float32 random:20x1100:float32 --device=cpu -o %t.c.npy > /dev/null
// RUN: cmp %t.npy %t.c.npy
// RUN: %gpucc run %s by_row random:5x29x61:float64 random:5x61:float64 --device=cpu -o %t.npy > /dev/null
// RUN: %gpucc run --check %s by_row random:5x29x61:float64 random:5x61:float64 --device=cpu -o %t.c.npy > /dev/null
// RUN: cmp %t.npy %t.c.npy
// RUN: %gpucc run %s distances random:200x61:float32 random:61:float32 --device=cpu -o %t.npy > /dev/null
// RUN: %gpucc run --check %s distances random:200x61:float32 random:61:float32 --device=cpu -o %t.c.npy > /dev/null
// RUN: cmp %t.npy %t.c.npy
// RUN: %gpucc %s --target=x86-64-v3 -o %t.o && objdump -d %t.o | FileCheck %s
// CHECK-LABEL: <by_row_f32f32_f32_loop
// CHECK: vhaddps %ymm
// CHECK-LABEL: <by_row_f64f64_f64_loop
// CHECK: vhaddpd %ymm
#include <gpucc.h>

typevar(T, float32, float64);

guvectorize((m,n),(n)->(m)) reorderable
void by_row(size_t m, size_t n, const T matrix[m][n], const T vector[n], T result[m])
{
    for (size_t i = 0; i < m; i++) {
        T sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += matrix[i][k] * vector[k];
        result[i] = sum;
    }
}

// A value before the loop, and products.
guvectorize((m,n),(n)->(m)) reorderable
void distances(size_t m, size_t n, const T rows[m][n], const T point[n], T result[m])
{
    for (size_t i = 0; i < m; i++) {
        T product = 2;
        for (size_t k = 0; k < n; k++)
            product *= 1 + (rows[i][k] - point[k]) / 64;
        result[i] = product;
    }
}
