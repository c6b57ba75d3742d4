/* Runs a kernel's grid on the pool: blocks are shared out among the workers, and each worker runs its blocks one
 * after the other.
 *
 * Most kernels have a run_block() that runs all threads of a block.  Otherwise, where there are warp operations, every
 * thread of the block is a fiber with its own stack.  Fibers that can run stand in a queue; one that has to wait, at a
 * barrier or for other lanes of its warp, goes into another list and runs the next of the queue, and whoever makes its
 * wait end appends it to the queue again.  When the queue is empty and not all have ended, they wait for one another
 * for ever, which is reported as an error of the launch. */
#define _GNU_SOURCE
#include "base/floating_point.h"
#include "executor/executor.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if WITH_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#if WITH_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* ---- fibers ---- */

_Thread_local struct fiber *current_fiber;

/* After every switch, on the stack that was switched to. */
static inline void arrive(struct fiber *self)
{
#if WITH_ASAN
    struct fiber *left = self->workspace->left;
    __sanitizer_finish_switch_fiber(self->fake_stack, &left->stack, &left->stack_size);
#else
    (void)self;
#endif
}

static inline void switch_to(struct fiber *self, struct fiber *to)
{
    *self->workspace->noted = to;
#if WITH_ASAN
    self->workspace->left = self;
    __sanitizer_start_switch_fiber(&self->fake_stack, to->stack, to->stack_size);
#endif
#if WITH_TSAN
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
    context_switch(&self->context, &to->context);
    arrive(self);
}

/* Keeps the message of the first error of the launch. */
static void note_failure(const struct fiber *culprit, const char *format, va_list arguments)
{
    const struct run *run = culprit->workspace->run;
    struct run *noted = (struct run *)(uintptr_t)run;
    struct gpucc_index b = culprit->record.block_index, t = culprit->record.thread_index;
    if (atomic_exchange(&noted->failed, true))
        return;
    int length = snprintf(noted->message, sizeof noted->message, "%s, block (%u, %u, %u), thread (%u, %u, %u): ",
                          run->launch->name, b.x, b.y, b.z, t.x, t.y, t.z);
    if (length > 0 && (size_t)length < sizeof noted->message)
        vsnprintf(noted->message + length, sizeof noted->message - (size_t)length, format, arguments);
    if (run->launch->watch != NULL)
        run->launch->hooks->failure(culprit, NULL, noted->message + length);
}

void run_note_failure(const struct fiber *culprit, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note_failure(culprit, format, arguments);
    va_end(arguments);
}

/* Which block it was is not known: to look after each would cost time. */
void workspace_check(struct workspace *workspace, struct run *run)
{
    const struct cpu_launch *launch = run->launch;
    const char *where = shared_memory_check(workspace);
    if (where != NULL && !atomic_exchange(&run->failed, true))
        snprintf(run->message, sizeof run->message,
                 "%s: a thread wrote %s its block's shared memory of %zu bytes static and %zu dynamic",
                 launch->name, where, launch->shared, launch->dynamic_shared);
}

/* The fibers are left where they are; run_fibers() starts them anew. */
_Noreturn void fiber_fail(const struct fiber *culprit, const char *format, ...)
{
    struct fiber *self = current_fiber;
    struct workspace *workspace = self->workspace;
    va_list arguments;
    va_start(arguments, format);
    note_failure(culprit, format, arguments);
    va_end(arguments);
    workspace->failed = true;
    if (self == &workspace->home)
        longjmp(*(jmp_buf *)workspace->escape, 1);
    switch_to(self, &workspace->home);
    abort(); /* nobody comes back */
}

/* Some threads wait for the grid, others never will: at a barrier of the block alone nobody waits for ever. */
static _Noreturn void report_missing_threads(struct workspace *workspace)
{
    const struct fiber *missing = workspace->fibers;
    while (missing->at_grid_barrier)
        missing++;
    struct gpucc_index t = missing->record.thread_index;
    fiber_fail(workspace->grid_barrier.first,
               "it waits in grid_sync(), but thread (%u, %u, %u) does not arrive: it %s", t.x, t.y, t.z,
               missing->at_barrier ? "is in a barrier of the block" : "has ended");
}

