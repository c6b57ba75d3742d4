/* j0 j1 jn y0 y1 yn: from 8 on by amplitude and phase; below, and near the zeros up to 60, by the intervals of
 * besseltables.h; near zeros beyond, with the phase in double-double. */
#include "besseltables.h"
#include "trig64.h"

#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define SQRT_TWO_OVER_PI 0x1.9884533d43651p-1
#define PI_4 0x1.921fb54442d18p-1
#define PI_4_LOW 0x1.1a62633145c07p-55

#define ASYMPTOTIC_FROM 8.0
#define SERIES_FROM 60.0

/* A cosine of the phase smaller than this has lost too much: below SERIES_FROM, and above. */
#define SMALL_COSINE 0x1p-5
#define TINY_COSINE 0x1p-12

/* ---- near zeros ---- */

static double on_interval(const struct interval *interval, double x)
{
    while (x >= interval->end)
        ++interval;
    double u = x - interval->center;
    double sum = interval->coefficients[interval->degree];
    for (int i = interval->degree - 1; i >= 0; --i)
        sum = FMA(sum, u, interval->coefficients[i]);
    return (x - interval->zero - interval->zero_low) * sum;
}

/* ---- amplitude and phase ---- */

/* (amplitude - 1) / square of J0 and Y0 for square = 1/x^2, x >= 8
 *   14 Chebyshev nodes on [1e-6;1/64], rounded to double    error 4.6e-19 */
INLINE double amplitude_0(double square)
{
    double p = 0x1.e28c7a81cd975p50;
    p = FMA(p, square, -0x1.d890cd65e9a0dp47);
    p = FMA(p, square, 0x1.ae22b521a2404p43);
    p = FMA(p, square, -0x1.eaa90ee9f3d48p38);
    p = FMA(p, square, 0x1.94a5417d4cb43p33);
    p = FMA(p, square, -0x1.0eb51eb4a2f2ep28);
    p = FMA(p, square, 0x1.4e95d6fd382b4p22);
    p = FMA(p, square, -0x1.bd866a092f712p16);
    p = FMA(p, square, 0x1.72303579f0b19p11);
    p = FMA(p, square, -0x1.ab7fdf5fd1fbp6);
    p = FMA(p, square, 0x1.7650e0c436e85p2);
    p = FMA(p, square, -0x1.15efffbd64b9ap-1);
    p = FMA(p, square, 0x1.a7ffffffdfc11p-4);
    return FMA(p, square, -0x1.ffffffffffff5p-5);
}

/* (amplitude - 1) / square of J1 and Y1, alike    error 5.1e-19 */
INLINE double amplitude_1(double square)
{
    double p = -0x1.0d4362c4baedep51;
    p = FMA(p, square, 0x1.07ecd4a90a9a5p48);
    p = FMA(p, square, -0x1.e116f19067215p43);
    p = FMA(p, square, 0x1.12f65aa5991c3p39);
    p = FMA(p, square, -0x1.c716f3e6ee6dap33);
    p = FMA(p, square, 0x1.32486695fd373p28);
    p = FMA(p, square, -0x1.7e83ae1f934e1p22);
    p = FMA(p, square, 0x1.031405161250ep17);
    p = FMA(p, square, -0x1.b9febf4244893p11);
    p = FMA(p, square, 0x1.097f4c662825bp7);
    p = FMA(p, square, -0x1.ef5b2ad46bba3p2);
    p = FMA(p, square, 0x1.9c4fffb63779ap-1);
    p = FMA(p, square, -0x1.8bffffffee234p-3);
    return FMA(p, square, 0x1.7fffffffffffdp-3);
}

