#include <gpucc.h>
#include <math.h>
#include "first.h"
#include <system.h>
#include "second.h"

vectorize()
float f(float x) { return sqrtf(x); }
