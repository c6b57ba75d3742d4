/* cyl_bessel_i0 cyl_bessel_i1: below 8 a polynomial in x^2, above exp(x)/sqrt(x) times one in 1/x. */
#include "math64.h"

#define LARGE 8.0

/* Up to here exp neither overflows nor leaves the normal numbers. */
#define EXP_LIMIT 708.0

/* (I0(x) - 1)/x^2 for square = x^2 <= 64: 16 Chebyshev nodes, rounded to double    error 1.2e-17 */
INLINE double i0_small(double square)
{
    double p = 0x1.192af56e3fb42p-120;
    p = FMA(p, square, 0x1.3958326cb099fp-111);
    p = FMA(p, square, 0x1.44f6f6b62cb2ep-101);
    p = FMA(p, square, 0x1.e5e1e29c5a679p-92);
    p = FMA(p, square, 0x1.41ac98bb3887bp-82);
    p = FMA(p, square, 0x1.69c8a8327233ep-73);
    p = FMA(p, square, 0x1.5601aa949484bp-64);
    p = FMA(p, square, 0x1.0b3130d34d86p-55);
    p = FMA(p, square, 0x1.522a441639e1cp-47);
    p = FMA(p, square, 0x1.522a43f4ad0f5p-39);
    p = FMA(p, square, 0x1.02e85c08a7dfcp-31);
    p = FMA(p, square, 0x1.23456789ab17bp-24);
    p = FMA(p, square, 0x1.c71c71c71c7c2p-18);
    p = FMA(p, square, 0x1.c71c71c71c718p-12);
    p = FMA(p, square, 0x1p-6);
    return FMA(p, square, 0x1p-2);
}

/* (I1(x)/x - 1/2)/x^2, alike    error 2.8e-17 */
INLINE double i1_small(double square)
{
    double p = 0x1.025406838da14p-125;
    p = FMA(p, square, 0x1.3f689b5999531p-116);
    p = FMA(p, square, 0x1.594fec537ef43p-106);
    p = FMA(p, square, 0x1.15d14c79c80fcp-96);
    p = FMA(p, square, 0x1.8be09d48fa82cp-87);
    p = FMA(p, square, 0x1.e261c74784a78p-78);
    p = FMA(p, square, 0x1.f176b5a1a74d4p-69);
    p = FMA(p, square, 0x1.ab81e8f7e5567p-60);
    p = FMA(p, square, 0x1.2c9758e8db15dp-51);
    p = FMA(p, square, 0x1.522a43f59c117p-43);
    p = FMA(p, square, 0x1.27e4fb77909p-35);
    p = FMA(p, square, 0x1.845c8a0ce4c34p-28);
    p = FMA(p, square, 0x1.6c16c16c16c3bp-21);
    p = FMA(p, square, 0x1.c71c71c71c71bp-15);
    p = FMA(p, square, 0x1.5555555555555p-9);
    return FMA(p, square, 0x1p-4);
}

/* exp(-x) sqrt(x) I0(x) for u = 1/x - 1/16, x >= 8: 24 Chebyshev nodes, rounded to double    error 6.5e-17 */
INLINE double i0_large(double u)
{
    double p = -0x1.c506ea4d1f544p56;
    p = FMA(p, u, 0x1.93c936d3e6b0ep54);
    p = FMA(p, u, 0x1.9562580dee663p51);
    p = FMA(p, u, -0x1.66f871a4bc89ep49);
    p = FMA(p, u, -0x1.659fc00306a87p45);
    p = FMA(p, u, 0x1.2a78f4b7cc748p43);
    p = FMA(p, u, 0x1.c0cf803b1f9c7p38);
    p = FMA(p, u, -0x1.380b9795ef563p36);
    p = FMA(p, u, -0x1.efc2a5fcfe3d3p31);
    p = FMA(p, u, 0x1.c0c549c38d037p28);
    p = FMA(p, u, 0x1.058b146a365a8p25);
    p = FMA(p, u, -0x1.59185b1d8cc48p20);
    p = FMA(p, u, -0x1.cd8329a0c295ep17);
    p = FMA(p, u, -0x1.d7144b0046957p12);
    p = FMA(p, u, 0x1.03c5ac910e2dp9);
    p = FMA(p, u, 0x1.7286fa661838cp6);
    p = FMA(p, u, 0x1.51cc8ba3ac0a7p3);
    p = FMA(p, u, 0x1.7d0cde6dd3ae1p0);
    p = FMA(p, u, 0x1.3f49acffb5d23p-2);
    p = FMA(p, u, 0x1.8e513c60eb851p-4);
    p = FMA(p, u, 0x1.75e5ee6ff2697p-5);
    p = FMA(p, u, 0x1.1daa72b5cd6afp-5);
    p = FMA(p, u, 0x1.b87969bb93bd5p-5);
    return FMA(p, u, 0x1.9bd428ad249a5p-2);
}

