/* open LIBGPUCC PROGRAM: opens both, as a host's plug-in would, and launches the program's kernel. */
#include <dlfcn.h>
#include <gpucc/runtime.h>
#include <stdio.h>

#define CALL(name) (*(__typeof__(&name))dlsym(runtime, #name))

static void *open_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        printf("%s\n", dlerror());
    return library;
}

int main(int count, char **arguments)
{
    void *runtime = count == 3 ? open_library(arguments[1]) : NULL;
    void *program = runtime ? open_library(arguments[2]) : NULL;
    if (!program)
        return 1;
    struct gpucc_program_image *image = dlsym(program, "gpucc_program_program");
    gpucc_context_options options = {.size = sizeof options, .device = "cpu", .cpu_threads = 2};
    gpucc_launch launch = {.size = sizeof launch, .grid = {1}, .block = {64}};
    gpucc_context *context;
    gpucc_program *loaded;
    gpucc_kernel *turn;
    int32_t values[64], *pointer = values;
    for (int i = 0; i < 64; i++)
        values[i] = i;
    if (CALL(gpucc_context_create)(&options, &context) || CALL(gpucc_program_load)(context, image, &loaded) ||
        CALL(gpucc_program_kernel)(loaded, "turn", &turn) ||
        CALL(gpucc_kernel_launch)(turn, &launch, (void *[]){&pointer})) {
        printf("%s\n", CALL(gpucc_last_error)());
        return 1;
    }
    printf("%d %d\n", values[0], values[63]);
    CALL(gpucc_context_destroy)(context);
    return dlclose(program) || dlclose(runtime);
}
