// Derivatives of control flow, memory, calls and types, on the CPU.
// RUN: %gpucc run %s selu_prime linspace:-2:2:5:float64 | FileCheck --check-prefix=SELU %s
// RUN: %gpucc run %s selu_second linspace:-2:2:5:float64 | FileCheck --check-prefix=SECOND %s
// RUN: %gpucc run %s selu_jvp 2.0 3.0 | FileCheck --check-prefix=JVP %s
// RUN: %gpucc run %s selu_vjp 2.0 3.0 | FileCheck --check-prefix=VJP %s
// RUN: %gpucc run %s power_prime 3.0 4 | FileCheck --check-prefix=POWER %s
// RUN: %gpucc run %s factorial_prime 0.5 3 | FileCheck --check-prefix=RECURSION %s
// RUN: %gpucc run %s passed_prime 3.0 | FileCheck --check-prefix=PASSED %s
// RUN: %gpucc run %s parts_jvp 5.25 1.0 | FileCheck --check-prefix=PARTS %s
// RUN: %gpucc run %s polar_vjp 3.0 4.0 1.0 10.0 | FileCheck --check-prefix=POLAR %s
// RUN: %gpucc run %s narrow_prime ones:2:float16 ones:2:float16 | FileCheck --check-prefix=NARROW %s
// RUN: %gpucc run %s logit_prime 0.25 | FileCheck --check-prefix=RULE %s
// RUN: %gpucc run %s logit_second 0.25 | FileCheck --check-prefix=RULE-AGAIN %s
// RUN: %gpucc run %s fused_prime 3.0 | FileCheck --check-prefix=FUSED %s
// RUN: %gpucc run %s ahead 3.0 | FileCheck --check-prefix=AHEAD %s
// RUN: %gpucc run %s hessian_product 2.0 3.0 1.0 0.0 | FileCheck --check-prefix=HESSIAN %s
// RUN: %gpucc run %s guarded_prime 2.0 | FileCheck --check-prefix=ERRNO %s
// RUN: %gpucc run %s coded_jvp 1.5 3.0 0.5 | FileCheck --check-prefix=CODED %s
// RUN: %gpucc run %s coded_vjp 1.5 3.0 0.5 | FileCheck --check-prefix=CODED %s
// RUN: %gpucc run --check %s passed_prime 3.0 | FileCheck --check-prefix=PASSED %s
// RUN: %gpucc run -O0 -g %s parts_jvp 5.25 1.0 | FileCheck --check-prefix=PARTS %s
// RUN: %gpucc %s -o %t.json && FileCheck --check-prefix=MANIFEST %s < %t.json
// RUN: %gpucc -O1 --target=x86-64-v3 %s -o %t.o && %gpucc -g %s -o %t.ptx
#include <gpucc.h>
#include <errno.h>
#include <tgmath.h>

typevar(T, float32, float64);
typevar(N, float16, bfloat16);

vectorize() T selu(T x) { return (T)1.05 * (x > 0 ? x : (T)1.67 * exp(x) - (T)1.67); }
/* Derivatives of SELU. */
gradient(selu_prime, selu);
gradient(selu_second, selu_prime);
tangent(selu_jvp, selu);
adjoint(selu_vjp, selu);
// SELU: first   0.23731{{[0-9]*}} 0.64507{{[0-9]*}} 1.7535 1.05 1.05
// SECOND: first   0.23731{{[0-9]*}} 0.64507{{[0-9]*}} 1.7535 0 0
// JVP: out:
// JVP: first   2.1{{$}}
// JVP: dout:
// JVP: first   3.15
// VJP: first   3.15
// MANIFEST: "name": "selu_prime"
// MANIFEST: "doc": "Derivatives of SELU."
// MANIFEST: "derivative_of": "selu"
// MANIFEST-NEXT: "derivative": "gradient"

/* x^n by a loop that ends early for large values; n is bounded, as `gpucc test` draws any. */
vectorize() double power(double x, int n)
{
    double y = 1;
    for (int i = 0; i < (n & 31); i++) {
        if (y > 1e6)
            break;
        y *= x;
    }
    return y;
}
gradient(power_prime, power);
// POWER: first   108{{$}}

static double rising(double x, int n) { return n == 0 ? 1 : (x + n - 1) * rising(x, n - 1); }
vectorize() double factorial(double x, int n) { return rising(x, n & 15); }
gradient(factorial_prime, factorial);
// (x (x + 1) (x + 2))' = 3 x^2 + 6 x + 2
// RECURSION: first   5.75{{$}}

typedef struct { float a; int n; float b; } state;
static state make(float x, int n) { state s = {x, n, x * x}; return s; }
static float use(state s) { return s.a * s.n + s.b; }
vectorize() float passed(float x) { state s = make(x, 3); s.n++; return use(s); }
gradient(passed_prime, passed);
// PASSED: first   10{{$}}

vectorize() double parts(double x)
{
    int e, q;
    double whole, part = modf(x, &whole), m = frexp(x, &e);
    return part + m * e + remquo(x, 3, &q) + whole;
}
tangent(parts_jvp, parts);
// PARTS: first   6.46875{{$}}
// PARTS: first   2.375{{$}}

vectorize() void polar(double x, double y, double *r, double *square) { *r = hypot(x, y); *square = x * x + y * y; }
adjoint(polar_vjp, polar);
// 0.6 + 10 * 6 and 0.8 + 10 * 8
// POLAR: x_bar:
// POLAR: first   60.6{{$}}
// POLAR: y_bar:
// POLAR: first   80.8{{$}}

vectorize() N narrow(N x, N y) { return x * exp(x) + fabs(y) * x; }
gradient(narrow_prime, narrow);
// NARROW: first   6.438 6.438
// NARROW: first   1 1

static double dlogit(double p) { return 1 / (p * (1 - p)); }
derivative(dlogit) vectorize() double logit(double p) { return log(p) - log(1 - p) + floor(p); }
gradient(logit_prime, logit);
gradient(logit_second, logit_prime);
// RULE: first   5.33333{{[0-9]*}}
// (2 p - 1)/(p^2 (1 - p)^2)
// RULE-AGAIN: first   -14.2222{{[0-9]*}}

vectorize() double twice(double x) { return 2 * x; }
vectorize() double square(double x) { return x * x; }
fuse(fused, square(twice(x)));
gradient(fused_prime, fused);
fuse(ahead, twice(fused_prime(x)));
// FUSED: first   24{{$}}
// AHEAD: first   48{{$}}

vectorize() double form(double x, double y) { return x * x * y; }
gradient(form_gradient, form);
tangent(hessian_product, form_gradient);
// HESSIAN: dx_:
// HESSIAN: first   12{{$}}
// HESSIAN: dy_:
// HESSIAN: first   4{{$}}
// HESSIAN: ddx:
// HESSIAN: first   6{{$}}
// HESSIAN: ddy:
// HESSIAN: first   4{{$}}

vectorize() double guarded(double x)
{
    errno = 0;
    double y = log(x);
    return errno ? 0 : y * x;
}
gradient(guarded_prime, guarded);
// ERRNO: first   1.693147{{[0-9]*}}

/* An input of float8 has no derivative, but other inputs beside it do. */
vectorize() float coded(float8_e4m3fn x, float y) { return float_from_float8(x) * y * y; }
tangent(coded_jvp, coded);
adjoint(coded_vjp, coded);
// CODED: first {{ *}}4.5
