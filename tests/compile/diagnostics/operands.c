// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// More operands than functions may have.
#include <gpucc.h>

#define TEN(X, of) X(of##0) X(of##1) X(of##2) X(of##3) X(of##4) X(of##5) X(of##6) X(of##7) X(of##8) X(of##9)
#define FORTY(X) TEN(X, w) TEN(X, x) TEN(X, y) TEN(X, z)
#define SIXTY(X) FORTY(X) TEN(X, u) TEN(X, v)
#define NUMBER(x) int32 x,
#define PLUS(x) +x

vectorize() identity(0) reorderable
int32 add(int32 x, int32 y) { return x + y; }

// CHECK: operands.c:[[#@LINE+2]]:7: error: 'sixty_five' has too many inputs and outputs: at most 64
vectorize()
int32 sixty_five(SIXTY(NUMBER) int32 a, int32 b, int32 c, int32 d) { return a + b + c + d SIXTY(PLUS); }

// 64 are none too many, but for a fused reduction.
vectorize()
int32 sixty_four(SIXTY(NUMBER) int32 a, int32 b, int32 c) { return a + b + c SIXTY(PLUS); }

vectorize()
int32 sum(FORTY(NUMBER) int32 a, int32 b, int32 c) { return a + b + c FORTY(PLUS); }

vectorize()
int32 longer(FORTY(NUMBER) int32 a, int32 b, int32 c, int32 d) { return a + b + c + d FORTY(PLUS); }
fuse(fits, reduce(add, sum(w0,w1,w2,w3,w4,w5,w6,w7,w8,w9,x0,x1,x2,x3,x4,x5,x6,x7,x8,x9,y0,y1,y2,y3,y4,y5,y6,y7,y8,y9,z0,z1,z2,z3,z4,z5,z6,z7,z8,z9,a,b,c)));
// CHECK: operands.c:[[#@LINE+1]]:1: error: 'fails' has too many inputs: a fused reduction takes at most 43
fuse(fails, reduce(add, longer(w0,w1,w2,w3,w4,w5,w6,w7,w8,w9,x0,x1,x2,x3,x4,x5,x6,x7,x8,x9,y0,y1,y2,y3,y4,y5,y6,y7,y8,y9,z0,z1,z2,z3,z4,z5,z6,z7,z8,z9,a,b,c,d)));
// CHECK: 2 errors generated
