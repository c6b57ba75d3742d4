/* The results of a run: saved, or printed. */
#include "run/run_internal.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { FIRST_VALUES = 8, BATCH = 4096 };

/* Statistics so far, without NaN; complex numbers count by their modulus. */
struct scan {
    size_t seen, nans;
    const void *lowest, *highest; /* elements */
    long double sum[2];
};

/* Elements of one type, compared as themselves: int64 keeps all its bits. */
#define SCAN(name, type, key_type, key_of, real_of, imaginary_of)                                                      \
    static void scan_##name(struct scan *scan, const void *data, size_t count)                                         \
    {                                                                                                                  \
        const type *x = data, *low = scan->lowest, *high = scan->highest;                                              \
        key_type lowest = low ? key_of(*low) : 0, highest = high ? key_of(*high) : 0;                                  \
        double sum[2] = {0};                                                                                           \
        for (size_t i = 0; i < count; i++) {                                                                           \
            key_type key = key_of(x[i]);                                                                               \
            if (key != key) {                                                                                          \
                scan->nans++;                                                                                          \
                continue;                                                                                              \
            }                                                                                                          \
            if (!low || key < lowest)                                                                                  \
                lowest = key, low = &x[i];                                                                             \
            if (!high || key > highest)                                                                                \
                highest = key, high = &x[i];                                                                           \
            sum[0] += (double)real_of(x[i]);                                                                           \
            sum[1] += (double)imaginary_of(x[i]);                                                                      \
            scan->seen++;                                                                                              \
        }                                                                                                              \
        scan->lowest = low;                                                                                            \
        scan->highest = high;                                                                                          \
        scan->sum[0] += sum[0];                                                                                        \
        scan->sum[1] += sum[1];                                                                                        \
    }

#define ITSELF(x) (x)
#define NOTHING(x) 0

static float bfloat16_value(uint16_t bits)
{
    long double parts[2];
    element_parts(DTYPE_bfloat16, &bits, parts);
    return (float)parts[0];
}

SCAN(boolean, uint8_t, uint8_t, ITSELF, ITSELF, NOTHING)
SCAN(int8, int8_t, int8_t, ITSELF, ITSELF, NOTHING)
SCAN(uint8, uint8_t, uint8_t, ITSELF, ITSELF, NOTHING)
SCAN(int16, int16_t, int16_t, ITSELF, ITSELF, NOTHING)
SCAN(uint16, uint16_t, uint16_t, ITSELF, ITSELF, NOTHING)
SCAN(int32, int32_t, int32_t, ITSELF, ITSELF, NOTHING)
SCAN(uint32, uint32_t, uint32_t, ITSELF, ITSELF, NOTHING)
SCAN(int64, int64_t, int64_t, ITSELF, ITSELF, NOTHING)
SCAN(uint64, uint64_t, uint64_t, ITSELF, ITSELF, NOTHING)
SCAN(float16, _Float16, float, ITSELF, ITSELF, NOTHING)
SCAN(bfloat16, uint16_t, float, bfloat16_value, bfloat16_value, NOTHING)
SCAN(float32, float, float, ITSELF, ITSELF, NOTHING)
SCAN(float64, double, double, ITSELF, ITSELF, NOTHING)
SCAN(float8_e4m3fn, uint8_t, float, gpucc_float_of_e4m3_bits, gpucc_float_of_e4m3_bits, NOTHING)
SCAN(float8_e5m2, uint8_t, float, gpucc_float_of_e5m2_bits, gpucc_float_of_e5m2_bits, NOTHING)
SCAN(complex64, float _Complex, float, cabsf, crealf, cimagf)
SCAN(complex128, double _Complex, double, cabs, creal, cimag)

static struct scan scan_elements(const struct host_array *array)
{
    static void (*const scans[])(struct scan *scan, const void *data, size_t count) = {
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits) [DTYPE_##name] = scan_##name,
#include <gpucc/dtypes.def>
    };
    struct scan scan = {0};
    size_t count = host_array_count(array), size = dtype_size(array->dtype);
    for (size_t i = 0; i < count; i += BATCH)
        scans[array->dtype](&scan, array->data + i * size, count - i < BATCH ? count - i : BATCH);
    return scan;
}

/* ---- in words ---- */

static void print_extreme(const char *name, const struct host_array *array, const void *element)
{
    bool is_complex = dtype_kind(array->dtype) == 'c';
    printf("  %s ", name);
    if (is_complex) {
        long double parts[2];
        element_parts(array->dtype, element, parts);
        printf("|z| %.9Lg", hypotl(parts[0], parts[1]));
    } else {
        element_print(stdout, array->dtype, element);
    }
    putchar('\n');
}

static void print_statistics(const struct host_array *array)
{
    struct scan scan = scan_elements(array);
    if (scan.seen) {
        print_extreme("minimum", array, scan.lowest);
        print_extreme("maximum", array, scan.highest);
        printf("  mean    %.9Lg", scan.sum[0] / (long double)scan.seen);
        if (dtype_kind(array->dtype) == 'c')
            printf("%+.9Lgj", scan.sum[1] / (long double)scan.seen);
        putchar('\n');
    }
    if (scan.nans)
        printf("  NaN     %zu\n", scan.nans);
}

static void summarise(struct arena *arena, const char *name, const struct host_array *array)
{
    size_t count = host_array_count(array), size = dtype_size(array->dtype);
    printf("%s: shape %s, dtype %s\n", *name ? name : "out", shape_spelling(arena, array->ndim, array->shape),
           dtype_name(array->dtype));
    print_statistics(array);
    if (count)
        printf("  first  ");
    for (size_t i = 0; i < count && i < FIRST_VALUES; i++) {
        putchar(' ');
        element_print(stdout, array->dtype, array->data + i * size);
    }
    if (count)
        puts(count > FIRST_VALUES ? " …" : "");
}

/* ---- saved ---- */

void result(struct run *run, const char *name, const gpucc_array *array, const char *path)
{
    struct host_array host = {0};
    if (run->options->is_bench)
        return;
    host_array_lay_out(&host, (enum dtype)gpucc_array_dtype(array), gpucc_array_ndim(array), gpucc_array_shape(array),
                       false);
    host_array_allocate(&host, arena_printf(run->arena, "the result '%s'", name));
    check(gpucc_array_read(array, host.data, host_array_size(&host)), name);
    if (path && is_text_file(path))
        text_file_save(path, &host);
    else if (path)
        npy_save(path, &host);
    else
        summarise(run->arena, name, &host);
    host_array_free(&host);
}
