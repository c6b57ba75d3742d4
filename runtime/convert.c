/* Elements converted on the host: one, a row, or all that a nest walks over. */
#include "internal.h"
#include "numbers.h"
#include <string.h>

/* Elements are converted a block at a time, through the widest type of their kind, where convert_pairs.c has no loop
 * for the two types. */
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

/* Real numbers to integers, and to truth values, of which all but 0 is true. */
static void make_whole(union block *block, gpucc_dtype to, int64_t n)
{
    const int bits = 8 * dtypes[to].size;
    for (int64_t k = 0; k < n; k++) {
        if (dtypes[to].kind == 'b')
            block->u[k] = block->r[k] != 0;
        else if (dtypes[to].kind == 'u')
            block->u[k] = unsigned_of_double(block->r[k], bits);
        else
            block->i[k] = signed_of_double(block->r[k], bits);
    }
}

/* Complex numbers to real ones: their real parts.  As a truth value one is true where a part is not 0. */
static void take_real(union block *block, bool is_truth, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        double real = block->c[k][0], imaginary = block->c[k][1];
        block->r[k] = is_truth ? real != 0 || imaginary != 0 : real;
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

/* From the widest type of one kind to that of another. */
static void change_kind(union block *block, enum wide wide, gpucc_dtype to, int64_t n)
{
    const char kind = dtypes[to].kind;
    const bool exact = to == GPUCC_FLOAT64 || to == GPUCC_COMPLEX128;
    if (wide == WIDE_COMPLEX && kind != 'c') {
        take_real(block, kind == 'b', n);
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

static void convert_in_blocks(gpucc_dtype to, char *target, int64_t to_step, gpucc_dtype from, const char *source,
                              int64_t from_step, int64_t n)
{
    union block block;
    for (int64_t done = 0; done < n; done += BLOCK) {
        int64_t count = n - done < BLOCK ? n - done : BLOCK;
        enum wide wide = load(&block, from, source + done * from_step, from_step, count);
        change_kind(&block, wide, to, count);
        store(&block, to, target + done * to_step, to_step, count);
    }
}

#define COPY_ELEMENTS(size)                                                                                            \
    if (to_step == (size) && from_step == 2 * (size)) {                                                                \
        for (int64_t k = 0; k < n; k++)                                                                                \
            memcpy(to + k * (size), from + k * 2 * (size), size);                                                      \
    } else {                                                                                                           \
        for (int64_t k = 0; k < n; k++)                                                                                \
            memcpy(to + k * to_step, from + k * from_step, size);                                                      \
    }                                                                                                                  \
    break

static void copy_elements(int64_t size, char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n)
{
    switch (size) {
    case 1: COPY_ELEMENTS(1);
    case 2: COPY_ELEMENTS(2);
    case 4: COPY_ELEMENTS(4);
    case 8: COPY_ELEMENTS(8);
    default: COPY_ELEMENTS(16);
    }
}

struct conversion {
    gpucc_dtype to, from;
};

__attribute__((noinline)) static void convert(const struct conversion *how, char **args, int64_t n,
                                              const int64_t *steps)
{
    if (!convert_pair(how->to, args[0], steps[0], how->from, args[1], steps[1], n))
        convert_in_blocks(how->to, args[0], steps[0], how->from, args[1], steps[1], n);
}

/* Every second element, as the parts of complex numbers are: they are brought together first, by a loop that is
 * vectorised for each size, and not for each pair. */
static void convert_every_second(const struct conversion *how, char **args, int64_t n, const int64_t *steps)
{
    const int64_t size = dtypes[how->from].size, adjacent[2] = {steps[0], size};
    union block together;
    for (int64_t done = 0; done < n; done += BLOCK) {
        const int64_t count = n - done < BLOCK ? n - done : BLOCK;
        copy_elements(size, (char *)&together, size, args[1] + done * steps[1], steps[1], count);
        convert(how, (char *[]){args[0] + done * steps[0], (char *)&together}, count, adjacent);
    }
}

static void convert_run(void *data, char **args, int64_t n, const int64_t *steps)
{
    const struct conversion *how = data;
    if (n > 1 && steps[0] == dtypes[how->to].size && steps[1] == 2 * dtypes[how->from].size)
        convert_every_second(how, args, n, steps);
    else
        convert(how, args, n, steps);
}

static void copy_run(void *data, char **args, int64_t n, const int64_t *steps)
{
    int64_t size = dtypes[*(const gpucc_dtype *)data].size;
    if (steps[0] == size && steps[1] == size)
        memcpy(args[0], args[1], (size_t)(n * size));
    else
        copy_elements(size, args[0], steps[0], args[1], steps[1], n);
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

/* Rows that are as short as these are written out: a loop would cost more than what it does. */
#define COPY_ROWS(size, count)                                                                                         \
    for (int64_t r = 0; r < rows; r++)                                                                                 \
        for (int64_t c = 0; c < (count); c++)                                                                          \
            memcpy(to + r * to_row + c * to_step, from + r * from_row + c * from_step, size)
#define REPEAT_ELEMENTS(size)                                                                                          \
    for (int64_t r = 0; r < rows; r++) {                                                                               \
        char element[size];                                                                                            \
        memcpy(element, from + r * from_row, size);                                                                    \
        for (int64_t c = 0; c < columns; c++)                                                                          \
            memcpy(to + r * to_row + c * (size), element, size);                                                       \
    }
#define COPY_SHORT_ROWS(size)                                                                                          \
    switch (columns) {                                                                                                 \
    case 2: COPY_ROWS(size, 2); break;                                                                                 \
    case 3: COPY_ROWS(size, 3); break;                                                                                 \
    case 4: COPY_ROWS(size, 4); break;                                                                                 \
    case 8: COPY_ROWS(size, 8); break;                                                                                 \
    default:                                                                                                           \
        if (is_adjacent)                                                                                               \
            for (int64_t r = 0; r < rows; r++)                                                                         \
                memcpy(to + r * to_row, from + r * from_row, (size_t)columns * (size));                                \
        else if (to_step == (size) && from_step == 0)                                                                  \
            REPEAT_ELEMENTS(size)                                                                                      \
        else                                                                                                           \
            COPY_ROWS(size, columns);                                                                                  \
        break;                                                                                                         \
    }                                                                                                                  \
    break

void copy_plane(size_t size, char *to, int64_t to_row, int64_t to_step, const char *from, int64_t from_row,
               int64_t from_step, int64_t rows, int64_t columns)
{
    const bool is_adjacent = to_step == (int64_t)size && from_step == (int64_t)size;
    switch (size) {
    case 1: COPY_SHORT_ROWS(1);
    case 2: COPY_SHORT_ROWS(2);
    case 4: COPY_SHORT_ROWS(4);
    case 8: COPY_SHORT_ROWS(8);
    default: COPY_SHORT_ROWS(16);
    }
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
