// Inline assembly is PTX, with all of PTX's constraints; on the CPU it is an error that names the function.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s -std=gnu17 --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s --no-short-names -Dkernel=gpucc_kernel -Dvectorize=gpucc_vectorize --emit=ptx -o - | FileCheck %s
// RUN: %exits 1 %gpucc %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NATIVE
// RUN: %exits 1 %gpucc run %s add_lanes 1 1 --device=cpu 2>&1 | FileCheck %s --check-prefix=NATIVE
// RUN: %gpucc %s -DGUARDED -o %t.o -o %t.ptx && FileCheck %s < %t.ptx
// RUN: %gpucc run %s -DGUARDED add_lanes 1 41 --device=cpu | FileCheck %s --check-prefix=VALUE
// VALUE: 42
#include <gpucc.h>

#define hide(x) asm("" : "+r"(x))

#if defined(GUARDED) && !defined(__NVPTX__)
static int lane(void) { return 0; }
kernel
void constraints(int64_t n, int16_t *h, int32_t *r, int64_t *l, float *f, double *d) {}
#else

static int lane(void)
{
    int i;
    asm("mov.u32 %0, %%laneid;" : "=r"(i));
    return i;
}
// NATIVE-DAG: assembly.c:[[#@LINE-3]]:5: error: 'lane' uses inline assembly, which is for the GPU only: no native code can be made of it
// NATIVE-DAG: assembly.c:[[#@LINE-4]]:5: note: put it under '#ifdef __NVPTX__', and C that does the same for the CPU under '#else'

// CHECK-LABEL: .visible .entry constraints(
// CHECK: add.s16 %rs{{[0-9]+}}, %rs{{[0-9]+}}, 1;
// CHECK: add.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, 3;
// CHECK: add.s64 %rd{{[0-9]+}}, %rd{{[0-9]+}}, %rd{{[0-9]+}};
// CHECK: add.f32 %f{{[0-9]+}}, %f{{[0-9]+}}, 0f3F800000;
// CHECK: {{{ *}}.reg .pred p; setp.gt.f64 p, %fd{{[0-9]+}}, %fd{{[0-9]+}}; @p bra out; add.f64 %fd{{[0-9]+}}, %fd{{[0-9]+}}, 0d3FF0000000000000; out: }
kernel
void constraints(int64_t n, int16_t *h, int32_t *r, int64_t *l, float *f, double *d)
{
    asm volatile("add.s16 %0, %1, 1;" : "=h"(h[0]) : "h"(h[1]));
    asm volatile("add.s32 %0, %1, %2;" : "=r"(r[0]) : "r"(r[1]), "n"(3));
    asm volatile("add.s64 %0, %1, %2;" : "=l"(l[0]) : "l"(l[1]), "l"(n));
    asm volatile("add.f32 %0, %1, 0f3F800000;" : "=f"(f[0]) : "f"(f[1]) : "memory");
    asm volatile("{ .reg .pred p; setp.gt.f64 p, %0, %1; @p bra out; add.f64 %0, %1, 0d3FF0000000000000; out: }"
                 : "+d"(d[0]) : "d"(d[1]));
}
// NATIVE-DAG: error: 'constraints' uses inline assembly
#endif

// CHECK-LABEL: .visible .entry add_lanes_i32i32_i32(
// CHECK: mov.u32 %r{{[0-9]+}}, %laneid;
vectorize()
int32_t add_lanes(int32_t x, int32_t y)
{
    asm("" : "+r"(x)); /* hides a value, on every target */
    hide(y);
    return x + y + lane();
}
// NATIVE: 2 errors generated.
