/* Linked in by GPUCC_SUITE_EMULATE: hands the fake libcuda the executor that the programs' native kernels call, and the
 * table in which they look textures up. */
#include "executor/cpu_launch.h"
#include "executor/cpu_texture.h"
#include "fake_cuda.h"

#include <dlfcn.h>
#include <stdlib.h>

__attribute__((constructor)) static void hand_over(void)
{
    const char *path = getenv("GPUCC_LIBCUDA");
    void *library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    __typeof__(fake_cuda_use_executor) *use_executor = NULL;
    __typeof__(fake_cuda_use_textures) *use_textures = NULL;
    if (library) {
        *(void **)&use_executor = dlsym(library, "fake_cuda_use_executor");
        *(void **)&use_textures = dlsym(library, "fake_cuda_use_textures");
    }
    if (use_executor)
        use_executor(pool_create, cpu_launch_run);
    if (use_textures)
        use_textures(texture_object_register, texture_object_unregister);
}