/* (phase * x + 1/8) / square of J0 and Y0, alike    error 4.4e-18 */
INLINE double phase_0(double square)
{
    double p = -0x1.1670f6764200fp54;
    p = FMA(p, square, 0x1.0ead303df66bdp51);
    p = FMA(p, square, -0x1.e77445de4b23p46);
    p = FMA(p, square, 0x1.1174d3c423468p42);
    p = FMA(p, square, -0x1.b735ced9df131p36);
    p = FMA(p, square, 0x1.1934760510073p31);
    p = FMA(p, square, -0x1.43824b9e14872p25);
    p = FMA(p, square, 0x1.8289856955d45p19);
    p = FMA(p, square, -0x1.15ab28318e459p14);
    p = FMA(p, square, 0x1.0bc2cac245f4cp9);
    p = FMA(p, square, -0x1.779996905b01p4);
    p = FMA(p, square, 0x1.a35847dafe164p0);
    p = FMA(p, square, -0x1.ad33333293daep-3);
    return FMA(p, square, 0x1.0aaaaaaaaaa76p-4);
}

/* (phase * x - 3/8) / square of J1 and Y1, alike    error 4.9e-18 */
INLINE double phase_1(double square)
{
    double p = 0x1.368b5768c3103p54;
    p = FMA(p, square, -0x1.2e22315fb2e4fp51);
    p = FMA(p, square, 0x1.1062736ad4575p47);
    p = FMA(p, square, -0x1.3230f975cee61p42);
    p = FMA(p, square, 0x1.ed5400ccc39dfp36);
    p = FMA(p, square, -0x1.3d8ed24611abp31);
    p = FMA(p, square, 0x1.70c4bea983339p25);
    p = FMA(p, square, -0x1.bf9015f6d817fp19);
    p = FMA(p, square, 0x1.496b31790ce1ap14);
    p = FMA(p, square, -0x1.4986e5fd4af4cp9);
    p = FMA(p, square, 0x1.e9fb5c61d4443p4);
    p = FMA(p, square, -0x1.2f486d006d5cbp1);
    p = FMA(p, square, 0x1.7bcccccc74963p-2);
    return FMA(p, square, -0x1.4ffffffffffe3p-3);
}

/* The function is size * cosine. */
typedef struct {
    double size, cosine;
} wave;

/* The cosine of x - (2 order + 1) pi/4 + phase, a quarter turn less for kind = 1 (Y) than for kind = 0 (J). */
INLINE double cosine_of_phase(double x, double_pair phase, int order, int kind)
{
    reduced r = reduce(x);
    /* less pi/4, or less pi/4 - pi/2 with the quadrant before */
    bool before = r.value < 0;
    double turn = before ? -PI_4 : PI_4, turn_low = before ? -PI_4_LOW : PI_4_LOW;
    double_pair angle = two_sum(r.value, -turn), moved = two_sum(angle.hi, phase.hi);
    angle = fast_two_sum(moved.hi, (angle.lo + moved.lo) + (phase.lo - (turn_low + r.minus_rest)));
    reduced a = { angle.hi, -angle.lo, r.quadrant - before - (uint64_t)order - (uint64_t)kind };
    double square = a.value * a.value;
    double s = sine(a, square), c = cosine(a, square);
    return flip_sign(a.quadrant & 1 ? s : c, (a.quadrant + 1) << 62);
}

INLINE double size_of_wave(double x, int order)
{
    double v = 1.0 / x, square = v * v;
    double amplitude = FMA(order ? amplitude_1(square) : amplitude_0(square), square, 1.0);
    return SQRT_TWO_OVER_PI * amplitude / __builtin_sqrt(x);
}

INLINE wave wave_of(double x, int order, int kind)
{
    double v = 1.0 / x, square = v * v;
    double lead = order ? 0.375 : -0.125;
    double more = (order ? phase_1(square) : phase_0(square)) * square * v;
    double_pair phase = two_product(lead, v);
    phase.lo += FMA(lead, FMA(-v, x, 1.0) * v, more);
    return (wave){ size_of_wave(x, order), cosine_of_phase(x, phase, order, kind) };
}

INLINE bool is_slow_wave(double x, double cosine)
{
    double least = x < SERIES_FROM ? SMALL_COSINE : TINY_COSINE;
    return !(x >= ASYMPTOTIC_FROM && x < INFINITY_D && ABS(cosine) >= least);
}