/* exp(-x) sqrt(x) I1(x), alike    error 6.5e-17 */
INLINE double i1_large(double u)
{
    double p = 0x1.a27abdd4f7575p56;
    p = FMA(p, u, -0x1.a46a52efd864cp54);
    p = FMA(p, u, -0x1.76b996505e7f5p51);
    p = FMA(p, u, 0x1.764a6ef22bf7dp49);
    p = FMA(p, u, 0x1.4cc3f5a16ae8cp45);
    p = FMA(p, u, -0x1.380fe19d2c29dp43);
    p = FMA(p, u, -0x1.a92eeb3572157p38);
    p = FMA(p, u, 0x1.4814edb9b8a1p36);
    p = FMA(p, u, 0x1.e43b019920cf9p31);
    p = FMA(p, u, -0x1.ddca0a08b71b1p28);
    p = FMA(p, u, -0x1.088b7cacf4f94p25);
    p = FMA(p, u, 0x1.7f32fe052903bp20);
    p = FMA(p, u, 0x1.e2f731a95cdffp17);
    p = FMA(p, u, 0x1.d67740261c845p12);
    p = FMA(p, u, -0x1.21c33cdcbdd45p9);
    p = FMA(p, u, -0x1.91e72ee248fe3p6);
    p = FMA(p, u, -0x1.72783e8da8354p3);
    p = FMA(p, u, -0x1.ad8b053d4fcc2p0);
    p = FMA(p, u, -0x1.7613846d9242dp-2);
    p = FMA(p, u, -0x1.ec8e127219fa9p-4);
    p = FMA(p, u, -0x1.f89c23048531ep-5);
    p = FMA(p, u, -0x1.cbc54df1d300ap-5);
    p = FMA(p, u, -0x1.3f796198ee63fp-3);
    return FMA(p, u, 0x1.8ebe783a8403p-2);
}

/* exp(x) y, in two steps where exp alone overflows */
SLOW_PATH double gpucc_slow_exp_times(double x, double y)
{
    if (!(x < 720.0))
        return x < INFINITY_D || x == INFINITY_D ? INFINITY_D : x;
    return exp_of_sum(x - 64.0, 0.0) * y * 0x1.425982cf597cdp92;
}

INLINE double exp_times(double x, double y)
{
    if (UNLIKELY(!(x < EXP_LIMIT)))
        return gpucc_slow_exp_times(x, y);
    return exp_of_sum(x, 0.0) * y;
}

double gpucc_cyl_bessel_i0(double x)
{
    double size = ABS(x), square = x * x;
    double small = FMA(i0_small(square), square, 1.0);
    double v = 1.0 / size;
    double large = exp_times(size, i0_large(v - 0.0625) * __builtin_sqrt(v));
    return size < LARGE ? small : large;
}

double gpucc_cyl_bessel_i1(double x)
{
    double size = ABS(x), square = x * x;
    double small = FMA(i1_small(square), square, 0.5) * size;
    double v = 1.0 / size;
    double large = exp_times(size, i1_large(v - 0.0625) * __builtin_sqrt(v));
    return __builtin_copysign(size < LARGE ? small : large, x);
}
