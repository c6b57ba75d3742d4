#include <gpucc.h>

void first(int *o);
device void second(int *o) { first(o); }
