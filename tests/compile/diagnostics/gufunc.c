// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// guvectorize: dimensions that are optional, that broadcast, and that are declared; what belongs to blocks of threads.
#include <gpucc.h>

// CHECK: gufunc.c:[[#@LINE+2]]:6: error: 'd' runs on one thread for each loop index: barriers and warp operations are for kernels, and for gufuncs marked 'cooperative'
guvectorize((n)->())
void d(size_t n, const float x[n], float *y) { syncthreads(); *y = x[0]; }

// CHECK: gufunc.c:[[#@LINE+2]]:6: error: 'h' runs on one block for each loop index: it may use threadIdx and blockDim; blockIdx, gridDim and clusters are for kernels
guvectorize((n)->()) cooperative
void h(size_t n, const float x[n], float *y) { *y = x[grid(1) % n]; }

// CHECK: gufunc.c:[[#@LINE+1]]:13: error: 'cooperative' says that a thread block runs each call of a gufunc, but 'e' is not one: it applies to guvectorize(…)
vectorize() cooperative
float e(float x) { return x; }

// CHECK: gufunc.c:[[#@LINE+1]]:20: error: a core dimension has '?' at each use, or at none
guvectorize((n?)->(n))
void a(size_t n, const float x[n], float y[n]) { y[0] = x[0]; }

// CHECK: gufunc.c:[[#@LINE+1]]:16: error: expected '1' before '2'
guvectorize((n|2)->())
void b(size_t n, const float x[n], float *y) { *y = x[0]; }

// CHECK: gufunc.c:[[#@LINE+2]]:19: error: the extent 'n + extra()' that 'c' declares for this core dimension is not made of numbers and of core dimensions that are parameters
int extra(void);
guvectorize((n)->(p))
void c(size_t n, const float x[n], float y[n + extra()]) { y[0] = x[0]; }

// CHECK: gufunc.c:[[#@LINE+1]]:14: error: an optional core dimension must be a parameter of 'i'; it is 1 in calls that omit the dimension
guvectorize((3?)->())
void i(const float x[3], float *y) { *y = x[0]; }

// CHECK: gufunc.c:[[#@LINE+1]]:14: error: expected a size of at most 2147483647 before '30000000000'
guvectorize((30000000000)->())
void j(const float x[1], float *y) { *y = x[0]; }

// CHECK: gufunc.c:[[#@LINE+1]]:13: error: a layout has at most 16 core dimensions
guvectorize((a,b,c,d,e,f,g,h),(i,j,k,l,m,n,o,p),(q)->())
void f(const float x[1], float *y) { *y = x[0]; }

// CHECK: gufunc.c:[[#@LINE+1]]:13: error: a layout has at most 64 operands
guvectorize((),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),\
            (),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),(),()->(n))
void many(const float x[1], float *y) { *y = x[0]; }

// CHECK: gufunc.c:[[#@LINE+1]]:13: error: an operand has at most 8 core dimensions
guvectorize((1,1,1,1,1,1,1,1,1)->())
void g(const float x[1], float *y) { *y = x[0]; }
