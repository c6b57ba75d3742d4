/* Files on the command line that are linked to the program: PTX, and LLVM's IR for either target. */
#include "semantics/semantics.h"
#include "ptx/ptx.h"
#include "ir/ir.h"

#include <errno.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

static struct place whole(const struct linked *linked)
{
    return (struct place){.file = linked->path};
}

static void add_name(struct arena *arena, struct linked *linked, const char *name)
{
    linked->names = arena_grow(arena, linked->names, linked->name_count, sizeof *linked->names);
    linked->names[linked->name_count++] = arena_strdup(arena, name);
}

/* ---- PTX ---- */

/* Also of an architecture that gpucc does not know. */
static int arch_of_target(const char *target)
{
    const int known = arch_from_name(target, strlen(target));
    char *suffix;
    const int capability = (int)strtol(target + strlen("sm_"), &suffix, 10);
    return known ? known : *suffix ? capability | ARCH_SPECIFIC : capability;
}

static bool check_target(const struct options *options, const struct linked *linked, const struct ptx_text *text,
                         struct diagnostics *diagnostics)
{
    const int part = arch_of_target(text->target);
    const char *rest = part & ARCH_SPECIFIC ? " alone" : part & ARCH_FAMILY ? " and its family" : " and later";
    for (size_t i = 0; i < options->arch_count; i++) {
        const char *arch = arch_name(options->arena, options->archs[i]);
        if (arch_can_contain(options->archs[i], part))
            continue;
        diagnose(diagnostics, SEVERITY_ERROR, whole(linked), NULL, "this PTX is for %s%s, but the program's is for %s",
                 text->target, rest, arch);
        diagnose(diagnostics, SEVERITY_NOTE, whole(linked), NULL, "--arch=%s makes them fit", text->target);
        return false;
    }
    return true;
}

static bool read_ptx(const struct options *options, struct linked *linked, struct diagnostics *diagnostics)
{
    const struct ptx_text text = ptx_read(options->arena, linked->code.data);
    if (!text.isa || !text.target || strncmp(text.target, "sm_", 3) != 0) {
        diagnose(diagnostics, SEVERITY_ERROR, whole(linked), NULL,
                 "this is not PTX: it does not begin with '.version' and '.target sm_NN'");
        return false;
    }
    if (text.address_size != 64) {
        diagnose(diagnostics, SEVERITY_ERROR, whole(linked), NULL,
                 "this PTX has 32-bit addresses, but the program's has 64-bit ones");
        return false;
    }
    if (!ptx_is_complete(linked->code.data)) {
        diagnose(diagnostics, SEVERITY_ERROR, whole(linked), NULL, "this PTX is truncated: its last statement has no "
                                                                   "end");
        return false;
    }
    linked->isa = text.isa;
    for (size_t i = 0; i < text.count; i++)
        if (text.statements[i].name && text.statements[i].is_visible)
            add_name(options->arena, linked, text.statements[i].name);
    return check_target(options, linked, &text, diagnostics);
}

/* ---- IR ---- */

/* Whether both begin with the same machine. */
static bool same_first_word(const char *triple, const char *other)
{
    const size_t length = strcspn(other, "-") + 1;
    return !strncmp(triple, other, length);
}

static bool check_module(const struct options *options, struct linked *linked, LLVMModuleRef module,
                         struct diagnostics *diagnostics)
{
    const char *triple = LLVMGetTarget(module);
    const char *native = native_target(first_target(options->native_targets))->triple;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    if (!strncmp(triple, "nvptx64-", 8)) {
        linked->target = TARGET_PTX;
    } else if (same_first_word(triple, native)) {
        linked->target = TARGET_CPU;
    } else {
        diagnose(diagnostics, SEVERITY_ERROR, whole(linked), NULL,
                 "this IR is for '%s'; what is linked must be for nvptx64 (the GPU) or %.*s (native code)", triple,
                 (int)strcspn(native, "-"), native);
        return false;
    }
    if (LLVMPointerSize(layout) == 8 && LLVMByteOrder(layout) == LLVMLittleEndian)
        return true;
    diagnose(diagnostics, SEVERITY_ERROR, whole(linked), NULL,
             "the data layout of this IR differs from its target's: '%s'", LLVMGetDataLayoutStr(module));
    return false;
}

static void note_global(struct arena *arena, struct linked *linked, LLVMValueRef global)
{
    size_t size;
    LLVMLinkage linkage = LLVMGetLinkage(global);
    if (!LLVMIsDeclaration(global) && linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage)
        add_name(arena, linked, LLVMGetValueName2(global, &size));
}

/* As bitcode from here on. */
static bool link_module(const struct options *options, struct linked *linked, LLVMModuleRef module,
                        struct diagnostics *diagnostics)
{
    if (!check_module(options, linked, module, diagnostics))
        return false;
    FOR_FUNCTIONS(f, module)
        note_global(options->arena, linked, f);
    FOR_GLOBALS(global, module)
        note_global(options->arena, linked, global);
    LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
    size_t size = LLVMGetBufferSize(bitcode);
    linked->code = (struct bytes){arena_strndup(options->arena, LLVMGetBufferStart(bitcode), size), size};
    LLVMDisposeMemoryBuffer(bitcode);
    return true;
}

