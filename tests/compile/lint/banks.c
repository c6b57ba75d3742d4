// RUN: %exits 0 %gpucc -Wperformance %s -o %t.ptx 2>&1 | FileCheck %s
#include <gpucc.h>

kernel
void transpose(size_t n, const float in[n][n], float out[n][n])
{
    shared float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[blockIdx.y * 32 + threadIdx.y][blockIdx.x * 32 + threadIdx.x];
    syncthreads();
    // CHECK: banks.c:[[#@LINE+2]]:73: warning: bank conflict: threads of a warp access 32 different words of one bank of shared memory here, in 32 passes instead of one [-Wperformance]
    // CHECK: note: shared memory has 32 banks of 4-byte words; pad each row by one element ([32][33] for [32][32])
    out[blockIdx.x * 32 + threadIdx.y][blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

kernel
void transpose_padded(size_t n, const float in[n][n], float out[n][n])
{
    shared float tile[32][33];
    tile[threadIdx.y][threadIdx.x] = in[blockIdx.y * 32 + threadIdx.y][blockIdx.x * 32 + threadIdx.x];
    syncthreads();
    out[blockIdx.x * 32 + threadIdx.y][blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

/* Two rows of 16 threads are a warp: the array has no room for 32 in a row. */
kernel
void transpose16(const float *in, float *out)
{
    shared float tile[16][16];
    unsigned x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 16 + x];
    syncthreads();
    // CHECK: banks.c:[[#@LINE+1]]:50: warning: bank conflict: threads of a warp access 8 different words of one bank
    out[blockIdx.x * 256 + blockDim.x * y + x] = tile[x][y];
}

/* Half a warp at a time accesses elements of 8 bytes. */
kernel
void doubles(const double *in, double *out)
{
    shared double values[1024];
    values[threadIdx.x] = in[threadIdx.x];
    syncthreads();
    // CHECK: banks.c:[[#@LINE+1]]:24: warning: bank conflict: threads of a warp access 2 different words of one bank
    out[threadIdx.x] = values[2 * threadIdx.x];
}

/* All threads read one word; neighbours bytes of one word; and a swizzle sends what would collide to other banks. */
kernel
void fine(const float *in, float *out)
{
    shared float words[1024];
    shared unsigned char bytes[256];
    unsigned x = threadIdx.x, y = threadIdx.y;
    words[32 * y + (x ^ y)] = in[32 * y + x];
    bytes[x] = (unsigned char)x;
    syncthreads();
    out[32 * y + x] = words[5] + bytes[x];
}

/* Eight threads, whose rows lie in different banks. */
kernel
void few(const float *in, float *out)
{
    shared float rows[8][12];
    if (threadIdx.x < 8)
        for (int i = 0; i < 12; i++)
            rows[threadIdx.x][i] = in[i];
    syncthreads();
    out[threadIdx.x] = rows[threadIdx.x % 8][0];
}

struct pair {
    float x, y;
};

/* Both members at once are one access of 8 bytes; one of them is not. */
kernel
void members(const struct pair *in, float *out)
{
    shared struct pair pairs[256];
    pairs[threadIdx.x] = in[threadIdx.x];
    syncthreads();
    out[threadIdx.x] = pairs[threadIdx.x].x * pairs[threadIdx.x].y;
    // CHECK: banks.c:[[#@LINE+1]]:55: warning: bank conflict: threads of a warp access 2 different words of one bank
    out[256 + threadIdx.x] = pairs[255 - threadIdx.x].x;
}
// CHECK: {{^}}4 warnings generated.
