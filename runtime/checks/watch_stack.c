/* Finds that a thread's stack ends, before it does: endless recursion, and local variables that are too large. */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "checks/watch.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_LEFT = 8192 }; /* bytes, for what is called where nobody asks, the report for one */

struct stack {
    const char *base; /* its lowest address */
    size_t size;
};

/* For this OS thread. */
static struct stack own_stack(void)
{
    static _Thread_local struct stack own;
    pthread_attr_t attributes;
    void *base;
    if (own.base == NULL && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &base, &own.size) == 0)
            own.base = base;
        pthread_attr_destroy(&attributes);
    }
    return own;
}

/* A block that runs on the worker's stack has no more of it than a thread with a stack of its own. */
static struct stack part_of_own(const struct workspace *workspace)
{
    const struct stack own = own_stack();
    const char *const top = workspace->entered_at;
    if (top < own.base || (size_t)(top - own.base) > own.size || (size_t)(top - own.base) < workspace->stack_size)
        return own;
    return (struct stack){top - workspace->stack_size, workspace->stack_size};
}

/* They lie above their guard pages. */
static struct stack stack_of(const struct fiber *self)
{
    const struct workspace *workspace = self->workspace;
    const size_t guard = workspace->pitch - workspace->stack_size;
    if (!is_fiber(self))
        return part_of_own(workspace);
    return (struct stack){workspace->stacks + workspace->pitch * (size_t)thread_number(self) + guard,
                          workspace->stack_size};
}

GPUCC_API uint64_t gpucc_cpu_watch_stack(uint64_t bytes, struct gpucc_cpu_site *site)
{
    char text[256];
    const struct fiber *self = current_fiber;
    if (self == NULL || self->workspace->watched == NULL || self->workspace->run->launch->watch == NULL)
        return 1;
    const struct stack stack = stack_of(self);
    const size_t left = (size_t)((const char *)__builtin_frame_address(0) - stack.base);
    if (left > stack.size || left > bytes + LEAST_LEFT) /* else it runs on somebody else's */
        return 1;
    gpucc_cpu_watch_place(site);
    snprintf(text, sizeof text, "the stack of %zu bytes has no room left for '%s'", stack.size, site->at.function);
    if (bytes > 0)
        snprintf(text + strlen(text), sizeof text - strlen(text), " and the %llu bytes of its variables",
                 (unsigned long long)bytes);
    watch_report_failure(self->workspace->run->launch->watch, watched_fiber(self), NULL, text,
                         "check for endless recursion, make large arrays parameters or shared, or set "
                         "GPUCC_CPU_STACK=BYTES in the environment for larger stacks");
    fiber_fail(self, "%s", text);
}
