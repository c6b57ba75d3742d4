/* How far numbers are apart, in units in the last place, and how many are so far. */
#include "test/test_internal.h"

#include <float.h>
#include <math.h>

/* For one part of a number: a unit in the last place of `dtype` at `value`, whose largest numbers are one unit short
 * of `end`. */
struct grid {
    int digits, least; /* of the significand; the exponent of the smallest normal numbers */
    long double end;
};

static struct grid grid_of(enum dtype dtype)
{
    const int size = (int)dtype_size(dtype) / (dtype_kind(dtype) == 'c' ? 2 : 1), digits = dtype_digits(dtype);
    const int top = 1 << (size * 8 - digits - 1);
    return (struct grid){digits, 2 - top, ldexpl(1, top)};
}

static long double unit_at(const struct grid *grid, long double value)
{
    int exponent;
    frexpl(value, &exponent);
    exponent = value == 0 || exponent - 1 < grid->least ? grid->least : exponent - 1;
    return ldexpl(1, exponent - grid->digits + 1);
}

/* A value out of the type's range counts as the next representable one. */
static long double clip(const struct grid *grid, long double value)
{
    return fabsl(value) > grid->end ? copysignl(grid->end, value) : value;
}

static double real_error(enum dtype dtype, const long double got[2], const long double wanted[2])
{
    const struct grid grid = grid_of(dtype);
    const int parts = dtype_kind(dtype) == 'c' ? 2 : 1;
    long double distance = 0, size = 0;
    for (int i = 0; i < parts; i++) {
        if (isnan(got[i]) || isnan(wanted[i])) {
            if (isnan(got[i]) && isnan(wanted[i]))
                continue;
            return INFINITY;
        }
        const long double a = clip(&grid, got[i]), b = clip(&grid, wanted[i]);
        distance = fmaxl(distance, fabsl(a - b));
        size = fmaxl(size, fabsl(b));
    }
    if (size >= grid.end) /* as of the largest numbers */
        size = grid.end / 2;
    return (double)(distance / unit_at(&grid, size));
}

double error_in_ulps(enum dtype dtype, const void *got, enum dtype wanted_type, const void *wanted)
{
    long double a[2], b[2];
    element_parts(dtype, got, a);
    element_parts(wanted_type, wanted, b);
    if (dtype_digits(dtype))
        return real_error(dtype, a, b);
    return isnan(b[0]) ? INFINITY : (double)fabsl(a[0] - b[0]);
}

const char *unit_name(enum dtype dtype)
{
    return dtype_digits(dtype) ? " units in the last place" : "";
}

/* ---- how many ---- */

static double bin_end(int bin)
{
    return bin == 0 ? 0 : ldexp(1, bin - 2);
}

void count_error(struct errors *errors, double error)
{
    int bin = 0;
    if (isnan(error))
        return;
    while (bin < BINS - 1 && error > bin_end(bin))
        bin++;
    errors->bins[bin]++;
    errors->count++;
    errors->finite += isfinite(error);
    errors->sum += isfinite(error) ? (long double)error : 0; /* of some of the largest is beyond double's numbers */
    errors->most = fmax(errors->most, error);
}

const char *bin_name(int bin)
{
    static const char *const names[BINS] = {"exact",   "≤ 0.5",   "≤ 1",    "≤ 2",    "≤ 4",     "≤ 8",     "≤ 16",
                                            "≤ 32",    "≤ 64",    "≤ 128",  "≤ 256",  "≤ 512",   "≤ 1024",  "≤ 2048",
                                            "≤ 4096",  "≤ 8192",  "≤ 2^14", "≤ 2^15", "≤ 2^16",  "more"};
    return names[bin];
}

int used_bins(const struct errors *errors)
{
    int used = BINS;
    while (used > 1 && !errors->bins[used - 1])
        used--;
    return used;
}
