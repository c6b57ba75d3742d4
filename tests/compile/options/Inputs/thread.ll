target triple = "x86_64-unknown-linux-gnu"

@counter = thread_local global i32 1

define i32 @count() {
  %before = load i32, ptr @counter
  %after = add i32 %before, 1
  store i32 %after, ptr @counter
  ret i32 %after
}
