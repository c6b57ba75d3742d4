// A typedef of an array that is const has elements that are: an input of a gufunc.
// RUN: %gpucc %s -o %t.ptx && FileCheck %s < %t.ptx
// RUN: %exits 1 %gpucc -DWRONG %s -o %t.2.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
#include <gpucc.h>
typedef double vec3[3];
typedef vec3 mat3[3];
typedef const vec3 input;

// CHECK: .visible .entry turn_f64f64f64_f64_outer(
guvectorize((3),(3,3),(3)->(3))
void turn(const vec3 a, const mat3 m, input b, vec3 c)
{
    for (int i = 0; i < 3; i++)
        c[i] = a[0] * m[0][i] + b[i];
}
#ifdef WRONG
// WRONG: const_typedef.c:[[#@LINE+2]]:{{[0-9]+}}: error: input 'a' must point to const
guvectorize((3)->(3))
void copy(vec3 a, vec3 b) { b[0] = a[0]; }
#endif
