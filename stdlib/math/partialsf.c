/* The rules of derivatives of functions of float (partials.h). */
#include "mathlib.h"

#define T float
#define F(name) gpucc_##name##f
#define BUILTIN(name) __builtin_##name##f
#define LARGE 0x1p60f
#define LARGEST 0x1p120f
#define SMALL 0x1p-100f
#define FAR 16.0f
#define ASYMPTOTIC 8.0f
#include "partials.h"

RULE(0, saturate)(float x, float y) { return x > 0 && x < 1 ? 1 : x == 0 || x == 1 ? 0.5f : x != x ? x : 0; }
RULE(0, fdivide)(float a, float b, float y) { return 1 / b; }
RULE(1, fdivide)(float a, float b, float y) { return -y / b; }
