// printf and assert.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s speak 1.5 --grid=2 --block=1 --device=cpu | sort | FileCheck %s --check-prefix=SPEAK
// RUN: %gpucc run %s insist 7 --grid=1 --block=8 --device=cpu
// RUN: %exits 1 %gpucc run %s insist 6 --grid=1 --block=8 --device=cpu 2>&1 | FileCheck %s --check-prefix=INSIST
// RUN: %gpucc run -DNDEBUG %s insist 6 --grid=1 --block=8 --device=cpu
// RUN: %gpucc %s --emit=ll -w -o - | FileCheck %s --check-prefix=FORMAT
// RUN: %gpucc run %s -w sizes 10 -11 12 1.5 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=SIZES
// RUN: %gpucc %s --emit=ptx -o /dev/null 2>&1 | FileCheck %s --check-prefix=MANY
#include <assert.h>
#include <gpucc.h>
#include <inttypes.h>
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

/* CUDA's printf() has no length modifiers but h, l and ll, and prints the directives of the first 32 values. */
kernel
void sizes(size_t n, ptrdiff_t d, intmax_t j, double x)
{
    printf("%% %zu %-8zx|%td %+jd %ju %Lg %hhd\n", n, n, d, j, (uintmax_t)j, (long double)x, (signed char)n);
}
// FORMAT: c"%% %llu %-8llx|%lld %+lld %llu %g %hhd\0A\00"
// SIZES: {{^}}% 10 a       |-11 +12 12 1.5 10{{$}}

kernel
void many(int i)
{
    // MANY: printing.c:[[#@LINE+1]]:5: warning: printf() prints at most 32 values on a GPU, and this call has 33 [-Wformat]
    printf("%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d\n", i, i, i, i, i, i, i, i, i, i, i, i, i, i,
           i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i);
    // MANY-NOT: warning:
    printf("%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d\n", i, i, i, i, i, i, i, i, i, i, i, i, i, i, i,
           i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i);
}
