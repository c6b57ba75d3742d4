/* The extent of an array parameter as C has it between its brackets: for `gpucc run`, which makes such arrays, and for
 * gufuncs, whose outputs have extents of that kind. */
#ifndef GPUCC_EXTENT_H
#define GPUCC_EXTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of the name of `length` bytes; false if it has none. */
typedef bool extent_lookup(void *data, const char *name, size_t length, int64_t *value);
/* The value of what stands in the brackets: C's operators over numbers and names, with casts and parentheses.  False
 * where it is negative, or more than that. */
bool extent_value(const char *expression, extent_lookup *lookup, void *data, int64_t *value);
/* Whether it is that and every name in it has a value, whichever these are. */
bool extent_is_known(const char *expression, extent_lookup *lookup, void *data);

#endif
