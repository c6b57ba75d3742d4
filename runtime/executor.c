/* Runs a kernel's grid on the pool: blocks are shared out among the workers, and each worker runs its blocks one
 * after the other.
 *
 * A kernel without barriers has a run_block() that loops over the block's threads.  Otherwise every thread of the
 * block is a fiber with its own stack, and the fibers form a ring in thread order.  A barrier switches to the next
 * fiber of the ring; when a thread comes to run again, all others have therefore been at the barrier, or have left
 * the ring because they ended.  So there is nothing to count, and no use of barriers can hang.
 *
 * Stacks are GPUCC_CPU_STACK bytes (64 KiB where that is unset) above a guard page, so a kernel that overflows its
 * stack ends in a segmentation fault.  Each OS thread keeps its fibers for the next launch, until it ends. */
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

#if WITH_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#if WITH_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

enum {
    MAX_BLOCK = 1024, /* threads, as on every CUDA device */
    SHARED_ALIGN = 128,
    MIN_STACK = 16 << 10,
#if WITH_ASAN || WITH_TSAN
    DEFAULT_STACK = 256 << 10, /* red zones and instrumentation make larger frames */
#else
    DEFAULT_STACK = 64 << 10,
#endif
};

/* ---- contexts: what it takes to leave a stack and come back to it ---- */

#if defined(__x86_64__) || defined(__aarch64__)

struct context {
    void *stack_pointer;
};

/* Pushes what a call preserves, stores the stack pointer in *from, and pops the same from the other stack. */
void gpucc_context_switch(void **from, void *to) __attribute__((visibility("hidden")));

#if defined(__x86_64__)
/* Loading MXCSR or the x87 control word is slow, and they hardly ever differ.  MXCSR's low bits are flags. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl gpucc_context_switch\n"
        ".hidden gpucc_context_switch\n"
        ".type gpucc_context_switch, @function\n"
        "gpucc_context_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    subq $8, %rsp\n"
        "    stmxcsr (%rsp)\n"
        "    fnstcw 4(%rsp)\n"
        "    movl (%rsp), %eax\n"
        "    movzwl 4(%rsp), %edx\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    xorl (%rsp), %eax\n"
        "    testl $0xffc0, %eax\n"
        "    jne 2f\n"
        "1:  cmpw 4(%rsp), %dx\n"
        "    jne 3f\n"
        "4:  addq $8, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        "2:  ldmxcsr (%rsp)\n"
        "    jmp 1b\n"
        "3:  fldcw 4(%rsp)\n"
        "    jmp 4b\n"
        ".size gpucc_context_switch, .-gpucc_context_switch\n");

/* The frame that the switch above expects, entering `main` as if called from nowhere. */
static void context_prepare(struct context *context, char *stack, size_t size, void (*main)(void))
{
    uint64_t *frame = (uint64_t *)(void *)(stack + size) - 9;
    memset(frame, 0, 9 * sizeof *frame);
    frame[0] = (uint64_t)0x037f << 32 | 0x1f80; /* x87 control word, MXCSR: the ABI's defaults */
    frame[7] = (uint64_t)(uintptr_t)main;
    context->stack_pointer = frame;
}
#else
__asm__(".text\n"
        ".p2align 4\n"
        ".globl gpucc_context_switch\n"
        ".hidden gpucc_context_switch\n"
        ".type gpucc_context_switch, %function\n"
        "gpucc_context_switch:\n"
        "    sub sp, sp, #176\n"
        "    stp x19, x20, [sp]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mrs x9, fpcr\n"
        "    str x9, [sp, #160]\n"
        "    mov x10, sp\n"
        "    str x10, [x0]\n"
        "    mov sp, x1\n"
        "    ldr x10, [sp, #160]\n"
        "    cmp x9, x10\n"
        "    b.eq 1f\n"
        "    msr fpcr, x10\n"
        "1:  ldp x19, x20, [sp]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #176\n"
        "    ret\n"
        ".size gpucc_context_switch, .-gpucc_context_switch\n");

