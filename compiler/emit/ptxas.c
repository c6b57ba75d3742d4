/* Registers and spills of the entries of PTX texts, from CUDA's assembler where it is installed. */
#define _XOPEN_SOURCE 700
#include "emit/emit.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *executable(struct arena *arena, const char *directory, size_t length, const char *name)
{
    const char *path = arena_printf(arena, "%.*s/%s", (int)length, directory, name);
    return length && !access(path, X_OK) ? path : NULL;
}

const char *ptxas_find(struct arena *arena)
{
    const char *path = getenv("PATH"), *found = NULL;
    for (const char *at = path; at && !found;) {
        size_t length = strcspn(at, ":");
        found = executable(arena, at, length, "ptxas");
        at = at[length] ? at + length + 1 : NULL;
    }
    const char *homes[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    for (size_t i = 0; i < sizeof homes / sizeof *homes && !found; i++)
        if (homes[i])
            found = executable(arena, homes[i], strlen(homes[i]), "bin/ptxas");
    return found;
}

/* The text in a temporary file, which is open and has no name any more; -1 where there is no room for it. */
static int unnamed_file(const char *data, size_t size)
{
    const char *directory = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/gpucc-XXXXXX", directory && *directory ? directory : "/tmp");
    int descriptor = mkstemp(path);
    if (descriptor < 0)
        return -1;
    unlink(path);
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

/* Runs it with `input` as its standard input and gives what it wrote; false where it could not be started or failed. */
static bool run_program(struct arena *arena, char **arguments, int input, const char **output)
{
    int ends[2], status = -1;
    pid_t child;
    posix_spawn_file_actions_t actions;
    *output = "";
    if (pipe(ends))
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int error = posix_spawn(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!error)
        *output = read_all(arena, ends[0]);
    close(ends[0]);
    while (!error && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return !error && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* The number before `word` on the line, 0 where it has none: "28 registers". */
static int number_before(const char *line, size_t length, const char *word)
{
    const char *end = line + length, *at = line;
    size_t size = strlen(word);
    for (; at + size <= end && memcmp(at, word, size); at++)
        continue;
    if (at + size > end)
        return 0;
    while (at > line && at[-1] == ' ')
        at--;
    while (at > line && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return atoi(at);
}

/* ptxas -v tells of each entry: "Compiling entry function 'NAME' for …", then its numbers. */
static void read_report(struct arena *arena, const char *report, struct resources **list, size_t *count)
{
    static const char head[] = "Compiling entry function '";
    struct resources *current = NULL;
    for (const char *line = report; *line;) {
        size_t length = strcspn(line, "\n");
        const char *name = strstr(line, head);
        if (name && name < line + length) {
            name += strlen(head);
            *list = arena_grow(arena, *list, *count, sizeof **list);
            current = &(*list)[(*count)++];
            *current = (struct resources){.entry = arena_strndup(arena, name, strcspn(name, "'\n"))};
        } else if (current) {
            current->stack += number_before(line, length, "bytes stack frame");
            current->spills += number_before(line, length, "bytes spill stores");
            current->spills += number_before(line, length, "bytes spill loads");
            current->shared += number_before(line, length, "bytes smem");
            int registers = number_before(line, length, "registers");
            if (registers)
                current->registers = registers;
        }
        line += length + (line[length] == '\n');
    }
}

/* "sm_75" of the text's .target line; null where there is none. */
static const char *target_of(struct arena *arena, struct bytes ptx)
{
    const char *line = strstr(ptx.data, ".target");
    if (!line)
        return NULL;
    line += strlen(".target");
    line += strspn(line, " \t");
    size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyz_0123456789");
    return length ? arena_strndup(arena, line, length) : NULL;
}

bool ptxas_measure(struct arena *arena, const char *ptxas, struct bytes ptx, struct resources **resources,
                   size_t *count, const char **message)
{
    const char *target = target_of(arena, ptx);
    *resources = NULL;
    *count = 0;
    *message = "it has no .target";
    if (!target)
        return false;
    int input = unnamed_file(ptx.data, ptx.size);
    *message = "there is no room for a temporary file";
    if (input < 0)
        return false;
    lseek(input, 0, SEEK_SET);
    char *arch = arena_printf(arena, "-arch=%s", target);
    char *arguments[] = {(char *)ptxas, "-v", arch, "-o", "/dev/null", "/dev/stdin", NULL};
    bool done = run_program(arena, arguments, input, message);
    close(input);
    if (done)
        read_report(arena, *message, resources, count);
    return done;
}

static bool measure_image(const struct options *options, const char *ptxas, struct ptx_image *image,
                          struct diagnostics *diagnostics)
{
    const char *message;
    if (ptxas_measure(options->arena, ptxas, image->text, &image->resources, &image->resource_count, &message))
        return true;
    int length = (int)strcspn(message, "\n");
    if (!strncmp(message, "ptxas fatal", strlen("ptxas fatal")))
        fatal("--resources: %s says: %.*s", ptxas, length, message);
    diagnose(diagnostics, SEVERITY_ERROR, (struct place){.file = options->inputs[0]}, NULL,
             "ptxas does not accept the PTX for %s: %.*s", arch_name(options->arena, image->arch), length, message);
    return false;
}

bool measure_images(const struct options *options, struct program *program, struct diagnostics *diagnostics)
{
    const char *ptxas = ptxas_find(options->arena);
    bool accepted = true;
    if (!ptxas)
        fatal("--resources needs ptxas, which is neither on PATH nor in CUDA_HOME");
    for (size_t i = 0; i < program->image_count; i++)
        accepted &= measure_image(options, ptxas, &program->images[i], diagnostics);
    stage_done("ptxas");
    return accepted;
}

const struct resources *find_resources(const struct resources *list, size_t count, const char *entry)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i].entry, entry))
            return &list[i];
    return NULL;
}
