/* The object's descriptor, `struct gpucc_program_image gpucc_program_STEM` of <gpucc/program.h>, as IR in the CPU's
 * module. */
#include "emit/emit_internal.h"
#include "ir/ir.h"

#include <assert.h>
#include <gpucc/program.h>
#include <llvm-c/Core.h>
#include <string.h>

struct builder {
    LLVMModuleRef module;
    LLVMContextRef context;
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
        LLVMValueRef fields[] = {integer(b, 32, (unsigned)(image->arch & ~ARCH_SPECIFIC)),
                                 integer(b, 32, (unsigned)image->isa),
                                 string(b, image->text.data, image->text.size), integer(b, 64, image->text.size)};
        items[i] = record(b, fields, 4);
    }
    return array(b, items, program->image_count);
}

/* Every function that the lowering left visible is one that the runtime may ask for. */
static LLVMValueRef native_table(const struct options *options, const struct builder *b, size_t *count)
{
    LLVMValueRef *items = NULL;
    *count = 0;
    FOR_FUNCTIONS(f, b->module) {
        size_t size;
        if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) != LLVMExternalLinkage)
            continue;
        const char *name = LLVMGetValueName2(f, &size);
        LLVMValueRef fields[] = {string(b, name, size), f};
        items = arena_grow(options->arena, items, *count, sizeof *items);
        items[(*count)++] = record(b, fields, 2);
    }
    return array(b, items, *count);
}

/* The variables that hosts reach by name.  The host program may have other things of these names, so the object tells
 * nobody but the runtime; tests that emulate a GPU find them like the driver does. */
static LLVMValueRef global_table(const struct options *options, const struct builder *b, const struct program *program)
{
    LLVMValueRef *items = arena_alloc(options->arena, (program->global_count + 1) * sizeof *items);
    for (size_t i = 0; i < program->global_count; i++) {
        const struct global *global = &program->globals[i];
        LLVMValueRef variable = LLVMGetNamedGlobal(b->module, global->name);
        assert(variable);
        if (!options->emulate)
            LLVMSetLinkage(variable, LLVMInternalLinkage);
        LLVMValueRef fields[] = {string(b, global->name, strlen(global->name)), variable,
                                 integer(b, 64, global->type.size)};
        items[i] = record(b, fields, 3);
    }
    return array(b, items, program->global_count);
}

void add_descriptor(const struct options *options, const struct program *program, LLVMModuleRef module)
{
    struct builder b = {module, LLVMGetModuleContext(module)};
    size_t native_count;
    LLVMValueRef natives = native_table(options, &b, &native_count);
    LLVMValueRef fields[] = {
        integer(&b, 32, GPUCC_PROGRAM_VERSION),
        integer(&b, 32, program->image_count),
        integer(&b, 64, program->abi),
        string(&b, program->source, strlen(program->source)),
        string(&b, program->made[ARTEFACT_JSON].data, program->made[ARTEFACT_JSON].size),
        integer(&b, 64, program->made[ARTEFACT_JSON].size),
        image_table(options, &b, program),
        natives,
        integer(&b, 64, native_count),
        global_table(options, &b, program),
        integer(&b, 64, program->global_count),
    };
    const char *name = arena_printf(options->arena, "gpucc_program_%s", program->stem);
    LLVMValueRef descriptor = constant_global(&b, record(&b, fields, sizeof fields / sizeof *fields), name);
    LLVMSetLinkage(descriptor, LLVMExternalLinkage);
}
