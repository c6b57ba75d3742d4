/* The CUDA kernels of tests/compile/cuda on the GPU: what the CPU made of them, to the byte.  cuda_kernels.py exports
 * them to the folder cuda/ beside this program, each launch as a scene. */
#include "scenes.h"
#include "suite.h"

static void test_cuda_kernels(void)
{
    scenes_run("cuda", "");
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {TEST(test_cuda_kernels)};
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
