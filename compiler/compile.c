/* The pipeline of a compilation, in order. */
#include "builds.h"
#include "compile.h"
#include "emit/emit.h"
#include "lint/lint.h"

#include <string.h>

static bool wanted(unsigned artefacts, enum artefact kind)
{
    return artefacts >> kind & 1;
}

/* Inline assembly is PTX. */
static bool refuse_assembly_of(const struct function *functions, size_t count, struct diagnostics *diagnostics)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        const struct function *function = &functions[i];
        if (!function->assembly.file)
            continue;
        found = true;
        diagnose(diagnostics, SEVERITY_ERROR, function->assembly, NULL,
                 "'%s' uses inline assembly, which is for the GPU only: no native code can be made of it",
                 function->assembly_in);
        diagnose(diagnostics, SEVERITY_NOTE, function->assembly, NULL,
                 "put it under '#ifdef __NVPTX__', and C that does the same for the CPU under '#else'");
    }
    return found;
}

static bool refuse_assembly(const struct program *program, struct diagnostics *diagnostics)
{
    bool found = false;
    for (size_t u = 0; u < program->files->unit_count; u++) {
        const struct unit *unit = program->files->units[u];
        found |= refuse_assembly_of(unit->functions, unit->function_count, diagnostics);
        found |= refuse_assembly_of(unit->reached, unit->reached_count, diagnostics);
    }
    return found;
}

/* Errors in code for every target. */
static bool can_build(const struct options *options, const struct program *program, unsigned artefacts,
                      struct diagnostics *diagnostics)
{
    const bool native = wanted(artefacts, ARTEFACT_OBJECT);
    return !(native && refuse_assembly(program, diagnostics)) &&
           check_linked(program, options->arch_count > 0, native, diagnostics);
}

/* Code for each target, every stage in its order; targets do not wait for one another. */
static bool make_code(const struct options *options, struct program *program, unsigned artefacts,
                      struct diagnostics *diagnostics)
{
    static const struct stage stages[] = {
        {"codegen", generate}, /* the C text of its loops behind the source, made IR by Clang */
        {"lower", lower},
        {"lint", lint}, /* nothing without -Wperformance */
        {"optimize", optimize},
        {"emit", emit},
    };
    struct builds *builds = builds_new(options, program, artefacts, diagnostics);
    bool made = builds_run(builds, stages, sizeof stages / sizeof *stages) &&
                (!options->resources || measure_images(options, program, diagnostics));
    if (made) {
        program->made[ARTEFACT_JSON] = emit_manifest(options, program);
        if (wanted(artefacts, ARTEFACT_HEADER))
            program->made[ARTEFACT_HEADER] = emit_header(options, program);
        builds_emit_object(builds); /* the descriptor in it has the PTX and the manifest */
    }
    builds_free(builds); /* before what may fail: what LLVM holds is theirs */
    if (made && wanted(artefacts, ARTEFACT_SHARED))
        program->made[ARTEFACT_SHARED] = link_shared_object(options, program->made[ARTEFACT_OBJECT]);
    return made;
}

static void protect(const struct include *includes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        protect_file(includes[i].path, "is included");
}

/* Headers become known only when the source is parsed, and each pass may include others. */
static void protect_includes(const struct program *program)
{
    for (size_t i = 0; i < program->files->unit_count; i++)
        protect(program->files->units[i]->includes, program->files->units[i]->include_count);
    for (size_t i = 0; i < program->pass_count; i++)
        protect(program->passes[i].unit->includes, program->passes[i].unit->include_count);
    protect(program->includes, program->include_count);
    if (program->files->libdevice_path)
        protect_file(program->files->libdevice_path, "is linked");
}

struct program *compile(const struct options *options, unsigned artefacts)
{
    if (wanted(artefacts, ARTEFACT_SHARED)) /* which is linked of it */
        artefacts |= 1u << ARTEFACT_OBJECT;
    struct diagnostics *diagnostics = diagnostics_new(&(struct diagnostic_settings){
        .arena = options->arena, .sources = options->sources, .arguments = options->clang_arguments,
        .argument_count = options->clang_argument_count, .warnings_are_errors = options->warnings_are_errors,
        .no_warnings = options->no_warnings, .json = options->json_diagnostics && !options->in_library});
    if (options->verbose)
        stages_enable_timing();
    stage_done("start");
    struct files *files = read_files(options, diagnostics);
    stage_done("frontend");
    struct program *program = files ? instances(options, files, diagnostics) : NULL;
    if (files)
        close_files(files);
    stage_done("instances");
    if (program && options->dump == DUMP_INSTANCES)
        dump_instances(program);
    if (program && artefacts && !(can_build(options, program, artefacts, diagnostics) &&
                                  make_code(options, program, artefacts, diagnostics)))
        program = NULL;
    const bool failed = diagnostics_errors(diagnostics) > 0;
    diagnostics_summary(diagnostics);
    if (failed || !program)
        return NULL;
    if (!options->in_library)
        protect_includes(program);
    return program;
}

