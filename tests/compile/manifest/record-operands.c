// An operand of structs is an innermost core dimension of integers of its alignment; the manifest has the members.
// RUN: %gpucc %s -o %t.o -o %t.ptx -o %t.json && FileCheck %s < %t.json
// RUN: %if ptxas %{ %ptxas -arch=sm_75 %t.ptx -o /dev/null %}
// RUN: %gpucc %s -o %t.o -o %t.h && FileCheck --check-prefix=HEADER %s < %t.h
// RUN: not %gpucc %s -DWIDE -o %t.ptx 2>&1 | FileCheck --check-prefix=WIDE %s
// HEADER: struct star {
// HEADER-NEXT: double ra;
// HEADER: double dec;
// HEADER: float magnitude;
// CHECK: "name": "shift",
// CHECK: "name": "from",
// CHECK-NEXT: "role": "input",
// CHECK-NEXT: "type": "struct star",
// CHECK-NEXT: "size": 24,
// CHECK-NEXT: "fields":
// CHECK: "name": "magnitude",
// CHECK: "offset": 16,
// CHECK: "layout": "(3),()->(3)"
// CHECK: "inputs": ["uint64", "float64"]
#include <gpucc.h>
struct star { double ra, dec; float magnitude; };
guvectorize((),()->()) void shift(const struct star *from, double by, struct star *to)
{
    *to = *from;
    to->ra += by;
}
#ifdef WIDE
// WIDE: [[#@LINE+2]]:51: error: input 'wide' is an array of 'struct wide', which has a union, bit-fields or an alignment of its own: hosts may lay it out differently
struct wide { _Alignas(16) double x; };
guvectorize(()->()) void first(const struct wide *wide, double *out) { *out = wide->x; }
#endif
