/* Elements converted on the host: one, a row, or all that a nest walks over. */
#include "base/common.h"
#include "base/floating_point.h"
#include "base/numbers.h"
#include "nests/convert.h"
#include <string.h>

/* Elements go to the loops of conversions in whole groups that are contiguous: those that do not are brought together
 * before, and spread behind them, so that each pair of types needs one loop, which compilers vectorise without code for
 * what a vector leaves.  convert_pairs.c has loops for the frequent pairs; others go by way of the widest type of their
 * kind. */
enum { BLOCK = 256 };
_Static_assert(BLOCK % CONVERT_GROUP == 0, "blocks are whole groups");

enum wide { WIDE_SIGNED, WIDE_UNSIGNED, WIDE_REAL, WIDE_COMPLEX };

union block {
    int64_t i[BLOCK];
    uint64_t u[BLOCK];
    double r[2 * BLOCK]; /* or both parts of each element of c, in turn */
    double c[BLOCK][2];
};

/* Each element of whole groups. */
#define EACH(k, n)                                                                                                     \
    for (int64_t group = 0; group < (n); group += CONVERT_GROUP)                                                       \
        for (int64_t k = group; k < group + CONVERT_GROUP; k++)

#define LOAD(type, field, expression)                                                                                  \
    EACH(k, n) {                                                                                                       \
        type v;                                                                                                        \
        memcpy(&v, from + k * (int64_t)sizeof v, sizeof v);                                                            \
        block->field[k] = expression;                                                                                  \
    }                                                                                                                  \
    break

static enum wide load(union block *block, gpucc_dtype dtype, const char *from, int64_t n)
{
    switch (dtype) {
    case GPUCC_BOOLEAN: LOAD(uint8_t, i, v != 0);
    case GPUCC_INT8: LOAD(int8_t, i, v);
    case GPUCC_INT16: LOAD(int16_t, i, v);
    case GPUCC_INT32: LOAD(int32_t, i, v);
    case GPUCC_INT64: LOAD(int64_t, i, v);
    case GPUCC_UINT8: LOAD(uint8_t, u, v);
    case GPUCC_UINT16: LOAD(uint16_t, u, v);
    case GPUCC_UINT32: LOAD(uint32_t, u, v);
    case GPUCC_UINT64: LOAD(uint64_t, u, v);
    case GPUCC_FLOAT16: LOAD(uint16_t, r, widen(v, FLOAT16_FRACTION));
    case GPUCC_BFLOAT16: LOAD(uint16_t, r, widen(v, BFLOAT16_FRACTION));
    case GPUCC_FLOAT8_E4M3FN: LOAD(uint8_t, r, double_of_float(gpucc_float_of_e4m3_bits(v)));
    case GPUCC_FLOAT8_E5M2: LOAD(uint8_t, r, double_of_float(gpucc_float_of_e5m2_bits(v)));
    case GPUCC_FLOAT32: LOAD(float, r, double_of_float(v));
    case GPUCC_COMPLEX64: n *= 2; LOAD(float, r, double_of_float(v)); /* their parts */
    case GPUCC_COMPLEX128: n *= 2; LOAD(double, r, v);
    default: LOAD(double, r, v);
    }
    switch (dtypes[dtype].kind) {
    case 'u': return WIDE_UNSIGNED;
    case 'f': return WIDE_REAL;
    case 'c': return WIDE_COMPLEX;
    default: return WIDE_SIGNED;
    }
}

/* Integers to real numbers.  The last rounding is the store's, but for float64, where it is here. */
static void make_real(union block *block, enum wide wide, int64_t n, bool exact)
{
    if (wide == WIDE_UNSIGNED)
        EACH(k, n) block->r[k] = exact ? (double)block->u[k] : odd_double(block->u[k]);
    else
        EACH(k, n) block->r[k] = exact ? (double)block->i[k] : odd_signed_double(block->i[k]);
}

