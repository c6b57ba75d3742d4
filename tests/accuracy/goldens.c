/* Compares the bits of every function of one float32 with the committed hashes of goldens.def.
 *
 *   goldens [--function NAME]… [--blocks N | --all] [--threads N] [--write FILE]
 *
 * Without --blocks, one block of 2^24 numbers of each function; --all takes all 2^32 numbers as far as there are hashes.
 * --write makes a new goldens.def: the blocks asked for of the functions asked for, all others as they were.  Exit
 * status: 0 where all agree, 1 where one does not, 2 for a wrong command, 3 where FILE cannot be written.
 */
#include "hash.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FLOAT_1(name, quick, exact, bound) float gpucc_##name(float);
#define FLOAT_2(name, quick, exact, bound)
#define DOUBLE_1(name, exact, bound)
#define DOUBLE_2(name, exact, bound)
#define FLOAT_N(name, quick, exact, bound)
#define DOUBLE_N(name, exact, bound)
#include "functions.def"
#undef FLOAT_1

static const struct function {
    const char *name;
    float (*call)(float);
} functions[] = {
#define FLOAT_1(name, quick, exact, bound) {#name, gpucc_##name},
#include "functions.def"
#undef FLOAT_1
};

enum { FUNCTION_COUNT = sizeof functions / sizeof *functions, CHUNK_BITS = 16 };

/* ---- the hash of a block, by all cores ---- */

struct work {
    float (*call)(float);
    uint64_t end;
    atomic_uint_fast64_t next, hash;
};

static void *hash_chunks(void *data)
{
    struct work *work = data;
    uint64_t first, hash = 0;
    while ((first = atomic_fetch_add(&work->next, UINT64_C(1) << CHUNK_BITS)) < work->end)
        for (uint64_t i = first; i < first + (UINT64_C(1) << CHUNK_BITS); i++)
            hash += hash_of_result(sample_bits(i), canonical_float(work->call(float_of(sample_bits(i)))));
    atomic_fetch_add(&work->hash, hash);
    return NULL;
}

static uint32_t hash_block(const struct function *f, int block, long threads)
{
    pthread_t handles[threads];
    uint64_t first = (uint64_t)block << BLOCK_BITS;
    struct work work = {.call = f->call, .next = first, .end = first + (UINT64_C(1) << BLOCK_BITS)};
    long started = 0;
    while (started < threads - 1 && pthread_create(&handles[started], NULL, hash_chunks, &work) == 0)
        started++;
    hash_chunks(&work);
    while (started > 0)
        pthread_join(handles[--started], NULL);
    return (uint32_t)atomic_load(&work.hash);
}

/* ---- the command ---- */

struct options {
    bool chosen[FUNCTION_COUNT], some_chosen;
    int blocks;
    long threads;
    const char *output;
};

static bool compare(const struct function *f, const struct options *options)
{
    const struct golden *golden = find_golden(f->name);
    int blocks = golden && options->blocks > golden->count ? golden->count : options->blocks;
    if (!golden) {
        printf("%-16s has no hashes\n", f->name);
        return false;
    }
    for (int b = 0; b < blocks; b++) {
        uint32_t hash = hash_block(f, b, options->threads);
        if (hash != golden->blocks[b]) {
            printf("%-16s block %d: hash %08x, not %08x\n", f->name, b, hash, golden->blocks[b]);
            return false;
        }
    }
    printf("%-16s %3d blocks agree\n", f->name, blocks);
    fflush(stdout);
    return true;
}

static void write_hashes(FILE *file, const char *name, const uint32_t *hashes, int count)
{
    fprintf(file, "GOLDEN(%s", name);
    for (int b = 0; b < count; b++)
        fprintf(file, ",%s0x%08x", b % 8 ? " " : "\n       ", hashes[b]);
    fprintf(file, ")\n");
}

/* New hashes of the functions asked for, the old ones of the others. */
static int write_file(const struct options *options)
{
    FILE *file = fopen(options->output, "w");
    if (!file) {
        perror(options->output);
        return 3;
    }
    fputs("/* The low halves of the hashes of functions of one float32, a block of 2^24 numbers each; hash.h says how they\n"
          " * are made.  Written by `goldens --write` here, or by the GPU suite. */\n", file);
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        const struct golden *old = find_golden(functions[i].name);
        uint32_t hashes[BLOCK_COUNT];
        bool asked = !options->some_chosen || options->chosen[i];
        for (int b = 0; asked && b < options->blocks; b++)
            hashes[b] = hash_block(&functions[i], b, options->threads);
        if (asked || old)
            write_hashes(file, functions[i].name, asked ? hashes : old->blocks, asked ? options->blocks : old->count);
        fflush(file);
    }
    return fclose(file) ? 3 : 0;
}

static int usage(const char *what)
{
    fprintf(stderr, "goldens: %s\nusage: goldens [--function NAME]… [--blocks N | --all] [--threads N] [--write FILE]\n",
            what);
    return 2;
}

static bool choose(struct options *options, const char *name)
{
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (strcmp(functions[i].name, name) == 0)
            return options->chosen[i] = options->some_chosen = true;
    return false;
}

int main(int argc, char **argv)
{
    struct options options = {.blocks = 1, .threads = sysconf(_SC_NPROCESSORS_ONLN)};
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i], *value = argv[i + 1];
        int n = value ? atoi(value) : 0;
        if (strcmp(option, "--all") == 0)
            options.blocks = BLOCK_COUNT;
        else if (strcmp(option, "--function") == 0 && value && choose(&options, value))
            i++;
        else if (strcmp(option, "--blocks") == 0 && n > 0 && n <= BLOCK_COUNT)
            options.blocks = n, i++;
        else if (strcmp(option, "--threads") == 0 && n > 0 && n <= 1024)
            options.threads = n, i++;
        else if (strcmp(option, "--write") == 0 && value)
            options.output = argv[++i];
        else
            return usage(option);
    }
    if (options.output)
        return write_file(&options);
    bool agree = true;
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (!options.some_chosen || options.chosen[i])
            agree &= compare(&functions[i], &options);
    return agree ? 0 : 1;
}
