/* Arrays that a host has made and nobody has written, or not all of, for checked kernels that read them.
 *
 * Memory on the CPU is the host's too, which writes by the address of gpucc_array_data() without a word.  So such an
 * array is filled, when it is made, with numbers that nobody else writes; where these are still, nobody has written.
 * What a watched launch writes it notes besides, to the byte.  Of a piece of 16 bytes into which somebody else has
 * written, two whole words must be left or more: a few bytes may be alike by chance. */
#ifndef GPUCC_UNWRITTEN_H
#define GPUCC_UNWRITTEN_H

#include "arrays/arrays.h"

enum { UNWRITTEN_PIECE = 16 /* bytes, for each of which a map has a bit; the first one's is the lowest */ };

/* Fills new memory, where the process has code that looks for what is unwritten; of others nothing is known. */
void unwritten_fill(struct memory *memory);
/* The pieces in which there are such bytes now, or null if there are none.  It is the memory's, and the context's
 * lock guards it. */
const uint16_t *unwritten_scan(struct memory *memory);
/* A launch has written these bytes of the piece at `offset`, a multiple of its size.  With that lock held. */
void unwritten_note(struct memory *memory, size_t offset, unsigned bytes);

#endif
