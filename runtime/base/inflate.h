/* Unpacks deflated bytes (RFC 1951). */
#ifndef GPUCC_INFLATE_H
#define GPUCC_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

/* The packed bytes as `size` bytes at `to`; false if they are damaged, end too early, or are more or fewer. */
bool inflate_bytes(const void *packed, size_t packed_size, char *to, size_t size);

#endif
