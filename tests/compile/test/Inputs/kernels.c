#include <gpucc.h>
#include <math.h>

typevar(T, float32, float64);
enum { BLOCK = 32, ROWS = 5 };
#define COLUMNS 7

kernel void reverse(size_t n, const T x[n], T out[n])
{
    const size_t i = grid(1);
    if (i < n)
        out[i] = x[n - 1 - i];
}

void reversed(size_t n, const T x[n], T out[n])
{
    for (size_t i = 0; i < n; i++)
        out[i] = x[n - 1 - i];
}

boolean is_mirrored(const T x_before[], T *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (out[i] != x_before[n - 1 - i])
            return 0;
    return 1;
}

test(any_size, reverse(n, random, zeros), each(n, 0, 1, 31, BLOCK * 4, 1000), grid((n + BLOCK - 1) / BLOCK + 1),
     block(BLOCK), reference(reversed), holds(is_mirrored));

struct affine {
    float scale, offset;
    int times;
};

kernel void transform(float field[ROWS][COLUMNS], struct affine by, const float *weights)
{
    const dim2 p = grid(2);
    if (p.x < COLUMNS && p.y < ROWS)
        for (int i = 0; i < by.times; i++)
            field[p.y][p.x] = field[p.y][p.x] * by.scale + by.offset + weights[p.x];
}

void transformed(double field[ROWS][COLUMNS], struct affine by, const double *weights)
{
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLUMNS; x++)
            for (int i = 0; i < by.times; i++)
                field[y][x] = field[y][x] * by.scale + by.offset + weights[x];
}

/* Commas, brackets and quotes inside of C. */
test(affine, transform(random(-2, 2), (struct affine){0.5f, s, (int[]){1, ')', k}[2]}, linspace(0, 1)[COLUMNS]),
     each(k, 0, 3 /* , 4) */), each(s, 0.25f, -1), threads(COLUMNS, ROWS),
     reference(transformed, within(4), absolute(1e-6)));

kernel void sum(size_t n, const int32 *x, int32 *total)
{
    dynamic_shared(int32, cells);
    cells[threadIdx.x] = grid(1) < n ? x[grid(1)] : 0;
    syncthreads();
    for (unsigned half = blockDim.x / 2; half; half /= 2) {
        if (threadIdx.x < half)
            cells[threadIdx.x] += cells[threadIdx.x + half];
#ifndef RACE
        syncthreads();
#endif
    }
    if (!threadIdx.x)
        atomic_add(total, cells[0]);
}

test(sums, sum(n, arange[n], zeros[1]), each(n, 1, 64, 1000), threads(n), block(BLOCK),
     shared(BLOCK * sizeof(int32)), expect(total, full(n * (n - 1) / 2)[1]));

kernel void order(size_t n, uint32 keys[n])
{
    if (!grid(1))
        for (size_t i = 1; i < n; i++)
            for (size_t k = i; k && keys[k - 1] > keys[k]; k--) {
                const uint32 t = keys[k];
                keys[k] = keys[k - 1];
                keys[k - 1] = t;
            }
}

void shuffle(size_t n, uint32 keys[n])
{
    for (size_t i = 0; i + 1 < n; i += 2)
        keys[i] = keys[i + 1]; /* equal ones */
}

boolean is_sorted(size_t n, const uint32 keys[n], const uint32 keys_before[n])
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (uint64_t)keys[i] - keys_before[i];
    for (size_t i = 1; i < n; i++)
        if (keys[i - 1] > keys[i])
            return 0;
    return sum == 0;
}

test(sorts, order(n, random(low, low + 9)), each(n, 2, 50), each(low, 0, 1000000), threads(1), prepare(shuffle),
     holds(is_sorted), checks(address, uninitialized), schedules(2), seed(7));

kernel void roots(size_t n, const float64 x[n], float64 out[n])
{
    if (grid(1) < n)
        out[grid(1)] = sqrt(x[grid(1)]);
}

void roots_plainly(size_t n, const float64 x[n], float64 out[n])
{
    for (size_t i = 0; i < n; i++)
        out[i] = sqrt(x[i]);
}

test(special_values, roots(300, special, full(NAN)), threads(300), reference(roots_plainly), checks(none));

test(files, roots(7, "x.npy", zeros), threads(7), expect(x, arange), expect(out, "roots.npy", relative(0)));
