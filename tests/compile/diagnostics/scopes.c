// "(::" is C++, and told as such wherever it comes from; Clang's parser of C would not come back from it.
// RUN: %exits 1 timeout 20 %gpucc -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %exits 1 timeout 20 %gpucc -fsyntax-only -DHEADER -I%S/Inputs %s 2>&1 | FileCheck --check-prefix=HEADER %s
// RUN: %exits 1 timeout 20 %gpucc -fsyntax-only -DJOINED %s 2>&1 | FileCheck --check-prefix=JOINED %s
// RUN: %exits 1 timeout 20 %gpucc -fsyntax-only '-DOPTION=(::g(1.0f))' %s 2>&1 | FileCheck --check-prefix=OPTION %s
// RUN: %exits 1 timeout 20 %gpucc -fsyntax-only -DPRAGMA %s 2>&1 | FileCheck --check-prefix=PRAGMA %s
// RUN: %exits 1 timeout 20 %gpucc -DONLY_PTX %s -o %t.ptx 2>&1 | FileCheck --check-prefix=PTX %s
// RUN: timeout 20 %gpucc -DALLOWED -DUNUSED='(::)' %s -o %t.ptx
#include <gpucc.h>

static float g(float x) { return x; }

#if defined(HEADER)
#include "scopes.h"
// HEADER: scopes.h:1:36: error: names with '::' are C++
float h(float x) { return in_header(x); }
#elif defined(JOINED)
#define JOIN(a, b) (a##b g(1.0f))
// JOINED: scopes.c:[[#@LINE+1]]:24: error: names with '::' are C++
float h(void) { return JOIN(:, :); }
#elif defined(OPTION)
// OPTION: scopes.c:[[#@LINE+1]]:27: error: names with '::' are C++
float h(float x) { return OPTION; }
#elif defined(PRAGMA)
void h(int *p)
{
// PRAGMA: scopes.c:[[#@LINE+1]]:18: error: names with '::' are C++
#pragma unroll ((::N))
    for (int i = 0; i < 4; i++)
        p[i] = 0;
}
#elif defined(ONLY_PTX)
#ifdef __NVPTX__
// PTX: scopes.c:[[#@LINE+1]]:28: error: names with '::' are C++
float h(float x) { return (::g(x)); }
#endif
kernel void k(float *x) { x[0] = g(x[1]); }
#elif defined(ALLOWED)
// C's own uses, and what no parser reads.
[[gnu::noinline]] static void fence(void) { __asm__ volatile("" ::: "memory"); }
#define TEXT(x) #x
kernel void k(const char **x) { fence(); x[0] = TEXT((::g(x))); }
#else
vectorize(float32(float32))
float f(float a)
{
    // CHECK: scopes.c:[[#@LINE+2]]:13: error: names with '::' are C++: write the name alone
    // CHECK-NEXT: {{^ *}}[[#@LINE+1]] |     return (::g(a)) + sizeof(
    return (::g(a)) + sizeof(
        // CHECK: scopes.c:[[#@LINE+1]]:9: error: names with '::' are C++
        ::g(a));
}
// CHECK: 2 errors generated.
#endif
