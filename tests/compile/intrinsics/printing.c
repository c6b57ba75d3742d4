// printf and assert.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s speak 1.5 --grid=2 --block=1 --device=cpu | sort | FileCheck %s --check-prefix=SPEAK
// RUN: %gpucc run %s insist 7 --grid=1 --block=8 --device=cpu
// RUN: %exits 1 %gpucc run %s insist 6 --grid=1 --block=8 --device=cpu 2>&1 | FileCheck %s --check-prefix=INSIST
// RUN: %gpucc run -DNDEBUG %s insist 6 --grid=1 --block=8 --device=cpu
#include <assert.h>
#include <gpucc.h>
#include <stdio.h>

kernel
void speak(float x)
{
    int written = printf("block %u: %d%% of %.2f, %s %lld %c\n", blockIdx.x, 50, (double)x, "and", -1LL, 'z');
    if (written < 0)
        trap();
}
// CHECK: .extern .func {{.*}}vprintf
// CHECK: .visible .entry speak(
// CHECK: vprintf,
// SPEAK: block 0: 50% of 1.50, and -1 z
// SPEAK: block 1: 50% of 1.50, and -1 z

kernel
void insist(int32 most)
{
    assert(threadIdx.x <= (unsigned)most);
}
// CHECK: .visible .entry insist(
// CHECK: __assertfail,
// INSIST: insist, block (0, 0, 0), thread (7, 0, 0): {{.*}}printing.c:[[#]]: assertion 'threadIdx.x <= (unsigned)most' failed
