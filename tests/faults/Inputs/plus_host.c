/* Calls of a checked ufunc: those with a fault make no output, and say so. */
#include "telling.h"

#include <gpucc/program.h>
#include <gpucc/runtime.h>
#include <stdio.h>

extern const struct gpucc_program_image gpucc_program_plus;

static void report(const char *what, gpucc_status status, gpucc_array *out)
{
    printf("%s: %s, %s\n", what, gpucc_status_name(status), out ? "an output" : "no output");
    gpucc_array_release(out);
}

static void call(gpucc_ufunc *ufunc, const gpucc_array *x)
{
    const gpucc_array *const inputs[] = {x, x};
    gpucc_array *sum = NULL, *all = NULL;
    gpucc_status status = gpucc_ufunc_call(ufunc, inputs, &sum, NULL);
    report("call", status, sum);
    status = gpucc_ufunc_reduce(ufunc, x, &all, NULL);
    report("reduce", status, all);
}

int main(void)
{
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu", .log = print};
    const int64_t shape[] = {3};
    const int large[] = {1 << 30, 1 << 30, 5}, small[] = {1, 2, 3};
    gpucc_context *context;
    gpucc_program *program;
    gpucc_ufunc *plus;
    gpucc_array *x, *y;
    if (gpucc_context_create(&options, &context) || gpucc_program_load(context, &gpucc_program_plus, &program) ||
        gpucc_program_ufunc(program, "plus", &plus) ||
        gpucc_array_from_host(context, GPUCC_INT32, 1, shape, NULL, large, &x) ||
        gpucc_array_from_host(context, GPUCC_INT32, 1, shape, NULL, small, &y))
        return 2;
    call(plus, x);
    call(plus, y);
    gpucc_array_release(x);
    gpucc_array_release(y);
    gpucc_context_destroy(context);
    return 0;
}