static void context_prepare(struct context *context, char *stack, size_t size, void (*main)(void))
{
    uint64_t *frame = (uint64_t *)(void *)(stack + size) - 22;
    memset(frame, 0, 22 * sizeof *frame);
    frame[11] = (uint64_t)(uintptr_t)main; /* x30; FPCR 0 is the default */
    context->stack_pointer = frame;
}
#endif

static inline void context_switch(struct context *from, struct context *to)
{
    gpucc_context_switch(&from->stack_pointer, to->stack_pointer);
}

#else

struct context {
    ucontext_t state;
};

static void context_prepare(struct context *context, char *stack, size_t size, void (*main)(void))
{
    getcontext(&context->state);
    context->state.uc_stack.ss_sp = stack;
    context->state.uc_stack.ss_size = size;
    makecontext(&context->state, main, 0);
}

static inline void context_switch(struct context *from, struct context *to)
{
    swapcontext(&from->state, &to->state);
}

#endif

/* ---- fibers ---- */

/* The thread's own stack is a fiber as well: the one that starts a block and goes on when the block has ended. */
struct fiber {
    _Alignas(64) struct gpucc_cpu_thread record;
    struct context context;
    struct fiber *next, *previous; /* the ring of those that have not ended */
    struct workspace *workspace;
#if WITH_ASAN
    void *fake_stack;
    const void *stack;
    size_t stack_size;
#endif
#if WITH_TSAN
    void *tsan;
#endif
};

/* What an OS thread needs to run blocks. */
struct workspace {
    struct fiber home;
    struct fiber *fibers; /* MAX_BLOCK of them, of which `ready` have stacks */
    int ready;
    char *stacks;
    size_t stack_size, pitch; /* from one stack to the next: the stack and the guard page below it */
    char *shared;
    size_t shared_size;
    const struct cpu_launch *launch;
    uint64_t prepared;  /* the run for which the records are filled in */
    struct fiber *left; /* the one that switched to the running one */
};

static _Thread_local struct fiber *current __attribute__((tls_model("initial-exec")));

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
    current = to;
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

/* Takes the fiber out of the ring and switches to the next one, or home after the last. */
static void retire(struct fiber *self)
{
    struct fiber *next = self->next;
    self->previous->next = next;
    next->previous = self->previous;
    switch_to(self, next != self ? next : &self->workspace->home);
}

/* A fiber lives through many blocks: it waits in retire() for the next one. */
static void fiber_main(void)
{
    struct fiber *self = current;
    arrive(self);
    for (;;) {
        const struct cpu_launch *launch = self->workspace->launch;
        launch->run_thread(launch->parameters);
        retire(self);
    }
}

GPUCC_API __attribute__((noinline)) struct gpucc_cpu_thread *gpucc_cpu_self(void)
{
    return &current->record;
}

GPUCC_API __attribute__((noinline)) void gpucc_cpu_barrier(void)
{
    struct fiber *self = current;
    if (self != NULL && self->next != self)
        switch_to(self, self->next);
}

