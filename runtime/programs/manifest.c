/* Reads a program's manifest (docs/reference/manifest.md), and believes nothing in it. */
#define _GNU_SOURCE /* strtod_l() */
#include "base/common.h"
#include "base/json_tree.h"
#include "devices/checked.h"
#include "devices/driver.h"
#include "programs/manifest.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 1 << 20 };

static const struct {
    char name[sizeof "reduce_packed_columns"];
    enum loop_kind kind;
} loop_kinds[] = {
    {"contiguous", LOOP_CONTIGUOUS}, {"rows", LOOP_ROWS},     {"strided", LOOP_STRIDED}, {"converted", LOOP_CONVERTED},
    {"converted_packed", LOOP_CONVERTED_PACKED},
    {"reduce_along", LOOP_ALONG},    {"reduce_packed", LOOP_PACKED}, {"reduce_packed_rows", LOOP_PACKED_ROWS},
    {"reduce_packed_columns", LOOP_PACKED_COLUMNS}, {"reduce_across", LOOP_ACROSS}, {"fold", LOOP_FOLD},
    {"scan_along", LOOP_SCAN_ALONG}, {"scan_across", LOOP_SCAN_ACROSS},
    {"scan_packed", LOOP_SCAN_PACKED},                {"at", LOOP_AT},
    {"reduce_gathered", LOOP_GATHERED},
    {"outer", LOOP_OUTER},
    {"outer_block", LOOP_OUTER_BLOCK},
    {"outer_staged", LOOP_OUTER_STAGED},
    {"outer_team", LOOP_OUTER_TEAM},
    {"outer_together", LOOP_OUTER_TOGETHER},
    {"outer_tiles", LOOP_OUTER_TILES},
    {"outer_warpgroups", LOOP_OUTER_WARPGROUPS},
    {"native", LOOP_NATIVE},         {"native_reduce", LOOP_NATIVE_REDUCE},
    {"native_running", LOOP_NATIVE_RUNNING}, {"native_cells", LOOP_NATIVE_CELLS},
    {"kernel", LOOP_KERNEL},
};

const char *loop_kind_name(enum loop_kind kind)
{
    size_t i = 0;
    while (i < sizeof loop_kinds / sizeof *loop_kinds && loop_kinds[i].kind != kind)
        i++;
    return i < sizeof loop_kinds / sizeof *loop_kinds ? loop_kinds[i].name : "?";
}

static gpucc_status missing(const char *where, const char *name, const char *what)
{
    return fail(GPUCC_BAD_PROGRAM, "manifest: %s: \"%s\" is missing or not of type %s", where, name, what);
}

static gpucc_status get_string(const struct json *object, const char *where, const char *name, const char **out)
{
    const struct json *item = json_tree_get(object, name);
    if (!json_tree_is(item, JSON_STRING) || !*json_tree_string(item))
        return missing(where, name, "string");
    *out = json_tree_string(item);
    return GPUCC_OK;
}

/* The string, or `otherwise` if there is none. */
static const char *string_or(const struct json *object, const char *name, const char *otherwise)
{
    const struct json *item = json_tree_get(object, name);
    return json_tree_is(item, JSON_STRING) ? json_tree_string(item) : otherwise;
}

/* A whole number in [0, max]; 0 if the field is absent or null. */
static gpucc_status get_number(const struct json *object, const char *where, const char *name, double max, double *out)
{
    const struct json *item = json_tree_get(object, name);
    double value = json_tree_number(item);
    *out = 0;
    if (!item || json_tree_is(item, JSON_NULL))
        return GPUCC_OK;
    if (!json_tree_is(item, JSON_NUMBER) || !(value >= 0 && value <= max) || value != (double)(uint64_t)value)
        return fail(GPUCC_BAD_PROGRAM, "manifest: %s: \"%s\" is not an integer from 0 to %.0f", where, name, max);
    *out = value;
    return GPUCC_OK;
}

static gpucc_status get_unsigned(const struct json *object, const char *where, const char *name, unsigned max,
                                 unsigned *out)
{
    double value;
    gpucc_status status = get_number(object, where, name, max, &value);
    *out = (unsigned)value;
    return status;
}

static gpucc_status get_size(const struct json *object, const char *where, const char *name, size_t *out)
{
    double value;
    gpucc_status status = get_number(object, where, name, 1u << 30, &value);
    *out = (size_t)value;
    return status;
}

