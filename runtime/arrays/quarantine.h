/* Freed memory that nobody uses again for a while. */
#ifndef GPUCC_QUARANTINE_H
#define GPUCC_QUARANTINE_H

#include "arrays/arrays.h"

/* In context->quarantine, newest first, which the context's lock guards. */
struct freed {
    struct link link;
    void *base;
    size_t size; /* bytes */
};

/* Takes over the memory, which malloc() gave.  False if the context keeps none, or not so much: it is still the
 * caller's. */
bool quarantine_add(gpucc_context *context, void *base, size_t size);
/* When the context's last memory is freed. */
void quarantine_free(gpucc_context *context);

#endif
