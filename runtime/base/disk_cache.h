/* A folder of files that can be recomputed at any time: the compiler's outputs, the driver's cubins.  Any number of
 * threads and processes may use it at once.  Files appear whole or not at all; damaged ones are cache misses.  Above
 * the size limit, the least recently used files are removed. */
#ifndef GPUCC_DISK_CACHE_H
#define GPUCC_DISK_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISK_CACHE_SIZE ((uint64_t)1 << 30) /* the default limit */

struct disk_cache {
    const char *folder;
    uint64_t limit; /* bytes of all files together; the newest ones may exceed it for a while */
};

/* The contents of the file of that name; null on a cache miss.  Free them with free(). */
void *disk_cache_find(const struct disk_cache *cache, const char *name, size_t *size);
/* Creates the file, and the folder if it is missing.  Returns 0 or an errno. */
int disk_cache_store(const struct disk_cache *cache, const char *name, const void *data, size_t size);

/* Stores the path of the folder `inner` in the cache: `named`, or if that is null GPUCC_CACHE_DIR, or if that is not
 * set ~/.cache/gpucc (XDG_CACHE_HOME/gpucc).  False if that one is "", which means no cache, if there is none, or if
 * the path is longer than `size`. */
bool disk_cache_folder(const char *named, const char *inner, char *path, size_t size);
/* Parses a size in bytes above 0, with an optional K, M, G or T. */
bool disk_cache_limit(const char *text, uint64_t *limit);

#endif
