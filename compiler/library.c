/* libgpucc-compiler: compilations for whoever calls <gpucc/compiler.h>. */
#define _XOPEN_SOURCE 700
#include "compile.h"
#include "emit/emit.h"

#include <gpucc/compiler.h>
#include <stdlib.h>
#include <string.h>

struct gpucc_compilation {
    struct job *job;
    const struct gpucc_compile_input *input; /* while it runs */
    struct options options;
    struct program *program; /* null after errors */
    unsigned artefacts;
    const char **archs;      /* of the program's images */
    const char **files;      /* that were read from the disk */
    size_t file_count;
};

/* The public names of what artefacts.def lists. */
enum { GPUCC_ARTEFACT_JSON = GPUCC_ARTEFACT_MANIFEST };
#define ARTEFACT(id, suffix, what, is_text)                                                                            \
    _Static_assert((int)GPUCC_ARTEFACT_##id == (int)ARTEFACT_##id, "<gpucc/compiler.h> has another order");
#include "command/artefacts.def"
_Static_assert((int)GPUCC_ARTEFACT_COUNT == (int)ARTEFACT_COUNT, "<gpucc/compiler.h> has others");
_Static_assert((int)GPUCC_COMPILE_BAD_SOURCE == (int)EXIT_INPUT && (int)GPUCC_COMPILE_BAD_OPTIONS == (int)EXIT_USAGE &&
               (int)GPUCC_COMPILE_FAILED == (int)EXIT_ENVIRONMENT, "<gpucc/compiler.h> has other statuses");

/* libclang looks at them whenever it begins: it is not to take the host's signals, nor to start a thread with a small
 * stack.  They are set while the library is loaded, before anybody else may read the environment meanwhile. */
__attribute__((constructor)) static void configure_libclang(void)
{
    setenv("LIBCLANG_NOTHREADS", "1", 0);
    setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 0);
}

/* ---- what LLVM keeps for the whole process, as long as anything is compiled ---- */

static pthread_mutex_t borrow_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t borrowers;

static void retain_llvm(void)
{
    pthread_mutex_lock(&borrow_lock);
    if (!borrowers++) {
        crash_borrow();
        optimize_setup();
    }
    pthread_mutex_unlock(&borrow_lock);
}

static void release_llvm(void)
{
    pthread_mutex_lock(&borrow_lock);
    if (!--borrowers) {
        optimize_restore();
        crash_return();
    }
    pthread_mutex_unlock(&borrow_lock);
}

/* ---- compiling ---- */

/* Lists of which something is null. */
static void check_lists(const struct gpucc_compile_input *input)
{
    if ((input->source_count && !input->sources) || (input->header_count && !input->headers) ||
        (input->option_count && !input->options))
        usage_error("sources, headers or options are null, but their count is not 0");
    for (size_t i = 0; i < input->option_count; i++)
        if (!input->options[i])
            usage_error("option %zu is null", i);
}

static const char *path_of(struct arena *arena, const struct gpucc_file *file)
{
    if (!file->name || !*file->name)
        usage_error("a file has no name");
    return file->text && *file->name != '/' ? arena_printf(arena, MEMORY_ROOT "%s", file->name)
                                            : arena_strdup(arena, file->name);
}

static size_t size_of(const struct gpucc_file *file)
{
    return file->size ? file->size : strlen(file->text);
}

/* After those that are inside the library. */
static void add_headers(struct options *options, const struct gpucc_compile_input *input)
{
    const size_t own = embedded_header_count();
    struct embedded_file *headers = arena_alloc(options->arena, (own + input->header_count) * sizeof *headers);
    memcpy(headers, embedded_files, own * sizeof *headers);
    for (size_t i = 0; i < input->header_count; i++) {
        const struct gpucc_file *file = &input->headers[i];
        const char *path = path_of(options->arena, file);
        if (!file->text)
            usage_error("the header '%s' has no text", file->name);
        sources_add(options->sources, path, file->text, size_of(file));
        const struct source *source = source_open(options->sources, path);
        headers[own + i] = (struct embedded_file){source->path, source->text, source->size};
    }
    options->headers = headers;
    options->header_count = own + input->header_count;
}

