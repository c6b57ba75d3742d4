/* The operation that devices.py reduces with. */
#include <gpucc.h>

identity(0) reorderable vectorize(int64(int64, int64))
int64 add(int64 x, int64 y)
{
    return x + y;
}
