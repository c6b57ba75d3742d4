// C11's atomic types and operations, with their memory orders.
// RUN: %gpucc %s --emit=ptx -o - | grep -v 'inline asm' | FileCheck %s
// RUN: %gpucc run %s orders zeros:1:int32 zeros:8:int32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=ORDERS
// RUN: %gpucc run %s narrow zeros:4:int8 zeros:8:int32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=NARROW
// RUN: %gpucc run %s numbers zeros:1:float32 zeros:1:float16 zeros:4:float32 --grid=5 --block=20 --device=cpu | FileCheck %s --check-prefix=NUMBERS
// RUN: %gpucc run %s total ones:1000:float32 zeros:10:float32 zeros:2:float32 zeros:1:uint32 --grid=10 --block=100 --device=cpu | FileCheck %s --check-prefix=TOTAL
// RUN: %gpucc run %s locked zeros:2:int32 zeros:1:int8 --grid=20 --block=1 --device=cpu | FileCheck %s --check-prefix=LOCKED
// RUN: %cc -std=c17 -Wall -Wextra -Werror -I%include -c %s -o /dev/null
#include <gpucc.h>
#include <stdatomic.h>

kernel
void orders(atomic_int *p, int32 *out)
{
    atomic_store_explicit(p, 3, memory_order_relaxed);
    atomic_store_explicit(p, 4, memory_order_release);
    out[0] = atomic_load_explicit(p, memory_order_relaxed);
    out[1] = atomic_load_explicit(p, memory_order_acquire);
    out[2] = atomic_fetch_add_explicit(p, 10, memory_order_acq_rel);
    out[3] = atomic_exchange_explicit(p, 100, memory_order_release);
    int32 expected = 100, other = 7;
    out[4] = atomic_compare_exchange_strong_explicit(p, &expected, 200, memory_order_acquire, memory_order_relaxed);
    out[4] += 10 * atomic_compare_exchange_strong(p, &other, 300) + other;
    atomic_store(p, atomic_load(p) + 1);
    (*p)++;
    *p |= 0x1000;
    atomic_thread_fence(memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_seq_cst);
    out[5] = *p;
}
// CHECK-LABEL: .visible .entry orders(
// CHECK: st.volatile.global.u32
// CHECK: st.release.gpu.b32
// CHECK: ld.volatile.global.u32
// CHECK: ld.acquire.gpu.b32
// CHECK: fence.acq_rel.gpu;
// CHECK-NEXT: atom.global.add.u32
// CHECK-NEXT: fence.acq_rel.gpu;
// CHECK: fence.acq_rel.gpu;
// CHECK-NEXT: atom.global.exch.b32
// CHECK-NOT: fence
// CHECK: atom.global.cas.b32
// CHECK: fence.acq_rel.gpu;
// CHECK: fence.sc.gpu;
// CHECK: atom.global.cas.b32
// CHECK: fence.acq_rel.gpu;
// CHECK: fence.sc.gpu;
// CHECK: ld.acquire.gpu.b32
// CHECK: fence.sc.gpu;
// CHECK-NEXT: st.release.gpu.b32
// CHECK: fence.sc.gpu;
// CHECK: atom.global.add.u32
// CHECK: atom.global.or.b32
// CHECK: fence.acq_rel.gpu;
// CHECK-NEXT: fence.acq_rel.gpu;
// CHECK: fence.sc.gpu;
// ORDERS: first   4 4 4 14 201 4298 0 0{{$}}

kernel
void narrow(atomic_schar *p, int32 *out)
{
    atomic_fetch_add(&p[1], -100);
    out[0] = atomic_fetch_add(&p[1], -100);
    out[1] = atomic_fetch_xor(&p[1], 1);
    atomic_store(&p[2], 5);
    out[2] = atomic_exchange(&p[2], 6) + 10 * atomic_load(&p[2]);
    atomic_bool *flag = (atomic_bool *)&p[3];
    out[3] = atomic_exchange(flag, 1) + 2 * atomic_load(flag);
    out[4] = atomic_load(&p[0]);
}
// CHECK-LABEL: .visible .entry narrow(
// CHECK: atom.global.cas.b32
// CHECK: st.release.gpu.b8
// CHECK: ld.acquire.gpu.b8
// NARROW: first   -100 56 65 2 0

#if defined(__GPUCC__)
/* Not C, but natural: floating types too. */
kernel
void numbers(_Atomic(float) *x, _Atomic(float16) *y, _Atomic(float) *seen)
{
    atomic_fetch_add_explicit(x, 0.5f, memory_order_relaxed);
    atomic_fetch_add_explicit(y, (float16)2, memory_order_relaxed);
    if (atomic_load(x) == 50)
        atomic_store(&seen[0], (float)atomic_load(y));
}
// CHECK-LABEL: .visible .entry numbers(
// CHECK: atom.global.add.f32
// CHECK: atom.global.add.noftz.f16
// CHECK: st.release.gpu.b32
// NUMBERS: x: shape (1,), dtype float32
// NUMBERS: first   50{{$}}
// NUMBERS: first   200{{$}}
#endif

/* The last block to be done adds up what all have left. */
kernel
void total(const float *x, float *parts, float *sum, atomic_uint *done)
{
    shared unsigned earlier;
    float part = x[grid(1)];
    for (int by = 16; by > 0; by /= 2)
        part += shfl_down_sync(0xffffffffu, part, by);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = part;
        earlier = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel);
    }
    syncthreads();
    if (threadIdx.x == 0 && earlier == gridDim.x - 1)
        for (unsigned i = 0; i < gridDim.x; i++)
            sum[0] += parts[i];
}
// CHECK-LABEL: .visible .entry total(
// CHECK: fence.acq_rel.gpu;
// CHECK-NEXT: atom.global.add.u32
// CHECK-NEXT: fence.acq_rel.gpu;
// TOTAL: sum: shape (2,), dtype float32
// TOTAL: first   320 0{{$}}

/* Two numbers that are changed together, by one thread of each block. */
kernel
void locked(int32 *pair, atomic_flag *lock)
{
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
        nanosleep(50);
    pair[1] += pair[0];
    pair[0]++;
    atomic_flag_clear_explicit(lock, memory_order_release);
}
// CHECK-LABEL: .visible .entry locked(
// CHECK: fence.acq_rel.gpu;
// CHECK: st.release.gpu.b8
// LOCKED: pair: shape (2,), dtype int32
// LOCKED: first   20 190{{$}}
