/* What devices.py adds up. */
#include <gpucc.h>

identity(0) reorderable vectorize(int64(int64, int64))
int64 add(int64 x, int64 y)
{
    return x + y;
}
