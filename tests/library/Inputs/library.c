/* library make BASE FILE [OPTION…]     compiles the file's text and writes BASE.ptx, .json …; the logs go to BASE.log
 *                                      and BASE.jsonl; prints the status
 * library headers                      compiles a source with headers that are nowhere
 * library threads FILE…                compiles all of them in several threads at once, and compares with one after the
 *                                      other
 * library state FILE…                  says what of the process is otherwise after compiling each of them
 * library signals FILE                 says what signals the compiling threads take, and how often LLVM's
 *                                      handlers are taken away
 * library memory FILE                  compiles with less and less memory, and at last with enough
 * library names FILE NAME…             prints what PTX calls them
 */
#define _GNU_SOURCE
#include <gpucc/compiler.h>
#include <dirent.h>
#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ALL = (1 << GPUCC_ARTEFACT_COUNT) - 1, THREADS = 6 };

static char *contents(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    size_t size = file ? fread(text, 1, (1 << 20) - 1, file) : 0;
    if (!size || fclose(file))
        abort();
    return text;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static gpucc_compile_status compile(const char *path, char **options, size_t count, unsigned artefacts,
                                    gpucc_compilation **out)
{
    char *text = contents(path);
    struct gpucc_file source = {.name = base_name(path), .text = text};
    struct gpucc_compile_input input = {.size = sizeof input, .sources = &source, .source_count = 1,
                                        .options = (const char *const *)options, .option_count = count,
                                        .artefacts = artefacts};
    gpucc_compile_status status = gpucc_compile(&input, out);
    free(text);
    return status;
}

static void write_file(const char *base, const char *suffix, const void *data, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s", base, suffix);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        abort();
}

static int make(const char *base, const char *path, char **options, size_t count)
{
    static const char *const suffixes[] = {".ptx", ".json", ".h", ".o", ".so", ".ll", ".bc"};
    const char *arch, *log;
    size_t size;
    gpucc_compilation *compilation;
    printf("status %d\n", compile(path, options, count, ALL, &compilation));
    for (int i = 0; i < GPUCC_ARTEFACT_COUNT; i++) {
        const void *data = gpucc_compilation_artefact(compilation, (gpucc_artefact)i, &size);
        if (data)
            write_file(base, suffixes[i], data, size);
    }
    for (size_t i = 0; gpucc_compilation_ptx(compilation, i, &arch, &size); i++)
        printf("%s: %s\n", arch, strstr(gpucc_compilation_ptx(compilation, i, NULL, NULL), arch) ? "yes" : "no");
    log = gpucc_compilation_log(compilation);
    write_file(base, ".log", log, strlen(log));
    log = gpucc_compilation_log_json(compilation);
    write_file(base, ".jsonl", log, strlen(log));
    gpucc_compilation_free(compilation);
    return 0;
}

static int headers(void)
{
    const struct gpucc_file sources[] = {
        {.name = "main.c", .text = "#include \"scale.h\"\n#include <lib/more.h>\n"
                                   "const char *name(void) { return __FILE__; }\n"
                                   "vectorize() float f(float x) { return SCALE * x + MORE; }\n"},
        {.name = "other.c", .text = "#include <gpucc.h>\n#include \"scale.h\"\n#pragma GCC unused\n"
                                    "vectorize() float g(float x) { return SCALE * wrong; }\n"}};
    const struct gpucc_file list[] = {{.name = "scale.h", .text = "#define SCALE 3.0f and no more", .size = 18},
                                      {.name = "lib/more.h", .text = "#include \"most.h\"\n#include <gpucc.h>\n"},
                                      {.name = "lib/most.h", .text = "#define MORE 7.0f\n"}};
    struct gpucc_compile_input input = {.size = sizeof input, .sources = sources, .source_count = 1, .headers = list,
                                        .header_count = 3, .artefacts = GPUCC_MAKE(LL) | GPUCC_MAKE(PTX)};
    gpucc_compilation *compilation;
    printf("status %d\n", gpucc_compile(&input, &compilation));
    printf("%s%s", gpucc_compilation_log(compilation),
           (const char *)gpucc_compilation_artefact(compilation, GPUCC_ARTEFACT_LL, NULL));
    printf("not asked for: %p\n", gpucc_compilation_artefact(compilation, GPUCC_ARTEFACT_HEADER, NULL));
    printf("read from the disk: %p\n", (void *)gpucc_compilation_file(compilation, 0));
    gpucc_compilation_free(compilation);
    input.source_count = 2;
    printf("status %d\n", gpucc_compile(&input, &compilation));
    printf("%s%s", gpucc_compilation_log(compilation), gpucc_compilation_log_json(compilation));
    gpucc_compilation_free(compilation);
    const struct gpucc_file source = {
        .name = "cuda.c", .text = "#include \"lib/own.h\"\n__global__ void k(float *x) { own::twice(*x); }\n"};
    const struct gpucc_file header = {
        .name = "lib/own.h", .text = "#include <cuda_runtime.h>\n"
                                     "namespace own { __device__ inline void twice(float &x) { x *= 2; } }\n"};
    input.sources = &source, input.source_count = 1, input.headers = &header, input.header_count = 1;
    input.artefacts = GPUCC_MAKE(PTX);
    printf("of CUDA's: status %d\n", gpucc_compile(&input, &compilation));
    printf("%s", gpucc_compilation_log(compilation));
    printf("read from the disk: %p\n", (void *)gpucc_compilation_file(compilation, 0));
    gpucc_compilation_free(compilation);
    return 0;
}

/* ---- threads ---- */

struct expected {
    const char *path;
    char *ptx, *log;
    gpucc_compile_status status;
};

struct worker {
    struct expected *files;
    size_t count, first;
    int differences;
};

/* Lists that are null, or have something in them that is. */
static int nulls(void)
{
    const char *const options[] = {"-DN=1", NULL};
    const struct gpucc_file source = {.name = "a.c", .text = "#include <gpucc.h>\n"};
    const struct gpucc_compile_input whole = {.size = sizeof whole, .sources = &source, .source_count = 1};
    struct gpucc_compile_input inputs[] = {whole, whole, whole, whole};
    inputs[0].options = options;
    inputs[0].option_count = 2;
    inputs[1].option_count = 1;
    inputs[2].header_count = 1;
    inputs[3].sources = NULL;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        gpucc_compilation *compilation;
        printf("status %d: ", gpucc_compile(&inputs[i], &compilation));
        printf("%s", gpucc_compilation_log(compilation));
        gpucc_compilation_free(compilation);
    }
    return 0;
}

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

