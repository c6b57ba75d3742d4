/* The PTX of a program, made in a thread of its own while the caller makes the native code: both take their time in
 * Clang and LLVM, each in a context of its own. */
#define _XOPEN_SOURCE 700
#include "backend.h"

#include <llvm-c/Core.h>
#include <string.h>

struct image_job {
    const struct options *options; /* the compilation's */
    struct program *program;
    unsigned artefacts;
    struct diagnostics *diagnostics;
    bool built, threaded;
    pthread_t thread;
    /* What a thread works on: an arena of its own, and the program with instances of its own to note things in. */
    struct options own_options;
    struct program own_program;
};

static bool wanted(unsigned artefacts, enum artefact kind)
{
    return artefacts >> kind & 1;
}

static void keep_ir(const struct options *options, struct program *program, unsigned artefacts, LLVMModuleRef module)
{
    if (wanted(artefacts, ARTEFACT_LL) && !program->ll.data)
        program->ll = emit_ll(options, module);
    if (wanted(artefacts, ARTEFACT_BC) && !program->bc.data)
        program->bc = emit_bc(options, module);
}

/* The lowered module optimised: its PTX, the same whatever else is made of it, and its IR where that is wanted. */
static struct bytes emit_code(const struct options *options, struct program *program, unsigned artefacts, int arch,
                              LLVMTargetMachineRef machine, LLVMModuleRef module, struct diagnostics *diagnostics)
{
    bool as_ir = (wanted(artefacts, ARTEFACT_LL) && !program->ll.data) ||
                 (wanted(artefacts, ARTEFACT_BC) && !program->bc.data);
    if (has_parts(options, program, module)) {
        if (as_ir) {
            LLVMModuleRef whole = LLVMCloneModule(module);
            optimize(options, TARGET_PTX, machine, whole);
            keep_ir(options, program, artefacts, whole);
            LLVMDisposeModule(whole);
        }
        return emit_parts(options, program, arch, machine, module, diagnostics);
    }
    optimize(options, TARGET_PTX, machine, module);
    stage_done(options, "optimize");
    keep_ir(options, program, artefacts, module);
    return emit_assembly(options, machine, module);
}

/* PTX for one architecture, and the IR where it is wanted. */
static bool build_image(const struct options *options, struct program *program, unsigned artefacts, int arch,
                        struct diagnostics *diagnostics)
{
    LLVMContextRef context = program_context(program, TARGET_PTX, arch, diagnostics);
    LLVMTargetMachineRef machine = target_machine(options, TARGET_PTX, arch, program_isa(program, arch));
    LLVMModuleRef module = build_module(options, program, TARGET_PTX, arch, context, diagnostics);
    if (module) {
        struct ptx_image *image = &program->images[program->image_count++];
        *image = (struct ptx_image){.arch = arch, .isa = image_isa(program, arch)};
        struct bytes code = emit_code(options, program, artefacts, arch, machine, module, diagnostics);
        image->text = emit_ptx(options, program, arch, code, diagnostics);
        stage_done(options, "emit");
        LLVMDisposeModule(module);
    }
    LLVMDisposeTargetMachine(machine);
    LLVMContextDispose(context);
    return module != NULL;
}

static bool build_images(const struct options *options, struct program *program, unsigned artefacts,
                         struct diagnostics *diagnostics)
{
    bool built = true;
    program->images = arena_alloc(options->arena, options->arch_count * sizeof *program->images);
    for (size_t i = 0; built && i < options->arch_count; i++)
        built = build_image(options, program, artefacts, options->archs[i], diagnostics);
    return built;
}

/* ---- the thread ---- */

static void *run_job(void *data)
{
    static char stack[CRASH_STACK]; /* there is one such thread */
    struct image_job *job = data;
    crash_guard_thread(stack);
    job->built = build_images(&job->own_options, &job->own_program, job->artefacts, job->diagnostics);
    return NULL;
}

static void copy_program(struct image_job *job)
{
    struct program *own = &job->own_program;
    struct arena *arena = job->own_options.arena;
    *own = *job->program;
    own->passes = arena_alloc(arena, own->pass_count * sizeof *own->passes);
    for (size_t i = 0; i < own->pass_count; i++) {
        struct pass *pass = &own->passes[i];
        *pass = job->program->passes[i];
        pass->instances = arena_alloc(arena, pass->instance_count * sizeof *pass->instances);
        if (pass->instance_count)
            memcpy(pass->instances, job->program->passes[i].instances, pass->instance_count * sizeof *pass->instances);
    }
}

struct image_job *images_start(const struct options *options, struct program *program, unsigned artefacts,
                               struct diagnostics *diagnostics)
{
    struct image_job *job = arena_alloc(options->arena, sizeof *job);
    *job = (struct image_job){.options = options, .program = program, .artefacts = artefacts,
                              .diagnostics = diagnostics};
    if (wanted(artefacts, ARTEFACT_OBJECT) && may_thread(options)) {
        job->own_options = *options;
        job->own_options.arena = arena_new();
        copy_program(job);
        job->threaded = thread_start(&job->thread, run_job, job);
        if (!job->threaded)
            arena_free(job->own_options.arena);
    }
    if (!job->threaded)
        job->built = build_images(options, program, artefacts, diagnostics);
    return job;
}

static struct bytes keep(const struct options *options, struct bytes bytes)
{
    if (bytes.data)
        bytes.data = arena_strndup(options->arena, bytes.data, bytes.size);
    return bytes;
}

static void take_images(struct image_job *job)
{
    struct program *program = job->program, *own = &job->own_program;
    pthread_join(job->thread, NULL);
    job->threaded = false;
    program->images = arena_alloc(job->options->arena, own->image_count * sizeof *program->images);
    program->image_count = own->image_count;
    for (size_t i = 0; i < own->image_count; i++) {
        program->images[i] = own->images[i];
        program->images[i].text = keep(job->options, own->images[i].text);
    }
    program->ll = keep(job->options, own->ll);
    program->bc = keep(job->options, own->bc);
    arena_free(job->own_options.arena);
}

bool images_finish(struct image_job *job)
{
    if (job->threaded)
        take_images(job);
    return job->built && (!job->options->resources || measure_images(job->options, job->program, job->diagnostics));
}
