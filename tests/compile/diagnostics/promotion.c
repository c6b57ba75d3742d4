// RUN: %exits 0 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// RUN: %exits 0 %gpucc -fsyntax-only -w %s 2>&1 | FileCheck --check-prefix=SILENT --allow-empty %s
// RUN: %exits 0 %gpucc -fsyntax-only -Wno-double-promotion %s 2>&1 | FileCheck --check-prefix=SILENT --allow-empty %s
// RUN: %exits 1 %gpucc -fsyntax-only -Werror=double-promotion %s 2>&1 | FileCheck --check-prefix=ERROR %s
// SILENT-NOT: {{.}}
#include <complex.h>
#include <gpucc.h>
#include <math.h>

typevar(T, float32, float64);

// CHECK: promotion.c:[[#@LINE+7]]:31: warning: '0.5' is a double, so this float arithmetic is done in double [-Wdouble-promotion]
// CHECK-NEXT: float a(float x)
// CHECK-NEXT: {{^}}      |                               ^~~{{$}}
// CHECK-NEXT: promotion.c:[[#@LINE+4]]:31: note: write '0.5f'; on most GPUs double arithmetic costs 32 to 64 times as much as float
// ERROR: promotion.c:[[#@LINE+3]]:31: error: '0.5' is a double, so this float arithmetic is done in double [-Werror,-Wdouble-promotion]
// ERROR: note: write '0.5f'
vectorize()
float a(float x) { return x * 0.5; }

// CHECK: promotion.c:[[#@LINE+3]]:27: warning: 'sin' takes a double, but the argument is a float [-Wdouble-promotion]
// CHECK: promotion.c:[[#@LINE+2]]:27: note: write 'sinf'; on most GPUs double arithmetic costs 32 to 64 times as much as float
vectorize()
float b(float x) { return sin(x); }

// CHECK: promotion.c:[[#@LINE+3]]:32: warning: 'M_PI' is a double, so this float arithmetic is done in double
// CHECK: promotion.c:[[#@LINE+2]]:32: note: write '(float)M_PI'
vectorize()
float c(float x) { return x / (M_PI - 3); }

// CHECK: promotion.c:[[#@LINE+3]]:28: warning: '0.5' is a double
// CHECK: promotion.c:[[#@LINE+2]]:28: note: write '(T)0.5'
vectorize()
T d(T x) { return x * (1 - 0.5); }

// CHECK: promotion.c:[[#@LINE+3]]:19: warning: 'exp' takes a double
// CHECK: promotion.c:[[#@LINE+2]]:19: note: include <tgmath.h>, so that 'exp' follows its argument's type
vectorize()
T e(T x) { return exp(x); }

// CHECK: promotion.c:[[#@LINE+3]]:37: warning: this float is converted to double
// CHECK: promotion.c:[[#@LINE+2]]:37: note: write '(double)' if it is intended
vectorize()
float f(float x, double y) { return x + y; }

static double helper(double x) { return x; }

// CHECK: promotion.c:[[#@LINE+3]]:27: warning: 'helper' takes a double, but the argument is a float
// CHECK: promotion.c:[[#@LINE+2]]:27: note: on most GPUs
vectorize()
float g(float x) { return helper(x); }

// A double that was asked for, and what C gives no choice about.
// CHECK-NOT: promotion.c:[[#@LINE+2]]
static void print(float x)
{ if (x > 1) __builtin_printf("%f", x); }
// CHECK-NOT: promotion.c:[[#@LINE+2]]
vectorize()
double h(float x) { double y = x; double z; z = x; return y + z + (double)x * 0.5; }

// The imaginary unit is a float in every program.
// CHECK-NOT: promotion.c:[[#@LINE+2]]
vectorize()
complex128 unit(double x, double y) { return x + y * I - x * _Complex_I; }

// CHECK: promotion.c:[[#@LINE+3]]:25: warning: '2.0' is a double
// CHECK: promotion.c:[[#@LINE+2]]:25: note: write '2.0f'
vectorize()
float i(float x) { x *= 2.0; return x; }

// CHECK: 8 warnings generated.
