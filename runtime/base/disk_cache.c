/* Files that can be made again, in a folder of bounded size. */
#define _GNU_SOURCE /* secure_getenv: not for programs that run with others' rights */
#include "base/disk_cache.h"
#include "base/sha256.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define UNFINISHED "new-" /* what a file is called until it is whole */
enum { ABANDONED = 3600 /* seconds after which nobody is at work on such a one any more */ };

/* ---- finding ---- */

/* The file's name is hashed too: a renamed file belongs to another key. */
static void digest_of(const char *name, const void *data, size_t size, unsigned char digest[SHA256_SIZE])
{
    struct sha256 sum;
    sha256_begin(&sum);
    sha256_add(&sum, name, strlen(name));
    sha256_add(&sum, data, size);
    sha256_end(&sum, digest);
}

/* "FOLDER/NAME", to be freed; null if there is no memory. */
static char *path_in(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static bool read_all(int file, char *data, size_t size)
{
    for (ssize_t count; size; data += count, size -= (size_t)count) {
        count = read(file, data, size);
        if (count <= 0)
            return false;
    }
    return true;
}

/* All of the file: a digest, and what it is of. */
static unsigned char *read_file(int file, size_t *size)
{
    struct stat status;
    if (fstat(file, &status) || status.st_size < SHA256_SIZE)
        return NULL;
    *size = (size_t)status.st_size;
    unsigned char *data = malloc(*size);
    if (data && read_all(file, (char *)data, *size))
        return data;
    free(data);
    return NULL;
}

/* `data` without the digest that it begins with; null, and it is freed, where that is another's. */
static void *checked(const char *name, unsigned char *data, size_t *size)
{
    unsigned char digest[SHA256_SIZE];
    if (!data)
        return NULL;
    *size -= SHA256_SIZE;
    digest_of(name, data + SHA256_SIZE, *size, digest);
    if (!memcmp(data, digest, SHA256_SIZE))
        return memmove(data, data + SHA256_SIZE, *size);
    free(data);
    return NULL;
}

void *disk_cache_find(const struct disk_cache *cache, const char *name, size_t *size)
{
    char *path = path_in(cache->folder, name);
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *found = NULL;
    if (file >= 0) {
        found = checked(name, read_file(file, size), size);
        if (found)
            futimens(file, NULL); /* that it was used */
        close(file);
    }
    free(path);
    return found;
}

/* ---- keeping within bounds ---- */

struct entry {
    struct timespec used;
    off_t size;
    char name[NAME_MAX + 1];
};

struct listing {
    struct entry *items;
    size_t count;
    uint64_t size; /* bytes of all of them */
};

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct entry *)a)->used, *y = &((const struct entry *)b)->used;
    return x->tv_sec != y->tv_sec ? (x->tv_sec > y->tv_sec) - (x->tv_sec < y->tv_sec)
                                  : (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static void add_to(struct listing *listing, const char *name, const struct stat *status)
{
    if (!(listing->count & (listing->count - 1))) { /* full, as its room is a power of two */
        struct entry *larger = realloc(listing->items, (listing->count ? 2 * listing->count : 1) * sizeof *larger);
        if (!larger)
            return;
        listing->items = larger;
    }
    struct entry *kept = &listing->items[listing->count++];
    kept->used = status->st_mtim;
    kept->size = status->st_size;
    snprintf(kept->name, sizeof kept->name, "%s", name);
    listing->size += (uint64_t)status->st_size;
}

/* A clock that is wrong may have dated it in the future. */
static void remove_abandoned(DIR *folder, const char *name, const struct stat *status)
{
    const long long age = (long long)time(NULL) - status->st_mtim.tv_sec;
    if (age > ABANDONED || age < -ABANDONED)
        unlinkat(dirfd(folder), name, 0);
}

/* Names alone are read, which takes a tenth of the time of a listing. */
static void prune_unfinished(const struct disk_cache *cache)
{
    DIR *folder = opendir(cache->folder);
    struct stat status;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strncmp(entry->d_name, UNFINISHED, strlen(UNFINISHED)) == 0 &&
            fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0)
            remove_abandoned(folder, entry->d_name, &status);
    if (folder)
        closedir(folder);
}

