/* Memory of which each device of a group has a part, and all reach the whole. */
#ifndef GPUCC_RUNTIME_SPLIT_H
#define GPUCC_RUNTIME_SPLIT_H

#include "arrays/arrays.h"

struct split_memory {
    int count;     /* devices */
    size_t ends[]; /* bytes from the memory's base on: where the part of each ends and the next one's begins */
};

/* The group's `page`, as far as the devices themselves are concerned. */
size_t split_page(const struct group *group);
/* Whether memory of that size is shared by the context's devices where it can be: each is to have a page at least. */
bool split_is_worth(const gpucc_context *context, size_t size);
/* For an array whose outermost dimension has rows of so many bytes.  The lead is to be entered. */
gpucc_status split_create(gpucc_context *lead, size_t size, size_t row, struct split_memory **out, char **base);
/* Once no device uses it any more. */
void split_destroy(struct split_memory *split, const char *base);
/* Which indices along dimension d, which has a stride, begin in the member's part. */
void split_range(const gpucc_array *array, int d, int member, int64_t *start, int64_t *stop);
/* The dimension along which the devices' parts follow one another; -1 if there is none. */
int split_dimension(const gpucc_array *array);

#endif
