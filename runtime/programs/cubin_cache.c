/* A cache of the cubins that the driver compiles from PTX, if GPUCC_CACHE_DIR names a folder.  A failure here is a
 * cache miss: the PTX itself is loaded then, and reports what is wrong. */
#define _GNU_SOURCE /* dladdr */
#include "base/disk_cache.h"
#include "base/sha256.h"
#include "programs/programs.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FORMAT "gpucc cubins 1"
enum { NAME_SIZE = 2 * SHA256_SIZE + sizeof ".cubin" };

/* The library in whose compiler's hands PTX is: its version says less, as several have one. */
static void add_driver(struct sha256 *sum)
{
    Dl_info library;
    struct stat status;
    void *entry;
    memcpy(&entry, &driver.cuLinkComplete, sizeof entry);
    sha256_add(sum, &driver.version, sizeof driver.version);
    if (!dladdr(entry, &library) || stat(library.dli_fname, &status))
        return;
    sha256_add(sum, &status.st_size, sizeof status.st_size);
    sha256_add(sum, &status.st_mtim, sizeof status.st_mtim);
}

static void name_cubin(const gpucc_context *context, const struct gpucc_image *image, char *name)
{
    unsigned char digest[SHA256_SIZE];
    struct sha256 sum;
    const int arch = context->device.info.arch;
    sha256_begin(&sum);
    sha256_add(&sum, FORMAT, sizeof FORMAT);
    add_driver(&sum);
    sha256_add(&sum, &arch, sizeof arch);
    sha256_add(&sum, image->text, image->size);
    sha256_end(&sum, digest);
    sha256_name(digest, name);
    strcpy(name + 2 * SHA256_SIZE, ".cubin");
}

static bool load(const void *cubin, CUmodule *out)
{
    return driver.cuModuleLoadDataEx(out, cubin, 0, NULL, NULL) == CUDA_SUCCESS;
}

static bool load_cached(const struct disk_cache *cache, const char *name, CUmodule *out)
{
    size_t size;
    void *cubin = disk_cache_find(cache, name, &size);
    const bool loaded = cubin && load(cubin, out);
    free(cubin);
    return loaded;
}

/* Links the PTX with nothing else, as the driver gives nobody what it loads. */
static bool make_and_load(const struct disk_cache *cache, const char *name, const struct gpucc_image *image,
                          CUmodule *out)
{
    CUlinkState state;
    void *cubin;
    size_t size;
    if (driver.cuLinkCreate(0, NULL, NULL, &state) != CUDA_SUCCESS)
        return false;
    bool loaded = driver.cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)image->text, image->size + 1, "program", 0,
                                       NULL, NULL) == CUDA_SUCCESS &&
                  driver.cuLinkComplete(state, &cubin, &size) == CUDA_SUCCESS && load(cubin, out);
    if (loaded)
        disk_cache_store(cache, name, cubin, size);
    driver.cuLinkDestroy(state); /* and with it the cubin */
    return loaded;
}

bool cubin_load(const gpucc_context *context, const struct gpucc_image *image, CUmodule *out)
{
    char folder[PATH_MAX], name[NAME_SIZE];
    struct disk_cache cache = {folder, DISK_CACHE_SIZE};
    const char *limit = secure_getenv("GPUCC_CACHE_SIZE");
    if (!secure_getenv("GPUCC_CACHE_DIR") || !driver.cuLinkCreate || !driver.cuLinkAddData || !driver.cuLinkComplete ||
        !driver.cuLinkDestroy || !disk_cache_folder(NULL, "cubins", folder, sizeof folder))
        return false;
    if (limit && !disk_cache_limit(limit, &cache.limit))
        cache.limit = DISK_CACHE_SIZE;
    name_cubin(context, image, name);
    return load_cached(&cache, name, out) || make_and_load(&cache, name, image, out);
}
