// A function too large to be copied into every loop around a ufunc is one body, which the loops call; a call with a
// constant that chooses a small part of it is that part, and a small function beside it is inlined as ever.
// RUN: %gpucc -Wperformance -o %t.ptx -o %t.o %s 2>&1 | FileCheck --check-prefix=WARN %s
// RUN: FileCheck %s < %t.ptx
// RUN: not grep -w choose %t.ptx
// RUN: FileCheck --check-prefix=PART %s < %t.ptx
// RUN: FileCheck --check-prefix=SMALL %s < %t.ptx
// RUN: %python -c "import os; assert os.path.getsize('%t.ptx') < 1000000, os.path.getsize('%t.ptx')"
// RUN: %gpucc run %s many linspace:-1000:1000:64:float64 3.25 --device=cpu | FileCheck --check-prefix=SUM %s
// RUN: %gpucc run %s part linspace:-1:1:3:float64 --device=cpu | FileCheck --check-prefix=NUMBER %s
// RUN: %gpucc run -O0 %s many linspace:-1000:1000:64:float64 3.25 --device=cpu -o %t.0.npy
// RUN: %gpucc run %s many linspace:-1000:1000:64:float64 3.25 --device=cpu -o %t.3.npy
// RUN: cmp %t.0.npy %t.3.npy
#include <gpucc.h>

#define ONE(n)                                                                                                         \
    if (x * ((n) % 13 + 1) > y + (n))                                                                                  \
        r = r * 0.5 + (n);                                                                                             \
    else                                                                                                               \
        r -= y * ((n) % 17);
#define TEN(n) ONE(n) ONE(n + 1) ONE(n + 2) ONE(n + 3) ONE(n + 4) ONE(n + 5) ONE(n + 6) ONE(n + 7) ONE(n + 8) ONE(n + 9)
#define HUNDRED(n)                                                                                                     \
    TEN(n) TEN(n + 10) TEN(n + 20) TEN(n + 30) TEN(n + 40) TEN(n + 50) TEN(n + 60) TEN(n + 70) TEN(n + 80) TEN(n + 90)
#define FIVE_HUNDRED(n) HUNDRED(n) HUNDRED(n + 100) HUNDRED(n + 200) HUNDRED(n + 300) HUNDRED(n + 400)

// CHECK: .func {{.*}} many(
// CHECK: .func {{.*}} shared_part(
// CHECK-NOT: .func {{.*}} many(
// CHECK: .entry many_f64f64_f64(
// CHECK: call.uni (retval0),
// CHECK-NEXT: many,
// CHECK: .entry many_f64f64_f64_strided(
// CHECK: call.uni (retval0),
// CHECK-NEXT: many,
// SUM: minimum -38915.5
// WARN: [[#@LINE+2]]:9: warning: 'many' has about {{[0-9]+}} instructions, but ufunc loops inline at most 1000: they call it [-Wperformance]
vectorize()
float64 many(float64 x, float64 y)
{
    float64 r = 0;
    FIVE_HUNDRED(0) FIVE_HUNDRED(500) FIVE_HUNDRED(1000)
    return r;
}

static double choose(int which, double x, double y)
{
    double r = 0;
    switch (which) {
    case 0: return 2 * x;
    case 1: FIVE_HUNDRED(7) break;
    default: FIVE_HUNDRED(3)
    }
    return r;
}

// PART: .entry part_f64_f64(
// PART-NOT: many,
// PART: .entry part_f64_f64_strided(
// NUMBER: first   -2 0 2
vectorize()
float64 part(float64 x) { return choose(0, x, x); }

// SMALL: .entry small_f64_f64(
// SMALL-NOT: call.uni
// SMALL: st.global
vectorize()
float64 small(float64 x) { return 3 * x; }

// A plain function that several ufuncs call: the warning names it.
// WARN: [[#@LINE+1]]:1: warning: 'shared_part' has about {{[0-9]+}} instructions
static double shared_part(double x, double y)
{
    double r = 0;
    FIVE_HUNDRED(11)
    return r;
}

vectorize()
float64 calls(float64 x) { return shared_part(x, 1) + shared_part(x, 2); }
