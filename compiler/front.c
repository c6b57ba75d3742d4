/* gpucc: the command, as far as it needs no LLVM.  What is in the cache is taken from there; the compiler itself is a
 * program of its own, which takes this one's place for all else. */
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

/* Beside this program, in a folder for programs that nobody calls himself. */
static const char *compiler_path(struct arena *arena)
{
    char own[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length < 0)
        fatal("cannot tell where gpucc is: /proc/self/exe: %s", strerror(errno));
    own[length] = '\0';
    return arena_printf(arena, "%s/" GPUCC_COMPILER, dirname(own));
}

/* Whether the words can be read again by the compiler: a response file that is a pipe cannot. */
static bool is_compilation(int argc, char **argv)
{
    static const char *const commands[] = {
#define COMMAND(name, operands, help) name,
#include "command/commands.def"
    };
    struct stat status;
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[1], commands[i]))
            return false;
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
static bool take_from_cache(struct options *options, const char *compiler)
{
    struct cached *place = cache_place(options, compiler);
    const struct products *products = place ? cache_find(place) : NULL;
    if (!products)
        return false;
    if (options->verbose)
        fprintf(stderr, "gpucc: taken from the cache, %s\n", options->cache.folder);
    protect_files(products);
    say(TOLD_TEXT, products->said.data, products->said.size);
    write_outputs(options, products);
    finish_standard_output();
    return true;
}

int main(int argc, char **argv)
{
    struct options options = {.arena = arena_new()};
    const char *compiler = compiler_path(options.arena);
    if (is_compilation(argc, argv)) {
        options_parse(&options, argc, argv);
        if (take_from_cache(&options, compiler)) {
            sources_free(options.sources);
            arena_free(options.arena);
            return EXIT_OK;
        }
    }
    execv(compiler, argv);
    fatal("cannot start the compiler, '%s', which is installed with gpucc: %s", compiler, strerror(errno));
}
