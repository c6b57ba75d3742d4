/* Complex arithmetic and functions of float. */
#include "logf.h"
#include "trigf.h"

#define REAL float
#define COMPLEX float _Complex
#define PAIR float_pair
#define OF_PRECISION(name) gpucc_##name##f
#define MULTIPLY __mulsc3
#define DIVIDE __divsc3

#define BIAS 127
#define INFINITE INFINITY_F
#define NOT_A_NUMBER NAN_F
#define ABS __builtin_fabsf
#define FMA __builtin_fmaf
#define COPY_SIGN copy_sign_f
#define SQRT __builtin_sqrtf
#define IS_NAN is_nan_f
#define EXP2_INT exp2_int_f
#define BIASED_EXPONENT(x) (int)(bits_of_float(x) >> 23 & 0xff)
#define TWO_SUM two_sum_f
#define FAST_TWO_SUM fast_two_sum_f
#define TWO_PRODUCT two_product_f
#define MUL_PAIR mul_pair_f

/* exp(x) is normal for |x| up to here, and 1 is nothing beside it from here on. */
#define EXP_NORMAL 87
#define EXP_LARGE 10
/* Beyond, exp(x) times any number that is not 0 overflows; exp(-x) times any number underflows. */
#define EXP_TOO_LARGE 194
/* Between these, squares of numbers and of their rounding errors are good. */
#define SQUARES_LOW 0x1p-50f
#define SQUARES_HIGH 0x1p60f
/* Beyond, 1 is nothing beside the square. */
#define ELLIPSE_HIGH 0x1p20f
/* The power of four that brings other numbers between them, up or down, and half its logarithm to base 2. */
#define RESCALE 0x1p100f
#define RESCALE_LOG 50

#define PI_HALF 0x1.921fb6p0f
#define PI_QUARTER 0x1.921fb6p-1f
#define LN_2 0x1.62e43p-1f

/* exp(x) = value * 2^count for |x| <= EXP_TOO_LARGE */
typedef struct {
    REAL value;
    int count;
} scaled_exp;

INLINE scaled_exp exp_in_parts(float x)
{
    float count = __builtin_fmaf(x, LOG2_E_F, ROUND_MAGIC_F) - ROUND_MAGIC_F;
    float f = __builtin_fmaf(count, -LN2_HI_F, x);
    f = __builtin_fmaf(count, -LN2_LO_F, f);
    return (scaled_exp){ exp_polynomial_f(f), (int)count };
}

/* exp(x) - 1 to about 2^-27, for |x| < 80 */
INLINE float_pair expm1_in_parts(float x)
{
    float shifted = __builtin_fmaf(x, LOG2_E_F, ROUND_MAGIC_F), count = shifted - ROUND_MAGIC_F;
    float high = __builtin_fmaf(count, -LN2_HI_F, x);
    float f = __builtin_fmaf(count, -LN2_LO_F, high);
    float rest = __builtin_fmaf(count, -LN2_LO_F, high - f);
    float tail = __builtin_fmaf(expm1_less_1st_f(f), f * f, rest);
    float scale = float_of_bits((bits_of_float(shifted) << 23) + 0x3f800000u);
    float_pair whole = two_sum_f(scale, -1.0f);
    float lead = __builtin_fmaf(scale, f, whole.hi);
    float low = __builtin_fmaf(scale, f, whole.hi - lead) + whole.lo;
    return fast_two_sum_f(lead, __builtin_fmaf(scale, tail, low));
}

#define reduce_in_parts reduce_in_two_parts

/* sin(value - minus_rest + quadrant * pi/2) to about 2^-26 */
INLINE float_pair sine_in_parts(reduced r, uint32_t quadrant)
{
    float square = r.value * r.value;
    float s = __builtin_fmaf(-square * r.value, sine_series(square), -r.minus_rest);
    float lead = __builtin_fmaf(square, -0.5f, 1.0f);
    float c = __builtin_fmaf(r.value, r.minus_rest, __builtin_fmaf(square, -0.5f, 1.0f - lead));
    c = __builtin_fmaf(square * square, -cosine_series(square), c);
    bool odd = quadrant & 1;
    float_pair sum = fast_two_sum_f(odd ? lead : r.value, odd ? c : s);
    return (float_pair){ flip_sign_f(sum.hi, quadrant << 30), flip_sign_f(sum.lo, quadrant << 30) };
}

#define LOG_OF_PAIR log_of_pair_f
#define LOG1P_OF_PAIR(x) log1p_pair(x, 0.0f)

#include "complexarithmetic.h"
#include "complexexponential.h"
#include "complexlogarithm.h"
#include "complexinverse.h"

double _Complex gpucc_cpow(double _Complex, double _Complex);

/* In double: the error of a logarithm in float would be multiplied by its size. */
float _Complex gpucc_cpowf(float _Complex z, float _Complex w)
{
    double _Complex power = gpucc_cpow(z, w);
    return __builtin_complex((float)__real__ power, (float)__imag__ power);
}
