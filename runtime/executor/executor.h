/* Shared by the files that run kernels on the CPU: the threads of a block as fibers, and the workspace of an OS
 * thread. A workspace belongs to one OS thread; all of them share a run, of which they change only atomic fields and
 * the message of the first error. An error in a kernel ends the launch. */
#ifndef GPUCC_EXECUTOR_H
#define GPUCC_EXECUTOR_H

#include "executor/coroutine.h"
#include "executor/cpu_launch.h"
#include "executor/watch_hooks.h"

#include <stdatomic.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define WITH_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WITH_TSAN 1
#endif
#endif

enum {
    MAX_BLOCK = GPUCC_BLOCK_THREADS,
    WARP_SIZE = GPUCC_WARP_THREADS,
    MAX_WARPS = MAX_BLOCK / WARP_SIZE,
    WARPGROUP = 128,
    MAX_CLUSTER = GPUCC_CLUSTER_BLOCKS_MOST,
    SHARED_ALIGN = 128,
};

enum warp_operation {
    WARP_SYNC,
    WARP_ACTIVE,
    WARP_VOTE,
    WARP_MATCH,
    WARP_SHUFFLE,
    WARP_TOGETHER,
    WARP_REDUCE, /* + enum gpucc_cpu_reduction */
};

/* A lane's operands and result in a warp operation. */
struct request {
    int operation;
    unsigned mask;
    unsigned argument; /* WARP_SHUFFLE: the lane to read; WARP_ACTIVE: the place in the program */
    uint64_t value; /* WARP_TOGETHER: the operand's address */
    uint64_t result;
    void (*compute)(void *const *operands, unsigned lanes); /* WARP_TOGETHER */
};

/* The worker's own stack is a fiber as well: the one that starts a block and goes on when the block has ended. */
struct fiber {
    _Alignas(64) struct gpucc_cpu_thread record;
    struct context context;
    struct fiber *next; /* in the list in which it waits */
    struct workspace *workspace;
    bool at_barrier;
    bool at_grid_barrier;
    bool ended;
    bool arrived;   /* at the cluster's barrier of this phase, for which it has not waited yet */
    uint64_t phase;
    const struct gpucc_cpu_place *place; /* of the block's barrier */
    struct request *request; /* the warp operation in which it waits, or null */
    const uint64_t *mbarrier; /* the state of the one for which it waits, or null … */
    unsigned parity;          /* … and the phase's */
#if WITH_ASAN
    void *fake_stack;
    const void *stack;
    size_t stack_size;
#endif
#if WITH_TSAN
    void *tsan;
#endif
};

/* First in, first out; `last` counts where `first` is not null. */
struct fiber_list {
    struct fiber *first, *last;
};

/* A warp operation to which some lanes have come.  One mask may be waited for by lanes of several: those that have
 * branched apart meet in turn. */
struct meeting {
    int operation;
    unsigned mask, arrived;
};

struct warp {
    unsigned lanes; /* that have not ended */
    int meeting_count;
    struct meeting meetings[WARP_SIZE];
};

/* One launch. */
struct run {
    const struct cpu_launch *launch;
    uint64_t number;      /* no two are alike */
    int threads;          /* of a block */
    struct gpucc_index cluster, clusters; /* blocks of a cluster that run together, and clusters of the grid */
    unsigned cluster_size;
    size_t shared_offset; /* of dynamic shared memory */
    size_t shared_size;   /* of a block, in multiples of SHARED_ALIGN … */
    size_t shared_used;   /* … and without what fills up the last one */
    atomic_bool starved; /* a worker had no memory */
    atomic_bool interrupted; /* the host ended it */
    int64_t next_poll; /* in ms, when the launching thread asks the host again */
    atomic_bool failed;  /* a thread found an error; `message` is there when all workers are done */
    char message[512];
};

