/* Values of the element types: from text, between types, and to text. */
#include "run/run_internal.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)DTYPE_COUNT == (int)GPUCC_DTYPE_COUNT, "both come from dtypes.def");

/* ---- bfloat16, which not every host compiler has ---- */

static uint16_t bfloat16_from(double value)
{
    /* Rounding to float first would round twice: the last bit of the first step is made sticky instead. */
    float near = (float)value;
    uint32_t bits;
    memcpy(&bits, &near, sizeof bits);
    if (value != value)
        return 0x7fc0;
    if ((double)near != value && !isinf(near)) {
        if (fabs((double)near) > fabs(value))
            bits--;
        bits |= 1;
    }
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float bfloat16_to(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- numbers as text ---- */

static bool parse_integer(const char *text, struct number *number)
{
    const char *digits = text + (*text == '-' || *text == '+');
    bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    char *end;
    if (!isdigit((unsigned char)*digits))
        return false;
    errno = 0;
    unsigned long long magnitude = strtoull(digits, &end, hexadecimal ? 16 : 10);
    if (*end || errno)
        return false;
    number->kind = NUMBER_INTEGER;
    number->magnitude = magnitude;
    number->negative = *text == '-' && magnitude;
    return true;
}

/* One real number at `text`; the end of it, or null. */
static const char *parse_real(const char *text, struct number *number, int part)
{
    const char *digits = text + (*text == '-' || *text == '+');
    char *end, *single_end;
    if (!*digits || isspace((unsigned char)*digits))
        return NULL;
    number->value[part] = strtod(text, &end);
    number->single[part] = strtof(text, &single_end);
    if (end == text || end != single_end)
        return NULL;
    number->infinite |= isalpha((unsigned char)*digits);
    return end;
}

static bool parse_complex(const char *text, struct number *number)
{
    const char *end = parse_real(text, number, 0);
    if (!end)
        return false;
    number->kind = NUMBER_REAL;
    if (!*end)
        return true;
    number->kind = NUMBER_COMPLEX;
    if (*end == '+' || *end == '-') {
        end = parse_real(end, number, 1);
    } else {
        number->value[1] = number->value[0];
        number->single[1] = number->single[0];
        number->value[0] = number->single[0] = 0;
    }
    return end && (*end == 'j' || *end == 'i') && !end[1];
}

bool number_parse(const char *text, struct number *number)
{
    *number = (struct number){0};
    if (!strcmp(text, "true") || !strcmp(text, "false")) {
        number->is_truth = true;
        number->magnitude = *text == 't';
        number->value[0] = number->single[0] = *text == 't';
        return true;
    }
    if (!parse_complex(text, number))
        return false;
    struct number integer = *number;
    if (parse_integer(text, &integer))
        *number = integer;
    return true;
}

enum dtype number_dtype(const struct number *number)
{
    switch (number->kind) {
    case NUMBER_REAL: return DTYPE_float64;
    case NUMBER_COMPLEX: return DTYPE_complex128;
    default:
        if (number->is_truth)
            return DTYPE_boolean;
        return number->negative || number->magnitude <= INT64_MAX ? DTYPE_int64 : DTYPE_uint64;
    }
}

/* ---- numbers to elements ---- */

static bool in_range(const struct number *number, double value)
{
    return !isinf(value) || number->infinite;
}

static bool store_integer(const struct number *number, enum dtype dtype, void *element)
{
    unsigned bits = 8 * (unsigned)dtype_size(dtype);
    uint64_t value = number->negative ? 0 - number->magnitude : number->magnitude;
    uint64_t limit = dtype == DTYPE_boolean ? 1 : UINT64_MAX >> (64 - bits);
    if (number->kind != NUMBER_INTEGER)
        return false;
    if (dtype_kind(dtype) == 'i')
        limit = (limit >> 1) + number->negative;
    else if (number->negative)
        return false;
    if (number->magnitude > limit)
        return false;
    switch (dtype_size(dtype)) {
    case 1: memcpy(element, &(uint8_t){(uint8_t)value}, 1); break;
    case 2: memcpy(element, &(uint16_t){(uint16_t)value}, 2); break;
    case 4: memcpy(element, &(uint32_t){(uint32_t)value}, 4); break;
    default: memcpy(element, &value, 8);
    }
    return true;
}

static bool store_complex(const struct number *number, enum dtype dtype, void *element)
{
    bool single = dtype == DTYPE_complex64;
    for (int part = 0; part < 2; part++)
        if (!in_range(number, single ? number->single[part] : number->value[part]))
            return false;
    if (single)
        memcpy(element, number->single, sizeof number->single);
    else
        memcpy(element, number->value, sizeof number->value);
    return true;
}

bool number_store(const struct number *number, enum dtype dtype, void *element)
{
    if (dtype_kind(dtype) == 'c')
        return store_complex(number, dtype, element);
    if (dtype_kind(dtype) != 'f')
        return store_integer(number, dtype, element);
    if (number->kind == NUMBER_COMPLEX)
        return false;
    /* where others become infinite, these saturate */
    const double most = dtype == DTYPE_float8_e4m3fn ? 448 : dtype == DTYPE_float8_e5m2 ? 57344 : INFINITY;
    /* which a conversion makes finite */
    if (dtype == DTYPE_float8_e5m2 && number->infinite && isinf(number->value[0])) {
        *(uint8_t *)element = number->value[0] < 0 ? 0xfc : 0x7c;
        return true;
    }
    if (fabs(number->value[0]) > most)
        return false;
    if (dtype == DTYPE_float32)
        memcpy(element, number->single, sizeof(float));
    else
        elements_from_double(dtype, number->value, 1, element);
    long double stored[2];
    element_parts(dtype, element, stored);
    return in_range(number, (double)stored[0]);
}

/* ---- between types ---- */

#define STORE_LOOP(type, expression)                                                                                   \
    for (size_t i = 0; i < count; i++)                                                                                 \
        ((type *)elements)[i] = (type)(expression);                                                                    \
    break

void elements_from_double(enum dtype dtype, const double *values, size_t count, void *elements)
{
    switch (dtype) {
    case DTYPE_boolean: STORE_LOOP(_Bool, values[i] != 0);
    case DTYPE_int8: STORE_LOOP(int8_t, floor(values[i]));
    case DTYPE_uint8: STORE_LOOP(uint8_t, floor(values[i]));
    case DTYPE_int16: STORE_LOOP(int16_t, floor(values[i]));
    case DTYPE_uint16: STORE_LOOP(uint16_t, floor(values[i]));
    case DTYPE_int32: STORE_LOOP(int32_t, floor(values[i]));
    case DTYPE_uint32: STORE_LOOP(uint32_t, floor(values[i]));
    case DTYPE_int64: STORE_LOOP(int64_t, floor(values[i]));
    case DTYPE_uint64: STORE_LOOP(uint64_t, floor(values[i]));
    case DTYPE_float16: STORE_LOOP(_Float16, values[i]);
    case DTYPE_bfloat16: STORE_LOOP(uint16_t, bfloat16_from(values[i]));
    case DTYPE_float32: STORE_LOOP(float, values[i]);
    case DTYPE_float64: memcpy(elements, values, count * sizeof *values); break;
    case DTYPE_complex64: count *= 2; STORE_LOOP(float, values[i]);
    case DTYPE_complex128: memcpy(elements, values, 2 * count * sizeof *values); break;
    case DTYPE_float8_e4m3fn: STORE_LOOP(uint8_t, gpucc_e4m3_bits_of_double(values[i]));
    case DTYPE_float8_e5m2: STORE_LOOP(uint8_t, gpucc_e5m2_bits_of_double(values[i]));
    case DTYPE_COUNT: break;
    }
}

/* A long double holds the 64-bit integers exactly on the machines that matter. */
void element_parts(enum dtype dtype, const void *element, long double parts[2])
{
    parts[0] = parts[1] = 0;
    switch (dtype) {
    case DTYPE_boolean: parts[0] = *(const uint8_t *)element != 0; break;
    case DTYPE_int8: parts[0] = *(const int8_t *)element; break;
    case DTYPE_uint8: parts[0] = *(const uint8_t *)element; break;
    case DTYPE_int16: parts[0] = *(const int16_t *)element; break;
    case DTYPE_uint16: parts[0] = *(const uint16_t *)element; break;
    case DTYPE_int32: parts[0] = *(const int32_t *)element; break;
    case DTYPE_uint32: parts[0] = *(const uint32_t *)element; break;
    case DTYPE_int64: parts[0] = *(const int64_t *)element; break;
    case DTYPE_uint64: parts[0] = *(const uint64_t *)element; break;
    case DTYPE_float16: parts[0] = (float)*(const _Float16 *)element; break;
    case DTYPE_bfloat16: parts[0] = bfloat16_to(*(const uint16_t *)element); break;
    case DTYPE_float32: parts[0] = *(const float *)element; break;
    case DTYPE_float64: parts[0] = *(const double *)element; break;
    case DTYPE_complex64:
        parts[0] = ((const float *)element)[0];
        parts[1] = ((const float *)element)[1];
        break;
    case DTYPE_complex128:
        parts[0] = ((const double *)element)[0];
        parts[1] = ((const double *)element)[1];
        break;
    case DTYPE_float8_e4m3fn: parts[0] = gpucc_float_of_e4m3_bits(*(const uint8_t *)element); break;
    case DTYPE_float8_e5m2: parts[0] = gpucc_float_of_e5m2_bits(*(const uint8_t *)element); break;
    case DTYPE_COUNT: break;
    }
}

/* The lower bits of a whole number; of others what lies next to it towards zero and in the type, of NaN 0. */
static void store_whole(enum dtype dtype, long double value, bool is_whole, void *element)
{
    unsigned bits = 8 * (unsigned)dtype_size(dtype), sign = dtype_kind(dtype) == 'i';
    long double high = (long double)(UINT64_MAX >> (64 - bits + sign)), low = sign ? -high - 1 : 0;
    if (!is_whole)
        value = value != value ? 0 : value > high ? high : value < low ? low : value;
    uint64_t stored = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
    memcpy(element, &stored, dtype_size(dtype)); /* little-endian, as the files are */
}

static void store_parts(enum dtype dtype, const long double parts[2], bool is_whole, void *element)
{
    if (strchr("iu", dtype_kind(dtype))) {
        store_whole(dtype, parts[0], is_whole, element);
        return;
    }
    switch (dtype) {
    case DTYPE_boolean: *(uint8_t *)element = parts[0] != 0 || parts[1] != 0; break;
    case DTYPE_float32: *(float *)element = (float)parts[0]; break;
    case DTYPE_complex64:
        ((float *)element)[0] = (float)parts[0];
        ((float *)element)[1] = (float)parts[1];
        break;
    default: elements_from_double(dtype, (double[]){(double)parts[0], (double)parts[1]}, 1, element);
    }
}

static bool is_wide_integer(enum dtype dtype)
{
    return dtype == DTYPE_int64 || dtype == DTYPE_uint64;
}

void elements_convert(enum dtype to, void *out, enum dtype from, const void *in, size_t count)
{
    size_t from_size = dtype_size(from), to_size = dtype_size(to);
    if (from == to || (is_wide_integer(from) && is_wide_integer(to))) {
        memcpy(out, in, count * to_size);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        long double parts[2];
        element_parts(from, (const char *)in + i * from_size, parts);
        store_parts(to, parts, dtype_kind(from) != 'f' && dtype_kind(from) != 'c', (char *)out + i * to_size);
    }
}

/* ---- to text ---- */

static double read_back(enum dtype dtype, const char *text)
{
    _Alignas(16) char element[16];
    double value = strtod(text, NULL);
    long double parts[2];
    if (dtype == DTYPE_float32)
        return strtof(text, NULL);
    if (dtype == DTYPE_float64)
        return value;
    elements_from_double(dtype, &value, 1, element);
    element_parts(dtype, element, parts);
    return (double)parts[0];
}

static void print_real(FILE *file, enum dtype dtype, double value)
{
    enum { MOST_DIGITS = 17 }; /* so many distinguish any two doubles, and whole numbers up to them are spelled out */
    char text[40];
    int digits = 1;
    do
        snprintf(text, sizeof text, "%.*g", digits, value);
    while (digits++ < MOST_DIGITS && value == value && read_back(dtype, text) != value);
    if (fabs(value) >= 10 && fabs(value) < 1e16 && strchr(text, 'e'))
        snprintf(text, sizeof text, "%.0f", value);
    fputs(value != value ? "nan" : text, file);
}

void element_print(FILE *file, enum dtype dtype, const void *element)
{
    long double parts[2];
    element_parts(dtype, element, parts);
    switch (dtype_kind(dtype)) {
    case 'f': print_real(file, dtype, (double)parts[0]); break;
    case 'c': {
        enum dtype part = dtype == DTYPE_complex64 ? DTYPE_float32 : DTYPE_float64;
        print_real(file, part, (double)parts[0]);
        if (!signbit(parts[1]) || parts[1] != parts[1])
            fputc('+', file);
        print_real(file, part, (double)parts[1]);
        fputc('j', file);
        break;
    }
    default: fprintf(file, "%.0Lf", parts[0]);
    }
}
