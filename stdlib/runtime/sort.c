/* The runtime's own kernels for cells that indices name: whether these are in range, a stable sort of them by their
 * cells, and the parameters of a ufunc's S_fold for it.  The sort goes by digits: count_digits() counts in tiles of
 * words, sum_counts() sums over the tiles, and move_words() brings the words to their places.  A warp's words are
 * ranked by votes, so that they keep their order.
 *
 * Compiled when gpucc is built, by gpucc itself, and carried by libgpucc as PTX. */
#include <gpucc.h>
#include <gpucc/vector.h>
#include <loops/indices.h>
#include "../../runtime/cuda/sort.h"

enum {
    AT_ONCE = GPUCC_INDICES_MOST,
    WARPS = SORT_THREADS / gpucc_warpsize,
    EACH = SORT_TILE / SORT_THREADS /* words of a thread */
};

/* Finds the indices of these numbers. */
static void find_indices(const struct gpucc_indices *it, const uint64 *numbers, const char **out)
{
    unroll(AT_ONCE) for (int k = 0; k < AT_ONCE; k++)
        out[k] = it->data + gpucc_offset(numbers[k], it->dims, it->shape, it->strides);
}

/* Whether it names a cell; else its number comes to *wrong, where the least such number is left. */
static void check_index(const struct gpucc_indices *it, int64 index, uint64 number, unsigned long long *wrong)
{
    const int64 cells = (int64)it->cells;
    if (index < -cells || index >= cells)
        atomic_min(wrong, (unsigned long long)number);
}

/* The number of the first index that names no cell comes to *wrong, which holds the largest number before. */
kernel launch_bounds(256) expect_low_occupancy
void check_indices(struct gpucc_indices it, unsigned long long *wrong)
{
    const uint64 step = gridsize(1);
    for (uint64 first = grid(1); first < it.count; first += AT_ONCE * step) {
        uint64 numbers[AT_ONCE];
        int64 indices[AT_ONCE];
        const char *from[AT_ONCE];
        unroll(AT_ONCE) for (int k = 0; k < AT_ONCE; k++)
            numbers[k] = first + k * step < it.count ? first + k * step : first;
        find_indices(&it, numbers, from);
        gpucc_read_indices(&it, AT_ONCE, from, indices);
        unroll(AT_ONCE) for (int k = 0; k < AT_ONCE; k++)
            check_index(&it, indices[k], numbers[k], wrong);
    }
}

/* The same of adjacent indices of 4 or 8 bytes from a multiple of 16 bytes on, of which one access reads so many. */
kernel launch_bounds(256) expect_low_occupancy
void check_packed_indices(struct gpucc_indices it, unsigned long long *wrong)
{
    const unsigned each = sizeof(ulonglong2) / it.size;
    const uint64 step = gridsize(1), groups = it.count / each;
    const ulonglong2 *const data = (const ulonglong2 *)it.data;
    for (uint64 first = grid(1); first < groups; first += AT_ONCE * step) {
        uint64 numbers[AT_ONCE];
        ulonglong2 words[AT_ONCE];
        unroll(AT_ONCE) for (int k = 0; k < AT_ONCE; k++) {
            numbers[k] = first + k * step < groups ? first + k * step : first;
            words[k] = data[numbers[k]];
        }
        unroll(AT_ONCE) for (int k = 0; k < AT_ONCE; k++) {
            const uint64 number = numbers[k] * each;
            unroll() for (unsigned j = 0; j < 4; j++) {
                const uint64 word = j < 2 ? words[k].x : words[k].y;
                if (it.size == sizeof(unsigned))
                    check_index(&it, gpucc_index_of(&it, (unsigned)(word >> 32 * (j % 2))), number + j, wrong);
                else if (j % 2 == 0)
                    check_index(&it, gpucc_index_of(&it, word), number + j / 2, wrong);
            }
        }
    }
    const uint64 last = groups * each + grid(1);
    if (last < it.count) {
        const char *const from = it.data + last * it.size;
        int64 index;
        gpucc_read_indices(&it, 1, &from, &index);
        check_index(&it, index, last, wrong);
    }
}

/* `& 63` and `& 31` say what the host sees to, and save what a shift by more would take. */
static unsigned digit_of(const struct gpucc_sorting *it, uint64 word)
{
    return (unsigned)(word >> (it->shift & 63)) & ((1u << (it->bits & 31)) - 1);
}

