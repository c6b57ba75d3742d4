#include <gpucc.h>

extern constant float weights[3];
extern const float offsets[2];

/* A prototype that carries the annotation. */
device float triple(float x);
device void exchange(float *x);
