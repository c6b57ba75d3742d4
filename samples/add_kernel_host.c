/* A kernel launched over 4096 numbers; the block size is chosen by the runtime. */
#include "add_kernel.h"
#include "sample.h"

enum { N = 4096 };

int main(int argc, char **argv)
{
    static int32_t x[N], y[N], sums[N];
    gpucc_context *context = sample_context(argc, argv);
    gpucc_array *in[2], *out;
    int64_t shape = N;
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = 1;
    }
    CHECK(gpucc_array_from_host(context, GPUCC_INT32, 1, &shape, NULL, x, &in[0]));
    CHECK(gpucc_array_from_host(context, GPUCC_INT32, 1, &shape, NULL, y, &in[1]));
    CHECK(gpucc_array_create(context, GPUCC_INT32, 1, &shape, &out));

    gpucc_launch how = {.size = sizeof how, .threads = {N}};
    CHECK(add_kernel(context, &how, N, gpucc_array_data(in[0]), gpucc_array_data(in[1]), gpucc_array_data(out)));
    CHECK(gpucc_array_read(out, sums, sizeof sums));

    for (int i = 0; i < N; i++)
        EXPECT(sums[i] == i + 1);
    printf("%d + %d = %d … %d + %d = %d\n", x[0], y[0], sums[0], x[N - 1], y[N - 1], sums[N - 1]);
    gpucc_context_destroy(context); /* and the arrays */
    return 0;
}
