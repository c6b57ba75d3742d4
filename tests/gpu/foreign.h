/* The CUDA driver used directly, as a host does that has memory, a context and a stream of its own. */
#ifndef GPUCC_TESTS_GPU_FOREIGN_H
#define GPUCC_TESTS_GPU_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

typedef int foreign_result; /* CUresult; 0 is success */

/* ENTRY(name, symbol, parameters) */
#define FOREIGN_ENTRIES(ENTRY)                                                                                         \
    ENTRY(init, cuInit, (unsigned flags))                                                                              \
    ENTRY(device_get, cuDeviceGet, (int *device, int ordinal))                                                         \
    ENTRY(primary_retain, cuDevicePrimaryCtxRetain, (void **context, int device))                                      \
    ENTRY(primary_release, cuDevicePrimaryCtxRelease_v2, (int device))                                                 \
    ENTRY(context_create, cuCtxCreate_v2, (void **context, unsigned flags, int device))                                \
    ENTRY(context_destroy, cuCtxDestroy_v2, (void *context))                                                           \
    ENTRY(context_set, cuCtxSetCurrent, (void *context))                                                               \
    ENTRY(context_get, cuCtxGetCurrent, (void **context))                                                              \
    ENTRY(stream_create, cuStreamCreate, (void **stream, unsigned flags))                                              \
    ENTRY(stream_destroy, cuStreamDestroy_v2, (void *stream))                                                          \
    ENTRY(stream_synchronize, cuStreamSynchronize, (void *stream))                                                     \
    ENTRY(module_load, cuModuleLoadDataEx,                                                                             \
          (void **module, const void *image, unsigned count, int *options, void **values))                             \
    ENTRY(module_unload, cuModuleUnload, (void *module))                                                               \
    ENTRY(module_function, cuModuleGetFunction, (void **function, void *module, const char *name))                     \
    ENTRY(function_get, cuFuncGetAttribute, (int *value, int attribute, void *function))                               \
    ENTRY(function_set, cuFuncSetAttribute, (void *function, int attribute, int value))                                \
    ENTRY(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                                      \
          (int *blocks, void *function, int block, size_t shared))                                                     \
    ENTRY(allocate, cuMemAlloc_v2, (uint64_t *pointer, size_t size))                                                   \
    ENTRY(free, cuMemFree_v2, (uint64_t pointer))                                                                      \
    ENTRY(to_device, cuMemcpyHtoDAsync_v2, (uint64_t to, const void *from, size_t size, void *stream))                 \
    ENTRY(to_host, cuMemcpyDtoHAsync_v2, (void *to, uint64_t from, size_t size, void *stream))

struct foreign {
#define ENTRY(name, symbol, parameters) foreign_result(*name) parameters;
    FOREIGN_ENTRIES(ENTRY)
#undef ENTRY
};

/* The entries of the library that the runtime uses too, found once; ends the test where one is missing. */
const struct foreign *foreign_driver(void);
/* Any entry of it; ends the test where it is missing. */
void *foreign_entry(const char *symbol);
/* The driver's call succeeds. */
#define DRIVER_MUST(call)                                                                                              \
    do {                                                                                                               \
        foreign_result result_ = (call);                                                                               \
        CHECK(result_ == 0, "%s gave error %d", #call, result_);                                                       \
    } while (0)

#endif
