/* Reads PTX files as the player does, and prints what it does not know.
 *
 *   ptx_opcodes FILE.ptx…
 *
 * A line "FILE: unknown opcode OPCODE" for each opcode of a file, or "FILE: MESSAGE".  Exit status 1 where there is
 * one. */
#include "player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };
static char unknown[MOST][96]; /* opcodes of the file, each once */
static int unknown_count;

static void report(const char *opcode, int length)
{
    char name[96];
    snprintf(name, sizeof name, "%.*s", length, opcode);
    for (int k = 0; k < unknown_count; k++)
        if (!strcmp(unknown[k], name))
            return;
    if (unknown_count < MOST)
        strcpy(unknown[unknown_count++], name);
}

static bool range(void *data, uint64_t address, uint64_t *begin, uint64_t *end)
{
    (void)data, (void)address, (void)begin, (void)end;
    return false;
}

/* Nothing runs: variables need an address that differs from null. */
static void *variable(void *data, const char *name, size_t size, size_t align, const void *bytes)
{
    static char place;
    (void)data, (void)name, (void)size, (void)align, (void)bytes;
    return &place;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = -1;
    if (file && !fseek(file, 0, SEEK_END))
        size = ftell(file);
    char *text = size >= 0 ? calloc(1, (size_t)size + 1) : NULL;
    if (!text || fseek(file, 0, SEEK_SET) || fread(text, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "ptx_opcodes: cannot read %s\n", path);
        exit(2);
    }
    fclose(file);
    return text;
}

static bool check_file(const char *path)
{
    const struct ptx_memory memory = {NULL, range, variable, NULL, NULL};
    char message[PTX_MESSAGE] = "", *text = read_file(path);
    unknown_count = 0;
    struct ptx_module *module = ptx_module_read(text, &memory, message);
    const bool is_good = module && ptx_module_check(module, report, message);
    if (!is_good)
        printf("%s: %s\n", path, message);
    for (int k = 0; k < unknown_count; k++)
        printf("%s: unknown opcode %s\n", path, unknown[k]);
    if (module)
        ptx_module_free(module);
    free(text);
    return is_good && unknown_count == 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int k = 1; k < argc; k++)
        failed += !check_file(argv[k]);
    return failed > 0;
}
