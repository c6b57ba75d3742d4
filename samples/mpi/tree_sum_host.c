/* The sum of ten million numbers that lie on several machines, with the same bits on any number of them.
 *
 * gpucc adds along a fixed tree, of which every run of CHUNK numbers that begins at a multiple of CHUNK is a subtree
 * (docs/explanation/reduction-tree.md).  So each rank adds whole chunks, and every rank adds the chunks' sums. */
#include "ranks.h"
#include "tree_sum.h"

enum { CHUNK = 1 << 16, COUNT = 10000000 };

/* The numbers from `begin` on, of all magnitudes, so that another order would give another sum. */
static void fill(float *numbers, size_t begin, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t state = (uint32_t)(begin + i) * 2654435761u;
        state = (state ^ state >> 15) * 0x2c1b3c6du;
        state = (state ^ state >> 12) * 0x297a2d39u;
        const float scale = (float)(1u << (state >> 28));
        numbers[i] = (sample_random(&state) - 0.3f) * scale;
    }
}

/* The sums of the rows of `numbers`, which is `rows` x `columns`. */
static void add_rows(gpucc_context *context, const float *numbers, size_t rows, size_t columns, float *sums)
{
    const int axis = 1;
    const gpucc_reduce_options options = {.size = sizeof options, .axes = &axis, .axis_count = 1};
    gpucc_array *matrix = sample_matrix(context, (int64_t)rows, (int64_t)columns, numbers), *out = NULL;
    CHECK(add_reduce(context, matrix, &out, &options));
    CHECK(gpucc_array_read(out, sums, rows * sizeof *sums));
    gpucc_array_release(matrix);
    gpucc_array_release(out);
}

/* Adds up the rank's chunks; the last of all chunks may be shorter. */
static void add_chunks(const struct ranks *ranks, struct part chunks, float *sums)
{
    const size_t begin = chunks.begin * CHUNK, end = chunks.end * CHUNK < COUNT ? chunks.end * CHUNK : COUNT;
    const size_t whole = end > begin ? (end - begin) / CHUNK : 0, rest = end > begin ? (end - begin) % CHUNK : 0;
    float *numbers = sample_floats(end - begin + 1);
    fill(numbers, begin, end - begin);
    if (whole > 0)
        add_rows(ranks->context, numbers, whole, CHUNK, sums);
    if (rest > 0)
        add_rows(ranks->context, numbers + whole * CHUNK, 1, rest, sums + whole);
    free(numbers);
}

/* Every rank's sums, on all of them. */
static void gather(const struct ranks *ranks, size_t chunks, struct part own, const float *mine, float *all)
{
    int counts[ranks->count], places[ranks->count];
    for (int rank = 0; rank < ranks->count; rank++) {
        const struct ranks other = {.rank = rank, .count = ranks->count};
        const struct part part = part_of(&other, chunks);
        counts[rank] = (int)(part.end - part.begin);
        places[rank] = (int)part.begin;
    }
    MPI_Allgatherv(mine, (int)(own.end - own.begin), MPI_FLOAT, all, counts, places, MPI_FLOAT, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct ranks ranks = ranks_begin(&argc, &argv);
    const size_t chunks = (COUNT + CHUNK - 1) / CHUNK;
    const struct part own = part_of(&ranks, chunks);
    float *mine = sample_floats(own.end - own.begin + 1), *all = sample_floats(chunks), sum, at_once;
    add_chunks(&ranks, own, mine);
    gather(&ranks, chunks, own, mine, all);
    add_rows(ranks.context, all, 1, chunks, &sum);
    if (ranks.rank == 0) {
        float *numbers = sample_floats(COUNT);
        fill(numbers, 0, COUNT);
        add_rows(ranks.context, numbers, 1, COUNT, &at_once);
        float from_the_left = 0;
        for (size_t i = 0; i < COUNT; i++)
            from_the_left += numbers[i];
        printf("the sum is %a; one after another it would be %a\n", (double)sum, (double)from_the_left);
        EXPECT(memcmp(&sum, &at_once, sizeof sum) == 0);
        free(numbers);
    }
    free(mine);
    free(all);
    ranks_end(&ranks);
    return 0;
}
