/* The entries of a PTX text, for a reader: of gpucc's own or of anybody's. */
#include "run.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The first word after `directive` that starts a line; null where there is none. */
static const char *directive(struct arena *arena, const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = text; *line;) {
        const char *at = line + strspn(line, " \t");
        if (!strncmp(at, name, length) && isspace((unsigned char)at[length])) {
            at += length + strspn(at + length, " \t");
            return arena_strndup(arena, at, strcspn(at, " \t\r\n,;"));
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return NULL;
}

/* One parameter, ".param .align 8 .b8 name[80]", between `at` and `end`: its type, or its bytes. */
static void print_parameter(const char *at, const char *end)
{
    static const char *const skipped[] = {".param", ".align", ".ptr", ".global", ".shared", ".const", ".local"};
    const char *bracket = memchr(at, '[', (size_t)(end - at));
    if (bracket) {
        printf("%lld bytes", strtoll(bracket + 1, NULL, 10));
        return;
    }
    while (at < end) {
        at += strspn(at, " \t\r\n");
        size_t length = strcspn(at, " \t\r\n,)"), i = 0;
        if (at >= end || !length)
            break;
        while (i < sizeof skipped / sizeof *skipped && (strlen(skipped[i]) != length || memcmp(at, skipped[i], length)))
            i++;
        if (i == sizeof skipped / sizeof *skipped && *at == '.') {
            printf("%.*s", (int)length, at);
            return;
        }
        at += length;
    }
    printf("?");
}

/* Prints `name(parameters)` of the function whose name is at `at`; returns what follows, null where it is cut off. */
static const char *print_prototype(struct arena *arena, const char *at, const char **name)
{
    size_t length = strcspn(at, " \t\r\n({;");
    *name = arena_strndup(arena, at, length);
    at += length;
    at += strspn(at, " \t\r\n");
    printf("%s(", *name);
    if (*at == '(') {
        at++;
        at += strspn(at, " \t\r\n");
        for (bool first = true; *at && *at != ')'; first = false) {
            const char *end = at + strcspn(at, ",)");
            printf("%s", first ? "" : ", ");
            print_parameter(at, end);
            at = end + (*end == ',');
        }
        at += *at == ')';
    }
    puts(")");
    return *at ? at : NULL;
}

/* .maxntid and the like, between the parameters and the body. */
static void print_bounds(struct arena *arena, const char *at)
{
    static const char *const names[] = {".maxntid", ".reqntid", ".minnctapersm", ".maxnreg"};
    const char *head = arena_strndup(arena, at, strcspn(at, "{;"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = directive(arena, head, names[i]);
        if (value)
            printf("  %s %s\n", names[i] + 1, value);
    }
}

static void print_entry(struct arena *arena, const char *at, const struct measured *measured)
{
    const char *name, *rest;
    printf("\nentry ");
    rest = print_prototype(arena, at, &name);
    if (rest)
        print_bounds(arena, rest);
    const struct resources *resources = find_resources(measured->resources, measured->count, name);
    if (!resources)
        return;
    printf("  ");
    print_resources(resources);
    if (resources->shared)
        printf(", %d bytes of shared memory", resources->shared);
    putchar('\n');
    const char *bound = rest ? directive(arena, arena_strndup(arena, rest, strcspn(rest, "{;")), ".maxntid") : NULL;
    struct demand demand = {.registers = resources->registers, .shared = (size_t)resources->shared};
    demand.most_threads = bound ? atoi(bound) : 0;
    print_advice(&demand);
}

/* ".visible .func (.param .b32 r) name (…)": the name stands after the result. */
static void print_device_function(struct arena *arena, const char *at)
{
    const char *name;
    if (*at == '(') {
        at += strcspn(at, ")");
        at += *at == ')';
        at += strspn(at, " \t\r\n");
    }
    printf("\ndevice function ");
    print_prototype(arena, at, &name);
}

/* Calls for what is defined at the start of each line; text in comments and bodies begins otherwise. */
static void print_functions(struct arena *arena, const char *text, const struct measured *measured)
{
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        const char *at = line;
        bool visible = !strncmp(at, ".visible", 8) || !strncmp(at, ".weak", 5);
        if (visible)
            at += strcspn(at, " \t\n") + strspn(at + strcspn(at, " \t\n"), " \t");
        if (!strncmp(at, ".entry", 6) && isspace((unsigned char)at[6]))
            print_entry(arena, at + 6 + strspn(at + 6, " \t\r\n"), measured);
        else if (visible && !strncmp(at, ".func", 5) && isspace((unsigned char)at[5]))
            print_device_function(arena, at + 5 + strspn(at + 5, " \t\r\n"));
        line += length + (line[length] == '\n');
    }
}

bool inspect_ptx(struct arena *arena, struct bytes text, const struct measured *measured, const char **reason)
{
    const char *version = directive(arena, text.data, ".version"), *target = directive(arena, text.data, ".target");
    const char *mark = strstr(text.data, "// gpucc-abi: ");
    *reason = version ? "it is no whole PTX: it has no .target" : "it is no PTX: it has no .version";
    if (!version || !target)
        return false;
    printf("PTX ISA %s for %s", version, target);
    if (mark) {
        mark += strlen("// gpucc-abi: ");
        printf(", abi %.*s", (int)strcspn(mark, " \t\r\n"), mark);
    }
    putchar('\n');
    print_functions(arena, text.data, measured);
    return true;
}

/* ---- resources ---- */

struct measured measure_ptx(struct arena *arena, struct bytes text)
{
    struct measured measured = {0};
    struct resources *resources;
    const char *ptxas = ptxas_find(arena), *message;
    if (!ptxas)
        measured.note = "registers and spills: not known; ptxas is neither on PATH nor in CUDA_HOME";
    else if (!ptxas_measure(arena, ptxas, text, &resources, &measured.count, &message))
        measured.note = arena_printf(arena, "registers and spills: not known; %s says: %.*s", ptxas,
                                     (int)strcspn(message, "\n"), message);
    else
        measured.resources = resources;
    return measured;
}

void print_resources(const struct resources *resources)
{
    printf("%d registers, ", resources->registers);
    if (resources->spills)
        printf("%d bytes spilled", resources->spills);
    else
        printf("no spills");
    if (resources->stack)
        printf(", %d bytes of stack", resources->stack);
}
