/* Code generation that begins beside the front end.  Clang reads the user's file in a thread of its own, and then finds
 * the loops, which depend on what the front end makes of that file, behind an #include of a pipe: it waits there. */
#define _GNU_SOURCE /* pipe2 */
#include "backend.h"

#include <fcntl.h>
#include <llvm-c/Core.h>
#include <string.h>
#include <unistd.h>

struct ahead {
    enum target target;
    int arch;
    struct codegen_request request;
    LLVMContextRef context;
    bool taken; /* the context is somebody's who frees it */
    LLVMModuleRef module;
    pthread_t thread;
    bool running;
    int read_end, write_end; /* of the pipe */
};

/* What is wrong is told by the front end, or when Clang is asked again. */
static void ignore(void *data, const char *file, unsigned line, unsigned column, const char *message)
{
    (void)data, (void)file, (void)line, (void)column, (void)message;
}

static void *run(void *data)
{
    static char stack[CRASH_STACK]; /* there is one such thread */
    struct ahead *ahead = data;
    crash_guard_thread(stack);
    ahead->module = codegen(ahead->context, &ahead->request);
    return NULL;
}

/* One file, read once for all type variables, whose lines nobody asks for. */
static bool is_foreseeable(const struct options *options, const struct source *source)
{
    return source && options->input_count == 1 && options->debug == DEBUG_NONE && may_thread(options) &&
           !strstr(source->text, "typevar");
}

static struct codegen_request request(const struct options *options, const struct source *source,
                                      const struct ahead *ahead)
{
    struct unit unit = {.path = options->inputs[0]};
    struct pass pass = {.unit = &unit};
    struct text text = {.arena = options->arena};
    text_append(&text, without_linkage(source, options->arena), source->size);
    text_printf(&text, "\n%s#include \"/dev/fd/%d\"\n", loops_prologue, ahead->read_end);
    struct codegen_request request = {.path = unit.path, .text = text.data, .size = text.size, .report = ignore,
                                      .files = (const struct codegen_file *)embedded_files,
                                      .file_count = embedded_header_count()};
    request.arguments = cc1_arguments(options, ahead->target, ahead->arch, &pass, &request.argument_count);
    return request;
}

struct ahead *ahead_start(const struct options *options, enum target target, int arch,
                          struct diagnostics *diagnostics)
{
    const struct source *source = options->input_count ? source_open(options->sources, options->inputs[0]) : NULL;
    int ends[2];
    if (!is_foreseeable(options, source) || pipe2(ends, O_CLOEXEC | O_NONBLOCK))
        return NULL;
    struct ahead *ahead = arena_alloc(options->arena, sizeof *ahead);
    *ahead = (struct ahead){.target = target, .arch = arch, .read_end = ends[0], .write_end = ends[1]};
    ahead->request = request(options, source, ahead);
    ahead->context = build_context(diagnostics);
    ahead->running = thread_start(&ahead->thread, run, ahead);
    return ahead;
}

static bool is_for(const struct ahead *ahead, enum target target, int arch)
{
    return ahead && ahead->running && ahead->target == target && ahead->arch == arch;
}

LLVMContextRef ahead_context(struct ahead *ahead, enum target target, int arch)
{
    if (!is_for(ahead, target, arch))
        return NULL;
    ahead->taken = true;
    return ahead->context;
}

/* Without the loops the module is of no use. */
static void join(struct ahead *ahead, bool has_loops)
{
    close(ahead->write_end);
    pthread_join(ahead->thread, NULL);
    close(ahead->read_end);
    ahead->running = false;
    if (has_loops || !ahead->module)
        return;
    LLVMDisposeModule(ahead->module);
    ahead->module = NULL;
}

LLVMModuleRef ahead_finish(struct ahead *ahead, enum target target, int arch, const char *loops)
{
    if (!is_for(ahead, target, arch))
        return NULL;
    /* All at once, or they are more than the pipe holds. */
    join(ahead, write(ahead->write_end, loops, strlen(loops)) == (ssize_t)strlen(loops));
    return ahead->module;
}

void ahead_end(struct ahead *ahead)
{
    if (ahead && ahead->running)
        join(ahead, false);
    if (ahead && !ahead->taken)
        LLVMContextDispose(ahead->context);
}
