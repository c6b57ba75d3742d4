// gpucc test compares the adjoint of a kernel with differences of it, at the arrays of the kernel's tests.
// RUN: %gpucc test %s | FileCheck --match-full-lines %s
// RUN: %exits 1 %gpucc test -DWRONG --keep=%t %s | FileCheck --check-prefix=WRONG %s
#include <gpucc.h>
#include <math.h>

vectorize() double square(double x) { return x * x; }
#ifdef WRONG
double wrong(double x) { return x; }
derivative(wrong) vectorize() double squared(double x) { return x * x; }
#define square squared
#endif

kernel void blocks(size_t n, const double x[n], const double y[n], double *sums, double z[n])
{
    shared double s[64];
    unsigned t = threadIdx.x;
    size_t i = grid(1);
    s[t] = i < n ? square(x[i]) * sin(y[i]) : 0;
    syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = s[0];
    if (i < n)
        z[i] *= x[i];
}
adjoint(blocks_vjp, blocks);

test(sizes, blocks(n, random, random(-2, 2), zeros[(n + 15) / 16], random), any(n, 1, 100), threads(n), block(16));
// CHECK: ok      sizes: checks: 16 cases, 64 launches
// CHECK: ok      sizes: cpu: 16 cases, 16 launches
// CHECK: ok      sizes: derivative(blocks): 16 cases, 144 launches
// WRONG: FAILED  sizes: derivative(blocks): {{.*}}kernels-tests.c:[[#@LINE-4]]: case 1 of 16
// WRONG-NEXT: {{ +}}the slope of blocks_vjp in a direction is {{.*}}, and {{.*}} by differences of 'blocks'
// WRONG-NEXT: {{ +}}with n = 1

/* Differences of float32 say little. */
kernel void single(size_t n, const float x[n], float y[n])
{
    if (grid(1) < n)
        y[grid(1)] = x[grid(1)] * x[grid(1)];
}
adjoint(single_vjp, single);
test(one, single(n, random, zeros), each(n, 5), threads(n));
// CHECK: ok      one: cpu: 1 case, 1 launch
// CHECK-NOT: {{.*}}derivative(single){{.*}}

/* All is a kink. */
kernel void kinks(size_t n, const double x[n], double y[n])
{
    if (grid(1) < n)
        y[grid(1)] = fabs(x[grid(1)]);
}
adjoint(kinks_vjp, kinks);
test(kinked, kinks(n, zeros, zeros), each(n, 5), threads(n));
// CHECK: skipped kinked: derivative(kinks): its differences do not settle

/* The adjoint's launch has room for shadows. */
kernel void launched(size_t n, const double x[n], double y[n])
{
    dynamic_shared(double, s);
    size_t i = grid(1);
    s[threadIdx.x] = i < n ? x[i] : 1;
    syncthreads();
    if (i < n)
        y[i] = s[threadIdx.x] * s[blockDim.x - 1 - threadIdx.x];
}
adjoint(launched_vjp, launched);
test(given, launched(n, random, zeros), any(n, 1, 40), threads(n), block(5), shared(40));
// CHECK: ok      given: derivative(launched): 16 cases, 144 launches