/* The phase of orders 0 and 1 as a series in 1/x, 1/x^3, ...: the first coefficients in two parts. */
static const struct {
    double_pair lead[4];
    double rest[12];
} phase_series[] = {
    { { { -0x1p-3, 0x0p0 }, { 0x1.0aaaaaaaaaaabp-4, -0x1.5555555555555p-58 },
        { -0x1.ad33333333333p-3, -0x1.999999999999ap-58 }, { 0x1.a358492492492p0, 0x1.2492492492492p-54 } },
      { -0x1.779a1f8e38e39p4, 0x1.0bd1fc8b1745dp9, -0x1.16b51e66c789ep14, 0x1.8ecc3af33ab37p19,
        -0x1.779dae2b8512fp25, 0x1.c296336955c7fp31, -0x1.4f5ee683b6432p38, 0x1.2f51eced6693fp45,
        -0x1.47a533f6de60ap52, 0x1.a0a16e6f97809p59, -0x1.34046f37b54fdp67, 0x1.06023472701c9p75 } },
    { { { 0x1.8p-2, 0x0p0 }, { -0x1.5p-3, 0x0p0 },
        { 0x1.7bccccccccccdp-2, -0x1.999999999999ap-57 }, { -0x1.2f486db6db6dbp1, -0x1.b6db6db6db6dbp-53 } },
      { 0x1.e9fbf4p4, -0x1.4997b55945d17p9, 0x1.4a914195269d9p14, -0x1.cd1b53816aec1p19,
        0x1.aa4095d419351p25, -0x1.f809305f11b9dp31, 0x1.72e6809ed618bp38, -0x1.4c5b6057839f9p45,
        0x1.6441cffe88783p52, -0x1.c2144ab994bcdp59, 0x1.4ae6f218a30dep67, -0x1.181ffdb880f4ep75 } },
};

/* The function near a zero beyond SERIES_FROM. */
static double near_far_zero(double x, int order, int kind)
{
    double v = 1.0 / x;
    double_pair inverse = { v, FMA(-v, x, 1.0) * v }, square = mul_pair(inverse, inverse);
    double rest = 0.0;
    for (int i = 11; i >= 0; --i)
        rest = FMA(rest, square.hi, phase_series[order].rest[i]);
    double_pair sum = { rest * square.hi, 0.0 };
    for (int i = 3; i >= 0; --i) {
        sum = add_pair(phase_series[order].lead[i], sum);
        sum = mul_pair(sum, i > 0 ? square : inverse);
    }
    return size_of_wave(x, order) * cosine_of_phase(x, sum, order, kind);
}

/* ---- J0, J1 ---- */

SLOW_PATH double gpucc_slow_j0(double x)
{
    if (!(x < INFINITY_D))
        return is_nan(x) ? x : 0.0;
    if (x < 0x1p-27) /* x^2/4 is less than half of the last place */
        return 1.0;
    return x < SERIES_FROM ? on_interval(j0_intervals, x) : near_far_zero(x, 0, 0);
}

double gpucc_j0(double x)
{
    double size = ABS(x);
    wave w = wave_of(size, 0, 0);
    if (UNLIKELY(is_slow_wave(size, w.cosine)))
        return gpucc_slow_j0(size);
    return w.size * w.cosine;
}

SLOW_PATH double gpucc_slow_j1(double x)
{
    if (!(x < INFINITY_D))
        return is_nan(x) ? x : 0.0;
    return x < SERIES_FROM ? on_interval(j1_intervals, x) : near_far_zero(x, 1, 0);
}

double gpucc_j1(double x)
{
    double size = ABS(x);
    wave w = wave_of(size, 1, 0);
    double result = w.size * w.cosine;
    if (UNLIKELY(is_slow_wave(size, w.cosine)))
        result = gpucc_slow_j1(size);
    return flip_sign(result, bits_of_double(x));
}

/* ---- Y0, Y1 ---- */