/* The state to run one block after the other: each OS thread has one, and in a cooperative launch each block. */
struct workspace {
    struct fiber home;
    struct fiber *fibers; /* `capacity` of them, of which `ready` have stacks */
    int capacity, ready;
    int splits; /* guards that may have split a mapping */
    char *stacks;
    size_t stack_size, pitch; /* from one stack to the next: the stack and the guard page below it */
    char *shared, *shared_end; /* of which a run uses so much */
    size_t shared_size;        /* that there is */
    char *scratch;
    size_t scratch_size;
    const struct run *run;
    uint64_t prepared;  /* the run for which the records are filled in */
    struct fiber *left; /* the one that switched to the running one */
    struct fiber **noted; /* current_fiber of the OS thread that runs the block */
    void *escape;       /* a jmp_buf: the way out of a block that runs on the worker's stack … */
    const char *entered_at; /* … and where on that stack the block begins */
    struct workspace *own_cluster[MAX_CLUSTER]; /* itself, and those of other blocks that its OS thread runs in turn */

    /* the block that runs */
    int threads, live;          /* live: those that have not ended */
    struct fiber_list runnable;
    struct fiber_list barrier;  /* those that wait there */
    int arrived;                /* how many that are */
    struct fiber_list grid_barrier; /* those that wait for the whole grid */
    int arrived_at_grid;
    int yields; /* since the other blocks last ran, of a cooperative launch */
    struct workspace *const *cluster; /* its cluster's blocks by rank, itself among them */
    struct fiber_list cluster_barrier; /* those that wait there */
    int arrived_at_cluster;
    uint64_t cluster_phase; /* how often the barrier was passed */
    uint64_t commits[MAX_BLOCK / WARPGROUP]; /* where the threads of a warpgroup meet, as mbarriers count them */
    struct fiber_list mbarrier_waits; /* those that wait for an mbarrier */
    int votes, outcome;         /* barriers that count: so far, and of the last one */
    int converging;             /* threads that wait to learn which lanes are active */
    bool failed;
    struct warp warps[MAX_WARPS];
    struct watch_block *watched; /* in a launch that is watched; else null */
    const struct watch_hooks *hooks; /* the launch's: watch_hooks.h */
};

/* workspace.c */

/* Reads the size of stacks, once, before the first workspace. */
gpucc_status workspace_set_up(void);
/* This thread's, made the first time; null if there is no memory for it. */
struct workspace *workspace_get(void);
/* For blocks of up to `capacity` threads; null if there is no memory. */
struct workspace *workspace_new(int capacity);
void workspace_destroy(void *data);
/* Has stacks for `count` fibers; false if there is no memory. */
bool workspace_grow(struct workspace *workspace, int count);
/* After an error: makes it ready for another launch. */
void workspace_start_anew(struct workspace *workspace);
/* Makes workspace->watched, where the run is watched; false if there is no memory. */
bool workspace_watch(struct workspace *workspace, const struct run *run);

/* executor.c */

/* A fiber's function.  It lives through many blocks: it waits for the next one when its thread ends. */
void fiber_main(void);

/* The OS thread's, null if it runs no kernel.  A function that switches stacks may come back on another OS thread,
 * so it looks here once, before that; what is switched to is noted through workspace->noted. */
extern _Thread_local struct fiber *current_fiber __attribute__((visibility("hidden")));

static inline void list_append(struct fiber_list *list, struct fiber *fiber)
{
    fiber->next = NULL;
    if (list->first == NULL)
        list->first = fiber;
    else
        list->last->next = fiber;
    list->last = fiber;
}

/* Appends all of `from`, which is empty then. */
static inline void list_join(struct fiber_list *list, struct fiber_list *from)
{
    if (from->first == NULL)
        return;
    *(list->first == NULL ? &list->first : &list->last->next) = from->first;
    list->last = from->last;
    from->first = NULL;
}

static inline bool is_fiber(const struct fiber *self)
{
    return self != NULL && self != &self->workspace->home;
}

static inline int thread_number(const struct fiber *fiber)
{
    return (int)(fiber - fiber->workspace->fibers);
}

