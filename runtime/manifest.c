/* Reads a program's manifest (docs/artefacts.md), and believes nothing in it. */
#include "manifest.h"
#include "internal.h"
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 1 << 20 };

static const struct {
    const char *name;
    enum loop_kind kind;
} loop_kinds[] = {
    {"contiguous", LOOP_CONTIGUOUS}, {"rows", LOOP_ROWS},     {"strided", LOOP_STRIDED},
    {"reduce_along", LOOP_ALONG},    {"reduce_across", LOOP_ACROSS}, {"fold", LOOP_FOLD},
    {"scan_along", LOOP_SCAN_ALONG}, {"scan_across", LOOP_SCAN_ACROSS},
    {"outer", LOOP_OUTER},
    {"outer_block", LOOP_OUTER_BLOCK},
    {"outer_staged", LOOP_OUTER_STAGED},
    {"native", LOOP_NATIVE},         {"native_reduce", LOOP_NATIVE_REDUCE},
    {"kernel", LOOP_KERNEL},
};

static gpucc_status missing(const char *where, const char *name, const char *what)
{
    return fail(GPUCC_BAD_PROGRAM, "manifest: %s: \"%s\" is missing or no %s", where, name, what);
}

static gpucc_status get_string(const cJSON *object, const char *where, const char *name, const char **out)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsString(item) || !item->valuestring[0])
        return missing(where, name, "string");
    *out = item->valuestring;
    return GPUCC_OK;
}

/* The string, or `otherwise` where there is none. */
static const char *string_or(const cJSON *object, const char *name, const char *otherwise)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(item) ? item->valuestring : otherwise;
}

/* A whole number in [0, max]; 0 where the field is absent or null. */
static gpucc_status get_number(const cJSON *object, const char *where, const char *name, double max, double *out)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    *out = 0;
    if (!item || cJSON_IsNull(item))
        return GPUCC_OK;
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= max) ||
        item->valuedouble != (double)(uint64_t)item->valuedouble)
        return fail(GPUCC_BAD_PROGRAM, "manifest: %s: \"%s\" is no whole number from 0 to %.0f", where, name, max);
    *out = item->valuedouble;
    return GPUCC_OK;
}

static gpucc_status get_unsigned(const cJSON *object, const char *where, const char *name, unsigned max, unsigned *out)
{
    double value;
    gpucc_status status = get_number(object, where, name, max, &value);
    *out = (unsigned)value;
    return status;
}

static gpucc_status get_size(const cJSON *object, const char *where, const char *name, size_t *out)
{
    double value;
    gpucc_status status = get_number(object, where, name, 1u << 30, &value);
    *out = (size_t)value;
    return status;
}

/* Room for the elements of the array `name`, which must be one; *items is its first. */
static gpucc_status get_list(const cJSON *object, const char *where, const char *name, size_t element, void **out,
                             int *count, const cJSON **items)
{
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsArray(array))
        return missing(where, name, "array");
    int length = cJSON_GetArraySize(array);
    if (length > LIST_MAX)
        return fail(GPUCC_BAD_PROGRAM, "manifest: %s: \"%s\" has %d elements", where, name, length);
    *out = calloc(length ? (size_t)length : 1, element);
    if (!*out)
        return fail_memory((size_t)length * element, "the manifest");
    *count = length;
    *items = array->child;
    return GPUCC_OK;
}

/* "1f" to 31; false where it is not `digits` hexadecimal digits. */
static bool parse_hex(const char *text, int digits, uint64_t *out)
{
    *out = 0;
    for (int i = 0; i < digits; i++) {
        const char *hex = "0123456789abcdef";
        const char *digit = text[i] ? strchr(hex, text[i]) : NULL;
        if (!digit)
            return false;
        *out = *out << 4 | (uint64_t)(digit - hex);
    }
    return text[digits] == '\0';
}

/* "12.3" to 12 and 3. */
static bool parse_version(const char *text, int *major, int *minor)
{
    char *end;
    long a = strtol(text, &end, 10);
    if (end == text || *end != '.' || a < 0 || a > 999)
        return false;
    const char *fraction = end + 1;
    long b = strtol(fraction, &end, 10);
    if (end == fraction || *end || b < 0 || b > 99)
        return false;
    *major = (int)a;
    *minor = (int)b;
    return true;
}

