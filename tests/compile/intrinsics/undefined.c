// -fsanitize=undefined: native code of ufuncs and gufuncs tells of what C leaves undefined, and gpucc too; PTX stays as it is.
// Loops with checks are not shared by threads, so the gufunc with a loop is left out where PTX is compared.
// RUN: %gpucc %s -DWITHOUT_LOOPS --emit=ptx -o %t.plain.ptx
// RUN: %gpucc %s -DWITHOUT_LOOPS -fsanitize=undefined --emit=ptx -o %t.checked.ptx
// RUN: cmp %t.plain.ptx %t.checked.ptx
// RUN: %exits 1 %gpucc run %s next full:5:int32:2147483647 --check 2>&1 | FileCheck %s --check-prefix=NEXT
// RUN: %exits 1 %gpucc run %s next full:70000:int32:2147483647 --check=undefined --diagnostics-format=json 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: %exits 1 %gpucc run %s next full:5:int32:2147483647 -fsanitize=undefined --device=cpu 2>&1 | FileCheck %s --check-prefix=LOG
// RUN: %exits 1 %gpucc run %s total full:5:int32:2147483647 --check=undefined 2>&1 | FileCheck %s --check-prefix=TOTAL
// RUN: %exits 1 %gpucc run %s plus full:9:int32:2147483647 --reduce --check=undefined 2>&1 | FileCheck %s --check-prefix=PLUS
// RUN: %exits 1 %gpucc run %s plus full:9:int32:2147483647 --accumulate --check=undefined 2>&1 | FileCheck %s --check-prefix=PLUS
// RUN: %exits 1 %gpucc run %s plus zeros:9:int32 full:9:int32:2147483647 --at=full:9:int64:3 --check=undefined 2>&1 | FileCheck %s --check-prefix=PLUS
// RUN: %exits 1 %gpucc run %s fault_in_block ones:3x8:int32 --check=undefined 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: %gpucc run %s next arange:70000:int32 --check | FileCheck %s --check-prefix=RIGHT
// RUN: %gpucc run %s defined full:5:int32:-2147483648 full:5:int32:-1 full:5:float32:1e30 --check=undefined | FileCheck %s --check-prefix=DEFINED
// RUN: %gpucc run %s slow full:5:float32:1e30 --check=undefined,float | FileCheck %s --check-prefix=SLOW
// RUN: %gpucc %s -fsanitize=undefined,float -o %t.json -o %t.o && FileCheck %s --check-prefix=MANIFEST < %t.json
// MANIFEST: "checks":
// MANIFEST-SAME: ["undefined", "float"]
#include <gpucc.h>
#include <math.h>

vectorize(int32(int32))
int next(int x) { return x + 1; }
// NEXT: undefined.c:[[@LINE-1]]:28: error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int' (5 times)
// NEXT: undefined.c:[[@LINE-2]]:28: note: compute in an unsigned type if the result is meant to wrap
// JSON: "line":[[@LINE-3]],"column":28,{{.*}}cannot be represented in type 'int' (70000 times)"
// LOG: undefined.c:[[@LINE-4]]:28: error: signed integer overflow
// LOG: next: 1 fault found
// RIGHT: maximum 70000

#ifndef WITHOUT_LOOPS
guvectorize((n)->())
void total(size_t n, const int x[n], int *out)
{
    int sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    *out = sum;
}
#endif
// TOTAL: undefined.c:[[@LINE-4]]:13: error: signed integer overflow: 2147483647 + 2147483647 cannot

vectorize(int32(int32, int32)) identity(0) reorderable
int plus(int x, int y)
{
    return x + y;
}
// PLUS: undefined.c:[[@LINE-2]]:14: error: signed integer overflow: {{.*}} cannot be represented in type 'int'

guvectorize((n)->()) cooperative
void fault_in_block(size_t n, const int x[n], int *out)
{
    if (threadIdx.x == 0)
        *out = x[0] - 2147483647 - 2147483647;
}
// BLOCK: undefined.c:[[@LINE-2]]:34: error: signed integer overflow: -2147483646 - 2147483647 cannot be represented in type 'int', by thread (0, 0, 0) of block (0, 0, 0) (3 times)

/* Operations that C leaves undefined have a value. */
vectorize(int32(int32, int32, float32))
int defined(int x, int y, float z)
{
    return x / y / (y + 1) + x % y + (1 << (y + 41)) + (1 << y) + (z > 0 ? (int)z - 2147483647 : 0) + (x << 1);
}
// DEFINED: mean 0

/* sinf() does not use its fast path for numbers so large, for which that is wrong. */
vectorize(float32(float32))
float slow(float x)
{
    int i = (int)(sinf(x) * 100.0f);
    return (float)(i * 20000000) + 3e38f * fabsf(sinf(x));
}
// SLOW: mean
