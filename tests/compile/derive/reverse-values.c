// Reverse mode of ufuncs with more than 8 inputs: control flow, arrays, structs and calls, on the CPU.
// RUN: %gpucc run %s mixed_prime 1.0 2.0 0.5 0.25 2.0 3.0 1.0 2.0 0.0 | FileCheck --check-prefix=MIXED %s
// RUN: %gpucc run %s horner_prime 2.0 1.0 3.0 5.0 7.0 0.0 0.0 0.0 0.0 3 | FileCheck --check-prefix=HORNER %s
// RUN: %gpucc run %s horner_prime 2.0 1.0 3.0 5.0 7.0 0.0 0.0 0.0 0.0 1 | FileCheck --check-prefix=HORNER-SHORT %s
// RUN: %gpucc run %s stop_vjp 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0 1.0 10.0 | FileCheck --check-prefix=STOP %s
// RUN: %gpucc run %s chosen_prime 0.0 2.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 | FileCheck --check-prefix=CHOSEN %s
// RUN: %gpucc run %s selected_prime 0.0 2.0 3.0 0.0 0.0 0.0 0.0 0.0 0.0 | FileCheck --check-prefix=SELECTED %s
// RUN: %gpucc run %s ruled_prime 3.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 | FileCheck --check-prefix=RULED %s
// RUN: %gpucc run %s horner_second 2.0 1.0 3.0 5.0 7.0 0.0 0.0 0.0 0.0 3 1.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 | FileCheck --check-prefix=SECOND %s
// RUN: %gpucc run --check %s stop_vjp 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0 1.0 10.0 | FileCheck --check-prefix=STOP %s
// RUN: %gpucc run -O0 -g %s mixed_prime 1.0 2.0 0.5 0.25 2.0 3.0 1.0 2.0 0.0 | FileCheck --check-prefix=MIXED %s
// RUN: %gpucc -g %s -o %t.ptx && %gpucc -O1 --target=x86-64-v3 %s -o %t.o
#include <gpucc.h>
#include <math.h>

vectorize() double mixed(double a, double b, double c, double d, double e, double f, double g, double h, double i)
{
    return a * b + sin(c * d) / e + (f > g ? f * f : g * h) + exp(i);
}
gradient(mixed_prime, mixed);
// MIXED: da:
// MIXED: first   2{{$}}
// MIXED: first   1{{$}}
// MIXED: first   0.12402470840366
// MIXED: first   0.24804941680733
// MIXED: de:
// MIXED: first   -0.031168683346306
// MIXED: first   6{{$}}
// MIXED: dg:
// MIXED: first   0{{$}}
// MIXED: first   0{{$}}
// MIXED: first   1{{$}}

/* A polynomial of dynamic degree: a variable that is multiplied in each iteration, in a local array's loop. */
vectorize() double horner(double x, double a, double b, double c, double d, double e, double f, double g, double h,
                          int n)
{
    const double coefficients[8] = {a, b, c, d, e, f, g, h};
    double y = 0;
    for (int k = 0; k <= (n & 7); k++)
        y = y * x + coefficients[k];
    return y;
}
gradient(horner_prime, horner);
tangent(horner_second, horner_prime);
// a x^3 + b x^2 + c x + d at 2: 3 a x^2 + 2 b x + c = 12 + 12 + 5
// HORNER: dx:
// HORNER: first   29{{$}}
// HORNER: first   8{{$}}
// HORNER: first   4{{$}}
// HORNER: first   2{{$}}
// HORNER: first   1{{$}}
// HORNER: first   0{{$}}
// HORNER-SHORT: first   1{{$}}
// HORNER-SHORT: first   2{{$}}
// HORNER-SHORT: first   1{{$}}
// HORNER-SHORT: first   0{{$}}
// 6 a x + 2 b, and the derivatives of x^3, x^2, x
// SECOND: ddx:
// SECOND: first   18{{$}}
// SECOND: first   12{{$}}
// SECOND: first   4{{$}}
// SECOND: first   1{{$}}
// SECOND: first   0{{$}}

typedef struct { double sum, product; int count; } state;
static void advance(state *s, double x)
{
    s->sum += x * x;
    s->product *= x;
    s->count++;
}

/* A loop left early, two outputs, a struct by pointer. */
vectorize() void stop(double a, double b, double c, double d, double e, double f, double g, double h, double i,
                      double *sum, double *product)
{
    const double x[9] = {a, b, c, d, e, f, g, h, i};
    state s = {0, 1, 0};
    for (int k = 0; k < 9; k++) {
        if (x[k] == 3)
            continue;
        if (s.sum > 20)
            break;
        advance(&s, x[k]);
    }
    *sum = s.sum;
    *product = s.product;
}
adjoint(stop_vjp, stop);
// a, b and d: 2 x + 10 (the product of the others)
// STOP: a_bar:
// STOP: first   82{{$}}
// STOP: first   44{{$}}
// STOP: first   0{{$}}
// STOP: first   28{{$}}
// STOP: first   0{{$}}

/* The square root's derivative is infinite in the branch not taken. */
vectorize() double chosen(double a, double b, double c, double d, double e, double f, double g, double h, double i)
{
    double root = b;
    if (a > 0)
        root = sqrt(a);
    return root * b + c;
}
gradient(chosen_prime, chosen);
// CHOSEN: da:
// CHOSEN: first   0{{$}}
// CHOSEN: first   4{{$}}
// CHOSEN: first   1{{$}}

/* And in the value that a selection discards. */
vectorize() double selected(double a, double b, double c, double d, double e, double f, double g, double h, double i)
{
    const double root = sqrt(a), other = b;
    return (a > 0 ? root : other) * c;
}
gradient(selected_prime, selected);
// SELECTED: da:
// SELECTED: first   0{{$}}
// SELECTED: first   3{{$}}
// SELECTED: first   2{{$}}

static double three(double x) { return 3 + 0 * x; }
derivative(three) vectorize() double plain(double x) { return x * x; }
vectorize() double ruled(double a, double b, double c, double d, double e, double f, double g, double h, double i)
{
    return plain(a) + b * c * d * e * f * g * h * i;
}
gradient(ruled_prime, ruled);
// RULED: da:
// RULED: first   3{{$}}
// RULED: first   1{{$}}
