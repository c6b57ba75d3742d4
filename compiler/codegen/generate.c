/* The C text of each pass, made IR by Clang. */
#include "codegen/codegen_internal.h"

#include <llvm-c/Core.h>
#include <string.h>

static void report_error(void *data, const char *file, unsigned line, unsigned column, const char *message)
{
    struct diagnostics *diagnostics = data;
    diagnose(diagnostics, SEVERITY_ERROR, (struct place){file, line, column, 0}, NULL, "%s", message);
}

/* Clang's findings in one pass. */
struct collected {
    struct build *build;
    struct arena *arena;
    struct declaration *items;
    size_t count;
};

static void record_include(void *data, const char *path, bool is_system)
{
    struct collected *collected = data;
    struct build *build = collected->build;
    for (size_t i = 0; i < build->include_count; i++)
        if (!strcmp(build->includes[i].path, path))
            return;
    build->includes = arena_grow(collected->arena, build->includes, build->include_count, sizeof *build->includes);
    build->includes[build->include_count++] = (struct include){arena_strdup(collected->arena, path), is_system};
}

static void record_lookup(void *data, enum codegen_probe_kind kind, const char *path)
{
    struct collected *collected = data;
    lookups_see(collected->arena, &collected->build->lookups, kind, path);
}

static void record_declaration(void *data, const struct declaration *declaration)
{
    struct collected *list = data;
    list->items = arena_grow(list->arena, list->items, list->count, sizeof *list->items);
    struct declaration *kept = &list->items[list->count++];
    *kept = *declaration;
    kept->name = arena_strdup(list->arena, declaration->name);
    kept->file = declaration->file ? arena_strdup(list->arena, declaration->file) : NULL;
    kept->annotations = arena_strdup(list->arena, declaration->annotations);
    kept->type = arena_strdup(list->arena, declaration->type);
    kept->layout = arena_strdup(list->arena, declaration->layout);
}

/* The user's file with the loops behind it, so that both are one translation unit. */
static const char *translation_unit(const struct build *build, const struct pass *pass, size_t *size)
{
    struct text text = {.arena = build->options.arena};
    text_append(&text, pass->unit->text, pass->unit->text_size);
    text_printf(&text, "\n%s", loops(&build->options, pass, build->target));
    *size = text.size;
    return text.data;
}

static void name_module(LLVMModuleRef module, const char *name)
{
    LLVMSetModuleIdentifier(module, name, strlen(name));
    LLVMSetSourceFileName(module, name, strlen(name));
}

/* Declarations at the source's beginning are one more file in memory. */
static void use_precompiled_headers(const struct build *build, const struct unit *unit,
                                    struct codegen_request *request)
{
    struct arena *arena = build->options.arena;
    const char *native = native_target(first_target(build->options.native_targets))->name;
    const char *pass_name = build->target == TARGET_PTX ? arch_name(arena, build->arch)
                                                      : arena_printf(arena, "cpu-%s", native);
    const struct embedded_file *headers = precompiled_headers(&build->options, unit, pass_name);
    if (!headers)
        return;
    const char **arguments = arena_alloc(arena, (request->argument_count + 2) * sizeof *arguments);
    struct codegen_file *files = arena_alloc(arena, (request->file_count + 1) * sizeof *files);
    arguments[0] = "-include-pch";
    arguments[1] = headers->path;
    memcpy(arguments + 2, request->arguments, request->argument_count * sizeof *arguments);
    memcpy(files, request->files, request->file_count * sizeof *files);
    files[request->file_count++] = (struct codegen_file){headers->path, headers->data, headers->size};
    request->arguments = arguments;
    request->argument_count += 2;
    request->files = files;
}

