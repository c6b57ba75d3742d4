// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
#include <gpucc.h>

float outside(float x);
float sinf(float x);
extern int printf(const char *format, ...);

// The call is found through a function that is not annotated itself.
static float between(float x)
{
    // CHECK: no-body.c:[[#@LINE+6]]:12: error: 'outside' is not defined in this file, so device code cannot call it
    // CHECK-NEXT: return
    // CHECK-NEXT: {{^}}      |            ^~~~~~~{{$}}
    // CHECK-NEXT: no-body.c:[[#@LINE+7]]:39: note: 'between' is called here
    // CHECK-NEXT: vectorize() float a
    // CHECK: no-body.c:[[#@LINE-12]]:7: note: it is only declared here
    return outside(x);
}


vectorize() float a(float x) { return between(x); }

// The math library's, whoever declares it.
vectorize()
float b(float x) { return sinf(x); }

// CHECK-NOT: 'never_called'
float never_called(float x);
float host_only(float x) { return never_called(x); }

// CHECK-NOT: error:
