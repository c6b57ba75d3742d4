// A floating-point sum is shared in C's order, and -Wperformance names the word for a tree.
// RUN: %gpucc %s -Wperformance -o %t.ptx 2>&1 | FileCheck %s
// RUN: grep '\.entry' %t.ptx | FileCheck --check-prefix=PTX %s
// PTX: .entry total_f32_f32_team(
#include <gpucc.h>

// CHECK: order.c:[[#@LINE+6]]:5: warning: a floating-point sum in C's order: a warp adds its terms one by one [-Wperformance]
// CHECK: note: mark 'total' 'reorderable' to add them in a tree that depends on their number alone
guvectorize((n)->())
void total(size_t n, const float x[n], float *y)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    *y = sum;
}
