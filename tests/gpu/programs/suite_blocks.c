/* Barriers among all kinds of control flow, and values that live across them.  All kernels have the same parameters:
 * `in` and `out` have an element for each thread of the grid, n are in use; blocks have up to 256 threads in any
 * shape. */
#include <gpucc.h>

#define KERNEL(name) kernel void name(unsigned n, const uint32 *in, uint32 *out)

enum { MOST = 256 };

GPUCC_INLINE unsigned block_size(void)
{
    return blockDim.x * blockDim.y * blockDim.z;
}

GPUCC_INLINE unsigned in_block(void)
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

GPUCC_INLINE unsigned in_grid(void)
{
    return in_block() + block_size() * blockIdx.x;
}

GPUCC_INLINE unsigned mix(unsigned x)
{
    return x * 2654435761u ^ x >> 7;
}

KERNEL(no_barrier)
{
    unsigned i = in_grid();
    if (i >= n)
        return;
    unsigned x = in[i];
    for (unsigned k = 0; k < x % 7; k++)
        x = mix(x + k);
    out[i] = x;
}

KERNEL(reverse)
{
    shared uint32 tile[MOST];
    unsigned t = in_block(), i = in_grid();
    tile[t] = i < n ? in[i] : 0;
    syncthreads();
    if (i < n)
        out[i] = tile[block_size() - 1 - t];
}

/* The rounds depend on the block's size; a value lives across both barriers. */
KERNEL(prefix_sum)
{
    shared uint32 tile[MOST];
    unsigned t = in_block(), i = in_grid();
    tile[t] = i < n ? in[i] : 0;
    syncthreads();
    for (unsigned offset = 1; offset < block_size(); offset *= 2) {
        unsigned left = t >= offset ? tile[t - offset] : 0;
        syncthreads();
        tile[t] += left;
        syncthreads();
    }
    if (i < n)
        out[i] = tile[t];
}

/* Loops in loops, with barriers at three depths. */
KERNEL(nested_loops)
{
    shared uint32 tile[MOST];
    unsigned t = in_block(), i = in_grid(), size = block_size(), x = in[i], rounds = n % 3 + 2;
    for (unsigned a = 0; a < rounds; a++) {
        tile[t] = x + a;
        syncthreads();
        for (unsigned b = 0; b <= a; b++) {
            unsigned y = tile[(t + b + 1) % size];
            for (unsigned c = 0; c < y % 3; c++)
                y = mix(y + c);
            syncthreads();
            tile[t] = x ^= y;
            for (unsigned d = b; d < 2; d++) {
                syncthreads();
                x += tile[(t + d) % size] * d;
            }
            syncthreads();
        }
        syncthreads();
    }
    out[i] = x;
}

/* A condition that is the same for the block decides between barriers. */
KERNEL(uniform_arms)
{
    shared uint32 tile[MOST];
    unsigned t = in_block(), i = in_grid(), size = block_size(), x = in[i];
    tile[t] = x;
    if (blockIdx.x % 2) {
        syncthreads();
        x += tile[(t + 1) % size];
        syncthreads();
        tile[t] = x;
    } else if (n % 2) {
        x = mix(x);
        syncthreads();
        x ^= tile[size - 1 - t];
    }
    syncthreads();
    out[i] = x + tile[t / 2];
}

/* The same, but read from memory: the compiler cannot know. */
KERNEL(loaded_condition)
{
    shared uint32 tile[MOST];
    shared uint32 way;
    unsigned t = in_block(), i = in_grid(), size = block_size();
    if (t == 0)
        way = in[i] % 3 + blockIdx.x;
    tile[t] = in[i];
    syncthreads();
    unsigned x = tile[(t + way) % size];
    for (unsigned k = 0; k < way; k++) {
        syncthreads();
        tile[t] = mix(x + k);
        syncthreads();
        x += tile[(t + k) % size];
    }
    switch (way) {
    case 0:
        syncthreads();
        tile[t] += 3;
        break;
    case 1:
        tile[t] ^= 5;
        syncthreads();
        x++;
        /* fall through */
    case 2:
        syncthreads();
        x += tile[size - 1 - t];
        break;
    default:
        x *= 2;
    }
    out[i] = x;
}

