/* An OS thread of the pool retains fibers and their stacks from launch to launch.
 *
 * Stacks are GPUCC_CPU_STACK bytes (64 KiB where that is unset) above a guard page, so a kernel that overflows its
 * stack ends in a segmentation fault.  Each OS thread keeps its fibers for the next launch, until it ends. */
#define _GNU_SOURCE
#include "executor/executor.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if WITH_ASAN
#include <sanitizer/asan_interface.h>
#endif
#if WITH_TSAN
#include <sanitizer/tsan_interface.h>
#endif

enum {
    MIN_STACK = 16 << 10,
#if WITH_ASAN || WITH_TSAN
    DEFAULT_STACK = 256 << 10, /* red zones and instrumentation make larger frames */
#else
    DEFAULT_STACK = 64 << 10,
#endif
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static size_t page, stack_bytes;
static int setup_error;
static atomic_int splits; /* guards in all workspaces that split a mapping, or would */

static void forget_watch(struct workspace *workspace)
{
    if (workspace->watched != NULL)
        workspace->hooks->block_free(workspace->watched);
    workspace->watched = NULL;
}

bool workspace_watch(struct workspace *workspace, const struct run *run)
{
    forget_watch(workspace);
    workspace->hooks = run->launch->hooks;
    if (run->launch->watch == NULL)
        return true;
    workspace->watched = workspace->hooks->block_new(run->threads);
    return workspace->watched != NULL;
}

void workspace_destroy(void *data)
{
    struct workspace *workspace = data;
    for (int rank = 1; rank < MAX_CLUSTER; rank++)
        if (workspace->own_cluster[rank] != NULL)
            workspace_destroy(workspace->own_cluster[rank]);
#if WITH_ASAN
    for (int i = 0; i < workspace->ready; i++)
        __asan_unpoison_memory_region(workspace->fibers[i].stack, workspace->stack_size);
#endif
#if WITH_TSAN
    for (int i = 0; i < workspace->ready; i++)
        __tsan_destroy_fiber(workspace->fibers[i].tsan);
#endif
    atomic_fetch_sub_explicit(&splits, workspace->splits, memory_order_relaxed);
    if (workspace->stacks != NULL)
        munmap(workspace->stacks, workspace->pitch * (size_t)workspace->capacity);
    free(workspace->scratch);
    shared_memory_free(workspace);
    forget_watch(workspace);
    free(workspace->fibers);
    free(workspace);
}

static void set_up(void)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    const char *text = getenv("GPUCC_CPU_STACK");
    unsigned long long bytes = DEFAULT_STACK;
    if (text != NULL && *text != '\0') {
        char *end;
        errno = 0;
        bytes = strtoull(text, &end, 10);
        if (errno != 0 || *end != '\0' || *text == '-' || bytes > (1ull << 30))
            setup_error = EINVAL;
    }
    bytes = bytes > MIN_STACK ? bytes : MIN_STACK;
    stack_bytes = (bytes + page - 1) / page * page;
    if (setup_error == 0)
        setup_error = pthread_key_create(&key, workspace_destroy);
}

/* The library may be unloaded before its caller's threads end: then the system frees what they keep. */
__attribute__((destructor)) static void tear_down(void)
{
    pthread_once(&once, set_up);
    if (setup_error == 0) {
        struct workspace *mine = pthread_getspecific(key);
        pthread_key_delete(key);
        if (mine != NULL)
            workspace_destroy(mine);
    }
}

gpucc_status workspace_set_up(void)
{
    pthread_once(&once, set_up);
    if (setup_error == EINVAL)
        return fail(GPUCC_INVALID_ARGUMENT, "GPUCC_CPU_STACK is \"%s\": expected a number of bytes up to 1 GiB",
                    getenv("GPUCC_CPU_STACK"));
    if (setup_error != 0)
        return fail(GPUCC_NO_MEMORY, "cannot make a thread key for the CPU's workers: %s", strerror(setup_error));
    return GPUCC_OK;
}