/* The files of the folder; those that somebody has left unfinished are removed. */
static struct listing list(DIR *folder)
{
    struct listing listing = {0};
    struct stat status;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode))
            continue;
        if (strncmp(entry->d_name, UNFINISHED, strlen(UNFINISHED)) != 0)
            add_to(&listing, entry->d_name, &status);
        else
            remove_abandoned(folder, entry->d_name, &status);
    }
    return listing;
}

/* Down to nine tenths of the limit, so that not every file that is kept has to look for others to remove. */
static void shrink(const struct disk_cache *cache)
{
    DIR *folder = opendir(cache->folder);
    if (!folder)
        return;
    struct listing listing = list(folder);
    if (listing.size > cache->limit) {
        qsort(listing.items, listing.count, sizeof *listing.items, by_use);
        for (size_t i = 0; i < listing.count && listing.size > cache->limit - cache->limit / 10; i++) {
            unlinkat(dirfd(folder), listing.items[i].name, 0);
            listing.size -= (uint64_t)listing.items[i].size;
        }
    }
    free(listing.items);
    closedir(folder);
}

/* Looking at every file of a large cache takes milliseconds, and a few files more do not matter there: one in 16 does
 * it, as its name's first digit says, which is as good as drawn. */
static void enforce_limit(const struct disk_cache *cache, const char *name)
{
    const uint64_t large = 64 << 20;
    if (cache->limit < large || *name == '0')
        shrink(cache);
    else
        prune_unfinished(cache);
}

/* ---- keeping ---- */

static int make_folder(const char *folder)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path)
        return ENAMETOOLONG;
    for (char *at = path + 1; *at; at++)
        if (*at == '/') {
            *at = '\0';
            mkdir(path, 0777);
            *at = '/';
        }
    return mkdir(path, 0777) && errno != EEXIST ? errno : 0;
}

static int write_all(int file, const void *data, size_t size)
{
    for (const char *at = data; size;) {
        ssize_t count = write(file, at, size);
        if (count < 0 && errno != EINTR)
            return errno;
        at += count < 0 ? 0 : count;
        size -= count < 0 ? 0 : (size_t)count;
    }
    return 0;
}

static int write_file(const char *path, const char *name, const void *data, size_t size)
{
    unsigned char digest[SHA256_SIZE];
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return errno;
    digest_of(name, data, size, digest);
    int error = write_all(file, digest, sizeof digest);
    if (!error)
        error = write_all(file, data, size);
    if (close(file) && !error)
        error = errno;
    return error;
}

/* A name that nobody else uses, on this machine or another that has the folder too. */
static void name_unfinished(char *name, size_t size)
{
    static atomic_uint count;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, size, UNFINISHED "%ld-%u-%lld%09ld", (long)getpid(), atomic_fetch_add(&count, 1),
             (long long)now.tv_sec, now.tv_nsec);
}

int disk_cache_store(const struct disk_cache *cache, const char *name, const void *data, size_t size)
{
    char unfinished[80];
    int error = make_folder(cache->folder);
    if (error)
        return error;
    name_unfinished(unfinished, sizeof unfinished);
    char *from = path_in(cache->folder, unfinished), *to = path_in(cache->folder, name);
    error = from && to ? write_file(from, name, data, size) : ENOMEM;
    if (!error && rename(from, to))
        error = errno;
    if (error && from)
        unlink(from);
    free(from);
    free(to);
    if (!error)
        enforce_limit(cache, name);
    return error;
}

/* ---- where, and how much ---- */

bool disk_cache_folder(const char *named, const char *inner, char *path, size_t size)
{
    const char *folder = named ? named : secure_getenv("GPUCC_CACHE_DIR"), *between = "";
    if (!folder) {
        folder = secure_getenv("XDG_CACHE_HOME");
        between = "/gpucc";
        if (!folder || !*folder) {
            folder = secure_getenv("HOME");
            between = "/.cache/gpucc";
        }
    }
    return folder && *folder && snprintf(path, size, "%s%s/%s", folder, between, inner) < (int)size;
}

bool disk_cache_limit(const char *text, uint64_t *limit)
{
    static const char units[] = "KMGT";
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    *limit = (uint64_t)number << shift;
    return number && !errno && *limit >> shift == number && (unit ? !end[1] : !*end);
}
