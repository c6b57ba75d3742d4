/* Launches kernels that use arrays; "early": frees these before. */
#include "telling.h"

#include <gpucc/program.h>
#include <gpucc/runtime.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct gpucc_program_image gpucc_program_freed;

static gpucc_program *program;
static gpucc_stream *stream; /* another one than that in which the first launch is */

static void launch(const char *name, void *first, void *second)
{
    gpucc_kernel *kernel;
    const gpucc_launch how = {.size = sizeof how, .grid = {1}, .block = {8}, .stream = stream};
    void *parameters[] = {&first, &second};
    if (gpucc_program_kernel(program, name, &kernel))
        exit(2);
    const gpucc_status status = gpucc_kernel_launch(kernel, &how, parameters);
    printf("%s: %s\n", name, gpucc_status_name(status));
}

int main(int count, char **arguments)
{
    const bool early = count > 1 && strcmp(arguments[1], "early") == 0;
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu", .log = print};
    const int64_t shape[] = {64};
    const float host[64] = {0};
    gpucc_context *context;
    gpucc_array *x, *y, *out;
    if (gpucc_context_create(&options, &context) || gpucc_program_load(context, &gpucc_program_freed, &program) ||
        gpucc_array_from_host(context, GPUCC_FLOAT32, 1, shape, NULL, host, &x) ||
        gpucc_array_from_host(context, GPUCC_FLOAT32, 1, shape, NULL, host, &y) ||
        gpucc_array_from_host(context, GPUCC_FLOAT32, 1, shape, NULL, host, &out))
        return 2;
    void *of_x = gpucc_array_data(x), *of_y = gpucc_array_data(y), *to = gpucc_array_data(out);
    launch("keep", of_x, NULL);
    must(gpucc_stream_create(context, &stream));
    if (early) {
        gpucc_array_release(x);
        gpucc_array_release(y);
    }
    launch("use_kept", to, NULL);
    launch("copy", of_y, to);
    /* Memory that the context does not own is not checked. */
    float *own = calloc(64, sizeof *own);
    launch("copy", own, to);
    free(own);
    if (!early) {
        gpucc_array_release(x);
        gpucc_array_release(y);
    }
    gpucc_array_release(out);
    gpucc_context_destroy(context);
    return 0;
}