KERNEL(uniform_return)
{
    shared uint32 tile[MOST];
    unsigned t = in_block(), i = in_grid();
    out[i] = 7;
    if (blockIdx.x == 1)
        return;
    tile[t] = in[i];
    syncthreads();
    out[i] = tile[block_size() - 1 - t] + t;
}

/* Threads that have ended are not waited for. */
KERNEL(some_return)
{
    shared uint32 tile[MOST];
    unsigned t = in_block(), i = in_grid(), size = block_size();
    for (unsigned k = t; k < MOST; k += size)
        tile[k] = k;
    syncthreads();
    if (in[i] % 3 == 0) {
        out[i] = 1;
        return;
    }
    tile[t] = in[i];
    syncthreads();
    unsigned x = tile[size - 1 - t];
    syncthreads();
    if (x % 5 == 0)
        return;
    for (unsigned k = 0; k < 3; k++) {
        tile[t] = mix(x + k);
        syncthreads();
        x += tile[(t + k) % size];
        syncthreads();
    }
    out[i] = x;
}

KERNEL(break_and_continue)
{
    shared uint32 tile[MOST];
    unsigned t = in_block(), i = in_grid(), size = block_size(), x = in[i];
    for (unsigned k = 0; k < 10; k++) {
        tile[t] = x;
        syncthreads();
        if (k == n % 7)
            break;
        if (k % 3 == 1) {
            syncthreads();
            continue;
        }
        for (unsigned m = 0; m < 20; m++) {
            if ((x + m) % 11 == t % 11)
                break;
            if (m % 4 == 2)
                continue;
            x = mix(x) + tile[m % size];
        }
        syncthreads();
    }
    out[i] = x;
}

/* Arrays, structs, truth values, doubles and 64 bits on both sides of barriers. */
KERNEL(many_values)
{
    struct pair {
        double a;
        uint64 b;
        uint8 c;
    };
    shared uint32 tile[MOST];
    unsigned t = in_block(), i = in_grid(), size = block_size(), table[8];
    struct pair pair = {(double)in[i] * 0.5, (uint64)in[i] << 20, (uint8)in[i]};
    _Bool odd = in[i] & 1, large = in[i] > n;
    for (unsigned k = 0; k < 8; k++)
        table[k] = in[i] + k * k;
    tile[t] = in[i];
    syncthreads();
    unsigned other = tile[(t + 1) % size];
    table[other % 8] = other;
    syncthreads();
    tile[t] = table[(other >> 3) % 8];
    pair.a *= other;
    pair.b += table[(other + t) % 8];
    pair.c ^= (uint8)other;
    syncthreads();
    unsigned x = tile[size - 1 - t] + table[t % 8] + (odd ? 3 : large);
    out[i] = x + (unsigned)(uint64)pair.a + (unsigned)(pair.b >> 9) + pair.c + table[x % 8];
}

KERNEL(votes)
{
    unsigned i = in_grid(), x = in[i], sum = 0;
    int more = 1;
    for (unsigned k = 0; more && k < 40; k++) {
        sum = sum * 31 + (unsigned)syncthreads_count(x % 4 == 1);
        x = mix(x) >> (x % 2);
        more = syncthreads_or(x % 64 == 0) || k < 3;
    }
    if (syncthreads_and(in[i] < 1000000))
        sum += x;
    out[i] = sum;
}

GPUCC_INLINE unsigned neighbour(uint32 *tile, unsigned x, unsigned by)
{
    unsigned t = in_block();
    syncthreads();
    tile[t] = x;
    syncthreads();
    return tile[(t + by) % block_size()];
}

/* A barrier in a function that is called from several places. */
KERNEL(called_barriers)
{
    shared uint32 tile[MOST];
    unsigned i = in_grid(), x = neighbour(tile, in[i], 1);
    for (unsigned k = 0; k < n % 4; k++)
        x += neighbour(tile, x, k);
    out[i] = x + neighbour(tile, x ^ 5, 3);
}