static gpucc_status read_target(const cJSON *json, struct manifest_target *target)
{
    const char *arch = "", *isa = "";
    int major, minor;
    gpucc_status status = get_string(json, "targets", "arch", &arch);
    if (!status)
        status = get_string(json, "targets", "isa", &isa);
    if (status)
        return status;
    long number = strncmp(arch, "sm_", 3) == 0 ? strtol(arch + 3, NULL, 10) : 0;
    if (number <= 0 || number > 999)
        return fail(GPUCC_BAD_PROGRAM, "manifest: targets: \"%.40s\" is no architecture such as sm_75", arch);
    target->arch = (int)number;
    if (!parse_version(isa, &major, &minor))
        return fail(GPUCC_BAD_PROGRAM, "manifest: targets: \"%.40s\" is no PTX version such as 6.3", isa);
    target->isa = major * 10 + minor;
    const char *driver_version = string_or(json, "driver", "0.0");
    if (!parse_version(driver_version, &major, &minor))
        return fail(GPUCC_BAD_PROGRAM, "manifest: targets: \"%.40s\" is no driver version such as 12.4",
                    driver_version);
    target->driver = major * 1000 + minor * 10;
    return GPUCC_OK;
}

static gpucc_status read_types(const cJSON *json, const char *where, const char *name, gpucc_dtype *types, int *used,
                               int *count)
{
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(json, name), *item;
    if (!cJSON_IsArray(array))
        return missing(where, name, "array");
    *count = 0;
    cJSON_ArrayForEach(item, array) {
        gpucc_dtype dtype = cJSON_IsString(item) ? gpucc_dtype_from_name(item->valuestring) : GPUCC_DTYPE_COUNT;
        if (dtype == GPUCC_DTYPE_COUNT)
            return fail(GPUCC_BAD_PROGRAM, "manifest: %s: \"%s\" holds %.60s, which is no type", where, name,
                        cJSON_IsString(item) ? item->valuestring : "something");
        if (*used == GPUCC_LOOP_OPERANDS)
            return fail(GPUCC_BAD_PROGRAM, "manifest: %s: more than %d inputs and outputs", where, GPUCC_LOOP_OPERANDS);
        types[(*used)++] = dtype;
        ++*count;
    }
    return GPUCC_OK;
}

static gpucc_status read_parameters(const cJSON *json, const char *where, struct manifest_loop *loop)
{
    const cJSON *item;
    gpucc_status status = get_list(json, where, "parameters", sizeof *loop->parameters, (void **)&loop->parameters,
                                   &loop->parameter_count, &item);
    for (int i = 0; !status && item && i < loop->parameter_count; i++, item = item->next) {
        struct manifest_parameter *parameter = &loop->parameters[i];
        parameter->name = string_or(item, "name", "");
        parameter->type = string_or(item, "type", "");
        status = get_size(item, where, "size", &parameter->size);
        if (!status && parameter->size == 0)
            status = fail(GPUCC_BAD_PROGRAM, "manifest: %s: parameter %d has no size", where, i);
    }
    return status;
}

static gpucc_status read_cluster(const cJSON *json, const char *where, unsigned cluster[3])
{
    enum { MOST = 16 };
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "cluster");
    unsigned blocks = 1;
    for (int d = 0; d < 3; d++) {
        const cJSON *item = cJSON_GetArrayItem(list, d);
        bool is_extent = cJSON_IsNumber(item) && item->valueint >= 1 && item->valueint <= MOST;
        cluster[d] = is_extent ? (unsigned)item->valueint : 1;
        blocks = is_extent || !list ? blocks * cluster[d] : MOST + 1;
    }
    if (blocks > MOST)
        return fail(GPUCC_BAD_PROGRAM, "manifest: %s: \"cluster\" is no list of three numbers whose product is 1 to %d",
                    where, MOST);
    return GPUCC_OK;
}

static gpucc_status read_kernel_loop(const cJSON *json, struct manifest_loop *loop)
{
    const char *where = loop->entry;
    gpucc_status status = read_parameters(json, where, loop);
    if (!status)
        status = get_unsigned(json, where, "launch_bounds", 1u << 20, &loop->launch_bounds);
    if (!status)
        status = get_size(json, where, "native_shared", &loop->native_shared);
    if (!status)
        status = read_cluster(json, where, loop->cluster);
    loop->dynamic_shared = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "dynamic_shared"));
    loop->barriers = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "barriers"));
    loop->cooperative = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "cooperative"));
    loop->native_thread = string_or(json, "thread", NULL);
    loop->native_block = string_or(json, "block", NULL);
    return status;
}

