/* Files that appear whole or not at all: written under temporary names, renamed when all of them are there.  None takes
 * the place of a file that was read, or of another. */
#define _XOPEN_SOURCE 700
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* One file that waits for commit_files().  A signal handler walks the list: a node is complete before it is linked. */
struct pending {
    struct pending *next;
    const char *name;      /* as the user wrote it, for messages */
    char *target;          /* where it goes, symbolic links resolved; null: standard output */
    char *temporary;       /* renamed to target; null: `data` is written into target itself, as a device or a pipe */
    char *data;
    size_t size;
};

static struct pending *volatile pending;

/* Which file a path leads to, however it is spelled: a regular file, or one that is not there yet in a folder. */
struct identity {
    dev_t device;
    ino_t inode;      /* the file's, or the folder's */
    const char *name; /* in the folder; null: the file is there.  Points into the path. */
};

/* A file that is read or written. */
struct known {
    struct known *next;
    struct identity identity;
    const char *path;
    const char *what; /* "is included"; null: it is an output */
    bool written;     /* by write_file() */
};

static struct known *known;

static void *must(void *memory)
{
    if (!memory)
        fatal("out of memory");
    return memory;
}

void discard_files(void)
{
    for (struct pending *file = pending; file; file = file->next)
        if (file->temporary)
            unlink(file->temporary);
}

static void on_signal(int number)
{
    discard_files();
    signal(number, SIG_DFL);
    raise(number);
}

static void append(struct pending *file)
{
    struct pending *last = pending;
    while (last && last->next)
        last = last->next;
    if (last)
        last->next = file;
    else
        pending = file;
}

static void pending_free(struct pending *file)
{
    free((char *)file->name);
    free(file->target);
    free(file->temporary);
    free(file->data);
    free(file);
}

static void catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGHUP, SIGTERM, SIGQUIT, SIGPIPE, SIGALRM, SIGVTALRM, SIGUSR1, SIGUSR2};
    static bool done;
    for (size_t i = 0; !done && i < sizeof signals / sizeof *signals; i++) {
        struct sigaction now;
        if (!sigaction(signals[i], NULL, &now) && now.sa_handler == SIG_DFL)
            signal(signals[i], on_signal);
    }
    done = true;
}

