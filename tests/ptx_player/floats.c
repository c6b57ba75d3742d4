/* float32 and float64 arithmetic: exact in every rounding.  The hardware's approximations are the nearest numbers here,
 * as good as any: correct programs do not depend on their last bits. */
#include "ptx.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define A r[i->operand[1]]
#define B r[i->operand[2]]
#define C r[i->operand[3]]

/* ---- bits ---- */

float float_of(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float number;
    memcpy(&number, &word, sizeof number);
    return number;
}

double double_of(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

uint64_t bits_of_float(float number)
{
    uint32_t word;
    memcpy(&word, &number, sizeof word);
    return word;
}

uint64_t bits_of_double(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

float flush(float number)
{
    return fabsf(number) < FLT_MIN ? copysignf(0, number) : number;
}

bool find_rounding(const struct parts *parts, enum rounding *rounding)
{
    static const struct {
        const char *name;
        enum rounding rounding;
    } names[] = {{"rn", TO_NEAREST}, {"rz", TO_ZERO}, {"rm", DOWN}, {"rp", UP},       {"rni", TO_NEAREST},
                 {"rzi", TO_ZERO},   {"rmi", DOWN},   {"rpi", UP},  {"rna", TO_NEAREST_AWAY}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (find_part(parts, names[k].name) > 0) {
            *rounding = names[k].rounding;
            return true;
        }
    return false;
}

/* ---- NaNs: float32 has one, float64 passes its first on ---- */

static uint64_t finish_float(float result)
{
    return isnan(result) ? 0x7fffffff : bits_of_float(result);
}

static uint64_t finish_double(double result, double a, double b, double c)
{
    const uint64_t quiet = UINT64_C(1) << 51, invalid = UINT64_C(0xfff8000000000000);
    if (!isnan(result))
        return bits_of_double(result);
    return isnan(a) ? bits_of_double(a) | quiet : isnan(b) ? bits_of_double(b) | quiet
         : isnan(c) ? bits_of_double(c) | quiet : invalid;
}

/* ---- rounded to nearest ---- */

#define SINGLE(name, expression)                                                                                       \
    static void name##_f32(struct thread *t, struct reg *r, const struct instruction *i)                               \
    {                                                                                                                  \
        const float a = float_of(A.value), b = float_of(B.value), c = float_of(C.value);                               \
        const uint64_t u = A.undefined | B.undefined | C.undefined;                                                    \
        (void)t, (void)a, (void)b, (void)c;                                                                            \
        r[i->operand[0]] = (struct reg){finish_float(expression), all_if(u, MASK_32)};                                 \
    }
#define DOUBLE(name, expression)                                                                                       \
    static void name##_f64(struct thread *t, struct reg *r, const struct instruction *i)                               \
    {                                                                                                                  \
        const double a = double_of(A.value), b = double_of(B.value), c = double_of(C.value);                           \
        const uint64_t u = A.undefined | B.undefined | C.undefined;                                                    \
        (void)t, (void)a, (void)b, (void)c;                                                                            \
        r[i->operand[0]] = (struct reg){finish_double(expression, a, b, c), all_if(u, MASK_64)};                       \
    }
/* A missing operand is operand -1, which holds a defined zero. */

SINGLE(add, a + b)
SINGLE(sub, a - b)
SINGLE(mul, a *b)
SINGLE(fma, fmaf(a, b, c))
SINGLE(div, a / b)
SINGLE(sqrt, sqrtf(a))
SINGLE(rcp, 1 / a)
DOUBLE(add, a + b)
DOUBLE(sub, a - b)
DOUBLE(mul, a *b)
DOUBLE(fma, fma(a, b, c))
DOUBLE(div, a / b)
DOUBLE(sqrt, sqrt(a))
DOUBLE(rcp, 1 / a)

static float smaller_float(float a, float b)
{
    return isnan(a) ? b : isnan(b) ? a : a < b || (a == b && signbit(a)) ? a : b;
}

static double smaller_double(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a < b || (a == b && signbit(a)) ? a : b;
}

SINGLE(min, smaller_float(a, b))
SINGLE(max, -smaller_float(-a, -b))
DOUBLE(min, smaller_double(a, b))
DOUBLE(max, -smaller_double(-a, -b))

/* Flips one bit alone: NaNs stay NaNs. */
static void negate(struct thread *t, struct reg *r, const struct instruction *i)
{
    (void)t;
    r[i->operand[0]] = (struct reg){A.value ^ UINT64_C(1) << (i->type.bits - 1), A.undefined};
}

static void absolute(struct thread *t, struct reg *r, const struct instruction *i)
{
    const uint64_t mask = type_mask(i->type) >> 1;
    (void)t;
    r[i->operand[0]] = (struct reg){A.value & mask, A.undefined & mask};
}

static void copy_sign(struct thread *t, struct reg *r, const struct instruction *i)
{
    const uint64_t sign = UINT64_C(1) << (i->type.bits - 1);
    (void)t;
    r[i->operand[0]] = (struct reg){(B.value & ~sign) | (A.value & sign), (B.undefined & ~sign) | (A.undefined & sign)};
}

/* ---- any rounding, flushing and saturation ---- */

enum operation { ADD, SUB, MUL, FMA, DIV, SQRT, RCP, MIN, MAX, NEG, ABS, RSQRT, SIN, COS, LG2, EX2, TANH };

static __attribute__((noinline)) float compute_float(enum operation operation, volatile float a, volatile float b,
                                                     volatile float c)
{
    switch (operation) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: return a * b;
    case FMA: return fmaf(a, b, c);
    case DIV: return a / b;
    case SQRT: return sqrtf(a);
    case RCP: return 1 / a;
    case MIN: return smaller_float(a, b);
    case MAX: return -smaller_float(-a, -b);
    case NEG: return -a;
    case ABS: return fabsf(a);
    case RSQRT: return (float)(1 / sqrt((double)a));
    case SIN: return (float)sin((double)a);
    case COS: return (float)cos((double)a);
    case LG2: return (float)log2((double)a);
    case EX2: return (float)exp2((double)a);
    case TANH: return (float)tanh((double)a);
    }
    return 0;
}

static __attribute__((noinline)) double compute_double(enum operation operation, volatile double a, volatile double b,
                                                       volatile double c)
{
    switch (operation) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: return a * b;
    case FMA: return fma(a, b, c);
    case DIV: return a / b;
    case SQRT: return sqrt(a);
    case RCP: return 1 / a;
    case RSQRT: return 1 / sqrt(a);
    default: return 0;
    }
}

static void set_rounding(enum rounding rounding)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    fesetround(modes[rounding]);
}

