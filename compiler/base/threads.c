/* The compiler's threads. */
#define _XOPEN_SOURCE 700
#include "base/base.h"

#include <stdlib.h>

struct start {
    void *(*run)(void *data);
    void *data;
    char crash_stack[CRASH_STACK];
};

static void *begin(void *data)
{
    struct start *start = data;
    crash_guard_thread(start->crash_stack);
    return start->run(start->data); /* the stack stays: the handler may be called until the process ends */
}

bool thread_start(pthread_t *thread, void *(*run)(void *), void *data)
{
    pthread_attr_t attributes;
    struct start *start = malloc(sizeof *start);
    if (!start || pthread_attr_init(&attributes)) {
        free(start);
        return false;
    }
    start->run = run;
    start->data = data;
    bool started = !pthread_attr_setstacksize(&attributes, (size_t)1 << 30) &&
                   !pthread_create(thread, &attributes, begin, start);
    pthread_attr_destroy(&attributes);
    if (!started)
        free(start);
    return started;
}