/* Runs others until somebody has appended `self`, which stands in no list of runnable fibers now, to these. */
void fiber_wait(struct fiber *self);
/* Leaves the running thread for good and ends the launch with GPUCC_DEVICE_ERROR and a message (printf-like) that
 * begins with the kernel and with the block and thread of `culprit`. */
_Noreturn void fiber_fail(const struct fiber *culprit, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Notes such an error and leaves things as they are. */
void run_note_failure(const struct fiber *culprit, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Looks whether the threads of a block that has ended have kept to its shared memory; an error where they have not. */
void workspace_check(struct workspace *workspace, struct run *run);
/* Everything that does not depend on the block; false if there is no memory. */
bool workspace_prepare(struct workspace *workspace, const struct run *run);
/* Makes all threads of the block runnable. */
void block_begin(struct workspace *workspace, int count, struct gpucc_index block);
/* Runs them, some of which can run, until they have ended, wait for other blocks, or one has found an error.  Any OS
 * thread may go on with a block that another began. */
void block_resume(struct workspace *workspace);
/* The block with this number. */
struct gpucc_index index_of(uint64_t linear, struct gpucc_index extent);
static inline bool waits_for_grid(const struct workspace *workspace)
{
    return workspace->arrived_at_grid == workspace->threads;
}

/* block_memory.c */

/* Sees to it that the workspace has shared memory, not zero, for the run's blocks; false if there is none to be had.
 * Free with shared_memory_free(). */
bool shared_memory_reserve(struct workspace *workspace, const struct run *run);
void shared_memory_free(struct workspace *workspace);
/* Whether threads have written outside it: "before" or "beyond", each reported once; null if not. */
const char *shared_memory_check(struct workspace *workspace);

/* cluster.c */

/* The number of clusters of the grid. */
uint64_t cluster_count(const struct run *run);
/* The index of a cluster's block. */
struct gpucc_index cluster_block(const struct run *run, uint64_t number, unsigned rank);
/* workspace_prepare() for the worker's own workspace and for those of the other blocks of a cluster. */
bool cluster_prepare(struct workspace *workspace, const struct run *run);
/* Runs the cluster's blocks on the worker that has this workspace; false once a thread has found an error. */
bool cluster_run(struct workspace *workspace, const struct run *run, uint64_t number);
/* For blocks that others run: block_begin() for all of them … */
void cluster_begin(struct workspace *const *blocks, const struct run *run, uint64_t number);
/* … when none of them can go on: passes the barrier, if all threads are there.  Whether some can run now. */
bool cluster_advance(struct workspace *const *blocks, unsigned size);
/* … and when they wait for ever: notes that as an error, if it is at the cluster's barrier. */
bool cluster_report_stuck(struct workspace *const *blocks, unsigned size);

/* cooperative.c */

/* Runs the grid with all its blocks alive at once; errors are in `run` then. */
void cooperative_run(struct pool *pool, struct run *run);

/* mbarrier.c */

/* Makes the threads runnable that wait for a phase that has ended; whether there are any. */
bool mbarrier_release(struct workspace *workspace);
/* Counts bytes that a copy has brought; an error of the launch names the function. */
void mbarrier_count_bytes(const struct fiber *self, uint64_t *barrier, unsigned bytes, const char *function);
/* An error of the launch if a copy may not use it. */
void mbarrier_check(const struct fiber *self, const uint64_t *barrier, const char *function);
/* All threads of a warpgroup meet. */
void mbarrier_meet(struct fiber *self);
/* Says what a thread at an mbarrier waits for, for a message. */
void mbarrier_describe_wait(const struct fiber *fiber, char *text, size_t size);

/* warp.c */

/* The thread has ended: meetings that waited for it alone take place. */
void warp_leave(struct fiber *fiber);
/* No thread of the block can run.  Makes those runnable that wait to learn which lanes are active; false if none do. */
bool warp_converge(struct workspace *workspace);
/* Says what a thread waits for, for a message. */
void warp_describe_wait(const struct fiber *fiber, char *text, size_t size);

/* interrupt.c: ends the run if the host wants that; `worker` 0 is the thread that launched */
void run_poll_host(struct run *run, int worker);

#endif
