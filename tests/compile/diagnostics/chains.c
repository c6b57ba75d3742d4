// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// Gufuncs and reductions that cannot be fused.
#include <gpucc.h>

typevar(T, float32, float64);
identity(0) reorderable vectorize() T add(T x, T y) { return x + y; }
vectorize() T sub(T x, T y) { return x - y; }
vectorize() T mul(T x, T y) { return x * y; }
reorderable vectorize() T most(T x, T y) { return x > y ? x : y; }
vectorize() float64 half(float64 x) { return x / 2; }
guvectorize((n)->()) reorderable void mean(size_t n, const T x[n], T *y) { *y = n ? x[0] : 0; }
guvectorize((n),()->(n)) reorderable void scaled(size_t n, const T x[n], T by, T y[n]) { y[0] = x[0] * by; }
guvectorize((m,n),(n)->(m)) reorderable
void matvec(size_t m, size_t n, const T a[m][n], const T x[n], T y[m]) { y[0] = a[0][0] * x[0]; }
guvectorize((m,n)->()) reorderable void table(size_t m, size_t n, const T a[m][n], T *y) { *y = a[0][0]; }
guvectorize((3),(3)->(3)) reorderable void cross(const T a[3], const T b[3], T c[3]) { c[0] = a[1] * b[2]; }
guvectorize((4)->()) reorderable void first(const T a[4], T *c) { *c = a[0]; }
guvectorize((n)->(),()) reorderable void two(size_t n, const T x[n], T *a, T *b) { *a = *b = x[0]; }
guvectorize((n)->()) cooperative void block(size_t n, const T x[n], T *y) { *y = x[0]; }
guvectorize((n)->()) void serial(size_t n, const T x[n], T *y) { *y = x[0]; }
guvectorize((n)->(n)) reorderable void widened(size_t n, const T x[n], double y[n]) { y[0] = x[0]; }

fuse(good, sub(x, mean(x)));
fuse(better, mul(scaled(x, mean(x)), reduce(add, mul(x, weight))));

// CHECK-DAG: chains.c:[[#@LINE+1]]:25: error: 'most' needs 'identity(…)', from which it combines numbers inside an expression
fuse(identities, sub(x, reduce(most, x)));
// CHECK-DAG: chains.c:[[#@LINE+1]]:26: error: 'mean' reads an array here, which must be a parameter; 'reduce' combines elements of an expression
fuse(arrays, sub(x, mean(mul(x, x))));
// CHECK-DAG: chains.c:[[#@LINE+1]]:29: error: 'scaled' takes one number here, not elements of (n)
fuse(numbers, add(scaled(x, x), 1));
// CHECK-DAG: chains.c:[[#@LINE+1]]:19: error: 'mean' takes 1 input, got 2
fuse(many, sub(x, mean(x, y)));
// CHECK-DAG: chains.c:[[#@LINE+1]]:18: error: 'scaled' takes 2 inputs, got 1
fuse(few, sub(x, scaled(x)));
// CHECK-DAG: chains.c:[[#@LINE+1]]:42: error: 'x' has the dimensions (n), but (m,n) here
fuse(dimensions, add(mean(x), mul(matvec(x, v), 2)));
// CHECK-DAG: chains.c:[[#@LINE+1]]:36: error: 'v' has the dimensions (3), but (4) here
fuse(sizes, mul(cross(v, w), first(v)));
// CHECK-DAG: chains.c:[[#@LINE+1]]:22: error: 'two' has 2 outputs: 'fuse' takes gufuncs with one
fuse(outputs, sub(x, two(x)));
// CHECK-DAG: chains.c:[[#@LINE+1]]:21: error: 'block' uses a block of threads by itself: 'fuse' takes other gufuncs
fuse(blocks, sub(x, block(x)));
// CHECK-DAG: chains.c:[[#@LINE+1]]:17: error: 'serial' is not 'reorderable', but 'mean' is: all that an expression combines follows one order
fuse(order, mul(serial(x), mean(x)));
// CHECK-DAG: chains.c:[[#@LINE+1]]:33: error: 'scaled' returns an array, for which this expression has no place: it may return one, of the type of the result, to the ufuncs around it
fuse(inside, mul(x, reduce(add, scaled(x, 2))));
// CHECK-DAG: chains.c:[[#@LINE+1]]:20: error: 'widened' returns 'float64', but 'sub' takes 'T' here
fuse(types, sub(x, widened(x)));
// CHECK-DAG: chains.c:[[#@LINE+1]]:18: error: 'reduce' combines elements along one dimension, but here are (m,n)
fuse(matrix, sub(reduce(add, mul(a, a)), reduce(add, matvec(a, x))));
// CHECK-DAG: chains.c:[[#@LINE+1]]:14: error: 'sub' combines elements of (m,n) and of (n)
fuse(shapes, sub(sub(a, table(a)), scaled(x, 2)));
// CHECK-DAG: chains.c:[[#@LINE+1]]:34: error: a fused function with 'matmul' has no other gufunc and no 'reduce'
fuse(products, add(matmul(a, b), mean(x)));
// CHECK-DAG: chains.c:[[#@LINE+1]]:34: error: a fused function with 'matmul' has no other gufunc and no 'reduce'
fuse(behind, add(reduce(add, x), matmul(a, b)));
// CHECK-DAG: chains.c:[[#@LINE+1]]:32: error: a fused function with 'matmul' has no other gufunc and no 'reduce'
fuse(total, add(1, reduce(add, matmul(a, b))));
