target triple = "nvptx64-nvidia-cuda"

; What no target of PTX has: LLVM aborts on such numbers, and tells of such a constraint.
define i32 @quad_precision(i32 %x) {
  %f = sitofp i32 %x to fp128
  %g = fmul fp128 %f, %f
  %r = fptosi fp128 %g to i32
  ret i32 %r
}

define i32 @unknown_constraint(i32 %x) {
  %r = call i32 asm "mov.u32 $0, $1;", "=Z,r"(i32 %x)
  ret i32 %r
}
