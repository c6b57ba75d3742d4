/* Copies to shared memory that go on beside other work.  As in all programs of gpu_intrinsics.c, `in` is random words
 * and `out` is compared. */
#include <gpucc.h>

enum { TILE = 128, STAGES = 4, ROWS = 20 };

/* 4 bytes a thread, each thread reading what others copied. */
kernel
void copy_words(const uint32 *in, uint32 *out)
{
    shared uint32 tiles[STAGES][TILE];
    const unsigned t = threadIdx.x;
    uint32 mix = 0;
    for (unsigned i = 0; i < STAGES - 1; i++) {
        memcpy_async(&tiles[i][t], &in[i * TILE + t], 4);
        memcpy_async_commit();
    }
    for (unsigned i = 0; i < ROWS; i++) {
        const unsigned ahead = i + STAGES - 1;
        memcpy_async_wait(STAGES - 2);
        syncthreads();
        mix = mix * 31 + tiles[i % STAGES][(t + 37) % TILE];
        if (ahead < ROWS)
            memcpy_async(&tiles[ahead % STAGES][t], &in[ahead * TILE + t], 4);
        memcpy_async_commit();
    }
    out[grid(1)] = mix;
}

/* Every size and alignment, with zeros at the end. */
kernel
void copy_sizes(const uint32 *in, uint32 *out)
{
    shared _Alignas(16) char tile[TILE][32];
    const unsigned t = threadIdx.x;
    const char *from = (const char *)in + 32 * t;
    for (int i = 0; i < 32; i++)
        tile[t][i] = (char)i;
    if (t < 32)
        memcpy_async(tile[t], from, 16, t % 17);
    else if (t < 64)
        memcpy_async(tile[t] + 8, from + 16, 8, t % 9);
    else if (t < 96)
        memcpy_async(tile[t] + 4, from + 12, 4, t % 5);
    else
        memcpy_async(tile[t] + (t & 12), from + (t & 8), t % 2 ? 12 : 7, t % 6);
    memcpy_async_commit();
    memcpy_async_wait(0);
    syncthreads();
    const uint32 *words = (const uint32 *)tile[(t + 1) % TILE];
    for (unsigned i = 0; i < 8; i++)
        out[8 * t + i] = words[i];
}