/* Room for the elements of the array `name`, which must be one: *items. */
static gpucc_status get_list(const struct json *object, const char *where, const char *name, size_t element, void **out,
                             int *count, const struct json **items)
{
    const struct json *array = json_tree_get(object, name);
    if (!json_tree_is(array, JSON_ARRAY))
        return missing(where, name, "array");
    size_t length = array->count;
    if (length > LIST_MAX)
        return fail(GPUCC_BAD_PROGRAM, "manifest: %s: \"%s\" has %zu elements", where, name, length);
    *out = calloc(length ? length : 1, element);
    if (!*out)
        return fail_memory(length * element, "the manifest");
    *count = (int)length;
    *items = array;
    return GPUCC_OK;
}

/* "1f" to 31; false if it is not `digits` hexadecimal digits. */
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

static gpucc_status read_target(const struct json *json, struct manifest_target *target)
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
        return fail(GPUCC_BAD_PROGRAM, "manifest: targets: \"%.40s\" is not an architecture such as sm_75", arch);
    target->arch = (int)number;
    target->arch_suffix = arch[strlen("sm_") + strspn(arch + strlen("sm_"), "0123456789")];
    if (!parse_version(isa, &major, &minor))
        return fail(GPUCC_BAD_PROGRAM, "manifest: targets: \"%.40s\" is not a PTX version such as 6.3", isa);
    target->isa = major * 10 + minor;
    const char *driver_version = string_or(json, "driver", "0.0");
    if (!parse_version(driver_version, &major, &minor))
        return fail(GPUCC_BAD_PROGRAM, "manifest: targets: \"%.40s\" is not a driver version such as 12.4",
                    driver_version);
    target->driver = major * 1000 + minor * 10;
    return GPUCC_OK;
}

static gpucc_status read_types(const struct json *json, const char *where, const char *name, gpucc_dtype *types,
                               int *used, int *count)
{
    const struct json *array = json_tree_get(json, name), *item;
    if (!json_tree_is(array, JSON_ARRAY))
        return missing(where, name, "array");
    *count = 0;
    for (size_t i = 0; (item = json_tree_at(array, i)); i++) {
        const char *text = json_tree_string(item);
        gpucc_dtype dtype = text ? gpucc_dtype_from_name(text) : GPUCC_DTYPE_COUNT;
        if (dtype == GPUCC_DTYPE_COUNT)
            return fail(GPUCC_BAD_PROGRAM, "manifest: %s: \"%s\" has the unknown type %.60s", where, name,
                        text ? text : "something");
        if (*used == GPUCC_LOOP_OPERANDS)
            return fail(GPUCC_BAD_PROGRAM, "manifest: %s: it has more than %d inputs and outputs",
                        where, GPUCC_LOOP_OPERANDS);
        types[(*used)++] = dtype;
        ++*count;
    }
    return GPUCC_OK;
}

static gpucc_status read_parameters(const struct json *json, const char *where, struct manifest_loop *loop)
{
    const struct json *items;
    gpucc_status status = get_list(json, where, "parameters", sizeof *loop->parameters, (void **)&loop->parameters,
                                   &loop->parameter_count, &items);
    for (int i = 0; !status && i < loop->parameter_count; i++) {
        const struct json *item = json_tree_at(items, (size_t)i);
        struct manifest_parameter *parameter = &loop->parameters[i];
        parameter->name = string_or(item, "name", "");
        parameter->type = string_or(item, "type", "");
        status = get_size(item, where, "size", &parameter->size);
        if (!status && parameter->size == 0)
            status = fail(GPUCC_BAD_PROGRAM, "manifest: %s: parameter %d has no size", where, i);
    }
    return status;
}

static gpucc_status read_cluster(const struct json *json, const char *where, unsigned cluster[3])
{
    enum { MOST = 16 };
    const struct json *list = json_tree_get(json, "cluster");
    unsigned blocks = 1;
    for (int d = 0; d < 3; d++) {
        double extent = json_tree_number(json_tree_at(list, (size_t)d));
        bool is_extent = extent >= 1 && extent <= MOST;
        cluster[d] = is_extent ? (unsigned)extent : 1;
        blocks = is_extent || !list ? blocks * cluster[d] : MOST + 1;
    }
    if (blocks > MOST)
        return fail(GPUCC_BAD_PROGRAM, "manifest: %s: \"cluster\" is not a list of three numbers with a product from 1 "
                                       "to %d",
                    where, MOST);
    return GPUCC_OK;
}

