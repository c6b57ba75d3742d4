// Rules at kinks: docs/reference/derivatives.md.
// RUN: rm -rf %t && mkdir %t
// RUN: %gpucc run %s fabs_prime 0.0 | FileCheck --check-prefix=ZERO %s
// RUN: %gpucc run %s sqrt_prime -- 0.0 | FileCheck --check-prefix=INFINITE %s
// RUN: %gpucc run %s sqrt_prime -- -0.0 | FileCheck --check-prefix=INFINITE %s
// RUN: %gpucc run %s fmax_prime 2.0 2.0 | FileCheck --check-prefix=HALVES %s
// RUN: %gpucc run %s fmin_prime 2.0 2.0 | FileCheck --check-prefix=HALVES %s
// RUN: %gpucc run %s fmax_prime 2.0 3.0 | FileCheck --check-prefix=SECOND %s
// RUN: %gpucc run %s fmax_prime nan 3.0 | FileCheck --check-prefix=SECOND %s
// RUN: %gpucc run %s relu_prime 0.0 | FileCheck --check-prefix=ZERO %s
// RUN: %gpucc run %s relu_prime 2.0 | FileCheck --check-prefix=ONE %s
// RUN: %gpucc run %s steps_prime 2.5 | FileCheck --check-prefix=ZERO %s
// RUN: %gpucc run %s hypot_prime 0.0 0.0 | FileCheck --check-prefix=ZEROS %s
// RUN: %gpucc run %s pow_prime 0.0 2.0 | FileCheck --check-prefix=ZEROS %s
// RUN: %gpucc run %s pow_prime 0.0 1.0 | FileCheck --check-prefix=FIRST %s
// RUN: %gpucc run %s cube_prime -- -2.0 | FileCheck --check-prefix=TWELVE %s
// RUN: %gpucc run %s product_prime inf 0.0 | FileCheck --check-prefix=PRODUCT %s
#include <gpucc.h>
#include <math.h>

// ZERO: first   0{{$}}
// ONE: first   1{{$}}
// TWELVE: first   12{{$}}
// INFINITE: first   inf{{$}}
// HALVES: first   0.5{{$}}
// HALVES: first   0.5{{$}}
// FIRST: first   1{{$}}
// FIRST: first   0{{$}}
// SECOND: first   0{{$}}
// SECOND: first   1{{$}}
// ZEROS: first   0{{$}}
// ZEROS: first   0{{$}}
// PRODUCT: first   0{{$}}
// PRODUCT: first   inf{{$}}

vectorize() double fabs_of(double x) { return fabs(x); }
gradient(fabs_prime, fabs_of);
vectorize() double sqrt_of(double x) { return sqrt(x); }
gradient(sqrt_prime, sqrt_of);
vectorize() double fmax_of(double x, double y) { return fmax(x, y); }
gradient(fmax_prime, fmax_of);
vectorize() double fmin_of(double x, double y) { return fmin(x, y); }
gradient(fmin_prime, fmin_of);
vectorize() double relu(double x) { return x > 0 ? x : 0; }
gradient(relu_prime, relu);
/* Conversions to integers, rounding and comparisons. */
vectorize() double steps(double x) { return (int)x + floor(x) + (x > 1) + rint(x) + lrint(x) + ilogb(x) + isnan(x); }
gradient(steps_prime, steps);
vectorize() double hypot_of(double x, double y) { return hypot(x, y); }
gradient(hypot_prime, hypot_of);
vectorize() double pow_of(double x, double y) { return pow(x, y); }
gradient(pow_prime, pow_of);
/* By a constant exponent, of a negative number: nothing of log(x). */
vectorize() double cube(double x) { return pow(x, 3); }
gradient(cube_prime, cube);
/* Zero for a direction is exact: 0 * inf is not computed. */
vectorize() double product(double x, double y) { return x * y; }
gradient(product_prime, product);
