/* gpucc test: compile in memory, try every ufunc and gufunc on inputs made for it, report what does not hold. */
#include "test/test_internal.h"

#include <stdlib.h>
#include <string.h>

struct tester {
    struct test_options options;
    struct arena *arena;
    const struct program *program;
    struct jit *code, *plain_code; /* optimised, and as it is written */
    struct checked {               /* checked code for the CPU, for each set of checks that a test wants */
        unsigned checks;
        const struct program *program;
        struct checked *next;
    } *checked;
    struct side *sides;            /* the CPU first */
    struct side *checked_side;     /* the CPU with checked code; null: none is wanted */
    struct jit *checked_code;
    const char *no_gpu;            /* why no GPU is compared; null: one is, or none was asked for */
};

/* ---- devices ---- */

/* The log of calls is discarded here. */
static void ignore(void *data, gpucc_log_level level, const char *message)
{
    (void)data;
    (void)level;
    (void)message;
}

static struct side *add_side(struct tester *tester, const char *name)
{
    struct side *side = arena_alloc(tester->arena, sizeof *side), **end = &tester->sides;
    while (*end)
        end = &(*end)->next;
    *end = side;
    side->name = name;
    return side;
}

/* Chooses the devices of --device, "cpu,cuda:1", or all available ones. */
static void choose_sides(struct tester *tester)
{
    const char *list = tester->options.devices;
    int count = 0;
    add_side(tester, "cpu");
    add_side(tester, "single calls")->one_by_one = true;
    if (!list) {
        check(gpucc_device_count(&count), "devices");
        if (!count)
            tester->no_gpu = arena_strdup(tester->arena, gpucc_last_error());
        for (int i = 0; i < count; i++)
            add_side(tester, arena_printf(tester->arena, "cuda:%d", i));
        return;
    }
    for (;;) {
        const size_t length = strcspn(list, ",");
        const char *name = arena_strndup(tester->arena, list, length);
        if (strcmp(name, "cpu") != 0)
            add_side(tester, name);
        if (!list[length])
            return;
        list += length + 1;
    }
}

/* PTX for each GPU, unless the command line says for which. */
static void choose_archs(struct tester *tester)
{
    struct options *compile = &tester->options.compile;
    if (compile->has_archs)
        return;
    compile->arch_count = 0;
    for (const struct side *side = tester->sides; side; side = side->next) {
        gpucc_device_info info = {.size = sizeof info};
        if (side->one_by_one)
            continue;
        check(gpucc_device_query(side->name, &info), arena_printf(tester->arena, "--device=%s", side->name));
        const int arch = own_arch(info.arch);
        size_t at = 0;
        while (at < compile->arch_count && compile->archs[at] < arch)
            at++;
        if (info.kind == GPUCC_DEVICE_CPU || (at < compile->arch_count && compile->archs[at] == arch))
            continue;
        compile->archs = arena_grow(tester->arena, compile->archs, compile->arch_count, sizeof *compile->archs);
        memmove(compile->archs + at + 1, compile->archs + at, (compile->arch_count - at) * sizeof *compile->archs);
        compile->archs[at] = arch;
        compile->arch_count++;
    }
}

/* ---- the program ---- */

static const struct gpucc_program_image *image_of(const struct tester *tester, struct jit *code)
{
    return jit_symbol(code, arena_printf(tester->arena, "gpucc_program_%s", tester->program->stem));
}

/* The same without optimisation, for the CPU alone. */
static struct jit *compile_plainly(struct tester *tester)
{
    struct options plain = tester->options.compile;
    plain.optimization = 0;
    plain.arch_count = 0;
    plain.no_warnings = true; /* they have been reported */
    const struct program *program = compile(&plain, 1u << ARTEFACT_OBJECT);
    return program ? jit_load(program->made[ARTEFACT_OBJECT], false) : NULL;
}

static void load(struct tester *tester)
{
    for (struct side *side = tester->sides; side; side = side->next) {
        const gpucc_context_options options = {
            .size = sizeof options, .device = side->one_by_one ? "cpu" : side->name, .log = ignore};
        check(gpucc_context_create(&options, &side->context), side->name);
        struct jit *code = side->one_by_one ? tester->plain_code : tester->code;
        if (code)
            check(gpucc_program_load(side->context, image_of(tester, code), &side->program),
                  tester->options.compile.inputs[0]);
    }
}

static void unload(struct tester *tester)
{
    for (struct side *side = tester->sides; side; side = side->next)
        gpucc_context_destroy(side->context);
    if (tester->checked_side) {
        gpucc_context_destroy(tester->checked_side->context);
        jit_free(tester->checked_code);
    }
    jit_free(tester->code);
    if (tester->plain_code)
        jit_free(tester->plain_code);
}

/* ---- what is chosen ---- */

