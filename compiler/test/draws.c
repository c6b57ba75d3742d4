/* Elements to try functions on, by their bits: special values, any, and numbers of ordinary magnitude. */
#include "test/test_internal.h"

#include <string.h>

/* ---- random numbers ---- */

uint64_t draw(struct random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

struct random random_of(uint64_t seed, const char *symbol, uint64_t number)
{
    struct random random = {seed};
    for (; *symbol; symbol++)
        random.state = draw(&random) ^ (unsigned char)*symbol;
    random.state = draw(&random) ^ number;
    return random;
}

uint64_t draw_below(struct random *random, uint64_t count)
{
    return count ? draw(random) % count : 0;
}

/* ---- numbers as they are stored: a complex one has two parts ---- */

static size_t part_size(enum dtype dtype)
{
    return dtype_kind(dtype) == 'c' ? dtype_size(dtype) / 2 : dtype_size(dtype);
}

static void store(enum dtype dtype, uint64_t bits, void *part)
{
    memcpy(part, &bits, part_size(dtype)); /* little-endian, as all hosts of gpucc are */
}

/* ---- special values ---- */

enum { REALS = 26, WHOLES = 18 };

struct format {
    int digits, bias; /* stored bits of the significand; the exponent's bias */
    uint64_t all;     /* the significand's ones */
    uint64_t top;     /* the largest exponent, that of infinity */
};

static struct format format_of(enum dtype dtype)
{
    const int digits = dtype_digits(dtype) - 1, exponent = (int)part_size(dtype) * 8 - 1 - digits;
    return (struct format){digits, (1 << (exponent - 1)) - 1, ((uint64_t)1 << digits) - 1,
                           ((uint64_t)1 << exponent) - 1};
}

/* For a floating-point type, without its sign. */
static uint64_t special_real(enum dtype dtype, size_t number)
{
    const struct format f = format_of(dtype);
    const uint64_t one = (uint64_t)f.bias, half = (f.all >> 1) + 1, digits = (uint64_t)f.digits;
    const struct {
        uint64_t exponent, significand;
    } list[] = {
        {0, 0}, {0, 1}, {0, f.all}, {1, 0},                               /* zero, subnormals, the first normal */
        {one - 1, 0}, {one - 1, f.all}, {one, 0}, {one, 1},               /* a half, one and its neighbours */
        {one, half}, {one + 1, 0}, {one + 1, half / 2}, {one + 1, half},  /* 1.5, 2, 2.5, 3 */
        {one + digits - 1, 1}, {one + digits, 0}, {one + digits + 1, 0},  /* where halves end, and odd numbers */
        {one - digits, 0}, {one - digits - 1, 0}, {one - digits / 2, 0},  /* one does not feel the last of these */
        {f.top / 2 + f.top / 4, 0}, {f.top / 4, 0},                       /* whose squares are at the range's ends */
        {f.top - 1, 0}, {f.top - 1, f.all},                               /* the largest */
        {f.top, 0}, {f.top, half}, {f.top, half | 1}, {f.top, 1},         /* infinity, NaNs of three kinds */
    };
    _Static_assert(sizeof list / sizeof *list == REALS, "special_count() counts them");
    return list[number].exponent << f.digits | list[number].significand;
}

static uint64_t special_whole(enum dtype dtype, size_t number)
{
    const unsigned bits = (unsigned)dtype_size(dtype) * 8;
    const uint64_t ones = UINT64_MAX >> (64 - bits), top = (uint64_t)1 << (bits - 1);
    const uint64_t half = (uint64_t)1 << bits / 2;
    const uint64_t list[] = {0,   1,       2,       3,        7,        10,   100,      ones,     ones - 1,
                             top, top + 1, top - 1, top - 2, top >> 1, half, half - 1, half + 1, ones - half};
    _Static_assert(sizeof list / sizeof *list == WHOLES, "special_count() counts them");
    return list[number] & ones;
}

size_t special_count(enum dtype dtype)
{
    switch (dtype_kind(dtype)) {
    case 'b': return 2;
    case 'f': return (size_t)2 * REALS;
    case 'c': return (size_t)4 * REALS * REALS;
    default: return WHOLES;
    }
}

void special_element(enum dtype dtype, size_t number, void *element)
{
    const size_t size = part_size(dtype), signs = (size_t)2 * REALS;
    const unsigned sign = (unsigned)size * 8 - 1;
    switch (dtype_kind(dtype)) {
    case 'b': store(dtype, number, element); break;
    case 'c':
        store(dtype, special_real(dtype, number / signs / 2) | (uint64_t)(number / signs % 2) << sign,
              (char *)element + size);
        number %= signs;
        /* fallthrough */
    case 'f': store(dtype, special_real(dtype, number / 2) | (uint64_t)(number % 2) << sign, element); break;
    default: store(dtype, special_whole(dtype, number), element);
    }
}

/* ---- others ---- */

/* Numbers between 2^-12 and 2^12 of either sign, integers of any number of digits. */
static uint64_t ordinary(struct random *random, enum dtype dtype)
{
    const uint64_t bits = draw(random);
    if (!dtype_digits(dtype))
        return (bits >> draw_below(random, 64)) ^ -(draw(random) & 1);
    const struct format f = format_of(dtype);
    const uint64_t exponent = (uint64_t)f.bias - 12 + draw_below(random, 24), sign = draw(random) & 1;
    return sign << (part_size(dtype) * 8 - 1) | exponent << f.digits | (bits & f.all);
}

static void draw_element(struct random *random, enum dtype dtype, char *element)
{
    const uint64_t style = draw_below(random, 8);
    if (dtype_kind(dtype) == 'b' || style < 2) {
        special_element(dtype, draw_below(random, special_count(dtype)), element);
        return;
    }
    for (size_t at = 0; at < dtype_size(dtype); at += part_size(dtype))
        store(dtype, style < 4 ? draw(random) : ordinary(random, dtype), element + at);
}

void draw_elements(struct random *random, enum dtype dtype, size_t count, void *elements)
{
    const size_t size = dtype_size(dtype);
    for (size_t i = 0; i < count; i++)
        draw_element(random, dtype, (char *)elements + i * size);
}

void bound_integers(enum dtype dtype, uint64_t most, size_t count, void *elements)
{
    const size_t size = dtype_size(dtype);
    const unsigned above = 64 - (unsigned)size * 8;
    const bool is_signed = dtype_kind(dtype) == 'i';
    for (size_t i = 0; (is_signed || dtype_kind(dtype) == 'u') && i < count; i++) {
        uint64_t value = 0;
        memcpy(&value, (char *)elements + i * size, size);
        const bool is_negative = is_signed && value >> (size * 8 - 1);
        uint64_t magnitude = is_negative ? -(value << above) >> above : value;
        magnitude = magnitude > most ? magnitude % (most + 1) : magnitude;
        value = is_negative ? -magnitude : magnitude;
        memcpy((char *)elements + i * size, &value, size);
    }
}
