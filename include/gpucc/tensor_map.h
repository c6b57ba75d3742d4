/* A tensor map: describes an array in global memory to the GPU's copy engine.  The host makes it by
 * gpucc_tensor_map_make() (<gpucc/runtime.h>), and a kernel has it as a parameter: `const tensor_map a`
 * (<gpucc/tma.h>).  Its bytes are the device's own; copy it as it is. */
#ifndef GPUCC_TENSOR_MAP_H
#define GPUCC_TENSOR_MAP_H

#include <stdint.h>

/* Two arrays: LLVM merges types of equal members, and the compiler must know this one. */
typedef struct gpucc_tensor_map {
    uint64_t words[13] __attribute__((aligned(64)));
    uint64_t more[3];
} gpucc_tensor_map;

#endif