/* By the function's name, or by that which the report has for one of its loops. */
static bool is_named(const struct instance *loop, const char *name)
{
    return !strcmp(loop->function->name, name) || !strcmp(loop->symbol, name);
}

/* By its name or its kernel's. */
static bool is_test_named(const struct test *test, const char *name)
{
    return !strcmp(test->name, name) || !strcmp(test->kernel->name, name);
}

static bool has_inputs(const struct instance *loop)
{
    return has_loops(loop) && !loop->function->is_plain;
}

static bool is_wanted(const struct test_options *options, const struct instance *loop)
{
    bool wanted = !options->function_count;
    for (size_t i = 0; i < options->function_count; i++)
        wanted = wanted || is_named(loop, options->functions[i]);
    return wanted && has_inputs(loop);
}

static bool is_test_wanted(const struct test_options *options, const struct test *test)
{
    bool wanted = !options->function_count;
    for (size_t i = 0; i < options->function_count; i++)
        wanted = wanted || is_test_named(test, options->functions[i]);
    return wanted;
}

static bool is_there(const struct program *program, const char *name)
{
    bool found = false;
    for (size_t k = 0; k < program->written_count; k++) {
        const struct instance *loop = written_instance(program, k);
        found = found || (has_inputs(loop) && is_named(loop, name));
    }
    for (size_t u = 0; u < program->files->unit_count; u++)
        for (size_t i = 0; i < program->files->units[u]->test_count; i++)
            found = found || is_test_named(&program->files->units[u]->tests[i], name);
    return found;
}

static void check_names(const struct tester *tester)
{
    const struct test_options *options = &tester->options;
    for (size_t i = 0; i < options->function_count; i++)
        if (!is_there(tester->program, options->functions[i]))
            usage_error("no ufunc, gufunc or test '%s' in %s", options->functions[i],
                        options->compile.inputs[0]);
}

static bool needs_functions(const struct tester *tester)
{
    bool wants = false;
    for (size_t i = 0; i < tester->program->written_count; i++)
        wants = wants || is_wanted(&tester->options, written_instance(tester->program, i));
    return wants;
}

/* ---- ufuncs and gufuncs ---- */

static void try_functions(struct tester *tester, struct verdicts *verdicts)
{
    for (size_t i = 0; i < tester->program->written_count; i++) {
        const struct instance *loop = written_instance(tester->program, i);
        if (!is_wanted(&tester->options, loop))
            continue;
        if (loop->by)
            add_verdict(verdicts, (struct verdict){.kind = SKIPPED, .symbol = loop->symbol, .what = "calls",
                                                   .detail = "it is a reduction"});
        else
            try_loop(&tester->options, tester->program, tester->sides, tester->checked_side, loop, verdicts);
    }
}

/* ---- tests of the source ---- */

static const struct program *checked_program(struct tester *tester, unsigned checks)
{
    struct checked **end = &tester->checked;
    for (; *end; end = &(*end)->next)
        if ((*end)->checks == checks)
            return (*end)->program;
    struct options compiled = tester->options.compile;
    compiled.checks |= checks;
    compiled.arch_count = 0;
    compiled.no_warnings = true;
    const struct program *program = compile(&compiled, 1u << ARTEFACT_OBJECT);
    if (!program)
        input_error("%s: cannot generate checked code for it", tester->options.compile.inputs[0]);
    *end = arena_alloc(tester->arena, sizeof **end);
    **end = (struct checked){.checks = checks, .program = program};
    return program;
}

/* The CPU's checked code first: what it finds may damage this process's memory where it is not checked. */
static struct station *stations_of(struct tester *tester, const struct test *test, size_t *count)
{
    const unsigned checks = !test->checks ? CHECK_ALL
                            : test->checks & CHECK_ADDRESS ? test->checks | CHECK_BOUNDS : test->checks;
    const struct side *cpu = tester->sides;
    struct station *stations = arena_alloc(tester->arena, 4 * sizeof *stations);
    stations[CHECKED_STATION] = (struct station){.name = "checks", .context = cpu->next->context, .is_checked = true,
                                                 .program = test->unchecked ? NULL : checked_program(tester, checks)};
    stations[CPU_STATION] = (struct station){.name = cpu->name, .context = cpu->context, .program = tester->program};
    *count = 2;
    for (const struct side *side = cpu->next->next; side; side = side->next) {
        stations = arena_grow(tester->arena, stations, *count, sizeof *stations);
        stations[(*count)++] = (struct station){.name = side->name, .context = side->context,
                                                .image = image_of(tester, tester->code)};
    }
    return stations;
}

