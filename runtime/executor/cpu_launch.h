/* A launch of a kernel on the CPU, for those who launch. */
#ifndef GPUCC_CPU_LAUNCH_H
#define GPUCC_CPU_LAUNCH_H

#include "base/common.h"
#include <gpucc/cpu.h>

/* executor.c: runs a kernel's grid on the pool; defines gpucc_cpu_self() and gpucc_cpu_barrier() */

/* Each has a stack, of which the least is a page or two. */
enum { CPU_COOPERATIVE_THREADS = 1 << 16 };

struct cpu_launch {
    const char *name; /* for messages */
    struct gpucc_index grid, block;
    size_t shared, dynamic_shared;  /* bytes */
    void (*run_thread)(void **);    /* never null */
    void (*run_block)(void **);     /* null where each thread needs a stack */
    void **parameters;
    bool cooperative;                /* all blocks are alive at once, at most CPU_COOPERATIVE_THREADS threads */
    struct gpucc_index cluster;      /* blocks of a cluster, of which the grid is a multiple; all 0: one */
    struct watch *watch;             /* of a checked launch, or null … */
    const struct watch_hooks *hooks; /* … and the functions that notify it: watch_hooks.h */
    gpucc_interrupt_function *interrupt; /* or null; called by the launching thread */
    void *interrupt_data;
    struct gpucc_cpu_thread *(*self)(void); /* gpucc_cpu_self() as the code calls it; null if that is not known */
};

gpucc_status cpu_launch_run(struct pool *pool, const struct cpu_launch *launch);

#endif
