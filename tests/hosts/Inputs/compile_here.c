/* compile_here DEVICE: compiles sources while it runs, and calls what they become. */
#include <gpucc/runtime.h>
#include <stdio.h>
#include <string.h>

static const char ufunc[] = "#include \"factor.h\"\n"
                            "vectorize(float32(float32)) float scale(float x) { return FACTOR * x + ADDEND; }\n";
static const char kernel[] = "#include <gpucc.h>\n"
                             "kernel void turn(int x[64])\n"
                             "{\n"
                             "    shared int tile[64];\n"
                             "    int unused;\n"
                             "    tile[threadIdx.x] = x[threadIdx.x];\n"
                             "    syncthreads();\n"
                             "    x[threadIdx.x] = tile[63 - threadIdx.x];\n"
                             "}\n";

static void on_log(void *data, gpucc_log_level level, const char *message)
{
    printf("%s level %d: %s", (const char *)data, level, message);
}

static gpucc_program *compile(gpucc_context *context, const char *text, const char *name, const char *option)
{
    gpucc_program *program;
    const struct gpucc_file header = {.name = "factor.h", .text = "#include <gpucc.h>\n#define FACTOR 3.0f\n"};
    const gpucc_compile_options options = {.size = sizeof options, .name = name, .headers = &header, .header_count = 1,
                                           .options = &option, .option_count = 1, .log = on_log, .log_data = "log"};
    gpucc_status status = gpucc_program_compile(context, text, &options, &program);
    printf("%s: %s\n", name, gpucc_status_name(status));
    if (status)
        printf("%s\n", gpucc_last_error());
    return program;
}

static void call_ufunc(gpucc_context *context, gpucc_program *program)
{
    float values[3] = {1, 2, 3}, results[3] = {0, 0, 0};
    int64_t count = 3;
    gpucc_ufunc *scale;
    gpucc_array *x, *y = NULL;
    if (gpucc_program_ufunc(program, "scale", &scale) ||
        gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &count, NULL, values, &x) ||
        gpucc_ufunc_call(scale, (const gpucc_array *[]){x}, &y, NULL) || gpucc_array_read(y, results, sizeof results))
        printf("%s\n", gpucc_last_error());
    printf("%g %g %g\n", results[0], results[1], results[2]);
}

static void launch_kernel(gpucc_program *program)
{
    int values[64], *pointer = values;
    gpucc_kernel *turn;
    gpucc_launch launch = {.size = sizeof launch, .grid = {1}, .block = {64}};
    for (int i = 0; i < 64; i++)
        values[i] = i;
    if (gpucc_program_kernel(program, "turn", &turn) || gpucc_kernel_launch(turn, &launch, (void *[]){&pointer}))
        printf("%s\n", gpucc_last_error());
    printf("%d %d\n", values[0], values[63]);
}

int main(int count, char **arguments)
{
    gpucc_context *context;
    gpucc_context_options options = {.size = sizeof options, .device = arguments[count - 1], .cpu_threads = 2};
    if (gpucc_context_create(&options, &context)) {
        printf("%s\n", gpucc_last_error());
        return 1;
    }
    gpucc_program *first = compile(context, ufunc, "compile.c", "-DADDEND=1");
    gpucc_program *second = compile(context, ufunc, "compile.c", "-DADDEND=2");
    gpucc_program *third = compile(context, kernel, "turn.c", "-Wall");
    if (first && second && third && strncmp(options.device, "cuda", 4)) {
        call_ufunc(context, first);
        call_ufunc(context, second);
        launch_kernel(third);
    }
    if (second)
        gpucc_program_release(second);
    compile(context, ufunc, "wrong.c", "-DADDEND=nothing");
    compile(context, ufunc, "option.c", "--nonsense");
    gpucc_context_destroy(context);
    return 0;
}
