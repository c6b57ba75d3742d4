// An annotation without its parentheses has a note.
// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %exits 1 %gpucc -fsyntax-only --no-short-names %s 2>&1 | FileCheck --check-prefix=LONG %s
#include <gpucc.h>

// CHECK: parentheses.c:[[#@LINE+3]]:1: error: unknown type name 'vectorize'
// CHECK: parentheses.c:[[#@LINE+2]]:1: note: 'vectorize' needs parentheses: write vectorize(...)
// LONG-NOT: needs parentheses
vectorize
float bare(float x) { return x; }
