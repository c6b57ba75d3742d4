#include <gpucc.h>

typevar(A, boolean, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, bfloat16, float32, float64,
        complex64, complex128);

vectorize()
A same(A x) { return x; }
