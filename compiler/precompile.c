/* Build-time tool: headers as Clang reads them, once for each pass.  gpucc-precompile PASS gpucc|math OUT.pch
 * PASS is a GPU's architecture, or `tree` or `cpu` for a native target, "tree-x86-64-v3"; `libclang` writes the
 * version of the library that reads trees. */
#include "frontend/frontend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "gpucc-precompile: %s\n", what);
    exit(1);
}

static void report_error(void *data, const char *file, unsigned line, unsigned column, const char *message)
{
    (void)data;
    fprintf(stderr, "%s:%u:%u: error: %s\n", file ? file : "?", line, column, message);
}

/* The options of a command that asks for nothing but this target, or GPU. */
static struct options plain_options(const char *option, const char *target)
{
    struct options options = {0};
    char word[64];
    snprintf(word, sizeof word, "%s=%s", option, target);
    char *command[] = {"gpucc", word, "headers.c", NULL};
    options_parse(&options, 3, command);
    return options;
}

static bool precompile_code(const struct options *options, const struct unit *unit, enum target target, const char *out)
{
    struct codegen_request request = {.path = unit->path, .text = unit->text, .size = unit->text_size,
                                      .report = report_error, .own_folder = EMBEDDED_ROOT};
    size_t count;
    const char **arguments = cc1_arguments(options, target, options->archs[0], unit, NULL, &count);
    const char *const save[] = {"-fno-pch-timestamp", "-o", out};
    const char **all = arena_alloc(options->arena, (count + sizeof save / sizeof *save) * sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i] = strcmp(arguments[i], "-emit-llvm-only") ? arguments[i] : "-emit-pch";
    memcpy(all + count, save, sizeof save);
    request.arguments = all;
    request.argument_count = count + sizeof save / sizeof *save;
    request.files = (const struct codegen_file *)virtual_files(options, unit, &request.file_count);
    return codegen_precompile(&request);
}

static bool precompile(const char *pass_name, const struct unit *unit, const char *out)
{
    struct options options;
    if (begins(pass_name, "sm_")) {
        options = plain_options("--arch", pass_name);
        return precompile_code(&options, unit, TARGET_PTX, out);
    }
    options = plain_options("--target", strchr(pass_name, '-') + 1);
    options.archs[0] = 0; /* the headers' part for CPUs is the same for all GPUs */
    return begins(pass_name, "tree-") ? precompile_tree(&options, unit, out)
                                    : precompile_code(&options, unit, TARGET_CPU, out);
}

static void write_version(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(libclang_version(arena_new()), file) < 0 || fclose(file))
        fail(path);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "libclang")) {
        write_version(argv[2]);
        _Exit(0); /* as the compiler ends: what is in its arenas need not be given back */
    }
    if (argc != 4 || !strchr(argv[1], *argv[1] == 's' ? '_' : '-'))
        fail("usage: gpucc-precompile PASS gpucc|math OUT.pch, gpucc-precompile libclang OUT");
    const char *text = strcmp(argv[2], "math") ? "#include <gpucc.h>\n" : "#include <gpucc.h>\n#include <math.h>\n";
    const struct unit unit = {.path = PRECOMPILED_ROOT "headers.h", .text = text, .text_size = strlen(text)};
    if (!precompile(argv[1], &unit, argv[3]))
        fail(argv[3]);
    _Exit(0);
}
