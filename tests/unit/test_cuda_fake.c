/* The fake driver itself: it gives the driver's answers, works late, and lets no undefined behaviour pass. */
#define _GNU_SOURCE
#include "fake_cuda.h"

#include "cuda_scene.h"

#include <dlfcn.h>
#include <signal.h>

#define DRIVER(need, name, symbol, parameters) CUresult symbol parameters;
#include "devices/driver.def"
#undef DRIVER

enum { INVALID_VALUE = 1, NOT_INITIALIZED = 3, INVALID_CONTEXT = 201, INVALID_HANDLE = 400, NOT_READY = 600 };

#define Dies(name) Test(cuda_fake, name, .signal = SIGABRT)
#define OK(call) cr_assert((call) == CUDA_SUCCESS, "%s", #call)
#define GIVES(result, call) cr_assert((call) == (result), "%s", #call)

static CUmodule module;
static CUstream first, second;
static CUdeviceptr memory; /* 1024 bytes */

static void start(void)
{
    CUcontext context;
    use_fake();
    MUST(driver_open());
    OK(driver.cuDevicePrimaryCtxRetain(&context, 0));
    OK(driver.cuCtxSetCurrent(context));
    OK(driver.cuModuleLoadDataEx(&module, scene_ptx, 0, NULL, NULL));
    OK(driver.cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    OK(driver.cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    OK(driver.cuMemAlloc(&memory, 1024));
}

static CUresult fill(CUdeviceptr out, uint64_t n, CUstream stream)
{
    CUfunction function;
    OK(driver.cuModuleGetFunction(&function, module, "fill"));
    void *parameters[] = {&out, &n, &(float){1}};
    return driver.cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, stream, parameters, NULL);
}

/* ---- the driver's answers ---- */

Test(cuda_fake, needs_initialisation_and_a_context)
{
    int count;
    CUdeviceptr pointer;
    GIVES(NOT_INITIALIZED, cuDeviceGetCount(&count));
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    cr_assert(count == 1);
    GIVES(INVALID_CONTEXT, cuMemAlloc_v2(&pointer, 10));
}

Test(cuda_fake, wrong_arguments)
{
    CUfunction function;
    CUevent event, untimed;
    CUdeviceptr pointer;
    float time;
    char host[2048];
    start();
    GIVES(INVALID_VALUE, driver.cuMemAlloc(&pointer, 0));
    GIVES(INVALID_VALUE, driver.cuMemAlloc(NULL, 10));
    GIVES(CUDA_ERROR_OUT_OF_MEMORY, driver.cuMemAlloc(&pointer, (size_t)1 << 40));
    GIVES(INVALID_VALUE, driver.cuMemFree(memory + 4));
    GIVES(INVALID_VALUE, driver.cuMemcpyHtoDAsync(memory, host, 1025, first));
    GIVES(INVALID_VALUE, driver.cuMemcpyHtoDAsync(memory + 1000, host, 25, first));
    GIVES(INVALID_VALUE, driver.cuMemcpyDtoHAsync(host, 12345, 4, first));
    GIVES(CUDA_ERROR_NOT_FOUND, driver.cuModuleGetFunction(&function, module, "nothing"));
    GIVES(INVALID_HANDLE, driver.cuModuleGetFunction(&function, NULL, "fill"));
    GIVES(CUDA_ERROR_INVALID_DEVICE, driver.cuDeviceGetAttribute(&(int){0}, 1, 7));
    OK(driver.cuEventCreate(&event, CU_EVENT_DEFAULT));
    OK(driver.cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    GIVES(INVALID_HANDLE, driver.cuEventElapsedTime(&time, event, event));
    OK(driver.cuEventRecord(event, first));
    OK(driver.cuEventRecord(untimed, first));
    GIVES(INVALID_HANDLE, driver.cuEventElapsedTime(&time, event, untimed));
    GIVES(NOT_READY, driver.cuEventElapsedTime(&time, event, event));
    GIVES(CUDA_ERROR_INVALID_IMAGE, driver.cuModuleLoadDataEx(&module, "nonsense", 0, NULL, NULL));
}

Test(cuda_fake, launch_limits)
{
    CUfunction function;
    start();
    OK(driver.cuModuleGetFunction(&function, module, "turn"));
    void *parameters[] = {&memory};
    GIVES(INVALID_VALUE, driver.cuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, first, parameters, NULL));
    GIVES(INVALID_VALUE, driver.cuLaunchKernel(function, 1, 65536, 1, 1, 1, 1, 0, first, parameters, NULL));
    GIVES(INVALID_VALUE, driver.cuLaunchKernel(function, 1, 1, 1, 1025, 1, 1, 0, first, parameters, NULL));
    GIVES(INVALID_VALUE, driver.cuLaunchKernel(function, 1, 1, 1, 64, 64, 1, 0, first, parameters, NULL));
    GIVES(INVALID_VALUE, driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 50000, first, parameters, NULL));
    GIVES(INVALID_VALUE, driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, first, NULL, NULL));
    OK(driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 50000));
    OK(driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 50000, first, parameters, NULL));
    OK(driver.cuModuleGetFunction(&function, module, "heavy"));
    GIVES(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
          driver.cuLaunchKernel(function, 1, 1, 1, 1024, 1, 1, 0, first, parameters, NULL));
}

