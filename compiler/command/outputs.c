/* The artefacts of a compilation as the files that the command line names. */
#include "command/command.h"

#include <string.h>

/* FILE.ptx, or FILE.sm_90.ptx where several architectures were asked for; with no suffix, FILE.sm_90. */
static void write_images(const struct options *options, const struct products *products, const char *path)
{
    const char *slash = strrchr(path, '/'), *suffix = strrchr(slash ? slash : path, '.');
    size_t stem = suffix ? (size_t)(suffix - path) : strlen(path);
    for (size_t i = 0; i < products->image_count; i++) {
        const struct image *image = &products->images[i];
        const char *name = path;
        if (products->image_count > 1)
            name = arena_printf(options->arena, "%.*s.%s%s", (int)stem, path, arch_name(options->arena, image->arch),
                                path + stem);
        write_file(name, image->text.data, image->text.size, false);
    }
}

void write_outputs(const struct options *options, const struct products *products)
{
    for (size_t i = 0; i < options->output_count; i++) {
        const struct output *output = &options->outputs[i];
        const struct bytes *made = &products->made[output->kind];
        if (output->kind == ARTEFACT_PTX)
            write_images(options, products, output->path);
        else
            write_file(output->path, made->data, made->size, output->kind == ARTEFACT_HEADER);
    }
    if (options->deps)
        write_dependencies(options, products->includes, products->include_count);
    commit_files();
}