static bool read_ir(const struct options *options, struct linked *linked, struct diagnostics *diagnostics)
{
    LLVMContextRef context = llvm_context_new(diagnostics);
    LLVMModuleRef module = NULL;
    char *message = NULL;
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(linked->code.data, linked->code.size, linked->path);
    bool taken = false;
    if (LLVMParseIRInContext(context, buffer, &module, &message)) {
        diagnose(diagnostics, SEVERITY_ERROR, whole(linked), NULL, "this is not LLVM IR: %.*s",
                 (int)strcspn(message, "\n"), message);
        LLVMDisposeMessage(message);
    } else {
        taken = link_module(options, linked, module, diagnostics);
        LLVMDisposeModule(module);
    }
    LLVMContextDispose(context);
    return taken;
}

/* ---- all of them ---- */

bool read_linked(const struct options *options, struct files *files, struct diagnostics *diagnostics)
{
    bool good = true;
    files->linked = arena_alloc(options->arena, options->linked_count * sizeof *files->linked);
    files->ptx = arena_alloc(options->arena, options->linked_count * sizeof *files->ptx);
    for (size_t i = 0; i < options->linked_count; i++) {
        struct linked *linked = &files->linked[files->linked_count++];
        const struct source *source = source_open(options->sources, options->linked[i]);
        if (!source)
            fatal("cannot open '%s': %s", options->linked[i], strerror(errno));
        const char *suffix = strrchr(source->path, '.');
        *linked = (struct linked){.path = source->path, .code = {source->text, source->size},
                                  .is_ptx = suffix && !strcmp(suffix, ".ptx")};
        if (linked->is_ptx)
            files->ptx[files->ptx_count++] = linked;
        good &= linked->is_ptx ? read_ptx(options, linked, diagnostics) : read_ir(options, linked, diagnostics);
    }
    return good;
}

int program_isa(const struct program *program, int arch)
{
    enum { LARGE_PARAMETERS = 81, BYTES_OF_ADDRESSES = 71 };
    int isa = ptx_isa(arch);
    if (program->splits_addresses && isa < BYTES_OF_ADDRESSES)
        isa = BYTES_OF_ADDRESSES;
    for (size_t i = 0; i < program->pass_count; i++)
        for (size_t k = 0; k < program->passes[i].instance_count; k++)
            if (program->passes[i].instances[k].function->parameter_bytes > GPUCC_PARAMETERS && isa < LARGE_PARAMETERS)
                isa = LARGE_PARAMETERS;
    return isa;
}

int image_isa(const struct program *program, int arch)
{
    int isa = program_isa(program, arch);
    for (size_t i = 0; i < program->files->ptx_count; i++)
        if (program->files->ptx[i]->isa > isa)
            isa = program->files->ptx[i]->isa;
    return isa;
}

/* ---- what is missing for one target ---- */

static bool has_name(const struct linked *linked, const char *name)
{
    for (size_t i = 0; i < linked->name_count; i++)
        if (!strcmp(linked->names[i], name))
            return true;
    return false;
}

const struct linked *linked_with(const struct files *files, const char *name, bool for_ptx, bool for_cpu)
{
    for (size_t i = 0; i < files->linked_count; i++) {
        const struct linked *linked = &files->linked[i];
        bool fits = linked->target == TARGET_PTX ? for_ptx : for_cpu;
        if (fits && has_name(linked, name))
            return linked;
    }
    return NULL;
}

static bool check_external(const struct files *files, const struct external *external, bool ptx, bool native,
                           struct diagnostics *diagnostics)
{
    const struct linked *on_gpu = linked_with(files, external->name, true, false);
    const struct linked *on_cpu = linked_with(files, external->name, false, true);
    if ((!on_gpu && !on_cpu) || ((on_gpu || !ptx) && (on_cpu || !native)))
        return true;
    if (on_gpu)
        diagnose(diagnostics, SEVERITY_ERROR, external->use, NULL,
                 "cannot call '%s' in native code: '%s' defines it for the GPU only", external->name,
                 on_gpu->path);
    else
        diagnose(diagnostics, SEVERITY_ERROR, external->use, NULL,
                 "cannot call '%s' in PTX: '%s' defines it for native code only", external->name,
                 on_cpu->path);
    diagnose(diagnostics, SEVERITY_NOTE, external->use, NULL, "also link IR for %s that defines it",
             on_gpu ? "the processor of native code" : "nvptx64");
    return false;
}

bool check_linked(const struct program *program, bool ptx, bool native, struct diagnostics *diagnostics)
{
    bool good = true;
    for (size_t i = 0; i < program->pass_count; i++)
        for (size_t k = 0; k < program->passes[i].unit->external_count; k++)
            good &= check_external(program->files, &program->passes[i].unit->externals[k], ptx, native, diagnostics);
    return good;
}