static gpucc_status read_kernel_loop(const struct json *json, struct manifest_loop *loop)
{
    const char *where = loop->entry;
    gpucc_status status = read_parameters(json, where, loop);
    if (!status)
        status = get_unsigned(json, where, "launch_bounds", 1u << 20, &loop->launch_bounds);
    if (!status)
        status = get_size(json, where, "native_shared", &loop->native_shared);
    if (!status)
        status = read_cluster(json, where, loop->cluster);
    loop->dynamic_shared = json_tree_is(json_tree_get(json, "dynamic_shared"), JSON_TRUE);
    loop->barriers = json_tree_is(json_tree_get(json, "barriers"), JSON_TRUE);
    loop->cooperative = json_tree_is(json_tree_get(json, "cooperative"), JSON_TRUE);
    loop->native_thread = string_or(json, "thread", NULL);
    loop->native_block = string_or(json, "block", NULL);
    return status;
}

static uint64_t read_overwrites(const struct json *json)
{
    const struct json *list = json_tree_get(json, "overwrites"), *item;
    uint64_t overwrites = 0;
    for (size_t i = 0; (item = json_tree_at(list, i)); i++)
        if (i < 64 && json_tree_is(item, JSON_TRUE))
            overwrites |= UINT64_C(1) << i;
    return overwrites;
}

/* No loop, so that all extents count, if there are too many. */
static void read_extents(const struct json *json, uint64_t loops[SHARED_LOOPS])
{
    const struct json *lists = json_tree_get(json, "shared_extents"), *list, *item;
    if (json_tree_at(lists, SHARED_LOOPS))
        return;
    for (size_t l = 0; (list = json_tree_at(lists, l)); l++)
        for (size_t i = 0; (item = json_tree_at(list, i)); i++) {
            const double number = json_tree_number(item);
            if (number >= 0 && number < GPUCC_CORE_DIMS)
                loops[l] |= UINT64_C(1) << (unsigned)number;
        }
}

static gpucc_status read_ufunc_loop(const struct json *json, struct manifest_loop *loop)
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
    loop->overwrites = read_overwrites(json);
    loop->barriers = json_tree_is(json_tree_get(json, "barriers"), JSON_TRUE);
    loop->no_barriers = json_tree_is(json_tree_get(json, "barriers"), JSON_FALSE);
    read_extents(json, loop->shared_extents);
    return status;
}

/* Loops of kinds that this runtime does not know are kept as LOOP_OTHER: newer compilers may add some. */
static gpucc_status read_loop(const struct json *json, const char *function, struct manifest_loop *loop)
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

bool manifest_real(const char *text, double *out)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        return false;
    char *end;
    *out = strtod_l(text, &end, plain);
    freelocale(plain);
    return end != text && !*end;
}

static gpucc_status read_properties(const struct json *json, struct manifest_function *function)
{
    double identity;
    function->reorderable = json_tree_is(json_tree_get(json, "reorderable"), JSON_TRUE);
    function->doc = string_or(json, "doc", "");
    function->identity = string_or(json, "identity", NULL);
    if (!function->identity)
        return GPUCC_OK;
    if (!manifest_real(function->identity, &identity))
        return fail(GPUCC_BAD_PROGRAM, "manifest: %s: its identity \"%.40s\" is not a number", function->name,
                    function->identity);
    return GPUCC_OK;
}

enum { EXTENT_MOST = 1000 }; /* characters: reading them recurses */

static gpucc_status read_layout(const struct json *json, struct manifest_function *function)
{
    const char *text = "";
    const struct json *extents = json_tree_get(json, "extents");
    gpucc_status status = get_string(json, function->name, "layout", &text);
    if (status)
        return status;
    function->layout = calloc(1, sizeof *function->layout);
    if (!function->layout)
        return fail_memory(sizeof *function->layout, "a layout");
    status = layout_parse(text, function->layout);
    if (status)
        return fail(status, "manifest: %s: %s", function->name, gpucc_last_error());
    if (extents && !json_tree_is(extents, JSON_OBJECT))
        return missing(function->name, "extents", "object");
    for (size_t i = 0; extents && i < extents->count; i++) {
        const struct json *item = &extents->items[i];
        const char *name = item->name;
        int k = layout_find(function->layout, name, (int)strlen(name));
        if (k == function->layout->dimension_count || !json_tree_is(item, JSON_STRING))
            return fail(GPUCC_BAD_PROGRAM, "manifest: %s: \"extents\" has \"%.40s\", which is not an extent of a core "
                                           "dimension",
                        function->name, name);
        if (strlen(json_tree_string(item)) > EXTENT_MOST)
            return fail(GPUCC_BAD_PROGRAM, "manifest: %s: the extent of %.40s has more than %d characters",
                        function->name, name, EXTENT_MOST);
        function->layout->dimensions[k].extent = json_tree_string(item);
    }
    return GPUCC_OK;
}