static void add_sources(struct options *options, const struct gpucc_compile_input *input)
{
    if (!input->source_count)
        usage_error("no source is given");
    options->inputs = arena_alloc(options->arena, input->source_count * sizeof *options->inputs);
    for (size_t i = 0; i < input->source_count; i++) {
        const struct gpucc_file *file = &input->sources[i];
        const char *path = path_of(options->arena, file);
        if (file->text)
            sources_add(options->sources, path, file->text, size_of(file));
        for (size_t k = 0; k < i; k++)
            if (!strcmp(options->inputs[k], path))
                usage_error("'%s' is given twice", file->name);
        options->inputs[options->input_count++] = path;
    }
}

/* The output may depend on the other outputs. */
static void add_outputs(struct options *options, unsigned artefacts)
{
    if (artefacts >> ARTEFACT_COUNT)
        usage_error("artefacts: unknown artefact");
    options->outputs = arena_alloc(options->arena, ARTEFACT_COUNT * sizeof *options->outputs);
    for (enum artefact kind = 0; kind < ARTEFACT_COUNT; kind++)
        if (artefacts >> kind & 1)
            options->outputs[options->output_count++] = (struct output){kind, ""};
}

static void add_file(gpucc_compilation *compilation, const char *path)
{
    if (begins(path, MEMORY_ROOT))
        return;
    for (size_t i = 0; i < compilation->options.header_count; i++)
        if (!strcmp(compilation->options.headers[i].path, path))
            return;
    for (size_t i = 0; i < compilation->file_count; i++)
        if (!strcmp(compilation->files[i], path))
            return;
    compilation->files = arena_grow(compilation->options.arena, compilation->files, compilation->file_count,
                                    sizeof *compilation->files);
    compilation->files[compilation->file_count++] = path;
}

static void add_includes(gpucc_compilation *compilation, const struct include *includes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_file(compilation, includes[i].path);
}

static void add_files(gpucc_compilation *compilation, const struct program *program)
{
    const struct gpucc_compile_input *input = compilation->input;
    for (size_t i = 0; i < input->source_count; i++)
        if (!input->sources[i].text)
            add_file(compilation, compilation->options.inputs[i]);
    for (size_t i = 0; i < program->pass_count; i++)
        add_includes(compilation, program->passes[i].unit->includes, program->passes[i].unit->include_count);
    add_includes(compilation, program->includes, program->include_count);
}

/* Small compilations take less; one that has hardly begun fails more cleanly than LLVM within its own preparations. */
static void check_memory(void)
{
    enum { ENOUGH = 64 << 20 };
    void *volatile memory = malloc(ENOUGH); /* which no compiler leaves out */
    if (!memory)
        fatal("out of memory");
    free(memory);
}

static void *run(void *data)
{
    gpucc_compilation *compilation = data;
    check_memory();
    const struct gpucc_compile_input *input = compilation->input;
    struct options *options = &compilation->options;
    options->arena = arena_new();
    options->sources = sources_new();
    check_lists(input);
    add_headers(options, input);
    options_of_library(options, input->option_count, input->options);
    add_sources(options, input);
    add_outputs(options, input->artefacts);
    struct program *program = compile(options, input->artefacts);
    if (!program)
        return NULL;
    add_files(compilation, program);
    compilation->archs = arena_alloc(options->arena, program->image_count * sizeof *compilation->archs);
    for (size_t i = 0; i < program->image_count; i++)
        compilation->archs[i] = arch_name(options->arena, program->images[i].arch);
    compilation->program = program;
    return NULL;
}

gpucc_compile_status gpucc_compile(const struct gpucc_compile_input *input, gpucc_compilation **out)
{
    if (!out)
        return GPUCC_COMPILE_BAD_OPTIONS;
    *out = NULL;
    struct gpucc_compile_input own = {0};
    if (!input || input->size < sizeof input->size)
        return GPUCC_COMPILE_BAD_OPTIONS;
    memcpy(&own, input, input->size < sizeof own ? input->size : sizeof own);
    gpucc_compilation *compilation = calloc(1, sizeof *compilation);
    if (!compilation || !(compilation->job = job_new())) {
        free(compilation);
        return GPUCC_COMPILE_FAILED;
    }
    compilation->input = &own;
    compilation->artefacts = own.artefacts;
    retain_llvm();
    enum exit_status status = job_run(compilation->job, run, compilation);
    release_llvm();
    compilation->input = NULL;
    if (status)
        compilation->program = NULL;
    *out = compilation;
    return (gpucc_compile_status)(status || compilation->program ? status : EXIT_INPUT);
}

void gpucc_compilation_free(gpucc_compilation *compilation)
{
    if (!compilation)
        return;
    job_free(compilation->job);
    free(compilation);
}

