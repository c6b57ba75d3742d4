/* The limits of every CUDA device and driver, for compiler and runtime alike; the CPU device keeps to it too. "CUDA
 * C++ Programming Guide", table "Technical Specifications per Compute Capability". */
#ifndef GPUCC_LIMITS_H
#define GPUCC_LIMITS_H

enum {
    GPUCC_WARP_THREADS = 32,
    GPUCC_BLOCK_THREADS = 1024,        /* in a block, and along its x and y */
    GPUCC_BLOCK_DEPTH = 64,            /* along its z */
    GPUCC_GRID_WIDTH = 2147483647,     /* blocks along a grid's x */
    GPUCC_GRID_HEIGHT = 65535,         /* along its y and z */
    GPUCC_MULTIPROCESSOR_BLOCKS = 32,  /* resident at once, at most */
    GPUCC_CLUSTER_BLOCKS = 8,          /* in a cluster, on every device that has them … */
    GPUCC_CLUSTER_BLOCKS_MOST = 16,    /* … and on some */
    GPUCC_THREAD_REGISTERS_LEAST = 16, /* to which a thread may be limited … */
    GPUCC_THREAD_REGISTERS_MOST = 255, /* … and which it may have */
    GPUCC_STATIC_SHARED = 48 << 10,    /* bytes a block, of variables */
    GPUCC_CONSTANT_MEMORY = 64 << 10,  /* bytes a program */
    GPUCC_LOCAL_MEMORY = 512 << 10,    /* bytes a thread */
    GPUCC_PARAMETERS = 4096,           /* bytes of a kernel's parameters … */
    GPUCC_PARAMETERS_MOST = 32764,     /* … from sm_70 on with PTX ISA 8.1 */
};

#endif
