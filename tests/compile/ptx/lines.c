// -lineinfo gives the source's lines, the body's own among them, and so does -g.
// RUN: %gpucc %s -lineinfo --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s -g --emit=ptx -o - | FileCheck %s --check-prefixes=CHECK,DEBUG
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s --check-prefix=NONE
#include <gpucc.h>

vectorize()
float32 twice(float32 x)
{
    return x + x;
}
// CHECK: .loc [[FILE:[0-9]+]] 10 {{[0-9]+}}
// CHECK: .file [[FILE]] "{{.*}}lines.c"
// DEBUG: .section .debug_info
// NONE-NOT: .loc {{[0-9]}}
// NONE-NOT: .file
