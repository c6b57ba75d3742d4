/* The compiler's threads. */
#define _XOPEN_SOURCE 700
#include "backend.h"

#include <unistd.h>

bool may_thread(const struct options *options)
{
    return options->dump == DUMP_NONE && !options->verbose && sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

bool thread_start(pthread_t *thread, void *(*run)(void *), void *data)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes))
        return false;
    bool started = !pthread_attr_setstacksize(&attributes, (size_t)1 << 30) &&
                   !pthread_create(thread, &attributes, run, data);
    pthread_attr_destroy(&attributes);
    return started;
}
