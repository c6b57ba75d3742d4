/* The manifest: what is in a program, as JSON (docs/reference/manifest.md). */
#include "emit/emit.h"

#include <cjson/cJSON.h>
#include <gpucc/loops.h>
#include <gpucc/program.h>
#include <gpucc/tensor_map.h>
#include <string.h>

static cJSON *object_in(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

static void add_dtypes(cJSON *object, const char *key, const enum dtype *dtypes, size_t count)
{
    cJSON *array = cJSON_AddArrayToObject(object, key);
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(dtype_name(dtypes[i])));
}

static void list_dtypes(struct text *text, const enum dtype *dtypes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_printf(text, "%s%s", i ? ", " : "", dtype_name(dtypes[i]));
}

/* "float32(float32)", "(float32, float32)(float32)" */
static const char *signature_text(const struct options *options, const struct instance *instance)
{
    struct text text = {.arena = options->arena};
    bool several = instance->output_count != 1;
    text_printf(&text, several ? "(" : "");
    list_dtypes(&text, instance->outputs, instance->output_count);
    text_printf(&text, several ? ")(" : "(");
    list_dtypes(&text, instance->inputs, instance->input_count);
    text_printf(&text, ")");
    return text.data;
}

static cJSON *add_parameter(cJSON *parameters, const char *name, const char *type, const char *role, size_t size)
{
    cJSON *parameter = object_in(parameters);
    cJSON_AddStringToObject(parameter, "name", name);
    cJSON_AddStringToObject(parameter, "type", type);
    cJSON_AddStringToObject(parameter, "role", role);
    if (size)
        cJSON_AddNumberToObject(parameter, "size", (double)size);
    return parameter;
}

/* ---- ufuncs ---- */

static const char *output_name(const struct options *options, const struct instance *instance, size_t k)
{
    if (instance->results_by_value)
        return "out";
    const char *name = instance->function->parameters[first_operand(instance) + instance->input_count + k].name;
    return *name ? name : arena_printf(options->arena, "out%zu", k);
}

static const char *input_name(const struct options *options, const struct instance *instance, size_t k)
{
    const char *name = instance->function->parameters[first_operand(instance) + k].name;
    return *name ? name : arena_printf(options->arena, "in%zu", k);
}

static cJSON *add_loop(cJSON *loops, const struct options *options, const struct instance *instance, const char *kind,
                       const char *suffix)
{
    cJSON *loop = object_in(loops);
    cJSON_AddStringToObject(loop, "kind", kind);
    cJSON_AddStringToObject(loop, "signature", signature_text(options, instance));
    add_dtypes(loop, "inputs", instance->inputs, instance->input_count);
    add_dtypes(loop, "outputs", instance->outputs, instance->output_count);
    cJSON_AddStringToObject(loop, "entry", arena_printf(options->arena, "%s%s", instance->symbol, suffix));
    return loop;
}

static void add_measured(cJSON *object, const struct resources *resources)
{
    cJSON_AddNumberToObject(object, "registers", resources->registers);
    cJSON_AddNumberToObject(object, "spills", resources->spills);
    cJSON_AddNumberToObject(object, "stack", resources->stack);
}

/* The findings of ptxas: for the newest target, and of each where there are several. */
static void add_resources(cJSON *loop, const struct options *options, const struct program *program)
{
    const char *entry = cJSON_GetStringValue(cJSON_GetObjectItem(loop, "entry"));
    cJSON *list = options->resources && program->image_count > 1 ? cJSON_CreateArray() : NULL;
    for (size_t i = 0; i < program->image_count; i++) {
        const struct ptx_image *image = &program->images[i];
        const struct resources *found = find_resources(image->resources, image->resource_count, entry);
        if (!found)
            continue;
        if (i + 1 == program->image_count)
            add_measured(loop, found);
        if (!list)
            continue;
        cJSON *target = object_in(list);
        cJSON_AddStringToObject(target, "arch", arch_name(options->arena, image->arch));
        add_measured(target, found);
    }
    if (list)
        cJSON_AddItemToObject(loop, "resources", list);
}

