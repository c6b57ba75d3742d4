// Compound assignments to atomic variables that Clang computes as of another type are errors; others are not.
// RUN: %exits 1 %gpucc -w %s -o %t.ptx 2>&1 | FileCheck %s
// RUN: %gpucc -w %s -DRIGHT -o %t.ptx -o %t.o
#include <gpucc.h>

kernel void count(size_t n, _Atomic(int8) *a, _Atomic(int32) *b, _Atomic(uint8) *c, _Atomic(float32) *d)
{
#ifndef RIGHT
    *a /= 3;
    // CHECK: atomic-assignment.c:[[@LINE-1]]:8: error: cannot generate code for '/=' on an atomic variable of type 'int8'{{.*}} that is computed in 'int': compare and exchange in a loop
    *a <<= 1;
    // CHECK: [[@LINE-1]]:8: error: cannot generate code for '<<=' on an atomic variable
    *b *= 2ll;
    // CHECK: [[@LINE-1]]:8: error: cannot generate code for '*=' on {{.*}} 'long long'
    *b += 0.5f;
    // CHECK: [[@LINE-1]]:8: error: cannot generate code for '+=' on {{.*}} 'float'
    *c -= 0.5;
    // CHECK: [[@LINE-1]]:8: error: cannot generate code for '-=' on {{.*}} 'double'
#endif
    *a += 3, *a ^= 1;
    *b /= 3, *b <<= n, *b += 2ll;
    *c /= 3, *c %= -1;
    *d += 0.5f, *d *= 2, *d /= 3.0;
}
// CHECK: 5 errors generated