/* No thread can run, and some have not ended: the first of them is reported with the reason. */
static _Noreturn void report_deadlock(struct workspace *workspace)
{
    char reason[256];
    for (int i = 0; i < workspace->threads; i++) {
        struct fiber *fiber = &workspace->fibers[i];
        if (fiber->request != NULL) {
            warp_describe_wait(fiber, reason, sizeof reason);
            fiber_fail(fiber, "%s", reason);
        }
    }
    if (workspace->mbarrier_waits.first != NULL) {
        mbarrier_describe_wait(workspace->mbarrier_waits.first, reason, sizeof reason);
        fiber_fail(workspace->mbarrier_waits.first, "%s", reason);
    }
    report_missing_threads(workspace);
}

/* Whether another block of the cluster may end the threads' wait. */
static bool waits_for_cluster(const struct workspace *workspace)
{
    return workspace->cluster_barrier.first != NULL ||
           (workspace->mbarrier_waits.first != NULL && workspace->run->cluster_size > 1);
}

static void run_next(struct fiber *self)
{
    struct workspace *workspace = self->workspace;
    struct fiber *next = workspace->runnable.first;
    if (__builtin_expect(next == NULL, 0)) {
        bool waits = workspace->live > 0 && !waits_for_grid(workspace);
        if (waits && !warp_converge(workspace) && !mbarrier_release(workspace) && !waits_for_cluster(workspace))
            report_deadlock(workspace);
        next = workspace->runnable.first;
        if (next == NULL) {
            switch_to(self, &workspace->home);
            return;
        }
    }
    workspace->runnable.first = next->next;
    if (next != self)
        switch_to(self, next);
}

void fiber_wait(struct fiber *self)
{
    run_next(self);
}

/* ---- barriers ---- */

/* All that have not ended are there.  Out of line, as is what an error takes: a thread that waits saves few
 * registers. */
static __attribute__((noinline)) void release_barrier(struct workspace *workspace)
{
    for (struct fiber *fiber = workspace->barrier.first; fiber != NULL; fiber = fiber->next)
        fiber->at_barrier = false;
    list_join(&workspace->runnable, &workspace->barrier);
    workspace->arrived = 0;
    workspace->outcome = workspace->votes;
    workspace->votes = 0;
    if (workspace->watched != NULL)
        workspace->hooks->block_synced(workspace);
}

struct place_name {
    char text[256];
};

/* "a.c:12:5" */
static struct place_name name_place(const struct gpucc_cpu_place *place)
{
    struct place_name name;
    snprintf(name.text, sizeof name.text, place->column > 0 ? "%s:%d:%d" : "%s:%d", place->file, place->line,
             place->column);
    return name;
}

/* A thread that is at a barrier, by its number. */
struct stop {
    int thread;
    const struct gpucc_cpu_place *place;
};

/* The program's call of a header's function that has the barrier, in a watched launch. */
static struct place_name name_barrier(const struct workspace *workspace, struct stop stop)
{
    const struct gpucc_cpu_site *site =
        workspace->watched != NULL ? workspace->hooks->site(workspace, stop.thread) : NULL;
    return name_place(site != NULL ? &site->at.place : stop.place);
}

/* `here` is the culprit; `count` threads, of which `there` is the first, are elsewhere: at another barrier, or at a
 * copy of this one, in another call of its function or another round of its loop. */
static __attribute__((cold)) _Noreturn void report_parted(const struct fiber *culprit, struct stop here, int count,
                                                          struct stop there)
{
    const struct workspace *workspace = culprit->workspace;
    const struct place_name mine = name_barrier(workspace, here), theirs = name_barrier(workspace, there);
    const struct gpucc_index first = index_of((uint64_t)there.thread, workspace->run->launch->block);
    const bool alike = strcmp(mine.text, theirs.text) == 0;
    fiber_fail(culprit,
               "it is at the barrier of %s, while %d thread%s of the block, (%u, %u, %u) %s, wait%s at that of %s%s",
               mine.text, count, count == 1 ? "" : "s", first.x, first.y, first.z, count == 1 ? "alone" : "first",
               count == 1 ? "s" : "", theirs.text,
               !alike                      ? ""
               : here.place == there.place ? ", which they reached on another path"
                                           : ", which is another one of the same macro");
}

