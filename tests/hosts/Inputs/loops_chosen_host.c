/* Calls of add() that need one loop each: prints the status, and what came out or what the runtime says. */
#include "chosen.h"
#include <stdio.h>
#include <stdlib.h>

static gpucc_context *context;

static void must(gpucc_status status)
{
    if (status)
        exit((fprintf(stderr, "%s\n", gpucc_last_error()), 1));
}

static gpucc_array *array(gpucc_dtype dtype, const void *values)
{
    const int64_t n = 4;
    gpucc_array *made;
    must(gpucc_array_from_host(context, dtype, 1, &n, NULL, values, &made));
    return made;
}

static void print_result(const char *what, gpucc_status status, gpucc_array *out)
{
    float values[4];
    printf("%s: %d,", what, (int)status);
    if (status)
        printf(" %s", gpucc_last_error());
    else
        must(gpucc_array_read(out, values, sizeof(float) * (size_t)gpucc_array_count(out)));
    for (int i = 0; !status && i < gpucc_array_count(out); i++)
        printf(" %g", values[i]);
    printf("\n");
    gpucc_array_release(out);
}

static void call(const char *what, gpucc_array *x, gpucc_array *y)
{
    gpucc_array *out = NULL;
    const gpucc_status status = add(context, x, y, &out);
    print_result(what, status, out);
}

int main(void)
{
    const float ones[] = {1, 2, 3, 4}, twos[] = {2, 2, 2, 2}, one = 1;
    const int16_t shorts[] = {2, 2, 2, 2};
    const int64_t two = 2, stride = 2 * sizeof(float);
    gpucc_array *number, *second, *sum = NULL;
    must(gpucc_context_create(NULL, &context));
    gpucc_array *x = array(GPUCC_FLOAT32, ones), *y = array(GPUCC_FLOAT32, twos);
    must(gpucc_array_scalar(context, GPUCC_FLOAT32, &one, &number));
    must(gpucc_array_view(x, 1, &two, &stride, 0, &second));
    call("adjacent", x, y);
    call("a row and a number", x, number);
    must(gpucc_array_view(y, 1, &two, &stride, 0, &number));
    call("every second", second, number);
    call("converted", x, array(GPUCC_INT16, shorts));
    const gpucc_status status = add_reduce(context, x, &sum, NULL);
    print_result("reduced", status, sum);
    sum = NULL;
    const gpucc_status running = add_accumulate(context, x, &sum, NULL);
    print_result("accumulated", running, sum);
    gpucc_context_destroy(context);
}