static void contiguous_parameters(cJSON *loop, const struct options *options, const struct instance *instance)
{
    cJSON *parameters = cJSON_AddArrayToObject(loop, "parameters");
    for (size_t i = 0; i < instance->input_count; i++)
        add_parameter(parameters, input_name(options, instance, i),
                      arena_printf(options->arena, "const %s *", dtype_c_type(instance->inputs[i])), "input", 8);
    for (size_t i = 0; i < instance->output_count; i++)
        add_parameter(parameters, output_name(options, instance, i),
                      arena_printf(options->arena, "%s *", dtype_c_type(instance->outputs[i])), "output", 8);
    add_parameter(parameters, "n", "uint64_t", "count", 8);
}

/* Records: those of a gufunc's staged loop say more of operands with core dimensions. */
static void record_parameters(cJSON *loop, const struct options *options, const struct instance *instance, bool staged)
{
    const size_t inputs = instance->input_count;
    cJSON *parameters = cJSON_AddArrayToObject(loop, "parameters");
    add_parameter(parameters, "iteration", "struct gpucc_iteration", "iteration", sizeof(struct gpucc_iteration));
    if (instance->layout)
        add_parameter(parameters, "core", "struct gpucc_core", "core", sizeof(struct gpucc_core));
    for (size_t k = 0; k < inputs + instance->output_count; k++) {
        const char *name = k < inputs ? input_name(options, instance, k) : output_name(options, instance, k - inputs);
        if (staged && is_staged(instance, k))
            add_parameter(parameters, name, "struct gpucc_staged", "operand", sizeof(struct gpucc_staged));
        else
            add_parameter(parameters, name, "struct gpucc_operand", "operand", sizeof(struct gpucc_operand));
    }
}

static void strided_parameters(cJSON *loop, const struct options *options, const struct instance *instance)
{
    record_parameters(loop, options, instance, false);
}

static void converted_parameters(cJSON *loop, const struct options *options, const struct instance *instance)
{
    record_parameters(loop, options, instance, false);
    add_parameter(cJSON_GetObjectItem(loop, "parameters"), "where", "struct gpucc_operand", "operand",
                  sizeof(struct gpucc_operand));
}

static void together_parameters(cJSON *loop, const struct options *options, const struct instance *instance)
{
    record_parameters(loop, options, instance, false);
    add_parameter(cJSON_GetObjectItem(loop, "parameters"), "together", "struct gpucc_together", "together",
                  sizeof(struct gpucc_together));
}

static void staged_parameters(cJSON *loop, const struct options *options, const struct instance *instance)
{
    record_parameters(loop, options, instance, true);
}

static void warpgroup_parameters(cJSON *loop, const struct options *options, const struct instance *instance)
{
    record_parameters(loop, options, instance, false);
    cJSON *parameters = cJSON_GetObjectItem(loop, "parameters");
    add_parameter(parameters, "left", "struct gpucc_tensor_map", "map", sizeof(struct gpucc_tensor_map));
    add_parameter(parameters, "right", "struct gpucc_tensor_map", "map", sizeof(struct gpucc_tensor_map));
    add_parameter(parameters, "tiling", "struct gpucc_tiling", "tiling", sizeof(struct gpucc_tiling));
}

static void reduction_parameters(cJSON *loop, const struct options *options, const struct instance *instance)
{
    (void)options, (void)instance;
    add_parameter(cJSON_AddArrayToObject(loop, "parameters"), "reduction", "struct gpucc_reduction", "reduction",
                  sizeof(struct gpucc_reduction));
}

static void scatter_parameters(cJSON *loop, const struct options *options, const struct instance *instance)
{
    (void)options, (void)instance;
    add_parameter(cJSON_AddArrayToObject(loop, "parameters"), "scatter", "struct gpucc_scatter", "scatter",
                  sizeof(struct gpucc_scatter));
}