/* How many threads of the block, of those that have not ended, brought a vote. */
static int meet_block(struct fiber *self, const struct gpucc_cpu_place *place, int vote)
{
    struct workspace *workspace = self->workspace;
    const struct fiber *first = workspace->barrier.first;
    if (first != NULL && first->place != place)
        report_parted(self, (struct stop){thread_number(self), place}, workspace->arrived,
                      (struct stop){thread_number(first), first->place});
    self->place = place;
    workspace->votes += vote;
    if (++workspace->arrived == workspace->live) {
        release_barrier(workspace);
    } else {
        self->at_barrier = true;
        list_append(&workspace->barrier, self);
        run_next(self);
    }
    return workspace->outcome;
}

GPUCC_API __attribute__((noinline)) struct gpucc_cpu_thread *gpucc_cpu_self(void)
{
    return &current_fiber->record;
}

GPUCC_API __attribute__((noinline)) void gpucc_cpu_barrier(const struct gpucc_cpu_place *place)
{
    struct fiber *self = current_fiber;
    if (is_fiber(self))
        meet_block(self, place, 0);
}

GPUCC_API unsigned gpucc_cpu_barrier_count(const struct gpucc_cpu_place *place, int predicate)
{
    struct fiber *self = current_fiber;
    return is_fiber(self) ? (unsigned)meet_block(self, place, predicate != 0) : predicate != 0;
}

GPUCC_API void gpucc_cpu_warp_yield(void)
{
    struct fiber *self = current_fiber;
    if (!is_fiber(self))
        return;
    struct workspace *workspace = self->workspace;
    mbarrier_release(workspace); /* threads that poll are always runnable */
    list_append(&workspace->runnable, self);
    const bool beside_others = workspace->run->cluster_size > 1 || workspace->cluster_barrier.first != NULL ||
                               (workspace->run->launch->cooperative && ++workspace->yields >= workspace->live);
    if (beside_others) {
        workspace->yields = 0;
        switch_to(self, &workspace->home); /* the other blocks run before this one goes on */
    } else {
        run_next(self);
    }
}

static _Atomic(call_failure *) failures;

void executor_report_failures(call_failure *report)
{
    atomic_store_explicit(&failures, report, memory_order_relaxed);
}

GPUCC_API _Noreturn void gpucc_cpu_fail(const char *what, const char *file, int line)
{
    const struct fiber *self = current_fiber;
    call_failure *const report = atomic_load_explicit(&failures, memory_order_relaxed);
    if (report != NULL && (self == NULL || self->workspace->watched == NULL))
        report(what, file, line); /* in a call of a ufunc or gufunc */
    if (self == NULL) {
        fprintf(stderr, "%s:%d: %s\n", file, line, what);
        abort();
    }
    if (self->workspace->watched != NULL)
        self->workspace->hooks->failure(self, &(struct gpucc_cpu_place){file, line, 0}, what);
    fiber_fail(self, "%s:%d: %s", file, line, what);
}

/* ---- blocks that run as one function, on the worker's stack ---- */

