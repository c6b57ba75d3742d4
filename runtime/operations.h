/* What a call of a checked ufunc finds: operations whose results are faults (operations.c). */
#ifndef GPUCC_OPERATIONS_H
#define GPUCC_OPERATIONS_H

#include "checked.h"
#include "internal.h"

#include <pthread.h>

struct findings {
    struct findings *outer; /* of the call within which this thread has begun this one, or null */
    pthread_mutex_t lock;   /* workers note as well */
    struct noted *noted;
    int count;
    bool any; /* also where there has been no memory to note it */
};

/* Whether the ufunc's native code has such operations noted. */
bool operations_checked(const gpucc_ufunc *ufunc);
/* Before a call on this thread, whose findings these are until operations_end(). */
void operations_begin(struct findings *findings);
/* Tells what has been found since then, each once with how often, and forgets it.  How many. */
int operations_tell(struct findings *findings, const struct watch_settings *settings);
/* After it: tells the context.  Where anything was found, GPUCC_DEVICE_ERROR in place of `status`. */
gpucc_status operations_end(const gpucc_ufunc *ufunc, struct findings *findings, gpucc_status status);

#endif
