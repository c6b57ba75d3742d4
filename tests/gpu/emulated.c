/* Linked in by GPUCC_SUITE_EMULATE: hands the fake libcuda the executor that the programs' native kernels call. */
#include "executor/cpu_launch.h"
#include "fake_cuda.h"

#include <dlfcn.h>
#include <stdlib.h>

__attribute__((constructor)) static void hand_over_executor(void)
{
    const char *path = getenv("GPUCC_LIBCUDA");
    void *library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    __typeof__(fake_cuda_use_executor) *use_executor = NULL;
    if (library)
        *(void **)&use_executor = dlsym(library, "fake_cuda_use_executor");
    if (use_executor)
        use_executor(pool_create, cpu_launch_run);
}
