#include <gpucc.h>

vectorize(int32(int32, int32)) identity(0) reorderable
int plus(int x, int y)
{
    return x + y;
}
