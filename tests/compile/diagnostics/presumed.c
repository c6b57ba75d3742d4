// Diagnostics have the file and line that #line gives, as debug lines and assertions have.
// RUN: not %gpucc %s -o %t.ptx 2>&1 | FileCheck %s
// RUN: not %gpucc --diagnostics-format=json %s -o %t.ptx 2>&1 | FileCheck --check-prefix=JSON %s
#include <gpucc.h>
#line 100 "model.y"
// CHECK: model.y:102:39: error: use of undeclared identifier 'undefined_name'
// CHECK-NEXT: {{^ +}}102 | vectorize()
vectorize() float f(float x) { return undefined_name + x; }
# 7
// CHECK: model.y:8:19: error: the signature has 'float64' where parameter 'x' is 'float'
vectorize(float32(float64)) float g(float x) { return x; }
// JSON: "file":"model.y","line":102,"column":39