static void gathered_parameters(cJSON *loop, const struct options *options, const struct instance *instance)
{
    const size_t size = sizeof(struct gpucc_gathered);
    cJSON *parameters = cJSON_AddArrayToObject(loop, "parameters");
    add_parameter(parameters, "reduction", "struct gpucc_gather", "reduction", sizeof(struct gpucc_gather));
    add_parameter(parameters, "mask", "struct gpucc_gathered", "operand", size);
    for (size_t i = 0; i < gathered_inputs(instance); i++)
        add_parameter(parameters, instance->by ? input_name(options, instance, i) : "in", "struct gpucc_gathered",
                      "operand", size);
}

/* The functions that run a thread and a block on the CPU; a ufunc's loop has its threads' number as `block`. */
static void add_native_blocks(cJSON *loop, const struct options *options, const struct program *program,
                              const struct instance *instance)
{
    const char *entry = block_entry(options->arena, instance);
    const char *block = instance->function->kind == FUNCTION_KERNEL ? "block" : "native_block";
    cJSON_AddNumberToObject(loop, "native_shared", (double)program->cpu_shared_bytes);
    cJSON_AddStringToObject(loop, "thread", arena_printf(options->arena, "%s_thread", entry));
    if (instance->runs_blocks)
        cJSON_AddStringToObject(loop, block, arena_printf(options->arena, "%s_block", entry));
    else
        cJSON_AddNullToObject(loop, block);
}

/* For a gufunc, for each output. */
static void add_overwrites(cJSON *loop, const struct instance *instance)
{
    cJSON *list = instance->layout ? cJSON_AddArrayToObject(loop, "overwrites") : NULL;
    for (size_t o = 0; list && o < instance->output_count; o++)
        cJSON_AddItemToArray(list, cJSON_CreateBool(o < 64 && instance->overwrites >> o & 1));
}

typedef void parameter_writer(cJSON *loop, const struct options *options, const struct instance *instance);

static parameter_writer *parameters_of(enum gpu_loop_kind kind)
{
    switch (kind) {
    case GPU_LOOP_CONTIGUOUS: return contiguous_parameters;
    case GPU_LOOP_CONVERTED: return converted_parameters;
    case GPU_LOOP_GATHERED: return gathered_parameters;
    case GPU_LOOP_STAGED: return staged_parameters;
    case GPU_LOOP_AT: return scatter_parameters;
    case GPU_LOOP_WARPGROUPS: return warpgroup_parameters;
    case GPU_LOOP_TOGETHER: return together_parameters;
    default: return is_reduction(kind) ? reduction_parameters : strided_parameters;
    }
}

/* The core extents that each loop's length follows from, of those that threads share; none where others say too. */
static void add_team_extents(cJSON *loop, const struct instance *instance)
{
    const size_t most = sizeof instance->team_extents / sizeof *instance->team_extents;
    cJSON *lists = cJSON_AddArrayToObject(loop, "shared_extents");
    for (size_t l = 0; l < most && instance->team_extents[l]; l++) {
        cJSON *list = cJSON_CreateArray();
        cJSON_AddItemToArray(lists, list);
        for (size_t d = 0; d < instance->layout->dimension_count; d++)
            if (instance->team_extents[l] >> d & 1)
                cJSON_AddItemToArray(list, cJSON_CreateNumber((double)d));
    }
}

