/* A stand-in for libcuda.so.1, for tests on machines without a GPU.
 *
 * Hosts reach it by GPUCC_LIBCUDA=…/libcuda-fake.so, or by being linked with it.  It has its own device memory, which
 * is inaccessible except while the fake device works, checks every argument, handle and lifetime, and does work as late
 * as it may: copies, kernels, stream-ordered allocations and frees wait in their stream until somebody synchronises,
 * so that missing synchronisation shows.  Streams that nothing orders run newest first.
 * Wrong arguments get the CUresult that the driver gives.  What is undefined on a GPU ends the process: a message on
 * standard error, then SIGABRT (SIGSEGV where a kernel or the host reaches memory that it may not).
 *
 * A module is PTX text; the text is only scanned for its entries and their parameters.  A launch of entry E runs the
 * native functions given by fake_cuda_register(), or else E_thread and E_block of <gpucc/cpu.h>, found by dlsym() (in a
 * library that fake_cuda_use_library() names, then in the program),
 * with the static shared memory that the PTX declares and E's body names.
 * A module's visible .global and .const variables are device memory, which begins with what the native variable of
 * that name holds (given by fake_cuda_register_global(), or found by dlsym()), zeros where there is none.  While a
 * kernel runs, its values stand in the native variable.  Any program runs on the fake when its PTX's entries are also
 * compiled natively:
 *     gpucc trig.c --emulate -o trig.o && cc -shared trig.o -lcuda-fake -o natives.so
 *     LD_PRELOAD=./natives.so GPUCC_LIBCUDA=libcuda-fake.so gpucc run trig.c trig …
 *
 * Environment, read at the first call:
 *   GPUCC_FAKE_DEVICES    number of devices (1); 0: cuInit() fails with CUDA_ERROR_NO_DEVICE
 *   GPUCC_FAKE_ARCH       compute capability, 90 for 9.0 (90)
 *   GPUCC_FAKE_OTHER_ARCH the same of devices other than the first (as the first)
 *   GPUCC_FAKE_SMS        multiprocessors (132)
 *   GPUCC_FAKE_DRIVER     what cuDriverGetVersion() says (13000); it limits the PTX ISA
 *   GPUCC_FAKE_MEMORY     bytes of memory on each device (1073741824)
 *   GPUCC_FAKE_PAGE       bytes that are mapped at a time, a power of two from 4096 on (65536)
 *   GPUCC_FAKE_POOLS      0: no memory pools (1)
 *   GPUCC_FAKE_PEERS      0: devices do not reach one another's memory, so that copies between them are staged (1)
 *   GPUCC_FAKE_PTX        1: launches play the module's PTX (tests/ptx_player) in place of native code; 2: and padding
 *                         may be copied to global memory, for programs that copy structs there
 *   GPUCC_FAKE_FAIL       N: the Nth call fails
 *   GPUCC_FAKE_FAIL_NAME  count only calls of this entry, as "cuMemAlloc"
 */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <gpucc/runtime.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define FAKE_CUDA_API __attribute__((visibility("default")))
#endif

struct pool;
struct cpu_launch;
struct cpu_texture;

/* This library's file, for GPUCC_LIBCUDA. */
FAKE_CUDA_API const char *fake_cuda_path(void);

/* Native code of the entry `name`, as in <gpucc/cpu.h>; `block` may be null.  `shared` is the bytes of static shared
 * memory that it needs.  A name may be registered again; it must outlive the process's last launch. */
FAKE_CUDA_API void fake_cuda_register(const char *name, void (*thread)(void **), void (*block)(void **), size_t shared);

/* The native code's variable that stands for the module variable `name` of this size. */
FAKE_CUDA_API void fake_cuda_register_global(const char *name, void *address, size_t size);

/* The library, by dlopen(), that has the native code of modules that are loaded from now on; null: the program has it.
 * So several libraries may have entries and variables of one name.  It stays open while its modules do. */
FAKE_CUDA_API void fake_cuda_use_library(void *library);

/* Kernels ask gpucc_cpu_self() and gpucc_cpu_barrier() of one copy of the runtime's executor, and it must be the copy
 * that runs them.  A program that is linked with libgpucc.a hands over its own here, before the first launch:
 *     fake_cuda_use_executor(pool_create, cpu_launch_run);
 * Otherwise the copy inside the fake is used, whose gpucc_cpu_self() the fake exports. */
FAKE_CUDA_API void fake_cuda_use_executor(gpucc_status (*create)(int threads, struct pool **out),
                                          gpucc_status (*run)(struct pool *pool, const struct cpu_launch *launch));

/* Kernels look textures up in one copy of the runtime's table of objects.  A program that is linked with libgpucc.a
 * hands over its own here, before it makes a texture:
 *     fake_cuda_use_textures(texture_object_register, texture_object_unregister); */
FAKE_CUDA_API void fake_cuda_use_textures(uint64_t (*register_object)(const struct cpu_texture *texture),
                                          void (*unregister_object)(uint64_t object));

/* The nth call from now on (1: the next) fails; 0: none does.  With `name`, only calls of that entry count.
 * Allocations run out of memory, launches out of resources, synchronisation reports a failed kernel, which makes the
 * context unusable, as on a GPU; calls that release something do so nevertheless. */
FAKE_CUDA_API void fake_cuda_fail_nth(long n, const char *name);
/* The entry of the call that was made to fail; null while none was. */
FAKE_CUDA_API const char *fake_cuda_failed(void);
/* The next kernel that the device comes to run ends in this CUresult instead, which then is the context's. */
FAKE_CUDA_API void fake_cuda_break_kernel(int result);

/* Calls made so far, of the entry `name` or (null) of any. */
FAKE_CUDA_API long fake_cuda_call_count(const char *name);
/* Objects that were never given back: retained or created contexts, and allocations on device and host, modules,
 * streams and events, also those that went with their context, unless an error had made that unusable. */
FAKE_CUDA_API long fake_cuda_leaks(void);
/* Bytes that copies have moved directly from or to this memory of the host since fake_cuda_watch(). */
FAKE_CUDA_API void fake_cuda_watch(const void *data, size_t size);
FAKE_CUDA_API size_t fake_cuda_watched(void);
/* Bytes of device memory in use now on all devices. */
FAKE_CUDA_API size_t fake_cuda_memory_used(void);
/* The last launch that the device ran: its entry (null before the first), grid, block, dynamic shared memory, whether
 * it was cooperative, and the blocks of a cluster. */
struct fake_cuda_launch {
    const char *name;
    unsigned grid[3], block[3];
    size_t shared;
    bool cooperative;
    unsigned cluster[3];
};
FAKE_CUDA_API struct fake_cuda_launch fake_cuda_last_launch(void);

#endif
