// A source's own isnan, INFINITY, NAN, RAND_MAX and functions of the math library's names do not clash with ours.
// RUN: %gpucc run -w %s f linspace:-1:1:3 --device=cpu | FileCheck %s --check-prefix=FUNCTIONS
// RUN: %gpucc run -w -DMACROS %s f linspace:-1:1:3 --device=cpu | FileCheck %s --check-prefix=MACROS
// RUN: %gpucc run -w -DVARIABLES %s %S/Inputs/own_names.c f linspace:-1:1:3 --device=cpu | FileCheck %s --check-prefix=VARIABLES
// RUN: %gpucc run -w -DEXTENSIONS %s f linspace:-1:1:3 --device=cpu | FileCheck %s --check-prefix=EXTENSIONS
// RUN: not %gpucc -w -DSTANDARD %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=STANDARD
#include <gpucc.h>

#ifdef MACROS
#include <float.h>
#include <math.h>
#include <stdlib.h>
#define INFINITY (1e308 * 10)
#define NAN (INFINITY - INFINITY)
#define RAND_MAX 77
#define isnan(x) ((x) != (x))
#undef isinf
static int isinf(double x) { return x == INFINITY; }
// MACROS: first {{ *}}77 77 1
vectorize() double f(double x) { return isnan(x) ? 3 : x > 0 ? isinf(INFINITY) : RAND_MAX; }
#elif defined(VARIABLES)
extern double INFINITY, NAN;
static const int RAND_MAX = 77;
// VARIABLES: first {{ *}}2 77 1.5
vectorize() double f(double x) { return x > 0 ? INFINITY : x < 0 ? NAN : RAND_MAX; }
#elif defined(EXTENSIONS)
#include <math.h>
static double sinpi(double x) { return 3 * x; }
static float rsqrt(float x) { return x + 5; }
double pown(double x, int n) { return n ? x * pown(x, n - 1) : 1; }
// EXTENSIONS: first {{ *}}0 6 12
vectorize() double f(double x) { return sinpi(x) + rsqrt(2 * x) + pown(x, 3) + 1 + 0 * exp10(x) - sinpif(0); }
#elif defined(STANDARD)
#include <math.h>
// STANDARD: [[@LINE+1]]:15: error: static declaration of 'sin' follows non-static declaration
static double sin(double x) { return x; }
vectorize() double f(double x) { return sin(x); }
#else
static int isnan(double x) { return x != x; }
static double INFINITY = 3;
double fmax(double a, double b) { return a > b ? a : b; }
double log1p(double x) { return x - x * x / 2; }
// FUNCTIONS: first {{ *}}0.5 2 2.5
vectorize() double f(double x) { return isnan(x) ? INFINITY : fmax(x, 2) + log1p(x); }
#endif