/* Makes the words of these numbers, which are below the count. */
static void make_words(const struct gpucc_sorting *it, const uint64 *numbers, uint64 *words)
{
    uint64 named[AT_ONCE];
    int64 cells[AT_ONCE];
    const char *from[AT_ONCE];
    unroll(AT_ONCE) for (int k = 0; k < AT_ONCE; k++)
        named[k] = it->first + numbers[k];
    find_indices(&it->indices, named, from);
    gpucc_read_cells(&it->indices, AT_ONCE, from, cells);
    unroll(AT_ONCE) for (int k = 0; k < AT_ONCE; k++) {
        words[k] = (uint64)cells[k] << GPUCC_NUMBER_BITS | numbers[k];
        it->from[numbers[k]] = words[k];
    }
}

kernel launch_bounds(SORT_THREADS) expect_low_occupancy
void count_digits(struct gpucc_sorting it)
{
    shared unsigned counts[SORT_DIGITS];
    const unsigned thread = threadIdx.x, first = blockIdx.x * SORT_TILE + thread;
    counts[thread] = 0;
    syncthreads();
    for (unsigned row = 0; row < EACH && first + row * SORT_THREADS < it.count; row += AT_ONCE) {
        uint64 numbers[AT_ONCE], words[AT_ONCE];
        unroll(AT_ONCE) for (int k = 0; k < AT_ONCE; k++) {
            const unsigned number = first + (row + k) * SORT_THREADS;
            numbers[k] = number < it.count ? number : first;
        }
        if (it.makes_words)
            make_words(&it, numbers, words);
        else
            unroll(AT_ONCE) for (int k = 0; k < AT_ONCE; k++)
                words[k] = it.from[numbers[k]];
        unroll(AT_ONCE) for (int k = 0; k < AT_ONCE; k++)
            if (first + (row + k) * SORT_THREADS < it.count)
                atomic_add(&counts[digit_of(&it, words[k])], 1u);
    }
    syncthreads();
    it.counts[thread * it.tiles + blockIdx.x] = counts[thread];
}

/* The sum of `value` over the threads before this one; `sums` is the block's, which all are done with afterwards. */
static unsigned sum_before(unsigned *sums, unsigned value)
{
    const unsigned thread = threadIdx.x;
    unsigned sum = value;
    for (unsigned by = 1; by < SORT_THREADS; by *= 2) {
        sums[thread] = sum;
        syncthreads();
        if (thread >= by)
            sum += sums[thread - by];
        syncthreads();
    }
    return sum - value;
}

/* A block for each digit. */
kernel launch_bounds(SORT_THREADS) expect_low_occupancy
void sum_counts(struct gpucc_sorting it)
{
    shared unsigned sums[SORT_THREADS], all;
    unsigned *const counts = it.counts + blockIdx.x * it.tiles;
    unsigned before = 0;
    for (unsigned base = 0; base < it.tiles; base += SORT_THREADS) {
        const unsigned tile = base + threadIdx.x, count = tile < it.tiles ? counts[tile] : 0;
        const unsigned sum = sum_before(sums, count);
        if (tile < it.tiles)
            counts[tile] = before + sum;
        if (threadIdx.x == SORT_THREADS - 1)
            all = sum + count;
        syncthreads();
        before += all;
        syncthreads();
    }
    if (threadIdx.x == 0)
        it.totals[blockIdx.x] = before;
}

/* The lanes whose words have this digit, of those that have a word. */
static unsigned lanes_with(unsigned digit, unsigned bits, boolean has_word)
{
    unsigned lanes = gpucc_ballot_sync(0xffffffffu, has_word);
    for (unsigned bit = 0; bit < bits; bit++) {
        const unsigned set = gpucc_ballot_sync(0xffffffffu, digit >> (bit & 31) & 1);
        lanes &= digit >> (bit & 31) & 1 ? set : ~set;
    }
    return lanes;
}

