// Several dynamic arrays lie behind one another by offsets; the manifest says which kernels want such memory.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s --emit=json -o - | %python -m json.tool | FileCheck %s --check-prefix=JSON
// RUN: %gpucc run %s two 8 arange:8:float32 zeros:8:float64 --grid=1 --block=8 --shared=96 --device=cpu | FileCheck %s --check-prefix=TWO
// RUN: %gpucc run %s large arange:8:int32 --grid=2 --block=4 --shared=200000 --device=cpu | FileCheck %s --check-prefix=LARGE
// RUN: %exits 2 %gpucc run %s large arange:8:int32 --grid=2 --block=4 --device=cpu 2>&1 | FileCheck %s --check-prefix=NONE
#include <gpucc.h>

kernel
void two(unsigned n, float *x, double *y)
{
    dynamic_shared(float, a);
    dynamic_shared(double, b, n * sizeof(float));
    unsigned t = threadIdx.x;
    a[t] = x[t];
    b[t] = 10.0 * (double)x[t];
    syncthreads();
    x[t] = a[n - 1 - t];
    y[t] = b[n - 1 - t];
}
// CHECK: .visible .entry two(
// CHECK: st.shared.{{[fu]}}32
// CHECK: st.shared.{{[fu]}}64
// JSON: "entry": "two"
// JSON: "dynamic_shared": true
// TWO: x: shape
// TWO: first   7 6 5 4 3 2 1 0{{$}}
// TWO: y: shape
// TWO: first   70 60 50 40 30 20 10 0{{$}}

kernel
void large(int *x)
{
    dynamic_shared(int, last, 200000 - 4 * sizeof(int));
    last[3 - threadIdx.x] = x[grid(1)];
    syncthreads();
    x[grid(1)] = last[threadIdx.x];
}
// JSON: "entry": "large"
// JSON: "dynamic_shared": true
// LARGE: first   3 2 1 0 7 6 5 4{{$}}
// NONE: error: {{.*}}large: it uses dynamic shared memory, but the launch requests 0 bytes: set gpucc_launch.shared, or --shared of gpucc run

kernel
void none(int *x)
{
    shared int tile[8];
    tile[threadIdx.x] = *x;
    syncthreads();
    *x = tile[0];
}
// JSON: "entry": "none"
// JSON: "dynamic_shared": false
