/* gpucc: the command, and the pipeline of a compilation. */
#include "backend.h"

#include <llvm-c/Core.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static bool wanted(unsigned artefacts, enum artefact kind)
{
    return artefacts >> kind & 1;
}

/* The object holds the PTX, whose making goes on meanwhile. */
static bool build_object(const struct options *options, struct program *program, struct image_job *images,
                         struct diagnostics *diagnostics)
{
    LLVMContextRef context = program_context(program, TARGET_CPU, 0, diagnostics);
    LLVMTargetMachineRef machine = target_machine(options, TARGET_CPU, 0, 0);
    LLVMModuleRef module = build_module(options, program, TARGET_CPU, 0, context, diagnostics);
    if (module)
        optimize(options, TARGET_CPU, machine, module);
    stage_done(options, "optimize");
    bool built = images_finish(images) && module;
    if (built) {
        program->has_native = true;
        program->manifest = emit_manifest(options, program);
        add_descriptor(options, program, module);
        program->object = emit_assembled(options, machine, module);
        stage_done(options, "emit");
    }
    if (module)
        LLVMDisposeModule(module);
    LLVMDisposeTargetMachine(machine);
    LLVMContextDispose(context);
    return built;
}

/* Their layouts are checked, but nothing is generated for them yet. */
static bool refuse_gufuncs(const struct program *program, struct diagnostics *diagnostics)
{
    bool found = false;
    for (size_t u = 0; u < program->files->unit_count; u++)
        for (size_t i = 0; i < program->files->units[u]->function_count; i++) {
            const struct function *function = &program->files->units[u]->functions[i];
            if (function->kind != FUNCTION_GUFUNC)
                continue;
            found = true;
            diagnose(diagnostics, SEVERITY_ERROR, function->place, NULL,
                     "code for guvectorize functions is not generated yet; write '%s' as a kernel", function->name);
        }
    return found;
}

