// A program that is called as a function gpucc_program_… of the runtime gets an underscore, so that hosts include both.
// RUN: rm -rf %t && mkdir %t
// RUN: sed -n 's/.*[ *]gpucc_program_\([a-z_]*\)(.*/\1/p' %include/gpucc/runtime.h | sort -u > %t/names
// RUN: FileCheck --input-file=%t/names %s
// CHECK: {{^load$}}
// RUN: xargs -I@ sh -c 'sed s/half/half_@/ %s > %t/@.c' < %t/names
// RUN: xargs -I@ %gpucc %t/@.c -o %t/@.o -o %t/@.h < %t/names
// RUN: sed 's/.*/#include "&.h"/' %t/names > %t/host.c
// RUN: sed 's/.*/const void *at_& = \&gpucc_program_&_;/' %t/names >> %t/host.c
// RUN: echo 'int main(void) { return 0; }' >> %t/host.c
// RUN: %cc -std=c11 -Wall -Wextra -Werror -I%include -I%t %t/host.c %t/*.o -o %t/host %lib
#include <gpucc.h>

vectorize()
float32 half(float32 x) { return x / 2; }
