/* gpucc: the command, without LLVM.  It copies cache hits.  For anything else it executes gpucc-compile, or
 * gpucc-commands for a command that runs or inspects programs. */
#define _XOPEN_SOURCE 700
#include "command/command.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* It starts no threads: files that it shares with the compiler ask for this. */
bool thread_start(pthread_t *thread, void *(*run)(void *), void *data) /* NOLINT: the pointer is base.h's */
{
    (void)thread, (void)run, (void)data;
    return false;
}

/* A path of the installation, as it is from this program's folder. */
static const char *installed_path(struct arena *arena, const char *from_here)
{
    char own[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length < 0)
        fatal("cannot find where gpucc is installed: /proc/self/exe: %s", strerror(errno));
    own[length] = '\0';
    return arena_printf(arena, "%s/%s", dirname(own), from_here);
}

/* Prints the first of the paths that exists. */
static int print_folder(struct arena *arena, const char *from_here, const char *else_from_here)
{
    char folder[PATH_MAX];
    if (!realpath(installed_path(arena, from_here), folder) && !realpath(installed_path(arena, else_from_here), folder))
        fatal("cannot find where gpucc is installed: %s: %s", installed_path(arena, from_here), strerror(errno));
    puts(folder);
    finish_standard_output();
    return EXIT_OK;
}

static bool is_command(int argc, char **argv)
{
    static const char *const commands[] = {
#define COMMAND(name, operands, help) name,
#include "command/commands.def"
    };
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (*commands[i] && !strcmp(argv[1], commands[i])) /* the one without a name is a compilation */
            return true;
    return false;
}

/* Whether the compiler can read the arguments again: it cannot read a response file that is a pipe twice. */
static bool can_read_again(int argc, char **argv)
{
    struct stat status;
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '@' && (stat(argv[i] + 1, &status) || !S_ISREG(status.st_mode)))
            return false;
    return argc > 1;
}

/* No output may take the place of a file that was read, whenever that was. */
static void protect_files(const struct products *products)
{
    for (size_t i = 0; i < products->include_count; i++)
        protect_file(products->includes[i].path, "is included");
    for (size_t i = 0; i < products->lookups.count; i++)
        if (products->lookups.items[i].kind == LOOKUP_FILE)
            protect_file(products->lookups.items[i].path, "is read");
}

/* Whether the cache had it. */
static bool load_from_cache(struct options *options, const char *compiler)
{
    struct cached *place = cache_place(options, compiler);
    const struct products *products = place ? cache_find(place) : NULL;
    if (!products)
        return false;
    if (options->verbose)
        fprintf(stderr, "gpucc: taken from the cache, %s\n", options->cache.folder);
    protect_files(products);
    log_write(LOG_TEXT, products->said.data, products->said.size);
    write_outputs(options, products);
    finish_standard_output();
    return true;
}

/* -h in the first place is --help, and every command has the compiler's --version. */
static void settle_first_word(int *argc, char **argv)
{
    const int first = is_command(*argc, argv) ? 2 : 1;
    if (*argc > first && !strcmp(argv[first], "-h"))
        argv[first] = "--help";
    if (*argc > first && first == 2 && !strcmp(argv[first], "--version")) {
        argv[1] = argv[2];
        argv[2] = NULL;
        *argc = 2;
    }
}

int main(int argc, char **argv)
{
    struct options options = {.arena = arena_new()};
    settle_first_word(&argc, argv);
    if (argc == 2 && !strcmp(argv[1], "--prefix"))
        return print_folder(options.arena, "..", "..");
    if (argc == 2 && !strcmp(argv[1], "--cmake-dir"))
        return print_folder(options.arena, GPUCC_CMAKE_FOLDER, ".."); /* the build tree's is its top */
    const bool runs_command = is_command(argc, argv);
    const char *program = installed_path(
        options.arena, runs_command ? GPUCC_PROGRAMS "/gpucc-commands" : GPUCC_PROGRAMS "/gpucc-compile");
    if (!runs_command && can_read_again(argc, argv)) {
        options_parse(&options, argc, argv);
        if (load_from_cache(&options, program)) {
            sources_free(options.sources);
            arena_free(options.arena);
            return EXIT_OK;
        }
    }
    execv(program, argv);
    fatal("cannot start '%s', which is installed with gpucc: %s", program, strerror(errno));
}
