// Old libraries declare `void *` for a pointer to anything; other types still have to agree.
// RUN: %gpucc -Wno-deprecated-non-prototype %s %S/Inputs/void_pointer.c -o %t.ptx
// RUN: %exits 1 %gpucc -DWRONG -Wno-deprecated-non-prototype %s %S/Inputs/void_pointer.c -o %t.ptx 2>&1 | FileCheck %s
#include <gpucc.h>

#ifdef WRONG
// CHECK: void_pointer.c:[[#@LINE+1]]:8: error: conflicting types for 'sum': 'double (void *, long)' here, but it is 'double (double *, int)'
double sum(void *, long);
// CHECK: void_pointer.c:[[#@LINE+1]]:8: error: conflicting types for 'first': 'double (double)' here, but it is 'double (const void *, int)'
double first(double);
#else
double sum(void *, int);
double first(const double *, int);
#endif

vectorize() double f(double x)
{
    double values[2] = {x, 1};
#ifdef WRONG
    return sum(values, 2) + first(x);
#else
    return sum(values, 2) + first(values, 0);
#endif
}
