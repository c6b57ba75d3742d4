// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// Numbers in fuse(…) that are none of the type that is taken there.
#include <gpucc.h>

typevar(T, float32, float64);
vectorize() T add(T x, T y) { return x + y; }
typevar(I, int32, float32);
vectorize() I sum(I x, I y) { return x + y; }
vectorize() uint8 both(uint8 x, uint8 y) { return x & y; }
vectorize() float16 twice(float16 x, float16 y) { return x + y; }

vectorize() float64 plus(float64 x, float64 y) { return x + y; }
vectorize() bfloat16 more(bfloat16 x, bfloat16 y) { return x + y; }
vectorize() int64 join(int64 x, int64 y) { return x + y; }

// CHECK-DAG: fuse-numbers.c:[[#@LINE+1]]:18: error: invalid number
fuse(suffix, add(2.5u, y));
fuse(in_range, both(both(x, 0xff), 255u));
fuse(large, add(x, 1e300));
// CHECK-DAG: fuse-numbers.c:[[#@LINE-1]]:20: error: 'add' takes 'T' here, but float32 cannot represent 1e300
fuse(cut, sum(x, 2.5));
// CHECK-DAG: fuse-numbers.c:[[#@LINE-1]]:18: error: 'sum' takes 'I' here, but int32 cannot represent 2.5
fuse(wide, both(x, 256));
// CHECK-DAG: fuse-numbers.c:[[#@LINE-1]]:20: error: 'both' takes 'uint8' here, but it cannot represent 256
fuse(negative, both(-1, x));
// CHECK-DAG: fuse-numbers.c:[[#@LINE-1]]:21: error: 'both' takes 'uint8' here, but it cannot represent -1
fuse(infinite, twice(x, 65520));
// CHECK-DAG: fuse-numbers.c:[[#@LINE-1]]:25: error: 'twice' takes 'float16' here, but it cannot represent 65520
fuse(suffix_f, plus(x, 1e39f));
// CHECK-DAG: fuse-numbers.c:[[#@LINE-1]]:24: error: invalid number
fuse(rounded, more(x, 3.4e38));
// CHECK-DAG: fuse-numbers.c:[[#@LINE-1]]:23: error: 'more' takes 'bfloat16' here, but it cannot represent 3.4e38
fuse(most, more(x, 3.39e38));
fuse(spaced, sum(x, - 5));
fuse(named, join(join(x, INT64_MIN), -INT_MAX));
fuse(no_end, plus(plus(x, -INFINITY), NAN));
fuse(small, both(x, INT_MAX));
// CHECK-DAG: fuse-numbers.c:[[#@LINE-1]]:21: error: 'both' takes 'uint8' here, but it cannot represent INT_MAX
// CHECK-NOT: error:
