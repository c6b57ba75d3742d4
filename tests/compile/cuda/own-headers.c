// Headers of the program's own are spelled as C like the source, wherever they include one another.
// RUN: %gpucc %s -o %t.ptx -o %t.o -MD -MF %t.d && FileCheck %s --check-prefix=DEPEND < %t.d
// RUN: %gpucc run %s numbers zeros:12:float32 --grid=1 --block=1 --device=cpu | FileCheck %s
// RUN: %gpucc -I %S -DBY_PATH %s -o %t-path.ptx && diff %t.ptx %t-path.ptx
// RUN: cd %S && %gpucc own-headers.c -o %t-here.ptx
// RUN: %exits 1 %gpucc run --check %s beyond zeros:8:float32 9 --grid=1 --block=1 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: %gpucc -g -O0 %s -o %t.ll && FileCheck %s --check-prefix=LINES < %t.ll
// RUN: %exits 1 %gpucc -DWRONG %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %exits 1 %gpucc -DMISNAMED %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=MISNAMED
// RUN: %exits 1 %gpucc -isystem %S/Inputs/own -DSYSTEM %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=SYSTEM
// A header that changes is another program.
// RUN: rm -rf %t && mkdir -p %t/Inputs && cp -r %S/Inputs/own %t/Inputs && cp %s %t/source.c
// RUN: cd %t && %gpucc --cache=%t/cache source.c -o first.ptx && %gpucc --cache=%t/cache source.c -o again.ptx
// RUN: cmp %t/first.ptx %t/again.ptx
// RUN: sed -i "s/by = 2.0f/by = 8.0f/" %t/Inputs/own/shapes.cuh
// RUN: cd %t && %gpucc --cache=%t/cache source.c -o changed.ptx && not cmp -s first.ptx changed.ptx
#include "Inputs/own/shapes.cuh"
#include "Inputs/own/../own/numbers.h"
#include "Inputs/own/open.h"
#ifdef BY_PATH
#include <Inputs/own/shapes.cuh>
#endif
#ifdef SYSTEM
#include <system.cuh>
#endif

// DEPEND: cuda/own-headers.c
// DEPEND-NEXT: Inputs/own/shapes.cuh
// DEPEND-NEXT: Inputs/own/numbers.h
// DEPEND-NEXT: Inputs/own/open.h
// DEPEND-NOT: nowhere
using namespace shapes;

enum names {
#define NAME(name, value) name = value,
#include "Inputs/own/names.def"
#undef NAME
};
constexpr int texts[] = {
#define NAME(name, value) 10 * value,
#include "Inputs/own/names.def"
#undef NAME
};

__global__ void numbers(float *out)
{
    __shared__ float shared[shapes::width];
    point p{1, 2}, q = {10, 20};
    const shapes::kind form = shapes::kind::bent;
    shared[3] = third(9);
    shapes::move(p, q);
    out[0] = p.x;
    out[1] = p.y;
    out[2] = twice(p.x);
    out[3] = scale(p.x, 3);
    out[4] = shared[width - 1];
    out[5] = (float)form;
    out[6] = two + texts[1];
    out[7] = opened(7);
}
// CHECK: 11 22 22 33 3 4 22 8

__global__ void beyond(float *out, int n)
{
    store(out, n, 1);
}
// PLACE: {{^}}Inputs/own/shapes.cuh:21:79: error: write of 4 bytes outside of 'out' at index 9
// PLACE-NEXT: const float &x) { to[i] = x; }
// PLACE: ^
// PLACE-NEXT: own-headers.c:[[#]]:5: note: 'store' is called here

// LINES: DILocation(line: 21, column: 79
// WRONG: Inputs/own/numbers.h:13:62: error: use of undeclared identifier 'missing'
// WRONG-NEXT: void wrong(int &n, float &x) { n += 1; x = missing; }

#ifdef MISNAMED
// MISNAMED: own-headers.c:[[#@LINE+1]]:{{[0-9]+}}: error: no member named 'twice' in namespace 'shapes'
__device__ float misnamed(float x) { return shapes::twice(x); }
// MISNAMED: own-headers.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'store' of namespace 'others' and of the file's scope are the same name in C
namespace others { __device__ inline void store(float *to, const int &i, const float &x); }
#endif
// SYSTEM: system.cuh:1:{{[0-9]+}}: error:
