// A call of what is declared nowhere is told once, by Clang alone; after a missing header nothing else is.
// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %exits 1 %gpucc -fsyntax-only %s -DHEADER 2>&1 | FileCheck --check-prefix=HEADER %s
// RUN: %exits 1 %gpucc -fsyntax-only %s -w -Wno-error=implicit-function-declaration 2>&1 | FileCheck --check-prefix=ALLOWED %s
#include <gpucc.h>
#ifdef HEADER
// HEADER-NOT: error:
// HEADER: undeclared.c:[[#@LINE+1]]:10: fatal error: 'nowhere.h' file not found
#include "nowhere.h"
// HEADER-NOT: error:
// HEADER: 1 error generated.
#endif

vectorize()
float32 f(float32 x) { return helper(x) + helper(1); }
// CHECK-NOT: error:
// CHECK: undeclared.c:[[#@LINE-2]]:31: error: call to undeclared function 'helper'
// CHECK-NOT: error:
// CHECK: 1 error generated.
// ALLOWED: undeclared.c:[[#@LINE-5]]:31: error: 'helper' is not defined in this file, so device code cannot call it
// ALLOWED: 1 error generated.
