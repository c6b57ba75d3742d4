// A header that would hold the same bytes keeps its time stamp; another one does not.
// RUN: %gpucc %s -o %t.h && touch -d 2001-01-01 %t.h
// RUN: %gpucc %s -o %t.h && find %t.h -newermt 2002-01-01 | FileCheck %s --check-prefix=SAME --allow-empty
// RUN: %gpucc %s -DOTHER -o %t.h && find %t.h -newermt 2002-01-01 | FileCheck %s --check-prefix=OTHER
#include <gpucc.h>

vectorize()
#ifdef OTHER
float64 f(float64 x) { return x; }
#else
float32 f(float32 x) { return x; }
#endif
// SAME-NOT: unchanged
// OTHER: unchanged
