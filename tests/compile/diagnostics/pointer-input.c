// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
#include <gpucc.h>

// CHECK: pointer-input.c:[[#@LINE+3]]:22: error: input 'x' of 'a' is a pointer ('const float *'), but vectorize functions take scalars
// CHECK: pointer-input.c:[[#@LINE+2]]:22: note: for several outputs make the function 'void', with trailing pointers for all of them
vectorize(float32(float32))
float a(const float *x) { return *x; }

// CHECK: pointer-input.c:[[#@LINE+3]]:30: error: input 'y' of 'b' is a pointer ('const float *'), but vectorize functions take scalars
// CHECK: pointer-input.c:[[#@LINE+2]]:30: note: for functions of whole arrays there is guvectorize(…); only trailing pointers to non-const are outputs
vectorize()
void b(float x, const float *y) { (void)x; (void)y; }

struct pair { float a, b; };

// CHECK: pointer-input.c:[[#@LINE+2]]:21: error: input 'p' of 'c' has type 'struct pair', which is not a dtype
vectorize()
float c(struct pair p) { return p.a; }

// CHECK: pointer-input.c:[[#@LINE+2]]:13: error: 'd' returns 'struct pair', which
vectorize()
struct pair d(float x) { return (struct pair){x, x}; }

// CHECK: pointer-input.c:[[#@LINE+2]]:6: error: 'e' has no output: return a value, or write through trailing pointers
vectorize()
void e(float x) { (void)x; }

// CHECK: pointer-input.c:[[#@LINE+2]]:7: error: 'f' has no input: a vectorize function takes at least one scalar
vectorize()
float f(void) { return 1; }

// CHECK: pointer-input.c:[[#@LINE+2]]:30: error: output 'out' of 'g' has type 'struct pair *', which does not point to a dtype
vectorize()
void g(float x, struct pair *out) { out->a = x; }
