/* Complex functions, products and quotients: the same bits on the GPU and on the CPU, for random numbers among which
 * are special ones. */
#include "compare.h"

#include <stdio.h>
#include <suite_complex.h>

enum { COUNT = 1 << 20 };

static void check(const char *ufunc, gpucc_dtype dtype, int inputs)
{
    struct comparison c = {&gpucc_program_suite_complex, ufunc, inputs, 1, .seed = 17};
    for (int i = 0; i <= inputs; i++) {
        c.dtypes[i] = dtype;
        c.views[i] = view_1d(COUNT);
    }
    compare(&c, gpucc_dtype_name(dtype));
}

#define COMPLEX_1(name, exact, part, norm)                                                                             \
    static void test_##name(void)                                                                                      \
    {                                                                                                                  \
        check("ufunc_" #name "f", GPUCC_COMPLEX64, 1);                                                                 \
        check("ufunc_" #name, GPUCC_COMPLEX128, 1);                                                                    \
    }
#define COMPLEX_2(name, exact, part, norm)                                                                             \
    static void test_##name(void)                                                                                      \
    {                                                                                                                  \
        check("ufunc_" #name "f", GPUCC_COMPLEX64, 2);                                                                 \
        check("ufunc_" #name, GPUCC_COMPLEX128, 2);                                                                    \
    }
#include <complex.def>
#undef COMPLEX_1
#undef COMPLEX_2

static void test_product(void)
{
    check("product", GPUCC_COMPLEX64, 2);
    check("product", GPUCC_COMPLEX128, 2);
}

static void test_quotient(void)
{
    check("quotient", GPUCC_COMPLEX64, 2);
    check("quotient", GPUCC_COMPLEX128, 2);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {
#define COMPLEX_1(name, exact, part, norm) TEST(test_##name),
#define COMPLEX_2(name, exact, part, norm) TEST(test_##name),
#include <complex.def>
        TEST(test_product),
        TEST(test_quotient),
    };
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
