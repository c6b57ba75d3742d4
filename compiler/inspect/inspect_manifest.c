/* The functions of a manifest, for a reader. */
#include "inspect/inspect_internal.h"

#include <cjson/cJSON.h>
#include <gpucc/program.h>
#include <string.h>

/* The field's text, or "" where it has none. */
static const char *text_of(const cJSON *object, const char *field)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, field));
    return text ? text : "";
}

/* The field's number within int, or 0 if it has none. */
static int number_of(const cJSON *object, const char *field)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, field);
    return cJSON_IsNumber(item) ? item->valueint : 0;
}

static bool is_true(const cJSON *object, const char *field)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, field));
}

static const cJSON *list_of(const cJSON *object, const char *field)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, field);
    return cJSON_IsArray(list) ? list : NULL;
}

/* ---- one entry ---- */

static void print_prototype(const cJSON *loop)
{
    const cJSON *parameter;
    bool first = true;
    printf("  %s(", text_of(loop, "entry"));
    cJSON_ArrayForEach(parameter, list_of(loop, "parameters")) {
        const char *type = text_of(parameter, "type");
        size_t length = strlen(type);
        printf("%s%s%s%s", first ? "" : ", ", type, length && type[length - 1] == '*' ? "" : " ",
               text_of(parameter, "name"));
        first = false;
    }
    puts(")");
}

/* From the manifest where it has them, else from ptxas. */
static struct resources resources_of(const cJSON *loop, const struct measured *measured)
{
    const struct resources *found =
        find_resources(measured->resources, measured->count, text_of(loop, "entry"));
    if (found && !number_of(loop, "registers"))
        return *found;
    return (struct resources){.registers = number_of(loop, "registers"), .spills = number_of(loop, "spills"),
                              .shared = number_of(loop, "shared"), .stack = number_of(loop, "stack")};
}

static void print_cluster(const cJSON *extents)
{
    int cluster[3], blocks = 1;
    for (int d = 0; d < 3; d++) {
        const cJSON *extent = cJSON_GetArrayItem(extents, d);
        cluster[d] = cJSON_IsNumber(extent) ? extent->valueint : 1;
        blocks *= cluster[d];
    }
    if (blocks == 1)
        return;
    printf(", clusters of %d x %d x %d blocks", cluster[0], cluster[1], cluster[2]);
    if (blocks > GPUCC_CLUSTER_BLOCKS)
        printf(", which not every device with clusters takes");
}

static void print_figures(const cJSON *loop, const struct resources *resources)
{
    bool is_kernel = !strcmp(text_of(loop, "kind"), "kernel");
    printf("    %s", text_of(loop, "kind"));
    if (number_of(loop, "elements_per_thread"))
        printf(", %d element%s a thread", number_of(loop, "elements_per_thread"),
               number_of(loop, "elements_per_thread") == 1 ? "" : "s");
    if (!is_kernel && number_of(loop, "block"))
        printf(", blocks of %d", number_of(loop, "block"));
    if (number_of(loop, "launch_bounds"))
        printf(", launch bounds %d", number_of(loop, "launch_bounds"));
    if (number_of(loop, "shared"))
        printf(", %d bytes of shared memory", number_of(loop, "shared"));
    if (is_true(loop, "dynamic_shared"))
        printf(", dynamic shared memory");
    if (is_true(loop, "barriers"))
        printf(", barriers");
    if (is_true(loop, "cooperative"))
        printf(", cooperative launch");
    print_cluster(list_of(loop, "cluster"));
    if (resources->registers) {
        printf("; ");
        print_resources(resources);
    }
    putchar('\n');
}

static bool has_native(const cJSON *function)
{
    const cJSON *loop;
    cJSON_ArrayForEach(loop, list_of(function, "loops"))
        if (!strcmp(text_of(loop, "kind"), "native") || *text_of(loop, "thread"))
            return true;
    return false;
}

static void print_loop(const cJSON *function, const cJSON *loop, const struct measured *measured)
{
    const char *kind = text_of(loop, "kind");
    struct resources resources = resources_of(loop, measured);
    if (!strcmp(kind, "native")) {
        printf("  %s(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)\n    native\n",
               text_of(loop, "entry"));
        return;
    }
    print_prototype(loop);
    print_figures(loop, &resources);
    struct demand demand = {.registers = resources.registers, .native = has_native(function)};
    int shared = number_of(loop, "shared");
    demand.shared = shared > 0 ? (size_t)shared : 0;
    demand.most_threads = number_of(loop, "launch_bounds");
    if (!strcmp(kind, "contiguous")) {
        demand.elements_per_thread = number_of(loop, "elements_per_thread");
        demand.block = number_of(loop, "block");
    }
    if (!strcmp(kind, "contiguous") || !strcmp(kind, "kernel"))
        print_advice(&demand);
}

/* ---- one function ---- */

/* The findings of -Wperformance at compilation. */
static void print_findings(const cJSON *function)
{
    const cJSON *finding;
    cJSON_ArrayForEach(finding, list_of(function, "performance"))
        printf("  slow, line %d: %s\n", number_of(finding, "line"), text_of(finding, "message"));
}