static gpucc_status read_ufunc_loop(const cJSON *json, struct manifest_loop *loop)
{
    const char *where = loop->entry;
    int used = 0;
    gpucc_status status = read_types(json, where, "inputs", loop->types, &used, &loop->inputs);
    if (!status)
        status = read_types(json, where, "outputs", loop->types, &used, &loop->outputs);
    if (!status && loop->outputs == 0)
        status = fail(GPUCC_BAD_PROGRAM, "manifest: %s: no outputs", where);
    if (!status)
        status = get_unsigned(json, where, "elements_per_thread", 1u << 16, &loop->elements_per_thread);
    if (!status)
        status = get_unsigned(json, where, "block", 1u << 16, &loop->block);
    if (!status)
        status = get_size(json, where, "native_shared", &loop->native_shared);
    loop->native_thread = string_or(json, "thread", NULL);
    loop->native_block = string_or(json, "native_block", NULL);
    return status;
}

/* Loops of kinds that this runtime does not know are kept as LOOP_OTHER: newer compilers may add some. */
static gpucc_status read_loop(const cJSON *json, const char *function, struct manifest_loop *loop)
{
    const char *kind = "";
    gpucc_status status = get_string(json, function, "kind", &kind);
    if (status)
        return status;
    loop->kind = LOOP_OTHER;
    for (size_t i = 0; i < sizeof loop_kinds / sizeof *loop_kinds; i++) {
        if (strcmp(kind, loop_kinds[i].name) == 0)
            loop->kind = loop_kinds[i].kind;
    }
    if (loop->kind == LOOP_OTHER)
        return GPUCC_OK;
    status = get_string(json, function, "entry", &loop->entry);
    if (!status)
        status = get_size(json, loop->entry, "shared", &loop->shared);
    if (status)
        return status;
    return loop->kind == LOOP_KERNEL ? read_kernel_loop(json, loop) : read_ufunc_loop(json, loop);
}

static gpucc_status read_properties(const cJSON *json, struct manifest_function *function)
{
    char *end;
    function->reorderable = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "reorderable"));
    function->doc = string_or(json, "doc", "");
    function->identity = string_or(json, "identity", NULL);
    if (!function->identity)
        return GPUCC_OK;
    (void)strtod(function->identity, &end);
    if (end == function->identity || *end)
        return fail(GPUCC_BAD_PROGRAM, "manifest: %s: its identity \"%.40s\" is no number", function->name,
                    function->identity);
    return GPUCC_OK;
}

enum { EXTENT_MOST = 1000 }; /* characters: reading them recurses */

static gpucc_status read_layout(const cJSON *json, struct manifest_function *function)
{
    const char *text = "";
    const cJSON *item;
    gpucc_status status = get_string(json, function->name, "layout", &text);
    if (status)
        return status;
    function->layout = calloc(1, sizeof *function->layout);
    if (!function->layout)
        return fail_memory(sizeof *function->layout, "a layout");
    status = layout_parse(text, function->layout);
    if (status)
        return fail(status, "manifest: %s: %s", function->name, gpucc_last_error());
    const cJSON *extents = cJSON_GetObjectItemCaseSensitive(json, "extents");
    if (extents && !cJSON_IsObject(extents))
        return missing(function->name, "extents", "object");
    cJSON_ArrayForEach(item, extents) {
        int k = layout_find(function->layout, item->string, (int)strlen(item->string));
        if (k == function->layout->dimension_count || !cJSON_IsString(item))
            return fail(GPUCC_BAD_PROGRAM, "manifest: %s: \"extents\" has \"%.40s\", which is no core dimension's text",
                        function->name, item->string);
        if (strlen(item->valuestring) > EXTENT_MOST)
            return fail(GPUCC_BAD_PROGRAM, "manifest: %s: the extent of %.40s has more than %d characters",
                        function->name, item->string, EXTENT_MOST);
        function->layout->dimensions[k].extent = item->valuestring;
    }
    return GPUCC_OK;
}

static bool is_outer(enum loop_kind kind)
{
    return kind == LOOP_OUTER || kind == LOOP_OUTER_BLOCK || kind == LOOP_OUTER_STAGED;
}

