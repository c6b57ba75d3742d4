/* The entries of a PTX text, for a reader: of gpucc's own or of anybody's. */
#include "ptx/ptx.h"
#include "inspect/inspect_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Returns the text after a directive that starts a line, up to one of the characters in `stop`; null without one. */
static const char *directive_until(struct arena *arena, const char *text, const char *name, const char *stop)
{
    size_t length = strlen(name);
    for (const char *line = text; *line;) {
        const char *at = line + strspn(line, " \t");
        if (!strncmp(at, name, length) && isspace((unsigned char)at[length])) {
            at += length + strspn(at + length, " \t");
            return arena_strndup(arena, at, strcspn(at, stop));
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return NULL;
}

/* The first word. */
static const char *directive(struct arena *arena, const char *text, const char *name)
{
    return directive_until(arena, text, name, " \t\r\n,;");
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

/* Prints `name(parameters)` of the function whose name is at `at`; returns what follows, null if it is cut off. */
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
    const char *cluster = directive_until(arena, head, ".reqnctapercluster", "\r\n");
    if (cluster)
        printf("  reqnctapercluster %s\n", cluster);
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

/* Behind `.entry` or `.func`. */
static const char *behind_directive(const struct ptx_statement *statement)
{
    const char *at = statement->begin, *token = at, *word = statement->kind == PTX_ENTRY ? ".entry" : ".func";
    size_t length = 0;
    while (length != strlen(word) || memcmp(token, word, length))
        token = ptx_token(&at, &length);
    return at + strspn(at, " \t\r\n");
}

static void print_functions(struct arena *arena, const struct ptx_text *text, const struct measured *measured)
{
    for (size_t i = 0; i < text->count; i++) {
        const struct ptx_statement *statement = &text->statements[i];
        if (statement->kind == PTX_ENTRY)
            print_entry(arena, behind_directive(statement), measured);
        else if (statement->kind == PTX_FUNCTION && statement->is_visible && statement->end[-1] == '}')
            print_device_function(arena, behind_directive(statement));
    }
}

/* Whether the entry, which begins behind `.entry`, is called so. */
static bool is_entry(const char *at, const char *name)
{
    const size_t length = strcspn(at, " \t\r\n({;");
    return length == strlen(name) && !memcmp(at, name, length);
}

int ptx_entry_bound(struct arena *arena, struct bytes text, const char *entry)
{
    const struct ptx_text ptx = ptx_read(arena, text.data);
    for (size_t i = 0; i < ptx.count; i++) {
        if (ptx.statements[i].kind != PTX_ENTRY || !is_entry(behind_directive(&ptx.statements[i]), entry))
            continue;
        const char *at = behind_directive(&ptx.statements[i]), *head = arena_strndup(arena, at, strcspn(at, "{;"));
        const char *bound = directive_until(arena, head, ".maxntid", "\r\n");
        long threads = bound ? 1 : 0;
        for (char *next = NULL; bound && *bound; bound = *next ? next + 1 : next)
            threads *= strtol(bound, &next, 10);
        return (int)threads;
    }
    return -1;
}

void print_uses(struct arena *arena, struct bytes text, const int *archs, size_t count)
{
    const char *note = NULL;
    puts("\nregisters of a thread, bytes spilled and of stack, bytes of static shared memory of a block");
    for (size_t i = 0; i < count; i++) {
        const struct measured measured = measure_ptx(arena, text, archs[i]);
        note = measured.note ? measured.note : note;
        for (size_t k = 0; k < measured.count; k++) {
            const struct resources *use = &measured.resources[k];
            printf("  %-8s %4d %6d %6d %7d  %s\n", arch_name(arena, archs[i]), use->registers, use->spills, use->stack,
                   use->shared, use->entry);
        }
    }
    if (note)
        printf("%s\n", note);
}

bool inspect_ptx(struct arena *arena, struct bytes text, const struct measured *measured, const char **reason)
{
    struct ptx_text ptx = ptx_read(arena, text.data);
    const char *mark = strstr(text.data, "// gpucc-abi: ");
    *reason = !ptx.isa                      ? "it is not PTX: it has no .version"
              : !ptx.target                 ? "it is not complete PTX: it has no .target"
              : !ptx_is_complete(text.data) ? "it is truncated PTX: its last statement has no end"
                                            : NULL;
    if (*reason)
        return false;
    printf("PTX ISA %d.%d for %s", ptx.isa / 10, ptx.isa % 10, ptx.target);
    if (mark) {
        mark += strlen("// gpucc-abi: ");
        printf(", abi %.*s", (int)strcspn(mark, " \t\r\n"), mark);
    }
    putchar('\n');
    print_functions(arena, &ptx, measured);
    return true;
}

/* ---- resources ---- */

struct measured measure_ptx(struct arena *arena, struct bytes text, int arch)
{
    struct measured measured = {0};
    struct resources *resources;
    const char *ptxas = ptxas_find(arena), *message;
    if (!ptxas)
        measured.note = "registers and spills: unknown; ptxas is neither on PATH nor in CUDA_HOME";
    else if (!ptxas_measure(arena, ptxas, text, arch, &resources, &measured.count, &message))
        measured.note = arena_printf(arena, "registers and spills: unknown; %s says: %.*s", ptxas,
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
