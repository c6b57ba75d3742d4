// Lines, warnings and errors name the file in which the code stands.
// RUN: %gpucc -lineinfo %s %S/Inputs/places.c -o %t.ptx && FileCheck %s < %t.ptx
// RUN: %gpucc -Wperformance %s %S/Inputs/places.c -o %t.ptx 2>&1 | FileCheck %s --check-prefix=SLOW
// RUN: %exits 1 %gpucc -DWRONG %s %S/Inputs/places.c -o %t.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %gpucc -M %s %S/Inputs/places.c | FileCheck %s --check-prefix=RULE
#include <gpucc.h>

// RULE: plain/places.c
// RULE: Inputs/places.c
float step(const float *x, size_t i);

// CHECK-DAG: .file {{[0-9]+}} "{{.*}}plain/places.c"
// CHECK-DAG: .file {{[0-9]+}} "{{.*}}Inputs/places.c"
// SLOW: Inputs/places.c:7:{{[0-9]+}}: warning: {{.*}} [-Wperformance]
// WRONG: Inputs/places.c:11:{{[0-9]+}}: error: use of undeclared identifier 'nothing'
kernel void walk(const float *x, float *y)
{
    y[grid(1)] = step(x, grid(1));
}
