/* k-means clustering (Lloyd's algorithm) of points with D coordinates: `assign` finds each point's nearest center and
 * sums up the points of each, `update` moves the centers to their means. */
#include <gpucc.h>
#include <gpucc/vector.h>
#include <stdbool.h>

enum { D = 12, K = 8, THREADS = 128 };

typedef union {
    float4 quads[D / 4]; /* 16-byte accesses */
    float at[D];
} point;

/* A center's sum of the points nearest to it, and their count. */
typedef struct {
    float sum[D], count;
} cluster;

/* |point - center|^2 less |point|^2, which is the same for all centers. */
static inline float distance(const point *p, const float center[D], float norm)
{
    float dot = 0;
    for (unsigned i = 0; i < D; i++)
        dot += p->at[i] * center[i];
    return norm - 2 * dot;
}

/* Adds a warp's sums to the block's, which lie in shared memory. */
static inline void add_warp(float *total, float value)
{
    for (unsigned step = warpsize / 2; step > 0; step /= 2)
        value += shfl_down_sync(0xffffffff, value, step);
    if (laneid == 0)
        atomic_add(total, value);
}

/* Adds to `clusters`, of which there are K.  A thread takes many points and keeps its sums in registers: where the
 * nearest center is not known beforehand, every cluster gets the point times 1 or times 0. */
kernel launch_bounds(THREADS)
void assign(size_t n, const point points[n], const float centers[K][D], cluster clusters[K])
{
    shared float center[K][D], norm[K];
    shared cluster total[K];
    const unsigned thread = threadIdx.x;
    if (thread < K) {
        norm[thread] = total[thread].count = 0;
        for (unsigned i = 0; i < D; i++) {
            total[thread].sum[i] = 0;
            center[thread][i] = centers[thread][i];
            norm[thread] += centers[thread][i] * centers[thread][i];
        }
    }
    syncthreads();
    cluster mine[K] = {0};
    for (size_t at = grid(1); at < n; at += gridsize(1)) {
        const point p = points[at];
        float least = distance(&p, center[0], norm[0]);
        unsigned nearest = 0;
        for (unsigned k = 1; k < K; k++) {
            const float d = distance(&p, center[k], norm[k]);
            nearest = d < least ? k : nearest;
            least = d < least ? d : least;
        }
        unroll() for (unsigned k = 0; k < K; k++) {
            const float weight = nearest == k;
            for (unsigned i = 0; i < D; i++)
                mine[k].sum[i] += weight * p.at[i];
            mine[k].count += weight;
        }
    }
    unroll() for (unsigned k = 0; k < K; k++) {
        unroll() for (unsigned i = 0; i < D; i++)
            add_warp(&total[k].sum[i], mine[k].sum[i]);
        add_warp(&total[k].count, mine[k].count);
    }
    syncthreads();
    if (thread < K) {
        for (unsigned i = 0; i < D; i++)
            atomic_add(&clusters[thread].sum[i], total[thread].sum[i]);
        atomic_add(&clusters[thread].count, total[thread].count);
    }
}

/* One block of K threads; leaves the clusters empty for the next step. */
kernel launch_bounds(K) expect_low_occupancy
void update(float centers[K][D], cluster clusters[K])
{
    cluster *c = &clusters[threadIdx.x];
    for (unsigned i = 0; i < D; i++) {
        if (c->count > 0)
            centers[threadIdx.x][i] = c->sum[i] / c->count;
        c->sum[i] = 0;
    }
    c->count = 0;
}
