/* Dual numbers: values with their derivatives in DIRECTIONS directions, of type R.  The rules at kinks are those of
 * docs/reference/derivatives.md. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#define DIRECTIONS 3
typedef struct {
    R v, d[DIRECTIONS];
} D;

#define EACH(expression)                                                                                               \
    for (int i = 0; i < DIRECTIONS; i++)                                                                               \
        r.d[i] = (expression);

/* Set at points with a partial derivative that is not finite, where a zero tangent may become NaN or not. */
int singular;
static void finite_or_note(R partial) { singular |= !(fabsl(partial) <= 1e30L); }

static D number(R v) { D r = {v, {0}}; return r; }
static D add(D a, D b) { D r = {a.v + b.v, {0}}; EACH(a.d[i] + b.d[i]) return r; }
static D sub(D a, D b) { D r = {a.v - b.v, {0}}; EACH(a.d[i] - b.d[i]) return r; }
static D mul(D a, D b) { D r = {a.v * b.v, {0}}; EACH(a.d[i] * b.v + a.v * b.d[i]) return r; }
static D quotient(D a, D b) { D r = {a.v / b.v, {0}}; EACH((a.d[i] - r.v * b.d[i]) / b.v) return r; }
static D negative(D a) { D r = {-a.v, {0}}; EACH(-a.d[i]) return r; }
static D by(R v, D a, R partial)
{
    D r = {v, {0}};
    finite_or_note(partial);
    EACH(a.d[i] == 0 ? 0 : partial * a.d[i])
    return r;
}
static D by2(R v, D a, R p, D b, R q)
{
    D r = {v, {0}};
    finite_or_note(p);
    finite_or_note(q);
    EACH((a.d[i] == 0 ? 0 : p * a.d[i]) + (b.d[i] == 0 ? 0 : q * b.d[i]))
    return r;
}

static D d_sin(D a) { return by(sinl(a.v), a, cosl(a.v)); }
static D d_cos(D a) { return by(cosl(a.v), a, -sinl(a.v)); }
static D d_tanh(D a) { return by(tanhl(a.v), a, 1 / (coshl(a.v) * coshl(a.v))); }
static D d_atan(D a) { return by(atanl(a.v), a, 1 / (1 + a.v * a.v)); }
static D d_exp(D a) { return by(expl(a.v), a, expl(a.v)); }
static D d_log1p(D a) { return by(log1pl(a.v), a, 1 / (1 + a.v)); }
static D d_sqrt(D a) { return by(sqrtl(a.v), a, 0.5 / sqrtl(a.v)); }
static D d_cbrt(D a) { return by(cbrtl(a.v), a, 1 / (3 * cbrtl(a.v) * cbrtl(a.v))); }
static D d_erf(D a) { return by(erfl(a.v), a, 1.12837916709551257390L * expl(-a.v * a.v)); }
static D d_fabs(D a) { return by(fabsl(a.v), a, a.v > 0 ? 1 : a.v < 0 ? -1 : 0); }
static D d_floor(D a) { return number(floorl(a.v)); }
static D d_hypot(D a, D b) { R h = hypotl(a.v, b.v); return by2(h, a, h == 0 ? 0 : a.v / h, b, h == 0 ? 0 : b.v / h); }
static D d_atan2(D a, D b) { R h = a.v * a.v + b.v * b.v; return by2(atan2l(a.v, b.v), a, b.v / h, b, -a.v / h); }
static D d_pow(D a, D b) { R p = powl(a.v, b.v); return by2(p, a, b.v * powl(a.v, b.v - 1), b, logl(a.v) * p); }
static R choice(R a, R b) { return a > b ? 1 : a < b ? 0 : 0.5; }
static D d_fmax(D a, D b) { return by2(fmaxl(a.v, b.v), a, choice(a.v, b.v), b, choice(b.v, a.v)); }
static D d_fmin(D a, D b) { return by2(fminl(a.v, b.v), a, choice(b.v, a.v), b, choice(a.v, b.v)); }
static D d_fma(D a, D b, D c) { return add(mul(a, b), c); }
static D d_fmod(D a, D b) { R m = fmodl(a.v, b.v); return by2(m, a, 1, b, -rintl((a.v - m) / b.v)); }
static R sign(R x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
static D d_copysign(D a, D b) { return by(copysignl(a.v, b.v), a, copysignl(1, b.v) * sign(a.v)); }
static D d_ldexp(D a, int n) { return by(ldexpl(a.v, n), a, ldexpl(1, n)); }
static void d_sincos(D a, D *s, D *c) { *s = d_sin(a); *c = d_cos(a); }
static int less(D a, D b) { return a.v < b.v; }
static int to_int(D a) { return (int)a.v; }
