/* The kernels of programs/ten_kernels.c, in their order: what part of the problem a block covers, and its threads. */
#ifndef GPUCC_TESTS_TEN_SHAPES_H
#define GPUCC_TESTS_TEN_SHAPES_H

enum { TEN_KERNELS = 10, TEN_BLOCK = 256 };

static const struct ten_shape {
    const char *name;
    unsigned tile[2], block[2]; /* columns and rows; threads in x and y */
} ten_shapes[TEN_KERNELS] = {
    {"vector_add", {TEN_BLOCK, 1}, {TEN_BLOCK, 1}},
    {"saxpy", {TEN_BLOCK, 1}, {TEN_BLOCK, 1}},
    {"stencil", {32, 8}, {32, 8}},
    {"matmul_tiled", {16, 16}, {16, 16}},
    {"transpose", {32, 32}, {32, 8}}, /* each thread moves four elements */
    {"histogram", {TEN_BLOCK, 1}, {TEN_BLOCK, 1}},
    {"reduce", {TEN_BLOCK, 1}, {TEN_BLOCK, 1}},
    {"scan", {TEN_BLOCK, 1}, {TEN_BLOCK, 1}},
    {"nbody", {TEN_BLOCK, 1}, {TEN_BLOCK, 1}},
    {"black_scholes", {TEN_BLOCK, 1}, {TEN_BLOCK, 1}},
};

#endif
