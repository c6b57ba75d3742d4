/* Tells the stand-in for libcuda which native code it runs. */
#include "natives.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void use_natives(const char *path)
{
    const char *fake = getenv("GPUCC_LIBCUDA"), *played = getenv("GPUCC_FAKE_PTX");
    void *driver = fake && *fake ? dlopen(fake, RTLD_NOW | RTLD_LOCAL) : NULL;
    void (*use_library)(void *library) = NULL;
    if (driver)
        *(void **)&use_library = dlsym(driver, "fake_cuda_use_library");
    if (!use_library || (played && *played && strcmp(played, "0"))) /* a scene that is played needs no native code */
        return;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
    use_library(library);
}