struct workspace *workspace_new(int capacity)
{
    struct workspace *workspace = aligned_alloc(_Alignof(struct workspace), sizeof *workspace);
    if (workspace == NULL)
        return NULL;
    memset(workspace, 0, sizeof *workspace);
    workspace->home.workspace = workspace;
    workspace->capacity = capacity;
    workspace->stack_size = stack_bytes;
    workspace->pitch = stack_bytes + page;
    return workspace;
}

struct workspace *workspace_get(void)
{
    struct workspace *workspace = pthread_getspecific(key);
    if (workspace != NULL)
        return workspace;
    workspace = workspace_new(MAX_BLOCK);
    if (workspace != NULL && pthread_setspecific(key, workspace) != 0) {
        workspace_destroy(workspace);
        return NULL;
    }
    return workspace;
}

/* Address space for all stacks: a page of it costs memory once it is used. */
static bool reserve(struct workspace *workspace)
{
    if (workspace->fibers == NULL)
        workspace->fibers =
            aligned_alloc(_Alignof(struct fiber), (size_t)workspace->capacity * sizeof *workspace->fibers);
    if (workspace->fibers == NULL)
        return false;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *stacks = mmap(NULL, workspace->pitch * (size_t)workspace->capacity, PROT_NONE, flags, -1, 0);
    if (stacks == MAP_FAILED)
        return false;
    workspace->stacks = stacks;
    return true;
}

/* A guard that splits no mapping is best: the system limits how many mappings there are, to 65530 in a process.  Others
 * make two of one, so only so many stacks get them. */
static void guard(struct workspace *workspace, char *address)
{
    enum { GUARD_INSTALL = 102, MOST_SPLITS = 1 << 14 }; /* MADV_GUARD_INSTALL, since Linux 6.13 */
    if (madvise(address, page, GUARD_INSTALL) == 0)
        return;
    workspace->splits++;
    if (atomic_fetch_add_explicit(&splits, 1, memory_order_relaxed) < MOST_SPLITS)
        (void)!mprotect(address, page, PROT_NONE);
}

static void fiber_init(struct workspace *workspace, int index)
{
    struct fiber *fiber = &workspace->fibers[index];
    char *stack = workspace->stacks + workspace->pitch * (size_t)index + page;
    /* Tops at one distance would all fall into the same few cache sets. */
    size_t colour = (size_t)(index % 16) * 192;
    memset(fiber, 0, sizeof *fiber);
    fiber->workspace = workspace;
    context_prepare(&fiber->context, stack, workspace->stack_size - colour, fiber_main);
#if WITH_ASAN
    fiber->stack = stack;
    fiber->stack_size = workspace->stack_size;
#endif
#if WITH_TSAN
    fiber->tsan = __tsan_create_fiber(0);
#endif
}

bool workspace_grow(struct workspace *workspace, int count)
{
    if (count <= workspace->ready)
        return true;
    if (workspace->stacks == NULL && !reserve(workspace))
        return false;
    char *from = workspace->stacks + workspace->pitch * (size_t)workspace->ready;
    if (mprotect(from, workspace->pitch * (size_t)(count - workspace->ready), PROT_READ | PROT_WRITE) != 0)
        return false;
    for (int i = workspace->ready; i < count; i++)
        guard(workspace, workspace->stacks + workspace->pitch * (size_t)i);
    for (; workspace->ready < count; workspace->ready++)
        fiber_init(workspace, workspace->ready);
    return true;
}

/* Threads that an error stopped were left in the middle of their stacks. */
void workspace_start_anew(struct workspace *workspace)
{
    for (int i = 0; i < workspace->ready; i++) {
#if WITH_TSAN
        __tsan_destroy_fiber(workspace->fibers[i].tsan);
#endif
#if WITH_ASAN
        __asan_unpoison_memory_region(workspace->fibers[i].stack, workspace->stack_size);
#endif
        fiber_init(workspace, i);
    }
    workspace->prepared = 0;
    workspace->failed = false;
}
