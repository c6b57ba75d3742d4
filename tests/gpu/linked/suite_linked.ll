; The same for the CPU.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define float @blend(float %x, float %y) {
  %sum = call float @llvm.fma.f32(float %x, float 3.0, float %y)
  ret float %sum
}

declare float @llvm.fma.f32(float, float, float)
