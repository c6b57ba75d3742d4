/* Complex arithmetic and functions of double. */
#include "trig64.h"

#define REAL double
#define COMPLEX double _Complex
#define PAIR double_pair
#define OF_PRECISION(name) gpucc_##name
#define MULTIPLY __muldc3
#define DIVIDE __divdc3

#define BIAS 1023
#define INFINITE INFINITY_D
#define NOT_A_NUMBER NAN_D
#define COPY_SIGN __builtin_copysign
#define SQRT __builtin_sqrt
#define IS_NAN is_nan
#define EXP2_INT exp2_int
#define BIASED_EXPONENT(x) (int)(bits_of_double(x) >> 52 & 0x7ff)
#define TWO_SUM two_sum
#define FAST_TWO_SUM fast_two_sum
#define TWO_PRODUCT two_product
#define MUL_PAIR mul_pair

/* exp(x) is normal for |x| up to here, and 1 is nothing beside it from here on. */
#define EXP_NORMAL 708
#define EXP_LARGE 20
/* Beyond, exp(x) times any number that is not 0 overflows; exp(-x) times any number underflows. */
#define EXP_TOO_LARGE 1456
/* Between these, squares of numbers and of their rounding errors are good. */
#define SQUARES_LOW 0x1p-450
#define SQUARES_HIGH 0x1p480
/* Beyond, 1 is nothing beside the square. */
#define ELLIPSE_HIGH 0x1p60
/* The power of four that brings other numbers between them, up or down, and half its logarithm to base 2. */
#define RESCALE 0x1p600
#define RESCALE_LOG 300

#define PI_HALF 0x1.921fb54442d18p0
#define PI_QUARTER 0x1.921fb54442d18p-1
#define LN_2 LN2

/* exp(x) = value * 2^count for |x| <= EXP_TOO_LARGE */
typedef struct {
    REAL value;
    int count;
} scaled_exp;

INLINE scaled_exp exp_in_parts(double x)
{
    exp_argument a = reduce_exp(x);
    return (scaled_exp){ FMA(exp_polynomial(a.value), a.value, 1.0), (int)a.count };
}

#define expm1_in_parts expm1_pair
#define reduce_in_parts reduce

/* sin(value - minus_rest + quadrant * pi/2) to about 2^-55 */
INLINE double_pair sine_in_parts(reduced r, uint64_t quadrant)
{
    double square = r.value * r.value;
    double_pair s = sine_pair(r, square), c = cosine_pair(r, square);
    bool odd = quadrant & 1;
    return (double_pair){ flip_sign(odd ? c.hi : s.hi, quadrant << 62), flip_sign(odd ? c.lo : s.lo, quadrant << 62) };
}

#define LOG_OF_PAIR log_of_pair
#define LOG1P_OF_PAIR log1p_of_pair

INLINE double log1p_of_pair(double_pair x)
{
    return log1p_of_sum(x.hi, x.lo);
}

#include "complexarithmetic.h"
#include "complexexponential.h"
#include "complexlogarithm.h"
#include "complexinverse.h"

/* ---- cpow ---- */

/* A power of 0, which has a direction for real exponents alone, or an exponent of 0. */
SLOW_PATH double _Complex gpucc_slow_cpow(double c, double d)
{
    if (c == 0 && d == 0)
        return __builtin_complex(1.0, 0.0);
    if (c > 0 && ABS(d) < INFINITY_D)
        return __builtin_complex(0.0, 0.0);
    return c < 0 ? __builtin_complex(INFINITY_D, d == 0 ? 0.0 : NAN_D) : __builtin_complex(NAN_D, NAN_D);
}

/* exp(w log z) */
double _Complex gpucc_cpow(double _Complex z, double _Complex w)
{
    double c = __real__ w, d = __imag__ w;
    if (UNLIKELY((__real__ z == 0 && __imag__ z == 0) || (c == 0 && d == 0)))
        return gpucc_slow_cpow(c, d);
    double _Complex log = gpucc_clog(z);
    double size = __real__ log, angle = __imag__ log;
    return gpucc_cexp(__builtin_complex(sum_of_products(c, size, -d, angle), sum_of_products(c, angle, d, size)));
}
