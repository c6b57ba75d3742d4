// Cache hints, 16-byte vectors, clocks.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s hints arange:8:float32 zeros:8:float32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=HINTS
// RUN: %gpucc run %s vectors arange:8:float32 zeros:8:float32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=VECTORS
// RUN: %gpucc run %s clocks zeros:3:int32 --grid=1 --block=2 --device=cpu | FileCheck %s --check-prefix=CLOCKS
// RUN: %exits 1 %gpucc run %s stop 1 --grid=2 --block=2 --device=cpu 2>&1 | FileCheck %s --check-prefix=STOP
// RUN: %exits 1 %gpucc run %s stop 2 --grid=1 --block=2 --device=cpu 2>&1 | FileCheck %s --check-prefix=BREAK
// RUN: %cc -std=c17 -Wall -Wextra -Werror -I%include -c %s -o /dev/null
#include <gpucc.h>
#include <gpucc/vector.h>

kernel
void hints(const float *a, float *b)
{
    st_wb(&b[0], ld_ca(&a[7]));
    st_cg(&b[1], ld_cg(&a[6]));
    st_cs(&b[2], ld_cs(&a[5]));
    st_wt(&b[3], ld_lu(&a[4]));
    b[4] = ld_cv(&a[3]) + ld_nc(&a[2]);
    st_cs((float2 *)&b[6], ld_cs((const float2 *)a));
}
// CHECK: .visible .entry hints(
// CHECK: ld.global.ca.u32
// CHECK: st.global.wb.u32
// CHECK: ld.global.cg.u32
// CHECK: st.global.cg.u32
// CHECK: ld.global.cs.u32
// CHECK: st.global.cs.u32
// CHECK: ld.global.lu.u32
// CHECK: st.global.wt.u32
// CHECK: ld.global.cv.u32
// CHECK: ld.global.nc.u32
// CHECK: ld.global.cs.u64
// CHECK: st.global.cs.u64
// HINTS: first   7 6 5 4 5 0 0 1{{$}}

kernel
void vectors(const float4 *a, float4 *b)
{
    float4 v = a[1];
    v.x += 1;
    b[0] = v;
    b[1] = make_float4(v.w, v.z, a[0].y, a[0].x);
}
// CHECK: .visible .entry vectors(
// CHECK: ld.global.v4.{{[fu]}}32
// CHECK: st.global.v4.{{[fu]}}32
// VECTORS: first   5 5 6 7 7 6 1 0{{$}}

kernel
void narrow(const uint8 *a, uint8 *b, const uint16 *c, uint16 *d, const double2 *e, double2 *f)
{
    st_cg(b, ld_cg(a));
    st_cg(d, ld_cg(c));
    st_cg(f, ld_cg(e));
}
// CHECK: .visible .entry narrow(
// CHECK: ld.global.cg.u8
// CHECK: st.global.cg.u8
// CHECK: ld.global.cg.u16
// CHECK: st.global.cg.u16
// CHECK: ld.global.cg.v2.u64
// CHECK: st.global.cg.v2.u64

/* The second thread waits for the first, which runs when that sleeps. */
kernel
void clocks(int32 *out)
{
    volatile int32 *flag = out;
    int64 cycles = clock64();
    uint64 time = globaltimer();
    if (threadIdx.x == 0) {
        while (flag[0] == 0)
            nanosleep(100);
        out[1] = clock64() >= cycles;
        out[2] = globaltimer() >= time;
    } else {
        flag[0] = 1;
    }
}
// CHECK: .visible .entry clocks(
// CHECK: %clock64
// CHECK: %globaltimer
// CHECK: nanosleep.u32
// CLOCKS: first   1 1 1{{$}}

kernel
void stop(int32 when)
{
    if (when == 2)
        breakpoint();
    if (when == 1)
        trap();
}
// CHECK: .visible .entry stop(
// CHECK-DAG: brkpt;
// CHECK-DAG: trap;
// STOP: stop, block ({{[01]}}, 0, 0), thread (0, 0, 0): {{.*}}memory.c:[[#]]: trap
// BREAK: error: 'stop' reached a breakpoint() without a debugger
