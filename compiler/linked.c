/* Files on the command line that are linked to the program: PTX, and LLVM's IR for either target. */
#include "backend.h"
#include "ptx_text.h"

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

static int arch_of_target(const char *target)
{
    return !strncmp(target, "sm_", 3) ? atoi(target + 3) : 0;
}

/* PTX for one architecture is also for every newer one, but what ends with a letter is for that one alone. */
static bool check_target(const struct options *options, const struct linked *linked, const struct ptx_text *text,
                         struct diagnostics *diagnostics)
{
    bool is_specific = strspn(text->target + 3, "0123456789") != strlen(text->target + 3);
    for (size_t i = 0; i < options->arch_count; i++) {
        const char *arch = arch_name(options, options->archs[i]);
        if (is_specific ? !strcmp(arch, text->target)
                        : arch_of_target(text->target) <= (options->archs[i] & ~ARCH_SPECIFIC))
            continue;
        diagnose(diagnostics, SEVERITY_ERROR, whole(linked), NULL, "this PTX is for %s%s, but the program's is for %s",
                 text->target, is_specific ? " alone" : " and later", arch);
        diagnose(diagnostics, SEVERITY_NOTE, whole(linked), NULL, "--arch=%s makes them fit", text->target);
        return false;
    }
    return true;
}

static bool read_ptx(const struct options *options, struct linked *linked, struct diagnostics *diagnostics)
{
    const struct ptx_text text = ptx_read(options->arena, linked->code.data);
    if (!text.isa || !text.target || !arch_of_target(text.target)) {
        diagnose(diagnostics, SEVERITY_ERROR, whole(linked), NULL,
                 "this is no PTX: it does not begin with '.version' and '.target sm_NN'");
        return false;
    }
    if (text.address_size != 64) {
        diagnose(diagnostics, SEVERITY_ERROR, whole(linked), NULL,
                 "this PTX is not for 64-bit addresses, but the program's is");
        return false;
    }
    if (!text.is_complete) {
        diagnose(diagnostics, SEVERITY_ERROR, whole(linked), NULL, "this PTX is cut off: a statement has no end");
        return false;
    }
    linked->isa = text.isa;
    for (size_t i = 0; i < text.count; i++)
        if (text.statements[i].name && text.statements[i].is_visible)
            add_name(options->arena, linked, text.statements[i].name);
    return check_target(options, linked, &text, diagnostics);
}

/* ---- IR ---- */

