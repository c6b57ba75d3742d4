/* The executor's reports of a checked launch to the checks (checks/watch_launch.c).  A launch that has launch->watch
 * has hooks; of a workspace these are called while workspace->watched is not null. */
#ifndef GPUCC_EXECUTOR_WATCH_HOOKS_H
#define GPUCC_EXECUTOR_WATCH_HOOKS_H

#include <gpucc/cpu.h>
#include <stdbool.h>
#include <stdint.h>

struct fiber;
struct run;
struct watch;
struct watch_block;
struct workspace;

/* The texel that a thread comes to, and all of the texture's. */
struct texel_access {
    uintptr_t address, base;
    size_t size, all; /* bytes */
};

/* Mbarriers and the copy engine (checks/watch_engine.c). */
struct engine_hooks {
    void (*mbarrier_init)(struct fiber *self, const uint64_t *barrier);
    /* Whether the running blocks have initialized it. */
    bool (*mbarrier_is_usable)(const struct fiber *self, const uint64_t *barrier);
    /* A thread arrives; the phase with that parity ends; a thread has waited for it. */
    void (*mbarrier_arrive)(const struct fiber *self, const uint64_t *barrier);
    void (*mbarrier_completed)(const struct fiber *self, const uint64_t *barrier, unsigned parity);
    void (*mbarrier_waited)(const struct fiber *self, const uint64_t *barrier, unsigned parity);
    /* A thread finds that it has not ended. */
    void (*mbarrier_polled)(struct fiber *self, const uint64_t *barrier);
    /* A copy with its mbarrier, null for a store; each of its pieces, of up to 16 bytes, before it is copied: `from` is
     * null for zeros; and its end, before its bytes are counted. */
    void (*copy_begin)(struct fiber *self, const uint64_t *barrier);
    void (*copy_piece)(struct fiber *self, void *to, const void *from, unsigned bytes, bool adds);
    void (*copy_end)(struct fiber *self, const uint64_t *barrier);
};

struct watch_hooks {
    const struct engine_hooks *engine;
    /* For a block of so many threads; null if there is no memory. */
    struct watch_block *(*block_new)(int threads);
    void (*block_free)(struct watch_block *block); /* or null */
    void (*block_begin)(struct workspace *workspace, struct gpucc_index index);
    /* All threads of the block are at its barrier; lanes of a warp at theirs; all of the grid's. */
    void (*block_synced)(struct workspace *workspace);
    void (*warp_synced)(struct fiber *lanes, unsigned mask);
    void (*grid_synced)(const struct run *run);
    /* The two halves of a cluster's barrier. */
    void (*cluster_arrived)(const struct fiber *self);
    void (*cluster_passed)(const struct fiber *self);
    void (*thread_ended)(const struct fiber *self);
    /* Which cluster runs in this turn. */
    uint64_t (*cluster)(const struct watch *watch, uint64_t turn);
    /* A lane comes to a warp operation with that mask; whether one that has ended was last where the other one waits,
     * and with which mask. */
    void (*warp_arrived)(const struct fiber *self, unsigned mask);
    bool (*warp_met)(const struct fiber *ended, const struct fiber *waiting, unsigned *mask);
    /* An operation of the warp reads what has no value. */
    void (*no_value)(const struct fiber *reader, const char *text, const char *remedy);
    void (*texel)(const struct texel_access *access);
    /* The thread's place in the program, or null. */
    const struct gpucc_cpu_site *(*site)(const struct workspace *workspace, int thread);
    /* An error that ends the launch; `place` is null if the executor has found it and none is known. */
    void (*failure)(const struct fiber *culprit, const struct gpucc_cpu_place *place, const char *text);
};

/* Has errors outside of watched launches reported to the function, which returns where no checked call runs. */
typedef void call_failure(const char *what, const char *file, int line);
void executor_report_failures(call_failure *report);

#endif