/* detail: the operation; mode: the rounding. */
static void any_float(struct thread *t, struct reg *r, const struct instruction *i)
{
    const uint64_t u = A.undefined | B.undefined | C.undefined;
    const bool flushes = i->flags & FLUSH;
    float a = float_of(A.value), b = float_of(B.value), c = float_of(C.value);
    (void)t;
    if (flushes)
        a = flush(a), b = flush(b), c = flush(c);
    set_rounding(i->mode);
    float result = compute_float(i->detail, a, b, c);
    set_rounding(TO_NEAREST);
    if (flushes)
        result = flush(result);
    if (i->flags & SATURATE)
        result = result > 0 ? (result < 1 ? result : 1) : 0;
    const bool is_nan = (i->flags & NAN_RESULT) && (isnan(a) || isnan(b));
    r[i->operand[0]] = (struct reg){is_nan ? 0x7fffffff : finish_float(result), all_if(u, MASK_32)};
}

static void any_double(struct thread *t, struct reg *r, const struct instruction *i)
{
    const uint64_t u = A.undefined | B.undefined | C.undefined;
    const double a = double_of(A.value), b = double_of(B.value), c = double_of(C.value);
    (void)t;
    set_rounding(i->mode);
    const double result = compute_double(i->detail, a, b, c);
    set_rounding(TO_NEAREST);
    r[i->operand[0]] = (struct reg){finish_double(result, a, b, c), all_if(u, MASK_64)};
}

/* Approximates by the upper words alone, without denormals. */
static void approximate_double(struct thread *t, struct reg *r, const struct instruction *i)
{
    const uint64_t upper = ~MASK_32;
    double a = double_of(A.value & upper);
    (void)t;
    a = fabs(a) < DBL_MIN ? copysign(0, a) : a;
    double result = compute_double(i->detail, a, 0, 0);
    result = fabs(result) < DBL_MIN ? copysign(0, result) : result;
    const uint64_t bits = isnan(result) ? UINT64_C(0x7fffffff00000000) : bits_of_double(result) & upper;
    r[i->operand[0]] = (struct reg){bits, all_if(A.undefined, MASK_64)};
}

static bool find_operation(const struct parts *parts, uint8_t *operation)
{
    static const char *const names[] = {"add", "sub", "mul", "fma", "div",   "sqrt", "rcp", "min", "max",
                                        "neg", "abs", "rsqrt", "sin", "cos", "lg2",  "ex2", "tanh"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (part_is(parts, 0, names[k])) {
            *operation = (uint8_t)k;
            return true;
        }
    if (part_is(parts, 0, "mad"))
        *operation = FMA;
    return part_is(parts, 0, "mad");
}

bool decode_float(const struct parts *parts, struct instruction *i)
{
    enum rounding rounding = TO_NEAREST;
    if (i->type.kind != FLOAT || i->type.bits < 32 || !find_operation(parts, &i->detail))
        return false;
    find_rounding(parts, &rounding);
    i->mode = (uint8_t)rounding;
    i->flags |= find_part(parts, "ftz") > 0 ? FLUSH : 0;
    i->flags |= find_part(parts, "sat") > 0 ? SATURATE : 0;
    i->flags |= find_part(parts, "NaN") > 0 ? NAN_RESULT : 0;
    if (i->type.bits == 32)
        i->run = any_float;
    else if (find_part(parts, "approx") > 0)
        i->run = approximate_double;
    else if (i->detail <= RCP)
        i->run = any_double;
    return i->run != NULL;
}

/* ---- the table ---- */

#define BOTH(name, run) {name ".f32", run##_f32, {FLOAT, 32}, 0}, {name ".f64", run##_f64, {FLOAT, 64}, 0},

const struct opcode float_opcodes[] = {
    BOTH("add.rn", add)
    BOTH("sub.rn", sub)
    BOTH("mul.rn", mul)
    BOTH("fma.rn", fma)
    BOTH("div.rn", div)
    BOTH("sqrt.rn", sqrt)
    BOTH("rcp.rn", rcp)
    BOTH("min", min)
    BOTH("max", max)
    {"neg.f32", negate, {FLOAT, 32}, 0},
    {"neg.f64", negate, {FLOAT, 64}, 0},
    {"neg.f16", negate, {FLOAT, 16}, 0},
    {"neg.bf16", negate, {BFLOAT, 16}, 0},
    {"abs.f32", absolute, {FLOAT, 32}, 0},
    {"abs.f64", absolute, {FLOAT, 64}, 0},
    {"abs.f16", absolute, {FLOAT, 16}, 0},
    {"abs.bf16", absolute, {BFLOAT, 16}, 0},
    {"copysign.f32", copy_sign, {FLOAT, 32}, 0},
    {"copysign.f64", copy_sign, {FLOAT, 64}, 0},
    {NULL, NULL, {0, 0}, 0},
};
