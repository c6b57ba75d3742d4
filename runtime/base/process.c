/* Forks of the process.  A child has neither its parent's threads nor a device, and locks as they were at that moment:
 * it leaves alone what its parent made. */
#include "devices/devices.h"
#include <pthread.h>
#include <string.h>

_Atomic unsigned process_forks;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int error;

static void in_child(void)
{
    atomic_fetch_add_explicit(&process_forks, 1, memory_order_relaxed);
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

gpucc_status context_check(const gpucc_context *context)
{
    if (__builtin_expect(context_is_ours(context), 1))
        return GPUCC_OK;
    return fail(GPUCC_INVALID_ARGUMENT, "the context was made by the parent, before fork(): its child makes its own");
}
