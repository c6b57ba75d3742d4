/* From optimised IR to PTX, objects and IR files. */
#include "emit/emit_internal.h"
#include "ir/ir.h"
#include "lower/lower.h"
#include "ptx/ptx.h"

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

static bool wanted(const struct build *build, enum artefact kind)
{
    return build->artefacts >> kind & 1;
}

/* Copies LLVM's buffer into the arena and frees it. */
static struct bytes copy_buffer(struct arena *arena, LLVMMemoryBufferRef buffer)
{
    size_t size = LLVMGetBufferSize(buffer);
    struct bytes bytes = {arena_strndup(arena, LLVMGetBufferStart(buffer), size), size};
    LLVMDisposeMemoryBuffer(buffer);
    return bytes;
}

struct bytes emit_module(struct arena *arena, LLVMTargetMachineRef machine, LLVMModuleRef module,
                         LLVMCodeGenFileType type)
{
    char *message = NULL;
    LLVMMemoryBufferRef buffer;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, type, &message, &buffer))
        fatal("%s", message);
    return copy_buffer(arena, buffer);
}

/* PTX's names have no dots, as `f.table` of a static variable in f has one.  LLVM renames these too, but its debug
 * information goes on calling them by the old name. */
static void replace_dots(struct arena *arena, LLVMModuleRef module)
{
    FOR_GLOBALS(global, module) {
        struct text text = {.arena = arena};
        size_t length;
        const char *name = LLVMGetValueName2(global, &length);
        if (LLVMGetLinkage(global) != LLVMInternalLinkage && LLVMGetLinkage(global) != LLVMPrivateLinkage)
            continue;
        for (size_t i = 0; i < length; i++)
            text_append(&text, name[i] == '.' ? "_$_" : &name[i], name[i] == '.' ? 3 : 1);
        LLVMSetValueName2(global, text.data ? text.data : "", text.size);
    }
}

void note_table(struct build *build, const char *name)
{
    build->tables = arena_grow(build->options.arena, build->tables, build->table_count, sizeof *build->tables);
    build->tables[build->table_count++] = arena_strdup(build->options.arena, name);
}

static void note_tables(struct build *build, LLVMModuleRef module)
{
    FOR_GLOBALS(global, module) {
        size_t length;
        if (LLVMIsGlobalConstant(global) &&
            (LLVMGetLinkage(global) == LLVMInternalLinkage || LLVMGetLinkage(global) == LLVMPrivateLinkage))
            note_table(build, LLVMGetValueName2(global, &length));
    }
}

struct bytes emit_assembly(struct build *build, LLVMTargetMachineRef machine, LLVMModuleRef module)
{
    hide_apart_code(build, module);
    replace_dots(build->options.arena, module);
    note_tables(build, module);
    if (build->options.optimization > 0)
        copy_written_parameters(module);
    split_long_blocks(module);
    avoid_selection_faults(module, TARGET_PTX);
    avoid_memory_faults(build->options.arena, module);
    simplify_divisions(module);
    return emit_module(build->options.arena, machine, module, LLVMAssemblyFile);
}

/* The directive that packed_cluster() stands for, in LLVM's text. */
static struct bytes unpack_clusters(struct arena *arena, struct bytes code)
{
    static const char packed[] = ".maxclusterrank ";
    struct text text = {.arena = arena};
    const char *from = code.data, *at;
    if (!strstr(from, packed))
        return code;
    for (; (at = strstr(from, packed)); from = at + strcspn(at, "\n")) {
        unsigned long extents = strtoul(at + sizeof packed - 1, NULL, 10);
        text_append(&text, from, (size_t)(at - from));
        text_printf(&text, ".explicitcluster\n.reqnctapercluster %lu, %lu, %lu", extents & 255, extents >> 8 & 255,
                    extents >> 16);
    }
    text_append(&text, from, strlen(from));
    return (struct bytes){text.data, text.size};
}