/* A gufunc's loops are to have as many operands as its layout, and to be a gufunc's. */
static gpucc_status check_layout(const struct manifest_function *function)
{
    const struct gufunc_layout *layout = function->layout;
    for (int i = 0; i < function->loop_count; i++) {
        const struct manifest_loop *loop = &function->loops[i];
        if (is_outer(loop->kind) ? !layout : layout && loop->kind != LOOP_NATIVE && loop->kind != LOOP_OTHER)
            return fail(GPUCC_BAD_PROGRAM, "manifest: %s: its loop %s is of another kind of function", function->name,
                        loop->entry);
        if (!layout)
            continue;
        if (loop->kind != LOOP_OTHER && (loop->inputs != layout->inputs || loop->outputs != layout->outputs))
            return fail(GPUCC_BAD_PROGRAM,
                        "manifest: %s: its layout has %d inputs and %d outputs, a loop of it %d and %d",
                        function->name, layout->inputs, layout->outputs, loop->inputs, loop->outputs);
    }
    return GPUCC_OK;
}

static gpucc_status read_function(const cJSON *json, struct manifest_function *function)
{
    const char *kind = "";
    gpucc_status status = get_string(json, "functions", "name", &function->name);
    if (!status)
        status = get_string(json, function->name, "kind", &kind);
    if (status)
        return status;
    function->kind = strcmp(kind, "ufunc") == 0    ? FUNCTION_UFUNC
                     : strcmp(kind, "gufunc") == 0 ? FUNCTION_GUFUNC
                     : strcmp(kind, "kernel") == 0 ? FUNCTION_KERNEL
                                                   : FUNCTION_OTHER;
    function->expect_low_occupancy = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "expect_low_occupancy"));
    if (function->kind == FUNCTION_OTHER)
        return GPUCC_OK;
    status = read_properties(json, function);
    if (!status && function->kind == FUNCTION_GUFUNC)
        status = read_layout(json, function);
    if (status)
        return status;
    const cJSON *item;
    status = get_list(json, function->name, "loops", sizeof *function->loops, (void **)&function->loops,
                      &function->loop_count, &item);
    for (int i = 0; !status && item && i < function->loop_count; i++, item = item->next) {
        struct manifest_loop *loop = &function->loops[i];
        status = read_loop(item, function->name, loop);
        bool is_kernel = loop->kind == LOOP_KERNEL;
        if (!status && loop->kind != LOOP_OTHER && is_kernel != (function->kind == FUNCTION_KERNEL))
            status = fail(GPUCC_BAD_PROGRAM, "manifest: %s: a %s with the loops of another kind of function",
                          function->name, kind);
    }
    return status ? status : check_layout(function);
}

static gpucc_status read_shape(const cJSON *json, struct manifest_global *global)
{
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(json, "shape"), *item;
    double extent;
    if (!cJSON_IsArray(shape))
        return missing(global->name, "shape", "array");
    cJSON_ArrayForEach(item, shape) {
        extent = cJSON_IsNumber(item) ? item->valuedouble : 0;
        /* one dimension is left for the bytes of an element that is no dtype */
        if (!(extent >= 1 && extent <= 1u << 30) || global->ndim == GPUCC_MAX_DIMS - 1)
            return fail(GPUCC_BAD_PROGRAM, "manifest: %s: \"shape\" is no list of up to %d extents", global->name,
                        GPUCC_MAX_DIMS - 1);
        global->shape[global->ndim++] = (int64_t)extent;
    }
    return GPUCC_OK;
}

static gpucc_status read_global(const cJSON *json, struct manifest_global *global)
{
    gpucc_status status = get_string(json, "globals", "name", &global->name);
    if (!status)
        status = get_size(json, global->name, "element_size", &global->element_size);
    if (!status)
        status = get_size(json, global->name, "size", &global->size);
    if (!status)
        status = read_shape(json, global);
    if (status)
        return status;
    size_t size = global->element_size;
    for (int d = 0; d < global->ndim; d++)
        if (__builtin_mul_overflow(size, (size_t)global->shape[d], &size))
            size = 0;
    global->dtype = gpucc_dtype_from_name(string_or(json, "dtype", ""));
    bool fits = global->dtype == GPUCC_DTYPE_COUNT || gpucc_dtype_size(global->dtype) == global->element_size;
    if (size == 0 || size != global->size || !fits)
        return fail(GPUCC_BAD_PROGRAM, "manifest: %s: its type, shape and size contradict one another", global->name);
    return GPUCC_OK;
}

