#include <gpucc.h>
#define FLOATING(name) gpucc_typevar(name, float32, float64)
