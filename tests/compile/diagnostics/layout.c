// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// guvectorize: the layout against the prototype.
#include <gpucc.h>

// CHECK: layout.c:[[#@LINE+1]]:20: error: expected ',' or '->' before '='
guvectorize((n),(n)=>())
void a(size_t n, const float x[n], const float y[n], float *out) { *out = x[0] + y[0]; }

// CHECK: layout.c:[[#@LINE+4]]:15: error: core dimension 'n' of '(n,m)->()' must be a 'size_t'
// CHECK: layout.c:[[#@LINE+2]]:16: error: 'b' has no parameter 'size_t m' for this core dimension
// CHECK: layout.c:[[#@LINE+2]]:6: note: 'b' is defined here
guvectorize((n,m)->())
void b(double n, const float x[3], float *out) { *out = x[0] + n; }

// CHECK: layout.c:[[#@LINE+2]]:25: error: parameter 'k' is not a core dimension of '(n)->()'
guvectorize((n)->())
void c(size_t n, size_t k, const float x[n], float *out) { *out = x[k]; }

// CHECK: layout.c:[[#@LINE+3]]:13: error: the layout of input 'x' does not match its declaration
// CHECK: layout.c:[[#@LINE+3]]:40: note: it asks for 'const T x[m][n]' here
// CHECK-NOT: 'y'
guvectorize((m,n)->(3))
void d(size_t m, size_t n, const float x[n][m], float y[3]) { y[0] = x[0][0]; }

// CHECK: layout.c:[[#@LINE+2]]:24: error: input 'x' must point to const
guvectorize((n)->())
void e(size_t n, float x[n], float *out) { *out = x[0]; }

// CHECK: layout.c:[[#@LINE+2]]:49: error: output 'out' must not be const
guvectorize((n)->())
void f(size_t n, const float x[n], const float *out) { (void)x; (void)out; }

// CHECK: layout.c:[[#@LINE+2]]:13: error: this layout has 3 operands, but 'g' takes 2 arrays
// CHECK: layout.c:[[#@LINE+2]]:6: note: 'g' is defined here
guvectorize((n),(n)->())
void g(size_t n, const float x[n], float *out) { *out = x[0]; }

// CHECK: layout.c:[[#@LINE+2]]:7: error: 'h' returns 'float', but a guvectorize function writes its results into arrays: make it 'void'
guvectorize((n)->())
float h(size_t n, const float x[n]) { return x[0]; }

// CHECK: layout.c:[[#@LINE+1]]:14: error: expected a size of at least 1 before '0'
guvectorize((0)->())
void i(const float x[1], float *out) { *out = x[0]; }

// CHECK: layout.c:[[#@LINE+1]]:14: error: 'p' broadcasts to 'q', which is not a core dimension of its own
guvectorize((p:q)->())
void broadcast(size_t p, const float x[p], float *out) { *out = x[0]; }

// CHECK: layout.c:[[#@LINE+1]]:19: error: 'p:n' must be a core dimension of one input, used once
guvectorize((n)->(p:n))
void broadcast_output(size_t n, size_t p, const float x[n], float out[p]) { out[0] = x[0]; }

// CHECK: layout.c:[[#@LINE+1]]:20: error: expected the core dimension to which it broadcasts before ')'
guvectorize((n),(p:)->())
void broadcast_nothing(size_t n, size_t p, const float x[n], const float y[p], float *out) { *out = x[0] + y[0]; }
