/* DECLARATION declares T. */
#include DECLARED_BY
DECLARATION

gpucc_vectorize(float64(float64))
T sq(T x) { return x * x; }
