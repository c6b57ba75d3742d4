/* The object's descriptor, `struct gpucc_program_image gpucc_program_STEM` of <gpucc/program.h>, and what its native
 * functions are by their own names, as IR in the CPU's module. */
#include "emit/emit_internal.h"
#include "ir/ir.h"

#include <assert.h>
#include <gpucc/program.h>
#include <llvm-c/Core.h>
#include <string.h>

struct builder {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
};

static LLVMValueRef integer(const struct builder *b, unsigned bits, uint64_t value)
{
    return LLVMConstInt(LLVMIntTypeInContext(b->context, bits), value, false);
}

static LLVMValueRef constant_global(const struct builder *b, LLVMValueRef value, const char *name)
{
    LLVMValueRef global = LLVMAddGlobal(b->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

static LLVMValueRef string(const struct builder *b, const char *text, size_t size)
{
    return constant_global(b, LLVMConstStringInContext2(b->context, text, size, false), "");
}

static LLVMValueRef record(const struct builder *b, LLVMValueRef *fields, unsigned count)
{
    return LLVMConstStructInContext(b->context, fields, count, false);
}

static LLVMValueRef null_pointer(const struct builder *b)
{
    return LLVMConstNull(LLVMPointerTypeInContext(b->context, 0));
}

static LLVMValueRef array(const struct builder *b, LLVMValueRef *items, size_t count)
{
    if (!count)
        return null_pointer(b);
    return constant_global(b, LLVMConstArray2(LLVMTypeOf(items[0]), items, count), "");
}

static LLVMValueRef image_table(const struct options *options, const struct builder *b, const struct program *program)
{
    LLVMValueRef *items = arena_alloc(options->arena, (program->image_count + 1) * sizeof *items);
    for (size_t i = 0; i < program->image_count; i++) {
        const struct ptx_image *image = &program->images[i];
        LLVMValueRef fields[] = {integer(b, 32, (unsigned)arch_capability(image->arch)),
                                 integer(b, 32, (unsigned)image->isa),
                                 string(b, image->text.data, image->text.size), integer(b, 64, image->text.size)};
        items[i] = record(b, fields, 4);
    }
    return array(b, items, program->image_count);
}

static LLVMValueRef native_table(const struct builder *b, const struct build *build, enum gpucc_native_target target)
{
    struct arena *arena = build->options.arena;
    LLVMValueRef *items = arena_alloc(arena, (build->native_count + 1) * sizeof *items);
    for (size_t i = 0; i < build->native_count; i++) {
        const char *name = build->natives[i];
        LLVMValueRef fields[] = {string(b, name, strlen(name)),
                                 LLVMGetNamedFunction(b->module, native_symbol(arena, name, target))};
        items[i] = record(b, fields, 2);
    }
    return array(b, items, build->native_count);
}

/* The variables that hosts reach by name. */
static LLVMValueRef global_table(const struct builder *b, const struct build *build, enum gpucc_native_target target)
{
    struct arena *arena = build->options.arena;
    const struct program *program = &build->program;
    LLVMValueRef *items = arena_alloc(arena, (program->global_count + 1) * sizeof *items);
    for (size_t i = 0; i < program->global_count; i++) {
        const struct global *global = &program->globals[i];
        const char *symbol = build->options.emulate ? global->name : native_symbol(arena, global->name, target);
        LLVMValueRef variable = LLVMGetNamedGlobal(b->module, symbol);
        assert(variable);
        LLVMValueRef fields[] = {string(b, global->name, strlen(global->name)), variable,
                                 integer(b, 64, global->type.size)};
        items[i] = record(b, fields, 3);
    }
    return array(b, items, program->global_count);
}

/* The least demanding target's first. */
static LLVMValueRef code_table(const struct builder *b, const struct build *build, size_t *count)
{
    LLVMValueRef items[GPUCC_NATIVE_COUNT];
    *count = 0;
    for (unsigned i = 0; i < GPUCC_NATIVE_COUNT; i++) {
        const enum gpucc_native_target target = (enum gpucc_native_target)i;
        if (!(build->options.native_targets >> i & 1))
            continue;
        LLVMValueRef fields[] = {integer(b, 64, i), native_table(b, build, target), integer(b, 64, build->native_count),
                                 global_table(b, build, target), integer(b, 64, build->program.global_count)};
        items[(*count)++] = record(b, fields, 5);
    }
    return array(b, items, *count);
}

/* ---- the functions by their own names ---- */

static LLVMTypeRef pointer_type(const struct builder *b)
{
    return LLVMPointerTypeInContext(b->context, 0);
}

static LLVMValueRef add_function(const struct builder *b, const char *name, LLVMTypeRef type, LLVMLinkage linkage)
{
    static const char key[] = "target-cpu", any[] = "generic";
    LLVMValueRef function = LLVMAddFunction(b->module, name, type);
    LLVMSetLinkage(function, linkage);
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(b->context, key, strlen(key), any, strlen(any)));
    set_attribute(function, "nounwind");
    return function;
}

static LLVMValueRef c_function(const struct builder *b, const char *name, LLVMTypeRef type)
{
    LLVMValueRef there = LLVMGetNamedFunction(b->module, name);
    return there ? there : LLVMAddFunction(b->module, name, type);
}

/* The function for a process on a machine that runs none of the code. */
static void build_end(const struct builder *b, const struct build *build, const struct program *program)
{
    struct text text = {.arena = build->options.arena};
    LLVMTypeRef i64 = LLVMInt64TypeInContext(b->context), i32 = LLVMInt32TypeInContext(b->context);
    LLVMTypeRef types[] = {i32, pointer_type(b), i64}, nothing = LLVMVoidTypeInContext(b->context);
    text_printf(&text, "gpucc: error: this machine cannot run the native code of %s, which is for", program->source);
    for (unsigned i = 0; i < GPUCC_NATIVE_COUNT; i++)
        if (build->options.native_targets >> i & 1)
            text_printf(&text, " %s", native_target((enum gpucc_native_target)i)->name);
    text_append(&text, "\n", 1);
    LLVMValueRef arguments[] = {integer(b, 32, 2), string(b, text.data, text.size), integer(b, 64, text.size)};
    build_call(b->builder, c_function(b, "write", LLVMFunctionType(i64, types, 3, false)), arguments, 3);
    build_call(b->builder, c_function(b, "abort", LLVMFunctionType(nothing, NULL, 0, false)), NULL, 0);
    LLVMBuildUnreachable(b->builder);
}

/* A function that returns the struct gpucc_native_code to be taken.  The runtime knows which; a process without it has
 * nobody to ask, and gets the least demanding one. */
static LLVMValueRef code_choice(const struct builder *b, const struct build *build, const struct program *program,
                                LLVMValueRef codes, LLVMValueRef descriptor)
{
    LLVMTypeRef pointer = pointer_type(b);
    LLVMValueRef ask = add_function(b, "gpucc_cpu_code", LLVMFunctionType(pointer, &pointer, 1, false),
                                    LLVMExternalWeakLinkage);
    LLVMValueRef choice = add_function(b, "gpucc.code", LLVMFunctionType(pointer, NULL, 0, false),
                                       LLVMInternalLinkage);
    LLVMBasicBlockRef blocks[5];
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        blocks[i] = LLVMAppendBasicBlockInContext(b->context, choice, "");
    LLVMPositionBuilderAtEnd(b->builder, blocks[0]);
    LLVMBuildCondBr(b->builder, LLVMBuildIsNotNull(b->builder, ask, ""), blocks[2], blocks[1]);
    LLVMPositionBuilderAtEnd(b->builder, blocks[1]);
    LLVMBuildRet(b->builder, codes);
    LLVMPositionBuilderAtEnd(b->builder, blocks[2]);
    LLVMValueRef code = build_call(b->builder, ask, &descriptor, 1);
    LLVMBuildCondBr(b->builder, LLVMBuildIsNotNull(b->builder, code, ""), blocks[3], blocks[4]);
    LLVMPositionBuilderAtEnd(b->builder, blocks[3]);
    LLVMBuildRet(b->builder, code);
    LLVMPositionBuilderAtEnd(b->builder, blocks[4]);
    build_end(b, build, program);
    return choice;
}

/* The address at `offset` bytes after another one. */
static LLVMValueRef load(const struct builder *b, LLVMValueRef address, size_t offset)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(b->context);
    LLVMValueRef by = integer(b, 64, offset);
    LLVMValueRef from = LLVMBuildInBoundsGEP2(b->builder, byte, address, &by, 1, "");
    return LLVMBuildLoad2(b->builder, pointer_type(b), from, "");
}

