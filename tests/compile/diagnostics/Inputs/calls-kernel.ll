target triple = "nvptx64-nvidia-cuda"

declare void @first(ptr)

define void @middle(ptr %o) {
  call void @first(ptr %o)
  ret void
}