static void ufunc_loops(cJSON *loops, const struct options *options, const struct program *program,
                        const struct instance *instance)
{
    for (enum gpu_loop_kind kind = 0; kind < GPU_LOOP_COUNT; kind++) {
        const struct gpu_loop advice = gpu_loop(instance, kind);
        if (!advice.exists)
            continue;
        cJSON *loop = add_loop(loops, options, instance, advice.kind, advice.suffix);
        parameters_of(kind)(loop, options, instance);
        cJSON_AddNumberToObject(loop, "elements_per_thread", advice.elements);
        cJSON_AddNumberToObject(loop, "block", advice.block);
        cJSON_AddNumberToObject(loop, "shared", (double)instance->shared_bytes);
        if (instance->by_block)
            cJSON_AddBoolToObject(loop, "barriers", instance->barriers);
        if (kind == GPU_LOOP_TEAM) {
            cJSON_AddBoolToObject(loop, "barriers", instance->team_waits);
            add_team_extents(loop, instance);
        }
        if (kind == GPU_LOOP_TOGETHER)
            cJSON_AddBoolToObject(loop, "barriers", instance->team_waits || instance->team_exchanges);
        add_overwrites(loop, instance);
        add_resources(loop, options, program);
        if (instance->by_block && program->has_native)
            add_native_blocks(loop, options, program, instance);
    }
    if (program->has_native && !instance->by_block)
        add_overwrites(add_loop(loops, options, instance, "native", "_loop"), instance);
    if (program->has_native && has_tree(instance)) {
        add_loop(loops, options, instance, "native_reduce", "_reduce");
        add_loop(loops, options, instance, "native_running", "_running");
    }
    if (program->has_native && instance->folds)
        add_loop(loops, options, instance, "native_cells", "_cells");
}

static void add_fields(cJSON *object, const struct record *record);

/* Adds the members of a gufunc's operand of structs. */
static void add_record(cJSON *parameter, const struct instance *instance, size_t k)
{
    const struct type *type = &instance->function->parameters[first_operand(instance) + k].type;
    if (!instance->layout || !instance->layout->has_records || type->dtype != DTYPE_NONE || !type->record)
        return;
    cJSON_AddStringToObject(parameter, "type", type->record->spelling);
    cJSON_AddNumberToObject(parameter, "size", (double)type->element_size);
    add_fields(parameter, type->record);
}

static void ufunc_parameters(cJSON *parameters, const struct options *options, const struct instance *instance)
{
    for (size_t i = 0; i < instance->input_count + instance->output_count; i++) {
        bool input = i < instance->input_count;
        cJSON *parameter = object_in(parameters);
        cJSON_AddStringToObject(parameter, "name", input ? input_name(options, instance, i)
                                                         : output_name(options, instance, i - instance->input_count));
        cJSON_AddStringToObject(parameter, "role", input ? "input" : "output");
        add_record(parameter, instance, i);
    }
}

/* ---- kernels ---- */

static const char *role(const struct type *type)
{
    return type->kind == TYPE_POINTER ? "pointer" : type->kind == TYPE_SCALAR ? "scalar" : "struct";
}

static bool is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

static bool is_name(const char *text)
{
    static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return *text && strspn(text, characters) == strlen(text);
}

static void add_shape(cJSON *parameter, const struct type *type)
{
    cJSON *shape = cJSON_AddArrayToObject(parameter, "shape");
    for (size_t i = 0; i < type->dimension_count; i++) {
        const char *extent = type->dimensions[i];
        cJSON_AddItemToArray(shape, is_number(extent) ? cJSON_CreateRaw(extent)
                                    : is_name(extent) ? cJSON_CreateString(extent)
                                                      : cJSON_CreateNull());
    }
}

/* Clang's spelling of an unnamed type has the path of its source. */
static const char *field_type(const struct type *type)
{
    if (type->kind == TYPE_POINTER)
        return "void *";
    if (!strchr(type->spelling, '('))
        return type->spelling;
    return strncmp(type->spelling, "union ", 6) ? "struct" : "union";
}

/* The members of a struct, for hosts that fill it in: bytes of unions, bit-fields and pointers have no dtype. */
static void add_fields(cJSON *object, const struct record *record)
{
    cJSON *fields = record ? cJSON_AddArrayToObject(object, "fields") : NULL;
    for (size_t i = 0; record && i < record->member_count; i++) {
        const struct member *member = &record->members[i];
        const struct type *type = &member->type;
        cJSON *field = object_in(fields);
        cJSON_AddStringToObject(field, "name", member->name);
        cJSON_AddStringToObject(field, "type", field_type(type));
        cJSON_AddNumberToObject(field, "offset", (double)member->offset);
        cJSON_AddNumberToObject(field, "size", (double)type->size);
        if (type->kind == TYPE_SCALAR && !member->is_bit_field)
            cJSON_AddStringToObject(field, "dtype", dtype_name(type->dtype));
        if (type->dimension_count)
            add_shape(field, type);
        if (type->kind == TYPE_STRUCT)
            add_fields(field, type->record);
    }
}

