/* Unwritten memory is recognised by its fill. */
#include "arrays/unwritten.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_KNOWN = 4, LEAST_LEFT = UNWRITTEN_PIECE / 2, ALL = (1 << UNWRITTEN_PIECE) - 1 };

static atomic_bool watched;
static atomic_uint_fast64_t filled; /* arrays */

GPUCC_API void gpucc_cpu_watch_arrays(void)
{
    atomic_store(&watched, true);
}

static size_t pieces_of(const struct memory *memory)
{
    return memory->size / UNWRITTEN_PIECE + (memory->size % UNWRITTEN_PIECE != 0);
}

/* The numbers that the array of this number is filled with, two for each piece; splitmix64. */
static uint64_t fill_number(uint64_t array, uint64_t index)
{
    uint64_t z = (array << 40) + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void fill_piece(uint64_t array, size_t piece, unsigned char to[UNWRITTEN_PIECE])
{
    const uint64_t numbers[] = {fill_number(array, 2 * piece), fill_number(array, 2 * piece + 1)};
    memcpy(to, numbers, sizeof numbers);
}

void unwritten_fill(struct memory *memory)
{
    if (memory->kind != MEMORY_HOST || memory->size == 0 || !atomic_load_explicit(&watched, memory_order_relaxed))
        return;
    const uint64_t number = atomic_fetch_add(&filled, 1) + 1;
    for (size_t i = 0; i < pieces_of(memory); i++) /* allocations are whole pieces */
        fill_piece(number, i, (unsigned char *)memory->base + i * UNWRITTEN_PIECE);
    pthread_mutex_lock(&memory->context->lock);
    memory->fill = number;
    pthread_mutex_unlock(&memory->context->lock);
}

static unsigned bytes_alike(const unsigned char *a, const unsigned char *b)
{
    unsigned alike = 0;
    for (int i = 0; i < UNWRITTEN_PIECE; i++)
        alike |= (unsigned)(a[i] == b[i]) << i;
    return alike;
}

/* A single byte may well be alike by chance. */
static unsigned whole_words(unsigned bytes)
{
    enum { WORD = 4 };
    unsigned words = 0;
    for (unsigned word = (1u << WORD) - 1; word <= ALL; word <<= WORD)
        words |= (bytes & word) == word ? word : 0;
    return words;
}

/* Which of the unwritten bytes are still unwritten. */
static unsigned scan_piece(const struct memory *memory, size_t piece, unsigned unwritten)
{
    unsigned char fill[UNWRITTEN_PIECE];
    if (unwritten == 0)
        return 0;
    fill_piece(memory->fill, piece, fill);
    const unsigned alike = bytes_alike(fill, (unsigned char *)memory->base + piece * UNWRITTEN_PIECE);
    const unsigned left = (unwritten & ~alike) == 0 ? unwritten : whole_words(unwritten & alike);
    return __builtin_popcount(left) >= (left == unwritten ? LEAST_KNOWN : LEAST_LEFT) ? left : 0;
}

static void forget(struct memory *memory)
{
    free(memory->unwritten);
    memory->unwritten = NULL;
    memory->fill = 0;
}

const uint16_t *unwritten_scan(struct memory *memory)
{
    const size_t pieces = pieces_of(memory);
    unsigned any = 0;
    if (memory->fill == 0)
        return NULL;
    if (memory->unwritten == NULL) {
        memory->unwritten = malloc(pieces * sizeof *memory->unwritten);
        if (memory->unwritten != NULL)
            memset(memory->unwritten, ALL, pieces * sizeof *memory->unwritten);
    }
    for (size_t i = 0; memory->unwritten != NULL && i < pieces; i++) {
        memory->unwritten[i] = (uint16_t)scan_piece(memory, i, memory->unwritten[i]);
        const bool is_last = i + 1 == pieces && memory->size % UNWRITTEN_PIECE != 0;
        any |= memory->unwritten[i] & (is_last ? (1u << memory->size % UNWRITTEN_PIECE) - 1 : ALL);
    }
    if (!any)
        forget(memory);
    return memory->unwritten;
}

void unwritten_note(struct memory *memory, size_t offset, unsigned bytes)
{
    if (memory->unwritten != NULL)
        memory->unwritten[offset / UNWRITTEN_PIECE] &= (uint16_t)~(bytes << offset % UNWRITTEN_PIECE);
}