/* Real numbers to integers, and to truth values, of which all but 0 is true. */
static void make_whole(union block *block, gpucc_dtype to, int64_t n)
{
    const int bits = 8 * dtypes[to].size;
    if (dtypes[to].kind == 'b')
        EACH(k, n) block->u[k] = block->r[k] != 0;
    else if (dtypes[to].kind == 'u')
        EACH(k, n) block->u[k] = unsigned_of_double(block->r[k], bits);
    else
        EACH(k, n) block->i[k] = signed_of_double(block->r[k], bits);
}

/* Complex numbers to real ones: their real parts.  As a truth value one is true if a part is not 0. */
static void convert_to_real(union block *block, bool is_truth, int64_t n)
{
    if (is_truth)
        EACH(k, n) block->r[k] = block->c[k][0] != 0 || block->c[k][1] != 0;
    else
        EACH(k, n) block->r[k] = block->c[k][0];
}

/* From the end, as a complex number takes the room of two real ones. */
static void make_complex(union block *block, int64_t n)
{
    for (int64_t k = n; k-- > 0;) {
        double real = block->r[k];
        block->c[k][0] = real;
        block->c[k][1] = 0;
    }
}

#define STORE(type, expression)                                                                                        \
    EACH(k, n) {                                                                                                       \
        type v = expression;                                                                                           \
        memcpy(to + k * (int64_t)sizeof v, &v, sizeof v);                                                              \
    }                                                                                                                  \
    break

/* Signed and unsigned share their low bits, so that integers are stored from either. */
static void store(const union block *block, gpucc_dtype dtype, char *to, int64_t n)
{
    switch (dtype) {
    case GPUCC_BOOLEAN: STORE(uint8_t, block->u[k] != 0);
    case GPUCC_INT8:
    case GPUCC_UINT8: STORE(uint8_t, (uint8_t)block->u[k]);
    case GPUCC_INT16:
    case GPUCC_UINT16: STORE(uint16_t, (uint16_t)block->u[k]);
    case GPUCC_INT32:
    case GPUCC_UINT32: STORE(uint32_t, (uint32_t)block->u[k]);
    case GPUCC_INT64:
    case GPUCC_UINT64: STORE(uint64_t, block->u[k]);
    case GPUCC_FLOAT16: STORE(uint16_t, narrow(block->r[k], FLOAT16_FRACTION));
    case GPUCC_BFLOAT16: STORE(uint16_t, narrow(block->r[k], BFLOAT16_FRACTION));
    case GPUCC_FLOAT8_E4M3FN: STORE(uint8_t, gpucc_e4m3_bits_of_double(block->r[k]));
    case GPUCC_FLOAT8_E5M2: STORE(uint8_t, gpucc_e5m2_bits_of_double(block->r[k]));
    case GPUCC_COMPLEX64: n *= 2; /* fall through */
    case GPUCC_FLOAT32: STORE(float, float_of_double(block->r[k]));
    case GPUCC_COMPLEX128: n *= 2; /* fall through */
    default: STORE(double, block->r[k]);
    }
}

/* From the widest type of one kind to that of another. */
static void change_kind(union block *block, enum wide wide, gpucc_dtype to, int64_t n)
{
    const char kind = dtypes[to].kind;
    const bool exact = to == GPUCC_FLOAT64 || to == GPUCC_COMPLEX128;
    if (wide == WIDE_COMPLEX && kind != 'c') {
        convert_to_real(block, kind == 'b', n);
        wide = WIDE_REAL;
    }
    if (wide == WIDE_REAL && kind != 'f' && kind != 'c')
        make_whole(block, to, n);
    if (wide < WIDE_REAL && (kind == 'f' || kind == 'c')) {
        make_real(block, wide, n, exact);
        wide = WIDE_REAL;
    }
    if (wide == WIDE_REAL && kind == 'c')
        make_complex(block, n);
}

/* Whole groups that are contiguous. */
static void convert_groups(gpucc_dtype to, char *target, gpucc_dtype from, const char *source, int64_t n)
{
    const int64_t to_size = dtypes[to].size, from_size = dtypes[from].size;
    union block block;
    if (convert_pair(to, target, from, source, n))
        return;
    for (int64_t done = 0; done < n; done += BLOCK) {
        const int64_t count = n - done < BLOCK ? n - done : BLOCK;
        const enum wide wide = load(&block, from, source + done * from_size, count);
        change_kind(&block, wide, to, count);
        store(&block, to, target + done * to_size, count);
    }
}

/* At most a block's elements that do not lie together, or are no whole groups. */
static void convert_apart(gpucc_dtype to, char *target, int64_t to_step, gpucc_dtype from, const char *source,
                          int64_t from_step, int64_t n)
{
    enum { WIDEST = 16 };
    char gathered[BLOCK * WIDEST], converted[BLOCK * WIDEST];
    const int64_t to_size = dtypes[to].size, from_size = dtypes[from].size;
    const int64_t whole = (n + CONVERT_GROUP - 1) / CONVERT_GROUP * CONVERT_GROUP;
    const bool reads_there = from_step == from_size && n == whole, writes_there = to_step == to_size && n == whole;
    if (!reads_there) {
        copy_elements((size_t)from_size, gathered, from_size, source, from_step, n);
        memset(gathered + n * from_size, 0, (size_t)((whole - n) * from_size));
    }
    convert_groups(to, writes_there ? target : converted, from, reads_there ? source : gathered, whole);
    if (!writes_there)
        copy_elements((size_t)to_size, target, to_step, converted, to_size, n);
}

struct conversion {
    gpucc_dtype to, from;
};

static void convert_run(void *data, char **args, int64_t n, const int64_t *steps)
{
    const struct conversion *how = data;
    const int64_t to_size = dtypes[how->to].size, from_size = dtypes[how->from].size;
    if (steps[0] == to_size && steps[1] == from_size && n >= CONVERT_GROUP) {
        /* The last group may have elements that the one before it has had. */
        const int64_t whole = n - n % CONVERT_GROUP, last = n - CONVERT_GROUP;
        convert_groups(how->to, args[0], how->from, args[1], whole);
        if (whole < n)
            convert_groups(how->to, args[0] + last * to_size, how->from, args[1] + last * from_size, CONVERT_GROUP);
        return;
    }
    for (int64_t done = 0; done < n; done += BLOCK)
        convert_apart(how->to, args[0] + done * steps[0], steps[0], how->from, args[1] + done * steps[1], steps[1],
                      n - done < BLOCK ? n - done : BLOCK);
}

static void copy_run(void *data, char **args, int64_t n, const int64_t *steps)
{
    copy_elements(dtypes[*(const gpucc_dtype *)data].size, args[0], steps[0], args[1], steps[1], n);
}

void convert_nest(struct pool *pool, struct nest *nest, gpucc_dtype to, gpucc_dtype from)
{
    struct conversion conversion = {to, from};
    nest_simplify(nest, 0);
    if (to == from)
        nest_run(pool, nest, copy_run, &to);
    else
        nest_run(pool, nest, convert_run, &conversion);
}

void convert_row(gpucc_dtype to, char *target, int64_t to_step, gpucc_dtype from, char *source, int64_t from_step,
                 int64_t n)
{
    struct conversion conversion = {to, from};
    const int64_t steps[2] = {to_step, from_step};
    char *args[2] = {target, source};
    if (to == from)
        copy_run(&to, args, n, steps);
    else
        convert_run(&conversion, args, n, steps);
}

void convert_value(gpucc_dtype to, void *target, gpucc_dtype from, const void *source)
{
    unsigned modes = fp_enter();
    convert_row(to, target, 0, from, (char *)(uintptr_t)source, 0, 1);
    fp_leave(modes);
}
