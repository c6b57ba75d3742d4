/* Elements converted on the host: one, or all that a nest walks over. */
#include "internal.h"
#include "numbers.h"

/* Elements are converted a block at a time, through the widest type of their kind. */
enum { BLOCK = 256 };

enum wide { WIDE_SIGNED, WIDE_UNSIGNED, WIDE_REAL, WIDE_COMPLEX };

union block {
    int64_t i[BLOCK];
    uint64_t u[BLOCK];
    double r[BLOCK];
    double c[BLOCK][2];
};

#define LOAD(type, field, expression)                                                                                  \
    for (int64_t k = 0; k < n; k++) {                                                                                  \
        type v;                                                                                                        \
        memcpy(&v, from + k * step, sizeof v);                                                                         \
        block->field[k] = expression;                                                                                  \
    }                                                                                                                  \
    break

static void load_complex(union block *block, const char *from, int64_t step, int64_t n, bool is_double)
{
    for (int64_t k = 0; k < n; k++) {
        float single[2];
        if (is_double) {
            memcpy(block->c[k], from + k * step, sizeof block->c[k]);
        } else {
            memcpy(single, from + k * step, sizeof single);
            block->c[k][0] = double_of_float(single[0]);
            block->c[k][1] = double_of_float(single[1]);
        }
    }
}

static enum wide load(union block *block, gpucc_dtype dtype, const char *from, int64_t step, int64_t n)
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
    case GPUCC_FLOAT32: LOAD(float, r, double_of_float(v));
    case GPUCC_FLOAT64: LOAD(double, r, v);
    default: load_complex(block, from, step, n, dtype == GPUCC_COMPLEX128);
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
    for (int64_t k = 0; k < n; k++) {
        if (wide == WIDE_UNSIGNED)
            block->r[k] = exact ? (double)block->u[k] : odd_double(block->u[k]);
        else if (exact)
            block->r[k] = (double)block->i[k];
        else
            block->r[k] = odd_signed_double(block->i[k]);
    }
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
    for (int64_t k = 0; k < n; k++) {                                                                                  \
        type v = expression;                                                                                           \
        memcpy(to + k * step, &v, sizeof v);                                                                           \
    }                                                                                                                  \
    break

static void store_complex(const union block *block, char *to, int64_t step, int64_t n, bool is_double)
{
    for (int64_t k = 0; k < n; k++) {
        float single[2] = {float_of_double(block->c[k][0]), float_of_double(block->c[k][1])};
        if (is_double)
            memcpy(to + k * step, block->c[k], sizeof block->c[k]);
        else
            memcpy(to + k * step, single, sizeof single);
    }
}

/* Signed and unsigned share their low bits, so that integers are stored from either. */
static void store(const union block *block, gpucc_dtype dtype, char *to, int64_t step, int64_t n)
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
    case GPUCC_FLOAT32: STORE(float, float_of_double(block->r[k]));
    case GPUCC_FLOAT64: STORE(double, block->r[k]);
    default: store_complex(block, to, step, n, dtype == GPUCC_COMPLEX128);
    }
}

struct conversion {
    gpucc_dtype to, from;
};

static void convert_run(void *data, char **args, int64_t n, const int64_t *steps)
{
    const struct conversion *conversion = data;
    char to_kind = dtypes[conversion->to].kind;
    bool exact = conversion->to == GPUCC_FLOAT64 || conversion->to == GPUCC_COMPLEX128;
    union block block;
    for (int64_t done = 0; done < n; done += BLOCK) {
        int64_t count = n - done < BLOCK ? n - done : BLOCK;
        enum wide wide = load(&block, conversion->from, args[1] + done * steps[1], steps[1], count);
        if ((to_kind == 'f' || to_kind == 'c') && wide < WIDE_REAL)
            make_real(&block, wide, count, exact);
        if (to_kind == 'c' && wide < WIDE_COMPLEX)
            make_complex(&block, count);
        store(&block, conversion->to, args[0] + done * steps[0], steps[0], count);
    }
}

#define COPY_ELEMENTS(size)                                                                                            \
    for (int64_t k = 0; k < n; k++)                                                                                    \
        memcpy(args[0] + k * steps[0], args[1] + k * steps[1], size);                                                  \
    break

static void copy_run(void *data, char **args, int64_t n, const int64_t *steps)
{
    int64_t size = dtypes[*(const gpucc_dtype *)data].size;
    if (steps[0] == size && steps[1] == size) {
        memcpy(args[0], args[1], (size_t)(n * size));
        return;
    }
    switch (size) {
    case 1: COPY_ELEMENTS(1);
    case 2: COPY_ELEMENTS(2);
    case 4: COPY_ELEMENTS(4);
    case 8: COPY_ELEMENTS(8);
    default: COPY_ELEMENTS(16);
    }
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

void convert_value(gpucc_dtype to, void *target, gpucc_dtype from, const void *source)
{
    static const int64_t steps[2] = {0, 0};
    char *args[2] = {target, (char *)(uintptr_t)source};
    struct conversion conversion = {to, from};
    if (to == from)
        memcpy(target, source, dtypes[to].size);
    else
        convert_run(&conversion, args, 1, steps);
}
