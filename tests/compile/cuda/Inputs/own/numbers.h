/* For hosts and devices.  #include "nowhere.h" */
#ifndef NUMBERS_H
#define NUMBERS_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
static inline int32_t third(int32_t const x) { return x / 3; }
#ifdef __cplusplus
}
#endif
#if defined(__CUDACC__) && defined(WRONG)
__device__ inline void wrong(int &n, float &x) { n += 1; x = missing; }
#endif
#endif