__attribute__((noinline)) static unsigned far_neighbour(uint32 *tile, unsigned x, unsigned by)
{
    return neighbour(tile, x, by);
}

/* And in one that is not inlined. */
KERNEL(barriers_out_of_line)
{
    shared uint32 tile[MOST];
    unsigned i = in_grid(), x = far_neighbour(tile, in[i], 1);
    out[i] = x + far_neighbour(tile, x, 5);
}

/* Loops that all threads go through in step, around a barrier and without one. */
KERNEL(loops_in_step)
{
    shared uint32 tile[MOST];
    unsigned t = in_block(), i = in_grid(), size = block_size(), x = 0, y = 1;
    tile[t] = in[i];
    syncthreads();
    for (unsigned k = 0; k < size; k++) {
        x += tile[k] * (t + k);
        y = x > y ? y + 3 : y ^ x;
    }
    for (unsigned a = 0; a < n % 5; a++)
        for (unsigned b = a; b < size; b += 3)
            y += tile[b] ^ a;
    syncthreads();
    tile[t] = y;
    syncthreads();
    out[i] = x + tile[size - 1 - t];
}

/* Some threads skip the loop. */
KERNEL(loops_of_some)
{
    unsigned i = in_grid(), x = 0, size = block_size();
    if (i >= n - n / 3)
        return;
    for (unsigned k = 0; k < size + 5; k++)
        x = mix(x + in[i] + k);
    if (x % 2) {
        for (unsigned k = 0; k < size; k++)
            x += in[blockIdx.x * size + k] ^ k;
    }
    for (unsigned k = 0; k < size; k++)
        for (unsigned m = 0; m < x % 3; m++)
            x += m;
    if (in[i] % 2)
        for (unsigned k = 0; k < n % 100; k++)
            x ^= in[k] + k;
    out[i] = x;
}

/* Each thread leaves the loop at another time; its values afterwards count. */
KERNEL(left_behind)
{
    shared uint32 tile[MOST];
    unsigned t = in_block(), i = in_grid(), size = block_size(), k = 0, x = in[i], last = 0;
    while (x % 13 != 0 && k < 30) {
        last = k * n;
        x = mix(x) >> 1;
        k++;
    }
    tile[t] = k;
    syncthreads();
    out[i] = tile[(t + 1) % size] + 100 * last + k;
    for (unsigned m = 0; m < k; m++)
        out[i] += m;
}

/* Two variables change places in each round. */
KERNEL(swap)
{
    shared uint32 tile[MOST];
    unsigned t = in_block(), i = in_grid(), size = block_size(), a = in[i], b = n, c = 1;
    for (unsigned k = 0; k < 9; k++) {
        unsigned was = a;
        a = b;
        b = c;
        c = was;
        tile[t] = a + k;
        syncthreads();
        c += tile[(t + k) % size];
        syncthreads();
    }
    out[i] = a + 3 * b + 5 * c;
}

KERNEL(atomics)
{
    shared uint32 count, most;
    unsigned t = in_block(), i = in_grid();
    if (t == 0)
        count = most = 0;
    syncthreads();
    for (unsigned k = 0; k < in[i] % 5; k++)
        atomic_add(&count, k + 1);
    atomic_max(&most, in[i]);
    syncthreads();
    out[i] = count + most;
}

/* Dynamic indices into an array of the thread's own, whose address is taken. */
KERNEL(own_stack)
{
    unsigned i = in_grid(), stack[16], depth = 0, x = in[i], sum = 0;
    stack[depth++] = x;
    while (depth) {
        unsigned top = stack[--depth];
        sum += top;
        syncthreads();
        if (syncthreads_or(top % 5 == 1 && depth + 2 < 16))
            if (top % 5 == 1 && depth + 2 < 16) {
                stack[depth++] = top / 2;
                stack[depth++] = top / 3;
            }
        if (!syncthreads_or(depth != 0))
            break;
        if (depth == 0)
            stack[depth++] = sum / 7;
        if (sum > 0x7fffffff)
            sum = mix(sum);
        if (syncthreads_count(sum % 8 == 0) > 4)
            break;
    }
    out[i] = sum;
}
