/* How long libgpucc-compiler and NVRTC take for the same source, in one process, in turn: a kernel, and as a ufunc,
 * which for gpucc is its loop over adjacent elements, or all of its loops, and for NVRTC that kernel again.
 * bench_library [PATH OF LIBNVRTC] */
#include "bench.h"

#include <dlfcn.h>
#include <gpucc/compiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS = 21 };

#define BODY "out[i] = cosf(x[i]) * cosf(x[i]) + sinf(x[i]) * sinf(x[i]);"
static const char kernel[] = "#include <gpucc.h>\n#include <math.h>\n"
                             "kernel void trig(const float *x, float *out, size_t n)\n"
                             "{ size_t i = grid(1); if (i < n) " BODY " }\n";
static const char ufunc[] = "#include <gpucc.h>\n#include <math.h>\nvectorize(float32(float32))\n"
                            "float trig(float x) { return cosf(x) * cosf(x) + sinf(x) * sinf(x); }\n";
static const char cuda[] = "extern \"C\" __global__ void trig(const float *x, float *out, size_t n)\n"
                           "{ size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) " BODY " }\n";

static struct nvrtc {
    int (*create)(void **program, const char *source, const char *name, int headers, const char *const *texts,
                  const char *const *names);
    int (*compile)(void *program, int options, const char *const *words);
    int (*size)(void *program, size_t *size);
    int (*ptx)(void *program, char *text);
    int (*destroy)(void **program);
} nvrtc;

static bool compile_here(const char *source, const char *option)
{
    const struct gpucc_file file = {.name = "trig.c", .text = source, .size = strlen(source)};
    const struct gpucc_compile_input input = {.size = sizeof input, .sources = &file, .source_count = 1,
                                              .artefacts = GPUCC_MAKE(PTX), .options = &option,
                                              .option_count = option ? 1 : 0};
    gpucc_compilation *made;
    const bool done = !gpucc_compile(&input, &made);
    if (!done)
        fputs(gpucc_compilation_log(made), stderr);
    gpucc_compilation_free(made);
    return done;
}

static bool compile_there(const char *source)
{
    static const char *const options[] = {"--gpu-architecture=compute_75"};
    void *program;
    size_t size = 0;
    if (nvrtc.create(&program, source, "trig.cu", 0, NULL, NULL))
        return false;
    bool done = !nvrtc.compile(program, 1, options) && !nvrtc.size(program, &size);
    char *text = done ? malloc(size) : NULL;
    done = text && !nvrtc.ptx(program, text);
    free(text);
    nvrtc.destroy(&program);
    return done;
}

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void measure(const char *name, const char *source, const char *option)
{
    double wall[2][TURNS], processor[2][TURNS];
    char row[64];
    for (int turn = -1; turn < TURNS; turn++) /* the first one is not counted */
        for (int side = 0; side < 2; side++) {
            const double begun = bench_seconds(), begun_processor = processor_time();
            if (!(side ? compile_there(cuda) : compile_here(source, option)))
                exit((fprintf(stderr, "%s: %s does not compile it\n", name, side ? "NVRTC" : "gpucc"), 1));
            if (turn < 0)
                continue;
            wall[side][turn] = 1e3 * (bench_seconds() - begun);
            processor[side][turn] = 1e3 * (processor_time() - begun_processor);
        }
    for (int side = 0; side < 2; side++) {
        snprintf(row, sizeof row, "%s", name);
        bench_row(row, side ? "nvrtc" : "gpucc", bench_median(wall[side], TURNS), "ms");
        snprintf(row, sizeof row, "%s, processor time", name);
        bench_row(row, side ? "nvrtc" : "gpucc", bench_median(processor[side], TURNS), "ms");
    }
}

static void find(void *library, const char *name, void *entry)
{
    void *found = dlsym(library, name);
    if (!found)
        exit((fprintf(stderr, "%s\n", dlerror()), 3));
    memcpy(entry, &found, sizeof found);
}

int main(int argc, char **argv)
{
    void *library = dlopen(argc > 1 ? argv[1] : "/usr/local/cuda/lib64/libnvrtc.so", RTLD_NOW);
    if (!library)
        return fprintf(stderr, "%s\n", dlerror()), 3;
    find(library, "nvrtcCreateProgram", &nvrtc.create);
    find(library, "nvrtcCompileProgram", &nvrtc.compile);
    find(library, "nvrtcGetPTXSize", &nvrtc.size);
    find(library, "nvrtcGetPTX", &nvrtc.ptx);
    find(library, "nvrtcDestroyProgram", &nvrtc.destroy);
    measure("trig, a kernel, to PTX", kernel, NULL);
    measure("trig, a ufunc's loop, to PTX", ufunc, "--loops=contiguous");
    measure("trig, a ufunc, to PTX", ufunc, NULL);
}