/* Older compilers list none. */
static gpucc_status read_globals(const cJSON *json, struct manifest *manifest)
{
    const cJSON *item;
    if (!cJSON_HasObjectItem(json, "globals"))
        return GPUCC_OK;
    gpucc_status status = get_list(json, "top level", "globals", sizeof *manifest->globals,
                                   (void **)&manifest->globals, &manifest->global_count, &item);
    for (int i = 0; !status && item && i < manifest->global_count; i++, item = item->next)
        status = read_global(item, &manifest->globals[i]);
    return status;
}

static gpucc_status read_head(const cJSON *json, struct manifest *manifest)
{
    if (!cJSON_IsObject(json))
        return fail(GPUCC_BAD_PROGRAM, "manifest: no JSON object");
    unsigned schema;
    gpucc_status status = get_unsigned(json, "top level", "schema", 1u << 30, &schema);
    if (status)
        return status;
    if (schema != GPUCC_MANIFEST_SCHEMA)
        return fail(GPUCC_BAD_PROGRAM, "manifest: its schema is %u, this runtime reads schema %d", schema,
                    GPUCC_MANIFEST_SCHEMA);
    const char *abi = "";
    status = get_string(json, "top level", "abi", &abi);
    if (!status && !parse_hex(abi, 16, &manifest->abi))
        status = fail(GPUCC_BAD_PROGRAM, "manifest: \"abi\" is \"%.40s\", not 16 hexadecimal digits", abi);
    manifest->source = string_or(json, "source", "?");
    return status;
}

static gpucc_status read_manifest(const cJSON *json, struct manifest *manifest)
{
    const cJSON *item;
    gpucc_status status = read_head(json, manifest);
    if (!status)
        status = get_list(json, "top level", "targets", sizeof *manifest->targets, (void **)&manifest->targets,
                          &manifest->target_count, &item);
    for (int i = 0; !status && item && i < manifest->target_count; i++, item = item->next)
        status = read_target(item, &manifest->targets[i]);
    if (!status)
        status = get_list(json, "top level", "functions", sizeof *manifest->functions, (void **)&manifest->functions,
                          &manifest->function_count, &item);
    for (int i = 0; !status && item && i < manifest->function_count; i++, item = item->next)
        status = read_function(item, &manifest->functions[i]);
    return status ? status : read_globals(json, manifest);
}

/* cJSON stops at the end of the first value; what follows may only be space. */
static cJSON *parse_text(const char *text, size_t size)
{
    const char *end = NULL;
    cJSON *json = cJSON_ParseWithLengthOpts(text, size, &end, 0);
    size_t line = 1;
    for (const char *p = text; end && p < end && p < text + size; p++)
        line += *p == '\n';
    if (!json) {
        fail(GPUCC_BAD_PROGRAM, "manifest: no JSON, or memory ran out, at line %zu", line);
        return NULL;
    }
    while (end < text + size && strchr(" \t\r\n", *end))
        end++;
    if (end < text + size) {
        fail(GPUCC_BAD_PROGRAM, "manifest: something follows the JSON text at line %zu", line);
        cJSON_Delete(json);
        return NULL;
    }
    return json;
}

gpucc_status manifest_parse(const char *text, size_t size, struct manifest **out)
{
    struct manifest *manifest = calloc(1, sizeof *manifest);
    if (!manifest)
        return fail_memory(sizeof *manifest, "a manifest");
    cJSON *json = parse_text(text, size);
    if (!json) {
        free(manifest);
        return GPUCC_BAD_PROGRAM;
    }
    manifest->json = json;
    gpucc_status status = read_manifest(json, manifest);
    if (status) {
        manifest_free(manifest);
        return status;
    }
    *out = manifest;
    return GPUCC_OK;
}

void manifest_free(struct manifest *manifest)
{
    if (!manifest)
        return;
    for (int f = 0; f < manifest->function_count; f++) {
        for (int i = 0; i < manifest->functions[f].loop_count; i++)
            free(manifest->functions[f].loops[i].parameters);
        free(manifest->functions[f].loops);
        free(manifest->functions[f].layout);
    }
    free(manifest->functions);
    free(manifest->globals);
    free(manifest->targets);
    cJSON_Delete(manifest->json);
    free(manifest);
}
