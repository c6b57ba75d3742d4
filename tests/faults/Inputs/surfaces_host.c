/* Launches a kernel on a texture of 16 x 4 numbers and its surface.  `released KERNEL` releases the texture first. */
#include "telling.h"

#include <gpucc/program.h>
#include <gpucc/runtime.h>
#include <string.h>

extern const struct gpucc_program_image gpucc_program_surfaces;

int main(int count, char **arguments)
{
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu", .log = print};
    const gpucc_texture_options as = {.size = sizeof as, .surface = 1};
    const gpucc_launch how = {.size = sizeof how, .grid = {1}, .block = {16, 4}};
    const int64_t shape[] = {4, 16};
    const float host[64] = {0};
    gpucc_context *context;
    gpucc_program *program;
    gpucc_kernel *kernel;
    gpucc_array *x;
    gpucc_texture *texture;
    must(gpucc_context_create(&options, &context));
    must(gpucc_program_load(context, &gpucc_program_surfaces, &program));
    must(gpucc_program_kernel(program, arguments[count - 1], &kernel));
    must(gpucc_array_from_host(context, GPUCC_FLOAT32, 2, shape, NULL, host, &x));
    must(gpucc_texture_create(x, &as, &texture));
    uint64_t surface = gpucc_texture_surface(texture), object = gpucc_texture_object(texture);
    void *parameters[] = {&surface, &object};
    if (count > 2 && strcmp(arguments[1], "released") == 0)
        gpucc_texture_release(texture);
    printf("%s\n", gpucc_status_name(gpucc_kernel_launch(kernel, &how, parameters)));
    gpucc_context_destroy(context);
    return 0;
}
