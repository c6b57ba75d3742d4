; What a C compiler makes for x86_64: a function with one of its own, and a variable.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@weights = global [3 x float] [float 1.0, float 64.0, float 3.0]

define internal float @helper(float %x) {
  %y = fmul float %x, 3.0
  ret float %y
}

define float @triple(float %x) {
  %y = call float @helper(float %x)
  ret float %y
}

define float @unused(float %x) {
  %y = call float @nowhere(float %x)
  ret float %y
}

declare float @nowhere(float)
