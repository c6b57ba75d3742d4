/* sin cos tan sincos sinpi cospi tanpi sincospi: Cody-Waite reduction to [-pi/4, pi/4] with fused multiply-adds;
 * beyond TRIG_LIMIT the Payne-Hanek reduction in integers.  All share the reduction and the two polynomials, so that
 * several functions of one argument cost little more than one of them. */
#include "trig64.h"

/* The 192 bits of 2/pi from bit `start` behind the point on, after 64 zeros. */
static inline void window_two_over_pi(uint32_t start, uint64_t window[3])
{
    static const uint64_t words[] = {
        0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
        0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
        0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
        0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
    };
    const uint64_t *word = words + (start >> 6);
    uint32_t shift = start & 63;
    for (int i = 0; i < 3; ++i)
        window[i] = shift ? word[i] << shift | word[i + 1] >> (64 - shift) : word[i];
}

/* Reduces any |x| >= 2. */
SLOW_PATH packed gpucc_slow_reduce(double x)
{
    uint64_t bits = bits_of_double(x);
    uint32_t exponent = (uint32_t)(bits >> 52) & 0x7ff;
    if (exponent == 0x7ff)
        return (packed){ NAN_D, 0 };
    uint64_t window[3];
    window_two_over_pi(exponent - 1024, window);
    uint64_t significand = (bits | UINT64_C(1) << 52) << 11;
    /* x * 2/pi modulo 4 in units of 2^-126 */
    unsigned __int128 quotient = (unsigned __int128)significand * window[1];
    quotient += (unsigned __int128)significand * window[2] >> 64;
    quotient += (unsigned __int128)(significand * window[0]) << 64;
    uint64_t quadrant = ((uint64_t)(quotient >> 64) + (UINT64_C(1) << 61)) >> 62;
    unsigned __int128 fraction = quotient << 2;
    uint64_t sign = bits ^ (uint64_t)(fraction >> 64);
    fraction = fraction >> 127 ? -fraction : fraction;
    uint32_t zeros = (uint32_t)__builtin_clzll((uint64_t)(fraction >> 64) | 1);
    /* pi/2 in units of 2^-63 */
    uint64_t product = (uint64_t)((fraction << zeros >> 64) * 0xc90fdaa22168c235u >> 64);
    double scale = exp2_int(-63 - (int64_t)zeros);
    double value = (double)(product & ~UINT64_C(0x7ff)) * scale;
    double minus_rest = -(double)(product & 0x7ff) * scale;
    quadrant = bits & SIGN_BIT ? -quadrant : quadrant;
    uint64_t rest_bits = bits_of_double(flip_sign(minus_rest, sign));
    return (packed){ flip_sign(value, sign), (rest_bits & ~UINT64_C(3)) | (quadrant & 3) };
}

double gpucc_sin(double x)
{
    reduced r = reduce_rounded(x);
    return sine_of(r.value, r.quadrant);
}

double gpucc_cos(double x)
{
    reduced r = reduce_rounded(x);
    return sine_of(r.value, r.quadrant + 1);
}

void gpucc_sincos(double x, double *sine_out, double *cosine_out)
{
    *sine_out = gpucc_sin(x);
    *cosine_out = gpucc_cos(x);
}

INLINE double tangent_of(reduced r)
{
    double square = r.value * r.value;
    double s = sine(r, square), c = cosine(r, square);
    bool odd = r.quadrant & 1;
    return flip_sign((odd ? c : s) / (odd ? s : c), r.quadrant << 63);
}

double gpucc_tan(double x)
{
    return tangent_of(reduce(x));
}

/* ---- multiples of pi ---- */

#define PI_HIGH 0x1.921fb54442d18p1
#define PI_LOW 0x1.1a62633145c07p-53

/* x = rest + quadrant/2 modulo 2, exactly. */
typedef struct {
    double rest;
    uint64_t quadrant;
} half_turns;

INLINE half_turns reduce_half_turns(double x)
{
    double turn = FMA(__builtin_rint(x * 0.5), -2.0, x);
    double shifted = FMA(turn, 2.0, ROUND_MAGIC);
    return (half_turns){ FMA(shifted - ROUND_MAGIC, -0.5, turn), bits_of_double(shifted) };
}

INLINE double times_pi(double x)
{
    return FMA(x, PI_HIGH, x * PI_LOW);
}

/* Zero at the integers, with the sign of x. */
double gpucc_sinpi(double x)
{
    half_turns t = reduce_half_turns(x);
    double result = sine_of(times_pi(t.rest), t.quadrant);
    return result == 0 ? __builtin_copysign(0.0, x) : result;
}

/* +0 midway between the integers. */
double gpucc_cospi(double x)
{
    half_turns t = reduce_half_turns(x);
    return sine_of(times_pi(t.rest), t.quadrant + 1) + 0.0;
}

void gpucc_sincospi(double x, double *sine_out, double *cosine_out)
{
    *sine_out = gpucc_sinpi(x);
    *cosine_out = gpucc_cospi(x);
}

/* Zeros and infinities have the signs of sinpi(x) / cospi(x). */
double gpucc_tanpi(double x)
{
    half_turns t = reduce_half_turns(x);
    double value = t.rest * PI_HIGH;
    double rest = FMA(t.rest, PI_LOW, FMA(t.rest, PI_HIGH, -value));
    double result = tangent_of((reduced){ value, -rest, t.quadrant });
    double exact = flip_sign(t.quadrant & 1 ? INFINITY_D : __builtin_copysign(0.0, x), t.quadrant << 62);
    return t.rest == 0 ? exact : result;
}
