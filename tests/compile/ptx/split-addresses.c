// Addresses in initial values that are not where addresses are stand there byte by byte, which PTX ISA 7.1 can.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s -DALIGNED --emit=ptx -o - | FileCheck %s --check-prefix=ALIGNED
// RUN: %gpucc %s -DODD --arch=sm_75,sm_80,sm_90 -o %t.o
// RUN: %gpucc %s -DODD --emit=json --arch=sm_75 -o - | FileCheck %s --check-prefix=JSON
// RUN: %gpucc run %s at 1 zeros:1:int32 --threads=1 --device=cpu | FileCheck %s --check-prefix=VALUE
#include <gpucc.h>

static int numbers[3] = {3, 4, 5};

#if defined(ALIGNED)
static struct { char tag; int *p; } table[2] = {{1, &numbers[1]}, {2, &numbers[2]}};
#elif defined(ODD)
static struct __attribute__((packed)) { int *p; char tag; } table[2] = {{&numbers[1], 1}, {&numbers[2], 2}};
#else
static struct __attribute__((packed)) { char tag; int *p; } table[2] = {{1, &numbers[1]}, {2, &numbers[2]}};
#endif

kernel void at(int i, int *o)
{
    *o = *table[i].p + table[i].tag;
}

kernel void change(int i) { table[i].tag++; }
// CHECK: .version 7.1
// CHECK: 0xFF00(generic(numbers)+4)
// ALIGNED: .version 6.3
// ALIGNED: generic(numbers)+4
// JSON: "isa": "7.1",
// JSON-NEXT: "driver": "11.1"
// VALUE: first   7{{$}}
