/* Plants faults in the text of planted.ptx, one at a time: the player finds each, and none in the
 * text as it is.
 *
 *   ptx_planted FILE.ptx
 *
 * Exit status 0 where every fault is found. */
#include "player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 64 };
static _Alignas(64) float input[COUNT + 4], output[COUNT + 4];

static bool range(void *data, uint64_t address, uint64_t *begin, uint64_t *end)
{
    (void)data;
    const uint64_t in = (uintptr_t)input, out = (uintptr_t)output;
    *begin = address >= in && address < in + sizeof input ? in : out;
    *end = *begin + sizeof input;
    return address >= *begin && address < *end;
}

static void *variable(void *data, const char *name, size_t size, size_t align, const void *bytes)
{
    (void)data, (void)name, (void)size, (void)align, (void)bytes;
    return NULL;
}

/* Computes the kernel's expected result in plain C. */
static float expected(const char *kernel, int i)
{
    const float x = input[i];
    if (!strcmp(kernel, "choose"))
        return x > 8 ? x - 3 : 3 - x;
    if (!strcmp(kernel, "quarters"))
        return input[i / 4 * 4] - input[i / 4 * 4 + 3];
    return x * 3 - 5;
}

/* Whether the player reports a fault, or the results are wrong. */
static bool is_found(const char *text, const char *kernel, char message[PTX_MESSAGE])
{
    const struct ptx_memory memory = {NULL, range, variable, NULL, NULL};
    const float *from = input;
    float *to = output;
    void *parameters[] = {&from, &to};
    const bool is_one = !strcmp(kernel, "handed") || !strcmp(kernel, "loaded") || !strcmp(kernel, "copied");
    const unsigned blocks = is_one ? 1 : 2; /* of two warps, or of one */
    const struct ptx_launch launch = {.entry = kernel, .grid = {blocks, 1, 1}, .block = {COUNT / blocks, 1, 1},
                                      .cluster = {1, 1, 1}, .parameters = parameters};
    memset(output, 0, sizeof output);
    struct ptx_module *module = ptx_module_read(text, &memory, message);
    if (!module)
        return true;
    const bool is_played = ptx_play(module, &launch, message);
    ptx_module_free(module);
    if (!is_played)
        return true;
    for (int i = 0; i < COUNT; i++)
        if (output[i] != expected(kernel, i)) {
            snprintf(message, PTX_MESSAGE, "element %d is %g, not %g", i, (double)output[i],
                     (double)expected(kernel, i));
            return true;
        }
    return false;
}

/* ---- faults ---- */

/* The line with `with` behind the text `after` becomes `line`; null where there is none. */
static char *replace_line(const char *text, const char *after, const char *with, const char *line)
{
    const char *begin = strstr(text, after), *at = begin ? strstr(begin, with) : NULL;
    if (!at)
        return NULL;
    const char *end = at + strcspn(at, "\n");
    while (at > text && at[-1] != '\n')
        at--;
    char *result = malloc(strlen(text) + strlen(line) + 1);
    if (!result)
        abort();
    sprintf(result, "%.*s%s%s", (int)(at - text), text, line, end);
    return result;
}

struct fault {
    const char *name, *kernel, *after, *with, *line;
};

static const struct fault faults[] = {
    {"a dropped line", "choose", ".entry choose(", "sub.rn.f32", ""},
    {"a wrong label", "choose", ".entry choose(", "bra", "\tbra.uni $L__BB_of_nothing;"},
    {"a missing byte of a parameter", "scaled", ".entry scaled(", "st.param.b8 \t[param0+3]", ""},
    {"an unaligned vector load", "quarters", ".entry quarters(", "ld.global",
     "\tld.global.v2.f32 {%f1, %f2}, [%rd1+4];"},
    {"an arrival at another barrier", "handed", ".entry handed(", "bar.arrive", "\tbar.arrive \t3, 64;"},
    {"an mbarrier without its initialization", "loaded", ".entry loaded(", "mbarrier.init", ""},
    {"a copy that nothing starts", "loaded", ".entry loaded(", "mbarrier.arrive",
     "\tmbarrier.arrive.shared::cta.b64 _, [%r3];\n\tbra.uni $L__other;"},
    {"a copy of an odd size", "loaded", ".entry loaded(", "cp.async.bulk",
     "\tcp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd3], 252, [%r3];"},
    {"a missing wait for copies", "copied", ".entry copied(", "cp.async.wait_group", ""},
    {"a wait for a group too few", "copied", ".entry copied(", "cp.async.wait_group", "\tcp.async.wait_group \t1;"},
    {"a swapped operand", "quarters", ".entry quarters(", "sub.rn.f32", "\tsub.rn.f32 %f3, %f2, %f1;"},
};

static bool check_fault(const char *text, const struct fault *fault)
{
    char message[PTX_MESSAGE] = "";
    if (is_found(text, fault->kernel, message)) {
        printf("FAILED %s: the text as it is: %s\n", fault->kernel, message);
        return false;
    }
    char *planted = replace_line(text, fault->after, fault->with, fault->line);
    const bool is_good = planted && is_found(planted, fault->kernel, message);
    printf("%s %s: %s\n", is_good ? "passed" : "FAILED", fault->name,
           planted ? message : "the text has no such line");
    free(planted);
    return is_good;
}

static char *read_file(const char *path)
{
    enum { ROOM = 1 << 20 };
    FILE *file = path ? fopen(path, "r") : NULL;
    char *text = calloc(1, ROOM);
    if (!file || !text) {
        fprintf(stderr, "ptx_planted: cannot read %s\n", path ? path : "nothing");
        exit(2);
    }
    text[fread(text, 1, ROOM - 1, file)] = 0;
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    char *text = read_file(argc == 2 ? argv[1] : NULL);
    int failed = 0;
    for (int i = 0; i < COUNT + 4; i++)
        input[i] = (float)i * 0.5F;
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        failed += !check_fault(text, &faults[k]);
    free(text);
    return failed > 0;
}
