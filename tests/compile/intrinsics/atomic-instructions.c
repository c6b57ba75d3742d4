// The instruction that each atomic operation becomes.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s complexes zeros:2:complex64 zeros:2:complex128 --grid=100 --block=64 --device=cpu | FileCheck %s --check-prefix=COMPLEX
// RUN: %gpucc run %s contend zeros:3:float32 zeros:3:int32 --grid=1000 --block=64 --device=cpu | FileCheck %s --check-prefix=CONTEND
// RUN: %gpucc run %s not_numbers zeros:8:float32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=NAN
// RUN: %cc -std=c17 -Wall -Wextra -Werror -I%include -c %s -o /dev/null
#include <gpucc.h>

kernel
void words(int32 *i, uint32 *u)
{
    i[0] = atomic_add(i, 3);
    i[1] = atomic_min(i, 3);
    i[2] = atomic_max(i, 3);
    u[1] = atomic_min(u, 3);
    u[2] = atomic_max(u, 3);
    u[3] = atomic_and(u, 3);
    u[4] = atomic_or(u, 3);
    u[5] = atomic_xor(u, 3);
    u[6] = atomic_exch(u, 3);
    u[7] = atomic_cas(u, 3, 4);
    u[8] = atomic_inc(u, 3);
    u[9] = atomic_dec(u, 3);
    u[10] = atomic_add_block(u, 3);
    u[11] = atomic_max_system(u, 3);
    u[12] = atomic_cas_system(u, 3, 4);
}
// CHECK: .visible .entry words(
// CHECK: atom.global.add.u32
// CHECK: atom.global.min.s32
// CHECK: atom.global.max.s32
// CHECK: atom.global.min.u32
// CHECK: atom.global.max.u32
// CHECK: atom.global.and.b32
// CHECK: atom.global.or.b32
// CHECK: atom.global.xor.b32
// CHECK: atom.global.exch.b32
// CHECK: atom.global.cas.b32
// CHECK: atom{{(.global)?}}.inc.u32
// CHECK: atom{{(.global)?}}.dec.u32
// CHECK: atom{{(.global)?}}.cta.add.{{[us]}}32
// CHECK: atom{{(.global)?}}.sys.max.u32
// CHECK: atom{{(.global)?}}.sys.cas.b32

kernel
void in_shared_memory(uint64 *u, float *f)
{
    shared uint64 a;
    shared float b;
    a = 0;
    b = 0;
    syncthreads();
    *u = atomic_add(&a, 1);
    f[0] = atomic_add(&b, 1.0f);
    f[1] = atomic_min(&b, 1.0f);
}
// CHECK: .visible .entry in_shared_memory(
// CHECK: atom.shared.add.u64
// CHECK: atom.shared.add.f32
// CHECK: atom.shared.cas.b32

kernel
void narrow(int8 *c, uint16 *s, float64 *d, float16 *h)
{
    c[1] = atomic_add(c, 1);
    s[1] = atomic_max(s, 1);
    d[1] = atomic_add(d, 1.0);
    h[1] = atomic_add(h, (float16)1);
}
// CHECK: .visible .entry narrow(
// CHECK: atom.global.cas.b32
// CHECK: atom.global.cas.b32
// CHECK: atom.global.add.f64
// CHECK: atom.global.add.noftz.f16

kernel
void complexes(complex64 *a, complex128 *b)
{
    complex64 z = 1.0f + 2.0f * (__extension__ 1.0if);
    atomic_add(&a[0], z);
    atomic_sub_block(&a[1], z);
    atomic_add_system(&b[0], z);
    atomic_sub(&b[1], 3.0f);
}
// COMPLEX: first   6400+12800j -6400-12800j{{$}}
// COMPLEX: first   6400+12800j -19200+0j{{$}}

kernel
void contend(float *f, int32 *i)
{
    atomic_add(&f[0], 1.0f);
    atomic_max(&f[1], (float)grid(1));
    atomic_add(&f[2], atomic_add(&i[0], 1) < 32000 ? 1.0f : 0.0f);
    atomic_max(&i[1], (int32)grid(1));
    if (atomic_inc((uint32 *)&i[2], 999) == 999)
        atomic_add(&f[2], 1.0f);
}
// CONTEND: first   64000 63999 32064{{$}}
// CONTEND: first   64000 63999 0{{$}}

kernel
void not_numbers(float *a)
{
    float nan = __builtin_nanf("");
    for (int k = 0; k < 8; k++)
        a[k] = k % 2 ? nan : 1.0f;
    atomic_min(&a[0], nan);
    atomic_max(&a[1], 2.0f);
    atomic_nanmin(&a[2], nan);
    atomic_nanmin(&a[3], 2.0f);
    atomic_nanmax(&a[4], nan);
    atomic_nanmax(&a[5], 2.0f);
    atomic_min(&a[6], -0.5f);
    a[7] = atomic_cas(&a[7], nan, 3.0f) != 0 ? a[7] : 0;
}
// NAN: first   nan nan 1 2 1 2 -0.5 3{{$}}
