/* Reports a crash in a function of the program.  The text lies in pages of its own that cannot be written
 * while the function runs, as it may have overwritten all else that this process has. */
#define _GNU_SOURCE
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct last_words *volatile last_words;

static struct {
    char *base;
    size_t size, used;
} pages;

/* ---- of a signal handler ---- */

static bool write_all(int descriptor, const char *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        const ssize_t written = write(descriptor, data + at, size - at);
        if (written <= 0)
            return false;
        at += (size_t)written;
    }
    return true;
}

static bool make_folders(const char *path)
{
    static char part[4096];
    const size_t length = strlen(path);
    if (length >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(part, path, length + 1);
    for (char *slash = part + strspn(part, "/"); (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        if (mkdir(part, 0777) && errno != EEXIST)
            return false;
    }
    return !mkdir(part, 0777) || errno == EEXIST;
}

bool leave_files(const char *folder, const struct left_file *files, size_t count)
{
    bool left = !count || make_folders(folder);
    for (size_t i = 0; left && i < count; i++) {
        const int descriptor = open(files[i].path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        left = descriptor >= 0 && write_all(descriptor, files[i].head, files[i].head_size) &&
               write_all(descriptor, files[i].data, files[i].size);
        if (descriptor >= 0)
            left = !close(descriptor) && left;
    }
    return left;
}

void leave_last_words(void)
{
    const struct last_words *words = last_words;
    if (!words)
        return;
    leave_files(words->folder, words->files, words->file_count);
    const int descriptor = words->path ? open(words->path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : words->descriptor;
    if (descriptor >= 0)
        write_all(descriptor, words->data, words->size);
}

/* ---- before the function runs ---- */

/* Room for so many bytes, which may be written. */
static bool open_pages(size_t size)
{
    enum { PIECE = 1 << 16 }; /* a multiple of the pages of all systems */
    pages.used = 0;
    if (size <= pages.size)
        return !mprotect(pages.base, pages.size, PROT_READ | PROT_WRITE);
    if (pages.base)
        munmap(pages.base, pages.size);
    pages.size = (size + size / 2 + PIECE - 1) / PIECE * PIECE;
    pages.base = mmap(NULL, pages.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages.base != MAP_FAILED)
        return true;
    pages.base = NULL;
    pages.size = 0;
    return false;
}

static void *put(const void *data, size_t size)
{
    char *at = pages.base + pages.used;
    if (size > 0)
        memcpy(at, data, size);
    pages.used += size;
    return at;
}

static const char *put_text(const char *text)
{
    return text ? put(text, strlen(text) + 1) : NULL;
}

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static size_t size_of(const struct last_words *words)
{
    size_t size = sizeof *words + text_size(words->path) + words->size + text_size(words->folder);
    for (size_t i = 0; i < words->file_count; i++) {
        const struct left_file *file = &words->files[i];
        size += sizeof *file + text_size(file->path) + file->head_size + file->size;
    }
    return size;
}

void guard_leave(const struct last_words *words)
{
    last_words = NULL;
    alarm(0);
    if (!words || !open_pages(size_of(words)))
        return;
    struct last_words *copy = put(words, sizeof *words);
    struct left_file *files = put(words->files, words->file_count * sizeof *files);
    for (size_t i = 0; i < words->file_count; i++) {
        files[i].path = put_text(files[i].path);
        files[i].head = put(files[i].head, files[i].head_size);
        files[i].data = put(files[i].data, files[i].size);
    }
    copy->files = files;
    copy->path = put_text(words->path);
    copy->data = put(words->data, words->size);
    copy->folder = put_text(words->folder);
    if (!mprotect(pages.base, pages.size, PROT_READ))
        last_words = copy;
}
