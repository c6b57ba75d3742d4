/* The findings of a call of a checked ufunc: operations whose results are faults (operations.c). */
#ifndef GPUCC_OPERATIONS_H
#define GPUCC_OPERATIONS_H

#include "devices/checked.h"
#include "programs/programs.h"

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
/* Calls a native loop of such a ufunc, on any thread that works for the call: what the loop cannot go on from is noted,
 * and ends it. */
void operations_run(const struct loop *loop, char **args, const intptr_t *dimensions, const intptr_t *steps);
/* The thread's place, for the next finding. */
void operations_place(const struct gpucc_cpu_site *site);
/* Notes that, and does not return; but where no such call runs it does. */
void operations_fail(const char *what, const char *file, int line);
/* Tells what has been found since then, each once with how often, and forgets it.  How many. */
int operations_report(struct findings *findings, const struct watch_settings *settings);
/* After it: reports to the context.  Where anything was found, GPUCC_DEVICE_ERROR in place of `status`. */
gpucc_status operations_end(const gpucc_ufunc *ufunc, struct findings *findings, gpucc_status status);

#endif
