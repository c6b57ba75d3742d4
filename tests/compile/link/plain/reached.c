// Code that devices cannot run is an error only if it is reached, in any file, with the calls that lead there.
// RUN: %exits 1 %gpucc -w %s %S/Inputs/reached.c -o %t.ptx 2>&1 | FileCheck %s
// RUN: %gpucc -DUNREACHED -w %s %S/Inputs/reached.c -o %t.ptx -o %t.so
#include <gpucc.h>

double allocates(double);
double is_fine(double);

static double between(double x)
{
#ifndef UNREACHED
    return allocates(x);
#else
    return is_fine(x);
#endif
}

// CHECK: Inputs/reached.c:7:12: error: 'missing' is defined in none of the files, so device code cannot call it
// CHECK: Inputs/reached.c:12:12: note: 'innermost' is called here
// CHECK: reached.c:12:12: note: 'allocates' is called here
// CHECK: reached.c:[[#@LINE+3]]:41: note: 'between' is called here
// CHECK: Inputs/reached.c:3:8: note: it is only declared here
// CHECK-NOT: error:
vectorize() double f(double x) { return between(x); }