static bool check_module(struct linked *linked, LLVMModuleRef module, struct diagnostics *diagnostics)
{
    const char *triple = LLVMGetTarget(module);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    if (!strncmp(triple, "nvptx64-", 8)) {
        linked->target = TARGET_PTX;
    } else if (!strncmp(triple, "x86_64-", 7)) {
        linked->target = TARGET_CPU;
    } else {
        diagnose(diagnostics, SEVERITY_ERROR, whole(linked), NULL,
                 "this IR is for '%s'; what is linked must be for nvptx64 (the GPU) or x86_64 (native code)", triple);
        return false;
    }
    if (LLVMPointerSize(layout) == 8 && LLVMByteOrder(layout) == LLVMLittleEndian)
        return true;
    diagnose(diagnostics, SEVERITY_ERROR, whole(linked), NULL,
             "this IR has another data layout than its target's: '%s'", LLVMGetDataLayoutStr(module));
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
static bool take_module(const struct options *options, struct linked *linked, LLVMModuleRef module,
                        struct diagnostics *diagnostics)
{
    if (!check_module(linked, module, diagnostics))
        return false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        note_global(options->arena, linked, f);
    for (LLVMValueRef global = LLVMGetFirstGlobal(module); global; global = LLVMGetNextGlobal(global))
        note_global(options->arena, linked, global);
    linked->code = emit_bc(options, module);
    return true;
}

static bool read_ir(const struct options *options, struct linked *linked, struct diagnostics *diagnostics)
{
    LLVMContextRef context = build_context(diagnostics);
    LLVMModuleRef module = NULL;
    char *message = NULL;
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(linked->code.data, linked->code.size, linked->path);
    bool taken = false;
    if (LLVMParseIRInContext(context, buffer, &module, &message)) {
        diagnose(diagnostics, SEVERITY_ERROR, whole(linked), NULL, "this is no LLVM IR: %.*s",
                 (int)strcspn(message, "\n"), message);
        LLVMDisposeMessage(message);
    } else {
        taken = take_module(options, linked, module, diagnostics);
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

int image_isa(const struct program *program, int arch)
{
    int isa = program_isa(program, arch);
    for (size_t i = 0; i < program->files->ptx_count; i++)
        if (program->files->ptx[i]->isa > isa)
            isa = program->files->ptx[i]->isa;
    return isa;
}

/* ---- linking ---- */

const struct external *find_external(const struct program *program, const char *name)
{
    for (size_t i = 0; i < program->pass_count; i++)
        for (size_t k = 0; k < program->passes[i].unit->external_count; k++)
            if (!strcmp(program->passes[i].unit->externals[k].name, name))
                return &program->passes[i].unit->externals[k];
    return NULL;
}

/* Structs of two files have names of their own. */
static bool same_type(LLVMTypeRef a, LLVMTypeRef b)
{
    if (a == b)
        return true;
    if (LLVMGetTypeKind(a) != LLVMGetTypeKind(b))
        return false;
    switch (LLVMGetTypeKind(a)) {
    case LLVMStructTypeKind: {
        unsigned count = LLVMCountStructElementTypes(a);
        bool same = count == LLVMCountStructElementTypes(b) && LLVMIsPackedStruct(a) == LLVMIsPackedStruct(b);
        for (unsigned i = 0; same && i < count; i++)
            same = same_type(LLVMStructGetTypeAtIndex(a, i), LLVMStructGetTypeAtIndex(b, i));
        return same;
    }
    case LLVMArrayTypeKind:
        return LLVMGetArrayLength2(a) == LLVMGetArrayLength2(b) &&
               same_type(LLVMGetElementType(a), LLVMGetElementType(b));
    default:
        return false;
    }
}

static bool same_function_type(LLVMTypeRef a, LLVMTypeRef b)
{
    LLVMTypeRef of_a[256], of_b[256];
    unsigned count = LLVMCountParamTypes(a);
    if (count != LLVMCountParamTypes(b) || count > sizeof of_a / sizeof *of_a ||
        LLVMIsFunctionVarArg(a) != LLVMIsFunctionVarArg(b))
        return false;
    LLVMGetParamTypes(a, of_a);
    LLVMGetParamTypes(b, of_b);
    bool same = same_type(LLVMGetReturnType(a), LLVMGetReturnType(b));
    for (unsigned i = 0; same && i < count; i++)
        same = same_type(of_a[i], of_b[i]);
    return same;
}

/* A call with other types than the function has would be undefined, and vanish. */
static bool check_types(const struct program *program, const struct linked *linked, LLVMModuleRef module,
                        LLVMModuleRef other, struct diagnostics *diagnostics)
{
    bool same = true;
    for (LLVMValueRef f = LLVMGetFirstFunction(other); f; f = LLVMGetNextFunction(f)) {
        size_t size;
        const char *name = LLVMGetValueName2(f, &size);
        LLVMValueRef declared = LLVMIsDeclaration(f) ? NULL : LLVMGetNamedFunction(module, name);
        if (!declared || same_function_type(LLVMGlobalGetValueType(declared), LLVMGlobalGetValueType(f)))
            continue;
        const struct external *external = find_external(program, name);
        char *type = LLVMPrintTypeToString(LLVMGlobalGetValueType(f));
        build_error(diagnostics, external ? external->place : whole(linked),
                    "'%s' is declared with other types here than it has in '%s': '%s'", name, linked->path, type);
        LLVMDisposeMessage(type);
        same = false;
    }
    return same;
}

static bool link_one(const struct program *program, const struct linked *linked, LLVMModuleRef module,
                     struct diagnostics *diagnostics)
{
    LLVMModuleRef other = NULL;
    char *message = NULL;
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(linked->code.data, linked->code.size, linked->path, false);
    if (LLVMParseIRInContext(LLVMGetModuleContext(module), buffer, &other, &message))
        fatal("%s: %s", linked->path, message);
    bool same = check_types(program, linked, module, other, diagnostics);
    LLVMDisposeModule(other);
    if (!same)
        return false;
    if (!codegen_link(module, linked->code.data, linked->code.size))
        fatal("'%s' cannot be linked to the program", linked->path);
    for (size_t i = 0; i < linked->name_count; i++) {
        LLVMValueRef global = LLVMGetNamedFunction(module, linked->names[i]);
        if (!global)
            global = LLVMGetNamedGlobal(module, linked->names[i]);
        if (global && !LLVMIsDeclaration(global))
            LLVMSetLinkage(global, LLVMInternalLinkage);
    }
    return true;
}

bool link_modules(const struct program *program, enum target target, LLVMModuleRef module,
                  struct diagnostics *diagnostics)
{
    bool good = true;
    for (size_t i = 0; i < program->files->linked_count; i++) {
        const struct linked *linked = &program->files->linked[i];
        if (!linked->is_ptx && linked->target == target)
            good &= link_one(program, linked, module, diagnostics);
    }
    return good;
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
                 "no native code can be made of a call of '%s', which '%s' defines for the GPU alone", external->name,
                 on_gpu->path);
    else
        diagnose(diagnostics, SEVERITY_ERROR, external->use, NULL,
                 "no PTX can be made of a call of '%s', which '%s' defines for native code alone", external->name,
                 on_cpu->path);
    diagnose(diagnostics, SEVERITY_NOTE, external->use, NULL, "link IR for %s that defines it too",
             on_gpu ? "x86_64" : "nvptx64");
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
