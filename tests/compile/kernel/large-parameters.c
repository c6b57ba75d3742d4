// Parameters beyond 4 KiB need PTX ISA 8.1, and with it a newer driver; the manifest says so.
// RUN: %gpucc %s -DLAST=1025 --emit=ptx -o - | FileCheck %s --check-prefix=SMALL
// RUN: %gpucc %s -DLAST=1026 --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s -DLAST=1026 --emit=json -o - | FileCheck %s --check-prefix=JSON
// RUN: %gpucc %s -DLAST=8191 --arch=sm_70,sm_90 -o %t.o
// RUN: %gpucc run %s -DLAST=5004 at 3 full:5000:int32:7 zeros:1:int32 --threads=1 --device=cpu | FileCheck %s --check-prefix=VALUE
#include <gpucc.h>

#ifndef LAST
#define LAST 1026
#endif

/* With the other parameters and what aligns them, 4096 bytes where LAST is 1025. */
struct table {
    int values[LAST - 4];
};

kernel
void at(unsigned i, struct table table, int *out)
{
    *out = table.values[i];
}
// SMALL: .version 6.3
// CHECK: .version 8.1
// CHECK: .target sm_75
// CHECK: .param .align 4 .b8 at_param_1[4088]
// JSON: "isa": "8.1",
// JSON-NEXT: "driver": "12.1"
// VALUE: out: shape
// VALUE: first   7{{$}}