/* Writes all of it and returns 0, or the error's number. */
static int write_all(int descriptor, const char *data, size_t size)
{
    while (size) {
        ssize_t written = write(descriptor, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        data += written;
        size -= (size_t)written;
    }
    return 0;
}

/* ---- which file it is ---- */

/* False for what any number of outputs may go to, as a device, and for what cannot be written at all. */
static bool identify(const char *path, struct identity *identity)
{
    struct stat status;
    bool exists = strcmp(path, "-") ? !stat(path, &status) : !fstat(STDOUT_FILENO, &status);
    if (exists) {
        *identity = (struct identity){status.st_dev, status.st_ino, NULL};
        return S_ISREG(status.st_mode);
    }
    const char *slash = strrchr(path, '/');
    char *folder = slash ? must(strndup(path, (size_t)(slash - path) + 1)) : NULL;
    exists = !stat(folder ? folder : ".", &status);
    free(folder);
    *identity = (struct identity){status.st_dev, status.st_ino, slash ? slash + 1 : path};
    return exists;
}

static bool is_same(const struct identity *a, const struct identity *b)
{
    bool alike = a->name && b->name ? !strcmp(a->name, b->name) : a->name == b->name;
    return alike && a->device == b->device && a->inode == b->inode;
}

static struct known *find_known(const struct identity *identity)
{
    struct known *file = known;
    while (file && !is_same(&file->identity, identity))
        file = file->next;
    return file;
}

static void remember(const char *path, const struct identity *identity, const char *what, bool written)
{
    struct known *file = must(malloc(sizeof *file));
    *file = (struct known){known, *identity, must(strdup(path)), what, written};
    if (identity->name)
        file->identity.name = file->path + (identity->name - path);
    known = file;
}

static _Noreturn void refuse_overwriting(const char *output, const char *path, const char *what)
{
    usage_error("output '%s' would overwrite '%s', which %s", output, path, what);
}

static _Noreturn void refuse_output(const char *path, const struct known *other)
{
    if (other->what)
        refuse_overwriting(path, other->path, other->what);
    if (strcmp(path, other->path))
        usage_error("outputs '%s' and '%s' are the same file", other->path, path);
    usage_error("output '%s' is given twice", path);
}

void protect_file(const char *path, const char *what)
{
    struct identity identity;
    if (!identify(path, &identity) || identity.name)
        return;
    const struct known *other = find_known(&identity);
    if (!other)
        remember(path, &identity, what, false);
    else if (!other->what)
        refuse_overwriting(other->path, path, what);
}

void claim_output(const char *path)
{
    struct identity identity;
    if (!identify(path, &identity))
        return;
    const struct known *other = find_known(&identity);
    if (other)
        refuse_output(path, other);
    remember(path, &identity, NULL, false);
}

/* An output that is about to be written, claimed or not: dependency files and the PTX of one of several architectures
 * have names of their own. */
static void check_output(const char *path)
{
    struct identity identity;
    if (!identify(path, &identity))
        return;
    struct known *other = find_known(&identity);
    if (other && (other->what || other->written))
        refuse_output(path, other);
    if (other)
        other->written = true;
    else
        remember(path, &identity, NULL, true);
}

/* ---- writing ---- */

static bool same_contents(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    char buffer[16 * 1024];
    size_t count;
    bool same = true;
    while (same && (count = fread(buffer, 1, sizeof buffer, file)) > 0) {
        same = count <= size && !memcmp(buffer, data, count);
        data += same ? count : 0;
        size -= same ? count : 0;
    }
    same = same && !size && !ferror(file);
    fclose(file);
    return same;
}

/* Makes `file->temporary` beside the target and fills it; without data, with zeros, for which there is room then. */
static void write_temporary(struct pending *file, const char *data, size_t size, mode_t mode)
{
    const char *slash = strrchr(file->target, '/');
    int directory = slash ? (int)(slash - file->target + 1) : 0;
    size_t length = (size_t)directory + sizeof ".gpucc-XXXXXX";
    char *name = must(malloc(length));
    snprintf(name, length, "%.*s.gpucc-XXXXXX", directory, file->target);
    int descriptor = mkstemp(name);
    if (descriptor < 0)
        fatal("cannot write '%s': %s", file->name, strerror(errno));
    file->temporary = name;
    append(file);
    int error = data ? write_all(descriptor, data, size) : posix_fallocate(descriptor, 0, (off_t)size);
    if (!error && fchmod(descriptor, mode))
        error = errno;
    if (close(descriptor) && !error)
        error = errno;
    if (error)
        fatal("cannot write '%s': %s", file->name, strerror(error));
}

/* Output for stdout and devices is buffered until all files have been written. */
static void buffer_data(struct pending *file, const char *data, size_t size)
{
    file->data = must(malloc(size + 1));
    if (size)
        memcpy(file->data, data, size);
    file->size = size;
    append(file);
}

/* The file of an output, whether it exists, and its present or future mode. */
static struct pending *find_target(const char *path, bool *exists, mode_t *mode)
{
    struct stat status;
    struct pending *file = must(calloc(1, sizeof *file));
    *exists = !stat(path, &status);
    if (!*exists && errno != ENOENT)
        fatal("cannot write '%s': %s", path, strerror(errno));
    /* A pipe or a removed file behind /dev/stdout may have no path. */
    char *resolved = *exists && S_ISREG(status.st_mode) ? realpath(path, NULL) : NULL;
    file->name = must(strdup(path));
    file->target = resolved ? resolved : must(strdup(path));
    if (*exists && S_ISDIR(status.st_mode))
        fatal("cannot write '%s': %s", path, strerror(EISDIR));
    if (*exists && access(path, W_OK))
        fatal("cannot write '%s': %s", path, strerror(errno));
    mode_t mask = umask(0);
    umask(mask);
    *mode = *exists ? status.st_mode : S_IFREG | (0666 & ~mask);
    if (*exists && !resolved)
        *mode = 0;
    return file;
}

void write_file(const char *path, const char *data, size_t size, bool skip_if_same)
{
    bool exists;
    mode_t mode;
    catch_signals();
    check_output(path);
    if (!strcmp(path, "-")) {
        struct pending *output = must(calloc(1, sizeof *output));
        output->name = must(strdup(path));
        buffer_data(output, data, size);
        return;
    }
    struct pending *file = find_target(path, &exists, &mode);
    if (!S_ISREG(mode))
        buffer_data(file, data, size);
    else if (!(exists && skip_if_same && same_contents(path, data, size)))
        write_temporary(file, data, size, mode & 07777);
    else
        pending_free(file);
}

char *map_file(const char *path, size_t size)
{
    bool exists;
    mode_t mode;
    catch_signals();
    if (!strcmp(path, "-"))
        return NULL;
    struct pending *file = find_target(path, &exists, &mode);
    if (!S_ISREG(mode)) {
        pending_free(file);
        return NULL;
    }
    check_output(path);
    write_temporary(file, NULL, size, mode & 07777);
    int descriptor = open(file->temporary, O_RDWR);
    void *memory = descriptor < 0 ? MAP_FAILED
                                  : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED)
        fatal("cannot map '%s': %s", path, strerror(errno));
    close(descriptor);
    return memory;
}

static void write_in_place(const struct pending *file)
{
    int descriptor = file->target ? open(file->target, O_WRONLY | O_TRUNC) : STDOUT_FILENO;
    int error = descriptor < 0 ? errno : write_all(descriptor, file->data, file->size);
    if (file->target && descriptor >= 0 && close(descriptor) && !error)
        error = errno;
    if (error)
        fatal("cannot write %s%s%s: %s", file->target ? "'" : "", file->target ? file->name : "standard output",
              file->target ? "'" : "", strerror(error));
}

void commit_files(void)
{
    fflush(stdout);
    for (struct pending *file = pending; file; file = file->next)
        if (!file->temporary)
            write_in_place(file);
    for (struct pending *file = pending; file; file = file->next)
        if (file->temporary && rename(file->temporary, file->target))
            fatal("cannot write '%s': %s", file->name, strerror(errno));
    struct pending *file = pending;
    pending = NULL;
    for (struct pending *next; file; file = next) {
        next = file->next;
        pending_free(file);
    }
}

void finish_standard_output(void)
{
    errno = 0;
    if (fflush(stdout) || ferror(stdout))
        fatal("cannot write standard output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
}