GPUCC_API char *gpucc_cpu_scratch(size_t size)
{
    struct workspace *workspace = current_fiber->workspace;
    if (size > workspace->scratch_size) {
        free(workspace->scratch);
        workspace->scratch_size = 0;
        workspace->scratch = aligned_alloc(SHARED_ALIGN, (size + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN);
        if (workspace->scratch == NULL)
            fiber_fail(current_fiber, "out of memory for %zu bytes of the block's variables", size);
        workspace->scratch_size = size;
    }
    return workspace->scratch;
}

static int count_at(const int *next, unsigned threads, int place)
{
    int count = 0;
    for (unsigned i = 0; i < threads; i++)
        count += next[i] == place;
    return count;
}

GPUCC_API int gpucc_cpu_agree(const int *next, unsigned threads, const struct gpucc_cpu_place *const *places,
                              int *ended)
{
    struct fiber *self = current_fiber;
    const struct gpucc_index block = self->record.block_dim;
    const int gone = count_at(next, threads, 0);
    unsigned first = 0;
    *ended = gone > 0;
    if (gone == (int)threads)
        return 0;
    while (next[first] == 0)
        first++;
    const int agreed = next[first];
    if (count_at(next, threads, agreed) + gone == (int)threads)
        return agreed;
    unsigned other = first;
    while (next[other] == agreed || next[other] == 0)
        other++;
    self->record.thread_index = index_of(other, block);
    report_parted(self, (struct stop){(int)other, places[next[other] - 1]}, count_at(next, threads, agreed),
                  (struct stop){(int)first, places[agreed - 1]});
}

/* ---- clocks and debuggers ---- */

GPUCC_API uint64_t gpucc_cpu_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

GPUCC_API uint64_t gpucc_cpu_cycles(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return gpucc_cpu_nanoseconds();
#endif
}

/* Nothing but a debugger calls it, so nothing else has it linked to a program. */
static const char *(*const for_debuggers)(void) __attribute__((used)) = gpucc_cpu_threads;

GPUCC_API void gpucc_cpu_breakpoint(void)
{
    raise(SIGTRAP);
}

/* ---- from a thread's beginning to its end ---- */

/* The thread has ended; the fiber comes back when its next one begins. */
static void retire(struct fiber *self)
{
    struct workspace *workspace = self->workspace;
    workspace->live--;
    self->ended = true;
    if (self->arrived && self->phase == workspace->cluster_phase)
        workspace->arrived_at_cluster--;
    if (workspace->watched != NULL)
        workspace->hooks->thread_ended(self);
    warp_leave(self);
    if (workspace->live > 0 && workspace->arrived == workspace->live)
        release_barrier(workspace);
    run_next(self);
}

void fiber_main(void)
{
    struct fiber *self = current_fiber;
    arrive(self);
    for (;;) {
        const struct cpu_launch *launch = self->workspace->run->launch;
        launch->run_thread(launch->parameters);
        retire(self);
    }
}

/* ---- blocks ---- */

struct gpucc_index index_of(uint64_t linear, struct gpucc_index extent)
{
    return (struct gpucc_index){(unsigned)(linear % extent.x), (unsigned)(linear / extent.x % extent.y),
                                (unsigned)(linear / extent.x / extent.y)};
}

static void record_init(struct workspace *workspace, const struct run *run, struct fiber *fiber, int thread)
{
    const struct cpu_launch *launch = run->launch;
    fiber->record = (struct gpucc_cpu_thread){
        .thread_index = index_of((uint64_t)thread, launch->block),
        .block_dim = launch->block,
        .grid_dim = launch->grid,
        .shared = workspace->shared,
        .dynamic_shared = workspace->shared + run->shared_offset,
        .cluster_dim = launch->cluster,
        .dynamic_shared_size = (unsigned)launch->dynamic_shared,
    };
}

bool workspace_prepare(struct workspace *workspace, const struct run *run)
{
    if (workspace->prepared == run->number)
        return true;
    bool fibers = run->launch->run_block == NULL || run->launch->watch != NULL;
    if (!shared_memory_reserve(workspace, run) || (fibers && !workspace_grow(workspace, run->threads)) ||
        !workspace_watch(workspace, run))
        return false;
    record_init(workspace, run, &workspace->home, 0);
    for (int i = 0; fibers && i < run->threads; i++)
        record_init(workspace, run, &workspace->fibers[i], i);
    workspace->run = run;
    workspace->prepared = run->number;
    return true;
}

void block_begin(struct workspace *workspace, int count, struct gpucc_index block)
{
    workspace->threads = workspace->live = count;
    workspace->arrived = workspace->arrived_at_grid = workspace->votes = workspace->converging = 0;
    workspace->arrived_at_cluster = workspace->yields = 0;
    workspace->cluster_phase = 0;
    memset(workspace->commits, 0, sizeof workspace->commits);
    workspace->runnable.first = workspace->barrier.first = workspace->grid_barrier.first = NULL;
    workspace->cluster_barrier.first = workspace->mbarrier_waits.first = NULL;
    for (int i = 0; i < count; i++) {
        struct fiber *fiber = &workspace->fibers[i];
        fiber->record.block_index = block;
        fiber->ended = fiber->arrived = false;
        list_append(&workspace->runnable, fiber);
    }
    for (int i = 0; i < count; i += WARP_SIZE) {
        struct warp *warp = &workspace->warps[i / WARP_SIZE];
        warp->lanes = count - i < WARP_SIZE ? (1u << (count - i)) - 1 : ~0u;
        warp->meeting_count = 0;
    }
    if (workspace->watched != NULL)
        workspace->hooks->block_begin(workspace, block);
}

void block_resume(struct workspace *workspace)
{
#if WITH_TSAN
    workspace->home.tsan = __tsan_get_current_fiber();
#endif
    workspace->noted = &current_fiber;
    current_fiber = &workspace->home;
    run_next(&workspace->home);
}

/* False once a thread has found an error. */
static bool run_one_cluster(struct workspace *workspace, const struct run *run, uint64_t number)
{
    const struct cpu_launch *launch = run->launch;
    if (launch->watch != NULL)
        number = launch->hooks->cluster(launch->watch, number);
    if (launch->run_block == NULL)
        return cluster_run(workspace, run, number);
    workspace->home.record.block_index = cluster_block(run, number, 0);
    if (workspace->watched != NULL)
        workspace->hooks->block_begin(workspace, workspace->home.record.block_index);
    workspace->entered_at = __builtin_frame_address(0);
    launch->run_block(launch->parameters);
    return !workspace->failed;
}

/* Apart from its caller, whose variables longjmp() could lose. */
static __attribute__((noinline)) void run_range(struct workspace *workspace, struct run *run, uint64_t begin,
                                                uint64_t end, int worker)
{
    jmp_buf escape;
    workspace->failed = false;
    workspace->escape = escape;
    if (setjmp(escape) != 0)
        return;
    for (uint64_t i = begin; i < end && !atomic_load_explicit(&run->failed, memory_order_relaxed); i++) {
        if (!run_one_cluster(workspace, run, i))
            return;
        run_poll_host(run, worker);
    }
}

static void run_clusters(void *data, uint64_t begin, uint64_t end, int worker)
{
    struct run *run = data;
    struct workspace *workspace = workspace_get();
    if (workspace == NULL || !cluster_prepare(workspace, run)) {
        atomic_store_explicit(&run->starved, true, memory_order_relaxed);
        return;
    }
    current_fiber = &workspace->home;
    run_range(workspace, run, begin, end, worker);
    current_fiber = NULL;
    for (unsigned rank = 0; rank < run->cluster_size; rank++)
        workspace_check(workspace->own_cluster[rank], run);
}

/* ---- launches ---- */

static bool fits_clusters(struct gpucc_index grid, struct gpucc_index cluster)
{
    return cluster.x > 0 && cluster.y > 0 && cluster.z > 0 && cluster.x <= MAX_CLUSTER && cluster.y <= MAX_CLUSTER &&
           cluster.z <= MAX_CLUSTER && cluster.x * cluster.y * cluster.z <= MAX_CLUSTER && grid.x % cluster.x == 0 &&
           grid.y % cluster.y == 0 && grid.z % cluster.z == 0;
}

/* Whether the code asks this executor which thread it is.  A process may have several, of as many copies of the
 * runtime, of which each starts threads of its own and the linker chose one for the code.  Addresses do not tell: a
 * program may have one of its own for a library's function. */
static bool is_called_here(struct gpucc_cpu_thread *(*self)(void))
{
    struct fiber probe;
    if (self == NULL)
        return true;
    current_fiber = &probe;
    const bool here = self() == &probe.record;
    current_fiber = NULL;
    return here;
}

static gpucc_status check(const struct cpu_launch *launch)
{
    struct gpucc_index grid = launch->grid, block = launch->block;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > GPUCC_GRID_WIDTH || grid.y > GPUCC_GRID_HEIGHT ||
        grid.z > GPUCC_GRID_HEIGHT)
        return fail(GPUCC_BAD_LAUNCH, "%s: grid (%u, %u, %u): expected (1, 1, 1) to (%d, %d, %d)", launch->name, grid.x,
                    grid.y, grid.z, GPUCC_GRID_WIDTH, GPUCC_GRID_HEIGHT, GPUCC_GRID_HEIGHT);
    if (block.x == 0 || block.y == 0 || block.z == 0 || block.x > MAX_BLOCK || block.y > MAX_BLOCK ||
        block.z > GPUCC_BLOCK_DEPTH || (uint64_t)block.x * block.y * block.z > MAX_BLOCK)
        return fail(GPUCC_BAD_LAUNCH, "%s: block (%u, %u, %u): expected 1 to %d threads in all, and %d in z",
                    launch->name, block.x, block.y, block.z, MAX_BLOCK, GPUCC_BLOCK_DEPTH);
    if (!fits_clusters(grid, launch->cluster))
        return fail(GPUCC_BAD_LAUNCH, "%s: grid (%u, %u, %u) is not a multiple of the cluster (%u, %u, %u)",
                    launch->name,
                    grid.x, grid.y, grid.z, launch->cluster.x, launch->cluster.y, launch->cluster.z);
    if (launch->shared > SIZE_MAX / 4 || launch->dynamic_shared > SIZE_MAX / 4)
        return fail(GPUCC_NO_MEMORY, "%s: a block cannot have %zu static + %zu dynamic bytes of shared memory",
                    launch->name, launch->shared,
                    launch->dynamic_shared);
    uint64_t threads = (uint64_t)grid.x * grid.y * grid.z * block.x * block.y * block.z;
    if (launch->cooperative && (threads > CPU_COOPERATIVE_THREADS || grid.x > CPU_COOPERATIVE_THREADS))
        return fail(GPUCC_BAD_LAUNCH, "%s: a cooperative grid of %llu threads; the CPU runs at most %d at once",
                    launch->name,
                    (unsigned long long)threads, CPU_COOPERATIVE_THREADS);
    if (current_fiber != NULL)
        return fail(GPUCC_UNSUPPORTED, "%s: a kernel that runs on the CPU cannot launch another", launch->name);
    if (!is_called_here(launch->self))
        return fail(GPUCC_BAD_PROGRAM,
                    "%s: its native code is linked to another copy of the runtime than the one that launches it: use "
                    "one per process, libgpucc.so or libgpucc.a",
                    launch->name);
    return GPUCC_OK;
}