static bool is_outer(enum loop_kind kind)
{
    return kind == LOOP_OUTER || kind == LOOP_OUTER_BLOCK || kind == LOOP_OUTER_STAGED || kind == LOOP_OUTER_TEAM ||
           kind == LOOP_OUTER_TOGETHER || kind == LOOP_OUTER_TILES || kind == LOOP_OUTER_WARPGROUPS;
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
                        "manifest: %s: its layout has %d inputs and %d outputs, but one of its loops has %d and %d",
                        function->name, layout->inputs, layout->outputs, loop->inputs, loop->outputs);
    }
    return GPUCC_OK;
}

static gpucc_status read_function(const struct json *json, struct manifest_function *function)
{
    const char *kind = "";
    gpucc_status status = get_string(json, "functions", "name", &function->name);
    if (!status)
        status = get_string(json, function->name, "kind", &kind);
    if (status)
        return status;
    function->kind = strcmp(kind, "ufunc") == 0       ? FUNCTION_UFUNC
                     : strcmp(kind, "gufunc") == 0    ? FUNCTION_GUFUNC
                     : strcmp(kind, "reduction") == 0 ? FUNCTION_REDUCTION
                     : strcmp(kind, "kernel") == 0    ? FUNCTION_KERNEL
                                                      : FUNCTION_OTHER;
    function->expect_low_occupancy = json_tree_is(json_tree_get(json, "expect_low_occupancy"), JSON_TRUE);
    if (function->kind == FUNCTION_OTHER)
        return GPUCC_OK;
    status = read_properties(json, function);
    if (!status && function->kind == FUNCTION_GUFUNC)
        status = read_layout(json, function);
    if (!status && function->kind == FUNCTION_REDUCTION)
        status = get_string(json, function->name, "by", &function->by);
    if (status)
        return status;
    const struct json *items;
    status = get_list(json, function->name, "loops", sizeof *function->loops, (void **)&function->loops,
                      &function->loop_count, &items);
    for (int i = 0; !status && i < function->loop_count; i++) {
        struct manifest_loop *loop = &function->loops[i];
        status = read_loop(json_tree_at(items, (size_t)i), function->name, loop);
        bool is_kernel = loop->kind == LOOP_KERNEL;
        if (!status && loop->kind != LOOP_OTHER && is_kernel != (function->kind == FUNCTION_KERNEL))
            status = fail(GPUCC_BAD_PROGRAM, "manifest: %s: a %s with the loops of another kind of function",
                          function->name, kind);
    }
    return status ? status : check_layout(function);
}

static gpucc_status read_shape(const struct json *json, struct manifest_global *global)
{
    const struct json *shape = json_tree_get(json, "shape"), *item;
    if (!json_tree_is(shape, JSON_ARRAY))
        return missing(global->name, "shape", "array");
    for (size_t i = 0; (item = json_tree_at(shape, i)); i++) {
        double extent = json_tree_number(item);
        /* one dimension is left for the bytes of an element that is no dtype */
        if (!(extent >= 1 && extent <= 1u << 30) || global->ndim == GPUCC_MAX_DIMS - 1)
            return fail(GPUCC_BAD_PROGRAM, "manifest: %s: \"shape\" is not a list of up to %d extents", global->name,
                        GPUCC_MAX_DIMS - 1);
        global->shape[global->ndim++] = (int64_t)extent;
    }
    return GPUCC_OK;
}

static gpucc_status read_global(const struct json *json, struct manifest_global *global)
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
static gpucc_status read_globals(const struct json *json, struct manifest *manifest)
{
    const struct json *items;
    if (!json_tree_get(json, "globals"))
        return GPUCC_OK;
    gpucc_status status = get_list(json, "top level", "globals", sizeof *manifest->globals,
                                   (void **)&manifest->globals, &manifest->global_count, &items);
    for (int i = 0; !status && i < manifest->global_count; i++)
        status = read_global(json_tree_at(items, (size_t)i), &manifest->globals[i]);
    return status;
}

/* The names that this runtime knows. */
static unsigned read_checks(const struct json *list)
{
    static const char names[][sizeof "uninitialized"] = {
#define CHECK(id, name) name,
#include <gpucc/checks.def>
    };
    unsigned checks = 0;
    for (size_t i = 0; i < (list ? list->count : 0); i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const char *name = json_tree_string(json_tree_at(list, i));
            checks |= name && strcmp(name, names[k]) == 0 ? 1u << k : 0;
        }
    return checks;
}

