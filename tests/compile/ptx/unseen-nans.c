// A ufunc's NaN has one pattern, which is made where something can see it: of a tree's additions at the last one of a group,
// where lanes meet, and in the end.  A function that looks at its second argument's bits sees the pattern there.
// RUN: %gpucc %s -o %t.ptx
// RUN: sed -n '/entry add_f32f32_f32_packed(/,/^}/p' %t.ptx > %t.add
// RUN: sed -n '/entry look_f32f32_f32_packed(/,/^}/p' %t.ptx > %t.look
// RUN: grep -c add.rn.f32 %t.add | FileCheck --check-prefix=ALL %s
// RUN: grep -c setp.nan.f32 %t.add | FileCheck --check-prefix=FEW %s
// RUN: grep -c add.rn.f32 %t.look | FileCheck --check-prefix=ALL %s
// RUN: grep -c setp.nan.f32 %t.look | FileCheck --check-prefix=SOME %s
// ALL: {{^}}22{{$}}
// FEW: {{^}}3{{$}}
// SOME: {{^}}18{{$}}
#include <gpucc.h>

identity(0) reorderable vectorize(float32(float32, float32))
float add(float a, float b)
{
    return a + b;
}

identity(0) reorderable vectorize(float32(float32, float32))
float look(float a, float b)
{
    union {
        float number;
        uint32_t bits;
    } x = {b};
    x.bits &= ~1u;
    return a + x.number;
}
