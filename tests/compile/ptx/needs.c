// Comments say which loops need what: each can be compiled with what has its name, without the others.  What uses a
// variable that may change stays with the program, so that it is the same variable for all; so do kernels.
// RUN: %gpucc %s -o %t.ptx && FileCheck %s --input-file %t.ptx
// RUN: python3 %S/Inputs/cut.py %t.ptx %t.parts > %t.names && FileCheck %s --check-prefix=PARTS --input-file %t.names
// RUN: %if ptxas %{ python3 %S/Inputs/cut.py %t.ptx %t.parts %ptxas -arch=sm_75 -o /dev/null %}
// Text with debug information is not divided, as what that says is of all code together; that of kernels alone is not.
// RUN: %gpucc %s -g -o %t.g.ptx && FileCheck %s --check-prefix=WHOLE --input-file %t.g.ptx
// RUN: %gpucc %s -lineinfo -o %t.lines.ptx && FileCheck %s --check-prefix=WHOLE --input-file %t.lines.ptx
// RUN: %gpucc -DKERNELS %s -o %t.kernels.ptx && FileCheck %s --check-prefix=WHOLE --input-file %t.kernels.ptx
// Linked PTX has comments of its own, which are not taken along; its variables may change, its functions are divided.
// RUN: %gpucc %s -DLINKED %t.kernels.ptx %S/Inputs/needs.ptx -o %t.linked.ptx
// RUN: python3 %S/Inputs/cut.py %t.linked.ptx %t.linked > %t.names
// RUN: FileCheck %s --check-prefix=LINKED --input-file %t.names
// RUN: %if ptxas %{ python3 %S/Inputs/cut.py %t.linked.ptx %t.linked %ptxas -arch=sm_75 -o /dev/null %}
// WHOLE-NOT: gpucc-for
#include <gpucc.h>
#include <math.h>

#ifdef KERNELS
kernel void fill(size_t n, float out[n])
{
    if (grid(1) < n)
        out[grid(1)] = 1;
}
#elif defined LINKED
extern float tripled(float x);
extern float counted(float x);
vectorize(float32(float32))
float thrice(float x) { return tripled(x); }
vectorize(float32(float32))
float number(float x) { return counted(x); }
#else
static unsigned calls;
constant float scale[2];
static const float weights[] = {1, 4, 9, 16};

vectorize(float32(float32))
float cosine(float x) { return cosf(x); }

vectorize(float32(float32))
float weighted(float x) { return x * weights[(unsigned)x % 4]; }

vectorize(float32(float32))
float scaled(float x) { return x * scale[x > 1]; }

vectorize(float32(float32, float32)) reorderable identity(0)
float sum(float x, float y) { return x + y; }

vectorize(int32(int32))
int32 told(int32 x)
{
    atomic_add(&calls, 1);
    return x + 1;
}

guvectorize((n)->())
void longest(size_t n, const float x[n], float *out)
{
    float most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmaxf(most, fabsf(x[i]));
    *out = most;
}

kernel void reset(unsigned *seen)
{
    *seen = calls;
    calls = 0;
}
#endif
// CHECK: // gpucc-abi: [[STAMP:[0-9a-f]+]]
// CHECK: .address_size 64
// CHECK: // gpucc-for [[STAMP]]: *{{$}}
// CHECK: // gpucc-for [[STAMP]]: cosine_f32_f32{{$}}
// CHECK-NEXT: .visible .entry cosine_f32_f32(

// PARTS: program:
// PARTS-DAG: reset
// PARTS-DAG: scaled_f32_f32
// PARTS-DAG: scaled_f32_f32_converted
// PARTS-DAG: told_i32_i32_rows
// PARTS-DAG: {{^}}cosine_f32_f32: cosine_f32_f32{{$}}
// PARTS-DAG: {{^}}cosine_f32_f32_converted: cosine_f32_f32_converted{{$}}
// PARTS-DAG: {{^}}weighted_f32_f32_rows: weighted_f32_f32_rows{{$}}
// PARTS-DAG: {{^}}sum_f32f32_f32_along: sum_f32f32_f32_along{{$}}
// PARTS-DAG: {{^}}longest_f32_f32_outer: longest_f32_f32_outer{{$}}
// PARTS-DAG: {{^}}longest_f32_f32_staged: longest_f32_f32_staged{{$}}

// LINKED: program: {{.*}}number_f32_f32 {{.*}}number_f32_f32_converted
// LINKED-DAG: {{^}}thrice_f32_f32: thrice_f32_f32{{$}}
// LINKED-DAG: {{^}}thrice_f32_f32_converted: thrice_f32_f32_converted{{$}}
// LINKED-NOT: {{^}}number