static gpucc_status read_head(const struct json *json, struct manifest *manifest)
{
    if (!json_tree_is(json, JSON_OBJECT))
        return fail(GPUCC_BAD_PROGRAM, "manifest: it is not a JSON object");
    unsigned schema;
    gpucc_status status = get_unsigned(json, "top level", "schema", 1u << 30, &schema);
    if (status)
        return status;
    if (schema != GPUCC_MANIFEST_SCHEMA)
        return fail(GPUCC_BAD_PROGRAM, "manifest: its schema is %u, but this runtime reads schema %d", schema,
                    GPUCC_MANIFEST_SCHEMA);
    const char *abi = "";
    status = get_string(json, "top level", "abi", &abi);
    if (!status && !parse_hex(abi, 16, &manifest->abi))
        status = fail(GPUCC_BAD_PROGRAM, "manifest: \"abi\" is \"%.40s\", not 16 hexadecimal digits", abi);
    manifest->source = string_or(json, "source", "?");
    manifest->checks = read_checks(json_tree_get(json, "checks"));
    return status;
}

/* Whether its parameters are gpucc's own, of <gpucc/loops.h>: not C's, nor NumPy's. */
static bool has_own_parameters(enum loop_kind kind)
{
    return kind != LOOP_CONTIGUOUS && kind != LOOP_NATIVE && kind != LOOP_KERNEL && kind != LOOP_OTHER;
}

/* Whether the compiler that made the program left out instructions in loops of ufuncs on GPUs: its stamp is 16
 * hexadecimal digits, without a revision. */
static bool has_faulty_loops(const char *stamp)
{
    uint64_t hash;
    return parse_hex(stamp, 16, &hash);
}

/* Refuses loops whose parameters are not those that this runtime passes, and loops that are known to be wrong. */
static gpucc_status check_loops(const struct json *json, const struct manifest *manifest)
{
    const char *stamp = string_or(json, "loops", "none"), *version = string_or(json, "gpucc", "?");
    if (strcmp(stamp, GPUCC_LOOPS) == 0)
        return GPUCC_OK;
    for (int f = 0; f < manifest->function_count; f++)
        for (int i = 0; i < manifest->functions[f].loop_count; i++) {
            const enum loop_kind kind = manifest->functions[f].loops[i].kind;
            if (kind == LOOP_CONTIGUOUS && has_faulty_loops(stamp))
                return fail(GPUCC_BAD_PROGRAM, "manifest: the gpucc that compiled the program (%.40s, stamp %.40s) may "
                                               "have left out instructions of ufuncs on GPUs: compile it again",
                            version, stamp);
            if (has_own_parameters(kind))
                return fail(GPUCC_BAD_PROGRAM, "manifest: its loops have the parameters of another gpucc (%.40s, "
                                               "stamp %.40s) than this runtime (%s): compile the program again",
                            version, stamp, GPUCC_LOOPS);
        }
    return GPUCC_OK;
}

static gpucc_status read_manifest(const struct json *json, struct manifest *manifest)
{
    const struct json *items;
    gpucc_status status = read_head(json, manifest);
    if (!status)
        status = get_list(json, "top level", "targets", sizeof *manifest->targets, (void **)&manifest->targets,
                          &manifest->target_count, &items);
    for (int i = 0; !status && i < manifest->target_count; i++)
        status = read_target(json_tree_at(items, (size_t)i), &manifest->targets[i]);
    if (!status)
        status = get_list(json, "top level", "functions", sizeof *manifest->functions, (void **)&manifest->functions,
                          &manifest->function_count, &items);
    for (int i = 0; !status && i < manifest->function_count; i++)
        status = read_function(json_tree_at(items, (size_t)i), &manifest->functions[i]);
    if (!status)
        status = check_loops(json, manifest);
    return status ? status : read_globals(json, manifest);
}

gpucc_status manifest_parse(const char *text, size_t size, struct manifest **out)
{
    struct manifest *manifest = calloc(1, sizeof *manifest);
    if (!manifest)
        return fail_memory(sizeof *manifest, "a manifest");
    struct json_error error;
    struct json *json = json_tree_parse(text, size, &error);
    if (!json) {
        free(manifest);
        return fail(GPUCC_BAD_PROGRAM, "manifest: invalid JSON at line %d: %s", error.line, error.what);
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
    json_tree_free(manifest->json);
    free(manifest);
}