static size_t round_shared(size_t size)
{
    return size == 0 ? SHARED_ALIGN : (size + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN;
}

/* A function for whole blocks needs nothing of other blocks. */
static void share_clusters(struct run *run)
{
    struct gpucc_index grid = run->launch->grid, one = {1, 1, 1};
    struct gpucc_index cluster = run->cluster = run->launch->run_block != NULL ? one : run->launch->cluster;
    run->clusters = (struct gpucc_index){grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
    run->cluster_size = cluster.x * cluster.y * cluster.z;
}

/* A function for whole blocks does not wait for the grid. */
static bool needs_grid(const struct cpu_launch *launch)
{
    return launch->cooperative && (launch->run_block == NULL || launch->watch != NULL);
}

/* Watched launches run in one order. */
static void run_alone(struct run *run)
{
    unsigned modes = fp_enter();
    run_clusters(run, 0, cluster_count(run), 0);
    fp_leave(modes);
}

gpucc_status cpu_launch_run(struct pool *pool, const struct cpu_launch *launch)
{
    struct cpu_launch copy = *launch;
    if (copy.cluster.x == 0)
        copy.cluster = (struct gpucc_index){1, 1, 1};
    launch = &copy;
    gpucc_status status = check(launch);
    if (status == GPUCC_OK)
        status = workspace_set_up();
    if (status != GPUCC_OK)
        return status;
    static _Atomic uint64_t runs;
    struct gpucc_index block = launch->block;
    struct run run = {
        .launch = launch,
        .number = atomic_fetch_add_explicit(&runs, 1, memory_order_relaxed) + 1,
        .threads = (int)(block.x * block.y * block.z),
        .shared_offset = round_shared(launch->shared),
        .shared_size = round_shared(launch->shared) + round_shared(launch->dynamic_shared),
    };
    run.shared_used = launch->dynamic_shared > 0 ? run.shared_offset + launch->dynamic_shared : launch->shared;
    share_clusters(&run);
    if (needs_grid(launch))
        cooperative_run(pool, &run);
    else if (launch->watch != NULL)
        run_alone(&run);
    else
        pool_run(pool, cluster_count(&run), 1, run_clusters, &run);
    if (atomic_load(&run.interrupted))
        return fail(GPUCC_INTERRUPTED, "%s: the host ended the launch", launch->name);
    if (atomic_load(&run.failed))
        return fail(GPUCC_DEVICE_ERROR, "%s", run.message);
    if (atomic_load(&run.starved))
        return fail(GPUCC_NO_MEMORY, "%s: out of memory for blocks of %d threads with %zu bytes of shared memory",
                    launch->name, run.threads, run.shared_size);
    return GPUCC_OK;
}
