/* gpucc: the command.  What a compilation does, in order, is in compile.c. */
#include "compile.h"
#include "emit/emit.h"
#include "inspect/inspect.h"
#include "run/run.h"
#include "test/test.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* FILE.ptx, or FILE.sm_90.ptx where several architectures were asked for; with no suffix, FILE.sm_90. */
static void write_images(const struct options *options, const struct program *program, const char *path)
{
    const char *slash = strrchr(path, '/'), *suffix = strrchr(slash ? slash : path, '.');
    size_t stem = suffix ? (size_t)(suffix - path) : strlen(path);
    for (size_t i = 0; i < program->image_count; i++) {
        const struct ptx_image *image = &program->images[i];
        const char *name = path;
        if (program->image_count > 1)
            name = arena_printf(options->arena, "%.*s.%s%s", (int)stem, path, arch_name(options->arena, image->arch),
                                path + stem);
        write_file(name, image->text.data, image->text.size, false);
    }
}

static void write_outputs(const struct options *options, const struct program *program)
{
    for (size_t i = 0; i < options->output_count; i++) {
        const struct output *output = &options->outputs[i];
        if (output->kind == ARTEFACT_PTX)
            write_images(options, program, output->path);
        else
            write_file(output->path, program->made[output->kind].data, program->made[output->kind].size,
                       output->kind == ARTEFACT_HEADER);
    }
    if (options->deps)
        write_dependencies(options, program);
    commit_files();
}

static int command_compile(int argc, char **argv)
{
    struct options options = {0};
    unsigned artefacts = 0;
    options_parse(&options, argc, argv);
    for (size_t i = 0; i < options.output_count && !options.syntax_only && !options.deps_only; i++)
        artefacts |= 1u << options.outputs[i].kind;
    const struct program *program = compile(&options, artefacts);
    if (!program)
        return EXIT_INPUT;
    if (options.deps_only || !options.syntax_only)
        write_outputs(&options, program);
    return EXIT_OK;
}

/* Clang recurses over deeply nested expressions: a generated file may nest very deep. */
static void raise_stack_limit(void)
{
    struct rlimit limit;
    const rlim_t wanted = (rlim_t)1 << 30;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted ? wanted : limit.rlim_max;
    setrlimit(RLIMIT_STACK, &limit);
}

/* A compilation is over before it would have given memory back; asking for a little more again and again takes
 * longer. */
static void grow_heap_in_large_steps(void)
{
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_TOP_PAD, 16 << 20);
}

/* Of Clang's two halves only the driver, which reads syntax trees, would heed these. */
static void forget_clang_variables(void)
{
    static const char *const names[] = {"CPATH", "C_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"run", command_run}, {"bench", command_run}, {"test", command_test},
                  {"inspect", command_inspect}, {"devices", command_devices}};
    raise_stack_limit();
    grow_heap_in_large_steps();
    forget_clang_variables();
    crash_install();
    optimize_setup();
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    int status = command_compile(argc, argv);
    finish_standard_output();
    /* Nothing is left to do, and taking LLVM down takes as long as a compilation. */
    _Exit(status);
}
