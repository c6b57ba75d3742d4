// Products by a warp that is not whole, and matrices that do not lie as they must, as the CPU tells it.
// RUN: %exits 1 %gpucc run %s partial zeros:128:float32 --grid=1 --block=40 --device=cpu 2>&1 | FileCheck %s --check-prefix=PARTIAL
// RUN: %exits 1 %gpucc run %s apart zeros:128:float32 --grid=1 --block=32 --device=cpu 2>&1 | FileCheck %s --check-prefix=APART
// RUN: %exits 1 %gpucc run %s different zeros:128:float32 --grid=1 --block=32 --device=cpu 2>&1 | FileCheck %s --check-prefix=DIFFERENT
// RUN: %exits 1 %gpucc run %s askew zeros:128:float32 --grid=1 --block=32 --device=cpu 2>&1 | FileCheck %s --check-prefix=ASKEW
// RUN: %exits 1 %gpucc run %s odd zeros:128:float32 --grid=1 --block=32 --device=cpu 2>&1 | FileCheck %s --check-prefix=ODD
#include <gpucc.h>
#include <gpucc/matrix.h>

static void multiply(float *out)
{
    mma_a_f16 a = {{0}};
    mma_b_f16 b = {{0}};
    mma_c_f32 c = {{0}};
    c = mma(a, b, c);
    mma_store(out, 8, c);
}

kernel
void partial(float *out)
{
    multiply(out);
}
// PARTIAL: partial, block (0, 0, 0), thread ({{3[2-9]}}, 0, 0): {{.*}}matrix-errors.c:[[#]]: mma takes all 32 lanes of a warp

kernel
void apart(float *out)
{
    if (laneid < 16)
        multiply(out);
    syncwarp();
}
// APART: apart, block (0, 0, 0), thread ({{[0-9]*}}, 0, 0): it waits in an operation of the warp with mask 0xffffffff, but lanes 0xffff0000 do not arrive: lane 16 is in syncwarp

kernel
void different(float *out)
{
    mma_a_f64 a = {{0}};
    mma_b_f64 b = {{0}};
    mma_c_f64 c = {{0}};
    if (laneid % 2)
        multiply(out);
    else
        c = mma(a, b, c);
    out[0] = (float)c.x[0];
}
// DIFFERENT: different, block (0, 0, 0), thread (1, 0, 0): the lanes of its warp call different warp operations

kernel
void askew(float *out)
{
    mma_a_tf32 a;
    mma_load_a_shared(&a, out + 1, 8);
    out[0] = a.x[0];
}
// ASKEW: askew, block (0, 0, 0), thread (0, 0, 0): {{.*}}: a matrix's address or stride is no multiple of 16 bytes

kernel
void odd(float *out)
{
    mma_c_f32 c = {{0}};
    mma_store(out, 9, c);
}
// ODD: odd, block (0, 0, 0), thread (0, 0, 0): {{.*}}: a matrix's address or stride is no multiple of two elements
