/* For kernels with one seeded fault: RIGHT(…) is what the mended twin has in place of WRONG(…). */
#include <gpucc.h>

#ifdef MENDED
#define RIGHT(...) __VA_ARGS__
#define WRONG(...)
#else
#define RIGHT(...)
#define WRONG(...) __VA_ARGS__
#endif

enum { N = 64 };
