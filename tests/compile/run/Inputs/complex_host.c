/* Complex products and quotients on the CPU against the host compiler's: infinite, NaN or finite alike, and close; with
 * parts of every exponent and special ones.  Quotients are compared with those in a wider type, because narrow ones
 * of host compilers overflow on the way. */
#include "complex.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 1 << 16 };

static uint64_t next(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state ^ state >> 29;
}

static int kind(double re, double im)
{
    return isinf(re) || isinf(im) ? 2 : isnan(re) || isnan(im) ? 1 : 0;
}

#define TESTS(real, wide, code, dtype, tolerance, smallest)                                                            \
    static real part_##code(void)                                                                                      \
    {                                                                                                                  \
        static const real special[] = {0, -0.0, 1, -1, INFINITY, -INFINITY, NAN};                                      \
        uint64_t choice = next() >> 32, word = next();                                                                 \
        real value;                                                                                                    \
        memcpy(&value, &word, sizeof value);                                                                           \
        return choice % 4 ? value : special[choice / 4 % 7];                                                           \
    }                                                                                                                  \
                                                                                                                       \
    static int compare_##code(gpucc_context *context, int division)                                                    \
    {                                                                                                                  \
        static real x[COUNT][2], y[COUNT][2], z[COUNT][2];                                                             \
        const int64_t count = COUNT;                                                                                   \
        gpucc_array *left, *right, *result = NULL;                                                                     \
        for (size_t i = 0; i < COUNT; i++)                                                                             \
            for (int k = 0; k < 2; k++)                                                                                \
                x[i][k] = part_##code(), y[i][k] = part_##code();                                                      \
        if (gpucc_array_from_host(context, dtype, 1, &count, NULL, x, &left) ||                                        \
            gpucc_array_from_host(context, dtype, 1, &count, NULL, y, &right) ||                                       \
            (division ? quotient(context, left, right, &result) : product(context, left, right, &result)) ||           \
            gpucc_array_read(result, z, sizeof z))                                                                     \
            return puts(gpucc_last_error());                                                                           \
        int wrong = 0;                                                                                                 \
        for (size_t i = 0; i < COUNT; i++) {                                                                           \
            real _Complex a = __builtin_complex(x[i][0], x[i][1]), b = __builtin_complex(y[i][0], y[i][1]);            \
            wide _Complex c = division ? (wide _Complex)a / (wide _Complex)b : (wide _Complex)(a * b);                 \
            real re = (real)__real__ c, im = (real)__imag__ c, near = tolerance * (fabs(re) + fabs(im)) + smallest;    \
            int same = kind(re, im) == kind(z[i][0], z[i][1]);                                                         \
            if (kind(re, im) == 0)                                                                                     \
                same = same && fabs(re - z[i][0]) <= near && fabs(im - z[i][1]) <= near;                               \
            if (!same && wrong++ < 5)                                                                                  \
                printf("%s: (%a %a) %c (%a %a) is (%a %a), not (%a %a)\n", #code, x[i][0], x[i][1],                    \
                       division ? '/' : '*', y[i][0], y[i][1], re, im, z[i][0], z[i][1]);                              \
        }                                                                                                              \
        return wrong;                                                                                                  \
    }

TESTS(float, double, c64, GPUCC_COMPLEX64, 1e-6f, 0x1p-148f)
TESTS(double, long double, c128, GPUCC_COMPLEX128, 1e-15, 0x1p-1073)

int main(void)
{
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu"};
    gpucc_context *context;
    if (gpucc_context_create(&options, &context))
        return 1;
    int wrong = 0;
    for (int division = 0; division < 2; division++)
        wrong += compare_c64(context, division) + compare_c128(context, division);
    gpucc_context_destroy(context);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