/* The function of this index in the table, under its own name: choice()->natives[index].function(…) */
static void add_entry(const struct builder *b, const struct build *build, size_t index, LLVMValueRef choice)
{
    const char *name = build->natives[index];
    const enum gpucc_native_target first = first_target(build->options.native_targets);
    LLVMTypeRef type = LLVMGlobalGetValueType(
        LLVMGetNamedFunction(b->module, native_symbol(build->options.arena, name, first)));
    LLVMValueRef entry = add_function(b, name, type, LLVMExternalLinkage), arguments[64];
    unsigned count = LLVMCountParams(entry);
    assert(count <= sizeof arguments / sizeof *arguments);
    LLVMGetParams(entry, arguments);
    LLVMPositionBuilderAtEnd(b->builder, LLVMAppendBasicBlockInContext(b->context, entry, ""));
    LLVMValueRef code = build_call(b->builder, choice, NULL, 0);
    LLVMValueRef natives = load(b, code, offsetof(struct gpucc_native_code, natives));
    const size_t at = index * sizeof(struct gpucc_native);
    LLVMValueRef function = load(b, natives, at + offsetof(struct gpucc_native, function));
    LLVMValueRef result = LLVMBuildCall2(b->builder, type, function, arguments, count, "");
    LLVMSetTailCallKind(result, LLVMTailCallKindMustTail);
    if (LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(b->builder);
    else
        LLVMBuildRet(b->builder, result);
}

/* Runs when the object is loaded: @llvm.global_ctors. */
static void add_constructor(const struct builder *b, const char *name)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(b->context), NULL, 0, false);
    const unsigned last = 65535;
    LLVMValueRef fields[] = {integer(b, 32, last), c_function(b, name, type), null_pointer(b)};
    LLVMValueRef entry = record(b, fields, 3);
    LLVMValueRef list = LLVMConstArray2(LLVMTypeOf(entry), &entry, 1);
    LLVMValueRef global = LLVMAddGlobal(b->module, LLVMTypeOf(list), "llvm.global_ctors");
    LLVMSetInitializer(global, list);
    LLVMSetLinkage(global, LLVMAppendingLinkage);
}

