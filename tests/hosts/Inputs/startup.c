/* startup LIBRARY: milliseconds of processor time that a process takes to open libgpucc by dlopen() and to make a
 * context where there is no GPU; the least of some processes. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 9 };

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static double start(const char *path)
{
    const double begun = processor_time();
    void *context, *library = dlopen(path, RTLD_NOW);
    int (*create)(const void *options, void **out) =
        library ? (int (*)(const void *, void **))dlsym(library, "gpucc_context_create") : NULL;
    if (!create || create(NULL, &context))
        exit(1);
    return processor_time() - begun;
}

int main(int argc, char **argv)
{
    double least = 1e9;
    (void)argc;
    for (int i = 0; i < PROCESSES; i++) {
        int ends[2], status;
        double taken;
        if (pipe(ends))
            return 1;
        const pid_t child = fork();
        if (child == 0) {
            taken = start(argv[1]);
            _exit(write(ends[1], &taken, sizeof taken) != sizeof taken);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status ||
            read(ends[0], &taken, sizeof taken) != sizeof taken)
            return 1;
        least = taken < least ? taken : least;
        close(ends[0]);
        close(ends[1]);
    }
    printf("%.3f ms\n", least);
    return least >= 2;
}
