/* Functions with inverses. */
#include <gpucc.h>
#include <math.h>

reference(inverse(square), within(2)) vectorize()
double root(double x) { return sqrt(x); }
double square(double x) { return x * x; }

reference(inverse(unscramble), within(0)) vectorize()
uint32 scramble(uint32 x) { return x * 2654435761u ^ 5; }
vectorize()
uint32 unscramble(uint32 x) { return (x ^ 5) * 244002641u; }
