/* gpucc inspect: what is inside a PTX text, a manifest or an object. */
#include "inspect/inspect_internal.h"
#include "ptx/ptx.h"

#include <errno.h>
#include <stdlib.h>
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

/* Prints the answers to --occupancy or --arch for PTX texts, if either was given. */
static void inspect_uses(struct arena *arena, struct inspect_options *options, const struct ptx_image *images,
                         size_t count)
{
    if (!options->entry && !options->arch_count)
        return;
    if (!count)
        input_error("'%s' has no PTX", options->path);
    if (!options->arch_count) { /* its own */
        options->archs = arena_alloc(arena, count * sizeof *options->archs);
        for (size_t i = 0; i < count; i++)
            options->archs[options->arch_count++] = images[i].arch;
    }
    if (options->entry)
        inspect_occupancy(arena, options, images, count);
    else
        print_uses(arena, images[0].text, options->archs, options->arch_count);
}

static bool inspect_object(struct arena *arena, struct inspect_options *options, struct bytes file,
                           const char **reason)
{
    struct object_contents contents;
    struct measured measured = {0};
    if (!object_read(arena, file, &contents, reason))
        return false;
    if (options->entry) {
        inspect_uses(arena, options, contents.images, contents.image_count);
        return true;
    }
    if (contents.image_count && !manifest_has_resources(contents.manifest))
        measured = measure_ptx(arena, contents.images[contents.image_count - 1].text, 0);
    printf("object with %s: ", contents.symbol);
    print_native(contents.native_targets);
    printf("%zu PTX text%s\n", contents.image_count, contents.image_count == 1 ? "" : "s");
    if (!inspect_manifest(arena, contents.manifest, &measured, reason))
        return false;
    if (measured.note)
        printf("\n%s\n", measured.note);
    inspect_uses(arena, options, contents.images, contents.image_count);
    return true;
}

static bool inspect_text(struct arena *arena, struct inspect_options *options, struct bytes file, const char **reason)
{
    const struct ptx_text ptx = ptx_read(arena, file.data);
    const struct ptx_image image = {.arch = ptx.target && begins(ptx.target, "sm_") ? atoi(ptx.target + 3) : 0,
                                    .text = file};
    if (options->entry && ptx.isa && ptx.target && ptx_is_complete(file.data)) {
        inspect_uses(arena, options, &image, 1);
        return true;
    }
    struct measured measured = measure_ptx(arena, file, 0);
    if (!inspect_ptx(arena, file, &measured, reason))
        return false;
    if (measured.note)
        printf("\n%s\n", measured.note);
    inspect_uses(arena, options, &image, 1);
    return true;
}

static bool inspect_file(struct arena *arena, struct inspect_options *options, struct bytes file, const char **reason)
{
    const char *start = skip_blanks(file.data);
    if (file.size >= 4 && !memcmp(file.data, "\177ELF", 4))
        return inspect_object(arena, options, file, reason);
    *reason = "it is empty";
    if (!file.size)
        return false;
    if (*start == '{' && (options->entry || options->arch_count))
        input_error("'%s' is a manifest, which has no PTX; --arch and --occupancy require a .ptx or a .o",
                    options->path);
    if (*start == '{')
        return inspect_manifest(arena, file, &(struct measured){0}, reason);
    *reason = "expected PTX, a manifest or an object";
    return !memchr(file.data, 0, file.size) && strstr(file.data, ".version") &&
           inspect_text(arena, options, file, reason);
}

int command_inspect(int argc, char **argv)
{
    const char *reason = "";
    struct arena *arena = arena_new();
    struct inspect_options options;
    inspect_options_parse(arena, &options, argc, argv);
    struct sources *sources = sources_new();
    const struct source *file = source_open(sources, options.path);
    if (!file)
        fatal("cannot open '%s': %s", options.path, file_error(errno));
    protect_file(options.path, "is inspected");
    if (!inspect_file(arena, &options, (struct bytes){file->text, file->size}, &reason))
        input_error("cannot inspect '%s': %s", options.path, reason);
    sources_free(sources);
    arena_free(arena);
    finish_standard_output();
    return EXIT_OK;
}