static int differ(const char *a, const char *b)
{
    return !a || !b ? a != b : strcmp(a, b) != 0;
}

static void *work(void *data)
{
    struct worker *worker = data;
    for (size_t i = 0; i < worker->count; i++) {
        const struct expected *file = &worker->files[(worker->first + i) % worker->count];
        gpucc_compilation *compilation;
        gpucc_compile_status status = compile(file->path, NULL, 0, GPUCC_MAKE(PTX) | GPUCC_MAKE(OBJECT), &compilation);
        worker->differences += status != file->status || differ(file->log, gpucc_compilation_log(compilation)) ||
                               differ(file->ptx, gpucc_compilation_artefact(compilation, GPUCC_ARTEFACT_PTX, NULL));
        gpucc_compilation_free(compilation);
    }
    return NULL;
}

static int threads(char **paths, size_t count)
{
    struct expected *files = calloc(count, sizeof *files);
    struct worker workers[THREADS];
    pthread_t ids[THREADS];
    int differences = 0;
    for (size_t i = 0; i < count; i++) {
        gpucc_compilation *compilation;
        files[i].path = paths[i];
        files[i].status = compile(paths[i], NULL, 0, GPUCC_MAKE(PTX) | GPUCC_MAKE(OBJECT), &compilation);
        files[i].log = copy(gpucc_compilation_log(compilation));
        files[i].ptx = copy(gpucc_compilation_artefact(compilation, GPUCC_ARTEFACT_PTX, NULL));
        printf("%s %d\n", base_name(paths[i]), files[i].status);
        gpucc_compilation_free(compilation);
    }
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){files, count, i, 0};
        if (pthread_create(&ids[i], NULL, work, &workers[i]))
            abort();
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(ids[i], NULL);
        differences += workers[i].differences;
    }
    for (size_t i = 0; i < count; i++) {
        free(files[i].log);
        free(files[i].ptx);
    }
    free(files);
    printf("%d differences\n", differences);
    return differences != 0;
}

/* ---- what of the process is otherwise ---- */

struct state {
    struct {
        void (*handler)(int);
        int flags;
    } actions[65];
    sigset_t mask;
    void *stack;
    char folder[4096], locale[256];
    mode_t umask;
    struct rlimit limit;
    int files, tasks;
};

