#include "foreign_launch.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    int (*load)(void **module, const void *text);
    int (*find)(void **function, void *module, const char *name);
    int (*variable)(uint64_t *address, size_t *size, void *module, const char *name);
    int (*write)(uint64_t to, const void *from, size_t size);
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
        *(void **)&driver.variable = dlsym(library, "cuModuleGetGlobal_v2");
        *(void **)&driver.write = dlsym(library, "cuMemcpyHtoD_v2");
        *(void **)&driver.copy = dlsym(library, "cuMemcpyDtoDAsync_v2");
        *(void **)&driver.launch = dlsym(library, "cuLaunchKernel");
        *(void **)&driver.load = dlsym(library, "cuModuleLoadData");
    }
    return driver.find && driver.variable && driver.write && driver.copy && driver.launch && driver.load;
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

/* The file's bytes and a NUL, in memory that the caller frees. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0)
        bytes = calloc(1, (size_t)size + 1);
    if (bytes && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        free(bytes);
        bytes = NULL;
    }
    if (file)
        fclose(file);
    if (!bytes)
        fprintf(stderr, "cannot read '%s'\n", path);
    return bytes;
}

bool foreign_load_file(void **module, const char *path)
{
    char *bytes = read_file(path);
    const bool loaded = bytes && foreign_load_text(module, bytes);
    free(bytes);
    return loaded;
}

bool foreign_find(struct foreign_launch *launch, void *module, const char *name)
{
    return succeeded(driver.find(&launch->function, module, name), "cuModuleGetFunction");
}

bool foreign_write_variable(void *module, const char *name, const void *bytes, size_t size)
{
    uint64_t address;
    size_t its_size;
    if (!succeeded(driver.variable(&address, &its_size, module, name), "cuModuleGetGlobal"))
        return false;
    if (its_size != size)
        fprintf(stderr, "%s has %zu bytes, not %zu\n", name, its_size, size);
    return its_size == size && succeeded(driver.write(address, bytes, size), "cuMemcpyHtoD");
}

void foreign_launch(const struct foreign_launch *launch)
{
    const unsigned *grid = launch->grid, *block = launch->block;
    int result = driver.launch(launch->function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                               launch->shared, launch->stream, launch->parameters, NULL);
    if (result && !succeeded(result, "cuLaunchKernel"))
        exit(1);
}
