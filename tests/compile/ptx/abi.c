// The ABI stamp is the same in PTX, manifest and header, the same for the same interface, and another for another.
// RUN: %gpucc %s -o %t.ptx -o %t.json -o %t.h
// RUN: cat %t.ptx %t.json %t.h | FileCheck %s
// RUN: %gpucc %s -DBODY='x*2' -o %t.body.ptx && head -1 %t.body.ptx | grep -q -F -f - %t.ptx
// RUN: %gpucc %s -DTYPE=float64 -o %t.type.ptx && head -1 %t.type.ptx | not grep -q -F -f - %t.ptx
#include <gpucc.h>
#ifndef BODY
#define BODY x
#endif
#ifndef TYPE
#define TYPE float32
#endif

vectorize()
TYPE same(TYPE x) { return BODY; }
// CHECK: {{^}}// gpucc-abi: [[ABI:[0-9a-f]+]]{{$}}
// CHECK: "abi":{{.*}}"[[ABI]]"
// CHECK: #define GPUCC_ABI_abi UINT64_C(0x[[ABI]])