/* The instance of the function whose types are those of this one, or that has none. */
static const struct instance *driver_of(const struct program *program, const struct test *test,
                                        const struct instance *kernel)
{
    const struct instance *driver = NULL;
    for (size_t p = 0; p < program->pass_count; p++)
        for (size_t i = 0; i < program->passes[p].instance_count; i++) {
            const struct instance *instance = &program->passes[p].instances[i];
            const bool together = kernel >= program->passes[p].instances &&
                                  kernel < program->passes[p].instances + program->passes[p].instance_count;
            if (!strcmp(instance->function->name, test->driver) && (!driver || together))
                driver = instance;
        }
    return driver;
}

static void try_test(struct tester *tester, const struct test *test, struct verdicts *verdicts)
{
    size_t count;
    const struct station *usual = stations_of(tester, test, &count);
    struct station *stations = arena_alloc(tester->arena, (count + 1) * sizeof *stations);
    memcpy(stations, usual, count * sizeof *stations);
    for (size_t i = 0; i < tester->program->written_count; i++) {
        const struct instance *kernel = written_instance(tester->program, i);
        if (kernel->function->kind != FUNCTION_KERNEL || strcmp(kernel->function->name, test->kernel->name) != 0)
            continue;
        struct kernel_test of = {.options = &tester->options, .test = test, .kernel = kernel};
        of.symbol = arena_printf(tester->arena, "%s%s", test->name, kernel->symbol + strlen(kernel->function->name));
        const struct instance *driver = driver_of(tester->program, test, kernel);
        check(gpucc_program_kernel(tester->sides->program, driver->symbol, &of.driver), test->name);
        stations[count] = stations[CPU_STATION];
        stations[count].name = arena_printf(tester->arena, "derivative(%s)", kernel->function->name);
        stations[count].adjoint = adjoint_of_kernel(tester->program, kernel);
        try_kernel(&of, stations, count + (stations[count].adjoint != NULL), verdicts);
    }
}

static void try_tests(struct tester *tester, struct verdicts *verdicts)
{
    const struct files *files = tester->program->files;
    for (size_t u = 0; u < files->unit_count; u++)
        for (size_t i = 0; i < files->units[u]->test_count; i++)
            if (is_test_wanted(&tester->options, &files->units[u]->tests[i]))
                try_test(tester, &files->units[u]->tests[i], verdicts);
}

/* ---- all ---- */

/* For ufuncs and gufuncs. */
static void make_checked_side(struct tester *tester)
{
    struct side *side = arena_alloc(tester->arena, sizeof *side);
    struct watch_settings *settings = arena_alloc(tester->arena, sizeof *settings);
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu", .log = ignore};
    side->name = "checks";
    side->faults = arena_alloc(tester->arena, sizeof *side->faults);
    check(gpucc_context_create(&options, &side->context), side->name);
    tester->checked_code = jit_load(checked_program(tester, tester->options.checks)->made[ARTEFACT_OBJECT], false);
    check(gpucc_program_load(side->context, image_of(tester, tester->checked_code), &side->program), side->name);
    *settings = (struct watch_settings){.report = report_fault, .data = side->faults};
    context_watch(side->context, settings);
    tester->checked_side = side;
}

static void try_all(struct tester *tester, struct verdicts *verdicts)
{
    try_functions(tester, verdicts);
    try_tests(tester, verdicts);
    if (!verdicts->count)
        usage_error("nothing to test in %s: no ufunc, gufunc or test(…)", tester->options.compile.inputs[0]);
    if (tester->no_gpu)
        add_verdict(verdicts, (struct verdict){.kind = SKIPPED, .symbol = "all", .what = "cpu and cuda",
                                               .detail = tester->no_gpu});
}

int command_test(int argc, char **argv)
{
    struct tester tester = {0};
    test_options_parse(&tester.options, argc, argv);
    tester.arena = tester.options.compile.arena;
    choose_sides(&tester);
    choose_archs(&tester);
    tester.program = compile(&tester.options.compile, 1u << ARTEFACT_OBJECT);
    if (!tester.program)
        return EXIT_INPUT;
    check_names(&tester);
    tester.plain_code = needs_functions(&tester) ? compile_plainly(&tester) : NULL;
    if (!tester.plain_code && needs_functions(&tester))
        return EXIT_INPUT;
    tester.code = jit_load(tester.program->made[ARTEFACT_OBJECT], false);
    load(&tester);
    if (needs_functions(&tester) && tester.options.checks)
        make_checked_side(&tester);
    struct verdicts verdicts = {.options = &tester.options, .arena = tester.arena, .report = {.arena = tester.arena}};
    begin_report(&verdicts);
    guard_time(tester.options.time);
    try_all(&tester, &verdicts);
    end_report(&verdicts);
    const bool failed = count_verdicts(&verdicts, FAILED) > 0;
    unload(&tester);
    sources_free(tester.options.compile.sources);
    arena_free(tester.arena);
    return failed ? EXIT_INPUT : EXIT_OK;
}
