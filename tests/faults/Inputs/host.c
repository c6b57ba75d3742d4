/* Launches a checked kernel, and prints what the log and the launch say. */
#include <gpucc/program.h>
#include <gpucc/runtime.h>
#include <stdio.h>

extern const struct gpucc_program_image gpucc_program_reverse;

static void print(void *data, gpucc_log_level level, const char *message)
{
    (void)data;
    printf("%s: %s\n", level == GPUCC_LOG_ERROR ? "log" : "other", message);
}

int main(void)
{
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu", .log = print};
    gpucc_context *context;
    gpucc_program *program;
    gpucc_kernel *kernel;
    gpucc_array *x;
    float host[64] = {0};
    const int64_t shape[] = {64};
    if (gpucc_context_create(&options, &context) || gpucc_program_load(context, &gpucc_program_reverse, &program) ||
        gpucc_program_kernel(program, "reverse", &kernel) ||
        gpucc_array_from_host(context, GPUCC_FLOAT32, 1, shape, NULL, host, &x))
        return 2;
    const gpucc_launch launch = {.size = sizeof launch, .grid = {1}, .block = {64}};
    void *data = gpucc_array_data(x);
    void *parameters[] = {&data};
    const gpucc_status status = gpucc_kernel_launch(kernel, &launch, parameters);
    printf("%s: %s\n", gpucc_status_name(status), gpucc_last_error());
    gpucc_array_release(x);
    gpucc_context_destroy(context);
    return 0;
}