static void kernel_parameter(cJSON *parameters, const struct parameter *from)
{
    const struct type *type = &from->type;
    cJSON *parameter = add_parameter(parameters, from->name, type->spelling, role(type), type->size);
    cJSON_AddNumberToObject(parameter, "align", (double)type->align);
    if (type->dtype != DTYPE_NONE)
        cJSON_AddStringToObject(parameter, "dtype", dtype_name(type->dtype));
    if (type->kind == TYPE_POINTER) {
        cJSON_AddNumberToObject(parameter, "element_size", (double)type->element_size);
        cJSON_AddBoolToObject(parameter, "const", type->is_const);
    }
    if (type->dimension_count)
        add_shape(parameter, type);
    add_fields(parameter, type->record);
}

static void kernel_loop(cJSON *loops, const struct options *options, const struct program *program,
                        const struct instance *instance)
{
    cJSON *loop = object_in(loops);
    cJSON_AddStringToObject(loop, "kind", "kernel");
    cJSON_AddStringToObject(loop, "entry", instance->symbol);
    cJSON *parameters = cJSON_AddArrayToObject(loop, "parameters");
    for (size_t i = 0; i < instance->function->parameter_count; i++)
        kernel_parameter(parameters, &instance->function->parameters[i]);
    cJSON_AddNumberToObject(loop, "launch_bounds", instance->launch_threads);
    cJSON_AddNumberToObject(loop, "min_blocks", instance->launch_blocks);
    cJSON_AddNumberToObject(loop, "max_registers", instance->max_registers);
    cJSON_AddNumberToObject(loop, "shared", (double)instance->shared_bytes);
    cJSON_AddBoolToObject(loop, "dynamic_shared", instance->dynamic_shared);
    cJSON_AddBoolToObject(loop, "barriers", instance->barriers);
    cJSON_AddBoolToObject(loop, "cooperative", instance->cooperative);
    cJSON *cluster = cJSON_AddArrayToObject(loop, "cluster");
    for (int d = 0; d < 3; d++)
        cJSON_AddItemToArray(cluster, cJSON_CreateNumber(instance->cluster_count ? instance->cluster[d] : 1));
    add_resources(loop, options, program);
    if (program->has_native)
        add_native_blocks(loop, options, program, instance);
}

/* ---- variables ---- */

static void add_global(cJSON *globals, const struct global *from)
{
    const struct type *type = &from->type;
    cJSON *global = object_in(globals);
    cJSON_AddStringToObject(global, "name", from->name);
    cJSON_AddStringToObject(global, "doc", from->doc);
    cJSON_AddStringToObject(global, "type", type->spelling);
    if (type->dtype != DTYPE_NONE)
        cJSON_AddStringToObject(global, "dtype", dtype_name(type->dtype));
    add_shape(global, type);
    cJSON_AddNumberToObject(global, "element_size", (double)type->element_size);
    cJSON_AddNumberToObject(global, "size", (double)type->size);
    cJSON_AddStringToObject(global, "space", from->is_constant ? "constant" : "global");
}

/* ---- the whole ---- */

/* How the ufunc is reduced. */
static void add_properties(cJSON *record, const struct instance *instance)
{
    if (instance->identity)
        cJSON_AddStringToObject(record, "identity", instance->identity);
    else
        cJSON_AddNullToObject(record, "identity");
    cJSON_AddBoolToObject(record, "reorderable", instance->reorderable);
}

static void add_layout(cJSON *record, const struct layout *layout)
{
    if (!layout) {
        cJSON_AddNullToObject(record, "layout");
        return;
    }
    cJSON_AddStringToObject(record, "layout", layout->text);
    cJSON *extents = cJSON_AddObjectToObject(record, "extents");
    for (size_t i = 0; i < layout->dimension_count; i++)
        if (layout->dimensions[i].extent)
            cJSON_AddStringToObject(extents, layout->dimensions[i].name, layout->dimensions[i].extent);
}