static int entries(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    while (folder && readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static struct state *state_now(void)
{
    struct state *state = calloc(1, sizeof *state);
    stack_t stack;
    for (int i = 1; i < 65; i++) {
        struct sigaction action;
        if (sigaction(i, NULL, &action))
            continue;
        state->actions[i].handler = action.sa_handler;
        state->actions[i].flags = action.sa_flags;
    }
    pthread_sigmask(SIG_SETMASK, NULL, &state->mask);
    sigaltstack(NULL, &stack);
    state->stack = stack.ss_sp;
    if (!getcwd(state->folder, sizeof state->folder))
        abort();
    snprintf(state->locale, sizeof state->locale, "%s", setlocale(LC_ALL, NULL));
    state->umask = umask(0);
    umask(state->umask);
    getrlimit(RLIMIT_STACK, &state->limit);
    state->files = entries("/proc/self/fd");
    state->tasks = entries("/proc/self/task");
    return state;
}

static void on_signal(int number)
{
    (void)number;
}

static int state(char **paths, size_t count)
{
    signal(SIGSEGV, on_signal);
    signal(SIGINT, on_signal);
    char **environment = environ;
    struct state *before = state_now();
    for (size_t i = 0; i < count; i++) {
        gpucc_compilation *compilation;
        printf("status %d\n", compile(paths[i], NULL, 0, GPUCC_MAKE(PTX) | GPUCC_MAKE(SHARED), &compilation));
        gpucc_compilation_free(compilation);
        struct state *after = state_now();
        printf("%s\n", memcmp(before, after, sizeof *before) || environment != environ ? "something is otherwise"
                                                                                      : "all is as before");
        free(after);
    }
    free(before);
    return 0;
}

/* ---- signals and handlers: these stand before the C library's and LLVM's own functions ---- */

static sigset_t mask_inside;
static int resets;

locale_t uselocale(locale_t locale)
{
    pthread_sigmask(SIG_SETMASK, NULL, &mask_inside);
    return ((locale_t (*)(locale_t))dlsym(RTLD_NEXT, "uselocale"))(locale);
}

void LLVMResetFatalErrorHandler(void);
void LLVMResetFatalErrorHandler(void)
{
    resets++;
    ((void (*)(void))dlsym(RTLD_NEXT, "LLVMResetFatalErrorHandler"))();
}

static int signals(const char *path)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    gpucc_compilation *compilation;
    for (int i = 0; i < 2; i++) {
        sigemptyset(&mask_inside);
        resets = 0;
        compile(path, NULL, 0, GPUCC_MAKE(PTX), &compilation);
        gpucc_compilation_free(compilation);
    }
    int blocked = 0;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        blocked += sigismember(&mask_inside, faults[i]);
    printf("faults blocked: %d\nSIGINT blocked: %d\n", blocked, sigismember(&mask_inside, SIGINT));
    printf("handlers taken away: %d\n", resets);
    return 0;
}

/* ---- little memory ---- */

static long pages_now(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1 || fclose(file))
        abort();
    return pages;
}

static int memory(const char *path)
{
    int failures = 0;
    gpucc_compilation *compilation;
    for (long megabytes = 400; megabytes >= 0; megabytes = megabytes > 160 ? megabytes - 40 : megabytes - 8) {
        struct rlimit limit;
        getrlimit(RLIMIT_AS, &limit);
        limit.rlim_cur = (rlim_t)(pages_now() * sysconf(_SC_PAGESIZE) + (megabytes << 20));
        setrlimit(RLIMIT_AS, &limit);
        gpucc_compile_status status = compile(path, NULL, 0, GPUCC_MAKE(PTX), &compilation);
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_AS, &limit);
        if (status && status != GPUCC_COMPILE_FAILED)
            printf("with %ld MB: %d\n%s", megabytes, status, gpucc_compilation_log(compilation));
        failures += status == GPUCC_COMPILE_FAILED;
        gpucc_compilation_free(compilation);
    }
    printf("%s\n", failures > 2 ? "some failed" : "too few failed");
    printf("then %d\n", compile(path, NULL, 0, GPUCC_MAKE(PTX), &compilation));
    gpucc_compilation_free(compilation);
    return 0;
}

static int names(const char *path, char **list, size_t count)
{
    gpucc_compilation *compilation;
    printf("status %d\n", compile(path, NULL, 0, GPUCC_MAKE(PTX), &compilation));
    for (size_t i = 0; i < count; i++) {
        const char *name = gpucc_compilation_lowered_name(compilation, list[i]);
        char entry[256];
        snprintf(entry, sizeof entry, ".entry %s(", name);
        const char *ptx = gpucc_compilation_ptx(compilation, 0, NULL, NULL);
        printf("%s: %s\n", list[i], name && strstr(ptx, entry) ? name : "none");
    }
    gpucc_compilation_free(compilation);
    return 0;
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    setlocale(LC_ALL, "");
    if (!strcmp(what, "make") && count > 3)
        return make(arguments[2], arguments[3], arguments + 4, (size_t)count - 4);
    if (!strcmp(what, "nulls"))
        return nulls();
    if (!strcmp(what, "headers"))
        return headers();
    if (!strcmp(what, "threads"))
        return threads(arguments + 2, (size_t)count - 2);
    if (!strcmp(what, "state"))
        return state(arguments + 2, (size_t)count - 2);
    if (!strcmp(what, "signals") && count > 2)
        return signals(arguments[2]);
    if (!strcmp(what, "memory") && count > 2)
        return memory(arguments[2]);
    if (!strcmp(what, "names") && count > 2)
        return names(arguments[2], arguments + 3, (size_t)count - 3);
    return 2;
}