/* The function by which native code asks for its thread, if it does: by its address the runtime knows
 * whether that is its own. */
static LLVMValueRef asked_function(const struct builder *b)
{
    LLVMValueRef self = LLVMGetNamedFunction(b->module, "gpucc_cpu_self");
    return self && LLVMGetFirstUse(self) ? self : null_pointer(b);
}

void add_descriptor(struct build *build, const struct program *program)
{
    const struct options *options = &build->options;
    struct builder b = {build->module, build->context, LLVMCreateBuilderInContext(build->context)};
    size_t code_count;
    LLVMValueRef codes = code_table(&b, build, &code_count);
    LLVMValueRef fields[] = {
        integer(&b, 32, GPUCC_PROGRAM_VERSION),
        integer(&b, 32, program->image_count),
        integer(&b, 64, program->abi),
        string(&b, program->source, strlen(program->source)),
        string(&b, program->made[ARTEFACT_JSON].data, program->made[ARTEFACT_JSON].size),
        integer(&b, 64, program->made[ARTEFACT_JSON].size),
        image_table(options, &b, program),
        null_pointer(&b),
        integer(&b, 64, 0),
        null_pointer(&b),
        integer(&b, 64, 0),
        codes,
        integer(&b, 64, code_count),
        asked_function(&b),
    };
    const char *name = arena_printf(options->arena, "gpucc_program_%s", program->stem);
    LLVMValueRef descriptor = constant_global(&b, record(&b, fields, sizeof fields / sizeof *fields), name);
    LLVMSetLinkage(descriptor, LLVMExternalLinkage);
    if (options->checks & CHECK_UNINITIALIZED)
        add_constructor(&b, "gpucc_cpu_watch_arrays"); /* hosts may make arrays before they load the program */
    LLVMValueRef choice = code_choice(&b, build, program, codes, descriptor);
    for (size_t i = 0; i < build->native_count; i++)
        add_entry(&b, build, i, choice);
    LLVMDisposeBuilder(b.builder);
}