/* Below these Y0 and Y1 are taken apart into a logarithm and what is smooth. */
#define Y0_LOG 0.65
#define Y1_LOG 1.2

/* J0(x) for square = x^2 <= 0.65^2: 7 Chebyshev nodes, rounded to double    error 7.0e-19 */
INLINE double j0_small(double square)
{
    double p = 0x1.00f60c3c3085dp-31;
    p = FMA(p, square, -0x1.2343253971704p-24);
    p = FMA(p, square, 0x1.c71c6f2d1a013p-18);
    p = FMA(p, square, -0x1.c71c71c5929e8p-12);
    p = FMA(p, square, 0x1.ffffffffff223p-7);
    p = FMA(p, square, -0x1.ffffffffffffap-3);
    return FMA(p, square, 0x1p0);
}

/* Y0(x) - 2/pi log(x) J0(x), alike: 8 nodes    error 5.2e-22 */
INLINE double y0_smooth(double square)
{
    double p = 0x1.2191feb86239fp-38;
    p = FMA(p, square, -0x1.a6ebb895dcf2bp-31);
    p = FMA(p, square, 0x1.bce4a40921037p-24);
    p = FMA(p, square, -0x1.3e9979413c479p-17);
    p = FMA(p, square, 0x1.1a6206b7b91ep-11);
    p = FMA(p, square, -0x1.075b1bbf41362p-6);
    p = FMA(p, square, 0x1.6bbcb41034286p-3);
    return FMA(p, square, -0x1.2e4d699cbd01fp-4);
}

/* J1(x)/x for square = x^2 <= 1.2^2: 8 Chebyshev nodes, rounded to double    error 2.9e-19 */
INLINE double j1_small(double square)
{
    double p = -0x1.4b7735b44a717p-43;
    p = FMA(p, square, 0x1.27d55abeed13dp-35);
    p = FMA(p, square, -0x1.845c640631028p-28);
    p = FMA(p, square, 0x1.6c16c138cc316p-21);
    p = FMA(p, square, -0x1.c71c71c6d148p-15);
    p = FMA(p, square, 0x1.55555555551f4p-9);
    p = FMA(p, square, -0x1.ffffffffffffcp-5);
    return FMA(p, square, 0x1p-1);
}

/* (Y1(x) - 2/pi (log(x) J1(x) - 1/x)) / x, alike: 8 nodes    error 5.3e-19 */
INLINE double y1_smooth(double square)
{
    double p = 0x1.24254d94dccd9p-42;
    p = FMA(p, square, -0x1.f0b1793ae1263p-35);
    p = FMA(p, square, 0x1.32e581e97b2b1p-27);
    p = FMA(p, square, -0x1.0a780a9851439p-20);
    p = FMA(p, square, 0x1.2c7dbffc9981p-14);
    p = FMA(p, square, -0x1.835b97894b824p-9);
    p = FMA(p, square, 0x1.bd3975c75b4ap-5);
    return FMA(p, square, -0x1.91866143cbc8ap-3);
}

static double log_of_positive(double x)
{
    return x < SMALLEST_NORMAL ? log_of_normal(x * 0x1p54) - 54 * LN2 : log_of_normal(x);
}

/* Y0 and Y1 have this for zero, negative, infinite and NaN arguments. */
static double y_of_special(double x)
{
    return x == 0 ? -INFINITY_D : x == INFINITY_D ? 0.0 : is_nan(x) ? x : NAN_D;
}

SLOW_PATH double gpucc_slow_y0(double x)
{
    if (!(x > 0 && x < INFINITY_D))
        return y_of_special(x);
    if (x >= Y0_LOG)
        return x < SERIES_FROM ? on_interval(y0_intervals, x) : near_far_zero(x, 0, 1);
    double square = x * x;
    return FMA(TWO_OVER_PI * log_of_positive(x), j0_small(square), y0_smooth(square));
}

double gpucc_y0(double x)
{
    wave w = wave_of(x, 0, 1);
    if (UNLIKELY(is_slow_wave(x, w.cosine)))
        return gpucc_slow_y0(x);
    return w.size * w.cosine;
}

