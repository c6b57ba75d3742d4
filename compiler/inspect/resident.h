/* How many blocks a multiprocessor holds at once, as CUDA's driver reckons. */
#ifndef GPUCC_RESIDENT_H
#define GPUCC_RESIDENT_H

#include <stddef.h>

/* A multiprocessor's limits. */
struct multiprocessor {
    int threads, blocks;
    int partitions;         /* that its registers and warps are dealt out to */
    int block_registers;    /* that a block may have */
    size_t shared_memory;   /* bytes, … */
    size_t block_shared;    /* of which a block may have so many, … */
    size_t reserved, grain; /* each loses so many, and gets multiples of so many */
};

/* The limits of the newest architecture that is not newer than this compute capability (75, 90, 120). */
struct multiprocessor multiprocessor_of(int capability);

/* The resources of a thread and a block; `registers` 0: unknown, and not counted. */
struct use {
    int registers;
    size_t shared; /* bytes, static and dynamic */
};

/* Blocks, by each of the limits; the least of them is what there is room for. */
struct room {
    int threads, blocks, registers, shared;
};
struct room room_for(const struct multiprocessor *limits, const struct use *use, int block);
int least_room(const struct room *room);

#endif