/* With the program's own PTX version and architecture, where LLVM does not know them. */
static struct bytes name_target(const struct build *build, struct bytes code)
{
    const int isa = image_isa(&build->program, build->arch);
    struct text text = {.arena = build->options.arena};
    const char *version = strstr(code.data, ".version "), *target = strstr(version, ".target ");
    const char *rest = target + strcspn(target, ",\n"); /* ", debug" */
    text_append(&text, code.data, (size_t)(version - code.data));
    text_printf(&text, ".version %d.%d\n.target %s", isa / 10, isa % 10, arch_name(text.arena, build->arch));
    text_append(&text, rest, strlen(rest));
    return (struct bytes){text.data, text.size};
}

/* With comments on what is for which of the loops around ufuncs and gufuncs. */
static struct bytes divide_ptx(const struct build *build, struct bytes code)
{
    struct arena *arena = build->options.arena;
    const char **names = NULL;
    size_t count = 0;
    for (size_t p = 0; p < build->program.pass_count; p++)
        for (size_t i = 0; i < build->program.passes[p].instance_count; i++) {
            const struct instance *instance = &build->program.passes[p].instances[i];
            for (enum gpu_loop_kind k = 0; has_loops(instance) && k < GPU_LOOP_COUNT; k++)
                if (gpu_loop(instance, k).exists) {
                    names = arena_grow(arena, names, count, sizeof *names);
                    names[count++] = gpu_loop_entry(arena, instance, k);
                }
        }
    const struct ptx_loops loops = {build->program.abi, names, count, build->tables, build->table_count};
    return ptx_with_needs(arena, code, &loops);
}

/* With the PTX that is linked, and its ABI. */
static struct bytes finish_ptx(const struct build *build, struct bytes code)
{
    struct text text = {.arena = build->options.arena};
    code = ptx_with_ready(text.arena, put_in_loops(build, code));
    code = avoid_ptx_faults(text.arena, widen_tables(text.arena, code));
    code = name_target(build, number_calls(text.arena, unpack_clusters(text.arena, code)));
    code = divide_ptx(build, merge_ptx(&build->options, &build->program, code, build->diagnostics));
    text_printf(&text, "// gpucc-abi: %016llx\n", (unsigned long long)build->program.abi);
    text_append(&text, code.data, code.size);
    return (struct bytes){text.data, text.size};
}

static struct bytes emit_ll(const struct build *build, LLVMModuleRef module)
{
    char *text = LLVMPrintModuleToString(module);
    struct bytes bytes = {arena_strdup(build->options.arena, text), strlen(text)};
    LLVMDisposeMessage(text);
    return bytes;
}

/* The IR after optimisation, with all that it calls: what is emitted in parts is optimised whole. */
static void emit_ir(struct build *build)
{
    LLVMModuleRef whole = LLVMCloneModule(build->module);
    link_ready(whole);
    if (build->in_parts)
        run_pipeline(build, build->machine, whole);
    if (wanted(build, ARTEFACT_LL))
        build->made[ARTEFACT_LL] = emit_ll(build, whole);
    if (wanted(build, ARTEFACT_BC))
        build->made[ARTEFACT_BC] = copy_buffer(build->options.arena, LLVMWriteBitcodeToMemoryBuffer(whole));
    LLVMDisposeModule(whole);
}

bool emit(struct build *build)
{
    if (build->target == TARGET_CPU)
        return true;
    if (build->is_for_ir) {
        emit_ir(build);
        return true;
    }
    struct bytes code = build->in_parts ? emit_parts(build)
                                        : emit_assembly(build, build->machine, build->module);
    build->made[ARTEFACT_PTX] = finish_ptx(build, code);
    return true;
}

struct bytes emit_object(struct build *build, const struct program *program)
{
    add_descriptor(build, program);
    avoid_selection_faults(build->module, TARGET_CPU);
    return emit_module(build->options.arena, build->machine, build->module, LLVMObjectFile);
}
