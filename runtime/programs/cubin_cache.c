/* Cubins that the driver compiles from PTX: for the caller, and in a cache if GPUCC_CACHE_DIR names a folder.  A
 * failure of the cache is a miss: the PTX itself is loaded then, and reports what is wrong. */
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

static bool has_linker(void)
{
    return driver.cuLinkCreate && driver.cuLinkAddData && driver.cuLinkComplete && driver.cuLinkDestroy;
}

/* A copy of what the PTX becomes, linked with nothing else, as the driver gives nobody what it loads; null if that
 * fails. */
static void *link_ptx(const struct gpucc_image *image, size_t *size, CUresult *result)
{
    CUlinkState state;
    void *cubin, *copy = NULL;
    if ((*result = driver.cuLinkCreate(0, NULL, NULL, &state)) != CUDA_SUCCESS)
        return NULL;
    *result = driver.cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)image->text, image->size + 1, "program", 0, NULL,
                                   NULL);
    if (*result == CUDA_SUCCESS)
        *result = driver.cuLinkComplete(state, &cubin, size);
    if (*result == CUDA_SUCCESS && !(copy = malloc(*size)))
        *result = CUDA_ERROR_OUT_OF_MEMORY;
    if (copy)
        memcpy(copy, cubin, *size);
    driver.cuLinkDestroy(state); /* and with it the cubin */
    return copy;
}

static bool make_and_load(const struct disk_cache *cache, const char *name, const struct gpucc_image *image,
                          CUmodule *out)
{
    CUresult result;
    size_t size;
    void *cubin = link_ptx(image, &size, &result);
    const bool loaded = cubin && load(cubin, out);
    if (loaded)
        disk_cache_store(cache, name, cubin, size);
    free(cubin);
    return loaded;
}

bool cubin_load(const gpucc_context *context, const struct gpucc_image *image, CUmodule *out)
{
    char folder[PATH_MAX], name[NAME_SIZE];
    struct disk_cache cache = {folder, DISK_CACHE_SIZE};
    const char *limit = secure_getenv("GPUCC_CACHE_SIZE");
    if (!secure_getenv("GPUCC_CACHE_DIR") || !has_linker() || !disk_cache_folder(NULL, "cubins", folder, sizeof folder))
        return false;
    if (limit && !disk_cache_limit(limit, &cache.limit))
        cache.limit = DISK_CACHE_SIZE;
    name_cubin(context, image, name);
    return load_cached(&cache, name, out) || make_and_load(&cache, name, image, out);
}

static gpucc_status link_once(gpucc_program *program)
{
    CUresult result;
    CUcontext previous;
    gpucc_status status = context_enter(program->context, &previous);
    if (status)
        return status;
    program->cubin = link_ptx(&program->ptx, &program->cubin_size, &result);
    if (!program->cubin)
        status = driver_failed(program->context, result, "cuLinkComplete");
    context_leave(program->context, previous);
    return status;
}

gpucc_status gpucc_program_cubin(gpucc_program *program, const void **cubin, size_t *size)
{
    if (!program || !cubin || !size)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_program_cubin: program, cubin or size is null");
    *cubin = NULL;
    *size = 0;
    if (!program->ptx.text)
        return fail(GPUCC_UNSUPPORTED, "%s: a cubin is code for a GPU, and the program is loaded on the CPU",
                    program->name);
    if (!has_linker())
        return fail(GPUCC_UNSUPPORTED, "%s: this driver does not export its linker", program->name);
    pthread_mutex_lock(&program->lock);
    const gpucc_status status = program->cubin ? GPUCC_OK : link_once(program);
    *cubin = program->cubin;
    *size = program->cubin ? program->cubin_size : 0;
    pthread_mutex_unlock(&program->lock);
    return status;
}
