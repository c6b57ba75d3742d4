/* The generated header: the program's descriptor and a typed function for each ufunc and kernel, valid as C11 and as
 * C++.  Everything of ours in it is called gpucc_…, so that the user's names are free. */
#include "emit/emit.h"

#include <string.h>

/* The name of a ufunc's result, which has none in C: out, unless an input has it. */
static const char *result_name(const struct options *options, const struct function *function)
{
    const char *name = "out";
    for (size_t i = 0; i < function->parameter_count; i++)
        if (!strcmp(name, function->parameters[i].name)) {
            name = arena_printf(options->arena, "%s_", name);
            i = (size_t)-1; /* from the first again */
        }
    return name;
}

/* The user's comment, harmless inside one of ours. */
static void comment(struct text *text, const char *doc)
{
    if (!*doc)
        return;
    text_printf(text, "/* ");
    for (const char *p = doc; *p; p++) {
        if ((*p == '*' && p[1] == '/') || (*p == '/' && p[1] == '*'))
            text_printf(text, "%c ", *p);
        else if (*p == '\n')
            text_printf(text, p[1] == '\n' ? "\n *" : "\n * ");
        else
            text_append(text, p, 1);
    }
    text_printf(text, " */\n");
}

static void find_function(struct text *text, const struct program *program, const char *what, const char *name)
{
    text_printf(text,
                "    gpucc_%s *gpucc_found;\n"
                "    gpucc_status gpucc_result = gpucc_context_%s(gpucc_ctx, &gpucc_program_%s, GPUCC_ABI_%s, \"%s\", "
                "&gpucc_found);\n"
                "    if (gpucc_result != GPUCC_OK)\n"
                "        return gpucc_result;\n",
                what, what, program->stem, program->stem, name);
}

/* A function of hosts that calls a ufunc. */
struct host_call {
    const char *name, *call; /* its own, and that of the runtime's that it calls, … */
    const char *how;         /* … with these options of its caller's, or null: with none */
};

static void ufunc_call(struct text *text, const struct options *options, const struct program *program,
                       const struct instance *instance, const struct host_call *host)
{
    const struct function *function = instance->function;
    size_t inputs = instance->input_count, outputs = instance->output_count;
    const char *names[64];
    for (size_t i = 0; i < inputs + outputs && i < 64; i++)
        names[i] = instance->results_by_value && i == inputs
                       ? result_name(options, function)
                       : host_name(options, function->parameters[first_operand(instance) + i].name, i);
    text_printf(text, "static inline gpucc_status %s(gpucc_context *gpucc_ctx",
                host_function(options, program, host->name));
    for (size_t i = 0; i < inputs; i++)
        text_printf(text, ", const gpucc_array *%s", names[i]);
    for (size_t i = inputs; i < inputs + outputs; i++)
        text_printf(text, ", gpucc_array **%s", names[i]);
    text_printf(text, host->how ? ", const gpucc_call_options *%s)\n{\n" : ")\n{\n", host->how);
    find_function(text, program, "ufunc", function->name);
    text_printf(text, "    if (");
    for (size_t i = inputs; i < inputs + outputs; i++)
        text_printf(text, "%s!%s", i > inputs ? " || " : "", names[i]);
    text_printf(text, ")\n        return %s(gpucc_found, NULL, NULL, NULL); /* which says what is wrong */\n",
                host->call);
    text_printf(text, "    const gpucc_array *gpucc_inputs[%zu] = {", inputs ? inputs : 1);
    for (size_t i = 0; i < inputs; i++)
        text_printf(text, "%s%s", i ? ", " : "", names[i]);
    text_printf(text, "%s};\n    gpucc_array *gpucc_outputs[%zu] = {", inputs ? "" : "NULL", outputs);
    for (size_t i = inputs; i < inputs + outputs; i++)
        text_printf(text, "%s*%s", i > inputs ? ", " : "", names[i]);
    text_printf(text, "};\n    gpucc_result = %s(gpucc_found, gpucc_inputs, gpucc_outputs, %s);\n", host->call,
                host->how ? host->how : "NULL");
    for (size_t i = 0; i < outputs; i++)
        text_printf(text, "    *%s = gpucc_outputs[%zu];\n", names[inputs + i], i);
    text_printf(text, "    return gpucc_result;\n}\n\n");
}

