// Misused warp operations end the launch with a message, and never hang.
// RUN: %exits 1 %gpucc run %s left_out zeros:1:int32 --grid=1 --block=32 --device=cpu 2>&1 | FileCheck %s --check-prefix=LEFT-OUT
// RUN: %exits 1 %gpucc run %s absent zeros:1:int32 --grid=2 --block=64 --device=cpu 2>&1 | FileCheck %s --check-prefix=ABSENT
#include <gpucc.h>

kernel
void left_out(int32 *out) { out[0] = any_sync(0xfffffffe, 1); }
// LEFT-OUT: left_out, block (0, 0, 0), thread (0, 0, 0): the mask 0xfffffffe of a vote leaves out the calling lane, 0

kernel
void absent(int32 *out)
{
    if (threadIdx.x % 32 < 4)
        syncthreads();
    else
        out[0] = shfl_sync(0xffffffff, 1, 0);
}
// ABSENT: absent, block ({{[01]}}, 0, 0), thread (4, 0, 0): it waits in a shuffle with mask 0xffffffff, but lanes 0x0000000f do not arrive: lane 0 is in a barrier of the block