/* Inline assembly is PTX. */
static bool refuse_assembly(const struct program *program, struct diagnostics *diagnostics)
{
    bool found = false;
    for (size_t u = 0; u < program->files->unit_count; u++)
        for (size_t i = 0; i < program->files->units[u]->function_count; i++) {
            const struct function *function = &program->files->units[u]->functions[i];
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

/* Everything that the command line names; null where nothing can be made of it. */
static struct files *read_files(const struct options *options, struct diagnostics *diagnostics)
{
    struct files *files = arena_alloc(options->arena, sizeof *files);
    files->units = arena_alloc(options->arena, options->input_count * sizeof *files->units);
    files->unit_count = options->input_count;
    bool read = read_linked(options, files, diagnostics);
    if (options->libdevice)
        read_libdevice(options, files);
    for (size_t i = 0; i < options->input_count; i++) {
        files->units[i] = frontend(options, options->inputs[i], NULL, false, diagnostics);
        read &= files->units[i] != NULL;
    }
    if (read)
        check_constant_space(files, diagnostics);
    return read ? files : NULL;
}

/* Whether any of these needs PTX. */
static bool wants_ptx(const struct options *options, unsigned artefacts)
{
    return options->arch_count && artefacts;
}

/* PTX, which takes longer than native code, is what both are waited for. */
static struct ahead *start_ahead(const struct options *options, unsigned artefacts, struct diagnostics *diagnostics)
{
    if (wants_ptx(options, artefacts))
        return ahead_start(options, TARGET_PTX, options->archs[0], diagnostics);
    return wanted(artefacts, ARTEFACT_OBJECT) ? ahead_start(options, TARGET_CPU, 0, diagnostics) : NULL;
}

struct program *compile(const struct options *options, unsigned artefacts)
{
    struct diagnostics *diagnostics = diagnostics_new(options);
    stage_done(options, "start");
    struct ahead *ahead = start_ahead(options, artefacts, diagnostics);
    struct files *files = read_files(options, diagnostics);
    struct program *program = files ? instances(options, files, diagnostics) : NULL;
    stage_done(options, "frontend");
    if (program && options->dump == DUMP_INSTANCES)
        dump_instances(program);
    if (program && artefacts && refuse_gufuncs(program, diagnostics))
        program = NULL;
    if (program && wanted(artefacts, ARTEFACT_OBJECT) && refuse_assembly(program, diagnostics))
        program = NULL;
    bool native = wanted(artefacts, ARTEFACT_OBJECT);
    if (program && !check_linked(program, wants_ptx(options, artefacts), native, diagnostics))
        program = NULL;
    if (program && artefacts) {
        program->ahead = ahead;
        struct image_job *images = images_start(options, program, artefacts, diagnostics);
        bool built = wanted(artefacts, ARTEFACT_OBJECT) ? build_object(options, program, images, diagnostics)
                                                        : images_finish(images);
        if (built && !program->manifest.data)
            program->manifest = emit_manifest(options, program);
        if (built && wanted(artefacts, ARTEFACT_HEADER))
            program->header = emit_header(options, program);
        program = built && !diagnostics_errors(diagnostics) ? program : NULL;
    }
    ahead_end(ahead);
    diagnostics_summary(diagnostics);
    return program;
}

/* ---- files ---- */

/* FILE.ptx, or FILE.sm_90.ptx where several architectures were asked for; with no suffix, FILE.sm_90. */
static void write_images(const struct options *options, const struct program *program, const char *path)
{
    const char *slash = strrchr(path, '/'), *suffix = strrchr(slash ? slash : path, '.');
    size_t stem = suffix ? (size_t)(suffix - path) : strlen(path);
    for (size_t i = 0; i < program->image_count; i++) {
        const struct ptx_image *image = &program->images[i];
        const char *name = path;
        if (program->image_count > 1)
            name = arena_printf(options->arena, "%.*s.%s%s", (int)stem, path, arch_name(options, image->arch),
                                path + stem);
        write_file(name, image->text.data, image->text.size, false);
    }
}

static void write_outputs(const struct options *options, const struct program *program)
{
    const struct bytes artefacts[] = {
        [ARTEFACT_JSON] = program->manifest, [ARTEFACT_HEADER] = program->header,
        [ARTEFACT_OBJECT] = program->object, [ARTEFACT_LL] = program->ll, [ARTEFACT_BC] = program->bc,
    };
    for (size_t i = 0; i < options->output_count; i++) {
        const struct output *output = &options->outputs[i];
        if (output->kind == ARTEFACT_PTX)
            write_images(options, program, output->path);
        else
            write_file(output->path, artefacts[output->kind].data, artefacts[output->kind].size,
                       output->kind == ARTEFACT_HEADER);
    }
    if (options->deps)
        write_dependencies(options, program);
    commit_files();
}

static int command_compile(int argc, char **argv)
{
    struct options options = {0};
    unsigned artefacts = 0;
    options_parse(&options, argc, argv);
    for (size_t i = 0; i < options.output_count && !options.syntax_only && !options.deps_only; i++)
        artefacts |= 1u << options.outputs[i].kind;
    const struct program *program = compile(&options, artefacts);
    if (!program)
        return EXIT_INPUT;
    if (options.deps_only || !options.syntax_only)
        write_outputs(&options, program);
    return EXIT_OK;
}

/* Clang recurses over deeply nested expressions: a generated file may nest very deep. */
static void raise_stack_limit(void)
{
    struct rlimit limit;
    const rlim_t wanted = (rlim_t)1 << 30;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted ? wanted : limit.rlim_max;
    setrlimit(RLIMIT_STACK, &limit);
}

/* A compilation is over before it would have given memory back; asking for a little more again and again takes longer. */
static void grow_heap_in_large_steps(void)
{
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_TOP_PAD, 16 << 20);
}

/* Of Clang's two halves only the driver, which reads syntax trees, would heed these. */
static void forget_clang_variables(void)
{
    static const char *const names[] = {"CPATH", "C_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"run", command_run}, {"inspect", command_inspect}, {"devices", command_devices}};
    raise_stack_limit();
    grow_heap_in_large_steps();
    forget_clang_variables();
    crash_install();
    optimize_setup();
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    int status = command_compile(argc, argv);
    finish_standard_output();
    /* Nothing is left to do, and taking LLVM down takes as long as a compilation. */
    _Exit(status);
}
