#include <gpucc.h>

vectorize()
TYPE same(TYPE x) { return x; }
