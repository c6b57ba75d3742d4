// <tgmath.h>'s functions that float16 and bfloat16 have in their own precision: neighbours, and quotients.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: %gpucc run %s neighbours full:1:float16:1 --device=cpu | FileCheck %s --check-prefix=ONE
// RUN: %gpucc run %s neighbours full:1:bfloat16:1 --device=cpu | FileCheck %s --check-prefix=ONE-B
// RUN: %gpucc run %s up full:1:float16:0 --device=cpu | FileCheck %s --check-prefix=ZERO
// RUN: %gpucc run %s up full:1:float16:65504 --device=cpu | FileCheck %s --check-prefix=LARGEST
// RUN: %gpucc run %s up full:1:bfloat16:inf --device=cpu | FileCheck %s --check-prefix=LARGEST
// RUN: %gpucc run %s toward full:1:float16:-0.5 1e-30 --device=cpu | FileCheck %s --check-prefix=TOWARD
// RUN: %gpucc run %s toward full:1:float16:0 full:1:float64:-1e-30 --device=cpu | FileCheck %s --check-prefix=BELOW
// RUN: %gpucc run %s toward full:1:float16:0 nan --device=cpu | FileCheck %s --check-prefix=NAN
// RUN: %gpucc run %s rest full:1:float16:3.5 full:1:float16:0.75 --device=cpu | FileCheck %s --check-prefix=REST
// RUN: %gpucc run %s remainders full:1:float16:-3.5 full:1:float16:0.75 --device=cpu | FileCheck %s --check-prefix=MODULO
// RUN: %gpucc run %s of_integers 1 --device=cpu | FileCheck %s --check-prefix=INTEGERS
// PTX-NOT: .extern
#include <gpucc.h>
#include <gpucc/arithmetic.h>
#include <tgmath.h>

typevar(T, float16, bfloat16, float32, float64);

// 2^-10 up and 2^-11 down, 2^-7 and 2^-8.
// ONE: first   0.001465
// ONE-B: first   0.0117
vectorize()
T neighbours(T x) { return (T)((nextup(x) - x) + (x - nextdown(x))); }

// ZERO: first   6e-08
// LARGEST: first   inf
vectorize()
T up(T x) { return nextafter(nextup(nextdown(x)), (T)INFINITY); }

// The direction is not rounded to x's type first.
// TOWARD: first   -0.4998
// BELOW: first   -6e-08
// NAN: first   nan
vectorize()
T toward(T x, float64 y) { return nexttoward(x, y); }

// The remainder is -0.25, the quotient 5.
// REST: first   4.75
vectorize()
T rest(T x, T y)
{
    int quotient;
    T rest = remquo(x, y, &quotient);
    return rest + (T)quotient;
}

// 0.25 and -5.
// MODULO: first   -4.75
vectorize()
T remainders(T x, T y) { return (T)modulo(x, y) + (T)floor_divide(x, y); }

// Integers count as double.
// INTEGERS: first   1
vectorize()
int32 of_integers(int32 i)
{
    float64 next = nextafter(i, 2.0F);
    return sizeof(nextup(i)) == sizeof(float64) && next > 1 && next < 1.000001 && nexttoward(i, 0) < 1;
}

vectorize()
T cuda(T x, int32 n)
{
    return j0(x) + j1(x) + jn(n, x) + y0(x) + y1(x) + yn(n, x) + cyl_bessel_i0(x) + cyl_bessel_i1(x) + norm3d(x, x, x) +
           norm4d(x, x, x, x) + rnorm3d(x, x, x) + rnorm4d(x, x, x, x);
}