/* ---- an OS thread's workspace ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static size_t page, stack_bytes;
static int setup_error;

static void workspace_destroy(void *data)
{
    struct workspace *workspace = data;
#if WITH_TSAN
    for (int i = 0; i < workspace->ready; i++)
        __tsan_destroy_fiber(workspace->fibers[i].tsan);
#endif
    if (workspace->stacks != NULL)
        munmap(workspace->stacks, workspace->pitch * MAX_BLOCK);
    free(workspace->shared);
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

static gpucc_status set_up_once(void)
{
    pthread_once(&once, set_up);
    if (setup_error == EINVAL)
        return fail(GPUCC_INVALID_ARGUMENT, "GPUCC_CPU_STACK is \"%s\": expected a number of bytes up to 1 GiB",
                    getenv("GPUCC_CPU_STACK"));
    if (setup_error != 0)
        return fail(GPUCC_NO_MEMORY, "cannot make a thread key for the CPU's workers: %s", strerror(setup_error));
    return GPUCC_OK;
}

/* This thread's, made the first time; null where there is no memory for it. */
static struct workspace *workspace_get(void)
{
    struct workspace *workspace = pthread_getspecific(key);
    if (workspace != NULL)
        return workspace;
    workspace = aligned_alloc(_Alignof(struct workspace), sizeof *workspace);
    if (workspace == NULL)
        return NULL;
    memset(workspace, 0, sizeof *workspace);
    workspace->home.workspace = workspace;
    workspace->home.next = workspace->home.previous = &workspace->home;
    workspace->stack_size = stack_bytes;
    workspace->pitch = stack_bytes + page;
    if (pthread_setspecific(key, workspace) != 0) {
        workspace_destroy(workspace);
        return NULL;
    }
    return workspace;
}

/* Address space for all stacks: a page of it costs memory once it is used. */
static bool reserve(struct workspace *workspace)
{
    if (workspace->fibers == NULL)
        workspace->fibers = aligned_alloc(_Alignof(struct fiber), MAX_BLOCK * sizeof *workspace->fibers);
    if (workspace->fibers == NULL)
        return false;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *stacks = mmap(NULL, workspace->pitch * MAX_BLOCK, PROT_NONE, flags, -1, 0);
    if (stacks == MAP_FAILED)
        return false;
    workspace->stacks = stacks;
    return true;
}

/* A guard that splits no mapping is best: the system limits how many mappings there are.  When that limit is reached,
 * the stack has to do without a guard. */
static void guard(char *address)
{
    enum { GUARD_INSTALL = 102 }; /* MADV_GUARD_INSTALL, since Linux 6.13 */
    if (madvise(address, page, GUARD_INSTALL) != 0)
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

/* Sees to it that `count` fibers have stacks. */
static bool workspace_grow(struct workspace *workspace, int count)
{
    if (count <= workspace->ready)
        return true;
    if (workspace->stacks == NULL && !reserve(workspace))
        return false;
    char *from = workspace->stacks + workspace->pitch * (size_t)workspace->ready;
    if (mprotect(from, workspace->pitch * (size_t)(count - workspace->ready), PROT_READ | PROT_WRITE) != 0)
        return false;
    for (int i = workspace->ready; i < count; i++)
        guard(workspace->stacks + workspace->pitch * (size_t)i);
    for (; workspace->ready < count; workspace->ready++)
        fiber_init(workspace, workspace->ready);
    return true;
}

/* Shared memory of `size` bytes, not zero: static first, then dynamic. */
static bool workspace_share(struct workspace *workspace, size_t size)
{
    if (size <= workspace->shared_size)
        return true;
    char *shared = aligned_alloc(SHARED_ALIGN, size);
    if (shared == NULL)
        return false;
    free(workspace->shared);
    workspace->shared = shared;
    workspace->shared_size = size;
    return true;
}

/* ---- blocks ---- */

struct run {
    const struct cpu_launch *launch;
    uint64_t number;      /* no two are alike */
    int threads;          /* of a block */
    size_t shared_offset; /* of dynamic shared memory */
    size_t shared_size;
    atomic_bool starved; /* a worker had no memory */
};

static struct gpucc_index index_of(uint64_t linear, struct gpucc_index extent)
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
    };
}

/* Everything of a worker that does not depend on the block. */
static bool prepare(struct workspace *workspace, const struct run *run)
{
    if (workspace->prepared == run->number)
        return true;
    bool fibers = run->launch->run_block == NULL;
    if (!workspace_share(workspace, run->shared_size) || (fibers && !workspace_grow(workspace, run->threads)))
        return false;
    record_init(workspace, run, &workspace->home, 0);
    for (int i = 0; fibers && i < run->threads; i++)
        record_init(workspace, run, &workspace->fibers[i], i);
#if WITH_TSAN
    workspace->home.tsan = __tsan_get_current_fiber();
#endif
    workspace->launch = run->launch;
    workspace->prepared = run->number;
    return true;
}

