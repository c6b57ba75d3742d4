/* Other programs, which are found on PATH and started. */
#define _GNU_SOURCE /* what other threads start meanwhile shall not inherit the pipe: pipe2, mkostemp */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *child_file(struct arena *arena, const char *directory, size_t length, const char *name)
{
    const char *path = arena_printf(arena, "%.*s/%s", (int)length, directory, name);
    return length && !access(path, X_OK) ? path : NULL;
}

const char *child_find(struct arena *arena, const char *name)
{
    const char *path = getenv("PATH"), *found = NULL;
    for (const char *at = path; at && !found;) {
        size_t length = strcspn(at, ":");
        found = child_file(arena, at, length, name);
        at = at[length] ? at + length + 1 : NULL;
    }
    return found;
}

const char *temporary_directory(void)
{
    const char *directory = getenv("TMPDIR");
    return directory && *directory ? directory : "/tmp";
}

static void close_pipe(const int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

/* The descriptor, which is closed on exec, as one that start() overwrites none with: where this process has no standard
 * streams, files come to have their numbers.  -1, and it is closed, if there is no other. */
static int moved_up(int descriptor)
{
    enum { LOWEST = 10 };
    const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, LOWEST);
    close(descriptor);
    return moved;
}

/* Both ends; false if there is none. */
static bool make_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC))
        return false;
    ends[0] = moved_up(ends[0]);
    ends[1] = moved_up(ends[1]);
    if (ends[0] >= 0 && ends[1] >= 0)
        return true;
    close_pipe(ends);
    return false;
}

/* The text in a temporary file, which is open and has no name any more; -1 if there is no room for it. */
static int unnamed_file(const char *data, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/gpucc-XXXXXX", temporary_directory());
    int descriptor = mkostemp(path, O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    unlink(path);
    descriptor = moved_up(descriptor);
    if (descriptor < 0)
        return -1;
    while (size) {
        ssize_t written = write(descriptor, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            close(descriptor);
            return -1;
        }
        data += written;
        size -= (size_t)written;
    }
    return descriptor;
}

static const char *read_all(struct arena *arena, int descriptor)
{
    struct text text = {.arena = arena};
    char buffer[4096];
    ssize_t count;
    text_append(&text, "", 0);
    while ((count = read(descriptor, buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR))
        text_append(&text, buffer, count > 0 ? (size_t)count : 0);
    return text.data;
}

/* The child handles signals as any program does. A job's threads block all of them, and a child that inherited an
 * ignored SIGCHLD could not wait for its own children. */
static void restore_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, child;
    sigemptyset(&none);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &child);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/* Starts it with what it says going to `output` and its exit status, in digits, to `status`: waitpid() gives none where
 * the host ignores SIGCHLD, or waits for all children itself. */
static int start(struct arena *arena, char **arguments, int input, int output, int status, pid_t *child)
{
    enum { STATUS = 3 };
    /* Linkers read these variables, which no command line shows. */
    static char *const shell[] = {"/bin/sh", "-c", "unset LD_RUN_PATH LDEMULATION; \"$@\" 3>&-; echo $? >&3", "sh"};
    const size_t before = sizeof shell / sizeof *shell;
    size_t count = 0;
    while (arguments[count])
        count++;
    char **all = arena_alloc(arena, (before + count + 1) * sizeof *all);
    memcpy(all, shell, sizeof shell);
    memcpy(all + before, arguments, (count + 1) * sizeof *all);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    restore_signals(&attributes);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, status, STATUS);
    int error = posix_spawn(child, all[0], &actions, &attributes, all, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static bool run(struct arena *arena, char **arguments, int input, const char **output)
{
    int said[2], status[2];
    const char *number = "";
    pid_t child;
    *output = "";
    if (!make_pipe(said))
        return false;
    if (!make_pipe(status)) {
        close_pipe(said);
        return false;
    }
    int error = start(arena, arguments, input, said[1], status[1], &child);
    close(said[1]);
    close(status[1]);
    if (!error) {
        *output = read_all(arena, said[0]);
        number = read_all(arena, status[0]);
    }
    close(said[0]);
    close(status[0]);
    while (!error && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    return !strcmp(number, "0\n");
}

bool child_run(struct arena *arena, char **arguments, struct bytes input, const char **output)
{
    int descriptor = unnamed_file(input.data, input.size);
    *output = "cannot create a temporary file: no space left";
    if (descriptor < 0)
        return false;
    lseek(descriptor, 0, SEEK_SET);
    bool done = run(arena, arguments, descriptor, output);
    close(descriptor);
    return done;
}
