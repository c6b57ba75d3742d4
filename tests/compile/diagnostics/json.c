// RUN: %exits 1 %gpucc -fsyntax-only --diagnostics-format=json %s > %t.out 2> %t.err
// RUN: %python %S/Inputs/check_json.py %t.err
// RUN: FileCheck %s < %t.err
// RUN: FileCheck --allow-empty --check-prefix=NOTHING %s < %t.out
// NOTHING-NOT: {{.}}
#include <gpucc.h>

// CHECK: {"severity":"warning","file":"{{.*}}json.c","line":[[#@LINE+2]],"column":59,"length":3,"message":"'0.5' is a double, so this float arithmetic is done in double","option":"-Wdouble-promotion","notes":[{"severity":"note","file":"{{.*}}json.c","line":[[#@LINE+2]],"column":59,"length":3,"message":"write '0.5f'; on most GPUs double arithmetic costs 32 to 64 times as much as float","option":null}]}
vectorize()
float a(float x) { /* "quoted" \ and	tabbed */ return x * 0.5; }

// CHECK: {"severity":"error","file":"{{.*}}json.c","line":[[#@LINE+1]],"column":19,"length":7,"message":"unknown type 'flaot32'; did you mean 'float32'?","option":null,"notes":[]}
vectorize(float32(flaot32))
float b(float x) { return x; }
// CHECK-NOT: generated
