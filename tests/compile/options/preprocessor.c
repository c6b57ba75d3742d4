// Options reach the preprocessor, joined and apart, in their order.
// RUN: %gpucc -DFIRST=1 -D SECOND -UTHIRD -DFOURTH -U FOURTH -I %S/Inputs/include -isystem %S/Inputs/system -include %S/Inputs/forced.h -std=c11 -fsyntax-only -Werror %s
// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %exits 1 %gpucc -fsyntax-only -DFIRST=1 -DSECOND -I%S/Inputs/include -isystem%S/Inputs/system -DFORCED %s 2>&1 | FileCheck --check-prefix=STANDARD %s
// STANDARD: error: static assertion failed
// CHECK: fatal error: 'included.h' file not found
#include <gpucc.h>
#include "included.h"
#include <system.h>

#if FIRST != 1 || SECOND != 1 || defined(THIRD) || defined(FOURTH) || !defined(FORCED) || !defined(INCLUDED)
#error an option was lost
#endif
_Static_assert(__STDC_VERSION__ == 201112L, "-std");

vectorize()
float f(float x) { return x; }