static void print_doc(const char *doc)
{
    while (*doc) {
        size_t length = strcspn(doc, "\n");
        printf("  %.*s\n", (int)length, doc);
        doc += length + (doc[length] == '\n');
    }
}

static void print_function(const cJSON *function, const struct measured *measured)
{
    const cJSON *item;
    bool first = true;
    printf("\n%s %s", text_of(function, "kind"), text_of(function, "name"));
    if (*text_of(function, "layout"))
        printf(" %s", text_of(function, "layout"));
    cJSON_ArrayForEach(item, list_of(function, "signatures")) {
        printf("%s%s", first ? ": " : ", ", cJSON_IsString(item) ? item->valuestring : "?");
        first = false;
    }
    puts(is_true(function, "fast_math") ? ", fast-math" : "");
    print_doc(text_of(function, "doc"));
    cJSON_ArrayForEach(item, list_of(function, "loops"))
        print_loop(function, item, measured);
    print_findings(function);
}

/* "constant float weights[3]" */
static void print_global(const cJSON *global)
{
    const cJSON *extent;
    const char *type = text_of(global, "type");
    size_t length = strlen(type);
    printf("\n%s %s%s%s", text_of(global, "space"), type, length && type[length - 1] == '*' ? "" : " ",
           text_of(global, "name"));
    cJSON_ArrayForEach(extent, list_of(global, "shape"))
        printf("[%d]", extent->valueint);
    putchar('\n');
    print_doc(text_of(global, "doc"));
}

/* Whether the whole program's numbers are those of IEEE 754; a single function may be fast-math all the same. */
static const char *numerics_of(const cJSON *manifest)
{
    const cJSON *numerics = cJSON_GetObjectItemCaseSensitive(manifest, "numerics"), *function;
    if (is_true(numerics, "fast_math"))
        return "fast-math";
    if (!strcmp(text_of(numerics, "math"), "libdevice"))
        return "IEEE 754; the math library is CUDA's libdevice on the GPU, gpucc's on the CPU, whose bits differ";
    cJSON_ArrayForEach(function, list_of(manifest, "functions"))
        if (is_true(function, "fast_math"))
            return "IEEE 754, the same bits on CPU and GPU, but for functions marked fast-math";
    return "IEEE 754, the same bits on CPU and GPU";
}

static void print_head(const cJSON *manifest)
{
    const cJSON *target, *source;
    bool first = true;
    printf("made by gpucc %s from ", text_of(manifest, "gpucc"));
    cJSON_ArrayForEach(source, list_of(manifest, "sources")) {
        printf("%s%s", first ? "" : ", ", cJSON_IsString(source) ? source->valuestring : "?");
        first = false;
    }
    printf("%s, abi %s\n", first ? text_of(manifest, "source") : "", text_of(manifest, "abi"));
    first = true;
    cJSON_ArrayForEach(target, list_of(manifest, "targets")) {
        printf("%s%s (PTX ISA %s, driver %s or newer)", first ? "PTX for " : ", ", text_of(target, "arch"),
               text_of(target, "isa"), text_of(target, "driver"));
        first = false;
    }
    printf(first ? "" : "\n");
    printf("numerics: %s\n", numerics_of(manifest));
}

bool manifest_has_resources(struct bytes text)
{
    return strstr(text.data, "\"registers\":"); /* a quote inside a string has a backslash before it */
}

/* Why this is no manifest to read, or null; `end` is where the JSON ended. */
static const char *fault_of(struct arena *arena, const cJSON *manifest, struct bytes text, const char *end)
{
    size_t line = 1;
    for (const char *at = text.data; at < end; at++)
        line += *at == '\n';
    if (!manifest)
        return arena_printf(arena, "it is not valid JSON (line %zu)", line);
    if (!list_of(manifest, "functions") || !*text_of(manifest, "gpucc"))
        return "it is JSON, but not a manifest made by gpucc";
    if (number_of(manifest, "schema") != GPUCC_MANIFEST_SCHEMA)
        return arena_printf(arena, "it is a manifest of schema %d, made by gpucc %s, but this gpucc reads schema %d",
                            number_of(manifest, "schema"), text_of(manifest, "gpucc"), GPUCC_MANIFEST_SCHEMA);
    return NULL;
}

bool inspect_manifest(struct arena *arena, struct bytes text, const struct measured *measured, const char **reason)
{
    const char *end = text.data;
    cJSON *manifest = cJSON_ParseWithLengthOpts(text.data, text.size, &end, false);
    const cJSON *function, *global;
    *reason = fault_of(arena, manifest, text, end);
    if (!*reason) {
        print_head(manifest);
        cJSON_ArrayForEach(function, list_of(manifest, "functions"))
            print_function(function, measured);
        cJSON_ArrayForEach(global, list_of(manifest, "globals"))
            print_global(global);
    }
    cJSON_Delete(manifest);
    return !*reason;
}
