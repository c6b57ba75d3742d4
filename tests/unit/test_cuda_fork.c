/* A child of fork() whose parent has used CUDA: the driver is not even called. */
#include "fake_cuda.h"

#include "cuda_scene.h"

#include <sys/wait.h>
#include <unistd.h>

static bool refuses_the_parents(gpucc_context *context, gpucc_array *array)
{
    float value;
    return gpucc_context_synchronize(context) == GPUCC_INVALID_ARGUMENT && strstr(gpucc_last_error(), "fork") &&
           gpucc_array_read(array, &value, sizeof value) == GPUCC_INVALID_ARGUMENT;
}

static bool has_the_cpu(void)
{
    gpucc_context *own;
    int count = -1;
    gpucc_device_info info = {.size = sizeof info};
    gpucc_context_options cuda = {.size = sizeof cuda, .device = "cuda"};
    return gpucc_device_count(&count) == GPUCC_OK && count == 0 &&
           gpucc_context_create(&cuda, &own) == GPUCC_NO_DRIVER && strstr(gpucc_last_error(), "fork") &&
           gpucc_context_create(NULL, &own) == GPUCC_OK && gpucc_context_info(own, &info) == GPUCC_OK &&
           info.kind == GPUCC_DEVICE_CPU;
}

Test(cuda_fork, leaves_the_driver_alone)
{
    int status;
    gpucc_context *context;
    gpucc_array *array;
    const int64_t one = 1;
    setenv("GPUCC_LIBCUDA", fake_cuda_path(), 1);
    unsetenv("GPUCC_DEVICE");
    cr_assert_eq(gpucc_context_create(&(gpucc_context_options){.size = sizeof(gpucc_context_options), .device = "cuda"},
                                      &context), GPUCC_OK, "%s", gpucc_last_error());
    cr_assert_eq(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &one, NULL, &(float){1}, &array), GPUCC_OK);
    pid_t child = fork();
    if (child == 0) {
        long calls = fake_cuda_call_count(NULL);
        alarm(60);
        bool right = refuses_the_parents(context, array) && has_the_cpu();
        gpucc_array_release(array);
        gpucc_context_destroy(context);
        _exit(right && fake_cuda_call_count(NULL) == calls ? 0 : 1);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "the child ended with status %#x", status);
    cr_assert_eq(gpucc_context_synchronize(context), GPUCC_OK, "%s", gpucc_last_error());
    gpucc_context_destroy(context);
    cr_assert_eq(fake_cuda_leaks(), 0);
}
