/* Tells the stand-in for libcuda which native code it runs, unless it plays PTX. */
#include "natives.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

void use_natives(const char *path)
{
    const char *fake = is_set("GPUCC_FAKE_PTX") ? NULL : getenv("GPUCC_LIBCUDA");
    void *driver = fake && *fake ? dlopen(fake, RTLD_NOW | RTLD_LOCAL) : NULL;
    void (*use_library)(void *library) = NULL;
    if (driver)
        *(void **)&use_library = dlsym(driver, "fake_cuda_use_library");
    if (!use_library)
        return;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
    use_library(library);
}
