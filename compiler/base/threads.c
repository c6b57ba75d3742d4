/* The compiler's threads. */
#define _XOPEN_SOURCE 700
#include "base/base.h"

#include <stdlib.h>

struct start {
    struct job *job; /* or null */
    void *(*run)(void *data);
    void *data;
    char crash_stack[CRASH_STACK];
};

static void *begin(void *data)
{
    struct start *start = data;
    if (start->job) {
        job_work(start->job, start->run, start->data);
        free(start);
        return NULL;
    }
    crash_guard_thread(start->crash_stack);
    void *result = start->run(start->data);
    crash_leave_thread(start->crash_stack);
    free(start);
    return result;
}

static bool start_with_stack(pthread_t *thread, struct start *start, size_t size)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes))
        return false;
    bool started = !pthread_attr_setstacksize(&attributes, size) &&
                   !pthread_create(thread, &attributes, begin, start);
    pthread_attr_destroy(&attributes);
    return started;
}

bool thread_start(pthread_t *thread, void *(*run)(void *), void *data)
{
    const size_t wanted = (size_t)1 << 30, least = job_current() ? (size_t)16 << 20 : wanted;
    struct start *start = malloc(sizeof *start);
    bool started = false;
    if (!start)
        return false;
    start->job = job_current();
    start->run = run;
    start->data = data;
    for (size_t size = wanted; !started && size >= least; size /= 4)
        started = start_with_stack(thread, start, size);
    if (!started)
        free(start);
    return started;
}
