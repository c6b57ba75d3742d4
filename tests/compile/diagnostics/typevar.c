// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
#include <gpucc.h>

typevar(T, float32, float64);
typevar(U, float32, float64);

// CHECK: typevar.c:[[#@LINE+1]]:21: error: unknown type 'flaot64'; did you mean 'float64'?
typevar(V, float32, flaot64);

// CHECK: typevar.c:[[#@LINE+2]]:12: error: unknown type 'flot32'; did you mean 'float32'?
// CHECK-NOT: unknown type name
typevar(Y, flot32, float64);

// CHECK: typevar.c:[[#@LINE+1]]:21: error: type variable 'W' lists 'float32' twice
typevar(W, float32, float32);

// CHECK: typevar.c:[[#@LINE+1]]:12: error: type variable 'X' cannot be 'double'; write 'float64'
typevar(X, double);

// CHECK: typevar.c:[[#@LINE+5]]:17: error: type variable 'T' cannot be 'int32'
// CHECK-NEXT: vectorize
// CHECK-NEXT: {{^}}      |                 ^~~~~{{$}}
// CHECK-NEXT: typevar.c:[[#@LINE-19]]:1: note: its types are listed here
// CHECK-NEXT: typevar(T, float32, float64);
vectorize(int32(int32))
T a(T x) { return x; }

// CHECK: typevar.c:[[#@LINE+2]]:11: error: type variable 'T' cannot be both 'float64' and 'float32' in one signature
// CHECK: typevar.c:[[#@LINE+2]]:3: note: 'b' returns 'T'
vectorize(float32(float64))
T b(T x) { return x; }

// CHECK: typevar.c:[[#@LINE+3]]:7: error: 'c' uses type variable 'U', but none of its parameters has that type, so nothing binds it
// CHECK: typevar.c:[[#@LINE-29]]:1: note: 'U' is declared here
vectorize()
float c(float x) { U y = x; return y; }
