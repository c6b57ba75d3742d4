/* <gpucc/arithmetic.h>: the same bits on the GPU and on the CPU, for random operands among which are special ones. */
#include "compare.h"

#include <suite_arithmetic.h>

enum { COUNT = 1 << 20 };

/* On operands of these types, outputs behind inputs. */
static void check_types(const char *ufunc, int inputs, int outputs, const gpucc_dtype *dtypes)
{
    struct comparison c = {&gpucc_program_suite_arithmetic, ufunc, inputs, outputs, .seed = 11};
    for (int i = 0; i < inputs + outputs; i++) {
        c.dtypes[i] = dtypes[i];
        c.views[i] = view_1d(COUNT);
    }
    compare(&c, gpucc_dtype_name(dtypes[0]));
}

static void test_arithmetic(void)
{
    static const gpucc_dtype dtypes[] = {GPUCC_INT32,  GPUCC_INT64,   GPUCC_UINT32,
                                         GPUCC_UINT64, GPUCC_FLOAT32, GPUCC_FLOAT64};
    for (int i = 0; i < 6; i++) {
        const gpucc_dtype d = dtypes[i], operands[] = {d, d, d};
        check_types("quotient_down", 2, 1, operands);
        check_types("modulus", 2, 1, operands);
        if (i < 4) {
            check_types("divisor_and_multiple", 2, 1, operands);
            check_types("power_and_shifts", 2, 1, operands);
        }
    }
}

static void test_saturation(void)
{
    static const gpucc_dtype dtypes[] = {GPUCC_FLOAT32, GPUCC_FLOAT64, GPUCC_INT64, GPUCC_UINT64};
    for (int i = 0; i < 4; i++)
        check_types("saturated", 1, 4,
                    (const gpucc_dtype[]){dtypes[i], GPUCC_INT8, GPUCC_UINT8, GPUCC_INT32, GPUCC_UINT32});
}

static void test_least(void)
{
    static const gpucc_dtype dtypes[] = {GPUCC_INT16, GPUCC_INT32};
    check_types("opposite", 1, 1, dtypes);
    check_types("magnitude", 1, 1, dtypes);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {TEST(test_arithmetic), TEST(test_saturation), TEST(test_least)};
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