/* A function's record: made at its first instance; a kernel's instances are functions of their own. */
static cJSON *function_record(cJSON *functions, const struct instance *instance)
{
    static const char *const kinds[] = {"ufunc", "gufunc", "kernel", "device"};
    const struct function *function = instance->function;
    const char *name = function->kind == FUNCTION_KERNEL ? instance->symbol : function->name;
    cJSON *known;
    cJSON_ArrayForEach(known, functions)
        if (!strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(known, "name")), name))
            return known;
    cJSON *record = object_in(functions);
    cJSON_AddStringToObject(record, "name", name);
    cJSON_AddStringToObject(record, "kind", instance->by ? "reduction" : kinds[function->kind]);
    cJSON_AddStringToObject(record, "doc", function->doc);
    cJSON_AddArrayToObject(record, "parameters");
    cJSON_AddArrayToObject(record, "signatures");
    add_layout(record, instance->layout);
    cJSON_AddBoolToObject(record, "expect_low_occupancy", function->expect_low_occupancy);
    cJSON_AddBoolToObject(record, "fast_math", function->fast_math);
    if (instance->folds || instance->by)
        add_properties(record, instance);
    if (instance->by)
        cJSON_AddStringToObject(record, "by", instance->by->function->name);
    if (function->derivative_of) {
        cJSON_AddStringToObject(record, "derivative_of", function->derivative_of);
        cJSON_AddStringToObject(record, "derivative", fuse_kind_name(function->derivative));
    }
    cJSON_AddArrayToObject(record, "loops");
    return record;
}

/* The findings of -Wperformance, if requested. */
static void add_findings(cJSON *record, const struct options *options, const struct instance *instance)
{
    cJSON *list = cJSON_GetObjectItem(record, "performance");
    if (!options->lints)
        return;
    if (!list)
        list = cJSON_AddArrayToObject(record, "performance");
    for (size_t i = 0; i < instance->finding_count; i++) {
        cJSON *finding = object_in(list);
        cJSON_AddNumberToObject(finding, "line", instance->findings[i].line);
        cJSON_AddNumberToObject(finding, "column", instance->findings[i].column);
        cJSON_AddStringToObject(finding, "message", instance->findings[i].text);
    }
}

static void add_instance(cJSON *functions, const struct options *options, const struct program *program,
                         const struct instance *instance)
{
    cJSON *record = function_record(functions, instance);
    cJSON *parameters = cJSON_GetObjectItem(record, "parameters"), *loops = cJSON_GetObjectItem(record, "loops");
    bool first = !parameters->child;
    add_findings(record, options, instance);
    if (has_loops(instance)) {
        cJSON_AddItemToArray(cJSON_GetObjectItem(record, "signatures"),
                             cJSON_CreateString(signature_text(options, instance)));
        if (first)
            ufunc_parameters(parameters, options, instance);
        ufunc_loops(loops, options, program, instance);
        return;
    }
    for (size_t i = 0; first && i < instance->function->parameter_count; i++) {
        const struct parameter *parameter = &instance->function->parameters[i];
        add_parameter(parameters, parameter->name, parameter->type.spelling, role(&parameter->type), 0);
    }
    if (instance->function->kind == FUNCTION_KERNEL)
        kernel_loop(loops, options, program, instance);
}

static cJSON *file_name(const struct options *options, const char *path)
{
    struct text text = {.arena = options->arena};
    text_append_utf8(&text, base_name(path), strlen(base_name(path)));
    return cJSON_CreateString(text.data);
}

