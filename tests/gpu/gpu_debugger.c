/* A kernel that is compiled with -g -O0: what it computes, and the manual's session in cuda-gdb. */
#include "suite.h"

#include <smooth.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 300, BLOCK = 64 };

/* x[i] = i on 5 blocks of 64 threads. */
static void test_launch(void)
{
    const int64_t n = N;
    size_t count = N;
    float x[N], y[N];
    gpucc_program *program;
    gpucc_kernel *kernel;
    gpucc_array *in, *out;
    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    MUST(gpucc_program_load(suite.gpu, &gpucc_program_smooth, &program));
    MUST(gpucc_program_kernel(program, "smooth", &kernel));
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_FLOAT32, 1, &n, NULL, x, &in));
    MUST(gpucc_array_create(suite.gpu, GPUCC_FLOAT32, 1, &n, &out));
    void *addresses[2] = {gpucc_array_data(in), gpucc_array_data(out)};
    void *parameters[3] = {&count, &addresses[0], &addresses[1]};
    const uint32_t blocks = (N + BLOCK - 1) / BLOCK;
    const gpucc_launch launch = {.size = sizeof launch, .grid = {blocks, 1, 1}, .block = {BLOCK, 1, 1}};
    MUST(gpucc_kernel_launch(kernel, &launch, parameters));
    MUST(gpucc_array_read(out, y, sizeof y));
    for (int i = 0; i < N - 1; i++) /* a block's last element is made of one that nobody has written */
        CHECK(i % BLOCK == BLOCK - 1 || y[i] == x[i] + x[i + 1], "y[%d] is %g", i, (double)y[i]);
    gpucc_array_release(in);
    gpucc_array_release(out);
    gpucc_program_release(program);
}

/* Returns cuda-gdb's output for the test above; free() it. */
static char *session(void)
{
    enum { MOST = 1 << 16 };
    char command[8192], *output = suite_alloc(MOST);
    snprintf(command, sizeof command,
             "cuda-gdb -batch -nx -ex 'set pagination off' -ex 'set breakpoint pending on' -ex 'break smooth.c:13' "
             "-ex run -ex 'cuda block (3,0,0) thread (17,0,0)' -ex 'info args' -ex 'info locals' "
             "-ex 'print tile[17]@2' -ex next -ex 'print sum' -ex kill --args '%s' test_launch 2>&1",
             suite_path("gpu_debugger"));
    FILE *pipe = popen(command, "r");
    CHECK(pipe, "no pipe");
    output[fread(output, 1, MOST - 1, pipe)] = 0;
    pclose(pipe);
    return output;
}

static void test_session(void)
{
    static const char *const said[] = {
        "CUDA thread hit Breakpoint 1", "smooth<<<(5,1,1),(64,1,1)>>> (n=300, x=0x", /* on a kernel's line */
        "block (3,0,0), thread (17,0,0)",                                            /* the chosen thread, … */
        "\nn = 300\n",                                                               /* … its parameters, … */
        "\ntile = {192, 193, 194,",                                                  /* … the block's array … */
        "\ni = 209\n", "\nt = 17\n", "\nsum = 209\n",                                /* … and its variables */
        "\n$1 = {209, 210}\n",
        "\n$2 = 419\n" /* a line later */
    };
    suite_needs_cuda();
    if (system("cuda-gdb --version >/dev/null 2>&1") != 0)
        suite_skip("there is no cuda-gdb");
    char *output = session();
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        CHECK(strstr(output, said[i]), "cuda-gdb does not say \"%s\": %s", said[i], output);
    free(output);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {TEST(test_launch), TEST(test_session)};
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
