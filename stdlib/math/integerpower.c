/* pown rootn compoundn powr: 2 to a multiple of a logarithm, both in double-double.  Special values: C23, F.10.4. */
#include "math64.h"

double gpucc_pow(double, double);

/* Exactly. */
INLINE double_pair pair_of_integer(long long n)
{
    return fast_two_sum((double)(n >> 32) * 0x1p32, (double)(n & 0xffffffff));
}

/* log2(size) for a size that is positive, 0 or infinite; NaN otherwise */
INLINE double_pair log2_of_size(double size)
{
    bool denormal = size < SMALLEST_NORMAL;
    log_argument a = reduce_log(denormal ? size * 0x1p54 : size);
    double_pair log = log2_pair(a.fraction);
    double_pair sum = fast_two_sum(denormal ? a.count - 54 : a.count, log.hi);
    double special = size == 0 ? -INFINITY_D : size > 0 ? size : NAN_D;
    bool ordinary = size > 0 && size < INFINITY_D;
    return (double_pair){ ordinary ? sum.hi : special, sum.lo + log.lo };
}

/* 2^(e.hi + e.lo) for any e.hi; where it is beyond what a double holds, e.lo means nothing */
INLINE double exp2_of_pair(double_pair e)
{
    bool far = ABS(e.hi) > 1100.0;
    double hi = far ? __builtin_copysign(1100.0, e.hi) : e.hi, lo = far ? 0.0 : e.lo;
    double count = (hi + ROUND_MAGIC) - ROUND_MAGIC;
    return scale_by_exp2(exp2_polynomial(hi - count + lo), count);
}

/* 2^(n log) */
INLINE double power_of_log(double_pair log, long long n)
{
    double_pair factor = pair_of_integer(n);
    double product = log.hi * factor.hi;
    double low = FMA(log.hi, factor.lo, FMA(log.lo, factor.hi, FMA(log.hi, factor.hi, -product)));
    return exp2_of_pair((double_pair){ product, low });
}

double gpucc_pown(double x, long long n)
{
    double power = power_of_log(log2_of_size(ABS(x)), n);
    return n == 0 ? 1.0 : flip_sign(power, n & 1 ? bits_of_double(x) : 0);
}

/* NaN for n = 0, and for even roots of negative numbers. */
double gpucc_rootn(double x, long long n)
{
    double_pair log = log2_of_size(ABS(x)), divisor = pair_of_integer(n);
    double quotient = log.hi / divisor.hi;
    double rest = FMA(-quotient, divisor.lo, FMA(-quotient, divisor.hi, log.hi)) + log.lo;
    double root = exp2_of_pair((double_pair){ quotient, rest / divisor.hi });
    bool exists = n != 0 && (n & 1 || !(x < 0));
    return exists ? flip_sign(root, n & 1 ? bits_of_double(x) : 0) : NAN_D;
}

/* (1 + x)^n */
double gpucc_compoundn(double x, long long n)
{
    double_pair log = log2_1_more_pair(x);
    bool ordinary = x > -1.0 && x < LOG1P_LIMIT;
    double_pair special = log2_of_size(x == -1.0 ? 0.0 : x < -1.0 ? NAN_D : x); /* 1 is nothing beside a large x */
    log.hi = ordinary ? log.hi : special.hi;
    log.lo = ordinary ? log.lo : special.lo;
    return n == 0 && !(x < -1.0) ? 1.0 : power_of_log(log, n);
}

/* exp(y log x): pow but for NaN where the limits disagree and for negative x. */
double gpucc_powr(double x, double y)
{
    double size = ABS(x), power = gpucc_pow(size, y);
    bool undefined = x < 0 || is_nan(x) || is_nan(y) || (y == 0 && (size == 0 || size == INFINITY_D)) ||
                     (size == 1.0 && ABS(y) == INFINITY_D);
    return undefined ? NAN_D : power;
}
