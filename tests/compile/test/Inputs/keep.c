/* Results that are off, of one argument or of several. */
#include <gpucc.h>

#ifdef OFF
int32 zero(int32 x) { return 0 * x; }
reference(zero, within(0)) vectorize()
uint8 none(uint8 x) { return (uint8)(1 + 0 * x); }
#endif

/* Farther off with every call, so that the last arrays are the worst: those of three dimensions. */
int32 total(int32 a, int32 b, int32 c) { return a + b + c; }
reference(total) vectorize()
int32 summed(uint8 a, uint8 b, uint8 c)
{
    static int32 calls;
    return a + b + c + ++calls;
}
