/* A folder of files that can be made again at any time: what the compiler has compiled, what the driver has made of
 * PTX.  Any number of threads and processes may use one at once; files appear whole or not at all, and damaged ones are
 * none.  Where they grow to more than a limit, those go that were not used for longest. */
#ifndef GPUCC_DISK_CACHE_H
#define GPUCC_DISK_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISK_CACHE_SIZE ((uint64_t)1 << 30) /* the limit where nobody names one */

struct disk_cache {
    const char *folder;
    uint64_t limit; /* bytes of all files together; reached but for those that were kept last */
};

/* The contents of the file of that name, to be freed with free(); null if there is none. */
void *disk_cache_find(const struct disk_cache *cache, const char *name, size_t *size);
/* Makes the folder where it is missing, and the file.  0, or the number of the error for which it is not there. */
int disk_cache_store(const struct disk_cache *cache, const char *name, const void *data, size_t size);

/* The folder `inner` of the one that the caller names or, where that is null, of GPUCC_CACHE_DIR's or, where that is
 * not set, of ~/.cache/gpucc (XDG_CACHE_HOME/gpucc).  False if the one that counts is "", which means none, where
 * there is none, or where the path is longer than `size`. */
bool disk_cache_folder(const char *named, const char *inner, char *path, size_t size);
/* Whether it is a number of bytes, above 0, with K, M, G or T behind it or nothing. */
bool disk_cache_limit(const char *text, uint64_t *limit);

#endif
