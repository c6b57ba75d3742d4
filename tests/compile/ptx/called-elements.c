// A loop that converts operands, of which each has 4 to 8 copies of the function, calls the function where it is long;
// the loops over contiguous and strided elements have copies.  tests/python/elements.test runs them.
// RUN: %gpucc -o %t.ptx %s && FileCheck %s < %t.ptx
// RUN: %python -c "import os; assert os.path.getsize('%t.ptx') < 500000, os.path.getsize('%t.ptx')"
// RUN: %if ptxas %{ %ptxas -arch=sm_75 %t.ptx -o /dev/null %}
// CHECK-LABEL: .entry series_f64f64_f64(
// CHECK-NOT: series_f64f64_f64_element
// CHECK-LABEL: .func (.param .align 8 .b8 gpucc_results[{{16|8}}]) series_f64f64_f64_element(
// CHECK-NOT: .func {{.*}}series_f64f64_f64_element(
// CHECK-LABEL: .entry series_f64f64_f64_converted(
// CHECK: call.uni (gpucc_results), series_f64f64_f64_element, (gpucc_p0, gpucc_p1);
// CHECK-LABEL: .entry brief_f64_f64_converted(
// CHECK-NOT: brief_f64_f64_element
#include <gpucc.h>
#include <math.h>

#define TERM(n) r = r * x + y / (n); r = r > 1000000 ? r - 1000000 * (n) : r;
#define TEN(n) TERM(n + 1) TERM(n + 2) TERM(n + 3) TERM(n + 4) TERM(n + 5) TERM(n + 6) TERM(n + 7) TERM(n + 8) TERM(n + 9)

vectorize()
float64 series(float64 x, float64 y)
{
    float64 r = sin(x);
    TEN(0) TEN(10) TEN(20)
    return r;
}

// Returns early, and has a table in local memory.
vectorize()
float32 steps(float32 x)
{
    float32 table[16], r = x, y = 1;
    if (x > 30)
        return -1;
    for (int i = 0; i < 16; i++)
        table[i] = x * i;
    TEN(0) TEN(10) TEN(20)
    return r + table[(int)x & 15];
}

vectorize()
float64 brief(float64 x) { return x + 1; }
