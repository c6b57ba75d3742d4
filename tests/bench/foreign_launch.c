#include "foreign_launch.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    int (*load)(void **module, const void *text);
    int (*load_file)(void **module, const char *path);
    int (*find)(void **function, void *module, const char *name);
    int (*copy)(uint64_t to, uint64_t from, size_t size, void *stream);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                  unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **parameters, void **extra);
} driver;

static bool open_driver(void)
{
    const char *path = getenv("GPUCC_LIBCUDA");
    void *library = driver.load ? NULL : dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library) {
        *(void **)&driver.find = dlsym(library, "cuModuleGetFunction");
        *(void **)&driver.copy = dlsym(library, "cuMemcpyDtoDAsync_v2");
        *(void **)&driver.launch = dlsym(library, "cuLaunchKernel");
        *(void **)&driver.load = dlsym(library, "cuModuleLoadData");
        *(void **)&driver.load_file = dlsym(library, "cuModuleLoad");
    }
    return driver.find && driver.copy && driver.launch && driver.load && driver.load_file;
}

static bool succeeded(int result, const char *call)
{
    if (result)
        fprintf(stderr, "%s gave error %d\n", call, result);
    return result == 0;
}

bool foreign_copy(const struct foreign_copy *copy)
{
    return open_driver() && succeeded(driver.copy((uint64_t)(uintptr_t)copy->to, (uint64_t)(uintptr_t)copy->from,
                                                  copy->size, copy->stream),
                                      "cuMemcpyDtoDAsync");
}

void foreign_copy_work(void *data)
{
    if (!foreign_copy(data))
        exit(1);
}

bool foreign_load_text(void **module, const char *ptx)
{
    return open_driver() && succeeded(driver.load(module, ptx), "cuModuleLoadData");
}

bool foreign_load_file(void **module, const char *path)
{
    return open_driver() && succeeded(driver.load_file(module, path), "cuModuleLoad");
}

bool foreign_find(struct foreign_launch *launch, void *module, const char *name)
{
    return succeeded(driver.find(&launch->function, module, name), "cuModuleGetFunction");
}

void foreign_launch(const struct foreign_launch *launch)
{
    const unsigned *grid = launch->grid, *block = launch->block;
    int result = driver.launch(launch->function, grid[0], grid[1], grid[2], block[0], block[1], block[2], 0,
                               launch->stream, launch->parameters, NULL);
    if (result && !succeeded(result, "cuLaunchKernel"))
        exit(1);
}