static void add_include(struct arena *arena, struct products *products, struct include include)
{
    for (size_t i = 0; i < products->include_count; i++)
        if (!strcmp(products->includes[i].path, include.path)) {
            products->includes[i].is_system &= include.is_system;
            return;
        }
    products->includes = arena_grow(arena, products->includes, products->include_count, sizeof *products->includes);
    products->includes[products->include_count++] = include;
}

/* All files that any pass included: that may depend on the type variables and on the target. */
static void add_includes(const struct options *options, const struct program *program, struct products *products)
{
    for (size_t i = 0; i < program->pass_count; i++) {
        const struct unit *unit = program->passes[i].unit;
        for (size_t k = 0; k < unit->include_count; k++)
            add_include(options->arena, products, unit->includes[k]);
    }
    for (size_t i = 0; i < program->include_count; i++)
        add_include(options->arena, products, program->includes[i]);
    for (size_t i = 0; i < options->linked_count; i++)
        add_include(options->arena, products, (struct include){options->linked[i], false});
}

/* Look-ups of one pass go to products. */
struct seen {
    struct arena *arena;
    struct products *products;
};

static void see_lookup(void *data, enum codegen_probe_kind kind, const char *path)
{
    struct seen *seen = data;
    lookups_see(seen->arena, &seen->products->lookups, kind, path);
}

static void see_embedded(void *data, const char *path, bool is_system)
{
    struct seen *seen = data;
    add_include(seen->arena, seen->products, (struct include){arena_strdup(seen->arena, path), is_system});
}

/* The host pass may look up files that no device pass does. */
static void look_up_all(const struct options *options, const struct program *program, struct products *products)
{
    struct seen seen = {options->arena, products};
    const struct codegen_request request = {.probe = see_lookup, .include = see_embedded, .user_data = &seen};
    for (size_t i = 0; i < program->files->unit_count; i++)
        look_up(options, program->files->units[i], NULL, request);
    for (size_t i = 0; i < program->pass_count; i++)
        if (program->passes[i].binding.count)
            look_up(options, program->passes[i].unit, &program->passes[i].binding, request);
}

static void add_lookups(const struct options *options, const struct program *program, struct products *products)
{
    struct lookups *lookups = &products->lookups;
    for (size_t i = 0; i < products->include_count; i++)
        lookups_add(options->arena, lookups, LOOKUP_FILE, products->includes[i].path);
    for (size_t u = 0; u < program->files->unit_count; u++) {
        const struct unit *unit = program->files->units[u];
        for (size_t i = 0; i < unit->include_count; i++)
            lookups_add(options->arena, lookups, LOOKUP_FILE, unit->includes[i].path);
        for (size_t i = 0; i < unit->lookups->count; i++)
            lookups_add(options->arena, lookups, unit->lookups->items[i].kind, unit->lookups->items[i].path);
    }
    for (size_t i = 0; i < program->lookups.count; i++)
        lookups_add(options->arena, lookups, program->lookups.items[i].kind, program->lookups.items[i].path);
    if (program->files->libdevice_path)
        lookups_add(options->arena, lookups, LOOKUP_FILE, program->files->libdevice_path);
    lookups->reads_clock |= program->lookups.reads_clock;
}

struct products compile_products(const struct options *options, const struct program *program)
{
    struct products products = {0};
    products.images = arena_alloc(options->arena, program->image_count * sizeof *products.images);
    for (size_t i = 0; i < program->image_count; i++)
        products.images[products.image_count++] = (struct image){program->images[i].arch, program->images[i].text};
    for (size_t i = 0; i < options->output_count; i++)
        products.made[options->outputs[i].kind] = program->made[options->outputs[i].kind];
    add_includes(options, program, &products);
    if (options->deps || options->cache.folder)
        look_up_all(options, program, &products);
    add_lookups(options, program, &products);
    return products;
}
