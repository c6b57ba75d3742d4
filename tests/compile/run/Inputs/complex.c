#include <gpucc.h>

typevar(T, complex64, complex128);

vectorize()
T product(T x, T y) { return x * y; }

vectorize()
T quotient(T x, T y) { return x / y; }
