// -fsanitize=alignment: native code tells of addresses that are not aligned, which no GPU takes.
// RUN: %exits 1 %gpucc run %s add zeros:64:int32 1 -fsanitize=alignment --grid=1 --block=4 --device=cpu 2>&1 | FileCheck %s --check-prefix=ADD
// RUN: %exits 1 %gpucc run %s swap zeros:64:int32 1 -fsanitize=alignment --grid=1 --block=4 --device=cpu 2>&1 | FileCheck %s --check-prefix=SWAP
// RUN: %exits 1 %gpucc run %s store zeros:64:int32 2 -fsanitize=alignment --grid=1 --block=4 --device=cpu 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: %exits 1 %gpucc run %s assumed zeros:64:float32 8 -fsanitize=alignment --grid=1 --block=4 --device=cpu 2>&1 | FileCheck %s --check-prefix=ASSUMED
// RUN: %gpucc run %s add zeros:64:int32 4 -fsanitize=alignment -fsanitize=bounds --grid=1 --block=4 --device=cpu | FileCheck %s --check-prefix=ALIGNED
// RUN: %gpucc run %s swap zeros:64:int32 8 -fsanitize=alignment --grid=1 --block=4 --device=cpu | FileCheck %s --check-prefix=ALIGNED
// RUN: %gpucc run %s store zeros:64:int32 8 -fsanitize=alignment --grid=1 --block=4 --device=cpu | FileCheck %s --check-prefix=ALIGNED
#include <gpucc.h>

kernel
void add(int32 *out, unsigned bytes)
{
    syncthreads();
    if (threadIdx.x == 2)
        atomic_add((int32 *)((char *)out + bytes), 1);
}
// ADD: add, block (0, 0, 0), thread (2, 0, 0): {{.*}}alignment.c:[[@LINE-2]]: misaligned atomic operation on 4 bytes at 0x{{.*}}
// ALIGNED: maximum

kernel
void swap(int32 *out, unsigned bytes)
{
    uint64 *at = (uint64 *)(void *)((char *)out + bytes);
    atomic_cas(at, (uint64)0, (uint64)1);
}
// SWAP: swap, block (0, 0, 0), thread (0, 0, 0): {{.*}}alignment.c:[[@LINE-2]]: misaligned atomic operation on 8 bytes

kernel
void store(int32 *out, unsigned bytes)
{
    *(double *)(void *)((char *)out + bytes) = threadIdx.x;
}
// STORE: store, block (0, 0, 0), thread (0, 0, 0): {{.*}}alignment.c:[[@LINE-2]]: access to 'double' at 0x{{.*}}, which is not aligned to 8 bytes

kernel
void assumed(float32 *out, unsigned bytes)
{
    float32 *at = __builtin_assume_aligned((char *)out + bytes, 16);
    *at = 1;
}
// ASSUMED: assumed, block (0, 0, 0), thread (0, 0, 0): {{.*}}alignment.c:[[@LINE-3]]: access to 'char *' at 0x{{.*}}8, which is not aligned to 16 bytes
