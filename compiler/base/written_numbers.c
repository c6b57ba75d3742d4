/* Numbers as C sources write them, and which element types can be them. */
#include "base/base.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *number;
} names[] = {
    {"true", "1"},
    {"false", "0"},
    {"INFINITY", "inf"},
    {"NAN", "nan"},
    {"INT8_MIN", "-128"},
    {"INT8_MAX", "127"},
    {"UINT8_MAX", "255"},
    {"INT16_MIN", "-32768"},
    {"INT16_MAX", "32767"},
    {"UINT16_MAX", "65535"},
    {"INT_MIN", "-2147483648"},
    {"INT_MAX", "2147483647"},
    {"UINT_MAX", "4294967295"},
    {"INT32_MIN", "-2147483648"},
    {"INT32_MAX", "2147483647"},
    {"UINT32_MAX", "4294967295"},
    {"INT64_MIN", "-9223372036854775808"},
    {"INT64_MAX", "9223372036854775807"},
    {"UINT64_MAX", "18446744073709551615"},
};

static bool is_whole(const char *number)
{
    const char *digits = number + (*number == '-');
    return *digits && strspn(digits, "0123456789") == strlen(digits);
}

/* A whole number in C's notation, with its suffix: in decimal digits, or null. */
static const char *whole_number(struct arena *arena, const char *text, bool negative)
{
    char *end;
    errno = 0;
    unsigned long long magnitude = strtoull(text, &end, 0);
    if (*text < '0' || *text > '9' || errno || end[strspn(end, "uUlL")])
        return NULL;
    return arena_printf(arena, "%s%llu", negative && magnitude ? "-" : "", magnitude);
}

/* A number with a fraction or an exponent; with the suffix of float, what that rounds it to. */
static const char *real_number(struct arena *arena, const char *text, bool negative)
{
    char *end;
    double value = strtod(text, &end);
    if (*end == 'f' || *end == 'F')
        value = (double)strtof(text, &end);
    if ((!(*text >= '0' && *text <= '9') && *text != '.') || end == text || end[strspn(end, "fFlL")] || isinf(value))
        return NULL;
    return arena_printf(arena, "%s%.17g%s", negative ? "-" : "", value,
                        value == floor(value) && fabs(value) < 1e17 ? ".0" : "");
}

const char *number_text(struct arena *arena, const char *text)
{
    const bool negative = *text == '-';
    if (negative || *text == '+')
        text += 1 + strspn(text + 1, " \t\r\n");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(text, names[i].name) && !(negative && *names[i].number == '-'))
            return negative ? arena_printf(arena, "-%s", names[i].number) : names[i].number;
    const char *whole = whole_number(arena, text, negative);
    return whole ? whole : real_number(arena, text, negative);
}

/* Whether the type represents an integer. */
static bool has_integer(enum dtype dtype, const char *number)
{
    const unsigned bits = (unsigned)dtype_size(dtype) * 8;
    const bool is_signed = dtype_kind(dtype) == 'i', negative = *number == '-';
    errno = 0;
    unsigned long long magnitude = strtoull(number + negative, NULL, 10);
    unsigned long long most = dtype_kind(dtype) == 'b' ? 1 : UINT64_MAX >> (64 - bits + is_signed);
    if (errno || (negative && !is_signed && magnitude))
        return false;
    return magnitude <= most + (negative && is_signed);
}

bool dtype_represents(enum dtype dtype, const char *number)
{
    /* From here on these round to infinity. */
    static const double half_most = 65520, bfloat_most = 0x1.ffp127;
    if (strchr("biu", dtype_kind(dtype)))
        return is_whole(number) && has_integer(dtype, number);
    double value = strtod(number, NULL);
    if (dtype == DTYPE_float8_e4m3fn || dtype == DTYPE_float8_e5m2)
        return isnan(value) || fabs(value) <= (dtype == DTYPE_float8_e4m3fn ? 448 : 57344);
    if (!isfinite(value) || dtype == DTYPE_float64 || dtype == DTYPE_complex128)
        return true;
    return dtype == DTYPE_float16    ? fabs(value) < half_most
           : dtype == DTYPE_bfloat16 ? fabs(value) < bfloat_most
                                     : isfinite((float)value);
}
