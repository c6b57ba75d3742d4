/* erf */
#include "math64.h"

/* erf(x)/x - 1 for square = x^2 <= 1
 *   fpminimax(erf(sqrt(x))/sqrt(x)-1, 11, [|D...|], [0x1p-60;1], absolute)    error 1.5e-17 */
INLINE double erf_polynomial(double square)
{
    double p = -0x1.ac1a419759674p-31;
    p = FMA(p, square, 0x1.d73d744d741c6p-27);
    p = FMA(p, square, -0x1.5c0bc31311077p-23);
    p = FMA(p, square, 0x1.b9807f2338cf2p-20);
    p = FMA(p, square, -0x1.f4ca5bb28570dp-17);
    p = FMA(p, square, 0x1.f9a2bb4bba0e5p-14);
    p = FMA(p, square, -0x1.c02db03ff6859p-11);
    p = FMA(p, square, 0x1.565bccf908894p-8);
    p = FMA(p, square, -0x1.b82ce311f7069p-6);
    p = FMA(p, square, 0x1.ce2f21a040b02p-4);
    p = FMA(p, square, -0x1.812746b0379b5p-2);
    return FMA(p, square, 0x1.06eba8214db68p-3);
}

/* log(erfc(1 + u)) for 0 <= u <= 4.94
 *   w = erfc(x+1); roundcoefficients(remez(log(w)*w, 18, [0;4.94], w), [|D...|])    error 4.8e-18 of erf(1 + u) */
INLINE double log_erfc_polynomial(double u)
{
    double p = 0x1.247b85f2029fdp-40;
    p = FMA(p, u, -0x1.faee22caa3dcfp-36);
    p = FMA(p, u, 0x1.94e4ae20e6485p-32);
    p = FMA(p, u, -0x1.89a1663f90053p-29);
    p = FMA(p, u, 0x1.002d31dfa29fap-26);
    p = FMA(p, u, -0x1.bf00683284d2dp-25);
    p = FMA(p, u, 0x1.a2f669276c03ap-24);
    p = FMA(p, u, 0x1.32d2895b4ea53p-23);
    p = FMA(p, u, -0x1.147536a6c0d31p-19);
    p = FMA(p, u, 0x1.426bd16f2017bp-17);
    p = FMA(p, u, -0x1.c7a77eb567074p-16);
    p = FMA(p, u, 0x1.b8de9c9e16b2cp-16);
    p = FMA(p, u, 0x1.f1b389839d1c7p-13);
    p = FMA(p, u, -0x1.033f65b02633p-9);
    p = FMA(p, u, 0x1.48c9d3eb1efebp-7);
    p = FMA(p, u, -0x1.5477f09c036dcp-5);
    p = FMA(p, u, -0x1.afabc11a295f4p-1);
    p = FMA(p, u, -0x1.51c9b0006c236p1);
    return FMA(p, u, -0x1.d97fbf27aa2a1p0);
}

double gpucc_erf(double x)
{
    double size = ABS(x);
    double inner = FMA(erf_polynomial(x * x), x, x);
    double u = size > 5.94 ? 4.94 : size - 1.0;
    double outer = __builtin_copysign(1.0 - exp_of_sum(log_erfc_polynomial(u), 0.0), x);
    return size < 1.0 ? inner : outer;
}
