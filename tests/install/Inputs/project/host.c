/* Calls functions of two programs whose sources have one name. */
#include "first/work.h"
#include "second/work.h"
#include <stdio.h>

int main(void)
{
    gpucc_context_options options = {.size = sizeof options, .device = "cpu"};
    gpucc_context *context;
    gpucc_array *x, *squared = NULL, *cubed = NULL;
    float data[2] = {2, 3}, results[2][2];
    int64_t n = 2;
    if (gpucc_context_create(&options, &context) ||
        gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &n, NULL, data, &x) || square(context, x, &squared) ||
        cube(context, x, &cubed) || gpucc_array_read(squared, results[0], sizeof results[0]) ||
        gpucc_array_read(cubed, results[1], sizeof results[1]))
        return fprintf(stderr, "%s\n", gpucc_last_error()), 1;
    printf("%g %g, %g %g\n", (double)results[0][0], (double)results[0][1], (double)results[1][0],
           (double)results[1][1]);
    gpucc_context_destroy(context);
}
