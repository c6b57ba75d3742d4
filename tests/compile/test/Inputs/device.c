/* Right, unless FAULT is defined: of what a GPU is to run. */
#include <gpucc.h>

vectorize()
int32 mixed(int32 x, int32 y)
{
#ifdef FAULT
    if (x > 1000 && y < -7)
        return 1;
#endif
    return x ^ y;
}
