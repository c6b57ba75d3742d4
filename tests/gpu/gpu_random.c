/* Random programs on the GPU: what gcc or an interpreter on the CPU made of them, to the byte.  tests/random exports
 * them to the folder random/ beside this program, many in each scene. */
#include "scenes.h"
#include "suite.h"

static void test_random_functions(void)
{
    scenes_run("random", "functions");
}

static void test_random_kernels(void)
{
    scenes_run("random", "kernels");
}

static void test_random_accesses(void)
{
    scenes_run("random", "accesses");
}

static void test_random_gufuncs(void)
{
    scenes_run("random", "gufuncs");
}

static void test_random_csmith(void)
{
    scenes_run("random", "csmith");
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {TEST(test_random_functions), TEST(test_random_kernels),
                                              TEST(test_random_accesses), TEST(test_random_gufuncs),
                                              TEST(test_random_csmith)};
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