/* NAME; and NAME_with and, of several inputs, NAME_outer, unless the source has something else of that name. */
static void ufunc(struct text *text, const struct options *options, const struct program *program,
                  const struct instance *instance)
{
    const struct function *function = instance->function;
    const char *with = arena_printf(options->arena, "%s_with", function->name);
    const char *outer = arena_printf(options->arena, "%s_outer", function->name);
    comment(text, function->doc);
    ufunc_call(text, options, program, instance, &(struct host_call){function->name, "gpucc_ufunc_call", NULL});
    if (!host_name_is_taken(program, with)) {
        text_printf(text, "/* %s with a stream, %s, rules for types, or an order: see gpucc_call_options. */\n",
                    function->name, instance->layout ? "axes" : "a mask");
        ufunc_call(text, options, program, instance, &(struct host_call){with, "gpucc_ufunc_call", "gpucc_how"});
    }
    if (!instance->layout && instance->input_count > 1 && !host_name_is_taken(program, outer)) {
        text_printf(text, "/* %s of every combination of the inputs' elements; see gpucc_ufunc_outer(). */\n",
                    function->name);
        ufunc_call(text, options, program, instance, &(struct host_call){outer, "gpucc_ufunc_outer", "gpucc_how"});
    }
}

/* A method of ufuncs that can be folded. */
struct method {
    const char *name, *comment; /* "reduce"; what it does, before the ufunc's name */
    bool has_indices;
};

/* NAME_reduce, unless the source has something else of that name. */
static void method(struct text *text, const struct options *options, const struct program *program, const char *name,
                   const struct method *method)
{
    const char *whole_name = arena_printf(options->arena, "%s_%s", name, method->name);
    if (host_name_is_taken(program, whole_name))
        return;
    text_printf(text,
                "/* %s %s; see gpucc_ufunc_%s(). */\n"
                "static inline gpucc_status %s(gpucc_context *gpucc_ctx, const gpucc_array *gpucc_in, %s"
                "gpucc_array **gpucc_out, const gpucc_%s_options *gpucc_how)\n{\n",
                method->comment, name, method->name, host_function(options, program, whole_name),
                method->has_indices ? "const gpucc_array *gpucc_indices, " : "", method->name);
    find_function(text, program, "ufunc", name);
    text_printf(text, "    return gpucc_ufunc_%s(gpucc_found, gpucc_in, %sgpucc_out, gpucc_how);\n}\n\n", method->name,
                method->has_indices ? "gpucc_indices, " : "");
}

/* Whether one of the ufunc's loops can be folded. */
static void methods(struct text *text, const struct options *options, const struct program *program, const char *name)
{
    static const struct method all[] = {
        {"reduce", "Combines the elements of an array along axes by", false},
        {"accumulate", "Every partial result along an axis of an array by", false},
        {"reduceat", "Combines the elements of slices along an axis of an array by", true},
    };
    bool folds = false;
    for (size_t i = 0; i < program->written_count; i++) {
        const struct instance *instance = written_instance(program, i);
        folds |= instance->folds && !strcmp(instance->function->name, name);
    }
    for (size_t i = 0; folds && i < sizeof all / sizeof *all; i++)
        method(text, options, program, name, &all[i]);
}

/* NAME_at, of one or two inputs and one output. */
static void at_method(struct text *text, const struct options *options, const struct program *program,
                      const struct instance *instance)
{
    const char *name = instance->function->name, *at = arena_printf(options->arena, "%s_at", name);
    const bool has_operand = instance->input_count == 2;
    if (instance->layout || instance->output_count != 1 || instance->input_count < 1 || instance->input_count > 2 ||
        host_name_is_taken(program, at))
        return;
    text_printf(text,
                "/* In place by %s, elements of an array at indices; see gpucc_ufunc_at(). */\n"
                "static inline gpucc_status %s(gpucc_context *gpucc_ctx, gpucc_array *gpucc_in, "
                "const gpucc_array *gpucc_indices, %sconst gpucc_at_options *gpucc_how)\n{\n",
                name, host_function(options, program, at), has_operand ? "const gpucc_array *gpucc_operand, " : "");
    find_function(text, program, "ufunc", name);
    text_printf(text, "    return gpucc_ufunc_at(gpucc_found, gpucc_in, gpucc_indices, %s, gpucc_how);\n}\n\n",
                has_operand ? "gpucc_operand" : "NULL");
}