/* ---- results ---- */

const char *gpucc_compilation_log(const gpucc_compilation *compilation)
{
    return compilation ? job_log(compilation->job, LOG_TEXT) : "";
}

const char *gpucc_compilation_log_json(const gpucc_compilation *compilation)
{
    return compilation ? job_log(compilation->job, LOG_JSON) : "";
}

static bool is_wanted(const gpucc_compilation *compilation, enum artefact kind)
{
    return compilation->artefacts >> kind & 1;
}

static const void *make_result(struct bytes bytes, size_t *size)
{
    if (size)
        *size = bytes.data ? bytes.size : 0;
    return bytes.data;
}

const char *gpucc_compilation_ptx(const gpucc_compilation *compilation, size_t index, const char **arch, size_t *size)
{
    const struct program *program = compilation ? compilation->program : NULL;
    if (!program || index >= program->image_count || !is_wanted(compilation, ARTEFACT_PTX))
        return make_result((struct bytes){0}, size);
    if (arch)
        *arch = compilation->archs[index];
    return make_result(program->images[index].text, size);
}

const void *gpucc_compilation_artefact(const gpucc_compilation *compilation, gpucc_artefact artefact, size_t *size)
{
    const struct program *program = compilation ? compilation->program : NULL;
    if (artefact == GPUCC_ARTEFACT_PTX)
        return gpucc_compilation_ptx(compilation, 0, NULL, size);
    if (!program || (unsigned)artefact >= GPUCC_ARTEFACT_COUNT || !is_wanted(compilation, (enum artefact)artefact))
        return make_result((struct bytes){0}, size);
    return make_result(program->made[artefact], size);
}

const char *gpucc_compilation_program_name(const gpucc_compilation *compilation)
{
    return compilation && compilation->program ? compilation->program->stem : NULL;
}

const char *gpucc_compilation_file(const gpucc_compilation *compilation, size_t index)
{
    return compilation && index < compilation->file_count ? compilation->files[index] : NULL;
}

const char *gpucc_compilation_missing(const gpucc_compilation *compilation, size_t index)
{
    const struct program *program = compilation ? compilation->program : NULL;
    for (size_t i = 0; program && i < program->lookups.count; i++) {
        const struct lookup *lookup = &program->lookups.items[i];
        if (lookup->kind == LOOKUP_NOTHING && !begins(lookup->path, MEMORY_ROOT) && !index--)
            return lookup->path;
    }
    return NULL;
}

/* ---- names ---- */

/* Whether `list` is "(float32, float64)", between such brackets, and names these types. */
static bool names_types(const char *list, const char *brackets, const enum dtype *dtypes, size_t count)
{
    const char *p = list;
    if (*p++ != brackets[0])
        return false;
    for (size_t i = 0; i < count; i++) {
        p += strspn(p, " ");
        size_t length = strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789_");
        if (dtype_from_name(p, length) != dtypes[i])
            return false;
        p += length;
        p += strspn(p, " ");
        if (i + 1 < count && *p++ != ',')
            return false;
    }
    p += strspn(p, " ");
    return p[0] == brackets[1] && !p[1];
}

static bool binds_types(const char *list, const struct binding *binding)
{
    enum dtype dtypes[16];
    if (binding->count > sizeof dtypes / sizeof *dtypes)
        return false;
    for (size_t i = 0; i < binding->count; i++)
        dtypes[i] = binding->variables[i].dtype;
    return names_types(list, "<>", dtypes, binding->count);
}

const char *gpucc_compilation_lowered_name(const gpucc_compilation *compilation, const char *name)
{
    const struct program *program = compilation ? compilation->program : NULL;
    if (!program || !name)
        return NULL;
    const size_t length = strcspn(name, "<(");
    const char *list = name + length;
    for (size_t i = 0; i < program->written_count; i++) {
        const struct instance *instance = written_instance(program, i);
        const char *called = instance->function->name;
        if (strlen(called) != length || strncmp(called, name, length) || instance->function->kind == FUNCTION_DEVICE)
            continue;
        if (!*list || names_types(list, "()", instance->inputs, instance->input_count) ||
            binds_types(list, &program->passes[program->written[i].pass].binding))
            return instance->symbol;
    }
    return NULL;
}

int gpucc_compiler_architecture(int capability)
{
    return newest_arch(capability);
}

const char *gpucc_compiler_version(void)
{
    return GPUCC_VERSION;
}
