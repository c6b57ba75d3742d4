/* Asks the host, between blocks, whether a launch is to end: for Ctrl-C in Python. */
#include "executor/executor.h"

#include <time.h>

enum { INTERVAL = 50 }; /* ms */

/* The clock that is read at the least cost; it ticks every few milliseconds. */
static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

void run_poll_host(struct run *run, int worker)
{
    const struct cpu_launch *launch = run->launch;
    if (worker != 0 || launch->interrupt == NULL)
        return;
    const int64_t time = now();
    if (time < run->next_poll)
        return;
    const bool is_first = run->next_poll == 0;
    run->next_poll = time + INTERVAL;
    if (is_first || !launch->interrupt(launch->interrupt_data))
        return;
    atomic_store(&run->interrupted, true);
    atomic_store(&run->failed, true); /* by which the other workers stop */
}
