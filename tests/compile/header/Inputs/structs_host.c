#include <stdio.h>

int main(void)
{
    static gpucc_context_options options;
    gpucc_context *context;
    gpucc_array *particles, *bodies;
    struct particle host[2] = {{{0, 0, 0}, 1}, {{0, 0, 0}, 2}}, by = {{0, 0, 0}, 40};
    static body body_host[1];
    int64_t bytes = sizeof host, body_bytes = sizeof body_host;
    static gpucc_launch launch;
    options.size = sizeof options;
    options.device = "cpu";
    launch.size = sizeof launch;
    launch.grid[0] = launch.block[0] = 1;
    body_host[0].parts[0].mass = 1;
    if (gpucc_context_create(&options, &context) ||
        gpucc_array_from_host(context, GPUCC_UINT8, 1, &bytes, NULL, host, &particles) ||
        gpucc_array_from_host(context, GPUCC_UINT8, 1, &body_bytes, NULL, body_host, &bodies) ||
        move(context, &launch, &by, (struct particle *)gpucc_array_data(particles),
             (const body *)gpucc_array_data(bodies)) ||
        gpucc_array_read(particles, host, sizeof host)) {
        fprintf(stderr, "%s\n", gpucc_last_error());
        return 1;
    }
    gpucc_context_destroy(context);
    printf("%g %g\n", host[0].mass, host[1].mass);
    return !(host[0].mass == 42 && host[1].mass == 2);
}