static void run_fibers(struct workspace *workspace, int count, struct gpucc_index block)
{
    struct fiber *fibers = workspace->fibers;
    struct fiber *previous = &fibers[count - 1];
    for (int i = 0; i < count; i++) {
        fibers[i].record.block_index = block;
        fibers[i].previous = previous;
        previous->next = &fibers[i];
        previous = &fibers[i];
    }
    switch_to(&workspace->home, &fibers[0]);
}

static void run_blocks(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    struct run *run = data;
    const struct cpu_launch *launch = run->launch;
    struct workspace *workspace = workspace_get();
    if (workspace == NULL || !prepare(workspace, run)) {
        atomic_store_explicit(&run->starved, true, memory_order_relaxed);
        return;
    }
    current = &workspace->home;
    for (uint64_t i = begin; i < end; i++) {
        struct gpucc_index block = index_of(i, launch->grid);
        workspace->home.record.block_index = block;
        if (launch->run_block != NULL)
            launch->run_block(launch->parameters);
        else
            run_fibers(workspace, run->threads, block);
    }
    current = NULL;
}

/* ---- launches ---- */

static gpucc_status check(const struct cpu_launch *launch)
{
    struct gpucc_index grid = launch->grid, block = launch->block;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > INT32_MAX || grid.y > UINT16_MAX || grid.z > UINT16_MAX)
        return fail(GPUCC_BAD_LAUNCH, "%s: grid (%u, %u, %u): expected (1, 1, 1) to (2147483647, 65535, 65535)",
                    launch->name, grid.x, grid.y, grid.z);
    if (block.x == 0 || block.y == 0 || block.z == 0 || block.x > MAX_BLOCK || block.y > MAX_BLOCK ||
        block.z > MAX_BLOCK || (uint64_t)block.x * block.y * block.z > MAX_BLOCK)
        return fail(GPUCC_BAD_LAUNCH, "%s: block (%u, %u, %u): expected 1 to %d threads in all", launch->name,
                    block.x, block.y, block.z, MAX_BLOCK);
    if (launch->shared > SIZE_MAX / 4 || launch->dynamic_shared > SIZE_MAX / 4)
        return fail(GPUCC_NO_MEMORY, "%s: no %zu + %zu bytes of shared memory a block", launch->name, launch->shared,
                    launch->dynamic_shared);
    if (current != NULL)
        return fail(GPUCC_UNSUPPORTED, "%s: a kernel that runs on the CPU cannot launch another", launch->name);
    return GPUCC_OK;
}

static size_t round_shared(size_t size)
{
    return size == 0 ? SHARED_ALIGN : (size + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN;
}

gpucc_status cpu_launch_run(struct pool *pool, const struct cpu_launch *launch)
{
    gpucc_status status = check(launch);
    if (status == GPUCC_OK)
        status = set_up_once();
    if (status != GPUCC_OK)
        return status;
    static _Atomic uint64_t runs;
    struct gpucc_index grid = launch->grid, block = launch->block;
    struct run run = {
        .launch = launch,
        .number = atomic_fetch_add_explicit(&runs, 1, memory_order_relaxed) + 1,
        .threads = (int)(block.x * block.y * block.z),
        .shared_offset = round_shared(launch->shared),
        .shared_size = round_shared(launch->shared) + round_shared(launch->dynamic_shared),
    };
    pool_run(pool, (uint64_t)grid.x * grid.y * grid.z, 1, run_blocks, &run);
    if (atomic_load(&run.starved))
        return fail(GPUCC_NO_MEMORY, "%s: out of memory for blocks of %d threads with %zu bytes of shared memory",
                    launch->name, run.threads, run.shared_size);
    return GPUCC_OK;
}