Test(cuda_fake, ptx_beyond_driver_or_device)
{
    setenv("GPUCC_FAKE_DRIVER", "11080", 1);
    setenv("GPUCC_FAKE_ARCH", "80", 1);
    start();
    GIVES(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
          driver.cuModuleLoadDataEx(&module, ".version 8.0\n.target sm_75\n", 0, NULL, NULL));
    GIVES(CUDA_ERROR_INVALID_PTX,
          driver.cuModuleLoadDataEx(&module, ".version 7.8\n.target sm_90\n", 0, NULL, NULL));
    OK(driver.cuModuleLoadDataEx(&module, ".version 7.8\n.target sm_80\n", 0, NULL, NULL));
}

/* Found as symbols of the program, which must be visible to the loader. */
__attribute__((visibility("default"))) void mark_thread(void **parameters);
__attribute__((visibility("default"))) void mark_block(void **parameters);

void mark_thread(void **parameters)
{
    unsigned t = gpucc_cpu_self()->thread_index.x;
    ((unsigned char *)gpucc_cpu_self()->shared)[t] = (unsigned char)t;
    ARGUMENT(unsigned char *, 0)[t] = (unsigned char)(gpucc_cpu_self()->shared[t] + 1);
}

void mark_block(void **parameters)
{
    struct gpucc_cpu_thread *self = gpucc_cpu_self();
    for (self->thread_index.x = 0; self->thread_index.x < self->block_dim.x; self->thread_index.x++)
        mark_thread(parameters);
}

static const char mark_ptx[] = ".version 6.3\n.target sm_75\n.address_size 64\n"
                               ".shared .align 4 .b8 tile[1000]; .shared .align 8 .b8 unused[5000];\n"
                               ".extern .shared .align 16 .b8 dynamic[];\n"
                               ".visible .entry mark(.param .u64 mark_param_0)\n"
                               "{ mov.u32 %r1, tile; mov.u32 %r2, tile; mov.u32 %r3, dynamic; ret; }\n";

Test(cuda_fake, natives_by_symbol_and_shared_memory_by_ptx)
{
    CUmodule other;
    CUfunction function;
    int shared;
    unsigned char out[64] = {0};
    start();
    void *parameters[] = {&memory};
    OK(driver.cuModuleLoadDataEx(&other, mark_ptx, 0, NULL, NULL));
    OK(driver.cuModuleGetFunction(&function, other, "mark"));
    OK(driver.cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
    cr_assert(shared == 1000, "%d bytes", shared);
    if (dlsym(RTLD_DEFAULT, "mark_thread") == NULL)
        return; /* linked without its symbols for the loader */
    OK(driver.cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, first, parameters, NULL));
    OK(driver.cuMemcpyDtoHAsync(out, memory, sizeof out, first));
    OK(driver.cuStreamSynchronize(first));
    cr_assert(out[63] == 64);
}