static void launcher(struct text *text, const struct options *options, const struct program *program,
                     const struct host_records *records, const struct instance *instance)
{
    const struct function *function = instance->function;
    comment(text, function->doc);
    if (instance->cluster_count)
        text_printf(text, "/* The grid is a multiple of clusters of %lld x %lld x %lld blocks. */\n",
                    instance->cluster[0], instance->cluster[1], instance->cluster[2]);
    text_printf(text, "static inline gpucc_status %s(gpucc_context *gpucc_ctx, const gpucc_launch *gpucc_how",
                host_function(options, program, instance->symbol));
    for (size_t i = 0; i < function->parameter_count; i++)
        text_printf(text, ", %s%s", host_parameter(options, records, &function->parameters[i].type),
                    host_name(options, function->parameters[i].name, i));
    text_printf(text, ")\n{\n");
    find_function(text, program, "kernel", instance->symbol);
    text_printf(text, "    void *gpucc_parameters[%zu] = {", function->parameter_count ? function->parameter_count : 1);
    for (size_t i = 0; i < function->parameter_count; i++) {
        bool by_address = function->parameters[i].type.kind == TYPE_STRUCT;
        text_printf(text, "%s(void *)%s%s", i ? ", " : "", by_address ? "" : "&",
                    host_name(options, function->parameters[i].name, i));
    }
    text_printf(text, "%s};\n    return gpucc_kernel_launch(gpucc_found, gpucc_how, gpucc_parameters);\n}\n\n",
                function->parameter_count ? "" : "NULL");
}

static void global_accessor(struct text *text, const struct options *options, const struct program *program,
                            const struct global *global)
{
    comment(text, global->doc);
    text_printf(text, "/* %s", global->type.spelling);
    for (size_t i = 0; i < global->type.dimension_count; i++)
        text_printf(text, "[%s]", global->type.dimensions[i]);
    text_printf(text,
                ", as an array to read and write; the caller releases it. */\n"
                "static inline gpucc_status %s(gpucc_context *gpucc_ctx, gpucc_array **gpucc_out)\n{\n"
                "    return gpucc_context_global(gpucc_ctx, &gpucc_program_%s, GPUCC_ABI_%s, \"%s\", gpucc_out);\n"
                "}\n\n",
                host_function(options, program, global->name), program->stem, program->stem, global->name);
}

/* Bytes as numbers: a string literal of this length is no valid C. */
static void byte_array(struct text *text, const char *name, struct bytes bytes)
{
    text_printf(text, "static const char %s[] = {", name);
    for (size_t i = 0; i <= bytes.size; i++)
        text_printf(text, "%s%d", i % 24 ? "," : i ? ",\n    " : "\n    ", i < bytes.size ? bytes.data[i] : 0);
    text_printf(text, "};\n");
}

static void embedded_program(struct text *text, const struct options *options, const struct program *program)
{
    for (size_t i = 0; i < program->image_count; i++)
        byte_array(text, arena_printf(options->arena, "gpucc_ptx_%s_%zu", program->stem, i), program->images[i].text);
    byte_array(text, arena_printf(options->arena, "gpucc_manifest_%s", program->stem), program->made[ARTEFACT_JSON]);
    text_printf(text, "static const struct gpucc_image gpucc_images_%s[] = {\n", program->stem);
    for (size_t i = 0; i < program->image_count; i++)
        text_printf(text, "    {%d, %d, gpucc_ptx_%s_%zu, sizeof gpucc_ptx_%s_%zu - 1},\n",
                    arch_capability(program->images[i].arch), program->images[i].isa, program->stem, i, program->stem,
                    i);
    text_printf(text,
                "};\n"
                "static const struct gpucc_program_image gpucc_program_%s = {\n"
                "    GPUCC_PROGRAM_VERSION, %zu, GPUCC_ABI_%s, \"%s\", gpucc_manifest_%s,\n"
                "    sizeof gpucc_manifest_%s - 1, gpucc_images_%s, NULL, 0, NULL, 0, NULL, 0, NULL};\n\n",
                program->stem, program->image_count, program->stem, program->source, program->stem, program->stem,
                program->stem);
}

