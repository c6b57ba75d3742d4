/* A ufunc for each type, of one loop that changes nothing: what casts to its input and from its output is the
 * runtime's. */
#include <gpucc.h>

#define KEEP(type)                                                                                                     \
    vectorize()                                                                                                        \
    type keep_##type(type x) { return x; }

KEEP(boolean)
KEEP(int8)
KEEP(uint8)
KEEP(int16)
KEEP(uint16)
KEEP(int32)
KEEP(uint32)
KEEP(int64)
KEEP(uint64)
KEEP(float16)
KEEP(bfloat16)
KEEP(float8_e4m3fn)
KEEP(float8_e5m2)
KEEP(float32)
KEEP(float64)
KEEP(complex64)
KEEP(complex128)
