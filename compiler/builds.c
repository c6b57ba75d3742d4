/* The builds of a program's targets: what each owns, the threads that take them through the stages, and what the
 * program gets of them. */
#define _XOPEN_SOURCE 700
#include "builds.h"
#include "emit/emit.h"

#include <llvm-c/Core.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

struct builds {
    const struct options *options;
    struct program *program;
    struct diagnostics *diagnostics;
    struct build *items; /* PTX in the order of the architectures, then its IR, then native code */
    bool *done;
    size_t count;
    const struct stage *stages;
    size_t stage_count;
    atomic_size_t next; /* build that no thread has begun */
};

/* The lowering notes things in instances. */
static void copy_instances(struct arena *arena, struct program *program)
{
    struct pass *passes = arena_alloc(arena, program->pass_count * sizeof *passes);
    for (size_t i = 0; i < program->pass_count; i++) {
        const struct pass *pass = &program->passes[i];
        passes[i] = *pass;
        passes[i].instances = arena_alloc(arena, pass->instance_count * sizeof *pass->instances);
        if (pass->instance_count)
            memcpy(passes[i].instances, pass->instances, pass->instance_count * sizeof *pass->instances);
    }
    program->passes = passes;
}

static struct build *add_build(struct builds *builds, enum target target, int arch, unsigned artefacts,
                               struct diagnostics *diagnostics)
{
    struct build *build = &builds->items[builds->count++];
    struct arena *arena = arena_new();
    *build = (struct build){.options = *builds->options, .program = *builds->program, .artefacts = artefacts,
                            .diagnostics = diagnostics_deferred(arena, diagnostics), .target = target, .arch = arch};
    build->options.arena = arena;
    copy_instances(arena, &build->program);
    return build;
}

struct builds *builds_new(const struct options *options, struct program *program, unsigned artefacts,
                          struct diagnostics *diagnostics)
{
    const unsigned ir = 1u << ARTEFACT_LL | 1u << ARTEFACT_BC;
    struct builds *builds = arena_alloc(options->arena, sizeof *builds);
    *builds = (struct builds){.options = options, .program = program, .diagnostics = diagnostics};
    builds->items = arena_alloc(options->arena, (options->arch_count + 2) * sizeof *builds->items);
    builds->done = arena_alloc(options->arena, (options->arch_count + 2) * sizeof *builds->done);
    for (size_t i = 0; i < options->arch_count; i++)
        add_build(builds, TARGET_PTX, options->archs[i], artefacts & ~ir, diagnostics);
    if (artefacts & ir && options->arch_count) {
        struct build *build = add_build(builds, TARGET_PTX, options->archs[0], artefacts & ir, diagnostics);
        build->is_for_ir = true;
        build->options.lints = false;
    }
    if (artefacts >> ARTEFACT_OBJECT & 1)
        add_build(builds, TARGET_CPU, 0, artefacts, diagnostics);
    return builds;
}

/* ---- running ---- */

static void run_build(struct builds *builds, size_t index)
{
    bool done = true;
    for (size_t i = 0; done && i < builds->stage_count; i++) {
        done = builds->stages[i].run(&builds->items[index]);
        stage_done(builds->stages[i].name);
    }
    builds->done[index] = done;
}

static void *work(void *data)
{
    struct builds *builds = data;
    for (size_t i; (i = atomic_fetch_add(&builds->next, 1)) < builds->count;)
        run_build(builds, i);
    return NULL;
}

/* One thread for each build or processor, of which this one is one. */
static void work_in_threads(struct builds *builds)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = 0, most = processors > 1 && options_threads(builds->options) ? (size_t)processors - 1 : 0;
    if (most >= builds->count)
        most = builds->count ? builds->count - 1 : 0;
    pthread_t *threads = arena_alloc(builds->options->arena, most * sizeof *threads);
    while (count < most && thread_start(&threads[count], work, builds))
        count++;
    job_guard(work, builds);
    while (count > 0)
        pthread_join(threads[--count], NULL);
    job_check();
}

/* ---- what the program gets ---- */

static struct bytes copy_bytes(struct arena *arena, struct bytes bytes)
{
    if (bytes.data)
        bytes.data = arena_strndup(arena, bytes.data, bytes.size);
    return bytes;
}

static void collect_image(struct builds *builds, const struct build *build)
{
    struct program *program = builds->program;
    struct arena *arena = builds->options->arena;
    program->splits_addresses |= build->program.splits_addresses;
    if (!build->is_for_ir)
        program->images[program->image_count++] =
            (struct ptx_image){.arch = build->arch, .isa = image_isa(program, build->arch),
                               .text = copy_bytes(arena, build->made[ARTEFACT_PTX])};
    for (enum artefact kind = 0; kind < ARTEFACT_COUNT; kind++)
        if (kind != ARTEFACT_PTX && build->made[kind].data)
            program->made[kind] = copy_bytes(arena, build->made[kind]);
}

