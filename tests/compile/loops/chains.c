// Fused gufuncs and reductions are plain loops, which threads share; a ufunc whose order shows cannot be combined in them.
// RUN: %gpucc %s -o %t.ptx -o %t.json
// RUN: grep '\.entry' %t.ptx | FileCheck --check-prefix=PTX %s
// RUN: FileCheck --check-prefix=JSON %s < %t.json
// RUN: %exits 1 %gpucc -DORDER %s -o %t.ptx 2>&1 | FileCheck --strict-whitespace %s
#include <gpucc.h>
#include <math.h>
identity(0) reorderable vectorize() float add(float x, float y) { return x + y; }
identity(-INFINITY) reorderable vectorize() float most(float x, float y) { return fmaxf(x, y); }
identity(-INFINITY) reorderable vectorize() float logadd(float x, float y) { return logf(expf(x) + expf(y)); }
vectorize() float sub(float x, float y) { return x - y; }
vectorize() float divide(float x, float y) { return x / y; }
vectorize() float exponent(float x) { return expf(x); }
vectorize() float mul(float x, float y) { return x * y; }
guvectorize((m,n),(n)->(m)) reorderable
void matvec(size_t m, size_t n, const float a[m][n], const float x[n], float y[m])
{
    for (size_t j = 0; j < m; j++) {
        y[j] = 0;
        for (size_t i = 0; i < n; i++)
            y[j] += a[j][i] * x[i];
    }
}

// PTX-DAG: .entry softmax_f32_f32_team(
// JSON: "layout": "(n)->(n)"
/* A doc of its own. */
fuse(softmax, divide(exponent(sub(x, reduce(most, x))), reduce(add, exponent(sub(x, reduce(most, x))))));
// PTX-DAG: .entry scaled_f32f32f32_f32_team(
// JSON: "layout": "(scale_m:m),(m,n),(n)->(m)"
fuse(scaled, mul(scale, matvec(A, x)));
// PTX-DAG: .entry dot_f32f32f32_f32_team(
// JSON: "layout": "(n),(y_n:n),()->()"
fuse(products, reduce(add, mul(x, y)));
fuse(dot, mul(products(x, y), c));
#ifdef ORDER
// CHECK: chains.c:[[#@LINE+1]]:1: error: 'order' cannot be fused: 'logadd' is 'reorderable', but its reduction here would keep C's order: an iteration uses a value that the previous one computed
fuse(order, sub(x, reduce(logadd, x)));
#endif
