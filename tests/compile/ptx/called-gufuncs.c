// A gufunc's function too large to be copied into every loop is one body, which the loops call.  A kernel's stands once.
// RUN: %gpucc -Wperformance -o %t.ptx -o %t.o %s 2>&1 | FileCheck --check-prefix=WARN %s
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck --check-prefix=ONCE %s < %t.ptx
// RUN: %gpucc run %s many random:8x5:float64 3.25 --device=cpu -o %t.3.npy
// RUN: %gpucc run -O0 %s many random:8x5:float64 3.25 --device=cpu -o %t.0.npy
// RUN: cmp %t.0.npy %t.3.npy
#include <gpucc.h>

#define ONE(n)                                                                                                         \
    if (x[(n) % 5] * ((n) % 13 + 1) > *y + (n))                                                                        \
        r = r * 0.5 + (n);                                                                                             \
    else                                                                                                               \
        r -= *y * ((n) % 17);
#define TEN(n) ONE(n) ONE(n + 1) ONE(n + 2) ONE(n + 3) ONE(n + 4) ONE(n + 5) ONE(n + 6) ONE(n + 7) ONE(n + 8) ONE(n + 9)
#define HUNDRED(n)                                                                                                     \
    TEN(n) TEN(n + 10) TEN(n + 20) TEN(n + 30) TEN(n + 40) TEN(n + 50) TEN(n + 60) TEN(n + 70) TEN(n + 80) TEN(n + 90)
#define FIVE_HUNDRED(n) HUNDRED(n) HUNDRED(n + 100) HUNDRED(n + 200) HUNDRED(n + 300) HUNDRED(n + 400)

// CHECK: .func many(
// CHECK-NOT: .func many(
// CHECK: .entry many_f64f64_f64_outer(
// CHECK: call.uni
// CHECK-NEXT: many,
// CHECK: .entry many_f64f64_f64_staged(
// CHECK: call.uni
// CHECK-NEXT: many,
// WARN: [[#@LINE+2]]:6: warning: 'many' has about {{[0-9]+}} instructions, but ufunc loops inline at most 1000: they call it [-Wperformance]
guvectorize((5),()->())
void many(const float64 x[5], const float64 *y, float64 *o)
{
    float64 r = 0;
    FIVE_HUNDRED(0)
    *o = r;
}

// A kernel's body is its own.
// ONCE: .entry once(
// ONCE-NOT: call.uni
// ONCE: ret;
kernel void once(const float64 x[5], const float64 *y, float64 *o)
{
    float64 r = grid(1);
    FIVE_HUNDRED(0)
    *o = r;
}
