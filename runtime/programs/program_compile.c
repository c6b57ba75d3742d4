/* Programs of sources: libgpucc-compiler, which is opened when it is first asked, compiles them in this process. */
#define _GNU_SOURCE /* memfd_create, dladdr */
#include "programs/programs.h"
#include <dlfcn.h>
#include <errno.h>
#include <gpucc/compiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LIBRARY "libgpucc-compiler.so.0"

static struct compiler {
#define FUNCTION(name) __typeof__(&gpucc_##name) name;
#include "programs/compiler.def"
#undef FUNCTION
} compiler;

static pthread_mutex_t compiler_lock = PTHREAD_MUTEX_INITIALIZER;
static bool compiler_ready;

/* A program's image and manifest, as long as it is loaded. */
struct compiled {
    gpucc_compilation *compilation;
    void *library;    /* native code; or null */
    int file;         /* of which it is opened: while this is open no other gets its name; or -1 */
    struct gpucc_image image;
};

/* ---- the library ---- */

static gpucc_status find_functions(void *library, const char *path)
{
    struct compiler found;
#define FUNCTION(name)                                                                                                 \
    *(void **)&found.name = dlsym(library, "gpucc_" #name);                                                            \
    if (!found.name)                                                                                                   \
        return fail(GPUCC_NO_COMPILER, "%s has no gpucc_%s: it is of another version", path, #name);
#include "programs/compiler.def"
#undef FUNCTION
    compiler = found;
    return GPUCC_OK;
}

/* GPUCC_LIBCOMPILER, or what lies beside this library, or the system's. */
static void *open_library(char *path, size_t size)
{
    Dl_info self;
    const char *given = secure_getenv("GPUCC_LIBCOMPILER");
    const bool is_given = given && *given;
    const char *own = !is_given && dladdr((void *)open_library, &self) ? self.dli_fname : NULL;
    const char *slash = own ? strrchr(own, '/') : NULL;
    snprintf(path, size, "%s", is_given ? given : LIBRARY);
    if (slash && (size_t)snprintf(path, size, "%.*s/" LIBRARY, (int)(slash - own), own) < size) {
        void *library = access(path, R_OK) ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
        snprintf(path, size, LIBRARY);
    }
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* It stays open, as LLVM may not be closed. */
static gpucc_status load_compiler(void)
{
    char path[4096];
    void *library = open_library(path, sizeof path);
    if (!library)
        return fail(GPUCC_NO_COMPILER, "cannot open libgpucc-compiler (Debian's package libgpucc-compiler0), which "
                                       "compiles sources: %s", dlerror());
    gpucc_status status = find_functions(library, path);
    if (status)
        dlclose(library);
    return status;
}

static gpucc_status open_compiler(void)
{
    pthread_mutex_lock(&compiler_lock);
    gpucc_status status = compiler_ready ? GPUCC_OK : load_compiler();
    compiler_ready = status == GPUCC_OK;
    pthread_mutex_unlock(&compiler_lock);
    return status;
}

/* ---- native code ---- */

/* The entry points of libgpucc that the code needs: the host may have opened it without exporting them. */
static void offer_runtime(void)
{
    Dl_info self;
    if (dladdr((void *)offer_runtime, &self))
        dlopen(self.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

static bool write_all(int file, const char *data, size_t size)
{
    while (size) {
        ssize_t written = write(file, data, size);
        if (written < 0 && errno != EINTR)
            return false;
        data += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static gpucc_status open_native(struct compiled *compiled, const struct gpucc_program_image **image)
{
    char path[64], symbol[512];
    size_t size;
    const char *data = compiler.compilation_artefact(compiled->compilation, GPUCC_ARTEFACT_SHARED, &size);
    compiled->file = memfd_create("gpucc", MFD_CLOEXEC);
    if (compiled->file < 0 || !write_all(compiled->file, data, size))
        return fail(GPUCC_IO_ERROR, "compiled code cannot be mapped into memory: %s", strerror(errno));
    snprintf(path, sizeof path, "/proc/self/fd/%d", compiled->file);
    offer_runtime();
    compiled->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!compiled->library)
        return fail(GPUCC_BAD_PROGRAM, "compiled code cannot be opened: %s", dlerror());
    snprintf(symbol, sizeof symbol, "gpucc_program_%s", compiler.compilation_program_name(compiled->compilation));
    *image = dlsym(compiled->library, symbol);
    return *image ? GPUCC_OK : fail(GPUCC_BAD_PROGRAM, "compiled code has no %s", symbol);
}

void compiled_free(struct compiled *compiled)
{
    if (!compiled)
        return;
    if (compiled->library)
        dlclose(compiled->library);
    if (compiled->file >= 0)
        close(compiled->file);
    compiler.compilation_free(compiled->compilation);
    free(compiled);
}

/* ---- compiling ---- */

static gpucc_status status_of(gpucc_compile_status status)
{
    static const gpucc_status statuses[] = {GPUCC_OK, GPUCC_BAD_SOURCE, GPUCC_INVALID_ARGUMENT, GPUCC_IO_ERROR};
    return statuses[status];
}

/* All that there is to say goes to the caller's log; without one, warnings to the context's. */
static gpucc_status report_status(gpucc_context *context, const gpucc_compile_options *options,
                                  gpucc_compile_status status,
                                  const gpucc_compilation *compilation)
{
    const char *log = compilation ? compiler.compilation_log(compilation) : "out of memory";
    const gpucc_log_level level = status ? GPUCC_LOG_ERROR : GPUCC_LOG_WARNING;
    if (options->log && *log)
        options->log(options->log_data, level, log);
    else if (!status && *log)
        context->log(context->log_data, level, log);
    return status ? fail(status_of(status), "%s", log) : GPUCC_OK;
}

static gpucc_status check_lists(const gpucc_compile_options *options)
{
    if ((options->header_count && !options->headers) || (options->option_count && !options->options))
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_program_compile: headers or options are null");
    for (size_t i = 0; i < options->option_count; i++)
        if (!options->options[i])
            return fail(GPUCC_INVALID_ARGUMENT, "gpucc_program_compile: option %zu is null", i);
    for (size_t i = 0; i < options->header_count; i++)
        if (!options->headers[i].name || !options->headers[i].text)
            return fail(GPUCC_INVALID_ARGUMENT, "gpucc_program_compile: the name or text of header %zu is null", i);
    return GPUCC_OK;
}

static bool names_arch(const gpucc_compile_options *options)
{
    for (size_t i = 0; i < options->option_count; i++)
        if (strncmp(options->options[i], "--arch", strlen("--arch")) == 0)
            return true;
    return false;
}

static gpucc_status compile(gpucc_context *context, const char *text, const gpucc_compile_options *options,
                            gpucc_compilation **out)
{
    char arch[32];
    const bool on_cpu = context->kind == GPUCC_DEVICE_CPU;
    const char **words = malloc((options->option_count + 1) * sizeof *words);
    if (!words)
        return fail_memory((options->option_count + 1) * sizeof *words, "options");
    size_t count = 0;
    while (count < options->option_count) {
        words[count] = options->options[count];
        count++;
    }
    if (!on_cpu && !names_arch(options)) {
        snprintf(arch, sizeof arch, "--arch=sm_%d", compiler.compiler_architecture(group_arch(context)));
        words[count++] = arch;
    }
    const struct gpucc_file source = {.name = options->name ? options->name : "program.c", .text = text};
    const struct gpucc_compile_input input = {
        .size = sizeof input,
        .sources = &source,
        .source_count = 1,
        .headers = options->headers,
        .header_count = options->header_count,
        .options = words,
        .option_count = count,
        .artefacts = on_cpu ? GPUCC_MAKE(SHARED) : GPUCC_MAKE(PTX) | GPUCC_MAKE(MANIFEST),
    };
    gpucc_compile_status status = compiler.compile(&input, out);
    free(words);
    return report_status(context, options, status, *out);
}

/* The newest that all of the context's devices run. */
static gpucc_status choose_ptx(const gpucc_context *context, struct compiled *compiled)
{
    const char *arch, *text;
    size_t size;
    for (size_t i = 0; (text = compiler.compilation_ptx(compiled->compilation, i, &arch, &size)); i++)
        if (!compiled->image.text || atoi(arch + strlen("sm_")) <= group_arch(context))
            compiled->image = (struct gpucc_image){.text = text, .size = size};
    return compiled->image.text ? GPUCC_OK : fail(GPUCC_BAD_PROGRAM, "the compiler has made no PTX");
}

static gpucc_status load(gpucc_context *context, struct compiled *compiled, gpucc_program **out)
{
    size_t size;
    const struct gpucc_program_image *image = NULL;
    gpucc_status status = context->kind == GPUCC_DEVICE_CPU ? open_native(compiled, &image)
                                                            : choose_ptx(context, compiled);
    if (status)
        return status;
    if (image)
        return gpucc_program_load(context, image, out);
    const char *manifest = compiler.compilation_artefact(compiled->compilation, GPUCC_ARTEFACT_MANIFEST, &size);
    return program_load_image(context, &compiled->image, manifest, size, out);
}

gpucc_status gpucc_program_compile(gpucc_context *context, const char *source, const gpucc_compile_options *options,
                                   gpucc_program **out)
{
    gpucc_compile_options own = {.size = sizeof own};
    if (!context || !source || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_program_compile: context, source or out is null");
    *out = NULL;
    gpucc_status status = CHECK_OPTIONS("gpucc_program_compile", options);
    if (status)
        return status;
    if (options)
        memcpy(&own, options, options->size < sizeof own ? options->size : sizeof own);
    status = check_lists(&own);
    if (!status)
        status = open_compiler();
    if (status)
        return status;
    struct compiled *compiled = calloc(1, sizeof *compiled);
    if (!compiled)
        return fail_memory(sizeof *compiled, "a program");
    compiled->file = -1;
    status = compile(context, source, &own, &compiled->compilation);
    if (!status)
        status = load(context, compiled, out);
    if (status)
        compiled_free(compiled);
    else
        (*out)->compiled = compiled;
    return status;
}
