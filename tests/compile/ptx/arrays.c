// RUN: %gpucc %s --arch=sm_90 -w -o %t.ptx && FileCheck %s < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}
// A small array of a thread's own lies in registers where loops run over it, however long these are; not where an index
// comes from elsewhere, or the array is larger than the registers.
#include <gpucc.h>

enum { SIDE = 8, MANY = 512 };

// CHECK-LABEL: .entry tile(
// CHECK-NOT: .local
// CHECK: ret;
kernel void tile(int32 n, const float32 *restrict a, const float32 *restrict b, float32 *restrict out)
{
    float32 sums[SIDE][SIDE] = {};
    for (int32 k = 0; k < n; k++)
        for (int32 i = 0; i < SIDE; i++) {
            const float32 x = a[(k * SIDE + i) * 4], y = a[(k * SIDE + i) * 4 + 1], z = a[(k * SIDE + i) * 4 + 2];
            for (int32 j = 0; j < SIDE; j++) {
                sums[i][j] += x * b[(k * SIDE + j) * 4];
                sums[i][j] += y * b[(k * SIDE + j) * 4 + 1];
                sums[i][j] += z * b[(k * SIDE + j) * 4 + 2];
            }
        }
    for (int32 i = 0; i < SIDE; i++)
        for (int32 j = 0; j < SIDE; j++)
            out[i * SIDE + j] = sums[i][j];
}

// CHECK-LABEL: .entry counts(
// CHECK: .local
// CHECK: ret;
kernel void counts(int32 n, const int32 *restrict x, int32 *restrict out)
{
    int32 cells[SIDE] = {};
    for (int32 i = 0; i < n; i++)
        cells[x[i] & (SIDE - 1)]++;
    for (int32 i = 0; i < SIDE; i++)
        out[i] = cells[i];
}

// CHECK-LABEL: .entry large(
// CHECK: .local
// CHECK: ret;
kernel void large(int32 n, const float32 *restrict x, float32 *restrict out)
{
    float32 row[MANY];
    for (int32 i = 0; i < MANY; i++)
        row[i] = x[i * n];
    for (int32 i = 0; i < MANY; i++)
        out[i] = row[MANY - 1 - i];
}

// The source's `#pragma nounroll` decides.
// CHECK-LABEL: .entry told(
// CHECK: .local
// CHECK: ret;
kernel void told(int32 n, const float32 *restrict x, float32 *restrict out)
{
    float32 row[SIDE];
#pragma nounroll
    for (int32 i = 0; i < SIDE; i++)
        row[i] = x[i * n];
#pragma nounroll
    for (int32 i = 0; i < SIDE; i++)
        out[i] = row[SIDE - 1 - i];
}
