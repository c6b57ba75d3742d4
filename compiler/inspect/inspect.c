/* gpucc inspect: what is inside a PTX text, a manifest or an object. */
#include "inspect/inspect_internal.h"

#include <errno.h>
#include <string.h>

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

/* "native code for x86-64-v2 x86-64-v3, " */
static void print_native(unsigned targets)
{
    for (unsigned i = 0; i < GPUCC_NATIVE_COUNT; i++)
        if (targets >> i & 1)
            printf("%s%s%s", targets & ((1u << i) - 1) ? " " : "native code for ",
                   native_target((enum gpucc_native_target)i)->name, targets >> i == 1 ? ", " : "");
}

static bool inspect_object(struct arena *arena, struct bytes file, const char **reason)
{
    struct object_contents contents;
    struct measured measured = {0};
    if (!object_read(arena, file, &contents, reason))
        return false;
    if (contents.image_count && !manifest_has_resources(contents.manifest))
        measured = measure_ptx(arena, contents.images[contents.image_count - 1].text);
    printf("object with %s: ", contents.symbol);
    print_native(contents.native_targets);
    printf("%zu PTX text%s\n", contents.image_count, contents.image_count == 1 ? "" : "s");
    if (!inspect_manifest(arena, contents.manifest, &measured, reason))
        return false;
    if (measured.note)
        printf("\n%s\n", measured.note);
    return true;
}

static bool inspect_text(struct arena *arena, struct bytes file, const char **reason)
{
    struct measured measured = measure_ptx(arena, file);
    if (!inspect_ptx(arena, file, &measured, reason))
        return false;
    if (measured.note)
        printf("\n%s\n", measured.note);
    return true;
}

static bool inspect_file(struct arena *arena, struct bytes file, const char **reason)
{
    const char *start = skip_blanks(file.data);
    if (file.size >= 4 && !memcmp(file.data, "\177ELF", 4))
        return inspect_object(arena, file, reason);
    *reason = "it is empty";
    if (!file.size)
        return false;
    if (*start == '{')
        return inspect_manifest(arena, file, &(struct measured){0}, reason);
    *reason = "it is none of PTX, a manifest and an object";
    return !memchr(file.data, 0, file.size) && strstr(file.data, ".version") && inspect_text(arena, file, reason);
}

int command_inspect(int argc, char **argv)
{
    const char *reason = "", *path = argc > 1 ? argv[1] : NULL;
    if (argc == 2 && !strcmp(path, "--help")) {
        print_usage("inspect");
        return EXIT_OK;
    }
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-' && argv[i][1])
            usage_error("unknown option '%s'; gpucc inspect takes a file alone", argv[i]);
    if (argc != 2)
        usage_error("gpucc inspect takes one file: a .ptx, .json or .o");
    struct arena *arena = arena_new();
    struct sources *sources = sources_new();
    const struct source *file = source_open(sources, path);
    if (!file)
        fatal("cannot open '%s': %s", path, strerror(errno));
    if (!inspect_file(arena, (struct bytes){file->text, file->size}, &reason))
        input_error("cannot inspect '%s': %s", path, reason);
    sources_free(sources);
    arena_free(arena);
    finish_standard_output();
    return EXIT_OK;
}