static void follow_thread(void **parameters)
{
    **ARGUMENT(int **, 0) = 7;
}

static const char follow_ptx[] = ".version 6.3\n.target sm_75\n.address_size 64\n"
                                 ".visible .entry follow(.param .u64 follow_param_0) { ret; }\n";

/* Writes where `memory` points, which is no parameter of the kernel's. */
static CUdeviceptr write_seven(void)
{
    CUmodule other;
    CUfunction function;
    static CUdeviceptr place; /* until it has been copied */
    OK(driver.cuMemAlloc(&place, 4));
    OK(driver.cuMemcpyHtoDAsync(memory, &place, sizeof place, first));
    OK(driver.cuModuleLoadDataEx(&other, follow_ptx, 0, NULL, NULL));
    OK(driver.cuModuleGetFunction(&function, other, "follow"));
    OK(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, first, (void *[]){&memory}, NULL));
    return place;
}

Test(cuda_fake, kernel_follows_pointers_in_memory)
{
    int out = 0;
    start();
    fake_cuda_register("follow", follow_thread, NULL, 0);
    CUdeviceptr place = write_seven();
    OK(driver.cuMemcpyDtoHAsync(&out, place, sizeof out, first));
    OK(driver.cuStreamSynchronize(first));
    cr_assert(out == 7);
}

/* ---- work comes late, and in the order that streams and events give ---- */

Test(cuda_fake, works_only_when_waited_for)
{
    float out[256] = {0};
    start();
    OK(fill(memory, 256, first));
    OK(driver.cuMemcpyDtoHAsync(out, memory, sizeof out, first));
    cr_assert(out[5] == 0);
    OK(driver.cuStreamSynchronize(second));
    cr_assert(out[5] == 0, "another stream was waited for");
    OK(driver.cuStreamSynchronize(first));
    cr_assert(out[5] == 6);
}