static LLVMModuleRef generate_pass(struct build *build, const struct pass *pass)
{
    const struct options *options = &build->options;
    struct collected collected = {.build = build, .arena = build->options.arena};
    if (report_scopes(options, pass->unit, build->target, build->arch, &pass->binding, build->diagnostics))
        return NULL;
    struct codegen_request request = {.path = pass->unit->path, .report = report_error,
                                      .report_data = build->diagnostics,
                                      .guards_numbers = true,
                                      .own_folder = EMBEDDED_ROOT,
                                      .declare = record_declaration, .include = record_include, .probe = record_lookup,
                                      .user_data = &collected,
                                      .misnamed = misnamed,
                                      .namespaces = namespaces_for(pass->unit->namespaces, options->arena),
                                      .column = spelling_column, .place = spelling_place,
                                      .spelling = pass->unit->spelling};
    request.text = translation_unit(build, pass, &request.size);
    request.arguments = cc1_arguments(options, build->target, build->arch, pass->unit, &pass->binding,
                                      &request.argument_count);
    request.files = (const struct codegen_file *)virtual_files(options, pass->unit, &request.file_count);
    request.own_files = (const struct codegen_file *)spelled_headers(pass->unit->spelling, options->arena,
                                                                     &request.own_count);
    use_precompiled_headers(build, pass->unit, &request);
    if (options->dump == DUMP_LOOPS)
        printf("%s", request.text);
    LLVMModuleRef module = codegen(build->context, &request);
    if (module)
        name_module(module, shown_name(pass->unit->path));
    if (module && options->dump == DUMP_CODEGEN)
        LLVMDumpModule(module);
    if (!module || passes_agree(build, pass->unit, collected.items, collected.count))
        return module;
    LLVMDisposeModule(module);
    return NULL;
}

/* ---- which passes are needed ---- */

static bool add_module(struct build *build, size_t pass)
{
    if (build->modules[pass])
        return true;
    build->modules[pass] = generate_pass(build, &build->program.passes[pass]);
    if (build->modules[pass])
        build->order[build->order_count++] = pass;
    return build->modules[pass];
}

/* The first pass of the unit that defines `name` for others, or pass_count. */
static size_t pass_defining(const struct build *build, const char *name)
{
    const struct program *program = &build->program;
    const struct linkable *linkable = find_linkable(program->files->linkage, name);
    size_t i = 0;
    while (linkable && i < program->pass_count &&
           !(program->passes[i].is_first && !strcmp(program->passes[i].unit->path, linkable->unit->path)))
        i++;
    return linkable ? i : program->pass_count;
}

/* Another file may define the symbol if it is only declared here, or weak. */
static bool is_wanted(LLVMValueRef global)
{
    const LLVMLinkage linkage = LLVMGetLinkage(global);
    return LLVMIsDeclaration(global) ? LLVMGetFirstUse(global) != NULL
                                     : linkage == LLVMWeakAnyLinkage || linkage == LLVMWeakODRLinkage;
}

static const char *source_name(LLVMValueRef global)
{
    size_t size;
    const char *name = LLVMGetValueName2(global, &size);
    return library_with(LLVMGetTarget(LLVMGetGlobalParent(global)), name) ? plain_name(name) : name;
}

static bool add_definer(struct build *build, LLVMValueRef global)
{
    const size_t pass = is_wanted(global) ? pass_defining(build, source_name(global)) : SIZE_MAX;
    return pass >= build->program.pass_count || add_module(build, pass);
}

static bool add_definers(struct build *build, LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!add_definer(build, f))
            return false;
    for (LLVMValueRef global = LLVMGetFirstGlobal(module); global; global = LLVMGetNextGlobal(global))
        if (!add_definer(build, global))
            return false;
    return true;
}

/* Code that hosts start, or variables that they see; a program has one such pass at least, as its module is theirs. */
static bool is_root(const struct program *program, const struct pass *pass)
{
    return pass->instance_count || (pass->is_first && pass->unit->global_count) || program->pass_count == 1;
}

bool generate(struct build *build)
{
    const size_t count = build->program.pass_count;
    choose_ready_loops(build);
    build->context = llvm_context_new(build->diagnostics);
    build->modules = arena_alloc(build->options.arena, count * sizeof *build->modules);
    build->order = arena_alloc(build->options.arena, count * sizeof *build->order);
    for (size_t i = 0; i < count; i++)
        if (is_root(&build->program, &build->program.passes[i]) && !add_module(build, i))
            return false;
    if (!build->order_count && !add_module(build, 0))
        return false;
    for (size_t i = 0; i < build->order_count; i++)
        if (!add_definers(build, build->modules[build->order[i]]))
            return false;
    return true;
}