static void collect_includes(struct builds *builds, const struct build *build)
{
    struct program *program = builds->program;
    struct arena *arena = builds->options->arena;
    for (size_t i = 0; i < build->include_count; i++) {
        program->includes = arena_grow(arena, program->includes, program->include_count, sizeof *program->includes);
        program->includes[program->include_count++] =
            (struct include){arena_strdup(arena, build->includes[i].path), build->includes[i].is_system};
    }
}

static void collect_lookups(struct builds *builds, const struct build *build)
{
    struct lookups *all = &builds->program->lookups;
    all->reads_clock |= build->lookups.reads_clock;
    for (size_t i = 0; i < build->lookups.count; i++)
        lookups_add(builds->options->arena, all, build->lookups.items[i].kind, build->lookups.items[i].path);
}

static bool same_limits(const struct instance *a, const struct instance *b)
{
    return a->launch_threads == b->launch_threads && a->launch_blocks == b->launch_blocks &&
           a->max_registers == b->max_registers && a->cluster_count == b->cluster_count &&
           !memcmp(a->cluster, b->cluster, sizeof a->cluster);
}

/* They lived in the build's arena. */
static void collect_findings(struct builds *builds, struct instance *instance)
{
    struct arena *arena = builds->options->arena;
    struct finding *kept = arena_alloc(arena, instance->finding_count * sizeof *kept);
    for (size_t i = 0; i < instance->finding_count; i++) {
        kept[i] = instance->findings[i];
        kept[i].text = arena_strdup(arena, kept[i].text);
    }
    instance->findings = kept;
}

/* Hosts see the same limits for every target; for the rest, what is enough for each. */
static void join_notes(struct builds *builds, const struct build *build, struct instance *all,
                       const struct instance *one)
{
    const struct function *function = all->function;
    if (!same_limits(all, one))
        diagnose(builds->diagnostics, SEVERITY_ERROR, function->place, NULL,
                 "launch_bounds, max_registers or cluster of '%s' differ between %s and %s, but the host interface has "
                 "one", function->name, build_name(build), build_name(&builds->items[0]));
    all->shared_bytes = one->shared_bytes > all->shared_bytes ? one->shared_bytes : all->shared_bytes;
    all->dynamic_shared |= one->dynamic_shared;
    all->barriers |= one->barriers;
    all->cooperative |= one->cooperative;
    all->updates &= one->updates;
    all->has_team &= one->has_team;
    all->team_waits |= one->team_waits;
    all->team_elements = one->team_elements;
    all->team_exchanges |= one->team_exchanges;
    all->runs_blocks |= one->runs_blocks;
    all->overwrites &= one->overwrites;
}

/* The notes of the lowering. */
static void collect_notes(struct builds *builds, const struct build *build)
{
    struct program *program = builds->program;
    for (size_t i = 0; i < program->pass_count; i++)
        for (size_t k = 0; k < program->passes[i].instance_count; k++) {
            struct instance *all = &program->passes[i].instances[k];
            const struct instance *one = &build->program.passes[i].instances[k];
            if (build != builds->items) {
                join_notes(builds, build, all, one);
                continue;
            }
            *all = *one;
            collect_findings(builds, all);
        }
    program->cpu_shared_bytes = build->program.cpu_shared_bytes;
    program->has_native = build->target == TARGET_CPU;
}

bool builds_run(struct builds *builds, const struct stage *stages, size_t count)
{
    bool made = true;
    builds->stages = stages;
    builds->stage_count = count;
    work_in_threads(builds);
    for (size_t i = 0; i < builds->count; i++) {
        diagnostics_release(builds->items[i].diagnostics);
        made &= builds->done[i];
    }
    if (!made)
        return false;
    builds->program->images =
        arena_alloc(builds->options->arena, builds->options->arch_count * sizeof *builds->program->images);
    for (size_t i = 0; i < builds->count; i++) {
        if (builds->items[i].target == TARGET_PTX)
            collect_image(builds, &builds->items[i]);
        collect_includes(builds, &builds->items[i]);
        collect_lookups(builds, &builds->items[i]);
        collect_notes(builds, &builds->items[i]);
    }
    return !diagnostics_errors(builds->diagnostics);
}

void builds_emit_object(struct builds *builds)
{
    struct build *last = builds->count ? &builds->items[builds->count - 1] : NULL;
    if (last && last->target == TARGET_CPU)
        builds->program->made[ARTEFACT_OBJECT] = copy_bytes(builds->options->arena, emit_object(last, builds->program));
}

static void free_build(struct build *build)
{
    for (size_t i = 0; build->modules && i < build->program.pass_count; i++)
        if (build->modules[i])
            LLVMDisposeModule(build->modules[i]);
    if (build->module)
        LLVMDisposeModule(build->module);
    if (build->user_code)
        LLVMDisposeModule(build->user_code);
    if (build->machine)
        LLVMDisposeTargetMachine(build->machine);
    if (build->context)
        LLVMContextDispose(build->context);
    arena_free(build->options.arena);
}

void builds_free(struct builds *builds)
{
    for (size_t i = 0; i < builds->count; i++)
        free_build(&builds->items[i]);
}