Test(cuda_fake, events_order_streams)
{
    CUevent event;
    float out[256] = {0};
    start();
    OK(driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(fill(memory, 256, first));
    OK(driver.cuMemcpyDtoHAsync(out, memory, sizeof out, second));
    OK(driver.cuStreamSynchronize(second));
    cr_assert(out[5] != 6, "nothing told the second stream to wait");
    OK(driver.cuEventRecord(event, first));
    OK(driver.cuStreamWaitEvent(second, event, 0));
    OK(driver.cuMemcpyDtoHAsync(out, memory, sizeof out, second));
    OK(driver.cuStreamSynchronize(second));
    cr_assert(out[5] == 6);
}

Test(cuda_fake, fresh_memory_is_not_zero)
{
    unsigned char out[16] = {0};
    start();
    OK(driver.cuMemcpyDtoHAsync(out, memory, sizeof out, first));
    OK(driver.cuStreamSynchronize(first));
    cr_assert(out[0] != 0 && out[15] != 0);
}

Test(cuda_fake, calls_fail_on_request)
{
    CUdeviceptr pointer;
    start();
    fake_cuda_fail_nth(2, "cuMemAlloc");
    OK(driver.cuMemAlloc(&pointer, 10));
    OK(driver.cuStreamSynchronize(first));
    cr_assert(fake_cuda_failed() == NULL);
    GIVES(CUDA_ERROR_OUT_OF_MEMORY, driver.cuMemAlloc(&pointer, 10));
    cr_assert(strcmp(fake_cuda_failed(), "cuMemAlloc") == 0);
    OK(driver.cuMemAlloc(&pointer, 10));
    long leaks = fake_cuda_leaks();
    fake_cuda_fail_nth(1, NULL);
    cr_assert(driver.cuMemFree(pointer) != CUDA_SUCCESS);
    cr_assert(fake_cuda_leaks() == leaks - 1, "what releases does so, even where it reports an error");
}

Test(cuda_fake, failures_from_the_environment)
{
    int count;
    setenv("GPUCC_FAKE_FAIL", "2", 1);
    setenv("GPUCC_FAKE_FAIL_NAME", "cuDeviceGetCount", 1);
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    cr_assert(cuDeviceGetCount(&count) != CUDA_SUCCESS);
    OK(cuDeviceGetCount(&count));
}

/* ---- what is undefined on a GPU ---- */

Test(cuda_fake, host_reads_device_memory, .signal = SIGSEGV)
{
    signal(SIGSEGV, SIG_DFL);
    start();
    volatile char byte = *(volatile char *)(uintptr_t)memory;
    (void)byte;
}

Test(cuda_fake, host_reads_what_a_kernel_has_reached, .signal = SIGSEGV)
{
    signal(SIGSEGV, SIG_DFL);
    start();
    fake_cuda_register("follow", follow_thread, NULL, 0);
    CUdeviceptr place = write_seven();
    OK(driver.cuStreamSynchronize(first));
    volatile char byte = *(volatile char *)(uintptr_t)place;
    (void)byte;
}

Test(cuda_fake, kernel_leaves_its_memory, .signal = SIGSEGV)
{
    signal(SIGSEGV, SIG_DFL);
    start();
    OK(fill(memory + 512, 256, first)); /* the last half lies beyond the end */
    OK(driver.cuStreamSynchronize(first));
}

Dies(kernel_writes_a_little_too_far)
{
    CUdeviceptr small;
    start();
    OK(driver.cuMemAlloc(&small, 100));
    OK(fill(small, 26, first));
    OK(driver.cuStreamSynchronize(first));
    (void)driver.cuMemFree(small);
}

Dies(host_pointer_for_a_kernel)
{
    float *values = malloc(1024);
    start();
    (void)fill((uintptr_t)values, 256, first);
}

Dies(freed_memory_for_a_kernel)
{
    start();
    OK(driver.cuMemFree(memory));
    (void)fill(memory, 256, first);
}

Dies(freed_twice)
{
    start();
    OK(driver.cuMemFree(memory));
    (void)driver.cuMemFree(memory);
}

Dies(device_pointer_as_the_hosts_side)
{
    start();
    (void)driver.cuMemcpyHtoDAsync(memory, (void *)(uintptr_t)memory, 4, first);
}

Dies(used_before_its_allocation)
{
    CUdeviceptr pointer;
    start();
    OK(driver.cuMemAllocAsync(&pointer, 1024, first));
    OK(fill(pointer, 256, second));
    (void)driver.cuStreamSynchronize(second);
}

Dies(freed_while_another_stream_uses_it)
{
    CUdeviceptr pointer;
    start();
    OK(driver.cuMemAllocAsync(&pointer, 1024, first));
    OK(driver.cuStreamSynchronize(first));
    OK(fill(pointer, 256, second));
    OK(driver.cuMemFreeAsync(pointer, first));
    OK(driver.cuStreamSynchronize(first));
    (void)driver.cuStreamSynchronize(second);
}

Dies(stream_used_after_its_end)
{
    start();
    OK(driver.cuStreamDestroy(first));
    (void)driver.cuStreamSynchronize(first);
}

Dies(handle_that_never_was)
{
    start();
    (void)driver.cuEventRecord((CUevent)(void *)&memory, first);
}

Dies(pinned_memory_freed_while_a_copy_waits)
{
    void *pinned;
    start();
    OK(driver.cuMemAllocHost(&pinned, 64));
    OK(driver.cuMemcpyHtoDAsync(memory, pinned, 64, first));
    (void)driver.cuMemFreeHost(pinned);
}

Dies(kernel_without_native_code)
{
    CUfunction function;
    CUmodule other;
    start();
    OK(driver.cuModuleLoadDataEx(&other, ".version 6.3\n.target sm_75\n.visible .entry lost()\n{ ret; }\n", 0, NULL,
                                 NULL));
    OK(driver.cuModuleGetFunction(&function, other, "lost"));
    OK(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, first, NULL, NULL));
    (void)driver.cuStreamSynchronize(first);
}
