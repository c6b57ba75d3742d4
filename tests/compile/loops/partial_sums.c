// A sum of integers that does not overflow in C's order may overflow in a thread's part, which must not be undefined.
// RUN: %gpucc %s -o %t.ll
// RUN: FileCheck %s < %t.ll
#include <gpucc.h>

// CHECK-LABEL: define {{.*}} @total_i32_i32_team(
// CHECK-NOT: add nsw i32
// CHECK-LABEL: define {{.*}} @total_i32_i32_together(
// CHECK-NOT: add nsw i32
// CHECK-LABEL: define {{.*}} @total_i32_i32_staged(
guvectorize((n)->())
void total(size_t n, const int x[n], int *y)
{
    int sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    *y = sum;
}

// CHECK-LABEL: define {{.*}} @running_i32_i32_team(
// CHECK-NOT: add nsw i32
// CHECK-LABEL: define {{.*}} @running_i32_i32_staged(
guvectorize((n)->(n))
void running(size_t n, const int x[n], int y[n])
{
    int sum = 0;
    for (size_t i = 0; i < n; i++)
        y[i] = sum += x[i];
}
