/* Forks of the process.  A child has neither its parent's threads nor a device, and locks as they were at that moment:
 * it leaves alone what its parent made. */
#include "base/common.h"
#include <pthread.h>
#include <string.h>

_Atomic unsigned process_forks;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int error;
static _Atomic(struct fork_handler *) handlers;

static void in_child(void)
{
    atomic_fetch_add_explicit(&process_forks, 1, memory_order_relaxed);
    for (struct fork_handler *handler = atomic_load(&handlers); handler; handler = handler->next)
        handler->in_child();
}

static void watch(void)
{
    error = pthread_atfork(NULL, NULL, in_child);
}

gpucc_status process_watch(void)
{
    pthread_once(&once, watch);
    return error ? fail(GPUCC_NO_MEMORY, "cannot watch for forks of the process: %s", strerror(error)) : GPUCC_OK;
}

gpucc_status process_on_fork(struct fork_handler *handler)
{
    const gpucc_status status = process_watch();
    if (status)
        return status;
    handler->next = atomic_load(&handlers);
    while (!atomic_compare_exchange_weak(&handlers, &handler->next, handler))
        continue;
    return GPUCC_OK;
}