static void add_sources(cJSON *manifest, const struct options *options, const struct program *program)
{
    cJSON_AddItemToObject(manifest, "source", file_name(options, program->source));
    cJSON *sources = cJSON_AddArrayToObject(manifest, "sources");
    for (size_t i = 0; i < program->files->unit_count; i++)
        cJSON_AddItemToArray(sources, file_name(options, program->files->units[i]->path));
    cJSON *linked = cJSON_AddArrayToObject(manifest, "linked");
    for (size_t i = 0; i < program->files->linked_count; i++)
        cJSON_AddItemToArray(linked, file_name(options, program->files->linked[i].path));
}

static void add_targets(cJSON *manifest, const struct options *options, const struct program *program)
{
    cJSON *targets = cJSON_AddArrayToObject(manifest, "targets");
    for (size_t i = 0; i < options->arch_count; i++) {
        int isa = image_isa(program, options->archs[i]);
        cJSON *target = object_in(targets);
        cJSON_AddStringToObject(target, "arch", arch_name(options->arena, options->archs[i]));
        cJSON_AddStringToObject(target, "isa", arena_printf(options->arena, "%d.%d", isa / 10, isa % 10));
        cJSON_AddStringToObject(target, "driver", ptx_isa_driver(isa));
    }
}

static void add_native_targets(cJSON *manifest, const struct options *options, const struct program *program)
{
    if (!program->has_native)
        return;
    cJSON *targets = cJSON_AddArrayToObject(manifest, "native_targets");
    for (unsigned i = 0; i < GPUCC_NATIVE_COUNT; i++)
        if (options->native_targets >> i & 1)
            cJSON_AddItemToArray(targets, cJSON_CreateString(native_target((enum gpucc_native_target)i)->name));
}

static void add_checks(cJSON *manifest, const struct options *options, const struct program *program)
{
    static const char *const names[] = {
#define CHECK(id, name) name,
#include <gpucc/checks.def>
    };
    if (!program->has_native || !options->checks)
        return;
    cJSON *checks = cJSON_AddArrayToObject(manifest, "checks");
    for (unsigned i = 0; i < CHECK_COUNT; i++)
        if (options->checks >> i & 1)
            cJSON_AddItemToArray(checks, cJSON_CreateString(names[i]));
}

static bool has_fast_functions(const struct program *program)
{
    for (size_t i = 0; i < program->files->unit_count; i++)
        if (program->files->units[i]->fast_math)
            return true;
    return false;
}

struct bytes emit_manifest(const struct options *options, const struct program *program)
{
    cJSON *manifest = cJSON_CreateObject();
    cJSON_AddStringToObject(manifest, "gpucc", GPUCC_VERSION);
    cJSON_AddNumberToObject(manifest, "schema", GPUCC_MANIFEST_SCHEMA);
    cJSON_AddStringToObject(manifest, "abi",
                            arena_printf(options->arena, "%016llx", (unsigned long long)program->abi));
    cJSON_AddStringToObject(manifest, "loops", GPUCC_LOOPS);
    add_sources(manifest, options, program);
    add_targets(manifest, options, program);
    add_native_targets(manifest, options, program);
    add_checks(manifest, options, program);
    cJSON *numerics = cJSON_AddObjectToObject(manifest, "numerics");
    cJSON_AddBoolToObject(numerics, "ieee", !options->fast_math && !options->libdevice && !has_fast_functions(program));
    cJSON_AddBoolToObject(numerics, "fast_math", options->fast_math);
    cJSON_AddStringToObject(numerics, "contraction", options->no_contraction ? "off" : "on");
    cJSON_AddStringToObject(numerics, "math", options->libdevice ? "libdevice" : "gpucc");
    cJSON *functions = cJSON_AddArrayToObject(manifest, "functions");
    for (size_t i = 0; i < program->written_count; i++)
        add_instance(functions, options, program, written_instance(program, i));
    cJSON *globals = cJSON_AddArrayToObject(manifest, "globals");
    for (size_t i = 0; i < program->global_count; i++)
        add_global(globals, &program->globals[i]);
    char *text = cJSON_Print(manifest);
    if (!text)
        fatal("out of memory");
    const char *kept = arena_printf(options->arena, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(manifest);
    return (struct bytes){kept, strlen(kept)};
}
