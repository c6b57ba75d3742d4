#include <stdio.h>
#include <string.h>

/* 0 where the file holds exactly these bytes. */
static int differs(const char *path, const char *text, uint64_t size)
{
    FILE *file = fopen(path, "rb");
    int result = !file || strlen(text) != size;
    for (uint64_t i = 0; !result && i < size; i++)
        result = fgetc(file) != (unsigned char)text[i];
    return result || fgetc(file) != EOF || fclose(file) != 0;
}

int main(int argc, char **argv)
{
    const struct gpucc_program_image *program = &gpucc_program_embed;
    if (argc != 3 || program->version != GPUCC_PROGRAM_VERSION || program->image_count != 1 || program->natives)
        return 1;
    if (program->images[0].arch != 75 || program->images[0].isa != 63 || program->abi != GPUCC_ABI_embed)
        return 2;
    return differs(argv[1], program->images[0].text, program->images[0].size) ? 3
           : differs(argv[2], program->manifest, program->manifest_size)      ? 4
                                                                              : 0;
}
