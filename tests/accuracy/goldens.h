/* The committed hashes, goldens.def (hash.h says how they are made). */
#ifndef GPUCC_TESTS_ACCURACY_GOLDENS_H
#define GPUCC_TESTS_ACCURACY_GOLDENS_H

#include "hash.h"

#include <stdio.h>

/* Hashes for a function of one float32, besides: the low halves of blocks 0 to count - 1. */
struct golden {
    const char *name;
    uint32_t blocks[BLOCK_COUNT];
    int count;
};

static const struct golden goldens[] = {
#define GOLDEN(function, ...) {#function, {__VA_ARGS__}, sizeof (uint32_t[]){__VA_ARGS__} / sizeof(uint32_t)},
#define SAMPLED(function, ...)
#include "goldens.def"
#undef GOLDEN
#undef SAMPLED
    {.name = NULL},
};

/* Hashes for any function, of its first 2^20, 2^24, 2^28 and 2^32 samples; 0 for an unknown one. */
enum { STAGE_COUNT = 4, FIRST_STAGE_BITS = 20, STAGE_BITS = 4 };

struct sampled {
    const char *name;
    uint64_t stages[STAGE_COUNT];
};

static const struct sampled sampled[] = {
#define GOLDEN(function, ...)
#define SAMPLED(function, ...) {#function, {__VA_ARGS__}},
#include "goldens.def"
#undef GOLDEN
#undef SAMPLED
    {.name = NULL},
};

static inline uint64_t stage_samples(int stage)
{
    return UINT64_C(1) << (FIRST_STAGE_BITS + STAGE_BITS * stage);
}

/* The hashes of a function, or NULL where none are committed. */
static inline const struct golden *find_golden(const char *function)
{
    for (const struct golden *g = goldens; g->name; g++)
        if (strcmp(g->name, function) == 0)
            return g;
    return NULL;
}

static inline const struct sampled *find_sampled(const char *function)
{
    for (const struct sampled *s = sampled; s->name; s++)
        if (strcmp(s->name, function) == 0)
            return s;
    return NULL;
}

/* The lines of goldens.def. */
static inline void write_golden(FILE *file, const char *name, const uint32_t *blocks, int count)
{
    fprintf(file, "GOLDEN(%s", name);
    for (int b = 0; b < count; b++)
        fprintf(file, ",%s0x%08x", b % 8 ? " " : "\n       ", blocks[b]);
    fprintf(file, ")\n");
}

static inline void write_sampled(FILE *file, const char *name, const uint64_t *stages)
{
    fprintf(file, "SAMPLED(%s", name);
    for (int s = 0; s < STAGE_COUNT; s++)
        fprintf(file, stages[s] ? ", 0x%016llx" : ", 0", (unsigned long long)stages[s]);
    fprintf(file, ")\n");
}

#endif
