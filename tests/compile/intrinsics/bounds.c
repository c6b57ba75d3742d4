// -fsanitize=bounds: native code tells of indices out of bounds; PTX stays as it is.
// RUN: %gpucc %s --emit=ptx -o %t.plain.ptx && %gpucc %s -fsanitize=bounds --emit=ptx -o %t.checked.ptx
// RUN: cmp %t.plain.ptx %t.checked.ptx
// RUN: %exits 1 %gpucc run %s past_end zeros:64:float32 -fsanitize=bounds --grid=2 --block=32x2 --device=cpu 2>&1 | FileCheck %s --check-prefix=PAST-END
// RUN: %exits 1 %gpucc run %s before zeros:64:float32 -fsanitize=bounds --grid=1 --block=64 --device=cpu 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: %exits 1 %gpucc run %s parameter 4 5 zeros:4x5:float32 -fsanitize=bounds --grid=1 --block=8 --device=cpu 2>&1 | FileCheck %s --check-prefix=PARAMETER
// RUN: %exits 1 %gpucc run %s member zeros:64:float32 -fsanitize=bounds --grid=1 --block=8 --device=cpu 2>&1 | FileCheck %s --check-prefix=MEMBER
// RUN: %exits 1 %gpucc run %s lanes zeros:64:float32 -fsanitize=bounds --grid=1 --block=32 --device=cpu 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: %exits 1 %gpucc run %s rows 3 zeros:64:float32 -fsanitize=bounds --grid=1 --block=8 --device=cpu 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: %exits 1 %gpucc run %s flat 6 zeros:64:float32 -fsanitize=bounds --grid=1 --block=8 --device=cpu 2>&1 | FileCheck %s --check-prefix=FLAT
// RUN: %exits 1 %gpucc run %s flat -1 zeros:64:float32 -fsanitize=bounds --grid=1 --block=8 --device=cpu 2>&1 | FileCheck %s --check-prefix=FLAT
// RUN: %gpucc run %s rows 2 zeros:64:float32 -fsanitize=bounds --grid=1 --block=8 --device=cpu | FileCheck %s --check-prefix=ROWS-WITHIN
// RUN: %exits 1 %gpucc run %s own_trap zeros:64:float32 -fsanitize=bounds --grid=1 --block=1 --device=cpu 2>&1 | FileCheck %s --check-prefix=TRAP
// RUN: %gpucc run %s within zeros:64:float32 -fsanitize=bounds --grid=1 --block=64 --device=cpu | FileCheck %s --check-prefix=WITHIN
// RUN: %exits 2 %gpucc %s -fsanitize=leak 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: -fsanitize does not take 'leak'; it takes: bounds alignment address race uninitialized undefined float
#include <gpucc.h>

kernel
void past_end(float *out)
{
    shared float tile[2][30];
    tile[threadIdx.y][threadIdx.x] = 1;
    syncthreads();
    out[threadIdx.x] = tile[0][threadIdx.x / 2];
}
// PAST-END: past_end, block ({{[01]}}, 0, 0), thread (30, 0, 0): {{.*}}bounds.c:[[@LINE-4]]: index 30 is out of bounds for 'tile', 'float[30]'

/* Behind a barrier, and with a sign. */
kernel
void before(float *out)
{
    shared float tile[64];
    int t = threadIdx.x;
    tile[t] = 1;
    syncthreads();
    out[t] = tile[t - 5];
}
// BEFORE: before, block (0, 0, 0), thread (0, 0, 0): {{.*}}bounds.c:[[@LINE-2]]: index -5 is out of bounds for 'tile', 'float[64]'

kernel
void parameter(unsigned m, unsigned n, float a[m][n])
{
    a[0][threadIdx.x] = 1;
}
// PARAMETER: parameter, block (0, 0, 0), thread (5, 0, 0): {{.*}}bounds.c:[[@LINE-2]]: index 5 is out of bounds for 'a', 'float[n]'

kernel
void member(float *out)
{
    struct {
        float x[3];
    } s = {{1, 2, 3}};
    out[threadIdx.x] = s.x[threadIdx.x % 4];
}
// MEMBER: member, block (0, 0, 0), thread (3, 0, 0): {{.*}}bounds.c:[[@LINE-2]]: index 3 is out of bounds for 's.x', 'float[3]'

/* The same in a kernel whose threads have stacks. */
kernel
void lanes(float *out)
{
    shared float tile[31];
    tile[threadIdx.x] = any_sync(0xffffffff, 1);
    out[threadIdx.x] = tile[0];
}
// LANES: lanes, block (0, 0, 0), thread (31, 0, 0): {{.*}}bounds.c:[[@LINE-3]]: index 31 is out of bounds for 'tile', 'float[31]'

kernel
void within(float *out)
{
    shared float tile[64];
    float own[4] = {1, 2, 3, 4};
    tile[threadIdx.x] = own[threadIdx.x % 4];
    syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
// WITHIN: mean 2.5

/* Through a pointer the outermost extent is not in the type, but LLVM sees which array it is. */
static float of_row(float (*row)[8], int i)
{
    return row[i][2];
}

kernel
void rows(int n, float *out)
{
    shared float tile[3][8];
    for (int i = 0; i < 3; i++)
        tile[i][threadIdx.x] = 1;
    syncthreads();
    out[threadIdx.x] = of_row(tile, n);
}
// ROWS: rows, block (0, 0, 0), thread (0, 0, 0): {{.*}}bounds.c:[[@LINE-12]]: access beyond the array that the pointer points into
// ROWS-WITHIN: mean    0.125

/* The array is aligned to 16 bytes, but no longer for that. */
kernel
void flat(int n, float *out)
{
    float own[6] = {1, 2, 3, 4, 5, 6};
    float *at = own;
    at += n;
    *at = 7;
    out[threadIdx.x] = own[threadIdx.x % 6];
}
// FLAT: flat, block (0, 0, 0), thread (0, 0, 0): {{.*}}bounds.c:[[@LINE-3]]: access beyond the array

kernel
void own_trap(float *out)
{
    float own[4] = {1, 2, 3, 4};
    if (own[threadIdx.x % 4] == 1)
        __builtin_trap();
    out[0] = own[0];
}
// TRAP: 'own_trap' reached a trap
