// A header made with --embed is a program by itself: its PTX, NUL-terminated, and its manifest.
// RUN: %gpucc %s -o %t.ptx -o %t.json && %gpucc %s --embed -o %t.h
// RUN: echo '#include "embed.c.tmp.h"' > %t.host.c && cat %S/Inputs/embed_host.c >> %t.host.c
// RUN: %cc -std=c11 -I%include -I%T %t.host.c -o %t.exe %lib && %t.exe %t.ptx %t.json
#include <gpucc.h>

vectorize()
float32 twice(float32 x) { return 2 * x; }
