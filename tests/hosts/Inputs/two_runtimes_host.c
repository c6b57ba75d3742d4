/* two_runtimes_host LIBGPUCC PROGRAM: a ufunc, a gufunc of blocks and a kernel on the CPU, or why not. */
#include <dlfcn.h>
#include <gpucc/runtime.h>
#include <stdio.h>

#define CALL(name) (*(__typeof__(&name))dlsym(runtime, #name))

static void *runtime;

static void print_result(const char *name, gpucc_status status, const float *values)
{
    if (status)
        printf("%s: %s: %s\n", name, CALL(gpucc_status_name)(status), CALL(gpucc_last_error)());
    else
        printf("%s: %g %g\n", name, (double)values[0], (double)values[1]);
}

static gpucc_status call(gpucc_context *context, gpucc_program *program, const char *name, int ndim, float *values)
{
    static const float data[] = {2, 1, 0, 3};
    const int64_t shape[] = {2, 2};
    gpucc_ufunc *ufunc;
    gpucc_array *x = NULL, *y = NULL, *out = NULL;
    gpucc_status status = CALL(gpucc_program_ufunc)(program, name, &ufunc);
    if (!status)
        status = CALL(gpucc_array_from_host)(context, GPUCC_FLOAT32, ndim, shape, NULL, data, &x);
    if (!status)
        status = CALL(gpucc_array_from_host)(context, GPUCC_FLOAT32, 1, shape, NULL, (const float[]){3, 6}, &y);
    if (!status)
        status = CALL(gpucc_ufunc_call)(ufunc, (const gpucc_array *[]){x, y}, &out, NULL);
    return status ? status : CALL(gpucc_array_read)(out, values, 2 * sizeof *values);
}

static gpucc_status launch(gpucc_program *program, float *values)
{
    gpucc_launch how = {.size = sizeof how, .grid = {1}, .block = {2}};
    gpucc_kernel *kernel;
    const gpucc_status status = CALL(gpucc_program_kernel)(program, "turn", &kernel);
    return status ? status : CALL(gpucc_kernel_launch)(kernel, &how, (void *[]){&values});
}

int main(int count, char **arguments)
{
    runtime = count == 3 ? dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    void *object = runtime ? dlopen(arguments[2], RTLD_NOW) : NULL;
    if (!object)
        return printf("%s\n", dlerror()), 1;
    gpucc_context_options options = {.size = sizeof options, .device = "cpu", .cpu_threads = 2};
    gpucc_context *context;
    gpucc_program *program;
    float values[] = {2, 3};
    if (CALL(gpucc_context_create)(&options, &context) ||
        CALL(gpucc_program_load)(context, dlsym(object, "gpucc_program_program"), &program))
        return printf("%s\n", CALL(gpucc_last_error)()), 1;
    print_result("add", call(context, program, "add", 1, values), values);
    print_result("most", call(context, program, "most", 2, values), values);
    print_result("turn", launch(program, values), values);
    CALL(gpucc_context_destroy)(context);
    return 0;
}
