/* The rules of derivatives of functions of double (partials.h). */
#include "math64.h"

#define T double
#define F(name) gpucc_##name
#define BUILTIN(name) __builtin_##name
#define LARGE 0x1p500
#define LARGEST 0x1p1000
#define SMALL 0x1p-960
#define FAR 40.0
#define ASYMPTOTIC 12.0
#include "partials.h"
