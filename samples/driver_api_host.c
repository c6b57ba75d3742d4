/* Kernel PTX in a host that knows nothing of gpucc: plain C and the CUDA driver, found at run time.
 *
 *   gpucc add_kernel.c -o add_kernel.ptx
 *   cc driver_api_host.c -o driver_api -ldl && ./driver_api add_kernel.ptx
 *
 * add_kernel's parameters are those of its C prototype: size_t n, and three pointers to int32.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The few entry points that are needed: CALL(name in the library, parameters) */
#define CALLS(CALL)                                                                                                    \
    CALL(cuInit, (unsigned flags))                                                                                     \
    CALL(cuDeviceGet, (int *device, int ordinal))                                                                      \
    CALL(cuDevicePrimaryCtxRetain, (void **context, int device))                                                       \
    CALL(cuDevicePrimaryCtxRelease_v2, (int device))                                                                   \
    CALL(cuCtxSetCurrent, (void *context))                                                                             \
    CALL(cuModuleLoadData, (void **module, const void *image))                                                         \
    CALL(cuModuleUnload, (void *module))                                                                               \
    CALL(cuModuleGetFunction, (void **function, void *module, const char *name))                                       \
    CALL(cuMemAlloc_v2, (uint64_t *pointer, size_t size))                                                              \
    CALL(cuMemFree_v2, (uint64_t pointer))                                                                             \
    CALL(cuMemcpyHtoD_v2, (uint64_t to, const void *from, size_t size))                                                \
    CALL(cuMemcpyDtoH_v2, (void *to, uint64_t from, size_t size))                                                      \
    CALL(cuLaunchKernel,                                                                                               \
         (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,       \
          unsigned block_z, unsigned shared, void *stream, void **parameters, void **extra))

#define DECLARE(name, parameters) static int(*name) parameters;
CALLS(DECLARE)

static int open_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        return 0;
#define FIND(name, parameters)                                                                                         \
    *(void **)&name = dlsym(library, #name);                                                                           \
    if (!name)                                                                                                         \
        return 0;
    CALLS(FIND)
    return cuInit(0) == 0;
}

static void check(int result, const char *call)
{
    if (result != 0) {
        fprintf(stderr, "%s: CUDA error %d\n", call, result);
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

/* The whole file with a NUL behind it; the caller frees it. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        text = size >= 0 ? calloc((size_t)size + 1, 1) : NULL;
        if (text && fread(text, 1, (size_t)size, file) != (size_t)size)
            *text = 0;
    }
    if (file)
        fclose(file);
    if (!text || !*text) {
        fprintf(stderr, "cannot read '%s'\n", path);
        exit(3);
    }
    return text;
}

enum { N = 4096, BLOCK = 256 };

static void add(void *function, const int32_t *x, const int32_t *y, int32_t *out)
{
    const size_t size = N * sizeof *x;
    uint64_t n = N, device_x, device_y, device_out;
    CHECK(cuMemAlloc_v2(&device_x, size));
    CHECK(cuMemAlloc_v2(&device_y, size));
    CHECK(cuMemAlloc_v2(&device_out, size));
    CHECK(cuMemcpyHtoD_v2(device_x, x, size));
    CHECK(cuMemcpyHtoD_v2(device_y, y, size));
    void *parameters[] = {&n, &device_x, &device_y, &device_out};
    CHECK(cuLaunchKernel(function, (N + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, parameters, NULL));
    CHECK(cuMemcpyDtoH_v2(out, device_out, size));
    CHECK(cuMemFree_v2(device_x));
    CHECK(cuMemFree_v2(device_y));
    CHECK(cuMemFree_v2(device_out));
}

int main(int argc, char **argv)
{
    static int32_t x[N], y[N], out[N];
    char *ptx = read_text(argc > 1 ? argv[1] : "add_kernel.ptx");
    void *context, *module, *function;
    int device;
    if (!open_driver()) {
        printf("skipped: no CUDA driver\n");
        free(ptx);
        return 0;
    }
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoadData(&module, ptx));
    CHECK(cuModuleGetFunction(&function, module, "add_kernel"));
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = 2 * i;
    }
    add(function, x, y, out);
    for (int i = 0; i < N; i++)
        if (out[i] != 3 * i) {
            fprintf(stderr, "wrong: %d + %d = %d\n", x[i], y[i], out[i]);
            return 1;
        }
    printf("%d sums by the driver API alone are right\n", N);
    CHECK(cuModuleUnload(module));
    CHECK(cuDevicePrimaryCtxRelease_v2(device));
    free(ptx);
    return 0;
}
