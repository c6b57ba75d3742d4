#ifdef HEADER_THERE
#include <math.h>
#endif
double log1p(double x) { return x - x * x / 2; }
double rsqrt(double x) { return x * 23 + x * x * 1.5 * (x < 0 ? 0 : 2); }
