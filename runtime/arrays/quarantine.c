/* Memory of arrays that a host has freed: where a context has programs whose accesses are checked it is kept for a
 * while, so that nobody else gets it, and a kernel that still uses it is found out. */
#include "arrays/quarantine.h"

#include <stdlib.h>

enum { MOST_BYTES = 256 << 20, MOST_PIECES = 1024 };

static void release_oldest(gpucc_context *context)
{
    struct freed *oldest = CONTAINER(context->quarantine.previous, struct freed, link);
    list_remove(&oldest->link);
    context->quarantined_bytes -= oldest->size;
    context->quarantined_count--;
    free(oldest->base);
    free(oldest);
}

bool quarantine_add(gpucc_context *context, void *base, size_t size)
{
    if (!atomic_load(&context->quarantines) || size == 0 || size > MOST_BYTES)
        return false;
    struct freed *freed = malloc(sizeof *freed);
    if (freed == NULL)
        return false;
    *freed = (struct freed){.base = base, .size = size};
    pthread_mutex_lock(&context->lock);
    list_insert(&context->quarantine, &freed->link);
    context->quarantined_bytes += size;
    context->quarantined_count++;
    while (context->quarantined_bytes > MOST_BYTES || context->quarantined_count > MOST_PIECES)
        release_oldest(context);
    pthread_mutex_unlock(&context->lock);
    return true;
}

void quarantine_free(gpucc_context *context)
{
    while (context->quarantined_count > 0)
        release_oldest(context);
}
