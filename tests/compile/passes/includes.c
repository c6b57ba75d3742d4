// The dependency file lists the headers of every pass.
// RUN: %gpucc %s --arch=sm_75,sm_90 -o %t.ptx -o %t.o -MMD -MF %t.d
// RUN: FileCheck %s < %t.d
// CHECK-DAG: includes.c
// CHECK-DAG: newer.h
// CHECK-DAG: common.h
// CHECK-DAG: native.h
#include <gpucc.h>
#include "Inputs/common.h"
#if __CUDA_ARCH__ >= 900
#include "Inputs/newer.h"
#endif
#ifndef __NVPTX__
#include "Inputs/native.h"
#endif

vectorize(float32(float32))
float scale(float x) { return FACTOR * x; }
