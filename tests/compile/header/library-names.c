// Functions that are called as the C library's have an underscore in the header, so that hosts include both.
// RUN: rm -rf %t && mkdir %t
// RUN: %gpucc %s -o %t/names.h -o %t/names.o
// RUN: FileCheck %s < %t/names.h
// RUN: echo '#include <ctype.h>' > %t/host.c && echo '#include <complex.h>' >> %t/host.c && echo '#include <math.h>' >> %t/host.c
// RUN: echo '#include <stdio.h>' >> %t/host.c && echo '#include <stdlib.h>' >> %t/host.c && echo '#include <string.h>' >> %t/host.c
// RUN: echo '#include <strings.h>' >> %t/host.c && echo '#include <time.h>' >> %t/host.c && echo '#include <unistd.h>' >> %t/host.c
// RUN: sed 's|.*|#include "names.h"|;q' %s >> %t/host.c
// RUN: echo 'int main(void) { return sqrt_(NULL, NULL, NULL) == GPUCC_OK || index_(NULL, NULL, NULL) == GPUCC_OK; }' >> %t/host.c
// RUN: %cc -std=c11 -Wall -Wextra -Werror -pedantic -I%include -I%t %t/host.c %t/names.o -o %t/host %lib && %t/host
// RUN: %cc -std=gnu17 -Wall -Wextra -Werror -I%include -I%t -fsyntax-only %t/host.c
// RUN: sed -i '/complex.h/d' %t/host.c
// RUN: %cxx -std=c++17 -Wall -Wextra -Werror -pedantic -I%include -I%t -fsyntax-only -x c++ %t/host.c
#include <gpucc.h>

// CHECK-DAG: gpucc_status sqrt_(gpucc_context *gpucc_ctx, const gpucc_array *x,
// CHECK-DAG: gpucc_context_ufunc(gpucc_ctx, &gpucc_program_library_names, GPUCC_ABI_library_names, "sqrt",
vectorize()
float32 sqrt(float32 x) { return x; }
// CHECK-DAG: gpucc_status index_(gpucc_context *gpucc_ctx, const gpucc_launch *gpucc_how, float *time)
kernel
void index(float32 *time) { time[0] = 1; }
// CHECK-DAG: gpucc_status div_(
vectorize()
float32 div(float32 x, float32 y) { return x / y; }
// CHECK-DAG: gpucc_status y0_(
vectorize()
float64 y0(float64 x) { return x; }
// CHECK-DAG: gpucc_status isnan_(
vectorize()
boolean isnan(float64 x) { return x != x; }
// CHECK-DAG: gpucc_status scale(
vectorize()
float64 scale(float64 exp10) { return exp10; }