kernel launch_bounds(SORT_THREADS) expect_low_occupancy
void move_words(struct gpucc_sorting it)
{
    shared uint64 sorted[SORT_TILE];
    shared unsigned ranks[WARPS][SORT_DIGITS], bases[SORT_DIGITS], sums[SORT_THREADS];
    const unsigned thread = threadIdx.x, warp = thread / warpsize, lane = thread % warpsize;
    const unsigned tile = blockIdx.x * SORT_TILE, first = tile + warp * EACH * warpsize + lane;
    const unsigned present = it.count - tile < SORT_TILE ? it.count - tile : SORT_TILE;
    uint64 words[EACH];
    unsigned places[EACH];
    for (unsigned w = 0; w < WARPS; w++)
        ranks[w][thread] = 0;
    syncthreads();

    /* The place of each word among those of its digit and warp. */
    unroll(EACH) for (unsigned row = 0; row < EACH; row++)
        words[row] = first + row * warpsize < it.count ? it.from[first + row * warpsize] : 0;
    unroll(EACH) for (unsigned row = 0; row < EACH; row++) {
        const boolean has_word = first + row * warpsize < it.count;
        const unsigned digit = digit_of(&it, words[row]), lanes = lanes_with(digit, it.bits, has_word);
        const unsigned before = popc(lanes & gpucc_lanemask_lt());
        places[row] = ranks[warp][digit] + before;
        syncwarp();
        if (has_word && before == 0)
            ranks[warp][digit] += popc(lanes);
        syncwarp();
    }
    syncthreads();

    /* A thread for each digit: where its words begin in the tile, by warps, and how far from there they go. */
    unsigned count = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        const unsigned here = ranks[w][thread];
        ranks[w][thread] = count;
        count += here;
    }
    const unsigned begin = sum_before(sums, count);
    for (unsigned w = 0; w < WARPS; w++)
        ranks[w][thread] += begin;
    const boolean is_digit = thread < 1u << (it.bits & 31);
    const unsigned smaller = sum_before(sums, is_digit ? it.totals[thread] : 0);
    bases[thread] = smaller + (is_digit ? it.counts[thread * it.tiles + blockIdx.x] : 0) - begin;
    syncthreads();

    unroll(EACH) for (unsigned row = 0; row < EACH; row++)
        if (first + row * warpsize < it.count)
            sorted[ranks[warp][digit_of(&it, words[row])] + places[row]] = words[row];
    syncthreads();
    /* As many steps whatever is present: where `k < present` ended the loop, ptxas 13.0 read a register that nothing
     * had set. */
    unroll(EACH) for (unsigned k = thread; k < SORT_TILE; k += SORT_THREADS)
        if (k < present)
            it.to[bases[digit_of(&it, sorted[k])] + k] = sorted[k];
}

/* ---- for S_fold ---- */

static uint64 cell_of(uint64 word)
{
    return word >> GPUCC_NUMBER_BITS;
}

/* How many words from this one on are of its cell, of `most`. */
static uint64 count_alike(const uint64 *word, uint64 most)
{
    uint64 alike = 1, other = 2; /* word[other - 1] is the first that may differ, once steps have become wide enough */
    while (other <= most && cell_of(word[other - 1]) == cell_of(word[0])) {
        alike = other;
        other *= 2;
    }
    if (other > most)
        other = most + 1;
    while (other - alike > 1) {
        const uint64 middle = alike + (other - alike) / 2;
        if (cell_of(word[middle - 1]) == cell_of(word[0]))
            alike = middle;
        else
            other = middle;
    }
    return alike;
}

/* cells[] of a struct gpucc_reduction, to `to`. */
kernel launch_bounds(256) expect_low_occupancy
void find_cells(struct gpucc_sorting it)
{
    for (uint64 k = grid(1); k < it.count; k += gridsize(1)) {
        const uint64 word = it.from[k];
        const boolean is_first = k == 0 || cell_of(it.from[k - 1]) != cell_of(word);
        it.to[k] = is_first ? (cell_of(word) << GPUCC_NUMBER_BITS) + count_alike(it.from + k, it.count - k) - 1
                            : GPUCC_NO_CELL;
    }
}

/* Its places[], in place of the words: operands have these strides along the indices' dimensions. */
kernel launch_bounds(256) expect_low_occupancy
void place_operands(struct gpucc_sorting it, struct gpucc_places operands)
{
    for (uint64 k = grid(1); k < it.count; k += gridsize(1)) {
        const uint64 number = it.first + (it.from[k] & ((1u << GPUCC_NUMBER_BITS) - 1));
        it.from[k] = (uint64)gpucc_offset(number, it.indices.dims, it.indices.shape, operands.strides);
    }
}
