// A call without a prototype whose arguments are not the definition's parameters is an error, and no undefined code.
// RUN: %exits 1 %gpucc -w %s %S/Inputs/series.c %S/Inputs/tables.c -o %t.ptx 2>&1 | FileCheck %s
#include <gpucc.h>

double old_style();

// CHECK: noproto.c:[[#@LINE+2]]:41: error: 'old_style' is called with other types than its definition has
// CHECK: series.c:12:8: note: it is defined here
vectorize() double f(double x) { return old_style((int)x); }
