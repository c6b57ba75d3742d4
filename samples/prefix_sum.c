/* Running sums of n integers in one pass over memory.  Each block takes the next tile, publishes its sum, and finds
 * what comes before it by looking back: tiles before it have published their own sums, down to one that has that of all
 * up to its end (D. Merrill, M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). */
#include <gpucc.h>
#include <gpucc/vector.h>

enum {
    THREADS = 512,
    ROWS = 16, /* of a warp, one behind the other; a lane has four neighbours of each */
    FOUR = 4,
    ROW = FOUR * gpucc_warpsize,
    WARPS = THREADS / gpucc_warpsize,
    TILE = WARPS * ROWS * ROW
};

/* States that a tile publishes beside a sum: none yet, the sum of its own numbers, the sum up to its end. */
enum { NOTHING, OWN, ALL };
#define ALL_LANES 0xffffffffu

static uint64 published(unsigned what, unsigned sum)
{
    return (uint64)what << 32 | sum;
}

/* The sum of this lane's value and those of the lanes below. */
static unsigned up_to_lane(unsigned value)
{
    for (unsigned s = 1; s < gpucc_warpsize; s *= 2) {
        const unsigned left = shfl_up_sync(ALL_LANES, value, s);
        value += laneid >= s ? left : 0;
    }
    return value;
}

/* The sum of all tiles before this one, for a whole warp: a lane for each of the 32 before, then the next 32. */
static unsigned look_back(const volatile uint64 *tiles, unsigned tile)
{
    unsigned sum = 0;
    for (int64 at = (int64)tile - 1 - laneid;; at -= gpucc_warpsize) {
        uint64 seen;
        do
            seen = at < 0 ? published(ALL, 0) : tiles[at];
        while (any_sync(ALL_LANES, seen >> 32 == NOTHING));
        const unsigned ends = ballot_sync(ALL_LANES, seen >> 32 == ALL);
        const unsigned last = ends ? (unsigned)__builtin_ctz(ends) : gpucc_warpsize - 1;
        sum += reduce_add_sync(ALL_LANES, laneid <= last ? (unsigned)seen : 0);
        if (ends)
            return sum;
    }
}

/* `in` and `out` begin at multiples of 16 bytes.  tiles[] has a word for each TILE numbers, or a part of as many; it
 * and *next are 0 before. */
kernel launch_bounds(THREADS)
void prefix_sum(const int *in, int *out, uint64 n, uint64 *tiles, unsigned *next)
{
    shared unsigned taken, sums[WARPS], before_tile;
    const unsigned warp = threadIdx.x / gpucc_warpsize;
    if (threadIdx.x == 0)
        taken = atomic_add(next, 1u);
    syncthreads();
    const unsigned tile = taken;
    const uint64 first = (uint64)tile * TILE + warp * ROWS * ROW + laneid * FOUR;
    const boolean is_whole = ((uint64)tile + 1) * TILE <= n; /* then four neighbours are read and written at once */
    unsigned x[ROWS][FOUR], sum = 0; /* of the rows so far; unsigned numbers wrap around */
    unroll() for (int r = 0; r < ROWS; r++) {
        const uint64 at = first + r * ROW;
        if (is_whole) {
            const uint4 four = *(const uint4 *)(in + at);
            x[r][0] = four.x, x[r][1] = four.y, x[r][2] = four.z, x[r][3] = four.w;
        } else {
            unroll() for (int k = 0; k < FOUR; k++)
                x[r][k] = at + k < n ? (unsigned)in[at + k] : 0;
        }
    }
    unroll() for (int r = 0; r < ROWS; r++) {
        unroll() for (int k = 1; k < FOUR; k++)
            x[r][k] += x[r][k - 1];
        const unsigned own = x[r][FOUR - 1], up_to = up_to_lane(own);
        unroll() for (int k = 0; k < FOUR; k++)
            x[r][k] += sum + up_to - own;
        sum += shfl_sync(ALL_LANES, up_to, gpucc_warpsize - 1);
    }
    if (laneid == 0)
        sums[warp] = sum;
    syncthreads();
    unsigned before = 0, whole = 0;
    unroll() for (unsigned w = 0; w < WARPS; w++) {
        before += w < warp ? sums[w] : 0;
        whole += sums[w];
    }
    if (warp == 0) {
        volatile uint64 *const own = &tiles[tile];
        if (laneid == 0 && tile > 0)
            *own = published(OWN, whole);
        const unsigned all_before = look_back(tiles, tile);
        if (laneid == 0) {
            *own = published(ALL, all_before + whole);
            before_tile = all_before;
        }
    }
    syncthreads();
    before += before_tile;
    unroll() for (int r = 0; r < ROWS; r++) {
        const uint64 at = first + r * ROW;
        if (is_whole) {
            *(uint4 *)(out + at) =
                (uint4){x[r][0] + before, x[r][1] + before, x[r][2] + before, x[r][3] + before};
        } else {
            unroll() for (int k = 0; k < FOUR; k++)
                if (at + k < n)
                    out[at + k] = (int)(x[r][k] + before);
        }
    }
}