SLOW_PATH double gpucc_slow_y1(double x)
{
    if (!(x > 0 && x < INFINITY_D))
        return y_of_special(x);
    if (x >= Y1_LOG)
        return x < SERIES_FROM ? on_interval(y1_intervals, x) : near_far_zero(x, 1, 1);
    double square = x * x;
    double smooth = FMA(TWO_OVER_PI * log_of_positive(x), j1_small(square), y1_smooth(square)) * x;
    return smooth - TWO_OVER_PI / x;
}

double gpucc_y1(double x)
{
    wave w = wave_of(x, 1, 1);
    if (UNLIKELY(is_slow_wave(x, w.cosine)))
        return gpucc_slow_y1(x);
    return w.size * w.cosine;
}

/* ---- any order ---- */

/* J_n(x) for x < 2^-27: (x/2)^n / n!. */
static double jn_first_term(double n, double x)
{
    double result = 1.0;
    for (double k = 1.0; k <= n && result != 0; k += 1.0)
        result *= 0.5 * x / k;
    return result;
}

/* J_n(x) for 2 <= n, 2^-27 <= x <= n: the recurrence backward from an order beyond which nothing matters, scaled by
 * J0 + 2 J2 + 2 J4 + ... = 1. */
static double jn_backward(int64_t n, double x)
{
    double beyond = 0.0, current = 0x1p-900, wanted = 0.0, sum = 0.0;
    int64_t start = n + (int64_t)__builtin_sqrt(160.0 * (double)n) + 2;
    start += start & 1;
    for (int64_t k = start; k > 0; --k) {
        double before = FMA(2.0 * (double)k / x, current, -beyond);
        beyond = current;
        current = before;
        if (ABS(current) > 0x1p800) { /* and so `sum` beyond 1, or `wanted` might be subnormal without the result */
            beyond *= 0x1p-700;
            current *= 0x1p-700;
            wanted *= 0x1p-700;
            sum *= 0x1p-700;
        }
        sum += k & 1 ? current : 0.0;
        wanted = k == n + 1 ? current : wanted;
    }
    return wanted / (2.0 * sum - current);
}

/* J_n(x) for 2 <= n, 0 <= x <= n. */
static double jn_before_order(double n, double x)
{
    if (x < 0x1p-27)
        return jn_first_term(n, x);
    if (n > 2000.0 && x < 0.5 * n) /* less than (e/4)^n */
        return 0.0;
    return jn_backward((int64_t)n, x);
}

SLOW_PATH double gpucc_slow_jn(int n, double x)
{
    double size = ABS(x), order = ABS((double)n);
    bool negate = n & 1 && (n < 0) != (bits_of_double(x) >> 63);
    double result = order == 0 ? gpucc_j0(size) : order == 1 ? gpucc_j1(size) : size;
    if (order >= 2 && size < INFINITY_D) {
        double before = gpucc_j0(size);
        result = gpucc_j1(size);
        for (double k = 1.0; k < order && size > order; k += 1.0) {
            double next = FMA(2.0 * k / size, result, -before);
            before = result;
            result = next;
        }
        if (size <= order)
            result = jn_before_order(order, size);
    } else if (order >= 2 && size == INFINITY_D) {
        result = 0.0;
    }
    return negate ? -result : result;
}

double gpucc_jn(int n, double x)
{
    return gpucc_slow_jn(n, x);
}

SLOW_PATH double gpucc_slow_yn(int n, double x)
{
    double order = ABS((double)n);
    bool negate = n & 1 && n < 0;
    double before = gpucc_y0(x);
    double result = order == 0 ? before : gpucc_y1(x);
    for (double k = 1.0; k < order && result > -INFINITY_D && x < INFINITY_D; k += 1.0) {
        double next = FMA(2.0 * k / x, result, -before);
        before = result;
        result = next;
    }
    return negate ? -result : result;
}

double gpucc_yn(int n, double x)
{
    return gpucc_slow_yn(n, x);
}
