/* Registers and spills of the entries of PTX texts, from CUDA's assembler where it is installed. */
#define _XOPEN_SOURCE 700
#include "emit/emit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number before `word` on the line, 0 if it has none: "28 registers". */
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

/* ptxas -v reports each entry: "Compiling entry function 'NAME' for …", then its numbers. */
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

/* "sm_75" of the text's .target line; null if there is none. */
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

bool ptxas_measure(struct arena *arena, const char *ptxas, struct bytes ptx, int wanted, struct resources **resources,
                   size_t *count, const char **message)
{
    const char *target = wanted ? arch_name(arena, wanted) : target_of(arena, ptx);
    *resources = NULL;
    *count = 0;
    *message = "it has no .target";
    if (!target)
        return false;
    char *arch = arena_printf(arena, "-arch=%s", target);
    char *arguments[] = {(char *)ptxas, "-v", arch, "-o", "/dev/null", "/dev/stdin", NULL};
    const bool done = child_run(arena, arguments, ptx, message);
    if (done)
        read_report(arena, *message, resources, count);
    return done;
}

static bool measure_image(const struct options *options, const char *ptxas, struct ptx_image *image,
                          struct diagnostics *diagnostics)
{
    const char *message;
    if (ptxas_measure(options->arena, ptxas, image->text, 0, &image->resources, &image->resource_count, &message))
        return true;
    int length = (int)strcspn(message, "\n");
    if (!strncmp(message, "ptxas fatal", strlen("ptxas fatal")))
        fatal("--resources: %s says: %.*s", ptxas, length, message);
    diagnose(diagnostics, SEVERITY_ERROR, (struct place){.file = options->inputs[0]}, NULL,
             "ptxas rejected the PTX for %s: %.*s", arch_name(options->arena, image->arch), length, message);
    return false;
}

bool measure_images(const struct options *options, struct program *program, struct diagnostics *diagnostics)
{
    const char *ptxas = ptxas_find(options->arena);
    bool accepted = true;
    if (!ptxas)
        fatal("--resources requires ptxas, which is neither on PATH nor in CUDA_HOME");
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