/* A fused reduction has only this function. */
static void reduction(struct text *text, const struct options *options, const struct program *program,
                      const struct instance *instance)
{
    const struct function *function = instance->function;
    const size_t inputs = instance->input_count;
    comment(text, function->doc);
    text_printf(text,
                "/* Elements that it makes are combined by %s; see gpucc_reduction_call(). */\n"
                "static inline gpucc_status %s(gpucc_context *gpucc_ctx",
                instance->by->function->name, host_function(options, program, function->name));
    for (size_t i = 0; i < inputs; i++)
        text_printf(text, ", const gpucc_array *%s", host_name(options, function->parameters[i].name, i));
    text_printf(text, ", gpucc_array **gpucc_out, const gpucc_reduce_options *gpucc_how)\n{\n");
    find_function(text, program, "ufunc", function->name);
    text_printf(text, "    const gpucc_array *gpucc_inputs[%zu] = {", inputs);
    for (size_t i = 0; i < inputs; i++)
        text_printf(text, "%s%s", i ? ", " : "", host_name(options, function->parameters[i].name, i));
    text_printf(text, "};\n    return gpucc_reduction_call(gpucc_found, gpucc_inputs, gpucc_out, gpucc_how);\n}\n\n");
}

/* One typed function for each ufunc, whatever its number of loops, and for each kernel. */
static bool is_first(const struct program *program, const struct instance *instance)
{
    for (size_t i = 0; i < program->pass_count; i++)
        for (size_t k = 0; k < program->passes[i].instance_count; k++) {
            const struct instance *other = &program->passes[i].instances[k];
            if (!strcmp(other->function->name, instance->function->name) ||
                !strcmp(other->symbol, instance->symbol))
                return other == instance || instance->function->kind == FUNCTION_KERNEL;
        }
    return true;
}

struct bytes emit_header(const struct options *options, const struct program *program)
{
    struct text text = {.arena = options->arena};
    text_printf(&text,
                "/* Made by gpucc %s from %s: do not edit. */\n"
                "#ifndef GPUCC_HEADER_%s\n#define GPUCC_HEADER_%s\n\n"
                "#include <gpucc/runtime.h>\n#include <assert.h>\n#include <stdbool.h>\n#include <stddef.h>\n"
                "#include <stdint.h>\n\n"
                "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
                "#define GPUCC_ABI_%s UINT64_C(0x%016llx)\n\n",
                GPUCC_VERSION, program->source, program->stem, program->stem, program->stem,
                (unsigned long long)program->abi);
    if (options->embed)
        embedded_program(&text, options, program);
    else
        text_printf(&text, "extern const struct gpucc_program_image gpucc_program_%s;\n\n", program->stem);
    const struct host_records *records = declare_records(&text, options, program);
    for (size_t i = 0; i < program->global_count; i++)
        global_accessor(&text, options, program, &program->globals[i]);
    for (size_t i = 0; i < program->pass_count; i++)
        for (size_t k = 0; k < program->passes[i].instance_count; k++) {
            const struct instance *instance = &program->passes[i].instances[k];
            if (instance->function->kind == FUNCTION_KERNEL)
                launcher(&text, options, program, records, instance);
            else if (instance->by && is_first(program, instance))
                reduction(&text, options, program, instance);
            else if (has_loops(instance) && is_first(program, instance)) {
                ufunc(&text, options, program, instance);
                methods(&text, options, program, instance->function->name);
                at_method(&text, options, program, instance);
            }
        }
    text_printf(&text, "#ifdef __cplusplus\n}\n#endif\n#endif\n");
    return (struct bytes){text.data, text.size};
}
