// Results go out in one 16-byte access, after as many operations.
// RUN: %gpucc %s --emit=ptx -o - | sed '/_rows(/,$d' | FileCheck %s
#include <gpucc.h>

vectorize(float32(float32))
float increment(float x)
{
    return x + 1;
}
// CHECK: .visible .entry increment_f32_f32(
// CHECK-DAG: ld.global.v4.{{[fub]}}32 {{.}}[[X0:%[fr][0-9]+]], {{.*}}}
// CHECK-DAG: st.global.v4.{{[fub]}}32 [{{.*}}], {{.}}[[Y0:%[fr][0-9]+]], [[Y1:%[fr][0-9]+]], [[Y2:%[fr][0-9]+]], [[Y3:%[fr][0-9]+]]};
// CHECK-NOT: .local
